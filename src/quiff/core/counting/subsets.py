"""The same sets in every factor: how many of up to five-tuples are fitted how well, exactly.

The subsets of a family of sets, and how nearly the other sets of topics are among them, tell for every number
E of factors how many tuples are fitted in all factors, and how many in all but one: :class:`Subsets`. A tuple
of topics that occur is fitted in at most one factor iff its topics are all different and no two lie in a
common set; in at most two iff no set has three of its places: counted below by the multiplicities of its
topics. What remains is the difference to the number of all tuples.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from math import comb, factorial, perm

import numpy as np

from quiff.core.counting.work import Progress, in_slices, words_for
from quiff.core.distinct import distinct_codes
from quiff.core.limits import check_memory
from quiff.core.numbers import Array

_BLOCK = 2**16  # sets looked at between two chances to be interrupted


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

    A set B with c such faces comes up c times as one of them and a topic: what is counted is divided by c.
    """
    from quiff.core.counting.loops import mark_faces, tally_faces

    n_sets, size = sets.shape
    if size == 0:
        return (0, width)
    n_faces = int(faces.max()) + 1
    words = words_for(width)
    check_memory(f"which of {width} topics go with each of {n_faces} groups of topics needs", n_faces * words)
    rows = np.zeros((n_faces, words), dtype=np.uint64)
    tally = np.zeros(size + 2, dtype=np.int64)
    sets = np.require(sets, np.int32, ["C", "W"])  # of one type, so that the loops are compiled once
    mark_faces(rows, sets, faces)
    for start in range(0, n_sets, _BLOCK):
        stop = start + _BLOCK
        tally += tally_faces(rows, sets[start:stop], faces[start:stop], width)
    return (0, *(int(count) // c for c, count in enumerate(tally[1:], start=1)))


def stable_match_counts(
    codes: Array, width: int, most: int, progress: Progress | None = None
) -> list[list[int]]:
    """Return N_0, ..., N_E for every number E of factors from 0 to `most`, which is at most 5.

    `codes` are the sets, the same in every factor, as positions of topics, (users, topics in a set).

    >>> stable_match_counts(np.array([[0, 1], [1, 2]]), 4, 3)[2:]
    [[1, 8, 7], [1, 15, 33, 15]]
    """
    seen = np.bincount(codes.reshape(-1), minlength=width) > 0
    m, spare = int(seen.sum()), width - int(seen.sum())
    placed = np.sort((np.cumsum(seen) - 1)[codes], axis=1)
    subsets = Subsets.of(placed, m, most)
    family = _Family.of(placed, m)
    single = _without_pairs(family.apart, most, progress) if most >= 4 else []
    exact = [[1]]
    for E in range(1, most + 1):
        every, but_one = subsets.fitted_tuples(E)
        counts = [0] * (E + 1)
        counts[E] = every
        if E > 1:
            counts[E - 1] = but_one
        if E > 3:
            counts[1] = factorial(E) * single[E]
        if E > 4:
            counts[2] = _at_most_two_of_five(family, single[3], progress) - counts[1]
        if E > 2:
            counts[E - 2] = m**E - sum(counts[:-3]) - sum(counts[-2:])
        exact.append(counts)
    return [_with_spare(exact[: E + 1], spare) for E in range(most + 1)]


def _with_spare(counts: list[list[int]], spare: int) -> list[int]:
    """Return the counts of E-tuples over all topics, from those over the topics that occur.

    A place with any of the others is fitted by nobody: sum_j C(E,j) spare^(E-j) N_k(j).
    """
    E = len(counts) - 1
    return [
        sum(comb(E, j) * spare ** (E - j) * counts[j][k] for j in range(k, E + 1) if k < len(counts[j]))
        for k in range(E + 1)
    ]


class _Family:
    """Which pairs and triples of topics lie in some set, as bits."""

    def __init__(self, apart: Array, triples: Array) -> None:
        self.apart = apart
        self.triples = triples

    @classmethod
    def of(cls, codes: Array, m: int) -> "_Family":
        together = np.zeros((m, m), dtype=bool)
        for i, j in combinations(range(codes.shape[1]), 2):
            together[codes[:, i], codes[:, j]] = together[codes[:, j], codes[:, i]] = True
        np.fill_diagonal(together, val=True)
        return cls(_packed(~together), _triples(codes, m))


def _packed(rows: Array) -> Array:
    """Return rows of booleans as words of 64 bits."""
    bits = np.packbits(rows, axis=-1, bitorder="little")
    width = 8 * words_for(rows.shape[-1])
    padded = np.zeros((*bits.shape[:-1], width), dtype=np.uint8)
    padded[..., : bits.shape[-1]] = bits
    return padded.view(np.uint64)


def _triples(codes: Array, m: int) -> Array:
    """Return the distinct triples of topics that lie in some set."""
    chosen = [codes[:, list(places)] for places in combinations(range(codes.shape[1]), 3)]
    if not chosen:
        return np.zeros((0, 3), dtype=codes.dtype)
    every = np.concatenate(chosen)
    return every[distinct_codes(every, m)[0]]


def _without_pairs(apart: Array, most: int, progress: Progress | None) -> list[int]:
    """Return how many sets of 0, ..., `most` topics have no two in a common set."""
    from quiff.core.counting.loops import tally_without_pairs

    found = in_slices(lambda a: tally_without_pairs(apart, a, most), range(apart.shape[0]), progress)
    total: list[int] = np.sum([*found], axis=0, dtype=object).tolist()
    return [1, *total[1:]]


def _at_most_two_of_five(family: _Family, without_pairs: int, progress: Progress | None) -> int:
    """Return how many 5-tuples of topics that occur have no three places in a common set.

    By multiplicities: five different topics without a triple, in 5! orders; one topic twice, apart from
    three others that are no triple, in 5!/2 orders; two topics twice and a third, all apart, in 5!/4 orders
    for each of the three that may be the single one. A topic three times lies in a set alone.
    """
    from quiff.core.counting.loops import tally_without_triples

    m = family.apart.shape[0]
    spared = np.ones((m, m, m), dtype=bool)
    for order in ((0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)):
        spared[tuple(family.triples[:, list(order)].T)] = False
    rows = _packed(spared)
    del spared
    pairs = [(a, b) for a in range(m) for b in range(a + 1, m)]
    slices = [pairs[i : i + m] for i in range(0, len(pairs), m)]
    found = in_slices(
        lambda some: sum(int(tally_without_triples(rows, a, b)) for a, b in some), slices, progress
    )
    five = sum(found)
    others = np.bitwise_count(family.apart).sum(axis=1, dtype=np.int64).tolist()
    doubled = sum(comb(n, 3) for n in others) - _apart_from_all(family)
    return factorial(5) * five + 60 * doubled + 90 * without_pairs


def _apart_from_all(family: _Family) -> int:
    """Return how many pairs there are of a triple and a topic that is apart from all three."""
    blocks = np.split(family.triples, range(_BLOCK, family.triples.shape[0], _BLOCK))
    common = (np.bitwise_and.reduce(family.apart[block], axis=1) for block in blocks)
    return sum(int(np.bitwise_count(words).sum()) for words in common)
