"""Many noisy cells of which a secret marks at most one: noisy histograms and RAPPOR, without their columns.

C[x,(y_1 .. y_m)] = base[y_1] .. marked[y_i] .. base[y_m], where x marks cell i. Relative to the law without a
mark, only rho = marked[y_i]/base[y_i] counts, so that
sum_y max_x w_x C[x,y] = E[max(w_none, max_i w_i rho_i)] with independent rho_i: a sum over the values of rho.
"""

from functools import cached_property
from typing import Any, final

import numpy as np

from quiff.core.kernels.base import DenseKernel, Kernel, entropy_terms
from quiff.core.kernels.product import ProductKernel
from quiff.core.limits import check_fits, check_work
from quiff.core.numbers import Array, to_float
from quiff.core.sparse import SparseRows, fold_max

_CACHED = 2**16  # numbers that stay in a processor's cache: ten times as fast


@final
class OneHotKernel(Kernel):
    """`n_cells` independent cells with the law `base`; in the cell of a row's place the law `marked`.

    `places` has the cell of each row, -1 for none.
    """

    def __init__(self, base: Array, marked: Array, places: Array, n_cells: int) -> None:
        self.base, self.marked = np.asarray(base, np.float64), np.asarray(marked, np.float64)
        self.places, self.n_cells = np.asarray(places, np.int64), n_cells
        self.n_rows, self.n_columns = self.places.shape[0], self.base.shape[0] ** n_cells

        self.summary = f"{n_cells} noisy cells, at most one marked"

    def numbers(self) -> tuple[Array, ...]:
        return self.base, self.marked

    @cached_property
    def rho(self) -> Array:
        """How many times as probable each output is with a mark; 0 if it never occurs."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.nan_to_num(self.marked / self.base, nan=0.0, posinf=np.inf)

    @cached_property
    def _ratios(self) -> tuple[Array, Array]:
        """The values of rho in ascending order, and the probability of each or more without a mark."""
        ratios = self.rho
        order = np.argsort(ratios, kind="stable")
        return ratios[order], np.cumsum(self.base[order][::-1])[::-1]

    def column_max_sum(self, weights: Array) -> Any:
        cells, where = np.unique(self.places, return_inverse=True)
        best = fold_max(np.asarray(weights, np.float64), where, cells.shape[0])
        silent = best[0] if cells[0] < 0 else 0.0
        sizes, counts = np.unique(best[1:] if cells[0] < 0 else best, return_counts=True)
        ratios, tails = self._ratios
        finite = np.isfinite(ratios)
        # Outputs that occur only with a mark tell it: their probability counts in full.
        sure = float(self.marked[self.base == 0].sum())
        values = np.unique(np.multiply.outer(sizes, ratios[finite]).reshape(-1))
        values = np.unique(np.r_[silent, values[values > silent]])
        check_work(values.shape[0] * sizes.shape[0])
        log_below = np.zeros(values.shape[0] - 1)  # ln P[max_i w_i rho_i < value]
        for size, count in zip(sizes, counts, strict=True):
            if size > 0:
                at = np.searchsorted(size * ratios[finite], values[1:], side="left")
                tail = np.append(tails[finite], 0.0)[at]
                with np.errstate(divide="ignore"):
                    log_below += count * np.log1p(-np.minimum(tail, 1.0))
        # E[M] = silent + sum over the values v above it of (v - the value before) P[M >= v]
        total = values[0] + float(np.diff(values) @ -np.expm1(log_below))
        return total + sure * float(sizes @ counts)

    def log_ratio(self) -> float | None:
        cells = np.unique(self.places)
        if cells.shape[0] == 1:
            return 0.0
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = np.log(self.marked) - np.log(self.base)
        logs = logs[~np.isnan(logs)]
        most, least = float(logs.max()), float(logs.min())
        pair = most - least if (cells >= 0).sum() > 1 else 0.0  # two cells: one as if marked, one as if not
        return max(pair, most, -least) if cells[0] < 0 else pair

    def row_entropies(self) -> Array:
        base, marked = entropy_terms(self.base).sum(), entropy_terms(self.marked).sum()
        return np.asarray(np.where(self.places < 0, self.n_cells * base, (self.n_cells - 1) * base + marked))

    def take_rows(self, index: Array) -> Kernel:
        return OneHotKernel(self.base, self.marked, self.places[index], self.n_cells)

    def distinct_rows(self) -> tuple[Array, Array]:
        _, first, kind = np.unique(self.places, return_index=True, return_inverse=True)
        return first, kind

    def merged(self) -> tuple[Kernel, Array | None]:
        first, kind = self.distinct_rows()
        return (self, None) if first.shape[0] == self.n_rows else (self.take_rows(first), kind)

    @cached_property
    def _product(self) -> ProductKernel:
        check_fits(self.n_rows * self.n_cells, self.base.shape[0])
        laws = DenseKernel(np.stack([self.base, self.marked]))
        return ProductKernel(
            [laws.take_rows((self.places == i).astype(np.intp)) for i in range(self.n_cells)]
        )

    def extreme(self, weights: Array, better: np.ufunc) -> Array:
        return self._product.extreme(weights, better)

    def left_multiply(self, left: Array | SparseRows) -> Array:
        return self._product.left_multiply(left)

    def best_actions_sum(self, left: SparseRows) -> Any:
        if self.n_cells != 2:
            return super().best_actions_sum(left)
        # sum_{y,z} max_w sum_x A[w,x] P[x,y] Q[x,z]: a product of matrices for each action, block by block.
        check_work(left.width * self.n_rows * self.n_columns)
        first, second = (self._law_of(cell) for cell in range(2))
        gains = to_float(left.dense(np.zeros(left.width), 0, left.width))
        step, total = max(1, _CACHED // self.base.shape[0]), 0.0
        for start in range(0, self.base.shape[0], step):
            block = first[:, start : start + step]
            best = (block * gains[:, :1]).T @ second
            for action in range(1, left.width):
                np.maximum(best, (block * gains[:, action : action + 1]).T @ second, out=best)
            total += float(best.sum())
        return total

    def _law_of(self, cell: int) -> Array:
        """Return what each row shows in a cell."""
        return np.where((self.places == cell)[:, np.newaxis], self.marked, self.base)

    def columns(self, start: int, stop: int) -> Array:
        return self._product.columns(start, stop)

    def place_columns(self, positions: Array, width: int) -> Kernel:
        return self._product.place_columns(positions, width)

    def sample(self, rows: Array, rng: np.random.Generator) -> Array:
        check_work(rows.shape[0] * self.n_cells * (1 + self.n_columns.bit_length() // 64))
        digits = _drawn(self.base, (rows.shape[0], self.n_cells), rng)
        has = np.flatnonzero(self.places[rows] >= 0)
        digits[has, self.places[rows[has]]] = _drawn(self.marked, has.shape, rng)
        position: Array = np.zeros(rows.shape[0], dtype=np.int64 if self.n_columns < 2**63 else object)
        for digit in digits.T:
            position = position * self.base.shape[0] + digit
        return position

    def cells(self, rows: Array, columns: Array) -> Array:
        result = np.ones(rows.shape[0])
        for cell in reversed(range(self.n_cells)):
            columns, digit = columns // self.base.shape[0], (columns % self.base.shape[0]).astype(np.intp)
            result *= np.where(self.places[rows] == cell, self.marked[digit], self.base[digit])
        return result

    def drawn_likelihoods(self, rows: Array, rng: np.random.Generator) -> Array:
        cells, where = np.unique(self.places, return_inverse=True)  # the other cells tell nothing
        digits = _drawn(self.base, (rows.shape[0], cells.shape[0]), rng)
        draws = np.arange(rows.shape[0])
        digits[draws, where[rows]] = _drawn(self.marked, draws.shape, rng)
        ratios = self.rho[digits]
        ratios[:, cells < 0] = 1.0
        sure = np.isinf(ratios)  # what occurs only with a mark tells it
        ratios = np.where(sure.any(axis=1, keepdims=True), sure, ratios)
        return np.asarray(ratios.T[where])


def _drawn(law: Array, shape: tuple[int, ...], rng: np.random.Generator) -> Array:
    """Draw positions from a law."""
    ends = np.cumsum(law)
    places = np.searchsorted(ends, rng.random(shape) * ends[-1], side="right")
    return np.asarray(np.minimum(places, int(np.flatnonzero(law)[-1])))
