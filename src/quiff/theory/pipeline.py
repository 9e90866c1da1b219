"""What a report of the complete Topics API leaks about who a user is, on average.

With probability r the report is any topic of the taxonomy, otherwise one of the user's top-s set.
The equalities assume that a user's set is fixed, not drawn at random; the bounds always hold.
"""

from quiff.theory.bounded_noise import bounded_noise_capacity, bounded_noise_leakage, least_users
from quiff.theory.parameters import Real, at_most_one, check_probability, check_whole
from quiff.theory.prior import prior_vulnerability

__all__ = ["bayes_capacity", "topics_leakage", "topics_posterior", "topics_posterior_bound"]


def topics_leakage(n_topics: int, top_s: int, noise: Real, occurring: int) -> Real:
    """Leakage of the complete Topics API: ``r + m'(1-r)/s``.

    Source: paper, Sec. 4.1.2, leakage of the complete Topics API. Erratum: m' counts the topics
    that occur in some set, not the columns of the channel, which are all m.

    Raises
    ------
    ParameterError
        If a parameter lies outside its range; ``occurring`` lies between s and m.

    Examples
    --------
    >>> round(topics_leakage(n_topics=349, top_s=5, noise=0.05, occurring=169), 2)
    32.16
    >>> from fractions import Fraction
    >>> topics_leakage(n_topics=5, top_s=2, noise=Fraction(1, 20), occurring=4)
    Fraction(39, 20)
    """
    r = check_probability("noise", noise)
    return r + (1 - r) * bounded_noise_leakage(n_topics, top_s, occurring)  # r + (1-r) m'/s


def topics_posterior(n_topics: int, top_s: int, noise: Real, occurring: int, n_users: int) -> Real:
    """Chance to guess a user from one report: ``(r + m'(1-r)/s)/N``.

    Source: paper, Sec. 4.1.2, posterior vulnerability of the complete Topics API.

    Raises
    ------
    ParameterError
        If a parameter lies outside its range; N users have at most s N topics.

    Examples
    --------
    >>> from fractions import Fraction
    >>> topics_posterior(n_topics=5, top_s=2, noise=Fraction(1, 20), occurring=4, n_users=3)
    Fraction(13, 20)
    """
    leakage = topics_leakage(n_topics, top_s, noise, occurring)
    check_whole("n_users", n_users, least_users(top_s, occurring))
    return leakage * prior_vulnerability(n_users)


def bayes_capacity(n_topics: int, top_s: int, noise: Real) -> Real:
    """Most that one report can leak, to any adversary on average: ``r + m(1-r)/s``.

    Source: paper, Sec. 4.1.2, leakage of the complete Topics API, its upper bound. Met when every
    topic of the taxonomy occurs in some set. It grows with m along a line, r being the
    offset; erratum: the paper calls it proportional to m.

    Raises
    ------
    ParameterError
        If a parameter lies outside its range.

    Examples
    --------
    >>> round(bayes_capacity(n_topics=349, top_s=5, noise=0.05), 2)
    66.36
    >>> from fractions import Fraction
    >>> bayes_capacity(n_topics=469, top_s=5, noise=Fraction(1, 20))
    Fraction(2229, 25)
    """
    r = check_probability("noise", noise)
    return r + (1 - r) * bounded_noise_capacity(n_topics, top_s)  # r + (1-r) m/s


def topics_posterior_bound(n_topics: int, top_s: int, noise: Real, n_users: int) -> Real:
    """Upper bound on the chance to guess a user from one report: ``min(1, capacity/N)``.

    Source: paper, Sec. 4.1.2, posterior vulnerability of the complete Topics API.

    Raises
    ------
    ParameterError
        If a parameter lies outside its range.

    Examples
    --------
    >>> from fractions import Fraction
    >>> topics_posterior_bound(n_topics=5, top_s=2, noise=Fraction(1, 20), n_users=3)
    Fraction(97, 120)
    """
    bound = bayes_capacity(n_topics, top_s, noise) * prior_vulnerability(n_users)
    return at_most_one(bound)
