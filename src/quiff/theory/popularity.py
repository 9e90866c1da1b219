"""How popular values are, from one output each of N users, and whether the most popular are found in order.

An output names the value with probability p for a user who has it, with q for another one; for the Topics API
these are (1-r)/s + r/m and r/m. Of n users who have it and N - n who have not, c show it: a sum of two
independent binomial numbers. The paper's counting experiment (Sec. 4.2.1) asks for a count that is right to
the last user; here the question is how far an estimate is from it. Results are exact on exact parameters;
roots are floats.

Values are ranked by how often they are shown; those that are shown equally often are put in random order, so
that in a tie for the first place each of them wins equally often. Three answers: exact, for two values
(:func:`ahead`); bounds, from the exact pairs (:func:`order_bounds`); and an approximation by independent
normal counts (:func:`order_approximately`).
"""

from bisect import bisect_left
from collections.abc import Iterator
from math import log, log1p, pi, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quiff.errors import ParameterError
from quiff.theory.counting import reach
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
    few = bisect_left(range(N), True, key=lambda n: _at_most(n, N - n, inside, outside, c - 1) <= 1 - _TAIL)
    many = bisect_left(range(N), True, key=lambda n: _at_most(n + 1, N - n - 1, inside, outside, c) < _TAIL)
    return float(min(few, many)), float(many)


def _at_most(n: int, rest: int, inside: float, outside: float, c: int) -> float:
    """Return the probability that of n users who have a value, and others, c or fewer show it."""
    import numpy as np
    from scipy.special import bdtr, gammaln

    if c < 0:
        return 0.0
    if n + rest <= c:
        return 1.0
    mean = rest * outside
    reach = 40 + 9 * sqrt(mean)
    by_others = np.arange(max(0, int(mean - reach)), min(rest, c, int(mean + reach)) + 1)
    if outside == 0:
        weights = np.ones(1)
        by_others = by_others[:1]
    else:
        ways = gammaln(rest + 1) - gammaln(by_others + 1) - gammaln(rest - by_others + 1)
        weights = np.exp(ways + by_others * log(outside) + (rest - by_others) * log1p(-outside))
    left = c - by_others
    chances = np.where(left >= n, 1.0, bdtr(np.minimum(left, max(n - 1, 0)), max(n, 1), inside))
    return float(weights @ chances)


