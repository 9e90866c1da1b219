"""The same sets in every factor: how many tuples are fitted in all factors, and in all but one, exactly.

The subsets of a family of sets, and how nearly the other sets of topics are among them, tell it for every
number E of factors.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, reduce
from itertools import combinations
from math import comb, perm

import numpy as np

from quiff.core.counting.work import words_for
from quiff.core.distinct import distinct_codes
from quiff.core.limits import check_memory
from quiff.core.numbers import Array

_BLOCK = 2**14  # sets looked at at a time
_ONE, _WORD = np.uint64(1), np.uint64(64)


@dataclass(frozen=True)
class Subsets:
    """How many sets of topics are inside some set of a family, and how many are almost."""

    # F_0, F_1, ...: how many sets of j topics are contained in some set of the family.
    inside: tuple[int, ...]
    # M_{n,c} by n and c: how many sets of n topics are contained in none, but have exactly c subsets of n - 1
    # topics that are; c >= 1.
    almost: tuple[tuple[int, ...], ...]

    @classmethod
    def of(cls, codes: Array, width: int, most: int) -> "Subsets":
        """Count the subsets of up to `most` topics.

        `codes` are the sets, as numbers of topics from 0, ascending in each row. E factors need no more than
        E topics.

        >>> found = Subsets.of(np.array([[0, 1], [1, 2]]), 4, 3)
        >>> found.inside
        (1, 3, 2, 0)
        >>> found.almost[2]  # {0, 2} of two topics that occur; {0, 3}, {1, 3} and {2, 3} of only one
        (0, 3, 1)
        """
        inside, almost = [0] * (most + 2), [(0,) * (n + 1) for n in range(most + 2)]
        for size, sets, faces in _levels(codes, width, min(most, codes.shape[1])):
            inside[size] = sets.shape[0]
            almost[size + 1] = _almost(sets, faces, width)
        for n in range(1, most + 1):  # a set inside has all its subsets inside
            *some, full = almost[n]
            almost[n] = (*some, full - inside[n])
        return cls(tuple(inside[: most + 1]), tuple(almost[: most + 1]))

    def fitted_tuples(self, n_factors: int) -> tuple[int, int]:
        """Return N_E and N_{E-1}: the tuples that some set fits in all E factors, and in all but one.

        N_E = sum_j F_j surj(E,j), for a tuple of j topics is a map from the factors onto them. A tuple of n
        topics that no set contains is fitted in all but one factor iff one of the c topics whose removal
        leaves a set inside stands there alone: by inclusion and exclusion over these topics
        N_{E-1} = sum_{n,c} M_{n,c} sum_{i>=1} (-1)^(i+1) C(c,i) (E)_i surj(E-i,n-i).

        >>> Subsets.of(np.array([[0, 1], [1, 2]]), 4, 2).fitted_tuples(2)
        (7, 8)
        """
        E = n_factors
        every = sum(count * surjections(E, j) for j, count in enumerate(self.inside))
        but_one = sum(
            count * (-1) ** (i + 1) * comb(c, i) * perm(E, i) * surjections(E - i, n - i)
            for n, row in enumerate(self.almost)
            for c, count in enumerate(row)
            for i in range(1, min(c, E) + 1)
        )
        return every, but_one


@cache
def surjections(things: int, onto: int) -> int:
    """Return how many maps from some things reach all of some others.

    >>> surjections(4, 2), surjections(0, 0), surjections(2, 3)
    (14, 1, 0)
    """
    return sum((-1) ** i * comb(onto, i) * (onto - i) ** things for i in range(onto + 1))


def _levels(codes: Array, width: int, top: int) -> Iterator[tuple[int, Array, Array]]:
    """Yield, from the largest size down to 0, the subsets of that size and the numbers of their faces.

    The faces of a set are its subsets with one topic less; they are numbered as in the next level.
    """
    sets = _distinct(_faces_of(codes, top), width)[0]
    for size in range(top, 0, -1):
        faces = np.stack([np.delete(sets, left_out, axis=1) for left_out in range(size)], axis=1)
        below, numbers = _distinct(faces.reshape(sets.shape[0] * size, size - 1), width)
        yield size, sets, numbers.reshape(-1, size)
        sets = below
    yield 0, sets, np.zeros((1, 0), dtype=np.int64)


def _faces_of(codes: Array, size: int) -> Array:
    """Return the subsets of one size of all sets, a row each; equal ones may come up again."""
    chosen = list(combinations(range(codes.shape[1]), size))
    return np.concatenate([codes[:, list(places)] for places in chosen])


def _distinct(sets: Array, width: int) -> tuple[Array, Array]:
    first, number = distinct_codes(sets, width)
    return sets[first], number


def _almost(sets: Array, faces: Array, width: int) -> tuple[int, ...]:
    """Return how many sets with one topic more have c of the given sets as faces, for c = 0, 1, ..., n.

    A set B with c such faces comes up c times as one of them, A, and a topic t: what is counted is divided by
    c. For all t at once: each face of A has the bits of the topics that make it one of the sets; these rows
    are added up, bit by bit, in planes, and the topics with each sum are counted.
    """
    n_sets, size = sets.shape
    if size == 0:
        return (0, width)
    n_faces, words = int(faces.max()) + 1, words_for(width)
    check_memory(f"which of {width} topics go with each of {n_faces} groups of topics needs", n_faces * words)
    rows = np.zeros((n_faces, words), dtype=np.uint64)
    topics = sets.astype(np.uint64)
    places = faces * words + (sets // 64)
    np.bitwise_or.at(rows.reshape(-1), places.reshape(-1), (_ONE << topics % _WORD).reshape(-1))
    tally = [0] * (size + 2)
    for start in range(0, n_sets, _BLOCK):
        planes = [np.zeros((min(_BLOCK, n_sets - start), words), dtype=np.uint64)] * size.bit_length()
        for place in range(size):
            carry = rows[faces[start : start + _BLOCK, place]]
            for number, plane in enumerate(planes):
                planes[number], carry = plane ^ carry, plane & carry
        for total in range(1, size + 1):
            equal = reduce(np.bitwise_and, [p if total >> k & 1 else ~p for k, p in enumerate(planes)])
            tally[total + 1] += int(np.bitwise_count(equal).sum(dtype=np.int64))
    tally[2] -= n_sets * size  # A's own topics lie in the row of the face without them, with the sum 1
    tally[1] = n_sets * (width - size) - sum(tally[2:])
    return (0, *(count // c for c, count in enumerate(tally[1:], start=1)))
