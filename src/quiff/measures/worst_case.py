"""The worst prior, or the worst gain: how much can leak to an adversary of whom only one of them is known."""

import heapq
from collections.abc import Callable, Hashable
from fractions import Fraction
from typing import Any, Literal

import numpy as np

from quiff.core.channel import Channel
from quiff.core.gain import Gain
from quiff.core.kernels.base import scale_rows
from quiff.core.labels import aligned
from quiff.core.limits import check_fits
from quiff.core.linear_program import Program
from quiff.core.numbers import (
    Array,
    Number,
    as_fractions,
    as_number,
    filled,
    is_exact,
    quotient,
    to_float,
    unified,
)
from quiff.core.prior import Prior
from quiff.errors import GainError, ParameterError, typed
from quiff.measures.capacity import Capacity, bayes_capacity
from quiff.measures.distances import diameter
from quiff.measures.vulnerability import leakage, max_case_vulnerability, vulnerability

_ENTRIES = 6  # numbers that the matrix of a mixed program holds for each variable


@typed
def additive_capacity(
    C: Channel,
    prior: Prior | None = None,
    of: Literal["vulnerabilities", "one-spanning", "gains"] = "vulnerabilities",
) -> Number:
    """Return the most additive leakage of any gain, under a given prior or under any.

    Parameters
    ----------
    C
        The channel; large ones keep their structure.
    prior
        What the adversary knows; None is anything. Only its support matters for vulnerabilities.
    of
        Which gains are considered: those whose vulnerability lies between 0 and 1 for every prior
        (``"vulnerabilities"``: 1 - sum_y min_x C[x,y]), those of which no action's gains are more than 1
        apart, wherever they lie (``"one-spanning"``: the expected total variation between prior and
        posterior; Alvim et al., The Science of Quantitative Information Flow, 2020, Ch. 8), or only those
        that lie between 0 and 1 themselves (``"gains"``).

    Examples
    --------
    >>> from quiff import Channel, Prior, additive_capacity
    >>> C, prior = Channel([[0.75, 0.25], [0.25, 0.75]]), Prior({0: 0.75, 1: 0.25})
    >>> additive_capacity(C), additive_capacity(C, prior, of="one-spanning")
    (0.5, 0.1875)
    >>> additive_capacity(C, prior, of="gains")
    0.125
    """
    kernel = C.kernel
    if of not in ("vulnerabilities", "one-spanning", "gains"):
        raise ParameterError(what="of", value=of, allowed="'vulnerabilities', 'one-spanning' or 'gains'")
    if of == "vulnerabilities":
        if prior is not None:
            weights, _ = prior.weights_for(C.inputs, "channel")
            kernel = kernel.take_rows(np.flatnonzero(np.asarray(weights) > 0))
        return 1 - as_number(kernel.column_min(filled(np.int64(1), kernel.n_rows)).sum())
    if prior is None:
        raise ParameterError("the worst of these gains depends on the prior; give one")
    weights, total = prior.weights_for(C.inputs, "channel")
    if of == "gains":
        return as_number(_most_by_gains(*unified(C.to_numpy(), np.array(weights))), total)
    # sum_y p(y) tv(pi, posterior of y) = 1/2 sum_xy pi_x |C[x,y] - p(y)|
    moved: Any = 0
    for _, block in kernel.blocks():
        matrix, mass = unified(block, np.array(weights))
        outer = quotient(mass @ matrix, np.asarray(total))
        moved = moved + scale_rows(np.abs(matrix - outer), mass).sum()
    return as_number(moved, total) / 2


def _most_by_gains(matrix: Array, mass: Array) -> Any:
    """Return the largest additive leakage, times the sum of the masses, of gains between 0 and 1.

    It is a linear program: maximise sum_xy J[x,y] g(y,x) - t over 0 <= g <= 1 and t, with
    sum_x pi_x g(y,x) <= t for each y: an action for each output, none of which is worth more than t a priori.
    For a fixed t it falls apart into one knapsack for each output, which the secrets x fill in falling order
    of J[x,y]/pi_x = C[x,y]. So the value is concave in t, with the slope sum_y C[x_y,y] - 1, where x_y is the
    secret that fills the knapsack of y at t; the slopes above 0 are added up.
    """
    order = np.argsort(-matrix, axis=0, kind="stable")
    falling, ends = np.take_along_axis(matrix, order, axis=0), np.cumsum(mass[order], axis=0)
    steps = np.diff(falling, axis=0).reshape(-1)  # how the slope changes where a secret is full
    places = np.concatenate([0 * mass[:1], ends[:-1].reshape(-1)])
    changes = np.concatenate([falling[:1].sum(axis=1) - 1, steps])
    by_place = np.argsort(places, kind="stable")
    slopes = np.cumsum(changes[by_place])
    lengths = np.diff(np.append(places[by_place], mass.sum()))
    return (np.maximum(slopes, 0) * lengths).sum()


