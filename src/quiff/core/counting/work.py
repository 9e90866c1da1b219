"""How much work it is to count, and long work in slices: on all cores, with progress, and interruptible."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from math import comb
from typing import NamedTuple, TypeVar

import numpy as np

from quiff.core.numbers import Array
from quiff.progress import advance

_Slice = TypeVar("_Slice")
_Result = TypeVar("_Result")

MOST_COUNTED = 4
"""Up to this many factors are counted whatever the number of outputs; more if there are few."""


def words_for(bits: int) -> int:
    """Return how many words hold this many bits.

    >>> words_for(349)
    6
    """
    return -(-bits // 64)


def cores() -> int:
    """Return how many threads work at the same time.

    >>> 1 <= cores() <= 8
    True
    """
    return min(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1, 8)


def in_slices(
    work: Callable[[_Slice], _Result], slices: Iterable[_Slice], *, small: bool = False
) -> Iterator[_Result]:
    """Yield the results of the slices in their order, whichever is done first, and tell how many are done.

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
            advance(done / len(listed))
            yield result
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


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


def counting_work(sizes: Sizes, *, weighted: bool = False) -> int:
    """Return about how many numbers are looked at; a billion of them take some seconds.

    Bits: N s^E marks, and m^(E-1) rows of m/64 words in 2^(E-1) tables, m being the topics that occur.
    Weights: m^E numbers instead of bits.

    >>> codes = np.arange(50_000).reshape(-1, 5) % 349
    >>> f"{counting_work(Sizes.of([codes] * 4)):.1e}"
    '2.1e+09'
    """
    E, n_rows, top, m = sizes
    marks = n_rows * top**E
    if weighted:
        return int(marks + 8 * (m + 1) ** E)
    return int(marks + (m + 1) ** (E - 1) * words_for(m + 1) * 2 ** (E - 1))


def counting_memory(sizes: Sizes, *, weighted: bool = False) -> int:
    """Return about how many bytes the tables take at the same time.

    >>> codes = np.arange(50_000).reshape(-1, 5) % 349
    >>> counting_memory(Sizes.of([codes] * 4)) < 250e6
    True
    """
    E, n_rows, top, m = sizes
    threads, cells = cores(), (m + 1) ** (E - 1)
    sets = (2 * E + 8) * n_rows * top  # and the users by the output of the first factor
    if weighted:
        listed = (threads + 1) * 2 ** (E - 1) * 8 * min(2**22, n_rows * top ** (E - 1))
        return int((2 * threads + 1) * 4 * cells + sets + listed)
    words = (m + 1) ** max(E - 2, 0) * words_for(m + 1) * 8
    return int((threads + 1) * cells + (E + 2 * threads) * words + sets)


def multiset_work(rows: int, occurring: int, factors: int) -> int:
    """Return about how many numbers are looked at, multiset by multiset.

    >>> f"{multiset_work(60, 12, 6):.1e}"
    '1.6e+07'
    """
    return comb(occurring + factors, factors) * (rows * factors + 40 * occurring)
