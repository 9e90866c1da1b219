"""Refinement: when one channel is never less safe than another, else for whom; and factors of channels."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, final

import numpy as np

from quiff.core.channel import Channel
from quiff.core.gain import Gain
from quiff.core.hyper import hyper
from quiff.core.kernels import Kernel, ProductKernel
from quiff.core.labels import aligned
from quiff.core.limits import check_fits
from quiff.core.linear_program import Program, times
from quiff.core.numbers import Array, Number, is_exact, quotient, same_kind, to_float
from quiff.core.prior import Prior
from quiff.errors import ParameterError, typed
from quiff.measures.capacity import log_ratios
from quiff.measures.vulnerability import max_case_vulnerability, posterior_vulnerability

_FEW = 20
Order = Literal["average", "max-case", "privacy"]


@final
@dataclass(frozen=True)
class Counterexample:
    """A prior and a gain for which one channel leaks more than another.

    Attributes
    ----------
    prior, gain
        What the adversary knows and wants.
    first, second
        The vulnerability after the first channel, and the smaller one after the second: the posterior
        vulnerability for the average order, else the max-case one.
    """

    prior: Prior
    gain: Gain
    first: Number
    second: Number


@typed
def refines(C: Channel, D: Channel, order: Order = "average") -> bool:
    """Tell whether C is at least as safe as D, for every prior and gain.

    Parameters
    ----------
    C, D
        Two channels from the same inputs.
    order
        What is compared. ``"average"``: the posterior vulnerability; so it is if and only if C = D @ R for
        some channel R. ``"max-case"``: the vulnerability after the worst output; if and only if every
        posterior of C is a mixture of posteriors of D. ``"privacy"``: the epsilon for each pair of inputs,
        so that C has every metric privacy that D has. Each implies the next.

    Notes
    -----
    The answer is that of linear programs: in fractions, with a proof, where both channels are exact and up to
    about 20 x 20 (a second or two), else in floats, where least squares often save the program. There two
    entries count as equal if they differ by at most 1e-8, so that a channel whose smallest probabilities lie
    below that may be taken for a refinement.

    Examples
    --------
    >>> from quiff import Channel, refines
    >>> D = Channel.identity(["Alice", "Bob"])
    >>> C = Channel([[0.75, 0.25], [0.25, 0.75]], inputs=["Alice", "Bob"])
    >>> refines(C, D), refines(D, C)
    (True, False)
    """
    return _decide(C, D, order, widest=False) is None


@typed
def counterexample(C: Channel, D: Channel, order: Order = "average") -> Counterexample | None:
    """Return a prior and a gain for which C leaks more than D, or None if C refines D.

    Parameters
    ----------
    C, D, order
        As for `refines`.

    Examples
    --------
    >>> from quiff import Channel, counterexample
    >>> C = Channel([[0.75, 0.25], [0.25, 0.75]])
    >>> found = counterexample(Channel.identity(range(2)), C)
    >>> found.first, found.second
    (1.0, 0.75)
    """
    result = _decide(C, D, order, widest=True)
    if result is None:
        return None
    prior, gain = result
    measure = posterior_vulnerability if order == "average" else max_case_vulnerability
    return Counterexample(prior, gain, measure(prior, C, gain), measure(prior, D, gain))


@typed
def refinement_distance(prior: Prior, C: Channel, D: Channel) -> Number:
    """Return how far C is from refining D: the most by which V_g[pi > C] can exceed V_g[pi > D].

    Over all gains whose vulnerability lies between 0 and 1. It is 0 if C refines D, and else the part of C
    that no processing of D can be: 1 - max sum_xz (J R)[x,z], where J[x,y] = pi_x D[x,y], R has rows that sum
    to 1 at most, and (J R)[x,z] <= pi_x C[x,z].

    Examples
    --------
    >>> from quiff import Channel, Prior, refinement_distance
    >>> C, D = (Channel([[p, 1 - p], [1 - p, p]]) for p in (0.75, 0.625))
    >>> prior = Prior.uniform(range(2))
    >>> refinement_distance(prior, D, C), round(refinement_distance(prior, C, D), 9)
    (0.0, 0.333333333)
    """
    weights, total = prior.weights_for(C.inputs, "channel")
    used = np.flatnonzero(np.asarray(weights) > 0)
    mass, goal, base = same_kind(
        quotient(np.array(weights[used]), np.asarray(total)),
        C.kernel.take_rows(used).to_dense(),
        D.kernel_for(C.inputs, "first channel", "second channel").take_rows(used).to_dense(),
    )
    check_fits(goal.size, 4 * base.shape[1])
    goal, base = goal * mass[:, np.newaxis], base * mass[:, np.newaxis]
    linear = Program()
    R = linear.variables((base.shape[1], goal.shape[1]))
    rest = linear.variables(goal.size, cost=1)
    linear.add(times(base, R), (rest, 1), right=goal.ravel())
    linear.add((R, 1), right=1, at_most=True)
    value = linear.optimum().value
    return max(value, 0.0) if isinstance(value, float) else value


@final
@dataclass(frozen=True)
class Deficiency:
    """How far the best processing of one channel stays from another, and who notices the difference.

    Attributes
    ----------
    value
        The least total variation that is left in the worst row.
    processing
        The channel R for which C @ R is that near to D.
    prior, gain
        An adversary with gains in [0, 1] who does better with D by just that much: the posterior
        vulnerability after D less that after C is `value`. None where nothing is left.
    """

    value: Number
    processing: Channel
    prior: Prior | None
    gain: Gain | None


@typed
def deficiency(C: Channel, D: Channel) -> Deficiency:
    """Return Le Cam's deficiency of C with respect to D: how far D is from refining C.

    min over channels R of max_x tv((C R)_x, D_x). It is 0 if and only if ``refines(D, C)``, and otherwise the
    most by which anybody does better with D than with C, over all priors and gains in [0, 1] (L. Le Cam,
    Sufficiency and approximate sufficiency, Annals of Mathematical Statistics 35, 1964). Where
    `refinement_distance` fixes the prior, this takes the worst.

    Parameters
    ----------
    C, D
        Two channels from the same inputs. The answer is a fraction where both are exact and small.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from quiff import Channel, deficiency, posterior_vulnerability
    >>> C, D = (Channel([[1 - e, e], [e, 1 - e]]) for e in (Fraction(1, 5), Fraction(1, 10)))
    >>> worst = deficiency(C, D)
    >>> worst.value, deficiency(D, C).value
    (Fraction(1, 10), Fraction(0, 1))
    >>> after_c, after_d = (posterior_vulnerability(worst.prior, K, worst.gain) for K in (C, D))
    >>> after_d - after_c
    Fraction(1, 10)
    """
    first, goal, base = distinct(D, C)  # in the order of D
    (n, q), p = goal.shape, base.shape[1]
    check_fits(n * q, 4 * p)
    # C R + little - much = D, sum_z little <= t in each row, R 1 = 1; the least t.
    linear = Program()
    R, little, much = (linear.variables(shape) for shape in ((p, q), (n, q), (n, q)))
    t = linear.variables(1, cost=1)
    cells = linear.add(times(base, R), (little.ravel(), 1), (much.ravel(), -1), right=goal.ravel())
    rows = linear.add((little, 1), (np.repeat(t, n), -1), at_most=True)
    linear.add((R, 1), right=1)
    result = linear.optimum()
    processed = Channel(distributions(result.x[R]), inputs=C.outputs, outputs=D.outputs)
    if result.value <= (0 if processed.exact else TOLERANCE):
        return Deficiency(0 * result.value, processed, None, None)
    # The duals are lambda_x, a prior, and 0 <= u[x,z] <= lambda_x, a prior times a gain of acting by z.
    weights, shares = -result.dual[rows], result.dual[cells].reshape(n, q)
    if not is_exact(weights):
        weights = np.clip(weights, 0, None)
        shares = np.clip(shares, 0, weights[:, np.newaxis])
    present = weights > 0
    gains = np.zeros((q, D.inputs.size), dtype=shares.dtype)
    mass = np.zeros(D.inputs.size, dtype=shares.dtype)
    mass[first[present]] = weights[present]
    gains[:, first[present]] = (shares[present] / weights[present, np.newaxis]).T
    prior = Prior.proportional(dict(zip(D.inputs, mass.tolist(), strict=True)))
    return Deficiency(result.value, processed, prior, Gain(gains, D.outputs, D.inputs))


def _decide(C: Channel, D: Channel, order: Order, *, widest: bool) -> tuple[Prior, Gain] | None:
    """Return None if C refines D, else a prior and a gain for which it leaks more, or with `widest` most."""
    orders: dict[str, Callable[[Channel, Channel, bool], tuple[Prior, Gain] | None]] = {
        "average": _average,
        "max-case": _max_case,
        "privacy": _privacy,
    }
    if order not in orders:
        raise ParameterError(what="the order", value=order, allowed=f"one of {', '.join(map(repr, orders))}")
    return orders[order](C, D, widest)


def _average(C: Channel, D: Channel, widest: bool) -> tuple[Prior, Gain] | None:
    first, goal, base = distinct(C, D)
    R, duals = processing(goal, base, widest=widest)
    if R is not None:
        return None
    # With the duals as gains, sum_xz C[x,z] g(z,x) is more than sum_y max_z sum_x D[x,y] g(z,x).
    chosen = np.zeros(C.inputs.size, dtype=np.int64)
    chosen[first] = 1
    gains = np.zeros((C.outputs.size, C.inputs.size), dtype=duals.dtype)
    gains[:, first] = _as_gains(duals.T)
    return Prior.from_count_array(C.inputs, chosen), Gain(gains, C.outputs, C.inputs)


def _max_case(C: Channel, D: Channel, widest: bool) -> tuple[Prior, Gain] | None:
    uniform = Prior.uniform(C.inputs)
    left, rest = hyper(uniform, C).inners, hyper(uniform, D).inners
    order = aligned(C.inputs, D.inputs, "first channel", "second channel")
    goal, base = same_kind(left.to_numpy(), rest.to_numpy()[:, order])
    for place, row in enumerate(goal):
        shares, duals = processing(row[:, np.newaxis], base.T, axis=0, widest=widest)
        if shares is None:  # the plane between this posterior and all of D's
            return uniform, Gain([_as_gains(duals[:, 0])], [left.inputs[place]], C.inputs)
    return None


def _privacy(C: Channel, D: Channel, widest: bool) -> tuple[Prior, Gain] | None:
    second, n = D.kernel_for(C.inputs, "first channel", "second channel"), C.inputs.size
    for some in (n,) if widest or n <= _FEW else (_FEW, n):  # a pair of the first ones will do
        left, allowed = (_log_distances(k.take_rows(np.arange(some))) for k in (C.kernel, second))
        with np.errstate(invalid="ignore"):  # infinite where infinite is allowed
            over = np.where(allowed == math.inf, -1.0, left - allowed)
        places = np.unravel_index(int(np.argmax(over)), over.shape)
        if over[places] > TOLERANCE:
            break
    else:
        return None
    pair = [C.inputs[int(place)] for place in places]
    ratios = np.array(list(log_ratios(C.kernel.take_rows(np.array(places)))))
    if ratios[1, 0] > ratios[0, 1]:
        pair.reverse()
    gain = Gain([[int(label == pair[0]) for label in C.inputs]], [pair[0]], C.inputs)
    return Prior({label: Fraction(int(label in pair), 2) for label in C.inputs}), gain


def _as_gains(duals: Array) -> Array:
    """Bring numbers from -1 .. 1 to 0 .. 1."""
    gains = (1 + duals) / 2
    return gains if is_exact(gains) else np.clip(gains, 0.0, 1.0)


def _log_distances(kernel: Kernel) -> Array:
    """Return max_y |ln C[x,y] / C[x',y]| for each x and x'."""
    check_fits(kernel.n_rows, kernel.n_rows)
    ratios = np.array(list(log_ratios(kernel)))
    return np.asarray(np.maximum(ratios, ratios.T))


# The largest difference between floats that still count as equal.
TOLERANCE = 1e-8
# How many entries a matrix may have that is inverted to save a linear program: about a second.
_QUICK = 1_000_000


@typed
def refinement_witness(C: Channel, D: Channel) -> Channel | None:
    """Return a channel R with C = D @ R, the right factor of C by D, or None if there is none.

    A linear program: the R that makes the sum of |C - D R| least; in floats it is solved only where least
    squares leave doubt. There R counts as a witness if no entry of that difference exceeds 1e-8.

    Examples
    --------
    >>> from quiff import Channel, refinement_witness
    >>> C = Channel([[0.75, 0.25], [0.25, 0.75]], inputs=["Alice", "Bob"], outputs=["y", "z"])
    >>> refinement_witness(C, Channel.identity(["Alice", "Bob"]))
    Channel from 2 inputs to 2 outputs
           y     z
    Alice  0.75  0.25
    Bob    0.25  0.75
    """
    _, goal, base = distinct(C, D)
    R, _ = processing(goal, base)
    return None if R is None else Channel(R, inputs=D.outputs, outputs=C.outputs)


@typed
def left_factor(C: Channel, D: Channel) -> Channel | None:
    """Return a channel L with C = L @ D, or None if there is none: every row of C is a mixture of rows of D.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from quiff import Channel, left_factor
    >>> left_factor(Channel([[Fraction(1, 3), Fraction(2, 3)]]), Channel.identity(range(2)))
    Channel from 1 input to 2 outputs
       0    1
    0  1/3  2/3
    """
    order = aligned(C.outputs, D.outputs, "first channel", "second channel")
    goal, base = same_kind(C.kernel.to_dense(), D.kernel.to_dense()[:, order])
    mixtures, _ = processing(goal.T, base.T, axis=0)
    return None if mixtures is None else Channel(mixtures.T, inputs=C.inputs, outputs=D.inputs)


def distinct(C: Channel, D: Channel) -> tuple[Array, Array, Array]:
    """Return one input of each kind, and both matrices there: equal rows ask for the same."""
    second = D.kernel_for(C.inputs, "first channel", "second channel")
    first, _ = ProductKernel([C.kernel, second]).distinct_rows()
    goal, base = same_kind(*(kernel.take_rows(first).to_dense() for kernel in (C.kernel, second)))
    return first, goal, base


def processing(
    goal: Array, given: Array, *, axis: int = 1, widest: bool = False
) -> tuple[Array | None, Array]:
    """Return R without negative numbers and goal = given R, or None and duals that tell why not.

    Rows of R sum to 1, or columns with axis 0: then they are mixtures of the columns of the given matrix. The
    duals lie between -1 and 1; with `widest` they are those that tell most.
    """
    (n, q), p = goal.shape, given.shape[1]
    if not is_exact(goal) and not is_exact(given) and given.size <= _QUICK:  # least squares may settle it
        inverse = np.linalg.pinv(given)
        R = inverse @ goal
        rows = distributions(R, axis)
        if _near(given @ rows, goal):
            return rows, 0 * goal
        y, z = np.unravel_index(np.argmin(R / (np.abs(inverse).max(axis=1, keepdims=True) + 1e-300)), R.shape)
        negative = np.zeros((n, q))
        negative[:, z] = -inverse[y]
        # sum_xz (goal - given R) u <= |u| sum_xz |goal - given R| for every R: u proves what exceeds rounding
        for u in () if widest else (goal - given @ R, negative):
            missing = (goal * u).sum() - (given.T @ u).max(axis=axis).sum()
            if missing > TOLERANCE * n * q * np.abs(u).max():
                return None, u / np.abs(u).max()
    check_fits(n * q, 4 * p)  # the entries of the matrix below, in the three forms that it takes
    linear = Program()
    R = linear.variables((p, q))
    little, much = (linear.variables(n * q, cost=1) for _ in range(2))
    cells = linear.add(times(given, R), (little, 1), (much, -1), right=goal.ravel())
    linear.add((R if axis else R.T, 1), right=1)
    result = linear.optimum()
    R, duals = result.x[R], result.dual[cells].reshape(n, q)
    if is_exact(R):
        return None if result.value > 0 else R, duals
    rows = distributions(R, axis)
    return rows if _near(to_float(given) @ rows, goal) else None, duals


def distributions(rows: Array, axis: int = 1) -> Array:
    """Take from rows what is negative by rounding, and make them sum to 1: any do where all are 0."""
    if is_exact(rows):
        return rows
    if axis == 0:
        return distributions(rows.T).T
    rows = np.clip(rows, 0, None)
    rows[~rows.any(axis=1), 0] = 1
    return np.asarray(rows / rows.sum(axis=1, keepdims=True))


def _near(built: Array, goal: Array) -> bool:
    return bool(np.abs(built - to_float(goal)).max() <= TOLERANCE)
