"""Sparse entries over a background row: C[x,t] is the entry of x at t if there is one, else background[t].

Membership channels (a topic of the set with probability p, any other with q), sparse and constant channels,
and all mixtures of these are of this kind. 200 000 users x 349 topics are never written out. Entries are kept
as they are, not as differences to the background, so that a zero stays a zero in floats too.
"""

from functools import cached_property
from typing import Any, final

import numpy as np

from quiff.core.distinct import distinct_codes
from quiff.core.kernels.base import BLOCK, Kernel, entropy_terms
from quiff.core.limits import check_fits, check_memory
from quiff.core.numbers import (
    Array,
    constant_of,
    filled,
    is_exact,
    number_size,
    product,
    same_kind,
    summed,
    to_float,
    unified,
)
from quiff.core.sparse import SparseRows, spread

_LITTLE = 1e-4
_PAIRED = 5  # numbers that are in memory for each pair of entries that is multiplied
_DRAWS = 64  # from the background, before the columns that are free are looked for


class SparseKernel(Kernel):
    """One background row for everybody, and the entries where a row has its own number."""

    def __init__(self, background: Array, entries: SparseRows) -> None:
        values = entries.values if entries.values.size else np.zeros(0, dtype=np.int64)
        self.background, values = same_kind(background, values)
        self.entries = entries.with_values(values)
        self.n_rows, self.n_columns = entries.height, entries.width

        self.summary = f"{entries.columns.shape[0]} entries over a background row"

    def numbers(self) -> tuple[Array, ...]:
        return self.background, self.entries.values

    def extreme(self, weights: Array, better: Any) -> Array:
        """Compare, in each column, the rows that have an entry there with the rows that have none."""
        background, weights = same_kind(self.background, weights)
        size = number_size(background)
        check_memory(f"the largest probabilities of {self.n_columns} outputs need", self.n_columns, size)
        result = np.array(background * self._best_plain_weight(weights, better))
        counts = self.entries.column_counts
        occupied = counts > 0
        if occupied.any():
            best = self._best_entry(weights, better)
            full = counts[occupied] == self.n_rows  # no plain row to compare with
            result[occupied] = np.where(full, best, better(result[occupied], best))
        return result

    def _best_entry(self, weights: Array, better: Any) -> Array:
        """Return the best of weights[x] C[x,t] over the entries of each column that has some."""
        values, weights = same_kind(self.entries.values, weights)
        weight, value = constant_of(weights), constant_of(values)
        if weight is not None and value is not None:
            return np.full(int(np.count_nonzero(self.entries.column_counts)), weight * value)
        order, starts = self.entries.by_column
        if value is not None:  # the same probability for all entries: only weights have to be compared
            return np.asarray(better.reduceat(weights.take(self.entries.rows.take(order)), starts) * value)
        joint = self.entries.with_values(values).scale_rows(weights).values
        return np.asarray(better.reduceat(joint[order], starts))

    def _best_plain_weight(self, weights: Array, better: Any) -> Array:
        """Return the best weight among the rows without an entry, for each column that has such rows."""
        constant = constant_of(weights)
        if constant is not None:
            return filled(constant, self.n_columns)
        top = int(weights.argmax() if better is np.maximum else weights.argmin())
        best = np.full(self.n_columns, weights[top])
        entries = self.entries
        order, _ = entries.by_column
        ends = np.cumsum(entries.column_counts)
        # Only in the columns where the best row has an entry can another row be the best plain one.
        for column in entries.columns[entries.starts[top] : entries.starts[top + 1]]:
            stop = ends[column]
            plain = np.ones(self.n_rows, dtype=bool)
            plain[entries.rows[order[stop - entries.column_counts[column] : stop]]] = False
            if plain.any():
                best[column] = better.reduce(weights[plain])
        return best

    def _over_rest(self) -> tuple[Array, SparseRows]:
        """Return the matrix as a row for everybody plus sparse changes: C = 1 rest + changes.

        Where every row has an entry the background does not matter; 0 there saves a cancellation.
        """
        full = self.entries.column_counts == self.n_rows
        rest = np.where(full, 0 * self.background, self.background) if full.any() else self.background
        minus = spread(rest, self.entries.columns)
        value, second = constant_of(self.entries.values), constant_of(minus)
        if value is not None and second is not None:
            return rest, self.entries.with_values(filled(value - second, minus.shape[0]))
        return rest, self.entries.with_values(np.asarray(self.entries.values - minus))

    def row_sums(self) -> Array:
        """Return the sum of each row."""
        rest, changes = self._over_rest()
        return np.asarray(rest.sum() + changes.row_sums())

    def left_multiply(self, left: Array | SparseRows) -> Array:
        # A (1 rest + changes) = (A 1) rest + A changes
        rest, changes = self._over_rest()
        if isinstance(left, SparseRows):
            sums, result = left.column_sums, left.transposed_matmul(changes)
        else:
            check_fits(left.shape[0], self.n_columns)
            sums, result = left.sum(axis=1), changes.transposed_matmul_dense(left.T).T
        sums, rest, result = unified(sums, rest, result)
        common = np.multiply.outer(sums, rest)
        outcome = np.asarray(common + result)
        del result
        if not is_exact(outcome):
            # Where little is left of the common part, it is rounding: look at these columns entry by entry.
            for column in _cancelled(outcome, common):
                dense = to_float(self.columns(column, column + 1))
                if isinstance(left, SparseRows):
                    outcome[:, column] = left.transposed_matmul_dense(dense)[:, 0]
                else:
                    outcome[:, column] = (to_float(left) @ dense)[:, 0]
        return outcome

    def right_multiply(self, right: Array) -> Array:
        # (1 rest + changes) A = 1 (rest A) + changes A
        rest, changes = self._over_rest()
        check_fits(self.n_rows, right.shape[1])
        return np.asarray(to_float(np.array(rest)) @ right + changes.matmul_dense(right))

    def positive_parts(self, scale: Any, shift: Array) -> Array:
        # That of the background for everybody, and what the entries of a row change.
        background, values, added = same_kind(self.background, self.entries.values, shift)
        plain = np.maximum(background * scale + added, 0)
        own = np.maximum(values * scale + added[self.entries.columns], 0)
        changes = self.entries.with_values(np.asarray(own - plain[self.entries.columns]))
        return np.asarray(plain.sum() + changes.row_sums())

    def best_actions(self, left: SparseRows) -> Array:
        # Without a background, A C is sparse, too; a channel to very many outputs needs it to stay so.
        n_pairs = left.n_pairs(self.entries)
        if not self.background.any() and _PAIRED * n_pairs < left.width * self.n_columns:
            check_memory(f"the gains of {n_pairs} pairs need", _PAIRED * n_pairs, self.number_size)
            return left.paired(self.entries).row_max()
        return super().best_actions(left)

    def best_actions_sum(self, left: SparseRows) -> Any:
        if self._few is None or not is_exact(left.values):
            return super().best_actions_sum(left)
        visible, plain = self._few
        return visible.best_actions(left).sum() + left.column_sums.max() * plain

    def column_max_sum(self, weights: Array) -> Any:
        if self._few is None or not is_exact(weights):
            return super().column_max_sum(weights)
        visible, plain = self._few
        return visible.column_max(weights).sum() + weights.max() * plain

    @cached_property
    def _few(self) -> "tuple[SparseKernel, Any] | None":
        """The columns in which rows have entries, and the sum of the background in all others.

        In these all rows are alike, so that fractions, which are slow, are added up once. None for other
        numbers, and if all columns have entries or none.
        """
        occupied = self.entries.column_counts > 0
        width = int(np.count_nonzero(occupied))
        if self.background.dtype != object or not 0 < width < self.n_columns:
            return None
        positions = np.maximum(np.cumsum(occupied) - 1, 0)
        visible = SparseKernel(self.background[occupied], self.entries.move(positions, width))
        same, n_plain = constant_of(self.background), self.n_columns - width
        return visible, self.background[~occupied].sum() if same is None else same * n_plain

    def columns(self, start: int, stop: int) -> Array:
        return self.entries.dense(self.background, start, stop)

    def take_rows(self, index: Array) -> Kernel:
        return SparseKernel(self.background, self.entries.take(index))

    def place_columns(self, positions: Array, width: int) -> Kernel:
        background = summed(self.background, positions, width)
        if np.unique(positions).shape[0] == positions.shape[0]:
            return SparseKernel(background, self.entries.move(positions, width))
        # A row's own number is the sum of its entries that meet and of the background of those that do not.
        entries, shape = self.entries, (self.n_rows, width)
        present, goal = self.background != 0, positions.take(self.entries.columns)
        first = SparseRows.from_entries(entries.rows, goal, np.asarray(entries.values), shape)
        covered = SparseRows.from_entries(entries.rows, goal, self.background.take(entries.columns), shape)
        how_many = SparseRows.from_entries(
            entries.rows, goal, present.take(entries.columns).astype(np.int64), shape
        )
        left = summed(present.astype(np.int64), positions, width).take(first.columns) - how_many.values
        rest = np.where(left > 0, background.take(first.columns) - covered.values, 0 * covered.values)
        return SparseKernel(background, first.with_values(first.values + rest))

    def cascades_sparsely(self, second: "SparseKernel") -> bool:
        """Tell whether `followed_by` can work on this kernel, and takes less memory than a dense result."""
        n_pairs = int(second.entries.lengths.take(self.entries.columns).sum())
        return not self.background.any() and _PAIRED * n_pairs < self.n_rows * second.n_columns

    def followed_by(self, second: "SparseKernel") -> "SparseKernel":
        """Return C D for this C, which has no background: (C D)[x,z] = sum_y C[x,y] D[y,z].

        A row of C D is the background of D but where one of its y has an entry: there it is the sum of the
        entries that meet and of the background times the weight of those y that have none.
        """
        taken = second.entries.take(self.entries.columns)  # the row of D behind each entry of C
        n_pairs, shape = taken.columns.shape[0], (self.n_rows, second.n_columns)
        check_memory(f"a cascade of {n_pairs} pairs of entries needs", _PAIRED * n_pairs, self.number_size)
        left, right, rest = same_kind(self.entries.values, taken.values, second.background)
        rows, weights = np.repeat(self.entries.rows, taken.lengths), np.repeat(left, taken.lengths)
        entries = SparseRows.from_entries(rows, taken.columns, np.asarray(weights * right), shape)
        if not rest.any():
            return SparseKernel(rest, entries)
        covered = SparseRows.from_entries(rows, taken.columns, weights, shape)
        meeting = SparseRows.from_entries(rows, taken.columns, (weights != 0).astype(np.int64), shape)
        present = np.bincount(self.entries.rows, np.asarray(left != 0), minlength=self.n_rows)
        remaining = present.take(entries.rows) > meeting.values  # else what is left of 1 is rounding
        uncovered = np.where(remaining, 1 - covered.values, 0 * covered.values)
        return SparseKernel(
            rest, entries.with_values(entries.values + uncovered * rest.take(entries.columns))
        )

    def sample(self, rows: Array, rng: np.random.Generator) -> Array:
        own = self.entries.row_sums().astype(np.float64)[rows]
        present = rng.random(rows.shape[0]) < own
        drawn = np.empty(rows.shape[0], dtype=np.int64)
        drawn[present] = self._sample_entries(rows[present], rng)
        drawn[~present] = self._sample_background(rows[~present], rng)
        return drawn

    def _sample_entries(self, rows: Array, rng: np.random.Generator) -> Array:
        """Draw among the entries of each row, by their values."""
        ends = np.cumsum(to_float(np.asarray(self.entries.values)))
        before = np.r_[0.0, ends][self.entries.starts]
        low, high = before[rows], before[rows + 1]
        place = np.searchsorted(ends, low + rng.random(rows.shape[0]) * (high - low), side="right")
        place = np.clip(place, self.entries.starts[rows], self.entries.starts[rows + 1] - 1)
        return np.asarray(self.entries.columns[place], dtype=np.int64)

    def _sample_background(self, rows: Array, rng: np.random.Generator) -> Array:
        """Draw from the background until it is a column where the row has no entry of its own."""
        ends = np.cumsum(to_float(np.array(self.background)))
        drawn, left = np.empty(rows.shape[0], dtype=np.int64), np.arange(rows.shape[0])
        for _ in range(_DRAWS):
            columns = np.searchsorted(ends, rng.random(left.shape[0]) * ends[-1], side="right")
            drawn[left] = np.minimum(columns, self.n_columns - 1)
            left = left[self.entries.holds(rows[left], drawn[left])]
            if not left.size:
                return drawn
        for place in left:  # hardly anything of the background is free
            free = np.array(self.background, dtype=np.float64)
            free[self.entries.take(rows[place : place + 1]).columns] = 0
            drawn[place] = rng.choice(self.n_columns, p=free / free.sum())
        return drawn

    def cells(self, rows: Array, columns: Array) -> Array:
        place, result = self.entries.find(rows, columns)
        values = np.array(self.background[columns])
        values[result] = self.entries.values[place[result]]
        return values

    def row_entropies(self) -> Array:
        inside = entropy_terms(self.background)
        change = entropy_terms(self.entries.values) - inside.take(self.entries.columns)
        return np.asarray(inside.sum() + self.entries.with_values(change).row_sums())

    def distinct_rows(self) -> tuple[Array, Array]:
        return self.entries.distinct(self.entries.values != spread(self.background, self.entries.columns))

    def support(self) -> Kernel:
        present = (np.asarray(self.entries.values) != 0).astype(np.int64)
        background = (np.asarray(self.background) != 0).astype(np.int64)
        return SparseKernel(background, self.entries.with_values(present))

    def as_sparse(self) -> "SparseKernel":
        return self

    def mixed(self, other: "SparseKernel", r: Any) -> "SparseKernel":
        """Return (1-r) of this kernel plus r of another, which is of the same kind again."""
        left, rest, share = same_kind(self.background, other.background, np.asarray([r]))
        first, second = self.entries.union(other.entries, left, rest)
        return SparseKernel(
            _mixture(left, rest, share[0]),
            first.with_values(_mixture(first.values, second.values, share[0])),
        )


