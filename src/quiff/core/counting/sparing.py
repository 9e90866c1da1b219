"""The compiled loops over sets of topics that spare certain pairs or triples, in ascending order."""

import numpy as np

from quiff.core.compiled import compiled
from quiff.core.counting.bits import count_bits
from quiff.core.numbers import Array

__all__ = ["keep_above", "keep_common", "tally_apart", "tally_without_pairs", "tally_without_triples"]

_ONE, _ALL = np.uint64(1), ~np.uint64(0)


@compiled
def keep_above(row: Array, topic: int) -> None:
    """Take the topics up to and with the given one out of a row of bits."""
    word = topic >> 6
    row[:word] = 0
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
    left[0] = apart[first]
    keep_above(left[0], first)
    counts[1], counts[2] = 1, keep_common(left[0], left[0], 0, left[0])
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
    n_topics, n_words = spared.shape[0], spared.shape[2]
    third, fourth = spared[first, second].copy(), np.zeros(n_words, dtype=np.uint64)
    keep_above(third, second)
    total = 0
    for c in range(second + 1, n_topics):
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


@compiled
def tally_apart(apart: Array, triples: Array) -> int:
    """Count the pairs of a triple and a topic that is apart from all three."""
    total = 0
    for i in range(triples.shape[0]):
        a, b, c = triples[i]
        for word in range(apart.shape[1]):
            total += count_bits(apart[a, word] & apart[b, word] & apart[c, word])
    return total
