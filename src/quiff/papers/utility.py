"""The experiments on utility: vulnerabilities, percentages of the text, and leakages derived from them."""

from collections.abc import Callable, Iterator
from fractions import Fraction

from quiff import theory
from quiff.papers import on_data
from quiff.papers.accounting import from_table
from quiff.papers.aol import (
    BAYES_LEAKAGES,
    BAYES_POSTERIORS,
    BAYES_PRIORS,
    COMMAND,
    CONTEXTS,
    IBA_LEAKAGES,
    IBA_POSTERIORS,
    IBA_PRIORS,
    NAMES,
    PERCENTAGES,
    SETS,
    SHARES_OF_SETS,
    TOPICS,
    USER_PRIORS,
    USERS,
    share,
    table_of,
)
from quiff.papers.items import Item, Value
from quiff.papers.settings import CITIZEN_LAB, NOISE, TOP_S, V1, percent
from quiff.papers.tallies import Histories
from quiff.papers.verdict import Derived, Interval, Rounded, Statement, parse_number, rounds_to

_BAYES, _IBA = "Tab. results-utility-bayes", "Tab. results-utility-iba"
_MISALIGNED = (
    "The published run lined up the prior with the sets by position, though the two were in different orders."
)


def _ratio(first: Value, second: Value) -> Value:
    return first / second


def _share_of_sets(read: Histories) -> Value:
    return Fraction(len(read.sets), len(read.visits))


def _share_of_histories(read: Histories) -> Value:
    return Fraction(read.distinct_histories, len(read.visits))


def _bayes_of(key: str) -> Iterator[Item]:
    table, where, users = table_of(key), f"{_BAYES}, {NAMES[key]}", int(parse_number(USERS[key]))
    yield Item(
        f"utility-bayes-{key}-cookies", where, "1.0",
        Rounded(lambda: theory.cookies_posterior(users, CONTEXTS)),
        "cookies tell all histories apart",
        data=from_table(table, _share_of_histories, rounded=True),
    )  # fmt: skip
    yield Item(
        f"utility-bayes-{key}-prior-users", f"{_BAYES}, caption", USER_PRIORS[key],
        Rounded(lambda: theory.prior_vulnerability(users)), f"1/N at N={USERS[key]}",
        data=from_table(table, lambda read: Fraction(1, len(read.visits)), rounded=True),
    )  # fmt: skip
    if key not in TOPICS:
        return
    m, (bounded, complete) = TOPICS[key][0], BAYES_POSTERIORS[key]
    yield Item(
        f"utility-bayes-{key}-generalization", where, SHARES_OF_SETS[key],
        Derived(_ratio, (SETS[key], USERS[key])), "distinct sets over users",
        data=from_table(table, _share_of_sets, rounded=True),
    )  # fmt: skip
    yield _measured(f"utility-bayes-{key}-bounded-noise", where, bounded, table, _bayes_after(m, Fraction(0)))
    yield _measured(f"utility-bayes-{key}-topics-api", where, complete, table, _bayes_after(m, NOISE))
    yield _measured(
        f"utility-bayes-{key}-prior-sets",
        f"{_BAYES}, caption",
        BAYES_PRIORS[key],
        table,
        on_data.bayes_prior,
        "",
    )


def _measured(
    key: str,
    where: str,
    printed: str,
    table: str,
    compute: Callable[[Histories], Value],
    why: str = _MISALIGNED,
) -> Item:
    """Return an item that only the data can decide."""
    return Item(key, where, printed, why=why, command=COMMAND, data=from_table(table, compute, rounded=True))


def _bayes_after(n_topics: int, noise: Fraction) -> Callable[[Histories], Value]:
    return lambda table: on_data.bayes_posterior(table, n_topics, noise)


def _iba_after(n_topics: int, noise: Fraction) -> Callable[[Histories], Value]:
    return lambda table: on_data.iba_posterior(table, n_topics, noise)


