"""Refinement: when one channel can be simulated by post-processing another, so is never less safe."""

import numpy as np

from quiff.core.channel import Channel
from quiff.core.kernels import ProductKernel
from quiff.core.labels import aligned
from quiff.core.limits import check_fits
from quiff.core.numbers import Array, to_float
from quiff.errors import SizeError

# The largest entry of |C - D R| that still counts as equal.
TOLERANCE = 1e-8


def refines(C: Channel, D: Channel) -> bool:
    """Tell whether C = D @ R for some channel R: then C leaks no more than D, for every prior and gain.

    The answer is that of a linear program in floats: two entries count as equal if they differ by at most
    1e-8, so that a channel whose smallest probabilities lie below that may be taken for a refinement.

    Examples
    --------
    >>> from quiff import Channel, refines
    >>> D = Channel.identity(["Alice", "Bob"])
    >>> C = Channel([[0.75, 0.25], [0.25, 0.75]], inputs=["Alice", "Bob"])
    >>> refines(C, D), refines(D, C)
    (True, False)
    """
    return refinement_witness(C, D) is not None


def refinement_witness(C: Channel, D: Channel) -> Channel | None:
    """Return a channel R with C = D @ R, or None if there is none.

    A linear program in floats (HiGHS): the R that makes the sum of |C - D R| least. It counts as a witness
    if no entry of that difference exceeds 1e-8.

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
    order = aligned(C.inputs, D.inputs, "first channel", "second channel")
    second = D.kernel if order is None else D.kernel.take_rows(order)
    rows, _ = ProductKernel([C.kernel, second]).distinct_rows()  # equal rows ask for the same
    goal, given = (to_float(kernel.take_rows(rows).to_dense()) for kernel in (C.kernel, second))
    processing = _best_processing(goal, given)
    if np.abs(given @ processing - goal).max() > TOLERANCE:
        return None
    return Channel(processing, inputs=D.outputs, outputs=C.outputs)


def _best_processing(goal: Array, given: Array) -> Array:
    """Return the stochastic R that makes the sum of the entries of |goal - given R| least."""
    from scipy.optimize import linprog
    from scipy.sparse import block_array, coo_array, eye_array, kron

    (n, q), p = goal.shape, given.shape[1]
    check_fits(n * q, 4 * p)  # the entries of the matrix below, in the three forms that it takes
    # Variables: R row by row, then what is too little and too much: given R + little - much = goal, R 1 = 1.
    slack = eye_array(n * q)
    found = linprog(  # type: ignore[call-overload]  # the stubs know no sparse matrices
        np.r_[np.zeros(p * q), np.ones(2 * n * q)],
        A_eq=block_array(
            [
                [kron(coo_array(given), eye_array(q)), slack, -slack],
                [kron(eye_array(p), np.ones((1, q))), None, None],
            ],
            format="csr",
        ),
        b_eq=np.r_[goal.reshape(-1), np.ones(p)],
        bounds=(0, None),
        method="highs",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    if found.x is None:
        raise SizeError(f"the linear program could not be solved: {found.message}")
    R = np.clip(found.x[: p * q].reshape(p, q), 0, None)
    return np.asarray(R / R.sum(axis=1, keepdims=True))
