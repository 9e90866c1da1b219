"""The compiled loops over sets of topics and over their faces, the subsets with one topic less."""

import numpy as np

from quiff.core.compiled import compiled
from quiff.core.counting.bits import count_bits
from quiff.core.numbers import Array

__all__ = ["mark_faces", "tally_faces"]

_ONE, _SIX, _LOW = np.uint64(1), np.uint64(6), np.uint64(63)


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
def tally_faces(rows: Array, sets: Array, faces: Array, n_topics: int) -> Array:
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
            planes[:] = 0
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
    n_pairs = sets.shape[0] * (n_topics - size)
    own = sets.shape[0] * size
    tally[2] -= own
    tally[1] = n_pairs - tally[2:].sum()
    return tally
