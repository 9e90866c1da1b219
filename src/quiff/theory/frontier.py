"""What privacy a given utility must cost, and the Topics API's place on that frontier.

Utility is u = (1-r) + r s/m, the chance that a reported topic is genuine. In terms of it the Topics
API has ``capacity = (m/s) u`` and ``max-case capacity = u (m-s)/((1-u) s)``. When all s-subsets of
the taxonomy are equally likely, no mechanism whatever that reports on a set does better: merge the
outputs that lead to the same best guess and average over all permutations of the topics; the
capacity and the max-case capacity do not grow, the utility stays, and what is left reports
each topic with a chance that depends only on whether it is in the set.
"""

from fractions import Fraction
from math import inf

from quiff.errors import ParameterError
from quiff.theory.parameters import Real, check_number, check_probability, check_sizes, check_whole, follow

__all__ = ["capacity_at_utility", "largest_utility", "least_capacity", "max_case_at_utility"]


def capacity_at_utility(n_topics: int, top_s: int, utility: Real) -> Real:
    """Bayes capacity of the Topics API whose utility is u: ``m u/s``.

    Source: the capacity of the paper, Sec. 4.1.2, with r written in terms of u.

    Raises
    ------
    ParameterError
        If the noise can bring about no such utility: u lies between s/m (r = 1) and 1 (r = 0).

    Examples
    --------
    >>> capacity_at_utility(n_topics=349, top_s=5, utility=Fraction(1659, 1745))
    Fraction(1659, 25)
    """
    m, s = check_sizes(n_topics, top_s)
    return Fraction(m, s) * _reachable(m, s, utility)  # (m/s) u


def max_case_at_utility(n_topics: int, top_s: int, utility: Real) -> Real:
    """Max-case capacity of the Topics API whose utility is u: ``u (m-s)/((1-u) s)``.

    Source: the max-case capacity of the paper, Sec. 4.1.3, with r written in terms of u. Infinite at
    u = 1. Assumes s < m: a set of all topics has utility 1 under any noise.

    Raises
    ------
    ParameterError
        If s = m, or if the noise can bring about no such utility.

    Examples
    --------
    >>> max_case_at_utility(n_topics=349, top_s=5, utility=Fraction(1659, 1745))
    Fraction(6636, 5)
    """
    m = check_whole("n_topics", n_topics, 2)
    s = check_whole("top_s", top_s, 1, m - 1)
    u = _reachable(m, s, utility)
    return inf if u == 1 else u * (m - s) / ((1 - u) * s)


def least_capacity(n_topics: int, top_s: int, utility: Real) -> Real:
    """Least Bayes capacity of any mechanism whose utility is at least u: ``max(1, m u/s)``.

    Assumes that all s-subsets are equally likely. An actual population may allow less. The
    Topics API reaches it for u >= s/m; below, a constant report does.

    Raises
    ------
    ParameterError
        If a parameter lies outside its range.

    Examples
    --------
    >>> least_capacity(n_topics=349, top_s=5, utility=Fraction(1659, 1745))
    Fraction(1659, 25)
    >>> least_capacity(n_topics=349, top_s=5, utility=0.001)
    1.0
    """
    m, s = check_sizes(n_topics, top_s)
    u = check_probability("utility", utility)
    return follow(max(Fraction(1), Fraction(m, s) * u), u)


def largest_utility(n_topics: int, top_s: int, max_case: Real) -> Real:
    """Largest utility of any mechanism with max-case capacity L: ``s L/(s L + m - s)``.

    Assumes that all s-subsets are equally likely. The Topics API reaches it. For a given epsilon
    take L = e^epsilon.

    Raises
    ------
    ParameterError
        If a parameter lies outside its range; a max-case capacity is at least 1.

    Examples
    --------
    >>> largest_utility(n_topics=349, top_s=5, max_case=Fraction(6636, 5))
    Fraction(1659, 1745)
    >>> largest_utility(n_topics=349, top_s=5, max_case=float("inf"))
    1.0
    """
    m, s = check_sizes(n_topics, top_s)
    limit = check_number("max_case", max_case, 1, inf)
    return s / (s + (m - s) / limit)  # s L/(s L + m - s), for infinite L too


def _reachable(m: int, s: int, utility: Real) -> Real:
    """Return u if some noise gives the Topics API this utility."""
    u = check_probability("utility", utility)
    if u < follow(Fraction(s, m), u):
        raise ParameterError(f"utility must be between {s}/{m} (noise 1) and 1 (noise 0), not {utility!r}")
    return u
