"""Linear programs on sets of topics: the least weight that covers all of them, or a share of them.

Many sets are handled by their violated constraints (fractional cover) or by a sample with a proven bound
(partial cover), so that 200 000 sets take seconds.
"""

import numpy as np
from scipy.optimize import brentq

from quiff.core.linear_program import Program
from quiff.core.numbers import Array

_FIRST = 2_000  # sets in the first program
_MORE = 3_000  # violated sets that the next one gets at most
_CLOSE = 1e-9
_TURNS = 100  # steps towards the lower bound
_RAMP = 0.02  # sets whose cover is so near to 1 count in part


def fractional_cover(codes: Array, width: int) -> tuple[Array, float]:
    """Return the least weights v >= 0 with v(S) >= 1 for every set, and their sum tau*.

    tau* is the fractional hitting number of the sets. Only sets that the last answer leaves short enter the
    next program, so that the last answer is optimal for all.

    Examples
    --------
    >>> weights, total = fractional_cover(np.array([[0, 1], [1, 2], [0, 2]]), 3)
    >>> weights.round(9).tolist(), round(total, 9)
    ([0.5, 0.5, 0.5], 1.5)
    """
    # Sets of rare topics bind first.
    rare = np.bincount(codes.ravel(), minlength=width)[codes].max(axis=1)
    active = np.argsort(rare, kind="stable")[:_FIRST]
    while True:
        program = Program(tolerance=1e-7)
        program.variables(width, cost=1.0)
        program.add((codes[active], -1), right=-1.0, at_most=True)
        best = program.optimum()
        cover = best.x[codes].sum(axis=1)
        short = np.flatnonzero(cover < 1 - _CLOSE)
        if short.shape[0] == 0:
            return best.x / cover.min(), float(best.value)
        worst = short[np.argsort(cover[short], kind="stable")][:_MORE]
        active = np.union1d(active, worst)


def partial_cover(
    codes: Array, width: int, share: Array, level: float, sample: tuple[Array, Array] | None = None
) -> tuple[Array, float]:
    """Return light weights v in [0, 1] with sum_S share(S) min(1, v(S)) >= level, and a lower bound on any.

    Without a sample the weights are the lightest there are, and the bound is their sum. With one, positions
    of sets and their shares in the sample, the program is solved for these, and its answer scaled so that it
    keeps to the level on all sets.

    Examples
    --------
    >>> codes, share = np.array([[0, 1], [1, 2], [2, 3]]), np.array([0.5, 0.3, 0.2])
    >>> weights, bound = partial_cover(codes, 4, share, 0.8)
    >>> weights.round(9).tolist(), round(bound, 9)
    ([0.0, 1.0, 0.0, 0.0], 1.0)
    """
    observed, weight = (codes, share) if sample is None else (codes[sample[0]], sample[1])
    program = Program(tolerance=1e-7)
    topics, part = program.variables(width, cost=1.0, most=1), program.variables(observed.shape[0], most=1)
    program.add((part, 1), (topics[observed], -1), at_most=True)
    program.add((part[np.newaxis], -weight[np.newaxis]), right=-level, at_most=True)
    best = program.optimum()
    weights = np.clip(best.x[topics], 0, 1)
    if sample is None:
        return weights, float(best.value)
    return _scaled(weights, codes, share, level), _dual_bound(codes, share, level, weights)


def _scaled(weights: Array, codes: Array, share: Array, level: float) -> Array:
    """Return the weights times the least factor that keeps to the level."""

    def excess(factor: float) -> float:
        return float(share @ np.minimum(1, np.minimum(1, factor * weights)[codes].sum(axis=1))) - level

    if abs(excess(1.0)) <= _CLOSE:
        return weights
    high = 1.0
    while excess(high) < 0:
        if high > 2**40:  # sets without any weight: give all topics a little
            return _scaled(np.maximum(weights, 1e-3), codes, share, level)
        high *= 2
    factor = brentq(excess, 0.0, high, xtol=1e-12)
    return np.minimum(1, factor * weights)


def _dual_bound(codes: Array, share: Array, level: float, weights: Array) -> float:
    """Return a lower bound on the sum of any weights that keep to the level.

    For every 0 <= y(S) <= share(S) and any v that keeps to the level,

        level <= sum_S share(S) min(1, v(S)) <= sum_S (share(S) - y(S)) + sum_t v_t load_t,

    load_t the sum of y(S) over the sets with t; so sum_t v_t >= (level - 1 + sum_S y(S))/max_t load_t. Good y
    are near share(S) where v(S) < 1 and near 0 where v(S) > 1: we start at good weights, and raise those of
    topics with too much load.
    """
    best, goal, prices = 0.0, weights.sum(), np.maximum(weights, _CLOSE**0.5)
    for turn in range(_TURNS):
        y = share * np.clip((1 + _RAMP - prices[codes].sum(axis=1)) / (2 * _RAMP), 0, 1)
        load = np.bincount(codes.ravel(), np.repeat(y, codes.shape[1]), weights.shape[0])
        paid = level - 1 + y.sum()
        if paid <= 0:
            break
        best = max(best, float(paid / load.max()))
        step = 0.1 / np.sqrt(1 + turn / 10) * (load * goal / paid - 1)
        prices = np.clip(prices * np.exp(np.clip(step, -0.3, 0.3)), 1e-5, 1)
    return best
