"""Exact or float: the one place that knows which numbers are which.

An array is exact when it holds integers (``int64``) or fractions (``object``), and float when it holds
``float64``. Exact arrays follow a float partner; a float never becomes a fraction.
"""

import math
from decimal import Decimal
from fractions import Fraction
from numbers import Rational, Real
from typing import Any, TypeAlias

import numpy as np

from quiff.errors import ProbabilityError, QuiffError, ShapeError, how_many, quoted

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]
Number: TypeAlias = float | Fraction

# Below this the product of two integers, summed with weights that do not exceed it either, fits 63 bits.
SMALL = 2**31

# Floats that differ by at most this share of the larger tie: where a best guess is chosen, they are equal.
TIE = 1e-12


def _as_fraction(value: Any) -> Fraction:
    if isinstance(value, bool | np.bool_):
        return Fraction(int(value))
    # Python's own integers: a fraction of numpy's would overflow in silence.
    return Fraction(int(value.numerator), int(value.denominator))


_fraction = np.frompyfunc(_as_fraction, 1, 1)
_logarithm = np.frompyfunc(lambda value: math.log(value.numerator) - math.log(value.denominator), 1, 1)


def as_numbers(values: object, *, error: type[QuiffError] = ProbabilityError) -> Array:
    """Turn what a caller gave into an exact or a float array.

    >>> as_numbers([Fraction(1, 2), 1]).tolist()
    [Fraction(1, 2), Fraction(1, 1)]
    >>> as_numbers([Fraction(1, 2), 0.5]).tolist()
    [0.5, 0.5]
    """
    check_unmasked(values, error)
    try:
        array = np.asarray(values)
    except ValueError:
        raise ShapeError("the rows have different lengths; every row needs one number per column") from None
    kind = array.dtype.kind
    if array.size == 0:
        return array.astype(np.int64)  # nothing is as exact as can be
    if kind == "f":
        return array.astype(np.float64, copy=False)
    if kind in "bui":
        small = int(array.max()) < SMALL and int(array.min()) > -SMALL
        return array.astype(np.int64, copy=False) if small else as_fractions(array)
    if kind == "O":
        for value in array.flat:
            if not isinstance(value, Real | Decimal | np.bool_):
                raise error(f"{quoted(value)} is not a number")
        if all(isinstance(value, Rational | np.bool_) for value in array.flat):
            return as_fractions(array)
        return np.array([as_float(value, error) for value in array.flat]).reshape(array.shape)
    raise error(f"{array.flat[0].item()!r} is not a number")


def as_float(value: Any, error: type[QuiffError] = ProbabilityError) -> float:
    """Return a number as a float.

    >>> as_float(Fraction(1, 4))
    0.25
    >>> as_float(Decimal("sNaN"))
    Traceback (most recent call last):
    quiff.errors.ProbabilityError: Decimal('sNaN') is not a number
    """
    try:
        return float(value)
    except OverflowError:
        raise error(f"{how_many(int(value))} is too large for a float") from None
    except ValueError:
        raise error(f"{quoted(value)} is not a number") from None


def check_unmasked(values: object, error: type[QuiffError] = ShapeError) -> None:
    """Raise an error if some entries of an array are masked: nobody knows what these are."""
    if np.ma.is_masked(values):
        raise error("some entries of the array are masked; fill them in, for example by array.filled(0)")


def as_number(value: Any, total: int = 1) -> Number:
    """Turn one entry of an array, divided by a whole number, into a Python float or Fraction."""
    if isinstance(value, float | np.floating):
        return float(value) / total
    return Fraction(int(value) if isinstance(value, np.integer) else value) / total


def as_fractions(array: Array) -> Array:
    """Turn an exact array into fractions, so that a division stays exact."""
    return np.asarray(_fraction(array.astype(object)), dtype=object)


def number_size(array: Array) -> int:
    """Return about how many bytes a number of an array takes: 8, or 80 for a fraction."""
    return 80 if array.dtype == object else 8


def is_exact(array: Array) -> bool:
    """Tell whether an array holds integers or fractions."""
    return array.dtype != np.float64


def to_float(array: Array) -> Array:
    """Turn an array into floats; one that repeats a single number stays as small as it was."""
    constant = constant_of(array)
    if constant is not None:
        return filled(float(constant), array.shape[0])
    return array.astype(np.float64, copy=False)


