"""Shannon capacity: the most bits that a channel can tell, with a bound on how far the answer is off."""

from dataclasses import dataclass
from typing import final

import numpy as np

from quiff.core.channel import Channel
from quiff.core.kernels import Kernel
from quiff.core.numbers import Array, Number, product
from quiff.core.prior import Prior
from quiff.errors import ParameterError, typed

_FEW = 1000  # inputs up to which Newton's steps are taken
_BETWEEN = 20  # plain steps from one of Newton's to the next
_LEAST = 1e-200
_IN_USE = 1e-9


@final
@dataclass(frozen=True)
class Capacity:
    """The most that a channel can leak, over all priors.

    Attributes
    ----------
    value
        What leaks under `prior`.
    prior
        A prior under which so much leaks.
    gap
        How much more another prior may leak at most; 0 where the value is exact.
    """

    value: Number
    prior: Prior
    gap: float = 0.0


@typed
def shannon_capacity(C: Channel, gap: float = 1e-9, steps: int = 10_000) -> Capacity:
    """Return max_pi I(X; Y) in bits, with the prior that reaches it and a certified bound on the error.

    The Blahut-Arimoto iteration, with longer steps where these help. For any prior p, the capacity lies
    between sum_x p_x D_x and max_x D_x, where D_x = sum_y C[x,y] log2 C[x,y] / (p C)_y. Of channels that are
    symmetric or deterministic the first p is the best one, and the answer log2 of the number of outputs less
    the entropy of a row.

    Parameters
    ----------
    C
        The channel; large ones keep their structure.
    gap
        When to stop, in bits.
    steps
        After how many to stop in any case; the `gap` of the result tells how far it came.

    Examples
    --------
    >>> from quiff import Channel, shannon_capacity
    >>> found = shannon_capacity(Channel([[0.9, 0.1, 0], [0, 0.1, 0.9]]))
    >>> round(found.value, 9), found.prior[0], found.gap < 1e-9
    (0.9, 0.5, True)
    """
    if not gap > 0:
        raise ParameterError(what="the gap", value=gap, allowed="a positive number of bits")
    first, _ = C.kernel.distinct_rows()  # of equal inputs, one will do
    kernel = C.kernel.take_rows(first).telling()
    best, high = _blahut_arimoto(kernel, gap, steps)
    value = max(float(best @ _divergences(kernel, best)), 0.0)
    weights = np.zeros(C.inputs.size)
    weights[first] = best
    return Capacity(value, Prior.from_array(C.inputs, weights / weights.sum()), max(high - value, 0.0))


def _blahut_arimoto(kernel: Kernel, gap: float, steps: int) -> tuple[Array, float]:
    """Return the best weights found, and the least upper bound."""
    n = kernel.n_rows
    entropies = kernel.row_entropies()
    best, low, high, length = np.full(n, 1 / n), -np.inf, np.inf, 1.0
    trial = best
    matrix = kernel.to_dense().astype(np.float64) if n <= _FEW and kernel.n_columns <= 10 * _FEW else None
    for step in range(steps):
        apart = _divergences(kernel, trial, entropies)
        told = float(trial @ apart)
        high = min(high, float(apart.max()))
        if told >= low:
            best, low, there, length = trial, told, apart, 1.3 * length
        else:
            length = 1.0
        if high - low <= gap:
            break
        if matrix is not None and step % _BETWEEN == _BETWEEN - 1:
            # An input that would help gets some weight first: at 0 nothing is linear.
            least = 10.0 ** -(3 + 3 * (step // _BETWEEN % 3))
            start = _normal(np.where(there > low, np.maximum(best, least), best))
            trial = _newton(matrix, start, _divergences(kernel, start, entropies))
        else:
            trial = _normal(best * np.exp2(length * (there - there.max())))
    return best, high


def _newton(matrix: Array, p: Array, apart: Array) -> Array:
    """Return the best weights, were all D_x linear in them: those that would be negative are left out."""
    used = np.flatnonzero((p > _IN_USE) | (apart > p @ apart))
    q = p @ matrix
    scaled = matrix[:, q > 0] / np.sqrt(q[q > 0] * np.log(2))
    trial = np.zeros_like(p)
    trial[used] = p[used]
    while used.size > 1:
        rows = scaled[used]
        here = apart[used] - rows @ (scaled.T @ (trial - p))  # - dD_x / dp_x' = sum_y C[x,y] C[x',y] / q_y
        system = np.block([[rows @ rows.T, np.ones((used.size, 1))], [np.ones(used.size), np.zeros(1)]])
        move = np.linalg.lstsq(system, np.append(here, 1 - trial.sum()), rcond=1e-14)[0][:-1]
        below = trial[used] + move < 0
        if not below.any():
            trial[used] += move
            break
        trial[used[below]] = 0.0
        used = used[~below]
    return _normal(trial) if trial.sum() > 0 else p


def _normal(weights: Array) -> Array:
    weights = np.maximum(weights / weights.sum(), _LEAST)
    return np.asarray(weights / weights.sum())


def _divergences(kernel: Kernel, p: Array, entropies: Array | None = None) -> Array:
    """Return D_x = - H(C_x) - sum_y C[x,y] log2 q_y for each x, where q = p C."""
    found = -(kernel.row_entropies() if entropies is None else entropies)
    for head, leaf in kernel.slices():
        q = leaf.left_multiply((p if head is None else product(p, head))[np.newaxis, :])[0]
        logs = leaf.right_multiply(np.log2(q, where=q > 0, out=np.zeros_like(q))[:, np.newaxis])[:, 0]
        found = found - (logs if head is None else product(head, logs))
    return np.asarray(found)
