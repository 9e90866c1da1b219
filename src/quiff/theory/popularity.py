"""How many users have a value, estimated from one output each of N users, such as a topic that is shown.

An output names the value with probability p for a user who has it, with q for another one; for the Topics API
these are (1-r)/s + r/m and r/m. Of n users who have it and N - n who have not, c show it: a sum of two
independent binomial numbers. The paper's counting experiment (Sec. 4.2.1) asks for a count that is right to
the last user; here the question is how far an estimate is from it. Results are exact on exact parameters;
roots are floats.
"""

from bisect import bisect_left
from math import log, log1p, sqrt
from typing import NamedTuple

from quiff.errors import ParameterError
from quiff.theory.parameters import HALF, Real, check_probability, check_whole

_TAIL = 0.025  # on each side of an interval of 95 %


class Naming(NamedTuple):
    """With which probabilities an output names a value: one that the user has, and one that the user has not.

    `n_values` is how many values there are to name; None if that is not known.
    """

    inside: Real
    outside: Real
    n_values: int | None = None


def estimated_users(inside: Real, outside: Real, n_users: int, count: int) -> Real:
    """Estimate how many of N users have a value that c of them show: ``(c - N q)/(p - q)``.

    The estimate is unbiased, since ``E[c] = n p + (N - n) q``; for that it must be free to fall below 0
    and to exceed N. Source: inversion of the paper's channel of the counting experiment (Sec. 4.2.1), as in
    Warner's randomized response (1965).

    >>> from quiff.theory import inside_probability, outside_probability
    >>> p, q = inside_probability(349, 5, 0.05), outside_probability(349, 0.05)
    >>> round(estimated_users(p, q, n_users=1000, count=50), 2)
    262.4
    >>> from fractions import Fraction
    >>> estimated_users(Fraction(97, 200), Fraction(1, 100), n_users=3, count=0)
    Fraction(-6, 95)
    """
    p, q, N = _model(inside, outside, n_users)
    c = check_whole("count", count, 0, N)
    return (c - N * q) / (p - q)


def count_variance(inside: Real, outside: Real, n_users: int, holders: int) -> Real:
    """Variance of how many of N users show a value that n have: ``n p(1-p) + (N-n) q(1-q)``.

    >>> from fractions import Fraction
    >>> count_variance(Fraction(97, 200), Fraction(1, 100), n_users=3, holders=2)
    Fraction(10189, 20000)
    """
    p, q, N = _model(inside, outside, n_users)
    n = check_whole("holders", holders, 0, N)
    return n * p * (1 - p) + (N - n) * q * (1 - q)


def estimate_variance(inside: Real, outside: Real, n_users: int, holders: int) -> Real:
    """Variance of :func:`estimated_users` when n of N users have the value.

    ``(n p(1-p) + (N-n) q(1-q))/(p-q)^2``: the outputs are all that is random, the users and what they have
    are not. Its root is the standard error of the estimated number of users.

    Of 250 000 users 67 831 have a topic; the share is known with a standard error of 0.2 percentage points:

    >>> from math import sqrt
    >>> from quiff.theory import inside_probability, outside_probability
    >>> p, q = inside_probability(349, 5, 0.05), outside_probability(349, 0.05)
    >>> round(sqrt(estimate_variance(p, q, n_users=250_000, holders=67_831)) / 250_000, 5)
    0.00215
    """
    p, q, _ = _model(inside, outside, n_users)
    return count_variance(p, q, n_users, holders) / (p - q) ** 2


def bits_right(inside: Real, outside: Real, n_users: int) -> Real:
    """Probability to guess of all N users whether they have a value that half have: ``((1+|p-q|)/2)^N``.

    Source: paper, Sec. 4.2.1, corollary on Kronecker products; see :func:`quiff.theory.all_bits_right`.

    >>> from fractions import Fraction
    >>> bits_right(Fraction(97, 200), Fraction(1, 100), n_users=2)
    Fraction(3481, 6400)
    """
    p, q, N = _model(inside, outside, n_users)
    one_bit = HALF * (1 + max(p, q) - min(p, q))
    return one_bit**N


def users_interval(inside: Real, outside: Real, n_users: int, count: int) -> tuple[float, float]:
    """Return the numbers of users that are plausible if c of N users show a value.

    These are the n for which so few outputs, and so many, each have a probability of 2.5 % or more. Whatever
    n is, it is among them with a probability of 95 % at least. Source: Clopper and Pearson (1934), for the
    sum of two binomial numbers, which grows with n where p > q.

    >>> from quiff.theory import inside_probability, outside_probability
    >>> p, q = inside_probability(349, 5, 0.05), outside_probability(349, 0.05)
    >>> users_interval(p, q, n_users=1000, count=50)
    (201.0, 337.0)
    >>> users_interval(1 / 5, 0, n_users=10, count=0)[0]
    0.0
    """
    p, q, N = _model(inside, outside, n_users)
    c = check_whole("count", count, 0, N)
    if p < q:  # those who have it are those who show it less: count the others
        low, high = users_interval(q, p, N, c)
        return N - high, N - low
    inside, outside = float(p), float(q)
    ends = _far(inside, outside, N, c)
    few = bisect_left(
        range(N), True, *ends, key=lambda n: _at_most(n, N - n, inside, outside, c - 1) <= 1 - _TAIL
    )
    many = bisect_left(
        range(N), True, *ends, key=lambda n: _at_most(n + 1, N - n - 1, inside, outside, c) < _TAIL
    )
    return float(min(few, many)), float(many)


def _far(p: float, q: float, N: int, c: int) -> tuple[int, int]:
    """Return numbers of users beyond which c is too far from what is expected, so that none is looked at.

    ``P(X - E >= d) <= Var / (Var + d^2)``, Cantelli's inequality, is a tail of 1/40 at the ends, which solve
    ``(c - E)^2 = 39 Var``, with ``E = N q + y`` and ``Var = N q (1-q) + y (1-p-q)`` for ``y = n (p - q)``.
    """
    square, k, b = 1 / _TAIL - 1, c - N * q, 1 - p - q
    middle = k + square * b / 2
    half = sqrt(max(0.0, square * (N * q * (1 - q) + k * b) + (square * b / 2) ** 2))
    low, high = ((middle + sign * half) / (p - q) for sign in (-1, 1))
    return min(max(int(low) - 2, 0), N), min(max(int(high) + 2, 0), N)


def _at_most(n: int, others: int, inside: float, outside: float, c: int) -> float:
    """Return the probability that of n users who have a value, and others, c or fewer show it."""
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


def _model(inside: Real, outside: Real, n_users: int) -> tuple[Real, Real, int]:
    """Return p, q and N."""
    p, q = check_probability("inside", inside), check_probability("outside", outside)
    if p == q:
        raise ParameterError(
            f"inside and outside are both {float(p):g}: all outputs are random and say nothing about the "
            "users; give an API with less noise"
        )
    return p, q, check_whole("n_users", n_users, 1)
