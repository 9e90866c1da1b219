"""Distances between labels: given as a function or as a matrix, and the ones that people use."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from numbers import Real
from typing import Any, final

import numpy as np

from quiff.core.display import frame_labels, in_order
from quiff.core.labels import Labels, as_labels
from quiff.core.limits import check_fits
from quiff.core.numbers import Array, Number, as_numbers, is_exact
from quiff.core.validate import check_shape
from quiff.errors import ParameterError, ShapeError
from quiff.theory.parameters import check_whole

_LARGEST = 10**300  # what is farther is infinite


@final
@dataclass(frozen=True, eq=False)
class Metric:
    """A distance d(x, y) between labels: 0 or more, possibly infinite.

    Any function of two labels will do where quiff asks for a distance. A Metric can be changed into others:
    ``2 * d``, `minimum`, `maximum`, `mirrored`, `capped`, `cut`.

    Examples
    --------
    >>> roads = Metric.from_matrix([[0, 3], [3, 0]], ["north", "south"])
    >>> roads("north", "south"), (2 * roads).capped(5)("north", "south")
    (3, 5)
    >>> euclidean((0, 0), (3, 4)), manhattan((0, 0), (3, 4)), discrete("a", "b")
    (5.0, 7, 1)
    """

    function: Callable[[Any, Any], Any]

    @classmethod
    def from_matrix(cls, rows: object, labels: object = None) -> "Metric":
        """Return the distance that a square matrix gives; a frame brings its labels, else 0, 1, 2, ..."""
        labels = frame_labels(rows)[0] if labels is None else labels
        rows, labels, _ = in_order(rows, labels, labels, ("label", "label"))
        matrix = np.array(as_numbers(rows, error=ParameterError))
        if matrix.ndim != 2:
            raise ShapeError(what="the number of dimensions of distances", value=matrix.ndim, allowed="2")
        named = as_labels(range(matrix.shape[0]) if labels is None else labels)
        check_shape(matrix.shape, (named.size, named.size), "the matrix of distances")
        numbers = matrix.tolist()
        return cls(lambda x, y: numbers[named.position(x)][named.position(y)])

    def __call__(self, x: Any, y: Any) -> Any:
        return self.function(x, y)

    def __rmul__(self, factor: Any) -> "Metric":
        """Return the distance times a number; 0 stays 0 even times infinity."""
        return Metric(lambda x, y: factor * d if (d := self(x, y)) else d)

    def minimum(self, other: Callable[[Any, Any], Any]) -> "Metric":
        """Return the smaller of two distances; the triangle inequality may be lost."""
        return Metric(lambda x, y: min(self(x, y), other(x, y)))

    def maximum(self, other: Callable[[Any, Any], Any]) -> "Metric":
        """Return the larger of two distances."""
        return Metric(lambda x, y: max(self(x, y), other(x, y)))

    def mirrored(self) -> "Metric":
        """Return d(y, x), which differs where the distance is not symmetric."""
        return Metric(lambda x, y: self(y, x))

    def capped(self, most: Any) -> "Metric":
        """Return min(d(x, y), most)."""
        return Metric(lambda x, y: min(self(x, y), most))

    def cut(self, most: Any) -> "Metric":
        """Return the distance up to `most`, and infinity beyond."""
        return Metric(lambda x, y: d if (d := self(x, y)) <= most else math.inf)


Distance = Callable[[Any, Any], Any] | Metric


def as_metric(distance: object) -> Metric:
    """Take a distance as a function, or as a matrix with labels (a frame) or on 0, 1, 2, ..."""
    if isinstance(distance, Metric):
        return distance
    return Metric(distance) if callable(distance) else Metric.from_matrix(distance)


def distances(distance: object, rows: Labels, columns: Labels) -> Array:
    """Return the matrix of distances: exact if all are, else floats, which may be infinite.

    Raises
    ------
    ParameterError
        If one is negative or not a number.
    """
    check_fits(rows.size, columns.size)
    metric, names = as_metric(distance), list(columns)
    table = [[_number(metric(x, y), x, y) for y in names] for x in rows]
    return as_numbers(table, error=ParameterError).reshape(rows.size, columns.size)


def _number(value: Any, x: Any, y: Any) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    elif isinstance(value, Decimal):
        value = math.nan if value.is_nan() else float(value)
    if not isinstance(value, Real) or not value >= 0:  # type: ignore[operator]  # nor is it nan
        raise ParameterError(what=f"the distance of {x!r} and {y!r}", value=value, allowed="0 or more")
    return value if value <= _LARGEST else math.inf


def chained(distance: object, labels: object) -> Array:
    """Tell for each pair of labels whether others lie on the way: d(x, z) + d(z, y) = d(x, y) for some z.

    What holds for the pairs that are not chained holds for all, where it adds up along the way, as metric
    privacy does: on a line only neighbours matter.

    Examples
    --------
    >>> chained(euclidean, range(3)).tolist()
    [[True, False, True], [False, True, False], [True, False, True]]
    """
    named = as_labels(labels)
    d = distances(distance, named, named)
    result = np.eye(named.size, dtype=bool)
    apart = ~result & np.asarray(d > 0)  # a step of no length leads nowhere
    for z in range(named.size):
        way = np.add.outer(d[:, z], d[z])
        same = way == d if is_exact(d) else np.isclose(way, d, rtol=1e-12, atol=0) & np.isfinite(d)
        result |= np.asarray(same) & np.logical_and.outer(apart[:, z], apart[z])
    return result


def _coordinates(x: Any, y: Any) -> list[Any]:
    if isinstance(x, Real) and isinstance(y, Real):
        return [abs(x - y)]
    if isinstance(x, Sequence | np.ndarray) and isinstance(y, Sequence | np.ndarray) and len(x) == len(y):
        return [abs(first - second) for first, second in zip(x, y, strict=True)]
    raise ParameterError(f"{x!r} and {y!r} are not two numbers, nor two points with as many coordinates")


def _euclidean(x: Any, y: Any) -> Number:
    steps = _coordinates(x, y)
    return steps[0] if len(steps) == 1 else math.hypot(*map(float, steps))


discrete = Metric(lambda x, y: 0 if x == y else 1)
"""0 between equal labels, else 1: with it, metric privacy is local differential privacy."""

euclidean = Metric(_euclidean)
"""The distance of two numbers, or of two points by a straight line."""

manhattan = Metric(lambda x, y: sum(_coordinates(x, y)))
"""The distance of two numbers, or of two points along the axes."""


multiplicative = Metric(lambda x, y: abs(math.log(x) - math.log(y)))
"""The distance of two positive numbers by their ratio: |ln x / y|."""


def grid(width: int, step: Any = 1, distance: Distance = euclidean) -> Metric:
    """Return a distance between the cells of a grid that are numbered row by row, from 0.

    Examples
    --------
    >>> grid(10)(0, 34), grid(10, step=100, distance=manhattan)(0, 34)
    (5.0, 700)
    """
    check_whole("the width of a grid", width, 1)
    cells = Metric(lambda x, y: distance(divmod(x, width), divmod(y, width)))
    return cells.__rmul__(step)
