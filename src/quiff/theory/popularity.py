"""How many users have a topic, estimated from one report each of N users.

A user who has the topic reports it with probability p = (1-r)/s + r/m, another one with q = r/m. Of n
users who have it and N - n who have not, c report it: a sum of two independent binomial numbers. The
paper's counting experiment (Sec. 4.2.1) asks for a count that is right to the last user; here the
question is how far an estimate is from it. Results are exact on exact parameters; roots are floats.
"""

from bisect import bisect_left
from math import log, log1p, sqrt

from quiff.errors import ParameterError
from quiff.theory.parameters import Real, check_probability, check_sizes, check_whole
from quiff.theory.utility import inside_probability, outside_probability

_TAIL = 0.025  # on each side of an interval of 95 %


def estimated_users(n_topics: int, top_s: int, noise: Real, n_users: int, reports: int) -> Real:
    """Estimate how many of N users have a topic that c of them report: ``(c - N q)/(p - q)``.

    The estimate is unbiased, since ``E[c] = n p + (N - n) q``; for that it must be free to fall below 0
    and to exceed N. Source: inversion of the paper's channel of the counting experiment (Sec. 4.2.1), as in
    Warner's randomized response (1965). Here p - q = (1-r)/s.

    >>> round(estimated_users(n_topics=349, top_s=5, noise=0.05, n_users=1000, reports=50), 2)
    262.4
    >>> from fractions import Fraction
    >>> estimated_users(n_topics=5, top_s=2, noise=Fraction(1, 20), n_users=3, reports=0)
    Fraction(-6, 95)
    """
    p, q, N = _model(n_topics, top_s, noise, n_users)
    c = check_whole("reports", reports, 0, N)
    return (c - N * q) / (p - q)


def reports_variance(n_topics: int, top_s: int, noise: Real, n_users: int, holders: int) -> Real:
    """Variance of how many of N users report a topic that n have: ``n p(1-p) + (N-n) q(1-q)``.

    >>> from fractions import Fraction
    >>> reports_variance(n_topics=5, top_s=2, noise=Fraction(1, 20), n_users=3, holders=2)
    Fraction(10189, 20000)
    """
    p, q, N = _model(n_topics, top_s, noise, n_users)
    n = check_whole("holders", holders, 0, N)
    return n * p * (1 - p) + (N - n) * q * (1 - q)


def estimate_variance(n_topics: int, top_s: int, noise: Real, n_users: int, holders: int) -> Real:
    """Variance of :func:`estimated_users` when n of N users have the topic.

    ``(n p(1-p) + (N-n) q(1-q))/(p-q)^2``: the reports are all that is random, the users and their sets
    are not. Its root is the standard error of the estimated number of users.

    Of 250 000 users 67 831 have the topic; the share is known with a standard error of 0.2 percentage points:

    >>> from math import sqrt
    >>> round(sqrt(estimate_variance(349, 5, 0.05, n_users=250_000, holders=67_831)) / 250_000, 5)
    0.00215
    """
    p, q, _ = _model(n_topics, top_s, noise, n_users)
    return reports_variance(n_topics, top_s, noise, n_users, holders) / (p - q) ** 2


def users_interval(n_topics: int, top_s: int, noise: Real, n_users: int, reports: int) -> tuple[float, float]:
    """Return the numbers of users that are plausible if c of N users report a topic.

    These are the n for which so few reports, and so many, each have a probability of 2.5 % or more. Whatever
    n is, it is among them with a probability of 95 % at least. Source: Clopper and Pearson (1934), for the
    sum of two binomial numbers, which grows with n.

    >>> users_interval(n_topics=349, top_s=5, noise=0.05, n_users=1000, reports=50)
    (201.0, 337.0)
    >>> users_interval(n_topics=349, top_s=5, noise=0, n_users=10, reports=0)[0]
    0.0
    """
    p, q, N = _model(n_topics, top_s, noise, n_users)
    c = check_whole("reports", reports, 0, N)
    inside, outside = float(p), float(q)
    few = bisect_left(range(N), True, key=lambda n: _at_most(n, N - n, inside, outside, c - 1) <= 1 - _TAIL)
    many = bisect_left(range(N), True, key=lambda n: _at_most(n + 1, N - n - 1, inside, outside, c) < _TAIL)
    return float(min(few, many)), float(many)


def _at_most(n: int, others: int, inside: float, outside: float, c: int) -> float:
    """Return the probability that of n users who have a topic, and others, c or fewer report it."""
    import numpy as np
    from scipy.special import bdtr, gammaln

    if c < 0:
        return 0.0
    if n + others <= c:
        return 1.0
    mean = others * outside
    reach = 40 + 9 * sqrt(mean)
    by_others = np.arange(max(0, int(mean - reach)), min(others, c, int(mean + reach)) + 1)
    if outside == 0:
        weights = np.ones(1)
        by_others = by_others[:1]
    else:
        ways = gammaln(others + 1) - gammaln(by_others + 1) - gammaln(others - by_others + 1)
        weights = np.exp(ways + by_others * log(outside) + (others - by_others) * log1p(-outside))
    left = c - by_others
    chances = np.where(left >= n, 1.0, bdtr(np.minimum(left, max(n - 1, 0)), max(n, 1), inside))
    return float(weights @ chances)


def binomial_interval(successes: int, trials: int) -> tuple[float, float]:
    """Return the probabilities that are plausible if ``successes`` of so many trials succeed.

    Whatever the probability is, it is among them with a probability of 95 % at least. Source: Clopper and
    Pearson (1934), doi 10.1093/biomet/26.4.404.

    >>> [round(end, 4) for end in binomial_interval(1000, 1000)]
    [0.9963, 1.0]
    """
    from scipy.special import betaincinv

    n = check_whole("trials", trials, 1)
    k = check_whole("successes", successes, 0, n)
    low = 0.0 if k == 0 else float(betaincinv(k, n - k + 1, _TAIL))
    return low, 1.0 if k == n else float(betaincinv(k + 1, n - k, 1 - _TAIL))


def _model(n_topics: int, top_s: int, noise: Real, n_users: int) -> tuple[Real, Real, int]:
    """Return p, q and N."""
    m, s = check_sizes(n_topics, top_s)
    if check_probability("noise", noise) == 1:
        raise ParameterError(
            f"noise is {noise!r}: all reports are random and say nothing about the users; give one below 1"
        )
    return inside_probability(m, s, noise), outside_probability(m, noise), check_whole("n_users", n_users, 1)
