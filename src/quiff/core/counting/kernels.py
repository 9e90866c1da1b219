"""The compiled loops over tuples of outputs; see :mod:`quiff.core.counting.layout` for the tables.

Indices are unsigned: numba then leaves out the test for negative ones, which costs as much as the rest.
"""

import numpy as np

from quiff.core.compiled import compiled
from quiff.core.counting.bits import count_bits
from quiff.core.counting.rows import room_for_rows, user_rows
from quiff.core.numbers import Array

__all__ = ["best_fit", "fit_prefix", "mark_bits", "set_sizes", "tally_bits", "tally_last_two"]

_ONE, _SIX, _LOW = np.uint64(1), np.uint64(6), np.uint64(63)


@compiled
def mark_bits(
    table: Array, start: int, last: int, rest: int, users: Array, codes: Array, lengths: Array, radix: int
) -> None:
    """Set the bit of every partial tuple that lies in the product of some user's sets.

    The first factor is left out of the rest: the users have its output.
    """
    n_words = np.uint64(table.shape[1])
    cells, rows = table.reshape(-1), room_for_rows(lengths)
    mask = np.zeros(n_words, dtype=np.uint64)
    for x in users:
        mask[:] = 0
        for j in range(lengths[last]):
            code = np.uint64(codes[last, x, j])
            mask[code >> _SIX] |= _ONE << (code & _LOW)
        for i in range(user_rows(codes, lengths, radix, last, rest, x, rows)):
            begin = np.uint64(start + rows[i]) * n_words
            for word in range(n_words):
                cells[begin + word] |= mask[word]


@compiled
def set_sizes(n: int) -> Array:
    """Return the size of each set of n things, a set being given by its bits."""
    sizes = np.zeros(1 << n, dtype=np.int64)
    for members in range(1, 1 << n):
        sizes[members] = sizes[members >> 1] + (members & 1)
    return sizes


@compiled
def best_fit(table: Array, starts: Array, rows: Array, sizes: Array, y: int, before: int) -> int:
    """Return the most factors in which some user fits, y being the output of the last of them.

    `rows` has, for each set of the factors before, the number of the tuple's row in its table; `before` is
    the most of these factors in which some user fits.
    """
    best = before
    for rest in range(rows.shape[0]):
        if sizes[rest] >= best:
            word = table[starts[rest] + rows[rest], y >> 6]
            if word >> np.uint64(y & 63) & _ONE:
                best = sizes[rest] + 1
    return best


@compiled
def tally_last_two(
    table: Array, places: Array, sizes: Array, levels: Array, shares: Array, n_outputs: int, counts: Array
) -> None:
    """Count all outputs of the last two factors after some outputs of the ones before.

    A row of `places` has, for a set of the factors before, where its row for the last factor is, and where
    its rows with the last but one begin. `levels` has for each output of the last but one the most factors
    in which some user fits so far, and `shares` how many tuples it stands for.
    """
    n, n_words = levels.shape[0], table.shape[1]
    found = np.zeros((n, n_words), dtype=np.uint64)
    known = np.zeros(n, dtype=np.int64)
    near = np.zeros(n_words, dtype=np.uint64)
    # From the best fit downwards, so that what is found stays found; 64 outputs of the last in a word.
    for size in range(counts.shape[0] - 2, levels.min() - 1, -1):
        for rest in range(places.shape[0]):
            if sizes[rest] == size - 1:
                start = places[rest, 1]
                flat, more = found.reshape(-1), table[start : start + n].reshape(-1)
                for cell in range(flat.shape[0]):
                    flat[cell] |= more[cell]
            if sizes[rest] == size:
                near |= table[places[rest, 0]]
        for y in range(n):
            if size >= levels[y]:
                here = 0
                for word in range(n_words):
                    here += count_bits(found[y, word] | near[word])
                counts[size + 1] += shares[y] * (here - known[y])
                known[y] = here
    for y in range(n):
        counts[levels[y]] += shares[y] * (n_outputs - known[y])


@compiled
def fit_prefix(
    table: Array,
    starts: Array,
    sizes: Array,
    occurring: Array,
    spare: Array,
    radix: int,
    prefix: int,
    level: int,
    rows: Array,
) -> tuple[int, int]:
    """Return the most factors in which some user fits, up to the outputs in a prefix, and its tuples.

    The prefix numbers an output of each factor from the second to the last but two; `level` tells if some
    user fits in the first. For each set of these factors `rows` gets the tuple's row in the later tables.
    """  # fmt: skip
    share, left = 1, prefix
    factor = 1
    rows[:] = 0
    while 1 << factor < rows.shape[0]:
        left, y = divmod(left, occurring[factor] + (spare[factor] > 0))
        level = best_fit(table, starts[factor], rows[: 1 << factor], sizes, y, level)
        share *= 1 if y < occurring[factor] else spare[factor]
        for rest in range(1 << factor):
            rows[rest | 1 << factor] = rows[rest] * radix + y
        factor += 1
    return level, share


@compiled
def tally_bits(table: Array, starts: Array, occurring: Array, spare: Array, radix: int, first: int) -> Array:
    """Count the tuples that begin with one output by the most factors in which some user fits."""
    last = occurring.shape[0] - 1
    counts = np.zeros(last + 2, dtype=np.int64)
    sizes = set_sizes(last)
    n_outputs = occurring[last] + spare[last]
    fits = 1 if first < occurring[0] else 0
    share = 1 if fits else spare[0]
    if last == 1:
        places = starts[1:2, :2].copy()
        tally_last_two(table, places, sizes, np.array([fits]), np.array([share]), n_outputs, counts)
        return counts
    middle = last - 1
    outputs = occurring + (spare > 0)
    rows, places = np.zeros(1 << middle, dtype=np.int64), np.zeros((1 << middle, 2), dtype=np.int64)
    levels = np.zeros(outputs[middle], dtype=np.int64)
    shares = np.zeros(outputs[middle], dtype=np.int64)
    prefixes = 1
    for factor in range(1, middle):
        prefixes *= outputs[factor]
    for prefix in range(prefixes):
        level, alike = fit_prefix(table, starts, sizes, occurring, spare, radix, prefix, fits, rows)
        for y in range(outputs[middle]):
            levels[y] = best_fit(table, starts[middle], rows, sizes, y, level)
            shares[y] = share * alike * (1 if y < occurring[middle] else spare[middle])
        for rest in range(1 << middle):
            places[rest, 0] = starts[last, rest] + rows[rest]
            places[rest, 1] = starts[last, rest | 1 << middle] + rows[rest] * radix
        tally_last_two(table, places, sizes, levels, shares, n_outputs, counts)
    return counts
