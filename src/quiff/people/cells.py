"""Cells of text that hold the topics of a set: how a whole column is split, by DuckDB.

Topics in quotes end where these do. Numbers have commas, semicolons, bars, slashes or blanks between them.
Words without quotes are split at the one of comma, semicolon and bar that the column has; with two of them a
cell could be read in two ways, which is an error.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from quiff.core.numbers import Array
from quiff.io.tables import Fault, Table, check_rows
from quiff.io.text import literal
from quiff.people.literals import QUOTED
from quiff.safe_text import shape

_SEPARATORS = (",", ";", "|")
_SIGNS = r"""[^\s,;|'"()\[\]{}]+"""
_WORD = f"{_SIGNS}(?:[ \\t]+{_SIGNS})*"
_NUMBER = "[+-]?[0-9]+(?:[.][0-9]+)?"


def _bracketed(word: str, between: str) -> str:
    """Return the pattern of a list of words, in brackets of any kind or in none."""
    words = rf"\s*(?:(?:{word})(?:{between}(?:{word}))*\s*(?:[,;|/]\s*)?)?"
    return rf"^(?:{words}|\s*\[{words}\]\s*|\s*\({words}\)\s*|\s*\{{{words}\}}\s*)$"


_NUMBERS = re.compile(_bracketed(_NUMBER, r"(?:\s*[,;|/]\s*|\s+)"))
_WORDS = re.compile(_bracketed(_WORD, r"\s*[,;|]\s*"))
_IN_QUOTES = re.compile(_bracketed(QUOTED.replace("(", "(?:"), r"(?:\s*[,;|]\s*|\s+)"))
_TOPIC_NUMBER = re.compile("(0|[1-9][0-9]{0,17})([.]0+)?")
_QUOTED, _BARE, _ONE_NUMBER = re.compile(QUOTED), re.compile(_WORD), re.compile(_NUMBER)


@dataclass(frozen=True)
class Split:
    """How the cells of a column are split, by expressions of DuckDB's."""

    cell: str
    numbers: bool  # whether all topics without quotes are numbers

    @property
    def quoted(self) -> str:
        """Whether topics stand in quotes."""
        return f"(contains({self.cell}, '''') OR contains({self.cell}, '\"'))"

    @property
    def topics(self) -> str:
        """The list of topics."""
        bare = literal((_ONE_NUMBER if self.numbers else _BARE).pattern)
        quoted = f"regexp_extract_all({self.cell}, {literal(_QUOTED.pattern)})"
        return (
            f"CASE WHEN {self.quoted} THEN list_transform({quoted}, lambda topic: trim(topic[2:-2]))"
            f" ELSE regexp_extract_all({self.cell}, {bare}) END"
        )

    @property
    def is_wrong(self) -> str:
        """Whether a cell is no list of topics."""
        bare = literal((_NUMBERS if self.numbers else _WORDS).pattern)
        return (
            f"CASE WHEN {self.quoted} THEN NOT regexp_matches({self.cell}, {literal(_IN_QUOTES.pattern)})"
            f" ELSE NOT regexp_matches({self.cell}, {bare}) END"
        )


def ordered_topics(names: Sequence[str]) -> tuple[list[Any], Array]:
    """Return topics in their order, as numbers if all are whole, and the place of each name there.

    >>> topics, place = ordered_topics(["12", "7", "7.0"])
    >>> topics, place.tolist()
    ([7, 12], [1, 0, 0])
    """
    topics: list[Any] = list(names)
    if all(_TOPIC_NUMBER.fullmatch(name) for name in names):
        topics = [int(name.partition(".")[0]) for name in names]
    ordered = sorted(set(topics))
    places = {topic: place for place, topic in enumerate(ordered)}
    return ordered, np.array([places[topic] for topic in topics], dtype=np.int32)


SEVERAL_LINES = "goes over several lines; close its quotes on one"


def split_of(table: Table, column: str) -> Split:
    """Return how the cells of a column of `source` are split; one that could be read in two ways is refused.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from quiff.io.tables import open_table
    >>> with open_table(pa.table({"topics": ["8,3,42", "['Hip hop'; 'A/B']", "News"]})) as table:
    ...     _ = table.load(["topics"])
    ...     split = split_of(table, '"topics"')
    ...     table.con.execute(f"SELECT {split.topics} FROM source").fetchall()
    [(['8', '3', '42'],), (['Hip hop', 'A/B'],), (['News'],)]
    """
    cell = f"coalesce({column}, '')"
    numeric = Split(cell, numbers=True)
    has = ", ".join(f"bool_or(contains({cell}, '{sign}'))" for sign in _SEPARATORS)
    query = f"SELECT bool_and(NOT {numeric.is_wrong}), {has} FROM source WHERE NOT {numeric.quoted}"  # noqa: S608
    numbers, *occurs = table.con.execute(query).fetchall()[0]
    split = Split(cell, bool(numbers))
    signs = [sign for sign, there in zip(_SEPARATORS, occurs, strict=True) if there]
    if not split.numbers and len(signs) > 1:
        occurs = [f"contains({cell}, '{sign}')" for sign in signs]
        bare = f"NOT {split.quoted} AND"
        several = f"{bare} {' + '.join(f'{sign}::INT' for sign in occurs)} > 1"
        faults = [Fault(condition, _ambiguous, cell) for condition in (several, f"{bare} {occurs[1]}")]
        check_rows(table, faults)
    wrong = f"{split.quoted} AND {split.is_wrong}" if split.numbers else split.is_wrong
    check_rows(table, [Fault(wrong, _no_list, cell)])
    return split


def _ambiguous(cell: str) -> str:
    readings = [
        f"{len(cell.strip(sign).split(sign))} topics split at {sign!r}"
        for sign in _SEPARATORS
        if sign in cell
    ]
    return (
        f"{shape(cell)} can be read in two ways, as {' or as '.join(readings)}; the column has several of"
        " these signs: put each topic in quotes, or one sign between all of them"
    )


def _no_list(cell: str) -> str:
    if "\n" in cell:
        return f"a topic {SEVERAL_LINES}"
    return f"{shape(cell)} is no list of topics, such as ['NEWS', 'REL']; put all of them in quotes, or none"
