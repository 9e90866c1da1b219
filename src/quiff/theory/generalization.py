"""What a user's whole top-s set would leak: the first stage of the Topics API.

The equalities assume that a user's set is fixed, not drawn at random; where ties are broken or
missing topics filled at random, the bounds still hold and the equalities need not.
"""

from fractions import Fraction
from math import comb

from quiff.theory.parameters import check_sizes, check_whole
from quiff.theory.prior import prior_vulnerability

__all__ = [
    "generalization_capacity",
    "generalization_leakage",
    "generalization_posterior",
    "generalization_posterior_bound",
]


def generalization_leakage(distinct_sets: int) -> Fraction:
    """Leakage of reporting the whole top-s set: the number of different sets that occur.

    Source: paper, Sec. 4.1.2, leakage up to the generalization step.

    Raises
    ------
    ParameterError
        If ``distinct_sets < 1``.

    Examples
    --------
    >>> generalization_leakage(2)
    Fraction(2, 1)
    """
    return Fraction(check_whole("distinct_sets", distinct_sets, 1))


def generalization_posterior(distinct_sets: int, n_users: int) -> Fraction:
    """Chance to guess a user from the whole top-s set: ``distinct_sets/N``.

    Source: paper, Sec. 4.1.2, posterior vulnerability up to the generalization step.

    Raises
    ------
    ParameterError
        If ``n_users < 1``, or ``distinct_sets`` is not between 1 and ``n_users``.

    Examples
    --------
    >>> generalization_posterior(distinct_sets=2, n_users=3)
    Fraction(2, 3)
    """
    N = check_whole("n_users", n_users, 1)
    return Fraction(check_whole("distinct_sets", distinct_sets, 1, N), N)


def generalization_capacity(n_topics: int, top_s: int, n_users: int) -> Fraction:
    """Most that the top-s sets can leak: ``min(N, C(m,s))``.

    Source: paper, Sec. 4.1.2, leakage up to the generalization step, its upper bound; the cap at
    N is ours. Met when the users' sets are all different, or every s-subset occurs.

    Raises
    ------
    ParameterError
        If a parameter lies outside its range.

    Examples
    --------
    >>> generalization_capacity(n_topics=349, top_s=5, n_users=10**12)
    Fraction(41922588819, 1)
    >>> generalization_capacity(n_topics=349, top_s=5, n_users=1000)
    Fraction(1000, 1)
    """
    m, s = check_sizes(n_topics, top_s)
    return Fraction(min(check_whole("n_users", n_users, 1), comb(m, s)))


def generalization_posterior_bound(n_topics: int, top_s: int, n_users: int) -> Fraction:
    """Upper bound on the posterior of the top-s sets: ``min(1, C(m,s)/N)``.

    Source: paper, Sec. 4.1.2. Erratum: printed without the cap, as 3 for a probability.

    Raises
    ------
    ParameterError
        If a parameter lies outside its range.

    Examples
    --------
    >>> generalization_posterior_bound(n_topics=5, top_s=2, n_users=3)
    Fraction(1, 1)
    >>> generalization_posterior_bound(n_topics=5, top_s=2, n_users=40)
    Fraction(1, 4)
    """
    return generalization_capacity(n_topics, top_s, n_users) * prior_vulnerability(n_users)
