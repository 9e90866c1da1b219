"""How many users have a topic, estimated from one report each of N users.

A user who has the topic reports it with probability p = (1-r)/s + r/m, another one with q = r/m. Of n
users who have it and N - n who have not, c report it: a sum of two independent binomial numbers. The
paper's counting experiment (Sec. 4.2.1) asks for a count that is right to the last user; here the
question is how far an estimate is from it. Results are exact on exact parameters; roots are floats.
"""

from math import sqrt

from quiff.errors import ParameterError
from quiff.theory.parameters import Real, check_number, check_probability, check_sizes, check_whole
from quiff.theory.utility import inside_probability, outside_probability

__all__ = [
    "NORMAL_95",
    "estimate_variance",
    "estimated_users",
    "reports_variance",
    "users_interval",
    "wilson_interval",
]

NORMAL_95 = 1.959963984540054  # the two-sided 95 % quantile of the normal distribution


def estimated_users(n_topics: int, top_s: int, noise: Real, n_users: int, reports: int) -> Real:
    """Estimate how many of N users have a topic that c of them report: ``(c - N q)/(p - q)``.

    The estimate is unbiased, since ``E[c] = n p + (N - n) q``; for that it must be free to fall below 0
    and to exceed N. Source: inversion of the paper's channel of the counting experiment (Sec. 4.2.1), as in
    Warner's randomized response (1965). Here p - q = (1-r)/s.

    Raises
    ------
    ParameterError
        If a parameter lies outside its range, or the noise is 1: then reports do not depend on the sets.

    Examples
    --------
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

    Raises
    ------
    ParameterError
        If a parameter lies outside its range, or the noise is 1.

    Examples
    --------
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

    Raises
    ------
    ParameterError
        If a parameter lies outside its range, or the noise is 1.

    Examples
    --------
    Of 250 000 users 67 831 have the topic; the share is known with a standard error of 0.2 percentage points:

    >>> from math import sqrt
    >>> round(sqrt(estimate_variance(349, 5, 0.05, n_users=250_000, holders=67_831)) / 250_000, 5)
    0.00215
    """
    p, q, _ = _model(n_topics, top_s, noise, n_users)
    return reports_variance(n_topics, top_s, noise, n_users, holders) / (p - q) ** 2


def users_interval(
    n_topics: int, top_s: int, noise: Real, n_users: int, reports: int, z: float = NORMAL_95
) -> tuple[float, float]:
    """Return the numbers of users that are plausible if c of N users report a topic.

    These are the n whose expected count is at most z standard deviations from c, each n with its own
    deviation: ``(c - E_n)^2 <= z^2 Var_n``, a quadratic inequality. So a topic that nobody reports still
    has an interval. The ends are clipped to 0 and N. Source: Wilson's score interval (1927), for two
    binomial numbers; the normal approximation makes the confidence approximate where few reports are
    expected.

    Parameters
    ----------
    n_topics, top_s, noise, n_users, reports
        m, s, r, N and c.
    z
        The quantile of the normal distribution; the default is for 95 %.

    Raises
    ------
    ParameterError
        If a parameter lies outside its range, or the noise is 1.

    Examples
    --------
    >>> low, high = users_interval(n_topics=349, top_s=5, noise=0.05, n_users=1000, reports=50)
    >>> round(low), round(high)
    (204, 337)
    >>> users_interval(n_topics=349, top_s=5, noise=0, n_users=10, reports=0)[0]
    0.0
    """
    p, q, N = _model(n_topics, top_s, noise, n_users)
    c = check_whole("reports", reports, 0, N)
    square = float(check_number("z", z, 0, 100)) ** 2
    # With y = n (p - q): (k - y)^2 <= z^2 (a + y b). The root is real for 0 <= c <= N.
    k, a, b = float(c - N * q), float(N * q * (1 - q)), float(1 - p - q)
    middle = k + square * b / 2
    half = sqrt(max(0.0, square * (a + k * b) + (square * b / 2) ** 2))
    low, high = ((middle + sign * half) / float(p - q) for sign in (-1, 1))
    return min(max(low, 0.0), float(N)), min(max(high, 0.0), float(N))


def wilson_interval(successes: int, trials: int, z: float = NORMAL_95) -> tuple[float, float]:
    """Return the probabilities that are plausible if ``successes`` of so many trials succeed.

    The x with ``(k/n - x)^2 <= z^2 x(1-x)/n``. Source: Wilson (1927), doi 10.1080/01621459.1927.10502953.

    Raises
    ------
    ParameterError
        If a parameter lies outside its range.

    Examples
    --------
    >>> [round(end, 4) for end in wilson_interval(1000, 1000)]
    [0.9962, 1.0]
    """
    n = check_whole("trials", trials, 1)
    share = check_whole("successes", successes, 0, n) / n
    square = float(check_number("z", z, 0, 100)) ** 2
    middle = share + square / (2 * n)
    half = sqrt(square * share * (1 - share) / n + (square / (2 * n)) ** 2)
    low, high = ((middle + sign * half) / (1 + square / n) for sign in (-1, 1))
    return (0.0 if successes == 0 else max(low, 0.0)), (1.0 if successes == n else min(high, 1.0))


def _model(n_topics: int, top_s: int, noise: Real, n_users: int) -> tuple[Real, Real, int]:
    """Return p, q and N."""
    m, s = check_sizes(n_topics, top_s)
    if check_probability("noise", noise) == 1:
        raise ParameterError(
            f"noise is {noise!r}: all reports are random and say nothing about the users; give one below 1"
        )
    return inside_probability(m, s, noise), outside_probability(m, noise), check_whole("n_users", n_users, 1)
