"""The checks that the constructors of priors, channels and gains share."""

from collections.abc import Callable, Hashable, Iterable, Mapping
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np

from quiff.core.distinct import smallest_index_type
from quiff.core.labels import Labels
from quiff.core.numbers import Array, check_unmasked, is_exact
from quiff.errors import GainError, LabelError, ProbabilityError, QuiffError, ShapeError

# How far the sum of float probabilities may be from 1; exact ones must sum to 1.
TOLERANCE = 1e-9

LARGEST_GAIN = 1e300
"""Of floats; sums of larger ones might not be finite."""

Name = Callable[[tuple[int, ...]], str]


def check_probabilities(values: Array, name: Name) -> None:
    """Raise a ProbabilityError that names the first entry that is not finite or is negative."""
    _check_entries(values, name, ProbabilityError, "a probability")


def check_gains(values: Array, name: Name, what: str = "a gain") -> None:
    """Raise a GainError that names the first entry that is not finite or is negative."""
    _check_entries(values, name, GainError, what)
    if not is_exact(values) and values.size and values.max() > LARGEST_GAIN:
        place = tuple(int(i) for i in np.argwhere(values > LARGEST_GAIN)[0])
        raise GainError(
            f"{name(place)} is {_shown(values[place])}, too large for sums; divide all of them by it"
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
        base, needed = (" x ".join(map(str, s)) for s in (shape, wanted))
        raise ShapeError(f"{what} is {base}, but its labels ask for {needed}")


def check_probability(value: Any, what: str) -> None:
    """Raise a ProbabilityError unless 0 <= value <= 1."""
    number = isinstance(value, Real) or (isinstance(value, Decimal) and value.is_finite())
    if not (number and 0 <= value <= 1):
        raise ProbabilityError(what=what, value=value, allowed="between 0 and 1")


def cell(row: Hashable, column: Hashable) -> str:
    """Name a cell of a matrix."""
    return f"the entry of row {row!r}, column {column!r}"


def _shown(value: Any) -> str:
    return repr(float(value)) if isinstance(value, float) else str(value)


def as_codes(
    codes: object,
    shape: tuple[int, int | None] | tuple[int],
    n_codes: int,
    rows: Labels | None = None,
    what: str = "output",
) -> Array:
    """Check an array of whole numbers below `n_codes`; with `rows`, that no row has the same one twice."""
    check_unmasked(codes)
    array = np.asarray(codes)
    if array.dtype.kind not in "iu":
        raise ShapeError(what="the type of codes", value=array.dtype, allowed="whole numbers")
    if array.ndim != len(shape) or array.shape[0] != shape[0]:
        wanted = f"{shape[0]} rows" if len(shape) == 2 else f"{shape[0]} entries"
        raise ShapeError(
            what="the shape of the array of codes", value=array.shape, allowed=f"{wanted}, as the labels ask"
        )
    if array.size and not (int(array.min()) >= 0 and int(array.max()) < n_codes):
        bad = int(array.min()) if array.min() < 0 else int(array.max())
        raise LabelError(f"the code {bad} does not number any of the {n_codes} {what}s (0 to {n_codes - 1})")
    array = array.astype(smallest_index_type(n_codes))
    if rows is not None:
        array = np.sort(array, axis=1)
        again = array[:, 1:] == array[:, :-1]
        if again.any():
            first = int(np.argwhere(again)[0, 0])
            raise LabelError(f"the set of {rows[first]!r} has the same topic twice")
    return array


def sets_as_entries(
    sets: Mapping[Any, Iterable[Any]], topics: Labels, what: str = "output"
) -> tuple[Array, Array]:
    """Return where each set starts in one long array of codes, and that array, in the order given."""
    lengths, codes = [0], []
    for label, members in sets.items():
        if isinstance(members, str | bytes) or not isinstance(members, Iterable):
            raise LabelError(f"the set of {label!r} is {members!r}; give a set or a list of topics")
        result = [topics.position(topic, what) for topic in members]
        if len(set(result)) < len(result):
            raise LabelError(f"the set of {label!r} has the same topic twice")
        codes += result
        lengths.append(len(result))
    return np.cumsum(lengths), np.array(codes, dtype=smallest_index_type(topics.size))
