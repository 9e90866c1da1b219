"""Numbers as text: rounded for people, at full precision for machines."""

import json
import math
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import fields, is_dataclass
from decimal import ROUND_HALF_UP, Context, Decimal
from fractions import Fraction
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

from quiff.safe_text import visible_json

if TYPE_CHECKING:  # else every command would load NumPy
    from quiff.core.numbers import Number

_SURE = 10  # significant digits; what a float has beyond them may be the rounding of a computation
_LONG = 10**15  # from here on nobody reads all digits
_READ = 10**10  # and from here on not where it is read as a sentence
_DIGITS: ContextVar[int] = ContextVar("digits", default=3)


@contextmanager
def significant(digits: int) -> Iterator[None]:
    """Write the numbers that are read inside with so many significant digits, and not with three.

    Examples
    --------
    >>> with significant(5):
    ...     said(66.35902), probability(0.42186)
    ('66.359', '42.186 %')
    """
    before = _DIGITS.set(digits)
    try:
        yield
    finally:
        _DIGITS.reset(before)


def rounded(value: "Number", digits: int) -> str:
    """Return a number with so many significant digits, a half rounded up.

    What is half up to the rounding of floats is a half, so that 28.55 reads the same however it was computed.

    Examples
    --------
    >>> rounded(28.55, 3), rounded(28.549999999999997, 3), rounded(Fraction(2, 3), 4)
    ('28.6', '28.6', '0.6667')
    """
    number = float(value)
    if not math.isfinite(number):
        return str(number)
    sure = Decimal(f"{number:.{_SURE - 1}e}")
    return f"{float(Context(digits, ROUND_HALF_UP).plus(sure)):.{digits}g}"


def shown(value: Any) -> str:
    """Return a value for people: six significant digits, whole numbers whole.

    Examples
    --------
    >>> shown(Fraction(2, 3)), shown(41_922_588_819), shown(1e6), shown(float("inf")), shown(True)
    ('0.666667', '41922588819', '1000000', 'inf', 'yes')
    >>> shown(None)
    ''
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Fraction):
        value = _whole_or_float(value)
    if isinstance(value, float):
        return str(round(value)) if _is_whole(value) else rounded(value, 6)
    return str(value)


def _is_whole(value: float) -> bool:
    """Tell whether a number is whole and not too long to be read, but for the rounding of a computation."""
    return abs(value) < _LONG and abs(value - round(value)) <= min(abs(value), 1e6) / 10**_SURE


def whole(value: "Number") -> int:
    """Return the nearest whole number of one that is not huge, a half rounded up as in `rounded`.

    Examples
    --------
    >>> whole(1327.5), whole(1327.4999999999998), whole(Fraction(1000))
    (1328, 1328, 1000)
    """
    return int(Decimal(f"{float(value):.6f}").to_integral_value(ROUND_HALF_UP))


def plain(value: Any) -> Any:
    """Return a value for machines: a fraction as a float or, if it is whole, an int; inf as "inf".

    Numbers of NumPy become Python's. A set, which may be a label, becomes text.

    Examples
    --------
    >>> plain(Fraction(3, 1)), plain(Fraction(1, 3)), plain(float("inf"))
    (3, 0.3333333333333333, 'inf')
    """
    if isinstance(value, bool):
        return value
    if isinstance(value, Fraction):
        value = _whole_or_float(value)
    elif isinstance(value, Real):
        value = int(value) if isinstance(value, Integral) else float(value)
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, dict):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [plain(entry) for entry in value]
    return str(value) if isinstance(value, set | frozenset) else value


def to_json(value: Any) -> str:
    """Return a result as JSON text, numbers at full precision.

    Examples
    --------
    >>> print(to_json({"epsilon": float("inf"), "leakage": Fraction(39, 20)}))
    {
      "epsilon": "inf",
      "leakage": 1.95
    }
    """
    return visible_json(json.dumps(plain(value), indent=2, ensure_ascii=False, allow_nan=False))


def _whole_or_float(value: Fraction) -> float:
    """Return a fraction as an int if it is whole, else as a float; infinite if no float can hold it."""
    try:
        rounded = float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf
    return value.numerator if value.denominator == 1 else rounded


def said(value: "Number", digits: int | None = None) -> str:
    """Return a number to be read: three significant digits or so many, thousands with a comma.

    A whole number, such as a count, keeps all of its digits, and so do thousands.

    Examples
    --------
    >>> said(66.36), said(249997), said(0.00212963), said(1327.2), said(-6440.7), said(float("inf"))
    ('66.4', '249,997', '0.00213', '1,327', '-6,441', 'inf')
    >>> said(292226.4), said(41_922_588_819), said(2.3e-6), said(66.35902, digits=6)
    ('292,000', '4.19 x 10^10', '2.3 x 10^-6', '66.359')
    """
    digits = _DIGITS.get() if digits is None else digits
    number = float(_whole_or_float(value) if isinstance(value, Fraction) else value)
    size = abs(number)
    if size < _READ and _is_whole(number):
        return f"{whole(number):,}"
    text = rounded(number, digits + 1 if 10**digits <= size < 10 ** (digits + 1) else digits)
    if math.isfinite(size) and (size >= _READ or "e-" in text):
        mantissa, _, power = text.partition("e")
        return f"{mantissa} x 10^{int(power)}"
    return f"{Decimal(text):,f}" if math.isfinite(size) else text


def amount(value: "Number", digits: int | None = None) -> str:
    """Return a number of a table to be read: that what is infinite has no limit.

    Examples
    --------
    >>> amount(66.36), amount(float("inf"))
    ('66.4', 'no limit')
    """
    return "no limit" if value == math.inf else said(value, digits)


def probability(value: "Number", digits: int | None = None) -> str:
    """Return a probability to be read: in percent, and below one percent as one in so many.

    Examples
    --------
    >>> probability(Fraction(1, 206)), probability(0.42), probability(1), probability(0.9978), probability(0)
    ('1 in 206', '42 %', '100 %', '99.8 %', '0 %')
    >>> probability(6.6359e-5), probability(1e-30)
    ('1 in 15,070', '1 in 10^30')
    """
    digits = _DIGITS.get() if digits is None else digits
    if 0 < value < Fraction(1, 100):
        many = 1 / value
        if many >= _LONG or _is_whole(float(many)):
            return f"1 in {said(many, digits).removeprefix('1 x ')}"
        return f"1 in {Decimal(rounded(many, max(digits, 3 if many < 10**3 else 4))):,f}"
    percent = rounded(100 * value, digits)
    return f"{'>99.9' if percent == '100' and value < 1 - 1e-9 else percent} %"


def many(number: int, thing: str) -> str:
    """Return a number of things in words, thousands with a comma.

    Examples
    --------
    >>> many(1, "user"), many(5893, "user")
    ('1 user', '5,893 users')
    """
    return f"{said(number)} {thing}{'' if number == 1 else 's'}"


def capitalised(text: str) -> str:
    """Return text as it stands at the beginning of a sentence; a spec, and the name of a program, stay.

    Examples
    --------
    >>> capitalised("third-party cookie"), capitalised("topics:noise=0.1")
    ('Third-party cookie', 'topics:noise=0.1')
    """
    first, _, rest = text.partition(" ")
    return text if ":" in first or not rest else text[:1].upper() + text[1:]
