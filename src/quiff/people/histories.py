"""Browsing histories in memory: who visited what, and which topics the visits stand for."""

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping
from collections.abc import Set as AnySet
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from math import comb
from typing import Any, ClassVar, final

import numpy as np

from quiff.core.channel import Channel
from quiff.core.labels import Labels, as_labels, same
from quiff.core.numbers import Array
from quiff.core.prior import Prior
from quiff.errors import LabelError, ParameterError, counted
from quiff.people.joined_topics import check_topics
from quiff.people.sets import in_order, members

History = tuple[Hashable, ...] | frozenset[Hashable]


@final
@dataclass(frozen=True)
class TopSet:
    """A random set: all the topics of `sure`, and `places` topics of `pool`, every choice as probable.

    Ties at the cut make such a set, and so does filling up a set that is too short; never both at once,
    since a history with ties at the cut has topics enough.

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
    """Return the top-s set of topics that were counted, filled up from `fill` if fewer than s were."""
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


@final
@dataclass(frozen=True, eq=False, repr=False)
class Histories:
    """Users, their browsing histories, and a classification of the domains.

    Examples
    --------
    >>> visits = {"Alice": ["news.tld", "radio.tld", "news.tld"], "Bob": ["sports.tld"]}
    >>> topics = {"news.tld": ["News"], "radio.tld": ["Music", "News"], "sports.tld": ["Sports"]}
    >>> people = Histories.from_visits(visits, topics)
    >>> people
    <Histories of 2 users: 2 distinct, 3 topics>
    >>> people.top_set(people.distinct[0], top_s=1).sure
    frozenset({'News'})
    """

    attributes: ClassVar[tuple[str, ...]] = ("history",)
    weights: ClassVar[None] = None
    counts: ClassVar[None] = None

    users: Labels
    distinct: Labels  # the distinct histories: tuples of domains, or frozensets where a set was given
    which: Array  # for each user the position of their history
    classification: Mapping[Hashable, tuple[Hashable, ...]]  # a domain that is not in it counts for nothing
    fill: tuple[Hashable, ...]  # the topics from which sets that are too short are filled up

    @classmethod
    def from_visits(
        cls,
        visits: Mapping[Any, Iterable[Any]],
        classification: Mapping[Any, Iterable[Any]],
        fill: Iterable[Any] | None = None,
    ) -> "Histories":
        """Return the histories of some users, given the visited domains of each, one entry per visit.

        `classification` has the topics of domains; without `fill`, short sets are filled up from all of them.
        """
        if not visits:
            raise LabelError("there is no browsing history; give at least one user")
        histories = [_history(user, visited) for user, visited in visits.items()]
        distinct = as_labels(dict.fromkeys(histories), "history")
        topics_of = {domain: members(domain, topics) for domain, topics in classification.items()}
        known = in_order({topic for topics in topics_of.values() for topic in topics})
        check_topics(known, "the classification")
        return cls(
            as_labels(visits, "user"),
            distinct,
            distinct.positions(histories),
            topics_of,
            tuple(known) if fill is None else tuple(as_labels(fill, "topic")),
        )

    def __post_init__(self) -> None:
        which = np.array(self.which)
        which.flags.writeable = False
        object.__setattr__(self, "which", which)

    @cached_property
    def topics(self) -> Labels:
        """All topics that may come up: those of the classification, then those to fill up from."""
        known = in_order({topic for topics in self.classification.values() for topic in topics})
        return as_labels(dict.fromkeys([*known, *self.fill]), "topic")

    def top_set(self, history: Iterable[Any], top_s: int) -> TopSet:
        """Return the top-s set of a history, as random as the rule makes it.

        Each visit adds one to each topic of its domain. Ties at the cut are broken uniformly at random;
        a set short of s is filled up uniformly at random, without replacement, from `fill`.
        """
        visited = Counter(history)
        counts: Counter[Hashable] = Counter()
        for domain, times in visited.items():
            for topic in self.classification.get(domain, ()):
                counts[topic] += times
        top = top_set(counts, top_s, self.fill)
        missing = top.places - len(top.pool)
        if missing > 0:
            raise ParameterError(
                f"the history {history!r} has {counted(len(counts), 'topic')} and the fill offers "
                f"{len(top.pool)} more, but top_s is {top_s}; add {counted(missing, 'topic')} to `fill`, "
                "or choose a smaller top_s"
            )
        return top

    @property
    def n_users(self) -> int:
        """How many users there are."""
        return self.users.size

    def user_prior(self) -> Prior:
        """Return the uniform prior on the users."""
        return Prior.uniform(self.users)

    def check_unmerged(self) -> None:
        """Do nothing: histories are those of single users."""

    def channel(self, *names: str) -> Channel:
        """Return the channel from users to their histories (``"history"``), or to themselves."""
        if not names:
            return Channel.identity(self.users)
        if names != self.attributes:
            raise ParameterError(
                f"browsing histories have no attributes {names!r}, but 'history' alone; attach them to people"
                " by people.with_histories(...)"
            )
        return Channel.deterministic_from_codes(self.users, np.asarray(self.which), self.distinct)

    def rows_of(self, users: Labels) -> Array:
        """Return where some users stand here."""
        if same(users, self.users):
            return np.arange(users.size)
        places = [self.users._find_any(user) for user in users]
        if None in places:
            others = places.count(None) - 1
            more = f", and {others} more {'has' if others == 1 else 'have'} none" if others else ""
            raise LabelError(
                f"user number {places.index(None) + 1} has no browsing history{more}; "
                "give the histories from which the profiles were made"
            )
        return np.array(places, dtype=np.intp)

    def __repr__(self) -> str:
        size = f"{self.distinct.size} distinct, {counted(self.topics.size, 'topic')}"
        return f"<Histories of {counted(self.users.size, 'user')}: {size}>"


def _history(user: Hashable, visited: Iterable[Any]) -> History:
    if isinstance(visited, str | bytes) or not isinstance(visited, Iterable):
        raise LabelError(f"the history of {user!r} is {visited!r}; give a list of visited domains")
    return frozenset(visited) if isinstance(visited, AnySet) else tuple(visited)
