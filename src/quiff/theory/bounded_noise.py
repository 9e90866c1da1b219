"""What one topic of a user's top-s set leaks: the Topics API up to its second stage.

The equalities assume that a user's set is fixed, not drawn at random; the bounds always hold.
"""

from fractions import Fraction

from quiff.theory.parameters import check_occurring, check_sizes, check_whole
from quiff.theory.prior import prior_vulnerability

__all__ = [
    "bounded_noise_capacity",
    "bounded_noise_leakage",
    "bounded_noise_posterior",
    "bounded_noise_posterior_bound",
    "least_users",
]


def bounded_noise_leakage(n_topics: int, top_s: int, occurring: int) -> Fraction:
    """Leakage of reporting one topic of the set at random: ``m'/s``.

    Source: paper, Sec. 4.1.2, leakage up to the bounded noise step; m' is the number of topics in
    the union of all users' sets.

    Raises
    ------
    ParameterError
        If a parameter lies outside its range; ``occurring`` lies between s and m.

    Examples
    --------
    >>> bounded_noise_leakage(n_topics=349, top_s=5, occurring=169)
    Fraction(169, 5)
    """
    s, m1 = check_occurring(n_topics, top_s, occurring)
    return Fraction(m1, s)  # m'/s


def bounded_noise_posterior(n_topics: int, top_s: int, occurring: int, n_users: int) -> Fraction:
    """Chance to guess a user from one topic of the set: ``m'/(s N)``.

    Source: paper, Sec. 4.1.2, posterior vulnerability up to the bounded noise step.

    Raises
    ------
    ParameterError
        If a parameter lies outside its range; N users have at most s N topics.

    Examples
    --------
    The paper's figure of the Topics channels has five topics, four of which occur:

    >>> bounded_noise_posterior(n_topics=5, top_s=2, occurring=4, n_users=3)
    Fraction(2, 3)
    """
    leakage = bounded_noise_leakage(n_topics, top_s, occurring)
    check_whole("n_users", n_users, least_users(top_s, occurring))
    return leakage * prior_vulnerability(n_users)


def bounded_noise_capacity(n_topics: int, top_s: int) -> Fraction:
    """Most that one topic of the set can leak: ``m/s``.

    Source: paper, Sec. 4.1.2. Met when every topic of the taxonomy occurs in some set.

    Raises
    ------
    ParameterError
        If a parameter lies outside its range.

    Examples
    --------
    >>> bounded_noise_capacity(n_topics=349, top_s=5)
    Fraction(349, 5)
    """
    m, s = check_sizes(n_topics, top_s)
    return Fraction(m, s)  # m/s


def bounded_noise_posterior_bound(n_topics: int, top_s: int, n_users: int) -> Fraction:
    """Upper bound on the posterior of one topic of the set: ``min(1, m/(s N))``.

    Source: paper, Sec. 4.1.2, posterior vulnerability up to the bounded noise step.

    Raises
    ------
    ParameterError
        If a parameter lies outside its range.

    Examples
    --------
    >>> bounded_noise_posterior_bound(n_topics=5, top_s=2, n_users=3)
    Fraction(5, 6)
    """
    return min(Fraction(1), bounded_noise_capacity(n_topics, top_s) * prior_vulnerability(n_users))


def least_users(top_s: int, occurring: int) -> int:
    """Fewest users whose sets of s topics can cover m' topics: ``ceil(m'/s)``.

    Examples
    --------
    >>> least_users(top_s=5, occurring=11)
    3
    """
    return -(-occurring // top_s)
