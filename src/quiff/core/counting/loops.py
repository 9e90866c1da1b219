"""The compiled loops: bits of words, rows of tables, tuples of outputs, sets of topics and their faces.

Indices are unsigned: numba then leaves out the test for negative ones, which costs as much as the rest. It
compiles a plain loop in a fraction of the time that a sum, a maximum or an assignment of whole arrays takes.
For the tables see :mod:`quiff.core.counting.layout`. A face of a set is a subset with one topic less. Only
functions that count import this file, when they are called: it loads numba.
"""

from typing import Any

import numpy as np

from quiff.core.compiled import compiled
from quiff.core.numbers import Array

_FIVES, _THREES = np.uint64(0x5555555555555555), np.uint64(0x3333333333333333)
_NIBBLES, _ONES = np.uint64(0x0F0F0F0F0F0F0F0F), np.uint64(0x0101010101010101)
_1, _2, _4, _56 = np.uint64(1), np.uint64(2), np.uint64(4), np.uint64(56)
_ONE, _SIX, _LOW, _ALL = np.uint64(1), np.uint64(6), np.uint64(63), ~np.uint64(0)


@compiled
def count_bits(word: Any) -> Any:
    """Return how many bits of a word are set; the form that compilers turn into one instruction.

    >>> int(count_bits(np.uint64(0b1011)))
    3
    """
    word = word - ((word >> _1) & _FIVES)
    word = (word & _THREES) + ((word >> _2) & _THREES)
    word = (word + (word >> _4)) & _NIBBLES
    return np.int64((word * _ONES) >> _56)


@compiled
def room_for_rows(lengths: Array) -> Array:
    """Return room for the rows that a user can have in a table."""
    n = 1
    for factor in range(1, lengths.shape[0] - 1):
        n *= lengths[factor]
    return np.zeros(n, dtype=np.int64)


@compiled
def user_rows(codes: Array, lengths: Array, radix: int, last: int, rest: int, x: int, rows: Array) -> int:
    """Give a number to each tuple in the product of a user's sets on the rest of a set of factors.

    The first factor is left out: the user has its output. The numbers go to `rows`; how many there are is
    returned.
    """
    rows[0] = 0
    n = 1
    for factor in range(1, last):
        if rest >> factor & 1:
            length = lengths[factor]
            for i in range(n - 1, -1, -1):  # from the end, so that nothing is overwritten that is needed
                before = rows[i] * radix
                for j in range(length):
                    rows[i * length + j] = before + codes[factor, x, j]
            n *= length
    return n


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
        for word in range(n_words):
            mask[word] = 0
        for j in range(lengths[last]):
            code = np.uint64(codes[last, x, j])
            mask[code >> _SIX] |= _ONE << (code & _LOW)
        for i in range(user_rows(codes, lengths, radix, last, rest, x, rows)):
            begin = np.uint64(start + rows[i]) * n_words
            for word in range(n_words):
                cells[begin + word] |= mask[word]


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
    lowest = counts.shape[0]
    for y in range(n):
        lowest = min(lowest, levels[y])
    # From the best fit downwards, so that what is found stays found; 64 outputs of the last in a word.
    for size in range(counts.shape[0] - 2, lowest - 1, -1):
        for rest in range(places.shape[0]):
            if sizes[rest] == size - 1:
                for y in range(n):
                    more, mine = table[places[rest, 1] + y], found[y]
                    for word in range(n_words):
                        mine[word] |= more[word]
            if sizes[rest] == size:
                for word in range(n_words):
                    near[word] |= table[places[rest, 0], word]
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
def fit_prefix(table: Array, shape: Any, prefix: int, level: int, rows: Array) -> tuple[int, int]:
    """Return the most factors in which some user fits, up to the outputs in a prefix, and its tuples.

    The prefix numbers an output of each factor from the second to the last but two; `level` tells if some
    user fits in the first. For each set of these factors `rows` gets the tuple's row in the later tables.
    """
    share, left = 1, prefix
    factor = 1
    rows[0] = 0  # and the others are written below
    while 1 << factor < rows.shape[0]:
        left, y = divmod(left, shape.occurring[factor] + (shape.spare[factor] > 0))
        level = best_fit(table, shape.starts[factor], rows[: 1 << factor], shape.sizes, y, level)
        share *= 1 if y < shape.occurring[factor] else shape.spare[factor]
        for rest in range(1 << factor):
            rows[rest | 1 << factor] = rows[rest] * shape.radix + y
        factor += 1
    return level, share


@compiled
def tally_bits(table: Array, shape: Any, first: int) -> Array:
    """Count the tuples that begin with one output by the most factors in which some user fits."""
    starts, sizes, occurring, spare = shape.starts, shape.sizes, shape.occurring, shape.spare
    last = occurring.shape[0] - 1
    counts = np.zeros(last + 2, dtype=np.int64)
    n_outputs = occurring[last] + spare[last]
    fits = 1 if first < occurring[0] else 0
    share = 1 if fits else spare[0]
    middle = last - 1
    outputs = occurring[middle] + (spare[middle] > 0) if middle else 1
    rows, places = np.zeros(1 << middle, dtype=np.int64), np.zeros((1 << middle, 2), dtype=np.int64)
    levels, shares = np.zeros(outputs, dtype=np.int64), np.zeros(outputs, dtype=np.int64)
    if middle == 0:
        places[0, 0], places[0, 1], levels[0], shares[0] = starts[1, 0], starts[1, 1], fits, share
        tally_last_two(table, places, sizes, levels, shares, n_outputs, counts)
        return counts
    prefixes = 1
    for factor in range(1, middle):
        prefixes *= occurring[factor] + (spare[factor] > 0)
    for prefix in range(prefixes):
        level, alike = fit_prefix(table, shape, prefix, fits, rows)
        for y in range(outputs):
            levels[y] = best_fit(table, starts[middle], rows, sizes, y, level)
            shares[y] = share * alike * (1 if y < occurring[middle] else spare[middle])
        for rest in range(1 << middle):
            places[rest, 0] = starts[last, rest] + rows[rest]
            places[rest, 1] = starts[last, rest | 1 << middle] + rows[rest] * shape.radix
        tally_last_two(table, places, sizes, levels, shares, n_outputs, counts)
    return counts


