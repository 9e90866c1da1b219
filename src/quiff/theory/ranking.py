"""The chance that the most popular topics are found, and in order, by counting reports.

The topics are ranked by how often they are reported; topics that are reported equally often are put in
random order, so that in a tie for the first place each of them wins equally often. Three answers:
exact, for two topics (:func:`ahead`); bounds, from the exact pairs (:func:`order_bounds`); and an
approximation by independent normal counts (:func:`order_approximately`).
"""

from __future__ import annotations

from math import ceil, sqrt
from typing import TYPE_CHECKING

from quiff.theory.lattice import reach
from quiff.theory.parameters import check_whole

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

__all__ = ["ahead", "needed_pairs", "order_approximately", "order_bounds"]

_CHUNK = 2**20  # complex numbers handled at once: bounds the memory
_POINTS = 40  # of the grid in the smallest standard deviation
_MOST_POINTS = 2**15
_TAIL = 8.0  # standard deviations beyond which a normal density is left out: 1e-15


def ahead(up: ArrayLike, down: ArrayLike, users: ArrayLike) -> NDArray[np.float64]:
    """Chance that one topic is reported more often than another, a tie counting one half: exact.

    Users of kind k, ``users[k]`` of them, report the first topic with probability ``up[k]`` and the
    second with ``down[k]``. The difference D of the two counts is a sum of independent steps +1, -1 and
    0, and ``P[D > 0] + P[D = 0]/2 = (1 + E[sgn D])/2`` follows from its characteristic function phi: with
    ``M = 2K + 1`` points ``x = 2 pi l/M``, where ``|D| <= K`` but for a probability below 1e-17,

    ``E[sgn D] = (2/M) sum over l = 1..K of Im phi(x) (cos(x/2) - (-1)^l)/sin(x/2)``.

    Parameters
    ----------
    up, down
        Arrays (pairs, kinds) of probabilities, or (kinds,) for one pair.
    users
        How many users there are of each kind, in the same shape.

    Returns
    -------
    NDArray
        One chance for each pair, with an absolute error below 1e-10.

    Examples
    --------
    Two users have the first topic only, one the second only, and reports are genuine (s=1, r=0):

    >>> ahead([1, 0], [0, 1], [2, 1]).tolist()
    [1.0]

    Each of two users reports either, with probability 1/2 and 1/4:

    >>> ahead([0.5], [0.25], [2]).round(12).tolist()  # P[D = 2] + P[D = 1] + P[D = 0]/2
    [0.65625]
    """
    import numpy as np

    u, v, n = (np.atleast_2d(np.asarray(values, dtype=np.float64)) for values in (up, down, users))
    mean = (n * (u - v)).sum(axis=1)
    variance = (n * (u + v - (u - v) ** 2)).sum(axis=1)
    away = np.array([reach(float(value)) for value in variance])
    chances = np.where(mean > 0, 1.0, 0.0)
    open_ = np.flatnonzero(np.abs(mean) <= away)  # for the others the sign of D is as good as certain
    size = np.minimum(n.sum(axis=1), np.ceil(np.abs(mean)) + away)  # K
    order = open_[np.argsort(-size[open_], kind="stable")]
    start = 0
    while start < len(order):
        largest = max(1, int(size[order[start]]))
        stop = start + max(1, _CHUNK // largest)
        part = order[start:stop]
        chances[part] = (1 + _mean_sign(u[part], v[part], n[part], largest)) / 2
        start = stop
    return np.clip(chances, 0.0, 1.0)


def needed_pairs(holders: ArrayLike, top: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return pairs of topics, first and second, such that the first ``top`` are found if all are right.

    Found means: for each place k up to ``top``, the topic at place k has as many users as the k-th most
    popular one; topics with equally many users may change places. It is enough that each topic of a
    level is ahead of each topic of the next level, and enough topics of the last level ahead of all others.

    Parameters
    ----------
    holders
        How many users have each topic.
    top
        How many places count.

    Examples
    --------
    >>> first, second = needed_pairs([9, 4, 7, 4], top=2)
    >>> list(zip(first.tolist(), second.tolist()))
    [(0, 2), (2, 1), (2, 3)]
    """
    import numpy as np

    n = np.asarray(holders)
    top = check_whole("top", top, 1, len(n))
    order = np.argsort(-n, kind="stable")
    levels, ranks = np.unique(-n[order], return_inverse=True)  # the level of each place, 0 for the largest
    last = int(ranks[top - 1])
    pairs = [
        (order[ranks == level], order[ranks == level + 1]) for level in range(last) if level + 1 < len(levels)
    ]
    pairs.append((order[:top][ranks[:top] == last], order[ranks > last]))
    first = np.concatenate([np.repeat(a, len(b)) for a, b in pairs])
    second = np.concatenate([np.tile(b, len(a)) for a, b in pairs])
    return first, second


def order_bounds(holders: ArrayLike, top: int, chances: ArrayLike) -> tuple[float, float]:
    """Return bounds on the chance that the first ``top`` topics are found in order.

    Below: ``1 - sum of (1 - P[pair is right])`` over the :func:`needed_pairs`, or 0 (Boole). Above: the
    least chance of a pair that cannot be wrong. Where the last places are tied with topics behind them, it
    does not matter which of these are found, and their pairs are left out.

    Parameters
    ----------
    holders, top
        As for :func:`needed_pairs`.
    chances
        The chance of each of the needed pairs, from :func:`ahead`.

    Examples
    --------
    >>> order_bounds([9, 4, 7], 2, [0.9, 0.95])
    (0.85, 0.9)
    """
    import numpy as np

    n, right = np.asarray(holders), np.asarray(chances, dtype=np.float64)
    first, _ = needed_pairs(n, top)
    low = max(0.0, 1.0 - float(np.sum(1.0 - right)))
    place = np.sort(n)[::-1][top - 1]
    tied = int((n >= place).sum()) > top
    necessary = right[n[first] > place] if tied else right
    return min(1.0, round(low, 15)), float(necessary.min(initial=1.0))


def order_approximately(means: ArrayLike, variances: ArrayLike, holders: ArrayLike, top: int) -> float:
    """Approximate the chance that the first ``top`` topics are found in order: independent normal counts.

    A count with mean mu and variance v is replaced by a normal number with variance v + 1/12, the 1/12
    for the random order within ties. Counts are taken for independent, so that the variances should be
    such that two of them sum to the variance of the difference. Then

    ``g_top(x) = f_top(x) prod over the rest of F_t(x)``, ``g_k(x) = f_k(x) int up to x of g_(k+1)``,

    and the chance is ``int g_1``, times the number of orders that equally popular topics may have.

    Parameters
    ----------
    means, variances
        Of the number of reports of each topic.
    holders, top
        As for :func:`needed_pairs`.

    Examples
    --------
    >>> round(order_approximately([100, 50, 50], [75, 40, 40], [10, 5, 5], top=1), 4)
    1.0
    >>> round(order_approximately([5, 5, 5], [4, 4, 4], [10, 10, 9], top=1), 4)
    0.6667
    """
    import numpy as np
    from scipy.special import ndtr

    mu, n = np.asarray(means, dtype=np.float64), np.asarray(holders)
    sigma = np.sqrt(np.asarray(variances, dtype=np.float64) + 1 / 12)
    top = check_whole("top", top, 1, len(n))
    order = np.argsort(-n, kind="stable")
    found, rest = order[:top], order[top:]
    low, high = ((mu + side * _TAIL * sigma)[found] for side in (-1, 1))
    near = rest[(mu + _TAIL * sigma)[rest] > low.min()]  # the others stay behind for certain
    span, unit = high.max() - low.min(), sigma[np.concatenate([found, near])].min()
    points = min(_MOST_POINTS, ceil(_POINTS * span / unit))
    x, step = np.linspace(low.min(), high.max(), points, retstep=True)
    behind = np.ones(points)
    alike, times = np.unique(np.stack([mu[near], sigma[near]]), axis=1, return_counts=True)
    for (mean, deviation), topics in zip(alike.T, times, strict=True):
        behind *= ndtr((x - mean) / deviation) ** topics
    for topic in found[::-1]:
        density = np.exp(-(((x - mu[topic]) / sigma[topic]) ** 2) / 2) / (sigma[topic] * sqrt(2 * np.pi))
        g = density * behind
        behind = np.concatenate([[0.0], np.cumsum((g[1:] + g[:-1]) / 2)]) * step
    return min(1.0, float(behind[-1]) * _orders(n, top))


def _orders(holders: NDArray[np.int64], top: int) -> float:
    """Return in how many orders the first ``top`` topics may stand: equally popular ones change places."""
    import numpy as np

    _, sizes = np.unique(-holders, return_counts=True)
    orders, left = 1.0, top
    for size in sizes:
        for taken in range(min(int(size), left)):
            orders *= int(size) - taken
        left -= min(int(size), left)
    return orders


def _mean_sign(
    u: NDArray[np.float64], v: NDArray[np.float64], n: NDArray[np.float64], K: int
) -> NDArray[np.float64]:
    """Return E[sgn D] of each pair, from 2K + 1 points."""
    import numpy as np

    step = np.arange(1, K + 1)
    x = 2 * np.pi * step / (2 * K + 1)
    weights = (np.cos(x / 2) - np.where(step % 2, -1.0, 1.0)) / np.sin(x / 2)
    turn = np.exp(1j * x)
    phi = np.ones((len(u), K), dtype=np.complex128)
    for kind in range(u.shape[1]):
        a, b, count = u[:, kind, None], v[:, kind, None], n[:, kind, None]
        phi *= (1 - a - b + a * turn + b / turn) ** count
    signs: NDArray[np.float64] = 2 / (2 * K + 1) * (phi.imag @ weights)
    return signs
