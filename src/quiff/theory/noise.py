"""The noise r that brings the Topics API to a given figure: the closed forms solved for r.

A budget (capacity, max-case capacity, epsilon) asks for the least noise that keeps to it, which spares
utility; a utility floor for the most noise that keeps to it, which spares privacy.
"""

from fractions import Fraction
from math import exp, expm1, inf

from quiff.theory.parameters import Real, at_most_one, check_number, check_probability, check_sizes, follow

__all__ = ["noise_for_capacity", "noise_for_epsilon", "noise_for_max_case", "noise_for_utility"]


def noise_for_capacity(n_topics: int, top_s: int, capacity: Real) -> Real:
    """Least noise whose Bayes capacity is at most L: ``(m - s L)/(m - s)``, or 0 if L >= m/s.

    Raises
    ------
    ParameterError
        If a size lies outside its range, or L < 1: nothing leaks less than a constant report, 1.

    Examples
    --------
    >>> noise_for_capacity(n_topics=349, top_s=5, capacity=Fraction(1659, 25))
    Fraction(1, 20)
    >>> round(noise_for_capacity(n_topics=629, top_s=6, capacity=66.36), 4)
    0.3705
    """
    m, s = check_sizes(n_topics, top_s)
    limit = check_number("capacity", capacity, 1, inf)
    if limit >= follow(Fraction(m, s), limit):
        return follow(Fraction(0), limit)
    return (m - s * limit) / (m - s)


def noise_for_max_case(n_topics: int, top_s: int, max_case: Real) -> Real:
    """Least noise whose max-case capacity is at most L: ``m/(m + s (L - 1))``.

    Raises
    ------
    ParameterError
        If a size lies outside its range, or L < 1: nothing is safer than a constant report, 1.

    Examples
    --------
    >>> noise_for_max_case(n_topics=349, top_s=5, max_case=Fraction(6636, 5))
    Fraction(1, 20)
    """
    m, s = check_sizes(n_topics, top_s)
    return m / (m + s * (check_number("max_case", max_case, 1, inf) - 1))


def noise_for_epsilon(n_topics: int, top_s: int, epsilon: Real) -> float:
    """Least noise whose epsilon is at most the given one: ``m/(m + s (e^epsilon - 1))``.

    Raises
    ------
    ParameterError
        If a size lies outside its range, or epsilon < 0.

    Examples
    --------
    >>> round(noise_for_epsilon(n_topics=349, top_s=5, epsilon=7.190827), 6)
    0.05
    """
    m, s = check_sizes(n_topics, top_s)
    e = float(check_number("epsilon", epsilon, 0, inf))
    shrunk = m * exp(-e)  # numerator and denominator times e^-epsilon: no overflow
    return shrunk / (shrunk - s * expm1(-e))


def noise_for_utility(n_topics: int, top_s: int, utility: Real) -> Real:
    """Most noise whose utility is at least u: ``m (1 - u)/(m - s)``, or 1 if u <= s/m.

    Raises
    ------
    ParameterError
        If a size lies outside its range, or u is not between 0 and 1.

    Examples
    --------
    >>> noise_for_utility(n_topics=349, top_s=5, utility=Fraction(1659, 1745))
    Fraction(1, 20)
    """
    m, s = check_sizes(n_topics, top_s)
    u = check_probability("utility", utility)
    if u <= follow(Fraction(s, m), u):
        return follow(Fraction(1), u)
    return at_most_one(m * (1 - u) / (m - s))  # a float may round above 1
