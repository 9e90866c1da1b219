"""The compiled loops over tuples of outputs where users differ in weight; tables as in `layout`.

A cell holds the rank of the best value that a user who fits there can have: ranks count all values
weight p^k q^(E-k) from the least, 0, upwards.
"""

import numpy as np

from quiff.core.compiled import compiled
from quiff.core.counting.rows import room_for_rows, user_rows
from quiff.core.numbers import Array

__all__ = ["best_ranks", "mark_ranks", "tally_ranks"]


@compiled
def mark_ranks(
    table: Array,
    start: int,
    last: int,
    rest: int,
    users: Array,
    codes: Array,
    lengths: Array,
    radix: int,
    ranks: Array,
) -> None:
    """Raise the cells of all partial tuples in the product of each user's sets to the user's rank.

    The first factor is left out of the rest: the users have its output.
    """
    rows = room_for_rows(lengths)
    for x in users:
        for i in range(user_rows(codes, lengths, radix, last, rest, x, rows)):
            row = table[start + rows[i]]
            for j in range(lengths[last]):
                code = codes[last, x, j]
                row[code] = max(row[code], ranks[x])


@compiled
def best_ranks(kept: Array, sliced: Array, starts: Array, rows: Array, rank: int, best: Array) -> None:
    """Write the best rank for each output of the last factor; the tuple before has a rank of its own."""
    best[:] = rank
    for rest in range(rows.shape[0]):
        table = sliced if rest & 1 else kept
        row = table[starts[rest] + rows[rest]]
        for y in range(best.shape[0]):
            best[y] = max(best[y], row[y])


@compiled
def tally_ranks(
    kept: Array,
    sliced: Array,
    starts: Array,
    occurring: Array,
    spare: Array,
    radix: int,
    first: int,
    level: int,
    n_ranks: int,
) -> Array:
    """Count the tuples that begin with one output by the rank of the best user's value.

    `level` is the least rank that a tuple with this output can have.
    """
    last = occurring.shape[0] - 1
    counts = np.zeros(n_ranks, dtype=np.int64)
    outputs = occurring + (spare > 0)
    rows = np.zeros(1 << last, dtype=np.int64)
    best = np.zeros(occurring[last], dtype=np.int32)
    prefixes = 1
    for factor in range(1, last):
        prefixes *= outputs[factor]
    for prefix in range(prefixes):
        rank, left = level, prefix
        share = 1 if first < occurring[0] else spare[0]
        for factor in range(1, last):
            left, y = divmod(left, outputs[factor])
            share *= 1 if y < occurring[factor] else spare[factor]
            for rest in range(1 << factor):
                table = sliced if rest & 1 else kept
                rank = max(rank, table[starts[factor, rest] + rows[rest], y])
                rows[rest | 1 << factor] = rows[rest] * radix + y
        best_ranks(kept, sliced, starts[last], rows, rank, best)
        for y in range(best.shape[0]):
            counts[best[y]] += share
        counts[rank] += share * spare[last]
    return counts
