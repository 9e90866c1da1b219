"""The experiments with the AOL data: privacy, utility, and what the text derives from the printed figures.

From the published tables, the prior on sets, the channel and the gain carry the sets as labels, so that they
cannot be misaligned.
"""

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from math import comb
from operator import truediv

from quiff import theory
from quiff.core.channel import Channel
from quiff.core.gain import Gain, membership_gain_from_codes
from quiff.core.numbers import Number
from quiff.core.prior import Prior
from quiff.measures.vulnerability import posterior_vulnerability, vulnerability
from quiff.papers.data_sets import from_table
from quiff.papers.items import PRINTED, Check, DataCheck, Value
from quiff.papers.published import Histories
from quiff.papers.settings import CITIZEN_LAB, NOISE, TOP_S, V1, V1_OCCURRING, percent
from quiff.papers.verdict import Derived, Exactly, Interval, Rounded, Statement, parse_number, rounds_to

NAMES = {
    "experimental": "Experimental",
    "citizen-lab": "Experimental (Citizen Lab)",
    "google-v1": "Experimental (Google v1)",
}
# The taxonomy's size m, and m' of its topics occur.
TOPICS = {"citizen-lab": (CITIZEN_LAB, CITIZEN_LAB), "google-v1": (V1, V1_OCCURRING)}
_CONTEXTS = 10**6  # enough for any number of users to have different histories

_OnHistories = Callable[[Histories], Value]


def _prior(read: Histories) -> Prior:
    return Prior.from_counts(read.sets)


def _naming(read: Histories) -> Gain:
    return membership_gain_from_codes(read.sets, read.codes, range(len(read.topics)))


def _sizes(read: Histories, n_topics: int) -> tuple[int, int]:
    """Return m, which is never less than what occurs, and s."""
    return max(n_topics, len(read.topics)), len(next(iter(read.sets)))


@lru_cache(maxsize=16)
def _report(read: Histories, n_topics: int, noise: Fraction) -> Channel:
    m, s = _sizes(read, n_topics)
    p, q = theory.inside_probability(m, s, float(noise)), theory.outside_probability(m, float(noise))
    return Channel.membership_from_codes(read.sets, read.codes, range(m), p, q)


@lru_cache(maxsize=16)
def _bayes_posterior(read: Histories, n_topics: int, noise: Fraction) -> Number:
    """Return the probability to guess a user's whole set from one observation."""
    return posterior_vulnerability(_prior(read), _report(read, n_topics, noise))


@lru_cache(maxsize=16)
def _iba_posterior(read: Histories, n_topics: int, noise: Fraction) -> Number:
    """Return the probability to name a topic of a user's set after one observation."""
    return posterior_vulnerability(_prior(read), _report(read, n_topics, noise), _naming(read))


def _iba_prior(read: Histories) -> Number:
    """Return the share of users who have the most popular topic in their set."""
    return vulnerability(_prior(read), _naming(read))


def _bounded_noise_leakage(read: Histories, n_topics: int) -> Value:
    return theory.bounded_noise_leakage(*_sizes(read, n_topics), len(read.topics))


def _topics_leakage(read: Histories, n_topics: int) -> Value:
    return theory.topics_leakage(*_sizes(read, n_topics), NOISE, len(read.topics))


def _share_of_sets(read: Histories) -> Value:
    return Fraction(len(read.sets), len(read.visits))


def _share(part: Value, whole: Value) -> Value:
    return percent(part / whole)


def _in_percent(compute: _OnHistories) -> _OnHistories:
    return lambda read: percent(compute(read))


def _users(key: str) -> str:
    """Return how many users are printed for a data set."""
    return PRINTED[f"privacy-{key}-cookies"]