def _iba() -> Iterator[Item]:
    for key, (m, _) in TOPICS.items():
        table, where = table_of(key), f"{_IBA}, {NAMES[key]}"
        yield Item(
            f"utility-iba-{key}-bounded-noise", where, "1.000",
            Rounded(lambda: theory.bounded_noise_iba_gain()),
            "without noise every report is genuine",
            data=from_table(table, _iba_after(m, Fraction(0)), rounded=True),
        )  # fmt: skip
        yield _measured(
            f"utility-iba-{key}-prior", f"{_IBA}, caption", IBA_PRIORS[key], table, on_data.iba_prior
        )
    yield Item(
        "utility-iba-citizen-lab-topics-api", f"{_IBA}, {NAMES['citizen-lab']}", "0.958",
        Rounded(lambda: theory.genuine_probability(CITIZEN_LAB, TOP_S, NOISE)),
        "(1-r) + rs/m, what naming the reported topic earns; the data give no more",
        data=from_table("experimental-citizen-lab", _iba_after(CITIZEN_LAB, NOISE), rounded=True),
    )  # fmt: skip
    yield _measured(
        "utility-iba-google-v1-topics-api", f"{_IBA}, {NAMES['google-v1']}", "0.962",
        "experimental-google-v1",
        _iba_after(V1, NOISE),
    )  # fmt: skip
    yield Item("utility-iba-above", f"{_IBA}, caption", "above 0.95", Statement(_above), "(1-r) + rs/m")
    yield Item(
        "utility-iba-within-theorem", f"{_IBA}, caption", "in agreement with Thm. iba-gain-final",
        Statement(_within_theorem), "printed priors and posteriors",
    )  # fmt: skip


def _above() -> tuple[bool, str]:
    least = [theory.genuine_probability(m, TOP_S, NOISE) for m, _ in TOPICS.values()]
    return min(least) > Fraction(95, 100), " and ".join(f"at least {float(value):.5f}" for value in least)


def _within_theorem() -> tuple[bool, str]:
    """Compare each printed posterior with the theorem's bounds at the printed prior, as intervals."""
    bounds = []
    for key in TOPICS:
        prior = rounds_to(IBA_PRIORS[key])
        low, high = theory.iba_lower(NOISE), theory.iba_upper(NOISE, prior.high)
        bounds.append((rounds_to(IBA_POSTERIORS[key]).meets(Interval(low, high)), float(low), float(high)))
    return all(holds for holds, *_ in bounds), " and ".join(
        f"{low:.3f} to {high:.3f}" for _, low, high in bounds
    )


def _text() -> Iterator[Item]:
    where = "Sec. 5.3.2, text"
    for key, (m, _) in TOPICS.items():
        bounded, complete = BAYES_POSTERIORS[key]
        for stage, inputs, compute, why in (
            ("generalization", (SETS[key], USERS[key]), _share_of_sets, ""),
            ("bounded-noise", (bounded,), _bayes_after(m, Fraction(0)), _MISALIGNED),
            ("topics-api", (complete,), _bayes_after(m, NOISE), _MISALIGNED),
            ("iba", (IBA_POSTERIORS[key],), _iba_after(m, NOISE), ""),
        ):
            check = Derived(share if len(inputs) == 2 else percent, inputs)
            data = from_table(table_of(key), _in_percent(compute), rounded=True)
            basis = "distinct sets over users" if len(inputs) == 2 else "the table's cell"
            yield Item(f"utility-text-{stage}-{key}", where, PERCENTAGES[key][stage], check, basis, why, data)


def _in_percent(compute: Callable[[Histories], Value]) -> Callable[[Histories], Value]:
    return lambda read: percent(compute(read))


def _leakages_of(key: str) -> Iterator[Item]:
    m, where, basis = TOPICS[key][0], "Sec. 5.4.2, text", "posterior over prior, as printed"
    yield Item(
        f"leakage-bayes-{key}", where, BAYES_LEAKAGES[key],
        Derived(_ratio, (BAYES_POSTERIORS[key][1], BAYES_PRIORS[key])), basis, _MISALIGNED,
        from_table(
            table_of(key), lambda read: on_data.bayes_posterior(read, m) / on_data.bayes_prior(read),
            rounded=True
        ),
    )  # fmt: skip
    yield Item(
        f"leakage-iba-{key}", where, IBA_LEAKAGES[key],
        Derived(_ratio, (IBA_POSTERIORS[key], IBA_PRIORS[key])), basis, _MISALIGNED,
        from_table(
            table_of(key), lambda read: on_data.iba_posterior(read, m) / on_data.iba_prior(read), rounded=True
        ),
    )  # fmt: skip


def _within_capacities() -> tuple[bool, str]:
    most = {key: theory.topics_leakage(m, TOP_S, NOISE, occurring) for key, (m, occurring) in TOPICS.items()}
    printed = {key: (BAYES_LEAKAGES[key], IBA_LEAKAGES[key]) for key in TOPICS}
    holds = all(parse_number(text) <= most[key] for key, texts in printed.items() for text in texts)
    return holds, "; ".join(f"{', '.join(printed[key])} of {float(most[key]):.2f}" for key in printed)


ITEMS = (
    *(item for key in NAMES for item in _bayes_of(key)),
    *_iba(),
    *_text(),
    *(item for key in TOPICS for item in _leakages_of(key)),
    Item(
        "leakage-within-capacities", "Sec. 5.4.2, text", "within 5.94 and 32.16",
        Statement(_within_capacities), "printed leakages",
    ),
)  # fmt: skip
