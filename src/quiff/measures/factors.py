"""A channel as a product with another: what processing its output, or its input, can make of it."""

from contextlib import suppress
from typing import Any

import numpy as np

from quiff.core.channel import Channel
from quiff.core.kernels import ProductKernel
from quiff.core.labels import aligned
from quiff.core.limits import check_fits
from quiff.core.linear_program import Optimum, Program, minimise
from quiff.core.numbers import Array, is_exact, same_kind, to_float
from quiff.errors import SizeError, typed

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
    _, goal, given = distinct(C, D)
    R, _ = processing(goal, given)
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
    goal, given = same_kind(C.kernel.to_dense(), D.kernel.to_dense())
    given = given if order is None else given[:, order]
    mixtures = []
    for row in goal:
        weights, _ = mixture(row, given)
        if weights is None:
            return None
        mixtures.append(weights)
    return Channel(np.array(mixtures), inputs=C.inputs, outputs=D.inputs)


def distinct(C: Channel, D: Channel) -> tuple[Array, Array, Array]:
    """Return one input of each kind, and both matrices there: equal rows ask for the same."""
    order = aligned(C.inputs, D.inputs, "first channel", "second channel")
    second = D.kernel if order is None else D.kernel.take_rows(order)
    kept, _ = ProductKernel([C.kernel, second]).distinct_rows()
    goal, given = same_kind(*(kernel.take_rows(kept).to_dense() for kernel in (C.kernel, second)))
    return kept, goal, given


def processing(goal: Array, given: Array, *, widest: bool = False) -> tuple[Array | None, Array]:
    """Return the stochastic R with goal = given R, or None and duals that tell why not.

    The duals lie between -1 and 1; with `widest` they are those that tell most.
    """
    (n, q), p = goal.shape, given.shape[1]
    if _quick(goal, given):
        inverse = np.linalg.pinv(given)
        R = inverse @ goal
        rows = distributions(R)
        if _near(given @ rows, goal):
            return rows, 0 * goal
        y, z = np.unravel_index(np.argmin(R / _largest(inverse, 1)), R.shape)
        negative = np.zeros((n, q))
        negative[:, z] = -inverse[y]
        # sum_xz (goal - given R) u <= |u| sum_xz |goal - given R| for every R: u proves what exceeds rounding
        for u in () if widest else (goal - given @ R, negative):
            if (goal * u).sum() - (given.T @ u).max(axis=1).sum() > TOLERANCE * n * q * np.abs(u).max():
                return None, u / np.abs(u).max()
    check_fits(n * q, 4 * p)  # the entries of the matrix below, in the three forms that it takes
    # Variables: R row by row, then what is too little and too much: given R + little - much = goal, R 1 = 1.
    cells = np.arange(n * q)
    linear = program(
        [
            times(given, q),
            (cells, p * q + cells, 1),
            (cells, (p + n) * q + cells, -1),
            (n * q + np.arange(p * q) // q, np.arange(p * q), 1),
        ],
        np.repeat([0, 1], [p * q, 2 * n * q]),
        np.concatenate(same_kind(goal.ravel(), np.ones(p, dtype=np.int64))),
    )
    found = solved(linear)
    R, duals = found.x[: p * q].reshape(p, q), found.dual[: n * q].reshape(n, q)
    if is_exact(R):
        return None if found.value > 0 else R, duals
    rows = distributions(R)
    return rows if _near(to_float(given) @ rows, goal) else None, duals


def mixture(point: Array, rows: Array, *, widest: bool = False) -> tuple[Array | None, Array]:
    """Return weights with point = weights rows, or None and duals that tell why not.

    The duals lie between -1 and 1; with `widest` they are those that tell most.
    """
    k, m = rows.shape
    if _quick(point, rows):
        inverse = np.linalg.pinv(rows)
        shares = point @ inverse
        (weights,) = distributions(shares[np.newaxis])
        if _near(weights @ rows, point):
            return weights, 0 * point
        negative = -inverse[:, np.argmin(shares / _largest(inverse, 0))]
        for u in () if widest else (point - shares @ rows, negative):  # as in `processing`
            if point @ u - (rows @ u).max() > TOLERANCE * m * np.abs(u).max():
                return None, u / np.abs(u).max()
    cells = np.arange(m)
    at, column = (index.ravel() for index in np.indices(rows.shape))
    linear = program(
        [
            (column, at, rows.ravel()),
            (cells, k + cells, 1),
            (cells, k + m + cells, -1),
            (np.full(k, m), np.arange(k), 1),
        ],
        np.repeat([0, 1], [k, 2 * m]),
        np.concatenate(same_kind(point, np.ones(1, dtype=np.int64))),
    )
    found = solved(linear)
    if is_exact(found.x):
        return None if found.value > 0 else found.x[:k], found.dual[:m]
    (weights,) = distributions(found.x[np.newaxis, :k])
    return weights if _near(weights @ to_float(rows), point) else None, found.dual[:m]


def _quick(goal: Array, given: Array) -> bool:
    """Tell whether least squares may settle what a linear program would."""
    return not is_exact(goal) and not is_exact(given) and given.size <= _QUICK


def distributions(rows: Array) -> Array:
    """Take from rows what is negative by rounding, and make them sum to 1: any do where all are 0."""
    if is_exact(rows):
        return rows
    rows = np.clip(rows, 0, None)
    rows[~rows.any(axis=1), 0] = 1
    return np.asarray(rows / rows.sum(axis=1, keepdims=True))


def _near(made: Array, goal: Array) -> bool:
    return bool(np.abs(made - to_float(goal)).max() <= TOLERANCE)


def _largest(inverse: Array, axis: int) -> Array:
    """Return the largest entry of each row or column, at least some number above 0."""
    return np.asarray(np.abs(inverse).max(axis=axis, keepdims=axis == 1) + 1e-300)


def times(given: Array, width: int) -> tuple[Array, Array, Array]:
    """Return the entries of the matrix that multiplies R, row by row, from the left by a given one."""
    x, y, z = (index.ravel() for index in np.indices((*given.shape, width)))
    return x * width + z, y * width + z, np.repeat(given.ravel(), width)


def program(parts: list[tuple[Array, Array, Any]], cost: Array, right: Array) -> Program:
    """Put the entries of a program together; a number stands for the same at every place."""
    rows, columns = (np.concatenate([part[i] for part in parts]) for i in (0, 1))
    spread = [np.broadcast_to(np.asarray(part[2]), part[0].shape) for part in parts]
    return Program(np.asarray(cost), rows, columns, np.concatenate(same_kind(*map(np.array, spread))), right)


def solved(linear: Program) -> Optimum:
    """Return the optimum of a program that has one, in floats where fractions would take too long."""
    found = None
    with suppress(SizeError):
        found = minimise(linear)
    found = minimise(linear.in_floats()) if found is None else found
    if found is None:
        raise SizeError("the linear program could not be solved; give channels with fewer inputs or outputs")
    return found
