"""Kernels made of others: lazy parallel composition, several channels observed on one input; and cascades.

C[x,(y1,...,yE)] = C1[x,y1] ... CE[x,yE]. The matrix with its m^E columns is never written out unless asked
for: sums over the columns run over the outputs of all factors but the widest, one weighted pass each. What a
product of a few membership channels leaks is counted without looking at every column.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import chain
from math import comb, prod
from typing import Any, final

import numpy as np

from quiff.core.counting.membership import MembershipProduct
from quiff.core.distinct import distinct_codes
from quiff.core.kernels.base import DenseKernel, Kernel, scale_rows
from quiff.core.kernels.sparse import MapKernel
from quiff.core.limits import check_fits, check_work
from quiff.core.numbers import (
    Array,
    constant_of,
    filled,
    large,
    matmul,
    product,
    same_kind,
    unified,
)
from quiff.core.sparse import SparseRows, fold_max

# So many numbers are looked at faster than tables are made to count them.
_FEW = 20_000
# So many outputs of a factor, seen so many times, are taken in one order; of more, floats would overflow.
_MOST_OUTPUTS, _MOST_TIMES = 64, 512


@final
class ProductKernel(Kernel):
    """Factors with the same rows; the columns are tuples, the last factor's running fastest."""

    def __init__(self, factors: Sequence[Kernel]) -> None:
        # A product of products is the product of all: the order of the columns is the same.
        self.factors: tuple[Kernel, ...] = tuple(
            leaf
            for factor in factors
            for leaf in (factor.factors if isinstance(factor, ProductKernel) else (factor,))
        )
        self.n_rows = self.factors[0].n_rows
        self.n_columns = _width(self.factors)
        # A factor with one output tells nothing.
        self._wide = tuple(factor for factor in self.factors if factor.n_columns != 1) or self.factors[:1]

        self.summary = f"lazy product of {len(self.factors)}"

    def numbers(self) -> tuple[Array, ...]:
        return tuple(chain.from_iterable(factor.numbers() for factor in set(self.factors)))

    def extreme(self, weights: Array, better: np.ufunc) -> Array:
        check_fits(1, self.n_columns)
        *rest, last = self._wide
        return np.concatenate([last.extreme(product(weights, head), better) for head in self._heads(rest)])

    def column_max_sum(self, weights: Array) -> Any:
        # Of equal rows, the one with the largest weight wins everywhere.
        kernel, classes = self.merged()
        if classes is not None:
            same = constant_of(weights)
            n_rows = kernel.n_rows
            weights = fold_max(weights, classes, n_rows) if same is None else filled(same, n_rows)
        factors = kernel._telling if isinstance(kernel, ProductKernel) else (kernel,)
        if len(factors) == 1:
            return factors[0].column_max_sum(weights)
        if kernel.n_rows * _width(factors) > _FEW:
            if factors[0].codes is not None:
                return _by_value(factors[0].codes, ProductKernel(factors[1:]), weights)
            memberships = MembershipProduct.of(factors)
            if memberships is not None:
                check_work(memberships.work(weights))
                return memberships.column_max_sum(weights)
        ones = filled(np.int64(1), kernel.n_rows)
        parts = (
            leaf.column_max_sum(product(weights, ones if head is None else head))
            for head, leaf in kernel.slices(added=True)
        )
        return sum(parts)

    def left_multiply(self, left: Array | SparseRows) -> Array:
        height = left.width if isinstance(left, SparseRows) else left.shape[0]
        check_fits(height, self.n_columns)
        *rest, last = self._wide
        parts = []
        for head in self._heads(rest):
            if isinstance(left, SparseRows):
                parts.append(last.left_multiply(left.scale_rows(head)))
            else:
                matrix, factors = unified(left, head)
                parts.append(last.left_multiply(scale_rows(matrix.T, factors).T))
        return np.concatenate(parts, axis=1)

    def columns(self, start: int, stop: int) -> Array:
        check_fits(self.n_rows, stop - start)
        left = np.array(range(start, stop), dtype=np.int64 if stop < 2**63 else object)
        result: Array = np.ones((self.n_rows, 1), dtype=np.int64)
        for factor in reversed(self.factors):
            digit = (left % factor.n_columns).astype(np.intp)
            left = left // factor.n_columns
            low = digit.min(initial=factor.n_columns)
            part, result = unified(factor.columns(low, digit.max(initial=0) + 1), result)
            result = result * part[:, digit - low]
        return result

    def take_rows(self, index: Array) -> "ProductKernel":
        taken = {factor: factor.take_rows(index) for factor in set(self.factors)}  # equal ones stay equal
        return ProductKernel([taken[factor] for factor in self.factors])

    def place_columns(self, positions: Array, width: int) -> Kernel:
        check_fits(self.n_rows, width)
        return DenseKernel(self.to_dense()).place_columns(positions, width)

    def sample(self, rows: Array, rng: np.random.Generator) -> Array:
        check_work(rows.shape[0] * len(self.factors) * (1 + self.n_columns.bit_length() // 64))
        position: Array = np.zeros(rows.shape[0], dtype=np.int64 if self.n_columns < 2**63 else object)
        for factor in self.factors:
            position = position * factor.n_columns + factor.sample(rows, rng)
        return position

    def cells(self, rows: Array, columns: Array) -> Array:
        result: Array = np.ones(rows.shape[0], dtype=np.int64)
        for factor in reversed(self.factors):
            columns, digit = columns // factor.n_columns, (columns % factor.n_columns).astype(np.intp)
            part, result = same_kind(factor.cells(rows, digit), result)
            result = result * part
        return result

    def drawn_likelihoods(self, rows: Array, rng: np.random.Generator) -> Array:
        return np.asarray(prod(factor.drawn_likelihoods(rows, rng) for factor in self.factors))

    def row_entropies(self) -> Array:
        return np.asarray(sum(times * leaf.row_entropies() for leaf, times in self.leaves().items()))

    def distinct_rows(self) -> tuple[Array, Array]:
        kinds = np.stack([factor.distinct_rows()[1] for factor in set(self.factors)], axis=1)
        return distinct_codes(kinds, self.n_rows)

    def merged(self) -> tuple[Kernel, Array | None]:
        return self._merged

    @cached_property
    def _merged(self) -> tuple[Kernel, Array | None]:
        first, kind = self.distinct_rows()
        if first.shape[0] == self.n_rows:
            return self, None
        return self.take_rows(first), kind

    def telling(self) -> Kernel:
        factors = self._telling
        return factors[0] if len(factors) == 1 else ProductKernel(factors)

    @cached_property
    def _telling(self) -> tuple[Kernel, ...]:
        """The factors that tell rows apart, all maps as one before the others: several maps are one map."""
        wide = tuple(factor for factor in self._wide if not _same_for_all(factor)) or self._wide[:1]
        maps = {factor: factor.codes for factor in wide if factor.codes is not None}
        if not maps:
            return wide
        first, kind = distinct_codes(np.stack([*maps.values()], axis=1), max(f.n_columns for f in maps))
        rest = (factor for factor in wide if factor not in maps)
        return MapKernel(kind, first.shape[0]), *rest

    def leaves(self) -> dict[Kernel, int]:
        return dict(Counter(self.factors))

    def slices(self, *, added: bool = False, scaled: bool = False) -> Iterator[tuple[Array | None, Kernel]]:
        *narrow, widest = sorted(self._telling, key=lambda factor: factor.n_columns)
        often = {} if not added else {f: n for f, n in Counter(narrow).items() if _may_be_added(f, n)}
        once = [factor for factor in narrow if factor not in often]
        passes = _width(once) * prod(comb(n + f.n_columns - 1, n) for f, n in often.items())
        check_work(self.n_rows * passes, self.number_size if self.exact else 8, passes)
        for start in self._heads(once, scaled=scaled):
            for head in _added_heads(start, list(often.items()), scaled):
                if np.any(head != 0):
                    yield head, widest

    def _heads(self, factors: Sequence[Kernel], *, scaled: bool = False) -> Iterator[Array]:
        """Yield, for each tuple of outputs of some factors, the product of their columns."""
        if not factors:
            yield filled(np.int64(1), self.n_rows)
            return
        for head in self._heads(factors[:-1], scaled=scaled):
            start = large(head) if scaled else head
            for _, block in factors[-1].blocks():
                for column in block.T:
                    yield product(start, np.ascontiguousarray(column))


def _may_be_added(factor: Kernel, times: int) -> bool:
    """Tell whether outputs of a factor that is seen several times are taken in one order for all."""
    return 1 < times <= _MOST_TIMES and factor.n_columns <= _MOST_OUTPUTS


def _added_heads(start: Array, factors: list[tuple[Kernel, int]], scaled: bool) -> Iterator[Array]:
    """Yield, for how often each output of some factors is seen, the sum of the products of their columns.

    Outputs y of one factor in n turns: n!/prod_y k_y! prod_y C[x,y]^k_y, where y is seen k_y times.
    """
    if not factors:
        yield start
        return
    (factor, times), *rest = factors
    for head in _of_counts(start, list(factor.to_dense().T), times, scaled):
        yield from _added_heads(head, rest, scaled)


def _of_counts(start: Array, columns: list[Array], times: int, scaled: bool) -> Iterator[Array]:
    first, *rest = columns
    start = large(start) if scaled else start
    for count in range(times + 1) if rest else (times,):
        head = product(start, _power(first, count, comb(times, count)))
        if rest:
            yield from _of_counts(head, rest, times - count, scaled)
        else:
            yield head


def _power(column: Array, count: int, ways: int) -> Array:
    """Return so many times the powers of the entries of a column, fractions of exact ones."""
    if column.dtype == np.float64:
        return np.asarray(float(ways) * column**count)
    return np.array([ways * Fraction(value) ** count for value in column.tolist()], dtype=object)


def _by_value(codes: Array, rest: ProductKernel, weights: Array) -> Any:
    """Return sum_y max_x weights[x] C[x,y], where the rows' values are seen with the outputs of the rest.

    It is the sum over values of that of the rows who have it; a row that is alone adds its weight.
    """
    counts = np.bincount(codes)
    groups = np.split(np.argsort(codes, kind="stable"), np.cumsum(counts)[:-1])
    parts = [(rest.take_rows(rows), weights[rows]) for rows in groups if rows.shape[0] > 1]
    products = ((MembershipProduct.of(part.factors), own) for part, own in parts)
    check_work(sum(product.work(own) for product, own in products if product), passes=len(parts))
    total = weights[counts[codes] == 1].sum()
    return total + sum(part.column_max_sum(own) for part, own in parts)


def _same_for_all(factor: Kernel) -> bool:
    """Whether all rows are seen to have the same entries; False where that would take a longer look."""
    sparse = factor.as_sparse()
    if sparse is None or sparse.entries.per_row is None:
        return False
    columns = sparse.entries.columns.reshape(factor.n_rows, -1)
    value = constant_of(sparse.entries.values)
    return value is not None and bool((columns == columns[0]).all())


def _width(factors: Sequence[Kernel]) -> int:
    """Return how many tuples of outputs there are, quickly even for a million factors."""
    times = Counter(factor.n_columns for factor in factors)
    return prod(width**count for width, count in times.items())


def cascade(first: Kernel, second: Kernel) -> Kernel:
    """Return the kernel of C D; the columns of C are the rows of D.

    A map before anything takes rows; a map after anything adds columns up; sparse entries without a
    background before sparse ones stay sparse; the rest is dense, floats without writing sparse ones out.
    """
    if first.codes is not None:
        return second.take_rows(first.codes)
    if second.codes is not None:
        return first.place_columns(second.codes, second.n_columns)
    left, right = first.as_sparse(), second.as_sparse()
    if left is not None and right is not None and left.cascades_sparsely(right):
        return left.followed_by(right)
    check_fits(first.n_rows, second.n_columns)
    if left is not None and not second.exact:
        return DenseKernel(left.right_multiply(second.to_dense()))
    return DenseKernel(matmul(first.to_dense(), second.to_dense()))
