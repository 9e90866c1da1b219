"""What is counted in each of the authors' published tables, one row at a time."""

from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from typing import TYPE_CHECKING, Protocol

from quiff.errors import QuiffError, counted
from quiff.populations.literals import parse_history, parse_topics

if TYPE_CHECKING:
    from quiff.core.numbers import Array


class Tally(Protocol):
    """Counts the rows of one table."""

    def add(self, row: dict[str, str]) -> None:
        """Count one row, given by column."""


@dataclass(eq=False)
class Visits:
    """A Treated or a Reduced table: one visit a row.

    >>> visits = Visits()
    >>> for domain in ("a.com", "b.com", "a.com"):
    ...     visits.add({"RandID": "7", "Domain": domain})
    >>> visits.visits, visits.singletons, len(visits.domains)
    ([3], [], 2)
    """

    counts: dict[str, int] = field(default_factory=dict)
    domains: set[str] = field(default_factory=set)
    topics: set[str] = field(default_factory=set)
    _only: dict[str, str | None] = field(default_factory=dict)  # a user's one domain, None for several

    def add(self, row: dict[str, str]) -> None:
        user, domain = row["RandID"], row["Domain"]
        self.counts[user] = self.counts.get(user, 0) + 1
        if self._only.setdefault(user, domain) != domain:
            self._only[user] = None
        self.domains.add(domain)
        self.topics.update(parse_topics(row.get("topics", "")))

    @property
    def visits(self) -> list[int]:
        """Visits of each user."""
        return list(self.counts.values())

    @property
    def singletons(self) -> list[int]:
        """Visits of each user with exactly one distinct domain."""
        return [self.counts[user] for user, domain in self._only.items() if domain is not None]


@dataclass(eq=False)
class Histories:
    """An Experimental table: one user a row, with the browsing history and perhaps the top-s set.

    Examples
    --------
    >>> histories = Histories()
    >>> histories.add({"BrowsingHistory": "[('a.com', '2006-03-01 07:17:12')]", "sTopics": "['2', '1']"})
    >>> histories.visits, histories.topics, histories.codes.tolist()
    ([1], ['1', '2'], [[0, 1]])
    """

    visits: list[int] = field(default_factory=list)
    domains: set[str] = field(default_factory=set)
    sets: dict[frozenset[str], int] = field(default_factory=dict)
    _histories: set[bytes] = field(default_factory=set)

    def add(self, row: dict[str, str]) -> None:
        domains = [domain for _, domain in parse_history(row["BrowsingHistory"])]
        self.visits.append(len(domains))
        self.domains.update(domains)
        self._histories.add(blake2b(row["BrowsingHistory"].encode(), digest_size=16).digest())
        if "sTopics" in row:
            topics = parse_topics(row["sTopics"])
            chosen = frozenset(topics)
            if not chosen or not len(topics) == len(chosen) == len(next(iter(self.sets), chosen)):
                raise QuiffError(
                    f"the top-s set has {counted(len(topics), 'topic')}, {len(chosen)} of them different;"
                    " it should hold as many different topics as all others"
                )
            self.sets[chosen] = self.sets.get(chosen, 0) + 1

    @property
    def distinct_histories(self) -> int:
        """Number of different browsing histories."""
        return len(self._histories)

    @cached_property
    def topics(self) -> list[str]:
        """The topics in some top-s set, sorted."""
        return sorted(frozenset[str]().union(*self.sets))

    @cached_property
    def codes(self) -> "Array":
        """Each distinct set as a row of positions in `topics`."""
        import numpy as np

        place = {topic: position for position, topic in enumerate(self.topics)}
        return np.array([sorted(place[topic] for topic in chosen) for chosen in self.sets])


@dataclass(eq=False)
class Classification:
    """The topics of domains, one domain a row.

    >>> classification = Classification()
    >>> classification.add({"domain": "a.com", "topics": "''"})
    >>> classification.unclassified
    {'a.com'}
    """

    topics: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def add(self, row: dict[str, str]) -> None:
        self.topics[row["domain"]] = parse_topics(row["topics"])

    @property
    def unclassified(self) -> set[str]:
        """The domains without topics."""
        return {domain for domain, topics in self.topics.items() if not topics}


@dataclass(eq=False)
class Matches:
    """How many visited domains are in the classification: themselves (full), or a domain that they are under.

    >>> matches = Matches()
    >>> matches.add({"domain": "gps.gov.uk", "match": "gov.uk"})
    >>> matches.full, matches.partial
    (0, 1)
    """

    full: int = 0
    partial: int = 0

    def add(self, row: dict[str, str]) -> None:
        full = row["match"] in (row["domain"], "full")
        self.full += full
        self.partial += not full
