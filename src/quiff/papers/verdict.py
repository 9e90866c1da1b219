"""Comparing a computed value with a printed one: the verdict is computed, never written down.

A printed number stands for the interval of all values that round to it, ends included, so that a tie may
have been rounded either way. A derived number is computed from printed inputs, which are intervals too.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

from quiff.errors import QuiffError
from quiff.papers.items import Item, Judged, Outcome, Value

_NUMBER = re.compile(r"(?P<digits>-?\d+(?:\.(?P<decimals>\d+))?)(?:e(?P<exponent>-?\d+))?")
_READING = re.compile(r"(?P<side>just above|just below|close to) (?P<level>\d+\.\d+)")
_DOUBLE = 15  # significant digits that a double carries; what is printed beyond them is noise
_GRID = Fraction(1, 20)  # the figure's description names multiples of 0.05


@dataclass(frozen=True)
class Interval:
    """The numbers from `low` to `high`, both included.

    >>> Interval(Fraction(1), Fraction(2)).meets(Interval(Fraction(2), Fraction(3)))
    True
    """

    low: Value
    high: Value

    def __contains__(self, value: Value) -> bool:
        return self.low <= value <= self.high

    def meets(self, other: "Interval") -> bool:
        """Tell whether the two have a number in common."""
        return self.low <= other.high and other.low <= self.high


def parse_number(text: str) -> Fraction:
    """Return the value of a printed number, of a percentage without its sign.

    >>> parse_number("1 327.20"), parse_number("26/3"), parse_number("6.17%"), parse_number("2.3e-6")
    (Fraction(6636, 5), Fraction(26, 3), Fraction(617, 100), Fraction(23, 10000000))
    """
    return Fraction(_bare(text))


def rounds_to(text: str) -> Interval:
    """Return the values that round to a printed number, both ends included; a fraction is exact.

    >>> rounds_to("2.43")
    Interval(low=Fraction(97, 40), high=Fraction(487, 200))
    >>> rounds_to("2/3").low == rounds_to("2/3").high
    True
    """
    bare = _bare(text)
    value = Fraction(bare)
    if "/" in bare:
        return Interval(value, value)
    parts = _NUMBER.fullmatch(bare)
    if parts is None:
        raise QuiffError(f"{text!r} is not a printed number, such as 1 327.20, 26/3, 6.17% or 2.3e-6")
    last = int(parts["exponent"] or 0) - len(parts["decimals"] or "")
    significant = len(parts["digits"].replace(".", "").lstrip("-0"))
    half = Fraction(10) ** (last + max(0, significant - _DOUBLE)) / 2
    return Interval(value - half, value + half)


def _bare(text: str) -> str:
    return text.removesuffix(" percent").removesuffix("%").replace(" ", "")


@dataclass(frozen=True)
class Rounded:
    """The value, rounded as printed, is what is printed; `detail` computes what more there is to say."""

    compute: Callable[[], Value]
    detail: Callable[[], str] = str

    def outcome(self, printed: str) -> Outcome:
        value = self.compute()
        return Outcome(value in rounds_to(printed), value, self.detail())


@dataclass(frozen=True)
class Exactly:
    """The value is the printed integer or fraction, without any rounding; `detail` as for `Rounded`."""

    compute: Callable[[], Value]
    detail: Callable[[], str] = str

    def outcome(self, printed: str) -> Outcome:
        value = self.compute()
        return Outcome(value == parse_number(printed), value, self.detail())


@dataclass(frozen=True)
class Derived:
    """The interval that the rounded inputs span meets the printed one.

    `compute` rises or falls in each of its inputs, so that the corners span the interval. A decimal input
    stands for what rounds to it, an integer or a fraction for itself.
    """

    compute: Callable[..., Value]
    inputs: tuple[str, ...]

    def outcome(self, printed: str) -> Outcome:
        spans = [rounds_to(text) if "." in text else _point(text) for text in self.inputs]
        corners = [self.compute(*corner) for corner in product(*((s.low, s.high) for s in spans))]
        span = Interval(min(corners), max(corners))
        value = self.compute(*map(parse_number, self.inputs))
        detail = f"from {' and '.join(self.inputs)}"
        if span.low < span.high:
            detail += f", which span {float(span.low):.6g} to {float(span.high):.6g}"
        return Outcome(span.meets(rounds_to(printed)), value, detail)


def _point(text: str) -> Interval:
    value = parse_number(text)
    return Interval(value, value)


@dataclass(frozen=True)
class Reading:
    """The value is where words put it: just above, just below or close to a multiple of 0.05."""

    compute: Callable[[], Value]

    def outcome(self, printed: str) -> Outcome:
        parts = _READING.fullmatch(printed)
        if parts is None:
            raise QuiffError(f"{printed!r} is not a reading, such as 'just above 0.35' or 'close to 0.00'")
        level, value = Fraction(parts["level"]), self.compute()
        low, high = {
            "just above": (level, level + _GRID),
            "just below": (level - _GRID, level),
            "close to": (level - _GRID / 2, level + _GRID / 2),
        }[parts["side"]]
        return Outcome(low < value < high, value)


@dataclass(frozen=True)
class Statement:
    """A statement in words: the computation tells whether it is true, and what it found."""

    compute: Callable[[], tuple[bool, str]]

    def outcome(self, printed: str) -> Outcome:  # noqa: ARG002 - words are not parsed
        return Outcome(*self.compute())


def judge(item: Item, read: Mapping[str, Any] | None = None) -> Judged:
    """Return the verdict on one item, from the published tables where they are at hand.

    >>> judge(Item("size", "Tab. 1", "629", Exactly(lambda: 469), why="629 is the highest id.")).verdict
    'erratum'
    >>> judge(Item("rows", "Tab. 2", "3 135 270", command="quiff stats TABLE")).note
    'quiff stats TABLE'
    """
    on_data = item.data.on(read) if item.data is not None and read is not None else None
    check = on_data or item.check
    if check is None:
        missing = item.data.missing(read) if item.data is not None and read is not None else []
        note = f"{item.command}, with the table {' and '.join(missing)}" if missing else item.command
        return Judged(item.id, item.where, item.printed, None, "needs-data", note)
    outcome = check.outcome(item.printed)
    if outcome.holds:
        basis = "from the published tables" if on_data else item.basis
        note = ": ".join(part for part in (basis, outcome.detail) if part)
        return Judged(item.id, item.where, item.printed, outcome.computed, "match", note)
    why = item.why or "The computation does not give what is printed."
    if on_data:
        why = "The tables do not give what is printed." + (f" {item.why}" if item.why else "")
    note = f"{why} ({outcome.detail})" if outcome.detail else why
    return Judged(item.id, item.where, item.printed, outcome.computed, "erratum", note)
