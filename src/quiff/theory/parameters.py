"""The parameters of the closed forms, checked in one place, and what is known before any observation.

A count is a whole number. A probability or budget stays exact if it is an int or a Fraction and
is a float otherwise; a float never becomes a Fraction.
"""

from fractions import Fraction
from math import inf
from numbers import Rational
from numbers import Real as RealNumber
from operator import index
from typing import TypeAlias

from quiff.errors import ParameterError

Real: TypeAlias = float | Fraction

HALF = Fraction(1, 2)
MOST_OBSERVATIONS = 10_000
"""Of one person: once a day for 27 years. What asks for more would not end."""


def check_whole(name: str, value: object, least: int, most: int | None = None) -> int:
    """Return the whole number ``value`` if it lies in ``least..most`` (``most=None``: no limit).

    >>> check_whole("top_s", 5, 1, 349)
    5
    >>> check_whole("top_s", 6, 1, 5)
    Traceback (most recent call last):
    quiff.errors.ParameterError: top_s must be a whole number between 1 and 5, not 6
    """
    try:
        number = index(value)  # type: ignore[arg-type]
    except TypeError:
        number = None
    if number is None or number < least or (most is not None and number > most):
        if most is None:
            allowed = f"a whole number of at least {least}"
        elif least < most:
            allowed = f"a whole number between {least} and {most}"
        elif least == most:
            allowed = f"the whole number {least}" if number is None else str(least)
        else:
            allowed = f"a whole number of at least {least} and at most {most}, of which there is none"
        raise ParameterError(what=name, value=value, allowed=allowed)
    return number


def check_number(name: str, value: object, least: float, most: float) -> Real:
    """Return the number ``value``, as a Fraction or a float, if it lies in ``[least, most]``.

    >>> check_number("noise", 1, 0, 1), check_number("noise", 0.05, 0, 1)
    (Fraction(1, 1), 0.05)
    >>> check_number("noise", 1.5, 0, 1)
    Traceback (most recent call last):
    quiff.errors.ParameterError: noise must be a number between 0 and 1, not 1.5
    """
    number: Real | None = None
    if isinstance(value, Rational):
        number = Fraction(int(value.numerator), int(value.denominator))
    elif isinstance(value, RealNumber):
        number = float(value)
    if number is None or not least <= number <= most:
        allowed = f"of at least {least}" if most == inf else f"between {least} and {most}"
        raise ParameterError(what=name, value=value, allowed=f"a number {allowed}")
    return number


def check_probability(name: str, value: object) -> Real:
    """Return the probability ``value`` as a Fraction or a float; see :func:`check_number`.

    >>> check_probability("share", Fraction(1, 3))
    Fraction(1, 3)
    """
    try:
        return check_number(name, value, 0, 1)
    except ParameterError as error:
        if isinstance(value, int | float) and 1 < value <= 100:
            error.args = (f"{error}; did you mean {value / 100:g}?",)
        raise


def check_sizes(n_topics: object, top_s: object) -> tuple[int, int]:
    """Return the taxonomy's size m >= 1 and the size of a top set, 1 <= s <= m.

    >>> check_sizes(349, 5)
    (349, 5)
    """
    m = check_whole("n_topics", n_topics, 1)
    return m, check_whole("top_s", top_s, 1, m)


def check_occurring(n_topics: object, top_s: object, occurring: object) -> tuple[int, int]:
    """Return s and m', the number of topics that occur in some top set, s <= m' <= m.

    >>> check_occurring(349, 5, 169)
    (5, 169)
    """
    m, s = check_sizes(n_topics, top_s)
    return s, check_whole("occurring", occurring, s, m)


def at_most_one(value: Real) -> Real:
    """Return ``min(1, value)``, of the type of ``value``.

    >>> at_most_one(Fraction(10, 3)), at_most_one(2.5)
    (Fraction(1, 1), 1.0)
    """
    return value if value <= 1 else follow(Fraction(1), value)


def follow(value: Real, *partners: Real) -> Real:
    """Return ``value`` as it is, or as a float if one of its ``partners`` is a float.

    >>> follow(Fraction(1), Fraction(1, 20)), follow(Fraction(1), 0.05)
    (Fraction(1, 1), 1.0)
    """
    return float(value) if any(isinstance(partner, float) for partner in partners) else value
