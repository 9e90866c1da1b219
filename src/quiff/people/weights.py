"""How much each user counts: weights, and the numbers of users behind merged sets."""

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from quiff.core.labels import Labels, SetLabels, as_labels, by_label, same
from quiff.core.numbers import Array, as_fractions, as_numbers, is_exact
from quiff.core.prior import Prior
from quiff.errors import LabelError, ParameterError, ShapeError

_LEAST, _MOST = 1e-150, 1e150  # of the largest weight, if a float is to hold sums and products of them


def weights_by_user(weights: Any, users: Mapping[Any, Any]) -> Any:
    """Return the weights of users in their order, from a mapping; others that have names keep them."""
    if weights is None or hasattr(weights, "to_numpy"):
        return weights
    for names, others, where in ((users, weights, "weights"), (weights, users, "sets")):
        lost = next((name for name in names if name not in others), None)
        if lost is not None:
            raise LabelError(f"the user {lost!r} is not among the {where}; give each user a set and a weight")
    return [weights[user] for user in users]


def checked_weights(weights: object, users: Labels) -> Array | None:
    """Return weights as a read-only array, one for each user, exact where they are given so."""
    if weights is None:
        return None
    listed = by_label(weights, users, "people", "weights")
    array = np.array(as_numbers(listed, error=ParameterError))
    if array.shape != (users.size,):
        raise ShapeError(
            f"the weights have shape {array.shape}, but there are {users.size} users; give one for each"
        )
    wrong = (array < 0) | (~np.isfinite(array) if array.dtype == np.float64 else False)
    if wrong.any():
        row = int(np.argmax(wrong))
        raise ParameterError(f"the weight of {users[row]!r} is {array[row]}, but must be a number from 0 on")
    if not array.any():
        raise ParameterError("all weights are 0; at least one user must count")
    if not is_exact(array) and not _LEAST < array.max() < _MOST:
        array = np.ldexp(array, -math.frexp(float(array.max()))[1])  # only ratios count, and sums are finite
    if array.dtype == object and not _LEAST < array.max() < _MOST:
        array = np.asarray(array / array.max())
    array.flags.writeable = False
    return array


def checked_counts(counts: object, users: Labels, n_epochs: int) -> Array | None:
    """Return the numbers of users behind merged sets as a read-only array."""
    if counts is None:
        return None
    array = np.array(by_label(counts, users, "people", "counts"))
    distinct = isinstance(users, SetLabels) and n_epochs == 1
    if not (distinct or same(users, as_labels(range(users.size)))):
        raise ShapeError(
            "counts are for the distinct sets of one epoch, by which rows are named, or for sequences of"
            " sets, which are numbered from 0"
        )
    if array.shape != (users.size,) or array.dtype.kind not in "iu" or (array < 1).any():
        raise ShapeError(f"counts must be {users.size} positive whole numbers, one for each distinct set")
    array = array.astype(np.int64)
    array.flags.writeable = False
    return array


def summed(weights: Array, which: Array, size: int) -> Array:
    """Add up the weights of each kind, exactly where they are exact."""
    sums = np.zeros(size, dtype=weights.dtype)
    np.add.at(sums, which, weights)
    return sums


def prior_of_weights(labels: Labels, weights: Array) -> Prior:
    """Return the prior w_x / sum of all w; exact weights stay exact."""
    if not is_exact(weights):
        return Prior.from_array(labels, weights / weights.sum())
    if weights.dtype.kind in "iu":
        return Prior.from_count_array(labels, weights)
    total = sum(weights.tolist(), Fraction(0))
    return Prior.from_array(labels, as_fractions(weights) / total)
