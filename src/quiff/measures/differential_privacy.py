"""Local differential privacy, for all pairs of inputs alike or by a distance between them."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from quiff.core.channel import Channel
from quiff.core.numbers import Array, logarithms
from quiff.errors import ParameterError
from quiff.measures.capacity import column_extremes, farthest, log_entries, log_ratio_of_tiny


def epsilon(C: Channel) -> float:
    """Return the smallest epsilon of local differential privacy, max |ln C[x,y] / C[x',y]|.

    Infinite where a column has both a zero and a number that is not zero (paper, eq. lift-capacity-epsilon
    and the sentence after it). Of ``repeat(C, n)`` it is n times that of C.

    Examples
    --------
    >>> import math
    >>> from quiff import Channel, epsilon
    >>> round(math.exp(epsilon(Channel([[0.75, 0.25], [0.25, 0.75]]))), 9)
    3.0
    """
    kernel, times = C.kernel.root()
    known = kernel.log_ratio()
    known = log_ratio_of_tiny(kernel) if known is None else known
    if known is not None:
        return times * known
    largest = 0.0
    for most, least in column_extremes(kernel):
        if (least == 0).any():
            return math.inf
        largest = max(largest, float((logarithms(most) - logarithms(least)).max()))
    return times * largest


def metric_epsilon(C: Channel, distance: Callable[[Any, Any], float]) -> float:
    """Return the smallest epsilon such that C[x,y] <= exp(epsilon d(x,x')) C[x',y] for all x, x', y.

    Parameters
    ----------
    C
        The channel; it is made dense, factor by factor.
    distance
        A function of two inputs: 0 or more, possibly infinite. Where it is 0 the two rows must be equal.

    Examples
    --------
    >>> from quiff import Channel, metric_epsilon
    >>> C = Channel([[0.5, 0.5], [0.25, 0.75]], inputs=[0, 2])
    >>> metric_epsilon(C, lambda x, y: abs(x - y))
    0.34657359027997264
    """
    labels = list(C.inputs)
    parts = [(log_entries(leaf.to_dense()), times) for leaf, times in C.kernel.leaves().items()]
    largest = 0.0
    for position, label in enumerate(labels):
        distances = np.array([_distance(distance(label, other)) for other in labels])
        distances[position] = math.inf  # an input says nothing against itself
        if not (distances >= 0).all():
            place = int(np.argmin(distances >= 0))
            raise ParameterError(
                f"the distance of {label!r} and {labels[place]!r} is {distances[place]}, "
                "but must be 0 or more"
            )
        apart = np.asarray(sum(times * farthest(logs, position) for logs, times in parts))
        largest = max(largest, _largest_ratio(apart, distances))
    return largest


def _distance(value: Any) -> float:
    """Return a distance as a float; one that is too large for it is infinite."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf
    except (TypeError, ValueError):
        return math.nan


def _largest_ratio(apart: Array, distances: Array) -> float:
    """Return max over x' of what two rows are apart over their distance."""
    # Rows that are 0 apart ask for nothing, whatever their distance; others at distance 0 cannot be met.
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = np.where((apart <= 0) | np.isinf(distances), 0.0, apart / distances)
    return float(ratios.max())
