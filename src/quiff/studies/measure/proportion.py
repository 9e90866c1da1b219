"""A prior in proportion to weights of any kind: whole numbers, fractions or floats."""

from fractions import Fraction

from quiff.core.labels import Labels
from quiff.core.numbers import Array, as_fractions, is_exact
from quiff.core.prior import Prior

__all__ = ["in_proportion"]


def in_proportion(labels: Labels, weights: Array) -> Prior:
    """Return the prior that is proportional to the weights; exact weights stay exact.

    Examples
    --------
    >>> import numpy as np
    >>> from quiff.core.labels import as_labels
    >>> in_proportion(as_labels(["Alice", "Bob"]), np.array([3, 1]))["Alice"]
    Fraction(3, 4)
    >>> in_proportion(as_labels(["Alice", "Bob"]), np.array([0.5, 1.5]))["Alice"]
    0.25
    """
    if not is_exact(weights):
        return Prior.from_array(labels, weights / weights.sum())
    if weights.dtype.kind in "iu":
        return Prior.from_count_array(labels, weights)
    total = sum(weights.tolist(), Fraction(0))
    return Prior.from_array(labels, as_fractions(weights) / total)
