"""The compiled loops behind each user's own risk: tables as in :mod:`quiff.core.counting.layout`."""

import numpy as np

from quiff.core.compiled import compiled
from quiff.core.counting.loops import room_for_rows, user_rows
from quiff.core.numbers import Array


@compiled
def count_ties(
    table: Array, tied: Array, start: int, last: int, rest: int, users: Array, codes: Array,
    lengths: Array, radix: int, ranks: Array, counts: Array,
) -> None:  # fmt: skip
    """Count, for each partial tuple, the users who fit it with the best rank; the table has the ranks."""
    rows = room_for_rows(lengths)
    for x in users:
        for i in range(user_rows(codes, lengths, radix, last, rest, x, rows)):
            row = start + rows[i]
            for j in range(lengths[last]):
                code = codes[last, x, j]
                if table[row, code] == ranks[x]:
                    tied[row, code] += counts[x]


@compiled
def share_hits(
    kept: Array, sliced: Array, kept_tied: Array, sliced_tied: Array, kept_hits: Array, sliced_hits: Array,
    starts: Array, occurring: Array, spare: Array, radix: int, first: int, level: int, level_tied: int,
    base: int, base_tied: int,
) -> tuple[float, float]:  # fmt: skip
    """Give each user who is best for a tuple their chance to be the one who is named.

    Every tuple y that begins with one output gives 1/|M(y)|, M(y) being the users with the best rank, to
    the cells of all sets of factors on which some of them fit it. What goes to the cell of the first output
    alone, and to those who fit nowhere, is returned. There are two factors or more.
    """
    last = occurring.shape[0] - 1
    outputs = occurring + (spare > 0)
    rows, digits = np.zeros(1 << last, dtype=np.int64), np.zeros(last, dtype=np.int64)
    alone, nobody = 0.0, 0.0
    prefixes = 1
    for factor in range(1, last):
        prefixes *= outputs[factor]
    won = np.zeros(outputs[last])  # what each output of the last factor gives, and to which rank
    rank_won = np.zeros(outputs[last], dtype=np.int64)
    for prefix in range(prefixes):
        left, share = prefix, 1 if first < occurring[0] else spare[0]
        best, ties = base, base_tied
        if level_tied and level >= best:
            ties = level_tied if level > best else ties + level_tied
            best = level
        for factor in range(1, last):
            left, y = divmod(left, outputs[factor])
            digits[factor] = y
            share *= 1 if y < occurring[factor] else spare[factor]
            for rest in range(1 << factor):
                rows[rest | 1 << factor] = rows[rest] * radix + y
                place = starts[factor, rest] + rows[rest]
                n = sliced_tied[place, y] if rest & 1 else kept_tied[place, y]
                rank = sliced[place, y] if rest & 1 else kept[place, y]
                if n and rank >= best:
                    ties = n if rank > best else ties + n
                    best = rank
        sure = 0.0  # what goes to the cells of the prefix
        for y in range(outputs[last]):
            top, n_top = best, ties
            for rest in range(1 << last):
                place = starts[last, rest] + rows[rest]
                n = sliced_tied[place, y] if rest & 1 else kept_tied[place, y]
                rank = sliced[place, y] if rest & 1 else kept[place, y]
                if n and rank >= top:
                    n_top = n if rank > top else n_top + n
                    top = rank
            won[y] = share * (1 if y < occurring[last] else spare[last]) / n_top
            rank_won[y] = top
            if top == best:
                sure += won[y]
        for rest in range(1 << last):
            place = starts[last, rest] + rows[rest]
            table, tied = (sliced, sliced_tied) if rest & 1 else (kept, kept_tied)
            hits = sliced_hits if rest & 1 else kept_hits
            for y in range(occurring[last]):
                if tied[place, y] and table[place, y] == rank_won[y]:
                    hits[place, y] += won[y]
        for factor in range(1, last):
            y = digits[factor]
            for rest in range(1 << factor):
                place = starts[factor, rest] + rows[rest]
                table, tied = (sliced, sliced_tied) if rest & 1 else (kept, kept_tied)
                hits = sliced_hits if rest & 1 else kept_hits
                if tied[place, y] and table[place, y] == best:
                    hits[place, y] += sure
        if level_tied and level == best:
            alone += sure
        if base == best:
            nobody += sure
    return alone, nobody


@compiled
def add_risk(
    table: Array, hits: Array, start: int, last: int, rest: int, users: Array, codes: Array,
    lengths: Array, radix: int, ranks: Array, power: float, risk: Array,
) -> None:  # fmt: skip
    """Add to each user's risk what the cells of their partial tuples hold, times p^k q^(E-k)."""
    rows = room_for_rows(lengths)
    for x in users:
        total = 0.0
        for i in range(user_rows(codes, lengths, radix, last, rest, x, rows)):
            row = start + rows[i]
            for j in range(lengths[last]):
                code = codes[last, x, j]
                if table[row, code] == ranks[x]:
                    total += hits[row, code]
        risk[x] += power * total