def _cookies(key: str) -> tuple[dict[str, Check], dict[str, DataCheck]]:
    """Return the checks of what stands for every data set, without any topics too."""
    table, users = _table(key), int(parse_number(_users(key)))
    privacy, cookies, prior = (
        f"privacy-{key}-cookies", f"utility-bayes-{key}-cookies", f"utility-bayes-{key}-prior-users",
    )  # fmt: skip
    return {
        privacy: Exactly(lambda: theory.cookies_leakage(users, _CONTEXTS)),
        cookies: Rounded(lambda: theory.cookies_posterior(users, _CONTEXTS)),
        prior: Rounded(lambda: theory.prior_vulnerability(users)),
    }, {
        privacy: from_table(table, lambda read: read.distinct_histories),
        cookies: from_table(
            table, lambda read: Fraction(read.distinct_histories, len(read.visits)), rounded=True
        ),
        prior: from_table(table, lambda read: Fraction(1, len(read.visits)), rounded=True),
    }


def _table(key: str) -> str:
    """Return the short name of the published table of a data set."""
    return key if key == "experimental" else f"experimental-{key}"


def _printed_checks(key: str) -> dict[str, Check]:
    """Return the checks of a classified data set that rest on closed forms or on other printed figures."""
    m, occurring = TOPICS[key]
    sets, users = PRINTED[f"privacy-{key}-generalization"], _users(key)
    bounded, complete = f"{key}-bounded-noise", f"{key}-topics-api"
    return {
        f"privacy-{bounded}": Rounded(lambda: theory.bounded_noise_leakage(m, TOP_S, occurring)),
        f"privacy-{complete}": Rounded(lambda: theory.topics_leakage(m, TOP_S, NOISE, occurring)),
        f"share-generalization-{key}": Derived(_share, (sets, users)),
        f"share-bounded-noise-{key}": Derived(_share, (PRINTED[f"privacy-{bounded}"], users)),
        f"share-topics-api-{key}": Derived(_share, (PRINTED[f"privacy-{complete}"], users)),
        f"utility-bayes-{key}-generalization": Derived(truediv, (sets, users)),
        f"utility-iba-{bounded}": Rounded(lambda: theory.bounded_noise_iba_gain()),
        f"utility-text-generalization-{key}": Derived(_share, (sets, users)),
        f"utility-text-bounded-noise-{key}": Derived(percent, (PRINTED[f"utility-bayes-{bounded}"],)),
        f"utility-text-topics-api-{key}": Derived(percent, (PRINTED[f"utility-bayes-{complete}"],)),
        f"utility-text-iba-{key}": Derived(percent, (PRINTED[f"utility-iba-{complete}"],)),
        f"leakage-bayes-{key}": Derived(
            truediv, (PRINTED[f"utility-bayes-{complete}"], PRINTED[f"utility-bayes-{key}-prior-sets"])
        ),
        f"leakage-iba-{key}": Derived(
            truediv, (PRINTED[f"utility-iba-{complete}"], PRINTED[f"utility-iba-{key}-prior"])
        ),
    }


def _data_checks(key: str) -> dict[str, DataCheck]:
    """Return the checks of a classified data set on its published table."""
    m = TOPICS[key][0]
    after: dict[str, _OnHistories] = {
        "bayes-bounded-noise": lambda read: _bayes_posterior(read, m, Fraction(0)),
        "bayes-topics-api": lambda read: _bayes_posterior(read, m, NOISE),
        "iba-bounded-noise": lambda read: _iba_posterior(read, m, Fraction(0)),
        "iba-topics-api": lambda read: _iba_posterior(read, m, NOISE),
    }
    leakages: dict[str, _OnHistories] = {
        "generalization": lambda read: Fraction(len(read.sets)),
        "bounded-noise": lambda read: _bounded_noise_leakage(read, m),
        "topics-api": lambda read: _topics_leakage(read, m),
    }
    figures: dict[str, _OnHistories] = {
        f"privacy-{key}-bounded-noise": leakages["bounded-noise"],
        f"privacy-{key}-topics-api": leakages["topics-api"],
        **{f"share-{stage}-{key}": _share_of_cookies(compute) for stage, compute in leakages.items()},
        f"utility-bayes-{key}-generalization": _share_of_sets,
        f"utility-bayes-{key}-bounded-noise": after["bayes-bounded-noise"],
        f"utility-bayes-{key}-topics-api": after["bayes-topics-api"],
        f"utility-bayes-{key}-prior-sets": lambda read: vulnerability(_prior(read)),
        f"utility-iba-{key}-bounded-noise": after["iba-bounded-noise"],
        f"utility-iba-{key}-topics-api": after["iba-topics-api"],
        f"utility-iba-{key}-prior": _iba_prior,
        f"utility-text-generalization-{key}": _in_percent(_share_of_sets),
        f"utility-text-bounded-noise-{key}": _in_percent(after["bayes-bounded-noise"]),
        f"utility-text-topics-api-{key}": _in_percent(after["bayes-topics-api"]),
        f"utility-text-iba-{key}": _in_percent(after["iba-topics-api"]),
        f"leakage-bayes-{key}": lambda read: after["bayes-topics-api"](read) / vulnerability(_prior(read)),
        f"leakage-iba-{key}": lambda read: after["iba-topics-api"](read) / _iba_prior(read),
    }
    return {
        f"privacy-{key}-generalization": from_table(_table(key), lambda read: len(read.sets)),
        **{id_: from_table(_table(key), figure, rounded=True) for id_, figure in figures.items()},
    }


