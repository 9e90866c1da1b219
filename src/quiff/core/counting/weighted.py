"""Any sets and any weights: the sum over tuples of outputs of the best user's weight times probability.

V = sum_y max_S p^|S| q^(E-|S|) M_S[y_S], with M_S[u] the largest weight of a user whose sets on the factors S
have u: the user who is best for y fits it exactly on some S, and no user is worth less than their part there.
"""

from collections.abc import Sequence
from threading import local
from typing import Any

import numpy as np

from quiff.core.counting.layout import Layout
from quiff.core.counting.rank_kernels import mark_ranks, tally_ranks
from quiff.core.counting.slices import Progress, in_slices
from quiff.core.counting.values import RankedValues
from quiff.core.numbers import Array

__all__ = ["best_sum", "mark_all"]


def best_sum(
    codes: Sequence[Array],
    sizes: Sequence[int],
    weights: Array,
    inside: Any,
    outside: Any,
    progress: Progress | None = None,
) -> Any:
    """Return sum_y max_x w_x prod_e (p if y_e lies in the set of x for e, else q), for p >= q.

    Parameters
    ----------
    codes, sizes
        For each factor the users' sets, as positions of outputs, and how many outputs there are.
    weights
        A number for each user, 0 or more.
    inside, outside
        p and q.
    progress
        Called with the share that is done.

    Examples
    --------
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
