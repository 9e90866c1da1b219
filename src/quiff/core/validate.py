"""The checks that the constructors of priors, channels and gains share."""

from collections.abc import Callable, Hashable
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np

from quiff.core.numbers import Array, is_exact
from quiff.errors import GainError, ProbabilityError, QuiffError, ShapeError

# How far the sum of float probabilities may be from 1; exact ones must sum to 1.
TOLERANCE = 1e-9

LARGEST_GAIN = 1e300
"""Of floats; sums of larger ones might not be finite."""

Name = Callable[[tuple[int, ...]], str]


def check_probabilities(values: Array, name: Name) -> None:
    """Raise a ProbabilityError that names the first entry that is not finite or is negative."""
    _check_entries(values, name, ProbabilityError, "a probability")


def check_gains(values: Array, name: Name) -> None:
    """Raise a GainError that names the first entry that is not finite or is negative."""
    _check_entries(values, name, GainError, "a gain")
    if not is_exact(values) and values.size and values.max() > LARGEST_GAIN:
        place = tuple(int(i) for i in np.argwhere(values > LARGEST_GAIN)[0])
        raise GainError(
            f"{name(place)} is {_shown(values[place])}, too large for sums of gains; divide all gains by it"
        )


def _check_entries(values: Array, name: Name, error: type[QuiffError], what: str) -> None:
    bad = values < 0
    if not is_exact(values):
        bad |= ~np.isfinite(values)
    if bad.any():
        place = tuple(int(i) for i in np.argwhere(bad)[0])
        raise error(f"{name(place)} is {_shown(values[place])}, but {what} is finite and not negative")


def check_sums(summed: Callable[[], Array], name: Callable[[int], str]) -> None:
    """Raise a ProbabilityError that names the first row whose sum is not 1, and gives the sum."""
    with np.errstate(over="ignore"):  # a sum that is infinite is not 1 either
        sums = summed()
    bad = sums != 1 if is_exact(sums) else ~(np.abs(sums - 1) <= TOLERANCE)
    if bad.any():
        row = int(np.argmax(bad))
        raise ProbabilityError(f"{name(row)} sums to {_shown(sums[row])}, not to 1")


def check_shape(shape: tuple[int, ...], wanted: tuple[int, ...], what: str) -> None:
    """Raise a ShapeError unless the two shapes are the same."""
    if shape != wanted:
        given, needed = (" x ".join(map(str, s)) for s in (shape, wanted))
        raise ShapeError(f"{what} is {given}, but its labels ask for {needed}")


def check_probability(value: Any, what: str) -> None:
    """Raise a ProbabilityError unless 0 <= value <= 1."""
    number = isinstance(value, Real) or (isinstance(value, Decimal) and value.is_finite())
    if not (number and 0 <= value <= 1):
        raise ProbabilityError(f"{what} is {value!r}, but must lie between 0 and 1")


def cell(row: Hashable, column: Hashable) -> str:
    """Name a cell of a matrix."""
    return f"the entry of row {row!r}, column {column!r}"


def _shown(value: Any) -> str:
    return repr(float(value)) if isinstance(value, float) else str(value)