def unified(*arrays: Array) -> tuple[Array, ...]:
    """Make all of them float as soon as one of them is."""
    if all(map(is_exact, arrays)):
        return arrays
    return tuple(to_float(array) if is_exact(array) else array for array in arrays)


def same_kind(*arrays: Array) -> tuple[Array, ...]:
    """Make all of them float as soon as one is, else fractions as soon as one is: integers have no room."""
    arrays = unified(*arrays)
    if not any(array.dtype == object for array in arrays):
        return arrays
    return tuple(array if array.dtype == object else _as_objects(array) for array in arrays)


def _as_objects(array: Array) -> Array:
    constant = constant_of(array)
    return array.astype(object) if constant is None else filled(Fraction(int(constant)), array.shape[0])


def filled(value: Any, size: int) -> Array:
    """Make an array that repeats one number and takes the memory of one."""
    if isinstance(value, Fraction):
        cell = np.empty((), dtype=object)
        cell[()] = value
        return np.broadcast_to(cell, size)
    return np.broadcast_to(np.asarray(value), size)


def constant_of(array: Array) -> Any | None:
    """Return the number that an array made by `filled` repeats, or None for any other array."""
    if array.ndim == 1 and array.shape[0] > 0 and array.strides == (0,):
        return array[0]
    return None


def product(first: Array, second: Array) -> Array:
    """Multiply two vectors elementwise; two constants give a constant."""
    first, second = unified(first, second)
    left, right = constant_of(first), constant_of(second)
    if left is not None and right is not None:
        return filled(left * right, first.shape[0])
    return np.asarray(first * second)


def summed(values: Array, places: Array, size: int) -> Array:
    """Add up the values, or rows, at each place.

    >>> summed(np.array([3, 1, 4]), np.array([0, 2, 0]), 3).tolist()
    [7, 0, 1]
    """
    sums = np.zeros((size, *values.shape[1:]), dtype=values.dtype)
    np.add.at(sums, places, values)
    return sums


def tied(smaller: Any, larger: Any) -> Array:
    """Tell whether numbers a <= b that are not negative tie: a = b, and for floats b - a <= 10^-12 b.

    Two products of the same probabilities may differ in the last bit, which must not decide a best guess.

    >>> tied(np.array([0.1 * 3, 0.2]), np.array(0.3)).tolist()
    [True, False]
    >>> tied(as_numbers([Fraction(3, 10)]), as_numbers([Fraction(3, 10) + Fraction(1, 10**20)])).tolist()
    [False]
    """
    smaller, larger = unified(np.asarray(smaller), np.asarray(larger))
    return np.asarray(smaller == larger if is_exact(larger) else smaller >= (1 - TIE) * larger)


def tie_codes(ascending: Array) -> Array:
    """Return codes of values from the least up; who ties with the value before has the same.

    >>> tie_codes(np.array([0.1, 0.3, 0.1 * 3, 0.4])).tolist()
    [0, 1, 1, 2]
    """
    return np.cumsum(np.concatenate([[False], ~tied(ascending[:-1], ascending[1:])]))


def large(array: Array) -> Array:
    """Multiply floats by a power of two that makes the largest about 2^500: products with it do not vanish.

    >>> bool(large(np.array([1e-300, 1e-320])).max() > 1e150)
    True
    """
    most = 0 if is_exact(array) else array.max(initial=0)
    return np.asarray(np.ldexp(array, 500 - math.frexp(most)[1])) if most > 0 else array


def matmul(first: Array, second: Array) -> Array:
    """Multiply two matrices; one float makes the result float."""
    first, second = unified(first, second)
    return np.asarray(first @ second)


def quotient(first: Array, second: Array) -> Array:
    """Divide elementwise; exact arrays give fractions."""
    first, second = unified(first, second)
    if is_exact(first):
        return np.asarray(as_fractions(first) / second)
    with np.errstate(over="ignore"):  # a ratio too large for a float is infinite
        return np.asarray(first / second)


def logarithms(array: Array) -> Array:
    """Return the natural logarithms of positive numbers; a fraction's may be that of a huge number."""
    return np.log(array) if not is_exact(array) else _logarithm(as_fractions(array)).astype(np.float64)
