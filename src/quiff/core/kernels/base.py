"""What every kernel answers, so that measures never ask which one they meet; and the plain matrix."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, final

import numpy as np

from quiff.core.limits import check_fits, check_work
from quiff.core.numbers import (
    Array,
    constant_of,
    is_exact,
    logarithms,
    matmul,
    number_size,
    same_kind,
    summed,
    to_float,
    unified,
)
from quiff.core.sparse import SparseRows

if TYPE_CHECKING:
    from quiff.core.kernels.sparse import SparseKernel

# How many numbers a temporary dense block may hold.
BLOCK = 2**22


class Kernel(ABC):
    """A stochastic matrix of `n_rows` x `n_columns` behind a small protocol.

    `weights` is a vector with one number per row: a prior, or ones. Where a method takes a matrix A with
    one column per row of the kernel, it may be dense (a two-dimensional array) or the transposed rows of a
    sparse one.
    """

    n_rows: int
    n_columns: int
    codes: Array | None = None
    """The column of each row, if it has only one."""
    summary = "dense"
    """A few words on how the numbers are held."""

    @abstractmethod
    def numbers(self) -> tuple[Array, ...]:
        """Return arrays of all the numbers that are held."""

    @property
    def exact(self) -> bool:
        """Whether all numbers are integers or fractions."""
        return all(map(is_exact, self.numbers()))

    @property
    def number_size(self) -> int:
        """How many bytes a number takes: 8, or about 80 for a fraction."""
        return max(map(number_size, self.numbers()))

    def least_log(self) -> float:
        """Return the natural logarithm of the least number that is not 0."""
        return min(map(least_log, self.numbers()))

    @abstractmethod
    def extreme(self, weights: Array, better: np.ufunc) -> Array:
        """Return the best of weights[x] C[x,y] for each y, by np.maximum or np.minimum."""

    def column_max(self, weights: Array) -> Array:
        """Return max_x weights[x] C[x,y] for each y."""
        return self.extreme(weights, np.maximum)

    def column_min(self, weights: Array) -> Array:
        """Return min_x weights[x] C[x,y] for each y."""
        return self.extreme(weights, np.minimum)

    def column_max_sum(self, weights: Array) -> Any:
        """Return sum_y max_x weights[x] C[x,y]."""
        return self.column_max(weights).sum()

    @abstractmethod
    def left_multiply(self, left: Array | SparseRows) -> Array:
        """Return A C as a dense matrix; a sparse A is given by its transposed rows."""

    def best_actions(self, left: SparseRows) -> Array:
        """Return max_w (A C)[w,y] for each y, of a sparse A without negative numbers."""
        return np.asarray(self.left_multiply(left).max(axis=0))

    def best_actions_sum(self, left: SparseRows) -> Any:
        """Return sum_y max_w (A C)[w,y], of a sparse A without negative numbers."""
        return self.best_actions(left).sum()

    @abstractmethod
    def columns(self, start: int, stop: int) -> Array:
        """Return columns start .. stop-1 as a dense matrix."""

    @abstractmethod
    def take_rows(self, index: Array) -> "Kernel":
        """Return the kernel whose row i is row ``index[i]`` of this one."""

    @abstractmethod
    def place_columns(self, positions: Array, width: int) -> "Kernel":
        """Move column j to ``positions[j]`` of `width` columns; columns that meet add up."""

    @abstractmethod
    def sample(self, rows: Array, rng: np.random.Generator) -> Array:
        """Draw an output of each of some rows: the positions of columns."""

    @abstractmethod
    def cells(self, rows: Array, columns: Array) -> Array:
        """Return C[rows[i], columns[i]] for each i: the likelihoods of outputs."""

    def drawn_likelihoods(self, rows: Array, rng: np.random.Generator) -> Array:
        """Draw an output y of each of some rows; return C[x,y] for all rows x, up to a factor for each y."""
        drawn = self.sample(rows, rng)
        every = np.repeat(np.arange(self.n_rows), drawn.shape[0])
        return to_float(self.cells(every, np.tile(drawn, self.n_rows))).reshape(self.n_rows, -1)

    @abstractmethod
    def row_entropies(self) -> Array:
        """Return -sum_y C[x,y] log2 C[x,y] for each x."""

    @abstractmethod
    def distinct_rows(self) -> tuple[Array, Array]:
        """Return the index of one row of each kind, and for every row the number of its kind."""

    def right_multiply(self, right: Array) -> Array:
        """Return C A for a dense matrix A of floats, with one row per column of the kernel."""
        total = np.zeros((self.n_rows, right.shape[1]))
        for start, block in self.blocks():
            total += to_float(block) @ right[start : start + block.shape[1]]
        return total

    def positive_parts(self, scale: Any, shift: Array) -> Array:
        """Return sum_y max(0, scale C[x,y] + shift[y]) for each x."""
        parts = []
        for start, block in self.blocks():
            numbers, added = same_kind(block, shift[start : start + block.shape[1]])
            values = numbers * scale
            values += added  # in place: new memory takes ten times as long
            parts.append(np.maximum(values, 0, out=values).sum(axis=1))
        return np.asarray(sum(parts))

    def support(self) -> "Kernel":
        """Return 1 where an output is possible, else 0."""
        return DenseKernel((self.to_dense() != 0).astype(np.int64))

    def as_sparse(self) -> "SparseKernel | None":
        """Return the same numbers as sparse entries over a background, if they are held so."""
        return None

    def merged(self) -> tuple["Kernel", Array | None]:
        """Return a kernel with equal rows made one, and each row's class; (self, None) if it does not pay."""
        return self, None

    def telling(self) -> "Kernel":
        """Return a kernel that tells as much of the rows, without what all rows show alike."""
        return self

    def root(self) -> tuple["Kernel", int]:
        """Return a kernel and how many times it is seen on the same row, in this one; (self, 1) if once."""
        leaves = self.leaves()
        return next(iter(leaves.items())) if len(leaves) == 1 else (self, 1)

    def leaves(self) -> dict["Kernel", int]:
        """Return the kernels that are not lazy whose product this is, and how often each is in it."""
        return {self: 1}

    def log_ratio(self) -> float | None:
        """Return max ln C[x,y] / C[x',y] if it is known without a look at the columns."""
        return None

    def slices(
        self,
        *,
        added: bool = False,  # noqa: ARG002 - for products
        scaled: bool = False,  # noqa: ARG002
    ) -> Iterator[tuple[Array | None, "Kernel"]]:
        """Yield parts that together hold every column that is not all zero, in any order.

        Each is a pair of a factor for each row (None for ones) and a kernel that is not lazy. If columns may
        be `added` up, those that are alike but for their order of outputs are one, which is their sum. If
        they may be `scaled`, the factors of a part are multiplied by a number that keeps the largest from
        vanishing.
        """
        yield None, self

    def blocks(self) -> Iterator[tuple[int, Array]]:
        """Yield the columns from left to right as dense matrices of bounded size, with where each begins."""
        check_work(self.n_rows * self.n_columns, self.number_size)
        step = max(1, BLOCK // max(self.n_rows, 1))
        for start in range(0, self.n_columns, step):
            yield start, self.columns(start, min(start + step, self.n_columns))

    def to_dense(self) -> Array:
        """Return the whole matrix, or raise a SizeError."""
        check_fits(self.n_rows, self.n_columns, self.number_size)
        return self.columns(0, self.n_columns)


def entropy_terms(values: Array) -> Array:
    """Return -v log2 v for each v, and 0 for 0."""
    floats = values.astype(np.float64)
    logs = np.log2(floats, where=floats > 0, out=np.zeros_like(floats))
    return np.asarray(-floats * logs)


def least_log(values: Array) -> float:
    """Return the natural logarithm of the least number that is not 0, and 0 without one."""
    positive = values[values > 0]
    return float(logarithms(positive.min(keepdims=True))[0]) if positive.size else 0.0


def scale_rows(matrix: Array, weights: Array) -> Array:
    """Multiply row x of a dense matrix by ``weights[x]``."""
    constant = constant_of(weights)
    return np.asarray(matrix * (weights[:, np.newaxis] if constant is None else constant))


@final
class DenseKernel(Kernel):
    """All the numbers, one by one."""

    def __init__(self, matrix: Array) -> None:
        self.matrix = matrix
        self.n_rows, self.n_columns = matrix.shape

    def numbers(self) -> tuple[Array, ...]:
        return (self.matrix,)

    def extreme(self, weights: Array, better: np.ufunc) -> Array:
        matrix, weights = unified(self.matrix, weights)
        step = max(1, BLOCK // max(self.n_columns, 1))
        parts = [
            better.reduce(scale_rows(matrix[start : start + step], weights[start : start + step]), axis=0)
            for start in range(0, self.n_rows, step)
        ]
        return parts[0] if len(parts) == 1 else np.asarray(better.reduce(parts))

    def left_multiply(self, left: Array | SparseRows) -> Array:
        if isinstance(left, SparseRows):
            return left.transposed_matmul_dense(self.matrix)
        check_fits(left.shape[0], self.n_columns)
        return matmul(left, self.matrix)

    def columns(self, start: int, stop: int) -> Array:
        return self.matrix[:, start:stop]

    def take_rows(self, index: Array) -> Kernel:
        check_fits(index.shape[0], self.n_columns)
        return DenseKernel(self.matrix[index])

    def place_columns(self, positions: Array, width: int) -> Kernel:
        check_fits(self.n_rows, width)
        return DenseKernel(summed(self.matrix.T, positions, width).T)

    def sample(self, rows: Array, rng: np.random.Generator) -> Array:
        kinds, which = np.unique(rows, return_inverse=True)
        order = np.argsort(which, kind="stable")
        drawn = np.empty(rows.shape[0], dtype=np.int64)
        for kind, places in zip(kinds, np.split(order, np.cumsum(np.bincount(which))[:-1]), strict=True):
            ends = np.cumsum(self.matrix[kind].astype(np.float64))
            last = np.searchsorted(ends, ends[-1])  # behind it are zeros
            points = rng.random(places.shape[0]) * ends[-1]
            drawn[places] = np.minimum(np.searchsorted(ends, points, side="right"), last)
        return drawn

    def cells(self, rows: Array, columns: Array) -> Array:
        return np.asarray(self.matrix[rows, columns])

    def row_entropies(self) -> Array:
        return np.asarray(entropy_terms(self.matrix).sum(axis=1))

    def distinct_rows(self) -> tuple[Array, Array]:
        if self.matrix.dtype == object:
            kinds: dict[tuple[object, ...], int] = {}
            first = []
            kind = np.empty(self.n_rows, dtype=np.intp)
            for x, row in enumerate(map(tuple, self.matrix)):
                if row not in kinds:
                    first.append(x)
                kind[x] = kinds.setdefault(row, len(kinds))
            return np.array(first, dtype=np.intp), kind
        _, index, inverse = np.unique(self.matrix, axis=0, return_index=True, return_inverse=True)
        return index, inverse.reshape(-1)