@typed
def predicate_capacity(
    C: Channel, predicate: Callable[[Any], Hashable] | None = None, risk: bool = False
) -> Capacity:
    """Return the most that C leaks about a yes-or-no question on the secret, under any prior.

    It is 1 + d, where d is the largest total variation between two rows that the question tells apart; the
    worst prior is undecided between the two inputs.

    Parameters
    ----------
    C
        The channel.
    predicate
        The question, a function of the input; None is the worst of all questions.
    risk
        Whether to ask for the ratio of Bayes risks, 1 / (1 - d), instead of that of vulnerabilities. Without
        a predicate this is the Bayes-risk capacity of C.

    Examples
    --------
    >>> from quiff import Channel, predicate_capacity
    >>> C = Channel([[0.75, 0.25], [0.5, 0.5], [0.25, 0.75]])
    >>> predicate_capacity(C).value, predicate_capacity(C, risk=True).value
    (1.5, 2.0)
    """
    apart, x, y = diameter(C, predicate)
    half = Fraction(1, 2) if C.exact else 0.5
    prior = Prior.point(C.inputs, x) if x == y else Prior({z: half * (z in (x, y)) for z in C.inputs})
    if not risk:
        return Capacity(1 + apart, prior)
    # 1 - apart is what the two rows share: summed from there, rows without a common output share nothing
    rows = C.kernel.take_rows(C.inputs.positions([x, y]))
    shared = as_number(rows.column_min(filled(np.int64(1), 2)).sum())
    return Capacity(float("inf") if shared == 0 else 1 / shared, prior)


@typed
def worst_prior(
    C: Channel,
    gain: Gain | None = None,
    additive: bool = False,
    max_case: bool = False,
    seconds: float = 60.0,
) -> Capacity:
    """Return the prior under which C leaks most to an adversary with a given gain, and how much that is.

    Without a gain (Bayes) it is the uniform prior for the ratio; for the difference it is uniform on some of
    the inputs, and to find which is hard. That, and any other gain, goes by a mixed linear program: for
    small channels.

    Parameters
    ----------
    C, gain
        The channel and the gain; None is Bayes.
    additive
        Whether the difference of the vulnerabilities counts, and not their ratio.
    max_case
        Whether the worst output counts, and not the average of all: max_y V_g(posterior given y) / V_g(pi).
        ``max_case_capacity(C)`` is the most of that for any gain.
    seconds
        When to stop; the `gap` of the result then tells what could not be excluded.

    Examples
    --------
    >>> from quiff import Channel, worst_prior
    >>> found = worst_prior(Channel([[1, 0], [1, 0], [0, 1]]), additive=True)
    >>> found.value, found.prior
    (Fraction(1, 2), Prior on 3 labels
       p
    0  1/2
    1  0
    2  1/2)
    """
    gains = None if gain is None else _gains(C, gain)
    if max_case:
        return _worst_output(C, gain, gains, additive)
    if gain is None and not additive:
        return Capacity(bayes_capacity(C), Prior.uniform(C.inputs))
    if gains is None:
        first, _ = C.kernel.distinct_rows()
        check_fits(first.size * C.outputs.size, _ENTRIES)
        chosen, high = _worst_subset(to_float(C.kernel.take_rows(first).to_dense()), seconds)
        weights = np.zeros(C.inputs.size, dtype=np.int64)
        weights[first[chosen]] = 1
        prior = Prior.from_count_array(C.inputs, weights)
    else:
        check_fits(gains.size * C.outputs.size, _ENTRIES)
        numbers, high = _worst_weights(to_float(C.kernel.to_dense()), gains, additive, seconds)
        prior = Prior.proportional(dict(zip(C.inputs, numbers.tolist(), strict=True)))
    value = leakage(prior, C, gain, additive)
    return Capacity(value, prior, max(high - float(value), 0.0))


def _gains(C: Channel, gain: Gain) -> Array:
    """Return the matrix of gains in floats, in the order of the channel's inputs."""
    order = aligned(C.inputs, gain.inputs, "channel", "gain")
    gains = to_float(gain.to_numpy()[:, order])
    if not gains.any():
        raise GainError("no action gains anything, so there is no ratio")
    return gains


