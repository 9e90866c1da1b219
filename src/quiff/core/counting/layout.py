"""Where the partial tuples of outputs are kept: one table for each set S of factors; and ranks of values.

The table of S has a cell for each tuple of outputs of the factors in S. It is written as the last factor
``last`` of S and the `rest` of it, a bit mask: a row for each tuple of the rest, a cell for each output of
the last. Tables whose rest has the first factor are kept for one of its outputs at a time; so no table has
more than m^(E-1) cells. Where users differ in weight, cells hold ranks among the values that a user's weight
and fit can make.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import Any, NamedTuple

import numpy as np

from quiff.core.numbers import Array, is_exact, tie_codes

_SOME = 2**20  # rows at a time


@dataclass(frozen=True, eq=False)
class Layout:
    """Sets of outputs by factor, with the outputs that occur numbered from 0."""

    # The sets, (factors, rows, outputs in a set); where a factor's sets are smaller the rest is unused.
    codes: Array
    lengths: Array  # how many outputs a set of each factor has
    occurring: Array  # how many outputs of each factor are in some set
    spare: Array  # how many are in none. They are all alike: one more output, `occurring`, stands for them

    @classmethod
    def of(cls, codes: Sequence[Array], sizes: Sequence[int]) -> "Layout":
        """Make the layout of sets, given for each factor as codes (rows, outputs in a set) and m.

        >>> layout = Layout.of([np.array([[7, 2]]), np.array([[0, 2]])], [9, 3])
        >>> layout.codes.tolist(), layout.occurring.tolist(), layout.spare.tolist()
        ([[[1, 0]], [[0, 1]]], [2, 2], [7, 1])
        """
        lengths = np.array([sets.shape[1] for sets in codes])
        narrow = np.uint16 if max(sizes) < 2**16 else np.int32  # loops are compiled for one
        placed = np.zeros((len(codes), codes[0].shape[0], int(lengths.max())), dtype=narrow)
        occurring = np.zeros(len(codes), dtype=np.int64)
        for factor, (sets, size) in enumerate(zip(codes, sizes, strict=True)):
            seen = np.bincount(sets.reshape(-1), minlength=size) > 0
            occurring[factor] = seen.sum()
            placed[factor, :, : sets.shape[1]] = (np.cumsum(seen) - 1).astype(narrow)[sets]
        return cls(placed, lengths, occurring, np.asarray(sizes, dtype=np.int64) - occurring)

    @property
    def n_factors(self) -> int:
        """E, the number of factors."""
        return int(self.codes.shape[0])

    @cached_property
    def radix(self) -> int:
        """One more than the most outputs of a factor: the base in which tuples are numbered."""
        return int(self.occurring.max()) + 1

    @cached_property
    def shape(self) -> "Shape":
        """What the compiled loops look up."""
        sizes = np.bitwise_count(np.arange(1 << (self.n_factors - 1))).astype(np.int64)
        return Shape(self.starts, sizes, self.occurring, self.spare, self.radix)

    @cached_property
    def starts(self) -> Array:
        """The first row of the table of each (last, rest): those that are kept before those of one output."""
        starts = np.zeros((self.n_factors, 1 << (self.n_factors - 1)), dtype=np.int64)
        end = 0
        for last, rest in sorted(self.tables(), key=lambda table: table[1] & 1):
            starts[last, rest] = end
            end += self.rows_of(rest)
        return starts

    @cached_property
    def kept(self) -> int:
        """How many rows the tables without the first factor have together."""
        return sum(self.rows_of(rest) for _, rest in self.tables() if not rest & 1)

    @cached_property
    def sliced(self) -> int:
        """How many rows the tables with the first factor have together, for one of its outputs."""
        return sum(self.rows_of(rest) for _, rest in self.tables() if rest & 1)

    def tables(self) -> list[tuple[int, int]]:
        """Return (last, rest) of all tables but those of the first factor alone."""
        return [(last, rest) for last in range(1, self.n_factors) for rest in range(1 << last)]

    def rows_of(self, rest: int) -> int:
        """Return how many tuples the rest of a set of factors has, without the first factor."""
        return int(self.radix ** (rest >> 1).bit_count())

    @cached_property
    def by_first(self) -> list[Array]:
        """The rows that have each output of the first factor in their set; none have a spare one."""
        codes = self.codes[0, :, : int(self.lengths[0])]
        found: list[list[Array]] = [[] for _ in range(int(self.occurring[0]))]
        for start in range(0, codes.shape[0], _SOME):  # an order takes more memory than what is kept of it
            flat = codes[start : start + _SOME].reshape(-1)
            rows = self.rows[start + np.argsort(flat, kind="stable") // codes.shape[1]]
            ends = np.cumsum(np.bincount(flat, minlength=len(found)))
            for output, part in zip(found, np.split(rows, ends[:-1]), strict=True):
                output.append(part)
        nobody = [self.rows[:0]] if self.spare[0] else []
        return [*map(np.concatenate, found), *nobody]

    @cached_property
    def rows(self) -> Array:
        """The numbers of all rows, in as few bytes as that takes: four, but for more than two billion."""
        n = self.codes.shape[1]
        return np.arange(n, dtype=np.int32 if n < 2**31 else np.int64)


class Shape(NamedTuple):
    """Where tables start, how many factors each rest has, and how many outputs there are, as in a layout."""

    starts: Array
    sizes: Array
    occurring: Array
    spare: Array
    radix: int


@dataclass(frozen=True, eq=False)
class RankedValues:
    """All values w p^k q^(E-k) for the weights w of some users and k = 0, ..., E, from the least up."""

    ranks: Array  # the rank of each user's value when it fits in k factors, (E + 1, users)
    values: Array  # the value of each rank, exact if the weights and p and q are

    @property
    def tied_ranks(self) -> Array:
        """The ranks where values that tie have the same."""
        return np.asarray(tie_codes(self.values)[self.ranks])

    @classmethod
    def of(cls, weights: Array, inside: Any, outside: Any, n_factors: int) -> "RankedValues":
        """Rank the values.

        >>> found = RankedValues.of(np.array([1, 3]), Fraction(1, 2), Fraction(1, 4), 1)
        >>> found.ranks.tolist(), [str(value) for value in found.values]
        ([[0, 2], [1, 3]], ['1/4', '1/2', '3/4', '3/2'])
        """
        E = n_factors
        distinct, which = np.unique(weights, return_inverse=True)
        if not is_exact(weights) or isinstance(inside, float) or isinstance(outside, float):
            powers = np.array([float(inside) ** k * float(outside) ** (E - k) for k in range(E + 1)])
            values, ranks = _ranked(powers, distinct.astype(np.float64))
        else:  # whole numbers over a common denominator: fractions would take ten times as long
            (p, q), common = _whole([inside, outside])
            numerators, divisor = _whole(distinct.tolist())
            powers = np.array([p**k * q ** (E - k) for k in range(E + 1)], dtype=object)
            found, ranks = _ranked(powers, np.array(numerators, dtype=object))
            below = common**E * divisor
            values = np.array([Fraction(value, below) for value in found.tolist()], dtype=object)
        return cls(ranks[:, which.reshape(-1)], values)


def _ranked(powers: Array, weights: Array) -> tuple[Array, Array]:
    """Return the distinct products from the least up, and the rank of each."""
    table = np.multiply.outer(powers, weights)
    values, ranks = np.unique(table.reshape(-1), return_inverse=True)
    return values, ranks.reshape(table.shape).astype(np.int32)


def _whole(numbers: list[Any]) -> tuple[list[int], int]:
    """Return numerators over a common denominator, and the denominator."""
    fractions = [Fraction(number) for number in numbers]
    common = lcm(*(fraction.denominator for fraction in fractions))
    return [int(fraction * common) for fraction in fractions], common
