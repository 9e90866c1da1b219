"""The top-s set of one browsing history, which may be random."""

from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import comb
from typing import final


@final
@dataclass(frozen=True)
class TopSet:
    """A random set: all the topics of `sure`, and `places` topics of `pool`, every choice as probable.

    Ties at the cut make such a set, and so does filling up a set that is too short; never both at once,
    since a history with ties at the cut has topics enough.

    Examples
    --------
    >>> top = TopSet(frozenset({"News"}), frozenset({"Art", "Music", "Sports"}), 2)
    >>> top.n_sets, top.inclusion()["News"], top.inclusion()["Art"]
    (3, Fraction(1, 1), Fraction(2, 3))
    """

    sure: frozenset[Hashable]
    pool: frozenset[Hashable]
    places: int

    @property
    def n_sets(self) -> int:
        """How many sets are possible: C(pool, places)."""
        return comb(len(self.pool), self.places)

    @property
    def missing(self) -> int:
        """How many topics the pool lacks to fill all places."""
        return max(self.places - len(self.pool), 0)

    def inclusion(self) -> dict[Hashable, Fraction]:
        """Return P[t in the set] for each topic t that may be in it: 1, or places/pool."""
        probabilities = dict.fromkeys(self.sure, Fraction(1))
        if self.places:
            probabilities |= dict.fromkeys(self.pool, Fraction(self.places, len(self.pool)))
        return probabilities

    def sets(self) -> Iterator[frozenset[Hashable]]:
        """Yield every possible set; each has probability 1/n_sets."""
        return (self.sure.union(chosen) for chosen in combinations(self.pool, self.places))


def top_set(counts: Mapping[Hashable, int], top_s: int, fill: Iterable[Hashable] = ()) -> TopSet:
    """Return the top-s set of topics that were counted.

    Parameters
    ----------
    counts
        How often each topic was met, at least once.
    top_s
        The size s of the set.
    fill
        The topics to fill up from, if fewer than s were met.

    Examples
    --------
    >>> top_set({"News": 3, "Music": 1, "Sports": 1}, 2).sure
    frozenset({'News'})
    >>> top_set({"News": 3}, 2, fill=["Music", "News", "Sports"]).inclusion()["Music"]
    Fraction(1, 2)
    """
    if len(counts) <= top_s:
        sure, pool = frozenset(counts), frozenset(fill).difference(counts)
    else:
        cut = sorted(counts.values())[-top_s]
        sure = frozenset(topic for topic, count in counts.items() if count > cut)
        pool = frozenset(topic for topic, count in counts.items() if count == cut)
    places = top_s - len(sure)
    if places == 0:
        pool = frozenset()
    elif places == len(pool):  # no choice is left
        sure, pool, places = sure | pool, frozenset(), 0
    return TopSet(sure, pool, places)