def _cancelled(result: Array, common: Array) -> list[int]:
    """Return the columns where some sum is little beside its common part; some columns at a time."""
    step = max(1, BLOCK // max(result.shape[0], 1))
    columns: list[int] = []
    for start in range(0, result.shape[1], step):
        part = (slice(None), slice(start, start + step))
        little = (abs(result[part]) < _LITTLE * abs(common[part])).any(axis=0)
        columns += (start + np.flatnonzero(little)).tolist()
    return columns


def _mixture(first: Array, second: Array, r: Any) -> Array:
    first, second = same_kind(first, second)
    size = first.shape[0]
    left, right = product(first, filled(1 - r, size)), product(second, filled(r, size))
    constants = constant_of(left), constant_of(right)
    if constants[0] is not None and constants[1] is not None:
        return filled(constants[0] + constants[1], size)
    return np.asarray(left + right)


@final
class MapKernel(SparseKernel):
    """Row x has output ``codes[x]``: one entry of 1 over a background of zeros."""

    def __init__(self, codes: Array, width: int) -> None:
        super().__init__(
            filled(np.int64(0), width), SparseRows.rectangular(codes.reshape(-1, 1), np.int64(1), width)
        )
        self.codes: Array = codes
        self.summary = "deterministic"

    def take_rows(self, index: Array) -> Kernel:
        return MapKernel(self.codes.take(index), self.n_columns)

    def place_columns(self, positions: Array, width: int) -> Kernel:
        return MapKernel(positions.take(self.codes), width)

    def sample(self, rows: Array, rng: np.random.Generator) -> Array:  # noqa: ARG002 - nothing is random
        return np.asarray(self.codes[rows], dtype=np.int64)

    def best_actions(self, left: SparseRows) -> Array:
        if np.bincount(self.codes, minlength=self.n_columns).max() > 1:
            return super().best_actions(left)
        best = left.row_max()  # no two rows share an output: each is its row's own gain
        result = np.zeros(self.n_columns, dtype=best.dtype)
        result[self.codes] = best
        return result

    def row_entropies(self) -> Array:
        return np.zeros(self.n_rows)

    def distinct_rows(self) -> tuple[Array, Array]:
        return distinct_codes(self.codes.reshape(-1, 1), self.n_columns)
