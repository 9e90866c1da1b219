"""A deterministic channel: each row has one output, with probability 1."""

from typing import final

import numpy as np

from quiff.core.distinct import distinct_codes
from quiff.core.kernels.base import Kernel
from quiff.core.kernels.sparse import SparseKernel
from quiff.core.numbers import Array, filled
from quiff.core.sparse import SparseRows


@final
class MapKernel(SparseKernel):
    """Row x has output ``codes[x]``: one entry of 1 over a background of zeros."""

    def __init__(self, codes: Array, width: int) -> None:
        super().__init__(
            filled(np.int64(0), width), SparseRows.rectangular(codes.reshape(-1, 1), np.int64(1), width)
        )
        self.codes = codes

    @property
    def summary(self) -> str:
        return "deterministic"

    def take_rows(self, index: Array) -> Kernel:
        return MapKernel(self.codes[index], self.n_columns)

    def place_columns(self, positions: Array, width: int) -> Kernel:
        return MapKernel(positions[self.codes], width)

    def sample(self, rows: Array, rng: np.random.Generator) -> Array:  # noqa: ARG002 - nothing is random
        return np.asarray(self.codes[rows], dtype=np.int64)

    def best_actions(self, left: SparseRows) -> Array:
        if np.bincount(self.codes, minlength=self.n_columns).max() > 1:
            return super().best_actions(left)
        best = left.row_max()  # no two rows share an output: each is its row's own gain
        found = np.zeros(self.n_columns, dtype=best.dtype)
        found[self.codes] = best
        return found

    def row_entropies(self) -> Array:
        return np.zeros(self.n_rows)

    def distinct_rows(self) -> tuple[Array, Array]:
        return distinct_codes(self.codes.reshape(-1, 1), self.n_columns)
