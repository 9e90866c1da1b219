"""Figures of the experiments, from what was read of the published tables.

The prior on sets, the channel and the gain carry the sets as labels, so that they cannot be misaligned.
"""

from fractions import Fraction
from functools import lru_cache

from quiff import theory
from quiff.core.channel import Channel
from quiff.core.gain import Gain, membership_gain_from_codes
from quiff.core.numbers import Number
from quiff.core.prior import Prior
from quiff.measures.vulnerability import posterior_vulnerability, vulnerability
from quiff.papers.items import Value
from quiff.papers.settings import NOISE
from quiff.papers.tallies import Histories


def quantile(counts: list[int], share: float) -> float:
    """Return a quantile, linearly interpolated.

    >>> quantile([1, 2, 10, 3], 0.5)
    2.5
    """
    import numpy as np

    return float(np.quantile(counts, share))


def standard_deviation(counts: list[int]) -> float:
    """Return the sample standard deviation, infinite for less than two numbers.

    >>> standard_deviation([1, 3])
    1.4142135623730951
    """
    import numpy as np

    return float(np.std(counts, ddof=1)) if len(counts) > 1 else float("inf")


def bounded_noise_leakage(histories: Histories, n_topics: int) -> Value:
    """Return m'/s, the leakage of one topic of the set.

    Examples
    --------
    >>> bounded_noise_leakage(_two_sets(), 31)
    Fraction(2, 1)
    """
    m, s = _sizes(histories, n_topics)
    return theory.bounded_noise_leakage(m, s, len(histories.topics))


def topics_leakage(histories: Histories, n_topics: int) -> Value:
    """Return r + m'(1-r)/s, the leakage of one report.

    Examples
    --------
    >>> topics_leakage(_two_sets(), 31)
    Fraction(39, 20)
    """
    m, s = _sizes(histories, n_topics)
    return theory.topics_leakage(m, s, NOISE, len(histories.topics))


def bayes_prior(histories: Histories) -> Number:
    """Return the share of users who have the most frequent set.

    >>> bayes_prior(_two_sets())
    Fraction(2, 3)
    """
    return vulnerability(_prior(histories))


def iba_prior(histories: Histories) -> Number:
    """Return the share of users who have the most popular topic in their set.

    >>> iba_prior(_two_sets())
    Fraction(2, 3)
    """
    return vulnerability(_prior(histories), _naming(histories))


@lru_cache(maxsize=16)
def bayes_posterior(histories: Histories, n_topics: int, noise: Fraction = NOISE) -> Number:
    """Return the chance to guess a user's whole set from one report.

    >>> round(bayes_posterior(_two_sets(), 31), 6)
    0.982258
    """
    return posterior_vulnerability(_prior(histories), _report(histories, n_topics, noise))


@lru_cache(maxsize=16)
def iba_posterior(histories: Histories, n_topics: int, noise: Fraction = NOISE) -> Number:
    """Return the chance to name a topic of a user's set after one report.

    >>> round(iba_posterior(_two_sets(), 31), 6)
    0.982258
    """
    return posterior_vulnerability(_prior(histories), _report(histories, n_topics, noise), _naming(histories))


def _two_sets() -> Histories:
    """Return the example of the docstrings: two users with A and B, one with C and D."""
    return Histories(sets={frozenset("CD"): 1, frozenset("AB"): 2})


def _sizes(histories: Histories, n_topics: int) -> tuple[int, int]:
    """Return m, which is never less than what occurs, and s."""
    return max(n_topics, len(histories.topics)), len(next(iter(histories.sets)))


def _prior(histories: Histories) -> Prior:
    return Prior.from_counts(histories.sets)


def _naming(histories: Histories) -> Gain:
    return membership_gain_from_codes(histories.sets, histories.codes, range(len(histories.topics)))


def _report(histories: Histories, n_topics: int, noise: Fraction) -> Channel:
    m, s = _sizes(histories, n_topics)
    p, q = theory.inside_probability(m, s, float(noise)), theory.outside_probability(m, float(noise))
    return Channel.membership_from_codes(histories.sets, histories.codes, range(m), p, q)
