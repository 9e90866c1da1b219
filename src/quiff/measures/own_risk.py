"""Each user's own risk from one channel: the probability of re-identification, and the worst posterior."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from quiff.core.channel import Channel
from quiff.core.kernels import Kernel, ProductKernel, SparseKernel
from quiff.core.kernels.base import scale_rows
from quiff.core.kernels.one_hot import OneHotKernel
from quiff.core.limits import check_work
from quiff.core.numbers import (
    TIE,
    Array,
    constant_of,
    filled,
    is_exact,
    product,
    quotient,
    summed,
    tie_codes,
    tied,
    to_float,
    unified,
)
from quiff.core.sparse import SparseRows, spread


def own_risk(C: Channel, weights: Array, holders: Array) -> tuple[Array, Array]:
    """Return R_x and max_y P(x | y) of one user of each row; see `user_risk`.

    Parameters
    ----------
    C
        The channel from rows of users to outputs.
    weights
        What one user of each row weighs. A user who weighs nothing is never guessed.
    holders
        How many users each row stands for.

    Examples
    --------
    >>> from fractions import Fraction
    >>> C = Channel([[1, 0], [Fraction(1, 2), Fraction(1, 2)]])
    >>> own, worst = own_risk(C, np.array([1, 1]), np.array([1, 1]))
    >>> own.tolist(), worst.tolist()
    ([Fraction(1, 1), Fraction(1, 2)], [Fraction(2, 3), Fraction(1, 1)])
    """
    return _risk(C.kernel, weights, holders)


def _risk(kernel: Kernel, weights: Array, holders: Array) -> tuple[Array, Array]:
    kernel = kernel.telling()
    if isinstance(kernel, OneHotKernel):
        return one_hot_risk(kernel, weights, holders)
    if isinstance(kernel, ProductKernel) and (codes := kernel.factors[0].codes) is not None:
        return _risk_by_groups(codes, ProductKernel(kernel.factors[1:]), weights, holders)
    sparse = kernel.as_sparse()
    if sparse is None:
        return _risk_by_blocks(kernel, weights, holders)
    return _reidentified(sparse, weights, holders), _worst(sparse, weights, holders)


def marginal(kernel: Kernel, mass: Array) -> Array:
    """Return sum_x mass[x] C[x,y] for each output y."""
    first = SparseRows.rectangular(np.zeros((kernel.n_rows, 1), dtype=np.intp), np.int64(1), 1)
    return np.asarray(kernel.left_multiply(first.scale_rows(mass))[0])


def _risk_by_groups(known: Array, kernel: Kernel, weights: Array, holders: Array) -> tuple[Array, Array]:
    """Do it for the rows of each group apart, where all of a group show the same beside."""
    alone = np.bincount(known)[known] * holders == 1
    sure = (weights > 0).astype(np.int64)  # of who is alone: their outputs make no difference
    result = [(np.flatnonzero(alone), sure[alone], sure[alone])]
    order = np.argsort(known, kind="stable")
    order = order[~alone[order]]
    groups = np.split(order, np.flatnonzero(np.diff(known[order])) + 1) if order.size else ()
    result += [(rows, *_risk(kernel.take_rows(rows), weights[rows], holders[rows])) for rows in groups]
    back = np.argsort(np.concatenate([rows for rows, _, _ in result]))
    own, worst = (np.concatenate(parts)[back] for parts in list(zip(*result, strict=True))[1:])
    return own, worst


def _risk_by_blocks(kernel: Kernel, weights: Array, holders: Array) -> tuple[Array, Array]:
    """Do it by the definition, some columns at a time."""
    own = worst = np.zeros(kernel.n_rows, dtype=np.int64)
    for _, block in kernel.blocks():
        matrix, weights = unified(block, weights)
        joint = scale_rows(matrix, weights)
        best = joint.max(axis=0)
        wins = tied(joint, best) & (best > 0)
        share = _inverse(np.where(wins, holders[:, np.newaxis], 0).sum(axis=0), joint)
        own = own + (np.where(wins, matrix, 0) * share).sum(axis=1)
        worst = np.maximum(worst, ratios(joint, (joint * holders[:, np.newaxis]).sum(axis=0)).max(axis=1))
    return np.asarray(own), np.asarray(np.minimum(worst, 1))


def _reidentified(kernel: SparseKernel, weights: Array, holders: Array) -> Array:
    """Return R_x: what x's entries win, and what it wins by the background where it has no entry."""
    entries, columns = kernel.entries, kernel.entries.columns
    best = kernel.column_max(weights)
    joint = entries.scale_rows(weights).values
    if (same := constant_of(joint)) is not None:
        wins = (tied(same, best) & (best > 0)).take(columns)
    else:
        wins = tied(joint, best.take(columns)) & (best > 0).take(columns)
    ties = summed(np.where(wins, spread(holders, entries.rows), 0), columns, kernel.n_columns)
    plain = _PlainWinners.of(kernel, weights, holders, best)
    share = _inverse(ties if plain is None else ties + plain.ties, best)
    constant = constant_of(entries.values)
    won = (entries.values if constant is None else constant) * share.take(columns)
    own = entries.with_values(np.where(wins, won, 0)).row_sums()
    return own if plain is None else np.asarray(own + plain.own(kernel, share))


