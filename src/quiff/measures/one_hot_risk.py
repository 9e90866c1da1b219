"""Each user's own risk where a secret marks one of many noisy cells, without a look at the outputs.

Relative to no mark, an output gives user x of cell i the likelihood rho_i, and users without a cell 1, with
independent rho. Of a cell only the users of the largest weight w_i are ever guessed; h_i of them tie. So

    R_x = sum over the values r of rho_i of P[r | mark] E[1/(h_i + S); nobody is above v],   v = w_i r,

where S counts the users of other cells j with w_j rho_j = v. As 1/(h + S) is the integral of t^(h+S-1) over
t = 0 .. 1, and the cells are independent, the expectation is the integral of
t^(h_i - 1) times the product over j of P[w_j rho_j < v] + P[w_j rho_j = v] t^h_j.
"""

from typing import Any

import numpy as np

from quiff.core.kernels.one_hot import OneHotKernel
from quiff.core.limits import check_work
from quiff.core.numbers import TIE, Array, tied, to_float

# t = exp(-exp(s)), by the trapezoidal rule, whose error vanishes fast for such integrands; beyond the ends
# they are below rounding.
_S = np.arange(-45.0, 5.0, 0.03)
_U = np.exp(_S)


def one_hot_risk(kernel: OneHotKernel, weights: Array, holders: Array) -> tuple[Array, Array]:
    """Return R_x and max_y P(x | y) of one user of each row, as `own_risk` does.

    Examples
    --------
    >>> kernel = OneHotKernel(np.array([0.75, 0.25]), np.array([0.25, 0.75]), np.array([0, 1]), 2)
    >>> own, worst = one_hot_risk(kernel, np.ones(2), np.ones(2))
    >>> own.round(6).tolist(), worst.round(6).tolist()
    ([0.75, 0.75], [0.9, 0.9])
    """
    weights, holders = to_float(weights) * np.ones(kernel.n_rows), to_float(holders) * np.ones(kernel.n_rows)
    cells, where = np.unique(kernel.places, return_inverse=True)
    heaviest = np.zeros(cells.shape[0])
    np.maximum.at(heaviest, where, weights)
    best = tied(weights, heaviest[where])
    ties = np.bincount(where[best], holders[best], cells.shape[0])
    won = _won(kernel, cells, heaviest, ties)
    own = np.where(best & (weights > 0), won[where], 0.0)
    mass = np.bincount(where, weights * holders, cells.shape[0])
    return own, _worst(kernel, cells, where, weights, mass)


def _laws(kernel: OneHotKernel) -> tuple[Array, Array, Array, float]:
    """Return the values of rho, their probability without a mark and with one, and that of a sure mark."""
    seen = kernel.base > 0
    ratios, which = np.unique(kernel.marked[seen] / kernel.base[seen], return_inverse=True)
    laws = [np.bincount(which, law[seen], ratios.shape[0]) for law in (kernel.base, kernel.marked)]
    return ratios, laws[0], laws[1], float(kernel.marked[~seen].sum())


def _won(kernel: OneHotKernel, cells: Array, heaviest: Array, ties: Array) -> Array:
    """Return R of the heaviest users of each cell; cells alike in weight and ties are one kind."""
    ratios, base, marked, sure = _laws(kernel)
    at_most = np.r_[0.0, np.cumsum(base)]
    silent = cells < 0
    kinds, kind, counts = np.unique(
        np.stack([heaviest, ties, silent], axis=1), axis=0, return_inverse=True, return_counts=True
    )
    kind = kind.reshape(-1)
    check_work(kinds.shape[0] ** 2 * ratios.shape[0] * _S.shape[0])
    found = np.zeros(kinds.shape[0])
    for mine, (weight, holders, is_silent) in enumerate(kinds):
        values = zip([1.0] if is_silent else ratios, [1.0] if is_silent else marked, strict=True)
        for ratio, probability in values:
            if weight * ratio > 0 and probability > 0:
                others = counts - (np.arange(counts.shape[0]) == mine)
                logs = _logs(weight * ratio, kinds, others, ratios, base, at_most)
                found[mine] += probability * np.trapezoid(_U * np.exp(logs - holders * _U), _S)
    # What occurs only with a mark tells the cell; without a cell of one's own it never occurs.
    found += np.where(kinds[:, 2] == 0, sure / np.maximum(kinds[:, 1], 1), 0.0)
    return np.asarray(np.minimum(found, 1.0)[kind])


def _logs(value: float, kinds: Array, counts: Array, ratios: Array, base: Array, at_most: Array) -> Any:
    """Return the logarithm of the product over the other cells, for each t."""
    total = np.zeros(_U.shape[0])
    for (weight, holders, is_silent), count in zip(kinds, counts, strict=True):
        if not count or weight == 0:
            continue
        law = ([1.0], [1.0], [0.0, 1.0]) if is_silent else (ratios, base, at_most)
        scaled = weight * np.asarray(law[0])
        low = int(np.searchsorted(scaled, (1 - TIE) * value, side="left"))
        equal = np.sum(law[1][low : int(np.searchsorted((1 - TIE) * scaled, value, side="right"))])
        with np.errstate(divide="ignore"):
            total += count * np.log(law[2][low] + equal * np.exp(-holders * _U))
    return total


def _worst(kernel: OneHotKernel, cells: Array, where: Array, weights: Array, mass: Array) -> Array:
    """Return w_x r / sum of all mass times likelihood: x's own ratio the largest, all others the least."""
    ratios, _, marked, sure = _laws(kernel)
    silent = cells < 0
    least = float(ratios[0])
    others = mass[silent].sum() + least * (mass[~silent].sum() - np.where(silent, 0.0, mass))
    possible = ratios[marked > 0]
    most = float(possible[-1]) if possible.size else 0.0
    own = np.where(silent, 1.0, most)
    with np.errstate(divide="ignore", invalid="ignore"):
        found = weights * own[where] / (others + np.where(silent, 0.0, most * mass))[where]
        alone = weights / mass[where]
    found = np.where(~silent[where] & (sure > 0), alone, found)
    return np.asarray(np.where(weights > 0, np.minimum(found, 1.0), 0.0))
