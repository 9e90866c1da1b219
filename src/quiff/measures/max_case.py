"""The prior under which the worst output multiplies what an adversary may expect to gain the most."""

import heapq
from typing import Any

import numpy as np

from quiff.core.channel import Channel
from quiff.core.limits import check_fits
from quiff.core.numbers import Array, as_fractions, as_number, is_exact
from quiff.errors import SizeError

_CLOSE = 1e-6  # how much larger another prior's ratio may be when the search stops
_PROGRAMS = 1_000  # before it stops in any case


def worst_for_bayes(C: Channel) -> Array:
    """Return the weights of inputs under which one output helps a guess of the secret most.

    After output y, guess the x with the largest C[x,y]. Of a prior that is uniform on it and the k others
    with the smallest, the ratio is C[x,y] (1 + k) / (C[x,y] + sum of these); no prior does better.
    """
    best: tuple[Any, Array] = (0, np.zeros(0, dtype=np.intp))
    for block in C.kernel.blocks():
        order = np.argsort(block, axis=0, kind="stable")
        rising = np.take_along_axis(block, order, axis=0)
        most, others = rising[-1], rising[:-1].cumsum(axis=0)
        sizes = np.arange(1, C.inputs.size + 1)
        sums = np.concatenate([most[np.newaxis], others + most])
        sums = as_fractions(sums) if is_exact(sums) else sums
        happens = most > 0
        ratios = sizes[:, np.newaxis] * most[happens] / sums[:, happens]
        if not ratios.size:
            continue
        k, y = np.unravel_index(int(np.argmax(ratios)), ratios.shape)
        if as_number(ratios[k, y]) > best[0]:
            column = order[:, np.flatnonzero(happens)[y]]
            best = as_number(ratios[k, y]), np.append(column[:k], column[-1])
    weights = np.zeros(C.inputs.size, dtype=np.int64)
    weights[best[1]] = 1
    return weights


def worst_weights(matrix: Array, gains: Array) -> tuple[Array, float]:
    """Return the weights of inputs under which one output raises a vulnerability most, and an upper bound.

    For output y and action w, with weights r scaled so that V_g(r) <= 1, the ratio is rho sum_x r_x where rho
    is the expected gain of w after y. The more is asked of rho, the less of the sum is possible: intervals
    of rho are halved until none can hold anything better.
    """
    check_fits(gains.size, 4)
    best, best_weights, count = 0.0, np.ones(matrix.shape[0]), 0
    heap: list[tuple[float, int, float, float, int, int]] = []

    def look(low: float, high: float, y: int, w: int) -> None:
        """Take the largest sum of weights with an expected gain of at least `low`, and keep what remains."""
        nonlocal best, best_weights, count
        column = matrix[:, y]
        weights, price = _most_weight(gains, np.ones(column.size), column * (gains[w] - low))
        count += 1
        if not column @ weights > 0:
            return
        rho = (column * gains[w]) @ weights / (column @ weights)
        if rho * weights.sum() > best:
            best, best_weights = rho * weights.sum(), weights
        # With a price on what is missing to rho, the sum is at most a convex function of rho: below a line.
        value = np.ones(column.size) + price * column * (gains[w] - high)
        far, _ = _most_weight(gains, value, None)
        bound = _largest_product(low, high, weights.sum(), min(value @ far, weights.sum()))
        if bound > best * (1 + _CLOSE):
            heapq.heappush(heap, (-bound, count, low, high, y, w))

    for y in range(matrix.shape[1]):
        for w in range(gains.shape[0]):
            look(0.0, float(gains[w].max()), y, w)
    while heap and -heap[0][0] > best * (1 + _CLOSE) and count < _PROGRAMS:
        _, _, low, high, y, w = heapq.heappop(heap)
        middle = (low + high) / 2
        look(middle, high, y, w)
        look(low, middle, y, w)
    return best_weights, max(best * (1 + _CLOSE), -heap[0][0] if heap else 0.0)


def _largest_product(low: float, high: float, first: float, last: float) -> float:
    """Return the largest rho times f(rho) for low <= rho <= high and a line f from `first` to `last`."""
    slope = (last - first) / (high - low) if high > low else 0.0
    places = [low, high]
    if slope < 0:
        places.append(min(max((slope * low - first) / (2 * slope), low), high))
    return max(rho * (first + slope * (rho - low)) for rho in places)


def _most_weight(gains: Array, value: Array, surplus: Array | None) -> tuple[Array, float]:
    """Return r >= 0 with the largest value.r such that G r <= 1 and surplus.r >= 0, and the price of that."""
    from scipy.optimize import linprog

    A, right = gains, np.ones(gains.shape[0])
    if surplus is not None:
        A, right = np.vstack([gains, -surplus]), np.append(right, 0.0)
    exact: Any = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
    found = linprog(-value, A_ub=A, b_ub=right, bounds=(0, None), method="highs", options=exact)
    if found.x is None:
        raise SizeError(f"the linear program could not be solved: {found.message}")
    return np.clip(found.x, 0, None), max(-float(found.ineqlin.marginals[-1]), 0.0)
