"""A channel as a plain matrix."""

from typing import final

import numpy as np

from quiff.core.kernels.base import BLOCK, Kernel, entropy_terms, scale_rows
from quiff.core.limits import check_fits
from quiff.core.numbers import Array, is_exact, matmul, number_size, unified
from quiff.core.sparse import SparseRows


@final
class DenseKernel(Kernel):
    """All the numbers, one by one."""

    def __init__(self, matrix: Array) -> None:
        self.matrix = matrix
        self.n_rows, self.n_columns = matrix.shape

    @property
    def exact(self) -> bool:
        return is_exact(self.matrix)

    @property
    def number_size(self) -> int:
        return number_size(self.matrix)

    @property
    def summary(self) -> str:
        return "dense"

    def column_max(self, weights: Array) -> Array:
        return self._reduce(weights, np.maximum)

    def column_min(self, weights: Array) -> Array:
        return self._reduce(weights, np.minimum)

    def _reduce(self, weights: Array, better: np.ufunc) -> Array:
        matrix, weights = unified(self.matrix, weights)
        step = max(1, BLOCK // max(self.n_columns, 1))
        parts = [
            better.reduce(scale_rows(matrix[start : start + step], weights[start : start + step]), axis=0)
            for start in range(0, self.n_rows, step)
        ]
        return np.asarray(better.reduce(parts))

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
        placed = np.zeros((self.n_rows, width), dtype=self.matrix.dtype)
        np.add.at(placed.T, positions, self.matrix.T)
        return DenseKernel(placed)

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
