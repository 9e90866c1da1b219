"""Users who weigh the same: how many tuples of outputs are fitted how well, exactly, 64 in a word.

A tuple y is fitted by a user in the factors whose set has y_e. K(y) is the most factors in which one user
fits. K(y) >= k iff y, cut down to some k factors, lies in the product of some user's sets there: a bit in the
table of these factors. The last factor's outputs are bits of words, of which one at least is left over: it
says what holds for an output that nobody has.
"""

from collections.abc import Iterable, Sequence
from functools import reduce
from math import prod

import numpy as np

from quiff.core.counting.subsets import Subsets
from quiff.core.counting.tables import Tables, corner_sums
from quiff.core.counting.work import in_slices
from quiff.core.numbers import Array

_ALL = ~np.uint64(0)
_LAST_BIT = np.uint64(63)
_BY_SUBSETS = 4  # from so many factors on, the best fits of equal sets are counted by their subsets
_SPARSE = 64  # where at most one cell of so many is marked, it is quicker to sort than to mark


def match_counts(codes: Sequence[Array], sizes: Sequence[int]) -> list[int]:
    """Return N_0, ..., N_E: the number of tuples y with K(y) = 0, ..., E.

    `codes` are for each factor the users' sets, as positions of outputs, (users, outputs in a set); `sizes`
    how many outputs there are. Of equal sets it is one array.

    Alice has {0, 1} and then {0, 2}; Bob {2, 3} and then {1, 2}; there are four topics. Alice fits four
    pairs in both factors and Bob four; three of the others begin with a topic that somebody has, or end so.

    >>> match_counts([np.array([[0, 1], [2, 3]]), np.array([[0, 2], [1, 2]])], [4, 4])
    [0, 8, 8]
    """
    tables, E = Tables.of(codes, sizes), len(codes)
    at_least = [prod(sizes), prod(sizes) - prod(tables.spare)]
    best: list[int] = []
    if E >= _BY_SUBSETS and all(sets is codes[0] for sets in codes):
        every, but_one = Subsets.of(codes[0], sizes[0], min(E, codes[0].shape[1] + 1)).fitted_tuples(E)
        best = [every + but_one, every]
    if E > 1:
        at_least += _Matches(tables).at_least(range(2, E + 1 - len(best)))
    at_least += best
    return [more - fewer for more, fewer in zip(at_least, [*at_least[1:], 0], strict=True)]


class _Matches:
    """Bits that say which tuples some user fits in k factors, for one output of the first factor at a time.

    The axes are the words of the last factor, then the outputs of the factors between.
    """

    def __init__(self, tables: Tables) -> None:
        self.tables = tables
        self.words = tables.occurring[-1] // 64 + 1
        tables.by_first  # noqa: B018 - made here, once for all threads

    def at_least(self, levels: range) -> list[int]:
        """Return the number of tuples with K(y) >= k, for each k."""
        tables, E = self.tables, self.tables.n_factors
        without_first = {k: self._level(tables.subsets[k], tables.rows) for k in levels if k < E}

        def count(first: int) -> list[Array]:
            users = tables.by_first[first].astype(np.intp)
            return [
                self._sums(self._level(tables.subsets[k - 1], users) | without_first[k])
                if k < E
                else self._distinct(tables.subsets[-1][0], users)
                for k in levels
            ]

        totals = [0] * len(levels)
        for first, counted in enumerate(in_slices(count, range(len(tables.by_first)))):
            times = 1 if first < tables.occurring[0] else tables.spare[0]
            for place, sums in enumerate(counted):
                for corner, number in np.ndenumerate(sums):
                    spare = [n for n, end in zip(tables.spare[1:], corner, strict=True) if end]
                    totals[place] += times * int(number) * prod(spare)
        return totals

    def _sums(self, level: Array) -> Array:
        """Count bits by whether the outputs of the later factors occur; the left-over bits are all alike."""
        level = np.broadcast_to(level, (self.words, *self.tables.outputs[1:-1]))
        between = self.tables.occurring[1:-1]
        unused = corner_sums(level[-1] >> _LAST_BIT, between)
        used = corner_sums(np.bitwise_count(level), (self.words, *between))[0]
        return np.stack([used - unused * (64 * self.words - self.tables.occurring[-1]), unused], axis=-1)

    def _level(self, subsets: Iterable[tuple[int, ...]], users: Array) -> Array:
        """Return the tuples that lie in the product of some user's sets on one of some sets of factors."""
        return reduce(np.bitwise_or, sorted((self._marked(on, users) for on in subsets), key=np.size))

    def _marked(self, on: tuple[int, ...], users: Array) -> Array:
        table = self.tables.marked(on, users)
        if self.tables.n_factors - 1 not in on:
            return np.where(table[np.newaxis, ..., 0], _ALL, np.uint64(0))
        bits = np.zeros((*table.shape[:-1], 8 * self.words), dtype=np.uint8)
        packed = np.packbits(table, axis=-1, bitorder="little")
        bits[..., : packed.shape[-1]] = packed
        return np.ascontiguousarray(np.moveaxis(bits.view(np.uint64), -1, 0))

    def _distinct(self, on: tuple[int, ...], users: Array) -> Array:
        """Count the different tuples that the products of the users' sets contain; all of them occur."""
        tables = self.tables
        sums = np.zeros((2,) * (tables.n_factors - 1), dtype=np.int64)
        n = users.shape[0] * prod(tables.codes[factor].shape[1] for factor in on)
        if n == 0 or _SPARSE * n > prod(tables.shape(on)):
            sums.flat[0] = np.count_nonzero(tables.marked(on, users))
        else:
            parts = (tables.cells(on, part) for part in tables.parts(on, users))
            cells = np.concatenate([part.astype(np.int32).reshape(-1) for part in parts])
            cells.sort()  # of four bytes, which all cells fit in
            sums.flat[0] = 1 + np.count_nonzero(cells[1:] != cells[:-1])
        return sums
