"""How far two distributions, two hypers or the rows of a channel are apart, and the ball around rows."""

import math
from collections.abc import Callable, Hashable
from itertools import pairwise
from numbers import Real
from typing import Any, Literal

import numpy as np

from quiff.core.channel import Channel
from quiff.core.hyper import Hyper, equal_rows
from quiff.core.labels import Labels, aligned, as_labels
from quiff.core.limits import check_fits
from quiff.core.linear_program import Program, times
from quiff.core.metric import Distance, distances, euclidean, manhattan
from quiff.core.numbers import (
    Array,
    Number,
    as_number,
    is_exact,
    logarithms,
    quotient,
    same_kind,
    to_float,
)
from quiff.core.prior import Prior
from quiff.errors import ParameterError, typed
from quiff.measures.privacy import largest_excess

_LARGEST_LOG = 700.0


@typed
def total_variation(p: Prior | Hyper, q: Prior | Hyper) -> Number:
    """Return half the sum of |p_x - q_x|: the most that the probabilities of any event differ.

    Examples
    --------
    >>> from quiff import Prior, total_variation
    >>> total_variation(Prior.from_counts({"a": 3, "b": 1}), Prior.uniform(["b", "a"]))
    Fraction(1, 4)
    """
    _, a, b = _together(p, q)
    return as_number(np.abs(a - b).sum()) / 2


@typed
def multiplicative_distance(p: Prior | Hyper, q: Prior | Hyper) -> float:
    """Return max_x |ln p_x / q_x|: infinite if only one of them is 0 somewhere.

    The largest between the rows of a channel is its epsilon.

    Examples
    --------
    >>> from quiff import Prior, multiplicative_distance
    >>> round(multiplicative_distance(Prior({"a": 0.75, "b": 0.25}), Prior({"a": 0.5, "b": 0.5})), 4)
    0.6931
    """
    _, a, b = _together(p, q)
    if ((a > 0) != (b > 0)).any():
        return math.inf
    a, b = a[a > 0], b[b > 0]
    return float(np.abs(logarithms(a) - logarithms(b)).max())


@typed
def convex_separation(p: Prior | Hyper, q: Prior | Hyper, symmetric: bool = False) -> Number:
    """Return max_x 1 - q_x / p_x over the x that p can have: how much of q's mass p cannot be part of.

    It is not symmetric, unless asked to be: then the larger of both ways. As the ground distance of
    `kantorovich` between hypers it bounds additive leakage.

    Examples
    --------
    >>> from quiff import Prior, convex_separation
    >>> convex_separation(Prior({"a": 0.75, "b": 0.25}), Prior({"a": 0.5, "b": 0.5}), symmetric=True)
    0.5
    """
    _, a, b = _together(p, q)
    ways = [(a, b), (b, a)] if symmetric else [(a, b)]
    return max(1 - as_number(quotient(second[first > 0], first[first > 0]).min()) for first, second in ways)


@typed
def kantorovich(p: Prior | Hyper, q: Prior | Hyper, distance: Distance) -> Number:
    """Return the least expected distance that mass has to be moved to turn p into q.

    Parameters
    ----------
    p, q
        Two distributions on the same labels, or two hypers on the same secrets.
    distance
        Between labels; between hypers, of two posteriors (such as `total_variation`). Any cost will do, also
        one that is not symmetric. Infinite: may not be moved.

    Examples
    --------
    >>> from quiff import Prior, euclidean, kantorovich
    >>> kantorovich(Prior({0: 0.5, 9: 0.5}), Prior({0: 0, 9: 1}), euclidean)
    4.5
    """
    points, a, b = _together(p, q)
    if distance in (euclidean, manhattan) and all(isinstance(x, Real) for x in points):
        return _on_a_line(points, a, b)
    sources, goals = np.flatnonzero(a > 0), np.flatnonzero(b > 0)
    table = distances(distance, _some(points, sources), _some(points, goals))
    possible = table < math.inf
    linear = Program()
    moves = linear.variables(table.shape, np.where(possible, table, 0))
    linear.add((moves, possible.astype(np.int64)), right=a[sources])
    linear.add((moves.T, possible.T.astype(np.int64)), right=b[goals])
    result = linear.solve()
    return math.inf if result is None else max(result.value, 0)


