"""Rows of a matrix that are mostly zero: what a sparse channel and a sparse gain are made of."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from quiff.core.distinct import distinct_codes, sorted_rows
from quiff.core.limits import check_fits
from quiff.core.numbers import Array, constant_of, filled, is_exact, product, to_float, unified

__all__ = ["SparseRows", "smallest_index_type"]


def smallest_index_type(size: int) -> np.dtype[Any]:
    """Return the smallest unsigned type that can number `size` things."""
    return np.min_scalar_type(max(size - 1, 0))


@dataclass(frozen=True, eq=False)
class SparseRows:
    """The entries of row x are ``columns[starts[x]:starts[x+1]]``, with the `values` at the same places.

    A column stands at most once in a row. Values that are all the same take the memory of one.
    """

    starts: Array
    columns: Array
    values: Array
    width: int

    @classmethod
    def rectangular(cls, codes: Array, value: Any, width: int) -> "SparseRows":
        """Make rows that all have the same number of entries, all with the same value."""
        rows, per_row = codes.shape
        columns = np.ascontiguousarray(codes, dtype=smallest_index_type(width)).reshape(-1)
        return cls(np.arange(rows + 1) * per_row, columns, filled(value, columns.shape[0]), width)

    @classmethod
    def from_entries(cls, rows: Array, columns: Array, values: Array, shape: tuple[int, int]) -> "SparseRows":
        """Make rows of (row, column, value) triples in any order; values at the same place add up."""
        height, width = shape
        place = rows.astype(np.int64) * width + columns
        order = np.argsort(place, kind="stable")
        place, values = place[order], values[order]
        first = np.flatnonzero(np.r_[True, place[1:] != place[:-1]]) if place.size else place
        if place.size:
            values, place = np.add.reduceat(values, first), place[first]
        starts = np.searchsorted(place, np.arange(height + 1) * width)
        return cls(starts, (place % width).astype(smallest_index_type(width)), values, width)

    @classmethod
    def empty(cls, height: int, width: int) -> "SparseRows":
        """Make rows without entries."""
        none = np.zeros(0, dtype=np.int64)
        return cls(np.zeros(height + 1, dtype=np.int64), none, none, width)

    @property
    def height(self) -> int:
        """The number of rows."""
        return int(self.starts.shape[0]) - 1

    @cached_property
    def lengths(self) -> Array:
        """How many entries each row has."""
        return np.diff(self.starts)

    @cached_property
    def per_row(self) -> int | None:
        """The number of entries of every row, or None if rows differ."""
        per_row, rest = divmod(self.columns.shape[0], max(self.height, 1))
        same = rest == 0 and bool((self.starts == np.arange(self.height + 1) * per_row).all())
        return per_row if same else None

    @cached_property
    def rows(self) -> Array:
        """The row of each entry."""
        return np.repeat(np.arange(self.height, dtype=smallest_index_type(self.height)), self.lengths)

    @cached_property
    def column_counts(self) -> Array:
        """How many entries each column has."""
        return np.bincount(self.columns, minlength=self.width)

    @cached_property
    def by_column(self) -> tuple[Array, Array]:
        """The order that sorts entries by column, and where each occupied column starts in it."""
        order = np.argsort(self.columns, kind="stable")
        ends = np.cumsum(self.column_counts)
        return order, (ends - self.column_counts)[self.column_counts > 0]

    def row_sums(self) -> Array:
        """Return the sum of each row."""
        constant = constant_of(self.values)
        if constant is not None:
            return product(self.lengths, filled(constant, self.height))
        return _sums_between(self.values, self.starts)

    def take(self, index: Array) -> "SparseRows":
        """Return the rows at the given positions."""
        lengths = self.lengths[index]
        starts = np.concatenate([[0], np.cumsum(lengths)])
        shift = np.repeat(self.starts[index] - starts[:-1], lengths)
        entries = np.arange(starts[-1]) + shift
        constant = constant_of(self.values)
        values = self.values[entries] if constant is None else filled(constant, entries.shape[0])
        return SparseRows(starts, self.columns[entries], values, self.width)

    def place(self, positions: Array, width: int) -> "SparseRows":
        """Move column j to ``positions[j]``; columns that meet add up."""
        columns = positions[self.columns]
        if np.unique(positions).shape[0] < positions.shape[0]:
            return SparseRows.from_entries(self.rows, columns, np.asarray(self.values), (self.height, width))
        return SparseRows(self.starts, columns.astype(smallest_index_type(width)), self.values, width)

    def times(self, factor: Any) -> "SparseRows":
        """Multiply every entry by one number."""
        values = product(self.values, filled(factor, self.values.shape[0]))
        return SparseRows(self.starts, self.columns, values, self.width)

    def scale_rows(self, weights: Array) -> "SparseRows":
        """Multiply row x by ``weights[x]``."""
        constant = constant_of(weights)
        if constant is not None:
            return self.times(constant)
        values = product(self.values, np.repeat(weights, self.lengths))
        return SparseRows(self.starts, self.columns, values, self.width)

    def plus(self, other: "SparseRows") -> "SparseRows":
        """Add two of the same shape."""
        if not self.columns.size or not other.columns.size:
            return self if self.columns.size else other
        values = np.concatenate(unified(self.values, other.values))
        rows = np.concatenate([self.rows, other.rows])
        columns = np.concatenate([self.columns, other.columns])
        return SparseRows.from_entries(rows, columns, values, (self.height, self.width))

    def fold_rows(self, classes: Array, n_classes: int) -> "SparseRows":
        """Add up the rows of each class."""
        rows = classes[self.rows]
        return SparseRows.from_entries(rows, self.columns, np.asarray(self.values), (n_classes, self.width))

    def distinct(self) -> tuple[Array, Array]:
        """Return the index of one row of each kind, and for every row the number of its kind."""
        kinds, ids = np.unique(self.values, return_inverse=True)
        nothing = self.width * max(len(kinds), 1)
        cells = self.columns * np.int64(max(len(kinds), 1)) + ids
        cells[self.values == 0] = nothing
        table = np.full((self.height, int(self.lengths.max(initial=0))), nothing, dtype=np.int64)
        table[self.rows, np.arange(cells.shape[0]) - self.starts[self.rows]] = cells
        return distinct_codes(sorted_rows(table), nothing + 1)

    def dense(self, start: int = 0, stop: int | None = None) -> Array:
        """Return columns start .. stop-1 as a dense matrix."""
        stop = self.width if stop is None else stop
        inside: slice | Array = slice(None)
        if (start, stop) != (0, self.width):
            inside = np.flatnonzero((self.columns >= start) & (self.columns < stop))
        matrix = np.zeros((self.height, stop - start), dtype=self.values.dtype)
        matrix[self.rows[inside], self.columns[inside].astype(np.intp) - start] = self.values[inside]
        return matrix

    def matmul(self, other: "SparseRows") -> "SparseRows":
        """Multiply by another sparse matrix whose rows are this one's columns."""
        first, second = unified(self.values, other.values)
        left = SparseRows(self.starts, self.columns, first, self.width)
        right = SparseRows(other.starts, other.columns, second, other.width)
        if is_exact(first):
            # Row x of the product is the sum of rows of `other`, one for each entry of row x.
            taken = right.take(left.columns.astype(np.intp))
            rows = np.repeat(left.rows, taken.lengths)
            values = np.repeat(np.asarray(first), taken.lengths) * taken.values
            return SparseRows.from_entries(rows, taken.columns, values, (left.height, right.width))
        result = left._scipy() @ right._scipy()
        result.sort_indices()
        return SparseRows(result.indptr, result.indices, result.data, right.width)

    def matmul_dense(self, matrix: Array) -> Array:
        """Multiply by a dense matrix whose rows are this one's columns."""
        check_fits(self.height, matrix.shape[1])
        if is_exact(self.values) and is_exact(matrix):
            return _added(self.rows, self.values, matrix[self.columns], self.height)
        return np.asarray(self._scipy() @ to_float(matrix))

    def transposed_matmul(self, other: "SparseRows") -> Array:
        """Multiply this matrix, transposed, by another with the same rows: a dense co-occurrence table."""
        check_fits(self.width, other.width)
        if is_exact(self.values) and is_exact(other.values):
            taken = other.take(self.rows)
            table = np.zeros((self.width, other.width), dtype=np.result_type(self.values, other.values))
            values = np.repeat(np.asarray(self.values), taken.lengths) * taken.values
            np.add.at(table, (np.repeat(self.columns, taken.lengths), taken.columns), values)
            return table
        if self.per_row is not None and other.per_row is not None:
            return self._cooccurrence(other)
        return np.asarray((self._scipy().T @ other._scipy()).toarray())

    def _cooccurrence(self, other: "SparseRows") -> Array:
        """Do the same where all rows are equally long: one count for each place in a row of this matrix."""
        pairs = np.zeros(self.width * other.width)
        columns, others = (
            rows.columns.reshape(rows.height, -1).T.astype(np.intp, order="C") for rows in (self, other)
        )
        values = np.asarray(other.values).reshape(other.height, -1).T
        for place, column in enumerate(columns):
            weights = to_float(np.asarray(self.values[place :: columns.shape[0]]))
            counted = (column * other.width + others).reshape(-1)
            pairs += np.bincount(counted, (weights * values).reshape(-1), minlength=pairs.shape[0])
        return pairs.reshape(self.width, other.width)

    def transposed_matmul_dense(self, matrix: Array) -> Array:
        """Multiply this matrix, transposed, by a dense one with the same rows."""
        check_fits(self.width, matrix.shape[1])
        if is_exact(self.values) and is_exact(matrix):
            return _added(self.columns, self.values, matrix[self.rows], self.width)
        return np.asarray(self._scipy().T @ to_float(matrix))

    def _scipy(self) -> Any:
        from scipy.sparse import csr_array

        entries = (to_float(np.asarray(self.values)), self.columns.astype(np.int32), self.starts)
        return csr_array(entries, shape=(self.height, self.width))


def _added(places: Array, values: Array, rows: Array, height: int) -> Array:
    """Add up rows, each times its value, at their places."""
    result = np.zeros((height, rows.shape[1]), dtype=np.result_type(values, rows))
    np.add.at(result, places, values[:, np.newaxis] * rows)
    return result


def _sums_between(values: Array, starts: Array) -> Array:
    """Add up ``values[starts[i]:starts[i+1]]`` for each i; an empty stretch gives 0."""
    sums = np.zeros(starts.shape[0] - 1, dtype=values.dtype)
    filled_rows = np.flatnonzero(np.diff(starts) > 0)
    if filled_rows.size:
        sums[filled_rows] = np.add.reduceat(values, starts[filled_rows])
    return sums
