"""Partial tuples of outputs as cells of tables, and how many outputs there are.

The users' sets on some factors contain certain tuples of outputs of these factors. A table on some of the
factors after the first has a cell for each such tuple. The first factor is gone through output by output, so
that no table has more than m^(E-1) cells. Outputs that are in no set are all alike: one more output of each
factor stands for them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import prod
from typing import Any

import numpy as np

from quiff.core.numbers import Array
from quiff.errors import SizeError

BLOCK = 2**22
"""Tuples that are looked at at a time."""

NEAR = 2**18
"""Tuples of users whose cells stay in the processor's cache until they are used."""
_SOME = 2**20  # rows at a time


@dataclass(frozen=True, eq=False)
class Tables:
    """The sets of users in each factor, with the outputs that occur numbered from 0."""

    codes: tuple[Array, ...]  # for each factor the sets, (users, outputs in a set)
    occurring: tuple[int, ...]  # how many outputs of each factor are in some set
    spare: tuple[int, ...]  # how many are in none

    @classmethod
    def of(cls, codes: Sequence[Array], sizes: Sequence[int]) -> "Tables":
        """Renumber the outputs of sets, given for each factor as codes (users, outputs in a set) and m.

        >>> tables = Tables.of([np.array([[7, 2]]), np.array([[0, 2]])], [9, 3])
        >>> [codes.tolist() for codes in tables.codes], tables.occurring, tables.spare
        ([[[1, 0]], [[0, 1]]], (2, 2), (7, 1))
        """
        placed: dict[int, Array] = {}  # stable sets are one array again and again
        occurring = []
        for sets, size in zip(codes, sizes, strict=True):
            present = np.bincount(sets.reshape(-1), minlength=size) > 0
            occurring.append(int(present.sum()))
            if id(sets) not in placed:
                numbers = (np.cumsum(present) - 1).astype(np.uint16 if size < 2**16 else np.int32)
                placed[id(sets)] = numbers[sets]
        spare = tuple(size - n for size, n in zip(sizes, occurring, strict=True))
        tables = cls(tuple(placed[id(sets)] for sets in codes), tuple(occurring), spare)
        if prod(tables.outputs[1:]) >= 2**31:
            raise SizeError(
                f"{' x '.join(map(str, tables.outputs[1:]))} tuples are too many to be counted one by one;"
                " take fewer observations"
            )
        return tables

    @property
    def n_factors(self) -> int:
        """E, the number of factors."""
        return len(self.codes)

    @cached_property
    def outputs(self) -> tuple[int, ...]:
        """How many outputs of each factor are told apart: those that occur, and one for all others."""
        return tuple(n + (spare > 0) for n, spare in zip(self.occurring, self.spare, strict=True))

    @cached_property
    def rows(self) -> Array:
        """The numbers of all users, in four bytes where that is enough."""
        n = self.codes[0].shape[0]
        return np.arange(n, dtype=np.int32 if n < 2**31 else np.int64)

    @cached_property
    def by_first(self) -> list[Array]:
        """The users who have each output of the first factor in their set; nobody has a spare one."""
        codes, n = self.codes[0], self.occurring[0]
        parts: list[list[Array]] = [[] for _ in range(n)]
        for start in range(0, codes.shape[0], _SOME):  # an order takes more memory than what is left of it
            flat = codes[start : start + _SOME].reshape(-1)
            users = self.rows[start + np.argsort(flat, kind="stable") // codes.shape[1]]
            ends = np.cumsum(np.bincount(flat, minlength=n))
            for listed, part in zip(parts, np.split(users, ends[:-1]), strict=True):
                listed.append(part)
        nobody = [self.rows[:0]] if self.spare[0] else []
        return [*map(np.concatenate, parts), *nobody]

    @cached_property
    def subsets(self) -> list[list[tuple[int, ...]]]:
        """The factors after the first, k of them, for each k from 0."""
        E = self.n_factors
        return [list(combinations(range(1, E), k)) for k in range(E)]

    def shape(self, on: tuple[int, ...]) -> list[int]:
        """Return the shape of the table on some factors: an axis for each later one, of length 1 if off."""
        return [n if factor in on else 1 for factor, n in enumerate(self.outputs) if factor]

    def cells(self, on: tuple[int, ...], users: Array) -> Array:
        """Return the cells that the sets of users contain in the table on some factors, (tuples, users)."""
        cells = np.zeros((1, users.shape[0]), dtype=np.intp)  # any other type is turned into it at each use
        for factor in on:  # users come last: numpy is slow along short axes
            codes = self.codes[factor].take(users, axis=0).T.astype(np.intp, order="C")
            cells = cells * self.outputs[factor]
            cells = (cells[:, np.newaxis] + codes).reshape(-1, users.shape[0])
        return cells

    def marked(self, on: tuple[int, ...], users: Array) -> Array:
        """Return which cells of the table on some factors are those of any of the users."""
        shape = self.shape(on)
        table = np.zeros(prod(shape), dtype=bool)
        for part in self.parts(on, users):
            table[self.cells(on, part).reshape(-1)] = True
        return table.reshape(shape)

    def parts(self, on: tuple[int, ...], users: Array, most: int = NEAR) -> Iterator[Array]:
        """Yield the users, so many at a time that they have about so many cells at most."""
        step = max(1, most // prod(self.codes[factor].shape[1] for factor in on))
        if 0 < users.shape[0] <= step:
            yield users
            return
        for start in range(0, users.shape[0], step):
            yield users[start : start + step]


def corner_sums(counts: Any, occurring: Sequence[int]) -> Array:
    """Add a table up, axis by axis over the outputs that occur, and apart for the one that stands for others.

    >>> corner_sums(np.arange(6).reshape(2, 3), [2, 2]).tolist()
    [[8, 7], [0, 0]]
    """
    sums = np.zeros((2,) * len(occurring), dtype=np.int64)
    for corner in np.ndindex(*sums.shape):
        part = tuple(
            slice(n, None) if spare else slice(n) for n, spare in zip(occurring, corner, strict=True)
        )
        sums[corner] = counts[part].sum(dtype=np.int64)
    return sums
