"""The same sets in every factor: how many of up to five-tuples are fitted how well, exactly.

Tuples fitted in all factors, or in all but one, come from :class:`Subsets`. A tuple of topics that occur is
fitted in at most one factor iff its topics are all different and no two lie in a common set; in at most two
iff no set has three of its places: counted below by the multiplicities of its topics. What remains is the
difference to the number of all tuples.
"""

from itertools import combinations
from math import comb, factorial

import numpy as np

from quiff.core.counting.slices import Progress, in_slices
from quiff.core.counting.subsets import Subsets
from quiff.core.counting.words import words_for
from quiff.core.distinct import distinct_codes
from quiff.core.numbers import Array

__all__ = ["stable_match_counts"]


def stable_match_counts(
    codes: Array, n_topics: int, most: int, progress: Progress | None = None
) -> list[list[int]]:
    """Return N_0, ..., N_E for every number E of factors from 0 to `most`, which is at most 5.

    Parameters
    ----------
    codes
        The sets, the same in every factor, as positions of topics, (users, topics in a set).
    n_topics
        m, how many topics there are.
    most
        The largest E.
    progress
        Called with the share that is done.

    Examples
    --------
    >>> stable_match_counts(np.array([[0, 1], [1, 2]]), 4, 3)[2:]
    [[1, 8, 7], [1, 15, 33, 15]]
    """
    seen = np.bincount(codes.reshape(-1), minlength=n_topics) > 0
    m, spare = int(seen.sum()), n_topics - int(seen.sum())
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
    from quiff.core.counting.sparing import tally_without_pairs

    found = in_slices(lambda a: tally_without_pairs(apart, a, most), range(apart.shape[0]), progress)
    total: list[int] = np.sum([*found], axis=0, dtype=object).tolist()
    return [1, *total[1:]]


def _at_most_two_of_five(family: _Family, without_pairs: int, progress: Progress | None) -> int:
    """Return how many 5-tuples of topics that occur have no three places in a common set.

    By multiplicities: five different topics without a triple, in 5! orders; one topic twice, apart from
    three others that are no triple, in 5!/2 orders; two topics twice and a third, all apart, in 5!/4 orders
    for each of the three that may be the single one. A topic three times lies in a set of its own.
    """
    from quiff.core.counting.sparing import tally_apart, tally_without_triples

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
    doubled = sum(comb(n, 3) for n in others) - int(tally_apart(family.apart, family.triples))
    return factorial(5) * five + 60 * doubled + 90 * without_pairs
