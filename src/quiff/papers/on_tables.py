"""What the column `data` can name: figures counted on the authors' published tables.

The prior on sets, the channel and the gain carry the sets as labels, so that they cannot be misaligned.
"""

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import lru_cache
from typing import Any

from quiff import theory
from quiff.core.channel import Channel
from quiff.core.gain import Gain, membership_gain_from_codes
from quiff.core.numbers import Number
from quiff.core.prior import Prior
from quiff.measures.vulnerability import posterior_vulnerability, vulnerability
from quiff.papers.items import Reading, Value
from quiff.papers.published import Classification, Histories, Visits
from quiff.papers.recompute import NOISE
from quiff.papers.verdict import compare


def _quantile(table: Visits | Histories, share: str) -> float:
    import numpy as np

    return float(np.quantile(table.visits, float(Fraction(share))))


def _sigma(table: Visits | Histories) -> float:
    """Return the sample standard deviation, infinite for less than two numbers."""
    import numpy as np

    return float(np.std(table.visits, ddof=1)) if len(table.visits) > 1 else float("inf")


def _prior(table: Histories) -> Prior:
    return Prior.from_counts(table.sets)


def _naming(table: Histories) -> Gain:
    return membership_gain_from_codes(table.sets, table.codes, range(len(table.topics)))


def _sizes(table: Histories, n_topics: str) -> tuple[int, int]:
    """Return m, which is never less than what occurs, and s."""
    return max(int(n_topics), len(table.topics)), len(next(iter(table.sets)))


@lru_cache(maxsize=16)
def _posterior(table: Histories, n_topics: str, noise: str, *, naming: bool) -> Number:
    """Return the probability to guess a user's whole set from one observation, or to name a topic of it."""
    (m, s), r = _sizes(table, n_topics), float(noise)
    p, q = theory.inside_probability(m, s, r), theory.outside_probability(m, r)
    report = Channel.membership_from_codes(table.sets, table.codes, range(m), p, q)
    return posterior_vulnerability(_prior(table), report, _naming(table) if naming else None)


def _iba_prior(table: Histories) -> Number:
    """Return the share of users who have the most popular topic in their set."""
    return vulnerability(_prior(table), _naming(table))


def _topics_leakage(table: Histories, n_topics: str) -> Value:
    return theory.topics_leakage(*_sizes(table, n_topics), NOISE, len(table.topics))


def _bounded_noise_leakage(table: Histories, n_topics: str) -> Value:
    return theory.bounded_noise_leakage(*_sizes(table, n_topics), len(table.topics))


def _unclassified_visits(treated: Visits, listed: Classification) -> int:
    return len(treated.domains & listed.unclassified)


COUNTS: dict[str, Callable[..., Value]] = {
    "records": lambda table: sum(table.visits),
    "users": lambda table: len(table.visits),
    "domains": lambda table: len(table.domains),
    "topics": lambda table: len(table.topics),
    "quantile": _quantile,
    "mean": lambda table: Fraction(sum(table.visits), len(table.visits)),
    "sigma": _sigma,
    "most": lambda table: max(table.visits),
    "singletons": lambda table: len(table.singletons),
    "singleton_records": lambda table: sum(table.singletons),
    "full": lambda matches: matches.full,
    "partial": lambda matches: matches.partial,
    "listed": lambda listed: len(listed.topics),
    "categories": lambda listed: len(set().union(*listed.topics.values())),
    "unclassified": lambda listed: len(listed.unclassified),
    "unclassified_visits": _unclassified_visits,
    "histories": lambda table: table.distinct_histories,
    "share_of_histories": lambda table: Fraction(table.distinct_histories, len(table.visits)),
    "prior_users": lambda table: Fraction(1, len(table.visits)),
    "sets": lambda table: len(table.sets),
    "share_of_sets": lambda table: Fraction(len(table.sets), len(table.visits)),
    "bounded_noise_leakage": _bounded_noise_leakage,
    "topics_leakage": _topics_leakage,
    "share_of_bounded_noise": lambda table, m: _bounded_noise_leakage(table, m) / len(table.visits),
    "share_of_topics": lambda table, m: _topics_leakage(table, m) / len(table.visits),
    "bayes_prior": lambda table: vulnerability(_prior(table)),
    "bayes_posterior": lambda table, m, r: _posterior(table, m, r, naming=False),
    "bayes_leakage": lambda table, m: (
        _posterior(table, m, "0.05", naming=False) / vulnerability(_prior(table))
    ),
    "iba_prior": _iba_prior,
    "iba_posterior": lambda table, m, r: _posterior(table, m, r, naming=True),
    "iba_leakage": lambda table, m: _posterior(table, m, "0.05", naming=True) / _iba_prior(table),
}


def missing_tables(data: str, read: Mapping[str, Any]) -> list[str]:
    """Return the tables that a count needs and that are not there.

    >>> missing_tables("treated classification-google-v1: unclassified_visits", {"treated": None})
    ['classification-google-v1']
    """
    return [name for name in data.partition(":")[0].split() if name not in read]


def count(printed: str, data: str, read: Mapping[str, Any]) -> Reading:
    """Count on published tables, such as ``treated: ~quantile 1/4``, and compare with what is printed."""
    tables, _, call = data.partition(":")
    name, *arguments = call.split()
    value = COUNTS[name.removeprefix("~")](*(read[table] for table in tables.split()), *arguments)
    return compare(printed, value, rounded=name.startswith("~"))
