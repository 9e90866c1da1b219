"""The Topics API: what each of its stages leaks about who a user is, its worst case, side information.

The stages are the user's whole top-s set (generalization), one topic of it (bounded noise), and the
complete API, which with probability r shows any topic of the taxonomy instead. The equalities assume
that a user's set is fixed, not drawn at random; where ties are broken or missing topics filled at
random, the bounds still hold and the equalities need not.

The formulas of the worst case compare a user who has the observed topic with one who has not. They are
the channel's own figures exactly when two users' sets differ (see :func:`max_case_is_met`), and upper
bounds otherwise.
"""

from fractions import Fraction
from math import comb, inf, log, log1p, log2

from quiff.theory.parameters import (
    Real,
    at_most_one,
    check_occurring,
    check_probability,
    check_sizes,
    check_whole,
    prior_vulnerability,
)


def generalization_leakage(distinct_sets: int) -> Fraction:
    """Leakage of showing the whole top-s set: the number of different sets that occur.

    Source: paper, Sec. 4.1.2, leakage up to the generalization.

    >>> generalization_leakage(2)
    Fraction(2, 1)
    """
    return Fraction(check_whole("distinct_sets", distinct_sets, 1))


def generalization_posterior(distinct_sets: int, n_users: int) -> Fraction:
    """Probability to guess a user from the whole top-s set: ``distinct_sets/N``.

    Source: paper, Sec. 4.1.2, posterior vulnerability up to the generalization.

    >>> generalization_posterior(distinct_sets=2, n_users=3)
    Fraction(2, 3)
    """
    N = check_whole("n_users", n_users, 1)
    return Fraction(check_whole("distinct_sets", distinct_sets, 1, N), N)


def generalization_capacity(n_topics: int, top_s: int, n_users: int) -> Fraction:
    """Most that the top-s sets can leak: ``min(N, C(m,s))``.

    Source: paper, Sec. 4.1.2, leakage up to the generalization, its upper bound; the cap at
    N is ours. Met when the users' sets are all different, or every s-subset occurs.

    >>> generalization_capacity(n_topics=349, top_s=5, n_users=10**12)
    Fraction(41922588819, 1)
    >>> generalization_capacity(n_topics=349, top_s=5, n_users=1000)
    Fraction(1000, 1)
    """
    m, s = check_sizes(n_topics, top_s)
    return Fraction(min(check_whole("n_users", n_users, 1), comb(m, s)))


def generalization_posterior_bound(n_topics: int, top_s: int, n_users: int) -> Fraction:
    """Upper bound on the posterior of the top-s sets: ``min(1, C(m,s)/N)``.

    Source: paper, Sec. 4.1.2, where the bound is C(m,s)/N; the cap at 1 is ours.

    >>> generalization_posterior_bound(n_topics=5, top_s=2, n_users=3)
    Fraction(1, 1)
    >>> generalization_posterior_bound(n_topics=5, top_s=2, n_users=40)
    Fraction(1, 4)
    """
    return generalization_capacity(n_topics, top_s, n_users) * prior_vulnerability(n_users)


def bounded_noise_leakage(n_topics: int, top_s: int, occurring: int) -> Fraction:
    """Leakage of showing one topic of the set at random: ``m'/s``.

    Source: paper, Sec. 4.1.2, leakage up to the bounded noise; m' is the number of topics in
    the union of all users' sets.

    >>> bounded_noise_leakage(n_topics=349, top_s=5, occurring=169)
    Fraction(169, 5)
    """
    s, m1 = check_occurring(n_topics, top_s, occurring)
    return Fraction(m1, s)  # m'/s


def bounded_noise_posterior(n_topics: int, top_s: int, occurring: int, n_users: int) -> Fraction:
    """Probability to guess a user from one topic of the set: ``m'/(s N)``.

    Source: paper, Sec. 4.1.2, posterior vulnerability up to the bounded noise. N users have at
    most s N topics.

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

    >>> bounded_noise_capacity(n_topics=349, top_s=5)
    Fraction(349, 5)
    """
    m, s = check_sizes(n_topics, top_s)
    return Fraction(m, s)  # m/s


def bounded_noise_posterior_bound(n_topics: int, top_s: int, n_users: int) -> Fraction:
    """Upper bound on the posterior of one topic of the set: ``min(1, m/(s N))``.

    Source: paper, Sec. 4.1.2, posterior vulnerability up to the bounded noise.

    >>> bounded_noise_posterior_bound(n_topics=5, top_s=2, n_users=3)
    Fraction(5, 6)
    """
    return min(Fraction(1), bounded_noise_capacity(n_topics, top_s) * prior_vulnerability(n_users))


