"""The authors' published tables: CSV files, known by their columns, not their names, and what is counted.

A file with the columns RandID and Domain holds visits (with topics: of classified domains), one with RandID
and BrowsingHistory holds a user a row (with sTopics: and the top-s set), one with domain and topics is a
classification (with match: of the visited domains). Of the two classifications, Citizen Lab's topics are
words and Google's are numbers. Files are streamed, and every count is exact.
"""

import csv
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from quiff.errors import QuiffError, counted
from quiff.people.literals import parse_history, parse_topics

if TYPE_CHECKING:
    from quiff.core.numbers import Array

_LONGEST_CELL = 1 << 28  # a browsing history is one cell; the csv module allows 128 KB unless told


@dataclass(eq=False)
class Visits:
    """A Treated or a Reduced table: one visit a row."""

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
    """An Experimental table: one user a row, with the browsing history and perhaps the top-s set."""

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
                    " it should hold as many different topics as all others",
                    what="topics",
                    value=len(topics),
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
    """The topics of domains, one domain a row."""

    topics: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def add(self, row: dict[str, str]) -> None:
        self.topics[row["domain"]] = parse_topics(row["topics"])

    @property
    def unclassified(self) -> set[str]:
        """The domains without topics."""
        return {domain for domain, topics in self.topics.items() if not topics}


@dataclass(eq=False)
class Matches:
    """How many visited domains are classified: themselves (full), or by a domain that they are under."""

    full: int = 0
    partial: int = 0

    def add(self, row: dict[str, str]) -> None:
        full = row["match"] in (row["domain"], "full")
        self.full += full
        self.partial += not full


Tally: TypeAlias = Visits | Histories | Classification | Matches
_TALLIES: dict[str, type[Tally]] = {
    "treated": Visits,
    "reduced": Visits,
    "experimental": Histories,
    "classification": Classification,
    "matches": Matches,
}


def find_tables(folder: Path) -> dict[str, Path]:
    """Return the published tables in a folder, by short names such as reduced-google-v1."""
    if not folder.is_dir():
        raise QuiffError(what="the folder of the published tables", value=str(folder), allowed="a folder")
    found: dict[str, Path] = {}
    for path in sorted(folder.glob("*.csv")):
        name = _name(path)
        if name is not None and name in found:
            raise QuiffError(
                f"{found[name].name!r} and {path.name!r} both hold the table {name}; keep one",
                what="table",
                value=name,
                allowed="one file",
            )
        if name is not None:
            found[name] = path
    if not found:
        raise QuiffError(
            f"{str(folder)!r} holds none of the published tables: CSV files with the columns"
            " RandID and Domain, RandID and BrowsingHistory, or domain and topics",
            what="folder",
            value=str(folder),
        )
    return found


def read_tables(folder: Path) -> dict[str, Tally]:
    """Read all published tables in a folder, by their short names.

    >>> read_tables(Path("/no/such/folder"))
    Traceback (most recent call last):
    quiff.errors.QuiffError: the folder of the published tables must be a folder, not '/no/such/folder'
    """
    found = find_tables(folder)
    return {name: _read(path, _TALLIES[name.partition("-")[0]]()) for name, path in found.items()}


def _name(path: Path) -> str | None:
    """Return the short name of the table in a file, None if it is not one of the published tables."""
    with _opened(path) as reader:
        columns: list[str] = next(reader, [])
        kind = _kind(path, columns)
        place = next((columns.index(name) for name in ("sTopics", "topics") if name in columns), None)
        if kind is None or place is None:
            return kind
        cells = (parse_topics(row[place]) for row in reader if len(row) > place)
        first = next(filter(None, cells), ())  # numbers, as Google's are, or words
    return f"{kind}-google-v1" if first and all(map(str.isdecimal, first)) else f"{kind}-citizen-lab"


def _kind(path: Path, columns: list[str]) -> str | None:
    def need(column: str) -> None:
        if column not in columns:
            names = ", ".join(filter(None, columns))
            raise QuiffError(
                f"the table {path.name!r} has no column {column!r}, only {names}",
                what="column",
                value=column,
                allowed=str(names),
            )

    if "BrowsingHistory" in columns:
        need("RandID")
        if "AllTopics" in columns:
            need("sTopics")
        return "experimental"
    if "RandID" in columns:
        need("Domain")
        return "reduced" if "topics" in columns else "treated"
    if "domain" in columns and "match" in columns:
        need("topics")
        return "matches"
    return "classification" if {"domain", "topics"} <= set(columns) else None


def _read(path: Path, tally: Tally) -> Tally:
    with _opened(path) as reader:
        columns: list[str] = next(reader)
        where = f"the table {path.name!r}"
        for cells in reader:
            where = f"line {reader.line_num} of {path.name!r}"
            if len(cells) != len(columns):
                raise QuiffError(f"{where} has {len(cells)} cells for {len(columns)} columns")
            try:
                tally.add(dict(zip(columns, cells, strict=True)))
            except QuiffError as error:
                raise QuiffError(str(error), where=where) from None
    if where.startswith("the table"):
        raise QuiffError(f"{where} has no rows")
    return tally


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    """Open a file as lines of cells; the limit on cells is everybody's, so it is put back."""
    before = csv.field_size_limit(_LONGEST_CELL)
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.reader(file)
            try:
                yield reader
            except (csv.Error, UnicodeDecodeError) as error:
                after = f"after line {reader.line_num}: {error}"
                raise QuiffError(
                    f"{path.name!r} cannot be read as CSV {after}", what="the input", value=path.name
                ) from None
    finally:
        csv.field_size_limit(before)
