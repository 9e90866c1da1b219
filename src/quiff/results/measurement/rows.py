"""The rows that a measurement is made of: privacy by step, utility by channel, limits, histories."""

from dataclasses import dataclass
from math import isclose
from typing import Literal, final

from quiff.core.numbers import Number
from quiff.theory.parameters import Real

_CLOSE = 1e-9


@final
@dataclass(frozen=True)
class Setting:
    """The parameters m, s and r of the Topics API that was measured."""

    n_topics: int
    top_s: int
    noise: Real


@final
@dataclass(frozen=True)
class StagePrivacy:
    """What is known about who a user is after one step (paper, table results-privacy-bayes).

    Attributes
    ----------
    stage
        ``cookies``, ``generalization``, ``bounded_noise`` or ``topics_api``.
    prior, posterior
        The chance to name the user before and after.
    capacity
        The most that the step can leak by its parameters, with m topics in the taxonomy.
    capacity_occurring
        The same with m', the number of topics that occur.

    Examples
    --------
    >>> from fractions import Fraction
    >>> before, after = Fraction(1, 3), Fraction(13, 20)
    >>> step = StagePrivacy("topics_api", before, after, Fraction(97, 40), Fraction(39, 20))
    >>> step.leakage, step.reaches, step.reaches_occurring
    (Fraction(39, 20), False, True)
    """

    stage: str
    prior: Number
    posterior: Number
    capacity: Number
    capacity_occurring: Number

    @property
    def leakage(self) -> Number:
        """By how much the step raises the chance: posterior over prior (paper, eq. leakage)."""
        return self.posterior / self.prior

    @property
    def reaches(self) -> bool:
        """Whether the leakage is all that m topics allow."""
        return meets(self.leakage, self.capacity)

    @property
    def reaches_occurring(self) -> bool:
        """Whether the leakage is all that the topics that occur allow."""
        return meets(self.leakage, self.capacity_occurring)


@final
@dataclass(frozen=True)
class Use:
    """What an analyst learns by one channel (paper, tables results-utility-bayes and results-utility-iba).

    Attributes
    ----------
    stage
        ``cookies`` (C_U), ``generalization`` (C_G), ``bounded_noise`` (C_BN) or ``topics_api``, which is
        C_BN with probability 1-r and C_DP with probability r.
    gain
        ``bayes``: to name the secret; ``iba``: to name one topic of the set.
    weighting
        The prior on secrets: that of the ``population``, or the ``uniform`` one on the distinct secrets.
        Secrets are browsing histories for C_U and C_G, sets for the others.
    prior, posterior
        The chance before and after.

    Examples
    --------
    >>> Use("topics_api", "iba", "population", 0.25, 0.75).leakage
    3.0
    """

    stage: str
    gain: Literal["bayes", "iba"]
    weighting: Literal["population", "uniform"]
    prior: Number
    posterior: Number

    @property
    def leakage(self) -> Number:
        """By how much the channel raises the chance: posterior over prior (paper, eq. leakage)."""
        return self.posterior / self.prior


@final
@dataclass(frozen=True)
class Limit:
    """The most that one report can tell, in the average and in the worst case (table theoretical-aol).

    Attributes
    ----------
    basis
        ``taxonomy``: by formula with m topics; ``occurring``: by formula, as if the taxonomy had only the m'
        topics that occur; ``channel``: of the channel that this population has.
    n_topics
        m, or m'.
    bayes_capacity, epsilon, max_case_capacity
        The three limits; epsilon is in nats.
    """

    basis: Literal["taxonomy", "occurring", "channel"]
    n_topics: int
    bayes_capacity: Number
    epsilon: float
    max_case_capacity: Number


@final
@dataclass(frozen=True)
class HistoryCounts:
    """How many browsing histories differ, if they are looked at in one way.

    Attributes
    ----------
    view
        What counts of a visit, in words.
    users, distinct, unique
        The users, the distinct histories, and the users whose history nobody else has.
    """

    view: str
    users: int
    distinct: int
    unique: int


def meets(leakage: Number, capacity: Number) -> bool:
    """Tell whether a leakage is its bound, exactly or up to the rounding of floats.

    Examples
    --------
    >>> meets(66.36, 66.36000000000001), meets(32.16, 66.36)
    (True, False)
    """
    if isinstance(leakage, float) or isinstance(capacity, float):
        return isclose(leakage, capacity, rel_tol=_CLOSE)
    return leakage == capacity
