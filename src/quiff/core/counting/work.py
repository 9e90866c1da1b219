"""How much work it is to count, and long work in slices: on all cores, with progress, and interruptible."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from math import comb
from typing import NamedTuple, TypeAlias, TypeVar

import numpy as np

from quiff.core.numbers import Array


def words_for(bits: int) -> int:
    """Return how many words hold this many bits.

    >>> words_for(349)
    6
    """
    return -(-bits // 64)


Progress: TypeAlias = Callable[[float], None]
_Slice = TypeVar("_Slice")
_Result = TypeVar("_Result")


def cores() -> int:
    """Return how many threads work at the same time.

    >>> 1 <= cores() <= 8
    True
    """
    return min(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1, 8)


def in_slices(
    work: Callable[[_Slice], _Result],
    slices: Iterable[_Slice],
    progress: Progress | None = None,
    *,
    small: bool = False,
) -> Iterator[_Result]:
    """Yield the results of the slices in their order, whichever is done first.

    `work` gains by threads if it lets go of Python's global lock for longer than it takes to get it back: not
    if slices are `small`, which are worked through one after the other.

    >>> list(in_slices(lambda n: n * n, range(4)))
    [0, 1, 4, 9]
    """
    listed = list(slices)
    pool = ThreadPoolExecutor(cores())
    try:
        # An interrupt arrives here, in the main thread: slices that have not started never will.
        results = map(work, listed) if small else pool.map(work, listed)
        for done, result in enumerate(results, start=1):
            if progress is not None:
                progress(done / len(listed))
            yield result
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


BLOCK = 2**22
"""Tuples of users that are looked at at a time, where weights differ."""

# Up to this many factors are counted: with sets of their own, and all with the same sets.
MOST_CHANGING, MOST_STABLE = 4, 5
# From this many factors on, equal sets are counted by their subsets instead of by bitmaps.
BY_SUBSETS = 4


class Sizes(NamedTuple):
    """What counting takes depends on: factors, rows, the largest set, and the most outputs that occur."""

    factors: int
    rows: int
    top: int
    occurring: int

    @classmethod
    def of(cls, codes: Sequence[Array]) -> "Sizes":
        """Return the sizes of sets, given for each factor as codes (rows, outputs in a set)."""
        arrays = {id(sets): sets for sets in codes}.values()  # stable sets are one array again and again
        top = max(int(sets.shape[1]) for sets in arrays)
        return cls(len(codes), int(codes[0].shape[0]), top, max(map(n_occurring, arrays)))


def n_occurring(sets: Array) -> int:
    """Return how many outputs are in some set."""
    return int(np.count_nonzero(np.bincount(sets.reshape(-1))))


def counting_work(sizes: Sizes, *, stable: bool = False, weighted: bool = False) -> int:
    """Return about how many numbers are looked at; a billion of them take some seconds.

    Bitmaps: N s^E marks, and m^(E-1) rows of m/64 words in 2^(E-1) tables, m being the topics that occur.
    Equal sets, from four factors on: the subsets of all sets, and the sets of E - 1 topics with the words of
    those that may be the next. Weights: m^E numbers instead of bits.

    >>> codes = np.arange(50_000).reshape(-1, 5) % 349
    >>> f"{counting_work(Sizes.of([codes] * 4)):.1e}"
    '2.1e+09'
    """
    E, n_rows, top, m = sizes
    if weighted:
        return int(n_rows * top**E + 8 * (m + 1) ** E)
    if not stable or E < BY_SUBSETS:
        return int(n_rows * top**E + (m + 1) ** (E - 1) * words_for(m + 1) * 2 ** (E - 1))
    subsets = n_rows * sum(comb(top, j) * j * 40 for j in range(1, min(E, top) + 1))
    return subsets + comb(m, E - 1) * words_for(m)


def counting_memory(sizes: Sizes, *, threads: int, stable: bool = False, weighted: bool = False) -> int:
    """Return about how many bytes the tables take at the same time.

    >>> codes = np.arange(50_000).reshape(-1, 5) % 349
    >>> counting_memory(Sizes.of([codes] * 4), threads=2) < 50e6
    True
    """
    E, n_rows, top, m = sizes
    if weighted:
        cells = (threads + 1) * 2 ** (E - 1) * 4 * min(BLOCK, n_rows * top ** (E - 1))
        return int((2 * threads + 1) * 4 * (m + 1) ** (E - 1) + (2 * E + 8) * n_rows * top + cells)
    if not stable or E < BY_SUBSETS:
        tables = (2 * threads + 1) * 8 * (m + 1) ** max(E - 2, 0) * words_for(m + 1)
        return int(tables + (2 * E + 8) * n_rows * top)  # and the users by the output of the first factor
    lists = max(n_rows * comb(top, j) * j for j in range(1, min(E, top) + 1)) * 40
    return lists + (m**3 if E > BY_SUBSETS else 0)
