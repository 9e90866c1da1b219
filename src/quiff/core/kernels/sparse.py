"""Sparse exceptions over a constant background row: C[x,t] = background[t] + exceptions[x,t].

Membership channels (a topic of the set with probability p, any other with q), sparse and constant channels,
and all mixtures of these are of this kind. 200 000 users x 349 topics are never written out.
"""

from typing import Any

import numpy as np

from quiff.core.kernels.base import Kernel, entropy_terms
from quiff.core.limits import check_fits
from quiff.core.numbers import Array, constant_of, is_exact, product, to_float, unified
from quiff.core.sparse import SparseRows

__all__ = ["SparseKernel", "column_sums", "placed_row"]


class SparseKernel(Kernel):
    """One background row for everybody, and the places where a row differs from it."""

    def __init__(self, background: Array, exceptions: SparseRows) -> None:
        values = exceptions.values if exceptions.values.size else np.zeros(0, dtype=np.int64)
        background, values = unified(background, values)
        if object in (background.dtype, values.dtype):  # an array of integers has no room for fractions
            background = background.astype(object)
        self.background = background
        self.exceptions = SparseRows(exceptions.starts, exceptions.columns, values, exceptions.width)
        self.n_rows, self.n_columns = exceptions.height, exceptions.width

    @property
    def exact(self) -> bool:
        return is_exact(self.background) and is_exact(self.exceptions.values)

    @property
    def summary(self) -> str:
        return f"{self.exceptions.columns.shape[0]} exceptions over a background row"

    def column_max(self, weights: Array) -> Array:
        return self._extreme(weights, np.maximum)

    def column_min(self, weights: Array) -> Array:
        return self._extreme(weights, np.minimum)

    def _extreme(self, weights: Array, better: Any) -> Array:
        """Compare, in each column, the rows that have an exception there with the rows that have none."""
        background, weights = unified(self.background, weights)
        plain = self._best_plain_weight(weights, better)
        result = np.asarray(background * plain)
        occupied = self.exceptions.column_counts > 0
        if not occupied.any():
            return result
        exceptional = self._best_exceptional(background, weights, occupied, better)
        full = self.exceptions.column_counts[occupied] == self.n_rows  # no plain row to compare with
        result[occupied] = np.where(full, exceptional, better(result[occupied], exceptional))
        return result

    def _best_exceptional(self, background: Array, weights: Array, occupied: Array, better: Any) -> Array:
        """Return the best of weights[x] (background[t] + exception) over the exceptions of each column."""
        entries = self.exceptions
        weight, value = constant_of(weights), constant_of(entries.values)
        if value is not None:
            # The same probability for all exceptions of a column: only the weight has to be compared.
            probability = background[occupied] + value
            if weight is not None:
                return np.asarray(weight * probability)
            order, starts = entries.by_column
            return np.asarray(better.reduceat(weights[entries.rows[order]], starts) * probability)
        order, starts = entries.by_column
        joint = entries.values + background[entries.columns]
        joint = joint * (np.repeat(weights, entries.lengths) if weight is None else weight)
        return np.asarray(better.reduceat(joint[order], starts))

    def _best_plain_weight(self, weights: Array, better: Any) -> Array:
        """Return the best weight among the rows without an exception, for each column that has such rows."""
        constant = constant_of(weights)
        if constant is not None:
            return np.broadcast_to(np.asarray(constant), self.n_columns)
        top = int(weights.argmax() if better is np.maximum else weights.argmin())
        best = np.full(self.n_columns, weights[top])
        entries = self.exceptions
        order, _ = entries.by_column
        ends = np.cumsum(entries.column_counts)
        # Only in the columns where the best row has an exception can another row be the best plain one.
        for column in entries.columns[entries.starts[top] : entries.starts[top + 1]]:
            stop = ends[column]
            plain = np.ones(self.n_rows, dtype=bool)
            plain[entries.rows[order[stop - entries.column_counts[column] : stop]]] = False
            if plain.any():
                best[column] = better.reduce(weights[plain])
        return best

    def left_multiply(self, left: Array | SparseRows) -> Array:
        # A (1 b + E) = (A 1) b + A E
        entries = self.exceptions
        if isinstance(left, SparseRows):
            sums = column_sums(left)
            result = left.transposed_matmul(entries)
        else:
            check_fits(left.shape[0], self.n_columns)
            sums = left.sum(axis=1)
            result = entries.transposed_matmul_dense(left.T).T
        sums, background, result = unified(sums, self.background, result)
        return np.asarray(np.multiply.outer(sums, background) + result)

    def columns(self, start: int, stop: int) -> Array:
        dense = self.exceptions.dense(start, stop)
        background, dense = unified(self.background[start:stop], dense)
        return np.asarray(dense + background)

    def take_rows(self, index: Array) -> Kernel:
        return SparseKernel(self.background, self.exceptions.take(index))

    def place_columns(self, positions: Array, width: int) -> Kernel:
        return SparseKernel(
            placed_row(self.background, positions, width), self.exceptions.place(positions, width)
        )

    def row_entropies(self) -> Array:
        entries, plain = self.exceptions, entropy_terms(self.background)
        here = self.background[entries.columns]
        change = entropy_terms(entries.values + here) - entropy_terms(here)
        rows = SparseRows(entries.starts, entries.columns, change, entries.width)
        return np.asarray(plain.sum() + rows.row_sums())

    def distinct_rows(self) -> tuple[Array, Array]:
        return self.exceptions.distinct()

    def as_sparse(self) -> "SparseKernel":
        return self

    def mixed(self, other: "SparseKernel", r: Any) -> "SparseKernel":
        """Return (1-r) of this kernel plus r of another, which is of the same kind again."""
        background, others = unified(self.background, other.background)
        exceptions = self.exceptions.times(1 - r).plus(other.exceptions.times(r))
        return SparseKernel(_times(background, 1 - r) + _times(others, r), exceptions)


def placed_row(row: Array, positions: Array, width: int) -> Array:
    """Move entry j of a row to ``positions[j]``; entries that meet add up."""
    placed = np.zeros(width, dtype=row.dtype)
    np.add.at(placed, positions, row)
    return placed


def _times(row: Array, factor: Any) -> Array:
    return np.asarray((to_float(row) if isinstance(factor, float) else row) * factor)


def column_sums(rows: SparseRows) -> Array:
    """Add up each column."""
    constant = constant_of(rows.values)
    if constant is not None:
        return np.asarray(product(rows.column_counts, np.full(rows.width, constant)))
    if is_exact(rows.values):
        sums = np.zeros(rows.width, dtype=rows.values.dtype)
        np.add.at(sums, rows.columns, rows.values)
        return sums
    return np.bincount(rows.columns, weights=rows.values, minlength=rows.width)