def binomial_interval(successes: int, trials: int) -> tuple[float, float]:
    """Return the probabilities that are plausible if ``successes`` of so many trials succeed.

    Whatever the probability is, it is among them with a probability of 95 % at least. Source: Clopper and
    Pearson (1934), doi 10.1093/biomet/26.4.404.

    >>> tuple(round(end, 4) for end in binomial_interval(1000, 1000))
    (0.9963, 1.0)
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


Floats = NDArray[np.float64]
_CHUNK = 2**20  # complex numbers handled at once: bounds the memory
_WIDE = 8  # standard deviations beyond which a normal density is left out: 1e-15
_POINTS = 640  # of the grid for each normal density: 40 in a standard deviation
_MOST_POINTS = 2**16  # in all, for many densities


def ahead(up: ArrayLike, down: ArrayLike, users: ArrayLike) -> Floats:
    """Probability that one topic is shown more often than another, a tie counting one half: exact.

    Users of kind k, ``users[k]`` of them, show the first topic with probability ``up[k]`` and the
    second with ``down[k]``. The difference D of the two counts is a sum of independent steps +1, -1 and
    0, and ``P[D > 0] + P[D = 0]/2 = (1 + E[sgn D])/2`` follows from its characteristic function phi: with
    ``M = 2K + 1`` points ``x = 2 pi l/M``, where ``|D| <= K`` but for a probability below 1e-17,

    ``E[sgn D] = (2/M) sum over l = 1..K of Im phi(x) (cos(x/2) - (-1)^l)/sin(x/2)``.

    Arrays are (pairs, kinds), or (kinds,) for one pair; the absolute error is below 1e-10.

    Two users have the first topic only, one the second only, and what is shown is genuine (s=1, r=0):

    >>> ahead([1, 0], [0, 1], [2, 1]).tolist()
    [1.0]

    Each of two users shows either, with probability 1/2 and 1/4:

    >>> ahead([0.5], [0.25], [2]).round(12).tolist()  # P[D = 2] + P[D = 1] + P[D = 0]/2
    [0.65625]
    """
    u, v, n = (np.atleast_2d(np.asarray(values, dtype=np.float64)) for values in (up, down, users))
    mean = (n * (u - v)).sum(axis=1)  # E[D]
    variance = (n * (u + v - (u - v) ** 2)).sum(axis=1)  # Var[D]
    away = np.array([reach(float(value)) for value in variance])  # |D - E[D]| is never larger
    chances = np.where(mean > 0, 1.0, 0.0)  # right where 0 is further away than that
    unsure = np.flatnonzero(np.abs(mean) <= away)
    most = np.minimum(n.sum(axis=1), np.ceil(np.abs(mean)) + away)  # |D| <= K
    for part, K in _batches(unsure, most):
        chances[part] = (1 + _mean_sign(u[part], v[part], n[part], K)) / 2  # (1 + E[sgn D])/2
    return np.clip(chances, 0.0, 1.0)


def _batches(pairs: NDArray[np.intp], most: Floats) -> Iterator[tuple[NDArray[np.intp], int]]:
    """Yield some pairs at a time, those with the largest K first, and a K that is enough for all of them."""
    order = pairs[np.argsort(-most[pairs], kind="stable")]
    while len(order):
        K = max(1, int(most[order[0]]))
        size = max(1, _CHUNK // K)
        yield order[:size], K
        order = order[size:]


def _mean_sign(u: Floats, v: Floats, n: Floats, K: int) -> Floats:
    """Return E[sgn D] of each pair, by the sum over 2K + 1 points in :func:`ahead`."""
    M = 2 * K + 1
    points = np.arange(1, K + 1)  # l; the points beyond are mirror images of these
    x = 2 * pi * points / M
    turn = np.exp(1j * x)
    # phi(x) = prod over kinds of (1 - u - v + u e^(ix) + v e^(-ix))^n
    phi = np.ones((len(u), K), dtype=np.complex128)
    for kind in range(u.shape[1]):
        a, b, count = u[:, kind, None], v[:, kind, None], n[:, kind, None]
        phi *= (1 - a - b + a * turn + b / turn) ** count
    minus_one_to_l = np.where(points % 2, -1.0, 1.0)
    weights = (np.cos(x / 2) - minus_one_to_l) / np.sin(x / 2)
    signs: Floats = 2 / M * (phi.imag @ weights)
    return signs


def needed_pairs(holders: ArrayLike, top: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return pairs of topics, first and second, such that the first ``top`` are found if all are right.

    Found means: for each place k up to ``top``, the topic at place k has as many users as the k-th most
    popular one; topics with equally many users may change places. It is enough that each topic of a
    level is ahead of each topic of the next level, and enough topics of the last level ahead of all others.

    >>> first, second = needed_pairs([9, 4, 7, 4], top=2)
    >>> list(zip(first.tolist(), second.tolist()))
    [(0, 2), (2, 1), (2, 3)]
    """
    n = np.asarray(holders)
    top = check_whole("top", top, 1, len(n))
    order = np.argsort(-n, kind="stable")
    _, ranks = np.unique(-n[order], return_inverse=True)  # the level of each place, 0 for the most popular
    last = int(ranks[top - 1])
    pairs = [(order[ranks == level], order[ranks == level + 1]) for level in range(last)]
    pairs.append((order[:top][ranks[:top] == last], order[ranks > last]))
    first = np.concatenate([np.repeat(a, len(b)) for a, b in pairs])
    second = np.concatenate([np.tile(b, len(a)) for a, b in pairs])
    return first, second


def order_bounds(holders: ArrayLike, top: int, chances: ArrayLike) -> tuple[float, float]:
    """Return bounds on the probability that the first ``top`` topics are found in order.

    Below: ``1 - sum of (1 - P[pair is right])`` over the :func:`needed_pairs`, or 0 (Boole). Above: the
    least probability of a pair that must be right. Where the last places are tied with topics behind them, it
    does not matter which of these are found, and their pairs are left out.

    `chances` are the probabilities of the needed pairs, from :func:`ahead`.

    >>> order_bounds([9, 4, 7], 2, [0.9, 0.95])
    (0.85, 0.9)
    """
    n, right = np.asarray(holders), np.asarray(chances, dtype=np.float64)
    first, _ = needed_pairs(n, top)
    low = max(0.0, 1.0 - float(np.sum(1.0 - right)))
    place = np.sort(n)[::-1][top - 1]
    tied = int((n >= place).sum()) > top
    necessary = right[n[first] > place] if tied else right
    return min(1.0, round(low, 15)), float(necessary.min(initial=1.0))