@dataclass(frozen=True, eq=False)
class _PlainWinners:
    """The rows that are best in a column by the background, since they have no entry there.

    In one column these are rows of one weight, or weights that tie, and all of these but those with an entry.
    """

    wins: Array  # for each column whether there are any
    # For each row its weight, for each column the weight that wins, by number.
    kind: Array
    winner: Array
    absent: Array  # for each entry whether its row has the weight that wins
    ties: Array  # for each column how many users win

    @classmethod
    def of(cls, kernel: SparseKernel, weights: Array, holders: Array, best: Array) -> "_PlainWinners | None":
        """Find them; None if there are none."""
        entries, width = kernel.entries, kernel.n_columns
        # The largest weight without an entry in each column: what a kernel of zeros over ones answers.
        places = entries.with_values(filled(np.int64(0), entries.columns.shape[0]))
        heaviest = SparseKernel(filled(np.int64(1), width), places).column_max(weights)
        wins = (best > 0) & tied(product(kernel.background, heaviest), best)
        if not wins.any():
            return None
        distinct, which = np.unique(weights, return_inverse=True)
        codes = tie_codes(distinct)
        kind, winner = codes[which], np.where(wins, codes[np.searchsorted(distinct, heaviest)], 0)
        absent = wins.take(entries.columns) & (winner.take(entries.columns) == kind.take(entries.rows))
        users = summed(holders, kind, distinct.shape[0])[winner]
        without = summed(np.where(absent, spread(holders, entries.rows), 0), entries.columns, width)
        return cls(wins, kind, winner, absent, np.where(wins, users - without, 0))

    def own(self, kernel: SparseKernel, share: Array) -> Array:
        """Return what each row wins by the background: all that its weight wins, but for its entries."""
        won = np.where(self.wins, product(kernel.background, share), 0)
        by_weight = summed(won, self.winner, int(self.kind.max()) + 1)[self.kind]
        if not self.absent.any():
            return by_weight
        lost = np.where(self.absent, won.take(kernel.entries.columns), 0)
        # What is below 0 is rounding.
        return np.asarray(np.maximum(by_weight - kernel.entries.with_values(lost).row_sums(), 0))


def _worst(kernel: SparseKernel, weights: Array, holders: Array) -> Array:
    """Return max_y P(x | y): by x's entries, and by the background where it has no entry."""
    entries, happens = kernel.entries, marginal(kernel, product(weights, holders))
    worst = product(_best_without_entry(kernel.background, happens, entries), weights)
    if entries.columns.size:
        joint = entries.scale_rows(weights).values
        constant = constant_of(joint)
        if constant is None:
            own = ratios(joint, happens.take(entries.columns))
        else:
            own = ratios(filled(constant, kernel.n_columns), happens).take(entries.columns)
        worst = np.maximum(worst, entries.with_values(own).row_max())
    return np.asarray(np.minimum(worst, 1))  # what is above 1 is rounding


