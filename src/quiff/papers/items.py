"""The printed figures and statements to check, and what checking one of them gives.

``items.csv`` has what is printed, where, and what is to be said of it; other modules recompute it.
"""

import csv
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal, Protocol, TypeAlias

from quiff.results.numbers import shown

Value: TypeAlias = float | Fraction
Verdict: TypeAlias = Literal["match", "erratum", "needs-data"]
_SMALL = 100

with Path(__file__).with_name("items.csv").open(encoding="utf-8", newline="") as _file:
    ROWS = tuple(csv.DictReader(_file))
PRINTED = {row["id"]: row["printed"] for row in ROWS}


@dataclass(frozen=True)
class Outcome:
    """Whether what is printed holds, what was computed, and what more there is to say."""

    holds: bool
    computed: Value | str
    detail: str = ""


class Check(Protocol):
    """A way to compare what is printed with a computation, made when it is asked for."""

    def outcome(self, printed: str) -> Outcome:
        """Compute, and compare with what is printed."""


@dataclass(frozen=True)
class DataCheck:
    """A check that is made from the authors' published tables."""

    tables: tuple[str, ...]  # the tables that it needs, by their short names
    check: Callable[..., Check]  # makes the check from what was read of these tables, in the same order

    def on(self, read: Mapping[str, Any]) -> Check | None:
        """Return the check on these tables, None if one that it needs is not among them."""
        return None if self.missing(read) else self.check(*(read[name] for name in self.tables))

    def missing(self, read: Mapping[str, Any]) -> list[str]:
        """Return the tables that it needs and that are not there."""
        return [name for name in self.tables if name not in read]


@dataclass(frozen=True)
class Item:
    """One figure or statement of the paper."""

    # Its name here, its place, and how it stands there (a space between thousands).
    id: str
    where: str
    printed: str
    check: Check | None = None  # the check that needs no data; None if there is none
    basis: str = ""  # what the computation rests on: the note of a match
    # What is wrong, in one sentence: the note if the computation finds an erratum. It decides nothing.
    why: str = ""
    # The check on the published tables, which goes before `check` where they are at hand.
    data: DataCheck | None = None
    command: str = ""  # what would compute it: the note of an item that needs data


@dataclass(frozen=True)
class Judged:
    """An item with its verdict."""

    id: str
    where: str
    printed: str
    computed: Value | str | None
    verdict: Verdict
    note: str = ""


def shown_value(item: Judged) -> str:
    """Return what was computed, in the unit of the print; as a fraction where it counts in such.

    >>> shown_value(Judged("bound", "Sec. 4", "3", Fraction(10, 3), "erratum"))
    '10/3'
    >>> shown_value(Judged("bound", "Sec. 4", "0.81", Fraction(97, 120), "match"))
    '0.808333'
    >>> shown_value(Judged("growth", "Sec. 6", "80.17%", 34.358, "erratum"))
    '34.358%'
    """
    value = item.computed
    counted = item.printed.replace("/", "").isdecimal()
    if counted and isinstance(value, Fraction) and value < _SMALL and value.denominator < _SMALL:
        return str(value)
    unit = "%" if item.printed.endswith(("%", " percent")) and not isinstance(value, str) else ""
    return shown(value) + unit if value is not None else ""