def _share_of_cookies(compute: _OnHistories) -> _OnHistories:
    return lambda read: percent(compute(read) / read.distinct_histories)


def _below_capacity() -> tuple[bool, str]:
    pairs = [
        (int(parse_number(PRINTED[f"privacy-{key}-generalization"])), comb(m, TOP_S))
        for key, (m, _) in TOPICS.items()
    ]
    return all(sets < most for sets, most in pairs), " and ".join(f"{sets} < {most}" for sets, most in pairs)


def _above() -> tuple[bool, str]:
    least = [theory.genuine_probability(m, TOP_S, NOISE) for m, _ in TOPICS.values()]
    return min(least) > Fraction(95, 100), " and ".join(f"at least {float(value):.5f}" for value in least)


def _within_theorem() -> tuple[bool, str]:
    """Compare each printed posterior with the theorem's bounds at the printed prior, as intervals."""
    bounds = []
    for key in TOPICS:
        prior, posterior = (
            rounds_to(PRINTED[f"utility-iba-{key}-{what}"]) for what in ("prior", "topics-api")
        )
        low, high = theory.iba_lower(NOISE), theory.iba_upper(NOISE, prior.high)
        bounds.append((posterior.meets(Interval(low, high)), float(low), float(high)))
    return all(holds for holds, *_ in bounds), " and ".join(
        f"{low:.3f} to {high:.3f}" for _, low, high in bounds
    )


def _within_capacities() -> tuple[bool, str]:
    most = {key: theory.topics_leakage(m, TOP_S, NOISE, occurring) for key, (m, occurring) in TOPICS.items()}
    printed = {key: (PRINTED[f"leakage-bayes-{key}"], PRINTED[f"leakage-iba-{key}"]) for key in TOPICS}
    holds = all(parse_number(text) <= most[key] for key, texts in printed.items() for text in texts)
    return holds, "; ".join(f"{', '.join(printed[key])} of {float(most[key]):.2f}" for key in printed)


CHECKS: dict[str, Check] = {
    "sets-citizen-lab-binomial": Exactly(lambda: comb(CITIZEN_LAB, TOP_S)),
    "sets-google-v1-binomial": Exactly(lambda: comb(V1_OCCURRING, TOP_S)),
    "sets-google-v1-capacity": Exactly(lambda: comb(V1, TOP_S)),
    "generalization-below-capacity": Statement(_below_capacity),
    "utility-iba-citizen-lab-topics-api": Rounded(
        lambda: theory.genuine_probability(CITIZEN_LAB, TOP_S, NOISE)
    ),
    "utility-iba-above": Statement(_above),
    "utility-iba-within-theorem": Statement(_within_theorem),
    "leakage-within-capacities": Statement(_within_capacities),
}
DATA: dict[str, DataCheck] = {}
for _key in NAMES:
    _checks, _data = _cookies(_key)
    CHECKS |= _checks
    DATA |= _data
for _key in TOPICS:
    CHECKS |= _printed_checks(_key)
    DATA |= _data_checks(_key)
