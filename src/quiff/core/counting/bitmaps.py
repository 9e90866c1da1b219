"""Any sets: how many tuples of outputs are fitted how well, exactly.

A tuple y is fitted by a user in the factors whose set has y_e. K(y) is the most factors in which one user
fits. K(y) >= k iff y, cut down to some k factors, lies in the union of the users' products there: a bit in
the table of these factors. Slicing on the first output keeps tables small; the last output is a bit of a
word, so that 64 tuples are looked at in one step.
"""

from collections.abc import Sequence
from threading import local

import numpy as np

from quiff.core.counting.layout import Layout
from quiff.core.counting.loops import mark_bits, tally_bits
from quiff.core.counting.work import Progress, in_slices, words_for
from quiff.core.numbers import Array


def match_counts(codes: Sequence[Array], sizes: Sequence[int], progress: Progress | None = None) -> list[int]:
    """Return N_0, ..., N_E: the number of tuples y with K(y) = 0, ..., E.

    `codes` are for each factor the users' sets, as positions of outputs, (users, outputs in a set); `sizes`
    how many outputs there are.

    Alice has {0, 1} and then {0, 2}; Bob {2, 3} and then {1, 2}; there are four topics. Alice fits four
    pairs in both factors and Bob four; three of the others begin with a topic that somebody has, or end so.

    >>> match_counts([np.array([[0, 1], [2, 3]]), np.array([[0, 2], [1, 2]])], [4, 4])
    [0, 8, 8]
    """
    layout = Layout.of(codes, sizes)
    if layout.n_factors == 1:
        return [int(layout.spare[0]), int(layout.occurring[0])]
    words = words_for(layout.radix)  # one more, for the outputs that do not occur
    kept = np.zeros((layout.kept, words), dtype=np.uint64)
    _mark(layout, kept, layout.rows, first_fixed=False)
    mine = local()  # each thread has its own table

    def count(first: int) -> Array:
        if not hasattr(mine, "table"):
            mine.table = np.zeros((layout.kept + layout.sliced, words), dtype=np.uint64)
            mine.table[: layout.kept] = kept
        mine.table[layout.kept :] = 0
        _mark(layout, mine.table, layout.by_first[first], first_fixed=True)
        return tally_bits(mine.table, layout.shape, first)

    found = in_slices(count, range(len(layout.by_first)), progress)
    counts: list[int] = np.sum(list(found), axis=0, dtype=object).tolist()
    return counts


def _mark(layout: Layout, table: Array, users: Array, *, first_fixed: bool) -> None:
    """Mark what the users' sets have in the tables with, or in those without, the first factor."""
    for last, rest in layout.tables():
        if rest & 1 == first_fixed:
            start = int(layout.starts[last, rest])
            mark_bits(table, start, last, rest, users, layout.codes, layout.lengths, layout.radix)