@typed
def multiplicative_kantorovich(p: Prior | Hyper, q: Prior | Hyper, distance: Distance) -> float:
    """Return the least z such that E_p f <= e^z E_q f, and back, for all f with f(x) <= e^d(x,y) f(y).

    The multiplicative Kantorovich distance; with infinite distances between different labels it is
    `multiplicative_distance`.

    Examples
    --------
    >>> from quiff import Prior, euclidean, multiplicative_kantorovich
    >>> round(multiplicative_kantorovich(Prior({0: 1.0, 1: 0.0}), Prior({0: 0.0, 1: 1.0}), euclidean), 9)
    1.0
    """
    points, a, b = _together(p, q)
    table = to_float(distances(distance, points, points))
    a, b = to_float(a), to_float(b)
    return max(_one_way(a, b, table), _one_way(b, a, table), 0.0)


def _one_way(a: Array, b: Array, table: Array) -> float:
    """Return ln of the least z with sum_j x_ij - r_i = a_i and sum_i x_ij e^d_ij - r_j <= b_j z."""
    n, near = a.shape[0], table < _LARGEST_LOG
    linear = Program()
    moves, surplus = linear.variables((n, n)), linear.variables(n)
    z = linear.variables(1, cost=1)
    linear.add((moves, near), (surplus, -1), right=a)
    grown = np.exp(np.where(near, table, -math.inf)).T
    linear.add((moves.T, grown), (surplus, -1), (np.repeat(z, n), -b), at_most=True)
    result = linear.solve()
    return math.inf if result is None else math.log(result.value)


@typed
def diameter(C: Channel, predicate: Callable[[Any], Hashable] | None = None) -> tuple[Number, Any, Any]:
    """Return the largest total variation between two rows of a channel, and the two inputs.

    Parameters
    ----------
    C
        The channel.
    predicate
        If given, only inputs for which this function has different values are compared.

    Examples
    --------
    >>> from quiff import Channel, diameter
    >>> C = Channel([[1, 0], [0.5, 0.5], [0.25, 0.75]], inputs=["Alice", "Bob", "Carol"])
    >>> diameter(C), diameter(C, lambda name: len(name) > 3)
    ((0.75, 'Alice', 'Carol'), (0.5, 'Alice', 'Bob'))
    """
    values = [None] * C.inputs.size if predicate is None else [predicate(x) for x in C.inputs]
    named = as_labels(dict.fromkeys(values))
    kinds, classes = C.kernel.distinct_rows()[1], named.positions(values)
    _, rows = np.unique(np.stack([kinds, classes]), axis=1, return_index=True)
    rows.sort()
    of_rows = None if predicate is None else classes[rows]
    value, *pair = largest_excess(C.kernel.take_rows(rows), 1, of_rows)
    x, y = sorted(int(rows[place]) for place in pair)
    return as_number(value), C.inputs[x], C.inputs[y]


def _on_a_line(points: Labels, a: Array, b: Array) -> Number:
    """Return the area between two distribution functions."""
    at: list[Any] = list(points)
    places = sorted(range(len(at)), key=lambda i: at[i])
    passed = np.abs(np.cumsum((a - b)[places]))
    area = sum(as_number(m) * (at[j] - at[i]) for m, (i, j) in zip(passed, pairwise(places), strict=False))
    return area if isinstance(area, float) else as_number(area)


def _together(p: Prior | Hyper, q: Prior | Hyper) -> tuple[Labels, Array, Array]:
    """Return the labels of two distributions, or the posteriors of two hypers, and what each gives them."""
    if isinstance(p, Prior) and isinstance(q, Prior):
        order = aligned(p.labels, q.labels, "first distribution", "second distribution")
        a, b = same_kind(p.to_numpy(), q.to_numpy()[order])
        return p.labels, a, b
    if not (isinstance(p, Hyper) and isinstance(q, Hyper)):
        raise ParameterError("a distance is between two priors, or between two hypers")
    secrets = p.inners.outputs
    order = aligned(secrets, q.inners.outputs, "first hyper", "second hyper")
    first, second = same_kind(p.inners.to_numpy(), q.inners.to_numpy()[:, order])
    every = np.concatenate([first, second])
    groups = equal_rows(every)
    outer = np.concatenate(same_kind(p.outer.to_numpy(), q.outer.to_numpy()))
    from_first = np.arange(every.shape[0]) < first.shape[0]
    a, b = (
        np.array([(outer[group] * (from_first[group] == own)).sum() for group in groups])
        for own in (True, False)
    )
    points = [Prior.from_array(secrets, every[group[0]]) for group in groups]
    return as_labels(points), a, b


