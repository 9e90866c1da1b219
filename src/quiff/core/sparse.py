"""Rows of a matrix that are mostly zero: what a sparse channel and a sparse gain are made of."""

from dataclasses import dataclass
from functools import cached_property, reduce
from typing import Any

import numpy as np

from quiff.core.distinct import distinct_codes, smallest_index_type
from quiff.core.limits import check_fits
from quiff.core.numbers import Array, constant_of, filled, is_exact, product, summed, to_float

_OF_PLACES = {"lengths", "per_row", "rows", "column_counts", "by_column", "_places", "_ordered"}


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
        return self._reduced(np.add)

    def row_max(self) -> Array:
        """Return the largest number of each row; entries are not negative, and a row without any has 0."""
        return self._reduced(np.maximum)

    def _reduced(self, better: np.ufunc) -> Array:
        """Reduce the values of each row; a row without any has 0."""
        if self.per_row:  # place by place, which is faster
            return np.asarray(
                reduce(better, (self.values[place :: self.per_row] for place in range(self.per_row)))
            )
        reduced = np.zeros(self.height, dtype=self.values.dtype)
        occupied = np.flatnonzero(self.lengths)
        if occupied.size:
            reduced[occupied] = better.reduceat(self.values, self.starts[occupied])
        return reduced

    def take(self, index: Array) -> "SparseRows":
        """Return the rows at the given positions."""
        constant = constant_of(self.values)
        if self.per_row is not None and constant is not None:
            codes = self.columns.reshape(self.height, self.per_row).take(index, axis=0)
            return SparseRows.rectangular(codes, constant, self.width)
        lengths = self.lengths[index]
        starts = np.concatenate([[0], np.cumsum(lengths)])
        shift = np.repeat(self.starts[index] - starts[:-1], lengths)
        entries = np.arange(starts[-1]) + shift
        values = self.values[entries] if constant is None else filled(constant, entries.shape[0])
        return SparseRows(starts, self.columns[entries], values, self.width)

    def move(self, positions: Array, width: int) -> "SparseRows":
        """Move column j to ``positions[j]``; no two columns may meet."""
        columns = positions.take(self.columns).astype(smallest_index_type(width))
        return SparseRows(self.starts, columns, self.values, width)

    def with_values(self, values: Array) -> "SparseRows":
        """Return other values at the same places; what is known of the places is handed on."""
        rows = SparseRows(self.starts, self.columns, values, self.width)
        rows.__dict__.update({name: self.__dict__[name] for name in _OF_PLACES & self.__dict__.keys()})
        return rows

    def scale_rows(self, weights: Array) -> "SparseRows":
        """Multiply row x by ``weights[x]``."""
        constant = constant_of(weights)
        spread = np.repeat(weights, self.lengths) if constant is None else filled(constant, self.values.size)
        return self.with_values(product(self.values, spread))

    def union(self, other: "SparseRows", rest: Array, others: Array) -> tuple["SparseRows", "SparseRows"]:
        """Return both with entries wherever one of them has one, new ones taken from the rows of rests."""
        if not other.columns.size:
            return self, self.with_values(spread(others, self.columns))
        if not self.columns.size:
            return other.with_values(spread(rest, other.columns)), other
        first_places, second_places = self._places, other._places
        places = np.concatenate([first_places, second_places])
        places.sort(kind="stable")  # two runs that are nearly in order: 300 times as fast as union1d
        places = places[np.concatenate([[True], places[1:] != places[:-1]])]
        columns = (places % self.width).astype(smallest_index_type(self.width))
        first, second = rest.take(columns), others.take(columns)
        first[np.searchsorted(places, first_places)] = self.values
        second[np.searchsorted(places, second_places)] = other.values
        starts = np.searchsorted(places, np.arange(self.height + 1) * self.width)
        rows = SparseRows(starts, columns, first, self.width)
        return rows, rows.with_values(second)

    @cached_property
    def _places(self) -> Array:
        """The entries' places in the matrix, row after row."""
        return self.rows.astype(np.int64) * self.width + self.columns

    @cached_property
    def _ordered(self) -> tuple[Array, Array]:
        """The entries' places in ascending order, and the order that sorts them so."""
        order = np.argsort(self._places, kind="stable")
        return self._places[order], order

    def find(self, rows: Array, columns: Array) -> tuple[Array, Array]:
        """Return which entry stands at each of some cells, and whether there is one."""
        places, order = self._ordered
        if not places.size:
            return np.zeros(rows.shape[0], dtype=np.intp), np.zeros(rows.shape[0], dtype=bool)
        wanted = rows.astype(np.int64) * self.width + columns
        near = np.minimum(np.searchsorted(places, wanted), places.shape[0] - 1)
        return order[near], places[near] == wanted

    def holds(self, rows: Array, columns: Array) -> Array:
        """Tell for each of some cells whether there is an entry."""
        return self.find(rows, columns)[1]

    def fold_rows(self, classes: Array, n_classes: int) -> "SparseRows":
        """Add up the rows of each class."""
        rows = classes.take(self.rows)
        return SparseRows.from_entries(rows, self.columns, np.asarray(self.values), (n_classes, self.width))

    @cached_property
    def column_sums(self) -> Array:
        """The sum of each column."""
        constant = constant_of(self.values)
        if constant is not None:
            return product(self.column_counts, np.full(self.width, constant))
        return summed(self.values, self.columns, self.width)

    def distinct(self, telling: Array) -> tuple[Array, Array]:
        """Return the index of one row of each kind, and for every row the number of its kind.

        Only the entries that are `telling` make a difference.
        """
        if self.per_row and constant_of(self.values) is not None and telling.all():
            return distinct_codes(np.sort(self.columns.reshape(self.height, -1), axis=1), self.width)
        kinds, ids = np.unique(self.values, return_inverse=True)
        nothing = self.width * max(len(kinds), 1)
        cells = np.where(telling, self.columns * np.int64(max(len(kinds), 1)) + ids, nothing)
        longest = int(self.lengths.max(initial=0))
        check_fits(self.height, longest)
        table = np.full((self.height, longest), nothing, dtype=np.int64)
        table[self.rows, np.arange(cells.shape[0]) - self.starts.take(self.rows)] = cells
        return distinct_codes(np.sort(table, axis=1), nothing + 1)

    def dense(self, rest: Array, start: int, stop: int) -> Array:
        """Return columns start .. stop-1 as a dense matrix; without an entry, a column has its rest."""
        inside: slice | Array = slice(None)
        if (start, stop) != (0, self.width):
            inside = np.flatnonzero((self.columns >= start) & (self.columns < stop))
        matrix = np.empty((self.height, stop - start), dtype=np.result_type(rest, self.values))
        matrix[:] = rest[start:stop]
        matrix[self.rows[inside], self.columns[inside].astype(np.intp) - start] = self.values[inside]
        return matrix

    def transposed_matmul(self, other: "SparseRows") -> Array:
        """Multiply this matrix, transposed, by another with the same rows: a dense co-occurrence table."""
        check_fits(self.width, other.width)
        (scale, left), (by, right) = self._without_constant(), other._without_constant()
        if object in (left.values.dtype, right.values.dtype):
            if is_exact(left.values) and is_exact(right.values):
                return np.asarray(left._added_pairs(right) * (scale * by))
            left, right = (rows.with_values(to_float(rows.values)) for rows in (left, right))
        table = np.asarray((left._scipy().T @ right._scipy()).toarray())
        if is_exact(left.values) and is_exact(right.values):
            table = np.rint(table).astype(np.int64)  # floats count exactly up to 2^53
        return np.asarray(table * (scale * by))

    def n_pairs(self, other: "SparseRows") -> int:
        """Return how many pairs of entries the rows have, one of each matrix."""
        return int(self.lengths @ other.lengths)

    def paired(self, other: "SparseRows") -> "SparseRows":
        """Multiply the other matrix, transposed, by this one with the same rows, as sparse rows."""
        taken = other.take(self.rows)
        values = product(np.repeat(np.asarray(self.values), taken.lengths), taken.values)
        columns = np.repeat(self.columns, taken.lengths)
        return SparseRows.from_entries(taken.columns, columns, values, (other.width, self.width))

    def _without_constant(self) -> tuple[Any, "SparseRows"]:
        """Return the number that all values are, and the same rows with ones; or 1 and the rows."""
        constant = constant_of(self.values)
        if constant is None:
            return 1, self
        return constant, self.with_values(filled(np.int64(1), self.values.shape[0]))

    def _added_pairs(self, second: "SparseRows") -> Array:
        """Add up the product of every two entries of a row, one of each matrix, in fractions."""
        taken = second.take(self.rows)
        table = np.zeros((self.width, second.width), dtype=object)
        values = np.repeat(np.asarray(self.values), taken.lengths) * taken.values
        np.add.at(table, (np.repeat(self.columns, taken.lengths), taken.columns), values)
        return table

    def transposed_matmul_dense(self, matrix: Array) -> Array:
        """Multiply this matrix, transposed, by a dense one with the same rows."""
        check_fits(self.width, matrix.shape[1])
        if is_exact(self.values) and is_exact(matrix):
            return summed(self.values[:, np.newaxis] * matrix[self.rows], self.columns, self.width)
        return np.asarray(self._scipy().T @ to_float(matrix))

    def matmul_dense(self, matrix: Array) -> Array:
        """Multiply this matrix by a dense one of floats, with as many rows as this one has columns."""
        return np.asarray(self._scipy() @ matrix)

    def _scipy(self) -> Any:
        from scipy.sparse import csr_array

        entries = (to_float(np.asarray(self.values)), self.columns.astype(np.int32), self.starts)
        return csr_array(entries, shape=(self.height, self.width))


def fold_max(weights: Array, classes: Array, n_classes: int) -> Array:
    """Return the largest weight of each class."""
    most = np.full(n_classes, weights.min())
    np.maximum.at(most, classes, weights)
    return most


def spread(row: Array, columns: Array) -> Array:
    """Return the row's number at each column; one that repeats a number stays as small as it is."""
    constant = constant_of(row)
    return row.take(columns) if constant is None else filled(constant, columns.shape[0])
