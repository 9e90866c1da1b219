"""The paper as data: what is printed where and how it is recomputed, and the causes of what differs.

``items.csv`` has the figures, equations and statements. Its column `formula` names a function and its
arguments, `stated` the same under the paper's own reading where there are two, `data` what is counted on the
authors' tables; an item without any of them is decided by a function of `statements` or `equations` that has
its id, or is cited from the literature. ``causes.toml`` has the points that what differs goes back to.
"""

import csv
import tomllib
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Literal, TypeAlias

Value: TypeAlias = float | Fraction
Verdict: TypeAlias = Literal[
    "match", "wrong", "assumption", "too-strong", "misprint", "ambiguous", "needs-data", "cited"
]
KINDS: dict[str, str] = {
    "wrong": "wrong number or equation",
    "assumption": "stated assumption that the authors' own notebook does not make",
    "too-strong": "statement too strong, or its wording",
    "misprint": "misprint or rounding",
    "ambiguous": "a matter of reading",
    "needs-data": "open until it is computed from the data",
}
"""The classes of causes, in the order in which they are told."""

_SMALL = 100
_FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Item:
    """One figure, equation or statement of the paper."""

    # Its name here, its place, and how it stands there (a space between thousands).
    id: str
    where: str
    printed: str
    formula: str = ""
    stated: str = ""
    how: str = ""  # how it is recomputed, for people
    cause: str = ""
    data: str = ""


@dataclass(frozen=True)
class Cause:
    """A point on which the paper and quiff differ, with all places that follow from it."""

    id: str
    kind: Verdict
    title: str
    says: str
    changes: str
    readings: tuple[str, ...] = ()
    source: str = ""


with (_FOLDER / "items.csv").open(encoding="utf-8", newline="") as _file:
    ITEMS = tuple(Item(**row) for row in csv.DictReader(_file))
PRINTED = {item.id: item.printed for item in ITEMS}
_TOML = tomllib.loads((_FOLDER / "causes.toml").read_text(encoding="utf-8"))
CAUSES = {row["id"]: Cause(**{**row, "readings": tuple(row.get("readings", ()))}) for row in _TOML["cause"]}
FILES: dict[str, str] = _TOML["files"]
"""The file that holds each table, as the authors name it."""


@dataclass(frozen=True)
class Reading:
    """What was computed in one reading of what is printed, and whether it agrees with it."""

    computed: Value | str
    agrees: bool
    name: str = ""
    detail: str = ""


@dataclass(frozen=True)
class Judged:
    """An item with its verdict; `readings` are there where it can be read in more than one way."""

    id: str
    where: str
    printed: str
    computed: Value | str | None
    verdict: Verdict
    note: str = ""
    cause: str | None = None
    readings: tuple[Reading, ...] = field(default=())


def computed(item: Judged) -> str:
    """Return what was computed for an item, in each of its readings."""
    values = [shown_value(item.printed, reading.computed) for reading in item.readings]
    return " or ".join(values) or shown_value(item.printed, item.computed)


def shown_value(printed: str, value: Value | str | None) -> str:
    """Return what was computed with five digits, in the unit and the style of the print.

    >>> shown_value("3", Fraction(10, 3)), shown_value("39", Fraction(97, 2)), shown_value("2 391.2", 1783.2)
    ('10/3', '48.5', '1 783.2')
    >>> shown_value("80.17%", 34.358047), shown_value("1 082 239 158", Fraction(198023))
    ('34.358%', '198 023')
    """
    if value is None or isinstance(value, str):
        return value or ""
    if (
        isinstance(value, Fraction)
        and printed.replace("/", "").isdecimal()
        and 1 < value.denominator < _SMALL
    ):
        terminates = 10**2 % value.denominator == 0 and "/" not in printed
        return _digits(float(value)) if terminates else str(value)
    unit = "%" if printed.endswith(("%", " percent")) else ""
    return (f"{int(value):,}".replace(",", " ") if value % 1 == 0 else _digits(float(value))) + unit


def _digits(value: float) -> str:
    text = f"{value:.5g}"
    return text if "e" in text else f"{float(text):,}".replace(",", " ")
