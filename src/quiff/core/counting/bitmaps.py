"""Any sets: how many tuples of outputs are fitted how well, exactly; and with weights, the best user's worth.

A tuple y is fitted by a user in the factors whose set has y_e. K(y) is the most factors in which one user
fits. K(y) >= k iff y, cut down to some k factors, lies in the union of the users' products there: a bit in
the table of these factors. Slicing on the first output keeps tables small; the last output is a bit of a
word, so that 64 tuples are looked at in one step.

With weights, V = sum_y max_S p^|S| q^(E-|S|) M_S[y_S], with M_S[u] the largest weight of a user whose sets on
the factors S have u: the user who is best for y fits it exactly on some S, and no user is worth less than
their part there.
"""

from collections.abc import Sequence
from threading import local
from typing import Any

import numpy as np

from quiff.core.counting.layout import Layout, RankedValues
from quiff.core.counting.loops import mark_bits, mark_ranks, tally_bits, tally_ranks
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
    _mark(layout, kept, np.arange(layout.codes.shape[1]), first_fixed=False)
    mine = local()  # each thread has its own table

    def count(first: int) -> Array:
        if not hasattr(mine, "table"):
            mine.table = np.zeros((layout.kept + layout.sliced, words), dtype=np.uint64)
            mine.table[: layout.kept] = kept
        mine.table[layout.kept :] = 0
        _mark(layout, mine.table, layout.by_first[first], first_fixed=True)
        return tally_bits(mine.table, layout.starts, layout.occurring, layout.spare, layout.radix, first)

    found = in_slices(count, range(len(layout.by_first)), progress)
    counts: list[int] = np.sum(list(found), axis=0, dtype=object).tolist()
    return counts


def _mark(layout: Layout, table: Array, users: Array, *, first_fixed: bool) -> None:
    """Mark what the users' sets have in the tables with, or in those without, the first factor."""
    for last, rest in layout.tables():
        if rest & 1 == first_fixed:
            start = int(layout.starts[last, rest])
            mark_bits(table, start, last, rest, users, layout.codes, layout.lengths, layout.radix)


def best_sum(
    codes: Sequence[Array],
    sizes: Sequence[int],
    weights: Array,
    inside: Any,
    outside: Any,
    progress: Progress | None = None,
) -> Any:
    """Return sum_y max_x w_x prod_e (p if y_e lies in the set of x for e, else q), for p >= q.

    Codes and sizes are those of :func:`match_counts`; a user's weight w_x is 0 or more.

    >>> from fractions import Fraction
    >>> p, q = Fraction(9, 20), Fraction(1, 20)
    >>> best_sum([np.array([[0, 1], [2, 3]])], [4], np.array([2, 1]), p, q)
    Fraction(27, 10)
    """
    layout = Layout.of(codes, sizes)
    E = layout.n_factors
    ranked = RankedValues.of(weights, inside, outside, E)
    base = int(ranked.ranks[0].max())
    alone = [base, *(int(ranked.ranks[1][users].max(initial=base)) for users in layout.by_first)]
    n_ranks = ranked.values.shape[0]
    counts = np.zeros(n_ranks, dtype=object)
    if E == 1:
        for users, rank in zip(layout.by_first, alone[1:], strict=True):
            counts[rank] += 1 if users.size else int(layout.spare[0])
        return (counts * ranked.values).sum()
    kept = np.zeros((layout.kept, layout.radix), dtype=np.int32)
    mark_all(layout, kept, np.arange(weights.shape[0]), ranked.ranks, first_fixed=False)
    mine = local()  # each thread has its own table
    starts = layout.starts_apart

    def count(first: int) -> Array:
        if not hasattr(mine, "table"):
            mine.table = np.zeros((layout.sliced, layout.radix), dtype=np.int32)
        mine.table[:] = 0
        mark_all(layout, mine.table, layout.by_first[first], ranked.ranks, first_fixed=True)
        return tally_ranks(
            kept, mine.table, starts, layout.occurring, layout.spare, layout.radix, first,
            alone[first + 1], n_ranks,
        )  # fmt: skip

    for found in in_slices(count, range(len(layout.by_first)), progress):
        counts += found
    return (counts * ranked.values).sum()


def mark_all(layout: Layout, table: Array, users: Array, ranks: Array, *, first_fixed: bool) -> None:
    """Mark the ranks of the users in the tables with, or in those without, the first factor."""
    starts = layout.starts_apart
    for last, rest in layout.tables():
        if rest & 1 == first_fixed:
            mark_ranks(
                table, int(starts[last, rest]), last, rest, users, layout.codes, layout.lengths,
                layout.radix, ranks[rest.bit_count() + 1],
            )  # fmt: skip