@compiled
def mark_faces(rows: Array, sets: Array, faces: Array) -> None:
    """Write down for each face the topics that make it one of the sets again.

    ``faces[i, j]`` is the number of set i without its topic j.
    """
    for i in range(sets.shape[0]):
        for j in range(sets.shape[1]):
            topic = np.uint64(sets[i, j])
            rows[faces[i, j], topic >> _SIX] |= _ONE << (topic & _LOW)


@compiled
def tally_faces(rows: Array, sets: Array, faces: Array, width: int) -> Array:
    """Count the pairs of a set A and a topic t outside by how many faces of A + t are among the sets.

    A is one itself. For all t at once: the rows of A's faces are added up, bit by bit, in three planes or
    more, and the topics with each sum are counted.
    """
    n_words, size = rows.shape[1], sets.shape[1]
    tally = np.zeros(size + 2, dtype=np.int64)
    n_planes = 1
    while 1 << n_planes < size + 1:
        n_planes += 1
    planes = np.zeros(n_planes, dtype=np.uint64)
    for i in range(sets.shape[0]):
        for word in range(n_words):
            for plane in range(n_planes):
                planes[plane] = 0
            for j in range(size):
                carry = rows[faces[i, j], word]
                for plane in range(n_planes):
                    carry, planes[plane] = planes[plane] & carry, planes[plane] ^ carry
            for total in range(1, size + 1):
                equal = ~np.uint64(0)
                for plane in range(n_planes):
                    equal &= planes[plane] if total >> plane & 1 else ~planes[plane]
                tally[total + 1] += count_bits(equal)
        # A's own topics lie in the row of the face without them, with the sum 1.
    tally[2] -= sets.shape[0] * size
    tally[1] = sets.shape[0] * (width - size)
    for total in range(2, size + 2):
        tally[1] -= tally[total]
    return tally


@compiled
def keep_above(row: Array, topic: int) -> None:
    """Take the topics up to and with the given one out of a row of bits."""
    word = topic >> 6
    for before in range(word):
        row[before] = 0
    row[word] &= (_ALL << np.uint64(topic & 63)) << _ONE


@compiled
def keep_common(row: Array, other: Array, start: int, common: Array) -> int:
    """Write the bits that two rows have in common, from a word on, and return how many they are."""
    total = 0
    for word in range(start, row.shape[0]):
        common[word] = row[word] & other[word]
        total += count_bits(common[word])
    return total


@compiled
def tally_without_pairs(apart: Array, first: int, most: int) -> Array:
    """Count the sets with a least topic, of 1 to `most` >= 3 topics, any two of which are apart.

    ``apart[a]`` has the bits of the topics that no set of the family holds together with a. Depth first:
    ``left[d]`` has the topics that may still follow the d + 1 that are chosen.
    """
    n_words = apart.shape[1]
    counts = np.zeros(most + 1, dtype=np.int64)
    left = np.zeros((most, n_words), dtype=np.uint64)
    at = np.zeros(most, dtype=np.int64)  # the word that is being read, at each depth
    counts[1] = 1
    keep_common(apart[first], apart[first], 0, left[0])
    keep_above(left[0], first)
    counts[2] = keep_common(left[0], left[0], 0, left[0])
    depth = 0
    while depth >= 0:
        start = at[depth]
        if start == n_words:
            depth -= 1
            continue
        bits = left[depth, start]
        if bits == 0:
            at[depth] += 1
            continue
        lowest = bits & (~bits + _ONE)
        left[depth, start] = bits ^ lowest
        topic = (start << 6) + count_bits(lowest - _ONE)
        more = keep_common(left[depth], apart[topic], start, left[depth + 1])
        counts[depth + 3] += more
        if more and depth + 3 < most:
            depth += 1
            at[depth] = start
    return counts


@compiled
def tally_without_triples(spared: Array, first: int, second: int) -> int:
    """Count the sets of five topics without a triple of the family, by their two least topics.

    ``spared[a, b]`` has the bits of the topics c such that no set of the family has a, b and c.
    """
    width, n_words = spared.shape[0], spared.shape[2]
    third, fourth = spared[first, second].copy(), np.zeros(n_words, dtype=np.uint64)
    keep_above(third, second)
    total = 0
    for c in range(second + 1, width):
        low = c >> 6
        if not third[low] >> np.uint64(c & 63) & _ONE:
            continue
        for word in range(low, n_words):
            fourth[word] = third[word] & spared[first, c, word] & spared[second, c, word]
        fourth[low] &= (_ALL << np.uint64(c & 63)) << _ONE
        for start in range(low, n_words):
            bits = fourth[start]
            while bits:
                lowest = bits & (~bits + _ONE)
                bits ^= lowest
                d = (start << 6) + count_bits(lowest - _ONE)
                one, two, three = spared[first, d], spared[second, d], spared[c, d]
                total += count_bits(bits & one[start] & two[start] & three[start])
                for word in range(start + 1, n_words):
                    total += count_bits(fourth[word] & one[word] & two[word] & three[word])
    return total