def order_approximately(means: ArrayLike, variances: ArrayLike, holders: ArrayLike, top: int) -> float:
    """Approximate the probability to find the first ``top`` topics in order: independent normal counts.

    A count with mean mu and variance v is replaced by a normal number with variance v + 1/12, the 1/12
    for the random order within ties. Counts are taken for independent, so that the variances should be
    such that two of them sum to the variance of the difference. Then

    ``g_top(x) = f_top(x) prod over the rest of F_t(x)``, ``g_k(x) = f_k(x) int up to x of g_(k+1)``,

    and the probability is ``int g_1``, times the number of orders that equally popular topics may have:
    at each place, how many may stand there.

    >>> round(order_approximately([100, 50, 50], [75, 40, 40], [10, 5, 5], top=1), 4)
    1.0
    >>> round(order_approximately([5, 5, 5], [4, 4, 4], [10, 10, 9], top=1), 4)
    0.6667
    """
    mu, n = np.asarray(means, dtype=np.float64), np.asarray(holders)
    sigma = np.sqrt(np.asarray(variances, dtype=np.float64) + 1 / 12)
    top = check_whole("top", top, 1, len(n))
    order = np.argsort(-n, kind="stable")
    result, rest = order[:top], order[top:]
    choices = _choices(n, top)
    x = _grid(mu[result], sigma[result], int(choices.max()))
    behind, slope = _all_below(x, mu[rest], sigma[rest])  # prod over the rest of F_t(x), and its derivative
    for topic, equals in zip(result[::-1], choices[::-1], strict=True):
        part = _near(x, mu[topic], sigma[topic])
        f = equals * _density(x[part], mu[topic], sigma[topic])
        g = f * behind[part]  # g_k(x) = f_k(x) int up to x of g_(k+1)
        dg = f * slope[part] - f * (x[part] - mu[topic]) / sigma[topic] ** 2 * behind[part]  # f B' + f' B
        behind, slope = np.zeros(len(x)), np.zeros(len(x))
        behind[part], slope[part] = _integral(x[part], g, dg), g
        behind[part.stop :] = behind[part.stop - 1]
    return min(max(float(behind[-1]), 0.0), 1.0)


def _grid(means: Floats, deviations: Floats, equals: int) -> Floats:
    """Return points where some normal densities are not negligible, each as closely as its width asks for.

    The more topics are equally popular, the steeper is the probability that all of them lie below a point.
    """
    mean, deviation = np.unique(np.stack([means, deviations]), axis=1)[:, :, None]
    points = min(_POINTS * equals, max(_MOST_POINTS // len(mean), 8 * _WIDE))
    return np.unique(mean + deviation * np.linspace(-_WIDE, _WIDE, points + 1))


def _near(x: Floats, mean: float, deviation: float) -> slice:
    """Return which points lie where a normal density is not negligible, and one more on each side."""
    start, stop = np.searchsorted(x, [mean - _WIDE * deviation, mean + _WIDE * deviation])
    return slice(max(int(start) - 1, 0), min(int(stop) + 1, len(x)))


def _density(x: Floats, mean: float, deviation: float) -> Floats:
    """Return the normal density at each point, 0 in its tails: it adds nothing where points are far apart."""
    z = (x - mean) / deviation
    inside = np.abs(z) < _WIDE - 1e-6
    return np.where(inside, np.exp(-(z**2) / 2) / (deviation * sqrt(2 * pi)), 0.0)


def _all_below(x: Floats, means: Floats, deviations: Floats) -> tuple[Floats, Floats]:
    """Return the probability that all of some normal numbers lie below each point, and its derivative.

    It is the product of ``F_t^k`` over the k topics t that are alike; ``F_t'/F_t = f_t/F_t``.
    """
    from scipy.special import ndtr

    chance, slope = np.ones(len(x)), np.zeros(len(x))
    near = means + _WIDE * deviations > x[0]  # the others lie below for certain
    alike, times = np.unique(np.stack([means[near], deviations[near]]), axis=1, return_counts=True)
    for (mean, deviation), k in zip(alike.T, times, strict=True):
        part = _near(x, mean, deviation)  # F is 0 before it and 1 behind
        F = ndtr((x[part] - mean) / deviation)
        chance[: part.start] = 0.0
        chance[part] *= F**k
        slope[part] += k * _density(x[part], mean, deviation) / np.maximum(F, np.finfo(np.float64).tiny)
    return chance, chance * slope


def _integral(x: Floats, g: Floats, dg: Floats) -> Floats:
    """Return the integral of g up to each point, by the trapezoidal rule with the correction of its slopes.

    ``h (g(a) + g(b))/2 + h^2 (g'(a) - g'(b))/12`` for points a, b = a + h: the error is of order h^4, which
    matters where many topics follow each other closely.
    """
    h = np.diff(x)
    steps = h * (g[1:] + g[:-1]) / 2 + h**2 * (dg[:-1] - dg[1:]) / 12
    return np.concatenate([[0.0], np.cumsum(steps)])


def _choices(holders: NDArray[np.int64], top: int) -> NDArray[np.int64]:
    """Return how many topics may stand at each place when those before are taken: the equals left."""
    _, firsts, levels, sizes = np.unique(
        np.sort(-holders), return_index=True, return_inverse=True, return_counts=True
    )
    left: NDArray[np.int64] = (sizes + firsts)[levels] - np.arange(len(holders))
    return left[:top]
