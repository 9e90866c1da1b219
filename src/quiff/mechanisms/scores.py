"""Mechanisms made from distances or scores: exponential, tight constraints, and exact distances."""

from collections.abc import Callable
from typing import Any

import numpy as np

from quiff.core.channel import Channel
from quiff.core.labels import Labels, as_labels
from quiff.core.limits import check_fits
from quiff.core.metric import Distance, distances
from quiff.core.numbers import Array, to_float
from quiff.errors import ParameterError
from quiff.theory.parameters import check_number


def exponential(
    inputs: object,
    score: Callable[[Any, Any], float],
    epsilon: float = 1.0,
    *,
    outputs: object = None,
    sensitivity: float = 1.0,
) -> Channel:
    """Return the exponential mechanism: C[x,y] proportional to e^(epsilon u(x,y) / 2 sensitivity).

    If scores of neighbours differ by at most the sensitivity, neighbours are at most epsilon apart
    (McSherry and Talwar 2007). With u(x,y) = -d(x,y) for a metric d it has metric privacy, epsilon for a
    distance of 1.

    Parameters
    ----------
    inputs, outputs
        The secrets, and the outputs; by default the same.
    score
        u, a function of an input and an output.
    epsilon, sensitivity
        The privacy, and by how much the score of an output differs at most between neighbours.

    Examples
    --------
    >>> import math
    >>> C = exponential(range(3), lambda x, y: -abs(x - y), epsilon=2 * math.log(2))
    >>> C.row(1).to_numpy().round(3).tolist()
    [0.25, 0.5, 0.25]
    """
    named = as_labels(inputs, "input")
    shown = named if outputs is None else as_labels(outputs, "output")
    strength = float(check_number("epsilon", epsilon, 0, 1e6)) / 2
    scale = float(check_number("sensitivity", sensitivity, 0, 1e300))
    if scale == 0:
        raise ParameterError(what="sensitivity", value=0, allowed="positive")
    scores = _scores(score, named, shown) * (strength / scale)
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    return Channel(weights / weights.sum(axis=1, keepdims=True), inputs=named, outputs=shown)


def tight_constraints(labels: object, distance: Distance, epsilon: float = 1.0) -> Channel:
    """Return the mechanism that meets every constraint of metric privacy for its own output with equality.

    C[x,y] = e^(-epsilon d(x,y)) v_y with sum_y C[x,y] = 1. Where it exists it has the largest probability
    of the truth under the uniform prior, and its Bayes capacity is sum_y v_y, the magnitude of the metric
    space (Chatzikokolakis, ElSalamouny and Palamidessi 2014; Leinster 2013).

    Examples
    --------
    >>> C = tight_constraints(range(3), lambda x, y: abs(x - y))
    >>> C.row(0).to_numpy().round(3).tolist()
    [0.731, 0.17, 0.099]

    Raises
    ------
    ParameterError
        If it does not exist, since some v_y would be negative.
    """
    named = as_labels(labels)
    similar = _similarities(named, distance, epsilon)
    try:
        v = np.linalg.solve(similar, np.ones(named.size))
    except np.linalg.LinAlgError:
        v = np.full(named.size, -1.0)
    if not np.isfinite(v).all() or v.min() < -1e-12:
        worst = named[int(np.argmin(v))]
        raise ParameterError(
            f"no mechanism meets all constraints with equality: the output {worst!r} would need a negative "
            "probability; raise epsilon, or use exponential() or least_loss()"
        )
    matrix = similar * np.clip(v, 0, None)
    return Channel(matrix / matrix.sum(axis=1, keepdims=True), inputs=named, outputs=named)


def exact_distance(labels: object, distance: Distance, epsilon: float = 1.0) -> Channel:
    """Return a channel whose rows are exactly epsilon d(x,x') apart: max_y |ln C[x,y]/C[x',y]|.

    C[x,y] = e^(-1 - epsilon d(x,y)) / n for the n labels, and what is left of a row goes to the output None.

    Examples
    --------
    >>> from quiff import metric_epsilon
    >>> towns = {"Oslo": 0, "Bergen": 2, "Narvik": 7}
    >>> C = exact_distance(towns, lambda x, y: abs(towns[x] - towns[y]))
    >>> round(metric_epsilon(C, lambda x, y: abs(towns[x] - towns[y])), 9)
    1.0
    """
    named = as_labels(labels)
    matrix = _similarities(named, distance, epsilon) * (np.exp(-1) / named.size)
    rest = 1 - matrix.sum(axis=1, keepdims=True)
    return Channel(np.hstack([matrix, rest]), inputs=named, outputs=[*named, None])


def _similarities(labels: Labels, distance: Distance, epsilon: float) -> Array:
    """Return e^(-epsilon d(x,y))."""
    apart = to_float(distances(distance, labels, labels))
    if np.diagonal(apart).any():
        raise ParameterError("a distance must be 0 between a label and itself")
    return np.asarray(np.exp(-float(check_number("epsilon", epsilon, 0, 1e6)) * apart))


def _scores(score: Callable[[Any, Any], float], inputs: Labels, outputs: Labels) -> Array:
    """Return the score of every pair of an input and an output; none may be NaN."""
    check_fits(inputs.size, outputs.size)
    table = np.array([[float(score(x, y)) for y in outputs] for x in inputs])
    if np.isnan(table).any():
        row, column = np.argwhere(np.isnan(table))[0]
        raise ParameterError(
            f"the score of {inputs[int(row)]!r} and {outputs[int(column)]!r} is not a number"
        )
    return table