def _some(labels: Labels, index: Array) -> Labels:
    return as_labels([labels[int(i)] for i in index])


_CLOSE = 1e-12


@typed
def enclosing_ball(
    C: Channel, distance: Literal["total variation", "euclidean"] = "total variation", mixture: bool = False
) -> tuple[Number, Prior]:
    """Return the least radius of a ball around all rows, and its centre, a distribution on the outputs.

    Parameters
    ----------
    C
        The channel.
    distance
        In which distance: ``"total variation"`` or ``"euclidean"``.
    mixture
        Whether the centre has to be a mixture of rows; the Euclidean one always is.

    Examples
    --------
    >>> from quiff import Channel, enclosing_ball
    >>> enclosing_ball(Channel.identity(["a", "b"]))
    (Fraction(1, 2), Prior on 2 labels
       p
    a  1/2
    b  1/2)
    """
    if distance not in ("total variation", "euclidean"):
        raise ParameterError(what="the distance", value=distance, allowed="'total variation' or 'euclidean'")
    first, _ = C.kernel.distinct_rows()
    rows = C.kernel.take_rows(first).to_dense()
    if distance == "euclidean":
        length, centre = _smallest_sphere(to_float(rows))
        return length, Prior.nearest(dict(zip(C.outputs, centre.tolist(), strict=True)))
    radius, centre = _ball(rows, mixture)
    if not is_exact(centre):
        centre = np.clip(centre, 0, None) / np.clip(centre, 0, None).sum()
    return radius, Prior.from_array(C.outputs, centre)


def _ball(rows: Array, mixture: bool) -> tuple[Number, Array]:
    """Minimise z with q + above - below = C_x, sum_y above <= z for each x, sum_y q = 1.

    Rows and q sum to 1, so that as much is above as below: the sum of one is the total variation.
    """
    n, m = rows.shape
    check_fits(n * m, 6)
    linear = Program()
    q, above, below = (linear.variables(shape) for shape in (m, (n, m), (n, m)))
    z = linear.variables(1, cost=1)
    linear.add((np.tile(q, n), 1), (above.ravel(), 1), (below.ravel(), -1), right=rows.ravel())
    linear.add((above, 1), (np.repeat(z, n), -1), at_most=True)
    linear.add((q[np.newaxis], 1), right=1)
    if mixture:  # q = sum_x weight_x C_x
        weights = linear.variables((n, 1))
        linear.add((q, -1), times(rows.T, weights))
    result = linear.optimum()
    return result.value, result.x[q]


def _smallest_sphere(points: Array) -> tuple[float, Array]:
    """Return radius and centre of the least sphere around points, by walking with the points on it.

    From a sphere around all points, its centre walks to the centre of those on its surface until another
    point is met; a point on the far side of that centre is let go.
    """
    centre = points[0]
    surface = [int(np.argmax(((points - centre) ** 2).sum(axis=1)))]
    while True:
        shares = _centre_shares(points[surface])
        way = shares @ points[surface] - centre
        if np.abs(way).max() <= _CLOSE:
            if len(surface) == 1 or shares.min() >= -_CLOSE:
                return math.sqrt(((points - centre) ** 2).sum(axis=1).max()), centre
            surface.pop(int(np.argmin(shares)))
            continue
        first = points[surface[0]]
        room = ((first - centre) ** 2).sum() - ((points - centre) ** 2).sum(axis=1)
        speed = 2 * (first - points) @ way
        speed[surface] = 0
        met = np.flatnonzero(speed > _CLOSE)
        times = np.maximum(room[met], 0) / speed[met]
        if times.size and times.min() < 1:
            surface.append(int(met[np.argmin(times)]))
            centre = centre + times.min() * way
        else:
            centre = centre + way


def _centre_shares(points: Array) -> Array:
    """Return how the centre of the sphere through some points is mixed of them."""
    edges = points[1:] - points[0]
    if not len(edges):
        return np.ones(1)
    shares = np.linalg.lstsq(2 * edges @ edges.T, (edges**2).sum(axis=1), rcond=None)[0]
    return np.asarray(np.append(1 - shares.sum(), shares))
