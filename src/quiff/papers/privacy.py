"""The experiments on privacy: leakages, their shares of what cookies leak, and how many sets there are."""

from collections.abc import Callable, Iterator
from fractions import Fraction
from math import comb

from quiff import theory
from quiff.papers import on_data
from quiff.papers.accounting import from_table
from quiff.papers.aol import (
    COMMAND,
    CONTEXTS,
    LEAKAGES,
    NAMES,
    PERCENTAGES_OF_COOKIES,
    SETS,
    TOPICS,
    USERS,
    share,
    table_of,
)
from quiff.papers.items import Item, Value
from quiff.papers.settings import CITIZEN_LAB, NOISE, TOP_S, V1, V1_OCCURRING, percent
from quiff.papers.tallies import Histories
from quiff.papers.verdict import Derived, Exactly, Rounded, Statement, parse_number

_PRIVACY = "Tab. results-privacy-bayes"


def _privacy_of(key: str) -> Iterator[Item]:
    table, where, users = table_of(key), f"{_PRIVACY}, {NAMES[key]}", int(parse_number(USERS[key]))
    yield Item(
        f"privacy-{key}-cookies", where, USERS[key],
        Exactly(lambda: theory.cookies_leakage(users, CONTEXTS)),
        "min(N, 2^c - c - 1), with contexts enough for all users to differ",
        data=from_table(table, lambda read: read.distinct_histories),
    )  # fmt: skip
    if key not in TOPICS:
        return
    (m, occurring), (bounded, complete) = TOPICS[key], LEAKAGES[key]
    yield Item(
        f"privacy-{key}-generalization", where, SETS[key], command=COMMAND,
        data=from_table(table, lambda read: len(read.sets)),
    )  # fmt: skip
    yield Item(
        f"privacy-{key}-bounded-noise", where, bounded,
        Rounded(lambda: theory.bounded_noise_leakage(m, TOP_S, occurring)), f"m'/s at m'={occurring}",
        data=from_table(table, lambda read: on_data.bounded_noise_leakage(read, m), rounded=True),
    )  # fmt: skip
    yield Item(
        f"privacy-{key}-topics-api", where, complete,
        Rounded(lambda: theory.topics_leakage(m, TOP_S, NOISE, occurring)),
        f"r + m'(1-r)/s at m'={occurring}",
        data=from_table(table, lambda read: on_data.topics_leakage(read, m), rounded=True),
    )  # fmt: skip


def _shares() -> Iterator[Item]:
    for key, (m, _) in TOPICS.items():
        bounded, complete = LEAKAGES[key]
        for stage, part, compute in (
            ("generalization", SETS[key], lambda read, _m: Fraction(len(read.sets))),
            ("bounded-noise", bounded, on_data.bounded_noise_leakage),
            ("topics-api", complete, on_data.topics_leakage),
        ):
            check, basis = Derived(share, (part, USERS[key])), "leakage over that of cookies"
            data = from_table(table_of(key), _share_of_cookies(compute, m), rounded=True)
            printed = PERCENTAGES_OF_COOKIES[key][stage]
            yield Item(f"share-{stage}-{key}", "Sec. 5.2, text", printed, check, basis, data=data)


def _share_of_cookies(
    compute: Callable[[Histories, int], Value], n_topics: int
) -> Callable[[Histories], Value]:
    return lambda read: percent(compute(read, n_topics) / read.distinct_histories)


def _below_capacity() -> tuple[bool, str]:
    pairs = [(int(parse_number(SETS[key])), comb(TOPICS[key][0], TOP_S)) for key in TOPICS]
    return all(sets < most for sets, most in pairs), " and ".join(f"{sets} < {most}" for sets, most in pairs)


def _footnote() -> Iterator[Item]:
    where = "Sec. 5.2, footnote on the capacity of C_BH C_G"
    yield Item(
        "sets-citizen-lab-binomial", where, "169 911", Exactly(lambda: comb(CITIZEN_LAB, TOP_S)), "C(31,5)"
    )
    yield Item(
        "sets-google-v1-binomial", f"{where}, as a binomial", "1 082 239 158",
        Exactly(lambda: comb(V1_OCCURRING, TOP_S)), "C(169,5)",
    )  # fmt: skip
    yield Item(
        "sets-google-v1-capacity", f"{where}, as the capacity", "1 082 239 158",
        Exactly(lambda: comb(V1, TOP_S)),
        "C(349,5)", "Sets are drawn from all 349 topics of the taxonomy: there are C(349,5), not C(169,5).",
    )  # fmt: skip
    yield Item(
        "generalization-below-capacity", "Sec. 5.2, text", "does not reach capacity",
        Statement(_below_capacity),
        "distinct sets against C(m,s)",
    )  # fmt: skip


ITEMS = (
    *(item for key in NAMES for item in _privacy_of(key)),
    *_shares(),
    *_footnote(),
)