def _worst_output(C: Channel, gain: Gain | None, gains: Array | None, additive: bool) -> Capacity:
    if additive:
        raise ParameterError("the worst output is about a ratio; ask for additive or for max_case")
    if gains is None:
        prior, high = Prior.from_count_array(C.inputs, _worst_output_for_bayes(C)), 0.0
    else:
        useless = np.flatnonzero(gains.max(axis=0) <= 0)
        if useless.size:
            raise GainError(f"no action gains anything from {C.inputs[int(useless[0])]!r}; there is no limit")
        weights, high = _worst_output_weights(to_float(C.kernel.to_dense()), gains)
        prior = Prior.proportional(dict(zip(C.inputs, weights.tolist(), strict=True)))
    value = max_case_vulnerability(prior, C, gain) / vulnerability(prior, gain)
    return Capacity(value, prior, max(high - float(value), 0.0))


def _worst_subset(matrix: Array, seconds: float) -> tuple[Array, float]:
    """Return the inputs on which a uniform prior leaks most, and an upper bound.

    With weight t on each chosen input: max sum_y max_x t C[x,y] - t. Variables: s_x in {0, 1} whether x is
    chosen; p_x = t s_x; z[x,y] <= p_x, the part of output y that is guessed to be x, at most t over all x.
    """
    n, m = matrix.shape
    program = Program()
    z, t = program.variables((n, m), cost=-matrix), program.variables(1, cost=1)
    p, s = program.variables(n), program.variables(n, most=1)
    program.add((z.reshape(-1), 1), (np.repeat(p, m), -1), at_most=True)
    program.add((z.T, 1), (np.repeat(t, m), -1), at_most=True)
    t_each = np.repeat(t, n)
    program.add((p, 1), (t_each, -1), at_most=True)
    program.add((p, 1), (s, -1), at_most=True)
    program.add((t_each, 1), (p, -1), (s, 1), right=1, at_most=True)
    program.add((p[np.newaxis], 1), right=1)
    best, low = program.solve_whole(s, seconds)
    return np.flatnonzero(best[s] > 0.5) if best is not None else np.arange(n), -low


def _worst_weights(matrix: Array, gains: Array, additive: bool, seconds: float) -> tuple[Array, float]:
    """Return the weights of the inputs under which most leaks, and an upper bound.

    V_g[p > C] = max over plans S of sum p_x C[x,y] S[y,w] g(w,x). Variables: u[y,w,x] = p_x S[y,w], with S in
    {0, 1}, and V_g(p) <= t, where t is 1 for the ratio.
    """
    (n, m), a = matrix.shape, gains.shape[0]
    most = gains.max(axis=0)
    bound = np.ones(n) if additive else np.divide(1, most, where=most > 0, out=np.zeros(n))
    program = Program()
    u = program.variables((m, a, n), cost=-(matrix.T[:, np.newaxis, :] * gains))
    p, t = program.variables(n), program.variables(1, cost=int(additive))
    S = program.variables((m, a), most=1)
    program.add((u.reshape(-1), 1), (np.repeat(S, n), -np.tile(bound, m * a)), at_most=True)
    program.add((np.swapaxes(u, 1, 2).reshape(m * n, a), 1), (np.tile(p, m), -1))
    program.add((S, 1), right=1)
    program.add((np.tile(p, (a, 1)), gains), (np.repeat(t, a), -1), at_most=True)
    if additive:
        program.add((p[np.newaxis], 1), right=1)
    else:
        program.add((t, 1), right=1)
        program.add((p, 1), right=bound, at_most=True)
    best, low = program.solve_whole(S, seconds)
    return (np.clip(best[p], 0, None) if best is not None else np.ones(n)), -low


_CLOSE = 1e-6  # how much larger another prior's ratio may be when the search stops
_PROGRAMS = 1_000  # before it stops in any case


def _worst_output_for_bayes(C: Channel) -> Array:
    """Return the weights of inputs under which one output helps a guess of the secret most.

    After output y, guess the x with the largest C[x,y]. Of a prior that is uniform on it and the k others
    with the smallest, the ratio is C[x,y] (1 + k) / (C[x,y] + sum of these); no prior does better.
    """
    best: tuple[Any, Array] = (0, np.zeros(0, dtype=np.intp))
    for _, block in C.kernel.blocks():
        order = np.argsort(block, axis=0, kind="stable")
        rising = np.take_along_axis(block, order, axis=0)
        most, rest = rising[-1], rising[:-1].cumsum(axis=0)
        sizes = np.arange(1, C.inputs.size + 1)
        sums = np.concatenate([most[np.newaxis], rest + most])
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


def _worst_output_weights(matrix: Array, gains: Array) -> tuple[Array, float]:
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
    program = Program()
    r = program.variables(value.size, cost=-value)
    program.add((np.tile(r, (gains.shape[0], 1)), gains), right=1.0, at_most=True)
    if surplus is not None:
        program.add((r[np.newaxis], -surplus[np.newaxis]), at_most=True)
    best = program.optimum()
    return np.clip(best.x, 0, None), max(-float(best.dual[-1]), 0.0)