def least_users(top_s: int, occurring: int) -> int:
    """Fewest users whose sets of s topics can cover m' topics: ``ceil(m'/s)``.

    >>> least_users(top_s=5, occurring=11)
    3
    """
    return -(-occurring // top_s)


def topics_leakage(n_topics: int, top_s: int, noise: Real, occurring: int) -> Real:
    """Leakage of the complete Topics API: ``r + m'(1-r)/s``.

    Source: paper, Sec. 4.1.2, leakage of the complete Topics API. Here m' counts the topics
    that occur in some set; the columns of the channel are all m.

    >>> round(topics_leakage(n_topics=349, top_s=5, noise=0.05, occurring=169), 2)
    32.16
    >>> topics_leakage(n_topics=5, top_s=2, noise=Fraction(1, 20), occurring=4)
    Fraction(39, 20)
    """
    r = check_probability("noise", noise)
    return r + (1 - r) * bounded_noise_leakage(n_topics, top_s, occurring)  # r + (1-r) m'/s


def topics_posterior(n_topics: int, top_s: int, noise: Real, occurring: int, n_users: int) -> Real:
    """Probability to guess a user from one observation: ``(r + m'(1-r)/s)/N``.

    Source: paper, Sec. 4.1.2, posterior vulnerability of the complete Topics API. N users have at
    most s N topics.

    >>> topics_posterior(n_topics=5, top_s=2, noise=Fraction(1, 20), occurring=4, n_users=3)
    Fraction(13, 20)
    """
    leakage = topics_leakage(n_topics, top_s, noise, occurring)
    check_whole("n_users", n_users, least_users(top_s, occurring))
    return leakage * prior_vulnerability(n_users)


def bayes_capacity(n_topics: int, top_s: int, noise: Real) -> Real:
    """Most that one observation can leak, to any adversary on average: ``r + m(1-r)/s``.

    Source: paper, Sec. 4.1.2, leakage of the complete Topics API, its upper bound. Met when every
    topic of the taxonomy occurs in some set. It grows with m along a line, r being the
    offset.

    >>> round(bayes_capacity(n_topics=349, top_s=5, noise=0.05), 2)
    66.36
    >>> bayes_capacity(n_topics=469, top_s=5, noise=Fraction(1, 20))
    Fraction(2229, 25)
    """
    r = check_probability("noise", noise)
    return r + (1 - r) * bounded_noise_capacity(n_topics, top_s)  # r + (1-r) m/s


def topics_posterior_bound(n_topics: int, top_s: int, noise: Real, n_users: int) -> Real:
    """Upper bound on the probability to guess a user from one observation: ``min(1, capacity/N)``.

    Source: paper, Sec. 4.1.2, posterior vulnerability of the complete Topics API.

    >>> topics_posterior_bound(n_topics=5, top_s=2, noise=Fraction(1, 20), n_users=3)
    Fraction(97, 120)
    """
    bound = bayes_capacity(n_topics, top_s, noise) * prior_vulnerability(n_users)
    return at_most_one(bound)


def max_case_capacity(n_topics: int, top_s: int, noise: Real) -> Real:
    """Largest factor by which one observation can raise any belief: ``1 + m(1-r)/(r s)``.

    Source: paper, Sec. 4.1.3, max-case capacity of the Topics API. Infinite at r = 0. Assumes
    two users whose sets differ; at s = m there are none, and the channel's own value is 1.

    >>> max_case_capacity(n_topics=349, top_s=5, noise=Fraction(1, 20))
    Fraction(6636, 5)
    >>> max_case_capacity(n_topics=349, top_s=5, noise=0)
    inf
    """
    return 1 + _excess(n_topics, top_s, noise)


def epsilon(n_topics: int, top_s: int, noise: Real) -> float:
    """Local differential privacy of one observation: ``ln(1 + m(1-r)/(r s))``.

    Source: paper, Sec. 4.1.2, the parameter epsilon of the Topics API. Assumes what
    :func:`max_case_capacity` does. The random topic ranges over the whole taxonomy; the
    paper's table of limits for the AOL data takes for it the 169 topics that occur.

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

    >>> max_case_is_met(noise=0.05, distinct_sets=2), max_case_is_met(noise=0.05, distinct_sets=1)
    (True, False)
    """
    return check_whole("distinct_sets", distinct_sets, 1) > 1 or check_probability("noise", noise) == 1


def shannon_capacity_bits(n_topics: int, top_s: int, noise: Real) -> float:
    """Shannon capacity of one observation: ``log2 m + s p log2 p + (m-s) q log2 q``.

    Here ``p = (1-r)/s + r/m`` and ``q = r/m``. On all s-subsets the channel is symmetric: its rows have one
    entropy, and if all subsets are equally probable, so are the topics. Source: Shannon 1948.

    >>> round(shannon_capacity_bits(n_topics=349, top_s=5, noise=0.05), 4)
    5.541
    """
    m, s = check_sizes(n_topics, top_s)
    r = float(check_probability("noise", noise))
    q = r / m
    p = (1 - r) / s + q
    return max(0.0, log2(m) + sum(n * x * log2(x) for n, x in ((s, p), (m - s, q)) if x > 0))


def _excess(n_topics: int, top_s: int, noise: Real) -> Real:
    """Return ``m(1-r)/(r s)``, infinite at r = 0."""
    m, s = check_sizes(n_topics, top_s)
    r = check_probability("noise", noise)
    return inf if r == 0 else m * (1 - r) / (r * s)


def side_information_bound(n_topics: int, top_s: int, noise: Real, prior_success: Real) -> Real:
    """Upper bound on an adversary's success after one observation: ``min(1, P (r + m(1-r)/s))``.

    P is the probability to succeed before, at any guessing task about anything that is correlated with
    the user in any way: the Bayes capacity bounds the leakage over all priors, gains between 0 and
    1, and unknown correlations. Assumes that task, user and observation are a Markov chain in this order:
    what is known beside the observation does not depend on the noise. Source: paper, Sec. 2, capacity under
    arbitrary correlations (Dalenius), with the capacity of Sec. 4.1.2.

    >>> side_information_bound(n_topics=349, top_s=5, noise=Fraction(1, 20), prior_success=Fraction(1, 100))
    Fraction(1659, 2500)
    >>> side_information_bound(n_topics=349, top_s=5, noise=0.05, prior_success=0.1)
    1.0
    """
    bound = check_probability("prior_success", prior_success) * bayes_capacity(n_topics, top_s, noise)
    return at_most_one(bound)
