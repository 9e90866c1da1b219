"""Comparing a computed value with a printed one: whether they agree is computed, never written down.

A printed number stands for the interval of all values that round to it, ends included, so that a tie may
have been rounded either way. A derived number is computed from printed inputs, which are intervals too.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

from quiff.errors import QuiffError
from quiff.papers.items import Reading, Value

_NUMBER = re.compile(r"(?P<digits>-?\d+(?:\.(?P<decimals>\d+))?)(?:e(?P<exponent>-?\d+))?")
_WORDS = re.compile(r"(?P<side>just above|just below|close to) (?P<level>\d+\.\d+)")
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
    parts = _NUMBER.fullmatch(bare)
    if "/" in bare:
        return Interval(Fraction(bare), Fraction(bare))
    if parts is None:
        raise QuiffError(
            what="a printed number", value=text, allowed="such as 1 327.20, 26/3, 6.17% or 2.3e-6"
        )
    last = int(parts["exponent"] or 0) - len(parts["decimals"] or "")
    significant = len(parts["digits"].replace(".", "").lstrip("-0"))
    half = Fraction(10) ** (last + max(0, significant - _DOUBLE)) / 2
    return Interval(Fraction(bare) - half, Fraction(bare) + half)


def _bare(text: str) -> str:
    return text.removesuffix(" percent").removesuffix("%").replace(" ", "")


def unit(printed: str) -> int:
    """Return by what a share is multiplied to stand as it is printed."""
    return 100 if printed.endswith(("%", " percent")) else 1


def compare(printed: str, value: Value, *, rounded: bool = False) -> Reading:
    """Compare a value with what is printed: an integer or a fraction exactly, unless it is `rounded`.

    >>> compare("3", Fraction(10, 3)).agrees, compare("2.43", Fraction(97, 40)).agrees
    (False, True)
    >>> compare("just above 0.35", 0.354).agrees
    True
    """
    value *= unit(printed)
    if (words := _WORDS.fullmatch(printed)) is not None:
        level = Fraction(words["level"])
        low, high = {
            "just above": (level, level + _GRID),
            "just below": (level - _GRID, level),
            "close to": (level - _GRID / 2, level + _GRID / 2),
        }[words["side"]]
        return Reading(value, low < value < high)
    if not rounded and printed.replace(" ", "").replace("/", "").isdecimal():
        return Reading(value, value == parse_number(printed))
    return Reading(value, value in rounds_to(printed))


def derive(printed: str, compute: Callable[..., Value], inputs: Sequence[str]) -> Reading:
    """Compare what follows from printed inputs: the interval that they span has to meet the printed one.

    `compute` rises or falls in each of its inputs, so that the corners span the interval. A decimal input
    stands for what rounds to it, an integer or a fraction for itself.

    >>> derive("3.18", lambda a, b: a / b, ("0.102", "0.032")).detail
    'from 0.102 and 0.032, which span 3.12308 to 3.25397'
    """
    spans = [rounds_to(text) if "." in text else Interval(*[parse_number(text)] * 2) for text in inputs]
    scales = [unit(text) for text in inputs]

    def at(numbers: Sequence[Value]) -> Value:
        return unit(printed) * compute(*(n / scale for n, scale in zip(numbers, scales, strict=True)))

    corners = [at(corner) for corner in product(*((span.low, span.high) for span in spans))]
    span = Interval(min(corners), max(corners))
    detail = f"from {' and '.join(inputs)}"
    if span.low < span.high:
        detail += f", which span {float(span.low):.6g} to {float(span.high):.6g}"
    return Reading(at(list(map(parse_number, inputs))), span.meets(rounds_to(printed)), detail=detail)
