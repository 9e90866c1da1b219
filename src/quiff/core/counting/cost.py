"""How much work it is to count, before it is begun."""

from collections.abc import Sequence
from math import comb

import numpy as np

from quiff.core.counting.words import words_for
from quiff.core.numbers import Array

__all__ = ["BY_SUBSETS", "MOST_CHANGING", "MOST_STABLE", "counting_memory", "counting_work"]

# Up to this many factors are counted: with sets of their own, and all with the same sets.
MOST_CHANGING, MOST_STABLE = 4, 5
# From this many factors on, equal sets are counted by their subsets instead of by bitmaps.
BY_SUBSETS = 4


def counting_work(codes: Sequence[Array], *, stable: bool = False, weighted: bool = False) -> int:
    """Return about how many numbers are looked at; a billion of them take some seconds.

    Bitmaps: N s^E marks, and m^(E-1) rows of m/64 words in 2^(E-1) tables, m being the topics that occur.
    Equal sets, from four factors on: the subsets of all sets, and the sets of E - 1 topics with the words of
    those that may be the next. Weights: m^E numbers instead of bits.

    Examples
    --------
    >>> codes = np.arange(50_000).reshape(-1, 5) % 349
    >>> f"{counting_work([codes] * 4):.1e}"
    '2.1e+09'
    """
    E = len(codes)
    n_rows, top, m = _sizes(codes)
    if weighted:
        return int(n_rows * top**E + 4 * (m + 1) ** E)
    if not stable or E < BY_SUBSETS:
        return int(n_rows * top**E + (m + 1) ** (E - 1) * words_for(m + 1) * 2 ** (E - 1))
    subsets = n_rows * sum(comb(top, j) * j * 40 for j in range(1, min(E, top) + 1))
    return subsets + comb(m, E - 1) * words_for(m)


def counting_memory(
    codes: Sequence[Array], *, threads: int, stable: bool = False, weighted: bool = False
) -> int:
    """Return about how many bytes the tables take at the same time.

    Examples
    --------
    >>> codes = np.arange(50_000).reshape(-1, 5) % 349
    >>> counting_memory([codes] * 4, threads=2) < 50e6
    True
    """
    E = len(codes)
    n_rows, top, m = _sizes(codes)
    if weighted:
        return int((threads + 1) * 4 * (m + 1) ** (E - 1))
    if not stable or E < BY_SUBSETS:
        tables = (2 * threads + 1) * 8 * (m + 1) ** max(E - 2, 0) * words_for(m + 1)
        return int(tables + 16 * E * n_rows * top)
    lists = max(n_rows * comb(top, j) * j for j in range(1, min(E, top) + 1)) * 40
    return lists + (m**3 if E > BY_SUBSETS else 0)


def _sizes(codes: Sequence[Array]) -> tuple[int, int, int]:
    """Return the rows, the largest set and the most outputs that occur in a factor."""
    arrays = {id(sets): sets for sets in codes}.values()  # stable sets are one array again and again
    occurring = max(int(np.count_nonzero(np.bincount(sets.reshape(-1)))) for sets in arrays)
    return int(codes[0].shape[0]), max(int(sets.shape[1]) for sets in arrays), occurring
