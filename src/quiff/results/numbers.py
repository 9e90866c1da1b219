"""Numbers as text: rounded for people, at full precision for machines."""

import json
import math
from dataclasses import fields, is_dataclass
from fractions import Fraction
from typing import Any

__all__ = ["plain", "shown", "to_json"]


def shown(value: Any) -> str:
    """Return a value for people: six significant digits, whole numbers whole.

    Examples
    --------
    >>> shown(Fraction(2, 3)), shown(41_922_588_819), shown(float("inf")), shown(True), shown(None)
    ('0.666667', '41922588819', 'inf', 'yes', '')
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Fraction):
        value = _whole_or_float(value)
    if isinstance(value, float):
        return f"{value:.6g}"
    return str(value)


def plain(value: Any) -> Any:
    """Return a value for machines: a fraction as a float or, if it is whole, an int; inf as "inf".

    Examples
    --------
    >>> plain(Fraction(3, 1)), plain(Fraction(1, 3)), plain(float("inf"))
    (3, 0.3333333333333333, 'inf')
    """
    if isinstance(value, Fraction):
        value = _whole_or_float(value)
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, dict):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [plain(entry) for entry in value]
    return value


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
    return json.dumps(plain(value), indent=2, ensure_ascii=False, allow_nan=False)


def _whole_or_float(value: Fraction) -> float:
    """Return a fraction as an int if it is whole, else as a float; infinite if no float can hold it."""
    try:
        rounded = float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf
    return value.numerator if value.denominator == 1 else rounded
