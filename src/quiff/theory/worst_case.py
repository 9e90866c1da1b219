"""How far one unlucky report can move a belief about a user, by the paper's formulas.

Both formulas compare a user who has the reported topic with one who has not. They are the
channel's own figures exactly when two users' sets differ (see :func:`max_case_is_met`), and upper
bounds otherwise.
"""

from fractions import Fraction
from math import inf, log, log1p

from quiff.theory.parameters import Real, check_probability, check_sizes, check_whole

__all__ = ["epsilon", "max_case_capacity", "max_case_is_met"]


def max_case_capacity(n_topics: int, top_s: int, noise: Real) -> Real:
    """Largest factor by which one report can raise any belief: ``1 + m(1-r)/(r s)``.

    Source: paper, Sec. 4.1.3, max-case capacity of the Topics API. Infinite at r = 0. Assumes
    two users whose sets differ; at s = m there are none, and the channel's own value is 1.

    Raises
    ------
    ParameterError
        If a parameter lies outside its range.

    Examples
    --------
    >>> max_case_capacity(n_topics=349, top_s=5, noise=Fraction(1, 20))
    Fraction(6636, 5)
    >>> max_case_capacity(n_topics=349, top_s=5, noise=0)
    inf
    """
    return 1 + _excess(n_topics, top_s, noise)


def epsilon(n_topics: int, top_s: int, noise: Real) -> float:
    """Local differential privacy of one report: ``ln(1 + m(1-r)/(r s))``.

    Source: paper, Sec. 4.1.2, the parameter epsilon of the Topics API. Assumes what
    :func:`max_case_capacity` does. The random topic ranges over the whole taxonomy; erratum:
    the table of limits for the AOL data puts in 169, the number of topics that occur.

    Raises
    ------
    ParameterError
        If a parameter lies outside its range.

    Examples
    --------
    >>> round(epsilon(n_topics=349, top_s=5, noise=0.05), 3)
    7.191
    """
    excess = _excess(n_topics, top_s, noise)
    if isinstance(excess, Fraction) and excess > 1:  # log of the integers: no overflow
        return log(excess.numerator + excess.denominator) - log(excess.denominator)
    return log1p(excess)


def max_case_is_met(noise: Real, distinct_sets: int) -> bool:
    """Tell whether a population's channel has exactly the two values of the formulas.

    It has if two different sets occur: being of equal size, some topic is in one and not in the
    other, and its column holds both ``(1-r)/s + r/m`` and ``r/m``. With a single set the channel's
    epsilon is 0, which the formula gives only at r = 1.

    Raises
    ------
    ParameterError
        If a parameter lies outside its range.

    Examples
    --------
    >>> max_case_is_met(noise=0.05, distinct_sets=2), max_case_is_met(noise=0.05, distinct_sets=1)
    (True, False)
    """
    return check_whole("distinct_sets", distinct_sets, 1) > 1 or check_probability("noise", noise) == 1


def _excess(n_topics: int, top_s: int, noise: Real) -> Real:
    """Return ``m(1-r)/(r s)``, infinite at r = 0."""
    m, s = check_sizes(n_topics, top_s)
    r = check_probability("noise", noise)
    return inf if r == 0 else m * (1 - r) / (r * s)