def _best_without_entry(background: Array, happens: Array, entries: SparseRows) -> Array:
    """Return for each row the largest of background / happens in the columns where it has no entry."""
    possible = np.flatnonzero(background != 0)
    shares = ratios(background[possible], happens[possible])
    best = np.zeros(entries.height, dtype=shares.dtype)
    waiting = np.ones(entries.height, dtype=bool)
    ends = np.cumsum(entries.column_counts)
    for place in np.argsort(-shares):  # a row with s entries waits for at most s columns
        column = possible[place]
        inside = entries.by_column[0][ends[column] - entries.column_counts[column] : ends[column]]
        done = waiting.copy()
        done[entries.rows[inside]] = False
        best[done] = shares[place]
        waiting &= ~done
        if not waiting.any():
            break
    return best


def ratios(part: Array, whole: Array) -> Array:
    """Return part / whole, 0 where the whole is 0."""
    part, whole = unified(part, whole)
    return np.where(whole > 0, quotient(part, np.where(whole > 0, whole, 1)), 0)


def _inverse(counts: Array, like: Array) -> Array:
    """Return 1 / counts, 0 for 0: exact if the other array is."""
    if not is_exact(like):
        counts = counts.astype(np.float64)
        return np.where(counts > 0, quotient(np.ones_like(counts), np.maximum(counts, 1)), 0)
    distinct, which = np.unique(counts, return_inverse=True)  # a fraction for each, not for every output
    return np.where(distinct > 0, quotient(np.ones_like(distinct), np.maximum(distinct, 1)), 0)[which]


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
    return own, _worst_of_cells(kernel, cells, where, weights, mass)


def _laws(kernel: OneHotKernel) -> tuple[Array, Array, Array, float]:
    """Return the values of rho, their probability without a mark and with one, and that of a sure mark."""
    observed = kernel.base > 0
    ratios, which = np.unique(kernel.marked[observed] / kernel.base[observed], return_inverse=True)
    laws = [np.bincount(which, law[observed], ratios.shape[0]) for law in (kernel.base, kernel.marked)]
    return ratios, laws[0], laws[1], float(kernel.marked[~observed].sum())


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
    result = np.zeros(kinds.shape[0])
    for left, (weight, holders, is_silent) in enumerate(kinds):
        values = zip([1.0] if is_silent else ratios, [1.0] if is_silent else marked, strict=True)
        for ratio, probability in values:
            if weight * ratio > 0 and probability > 0:
                rest = counts - (np.arange(counts.shape[0]) == left)
                logs = _logs(weight * ratio, kinds, rest, ratios, base, at_most)
                result[left] += probability * np.trapezoid(_U * np.exp(logs - holders * _U), _S)
    # What occurs only with a mark tells the cell; without a cell of one's own it never occurs.
    result += np.where(kinds[:, 2] == 0, sure / np.maximum(kinds[:, 1], 1), 0.0)
    return np.asarray(np.minimum(result, 1.0)[kind])


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


def _worst_of_cells(kernel: OneHotKernel, cells: Array, where: Array, weights: Array, mass: Array) -> Array:
    """Return w_x r / sum of all mass times likelihood: x's own ratio the largest, all others the least."""
    ratios, _, marked, sure = _laws(kernel)
    silent = cells < 0
    least = float(ratios[0])
    rest = mass[silent].sum() + least * (mass[~silent].sum() - np.where(silent, 0.0, mass))
    possible = ratios[marked > 0]
    most = float(possible[-1]) if possible.size else 0.0
    own = np.where(silent, 1.0, most)
    with np.errstate(divide="ignore", invalid="ignore"):
        result = weights * own[where] / (rest + np.where(silent, 0.0, most * mass))[where]
        alone = weights / mass[where]
    result = np.where(~silent[where] & (sure > 0), alone, result)
    return np.asarray(np.where(weights > 0, np.minimum(result, 1.0), 0.0))
