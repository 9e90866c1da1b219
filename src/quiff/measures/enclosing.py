"""The distribution nearest to all rows of a channel: how much of the output could be common to all inputs."""

import math
from typing import Any, Literal

import numpy as np

from quiff.core.channel import Channel
from quiff.core.limits import check_fits
from quiff.core.numbers import Array, Number, is_exact, same_kind, to_float
from quiff.core.prior import Prior
from quiff.errors import ParameterError, typed
from quiff.measures.factors import program, solved

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
    radius, centre = _total_variation(rows, mixture)
    if not is_exact(centre):
        centre = np.clip(centre, 0, None) / np.clip(centre, 0, None).sum()
    return radius, Prior.from_array(C.outputs, centre)


def _total_variation(rows: Array, mixture: bool) -> tuple[Number, Array]:
    """Minimise z with q + above - below = C_x, sum_y above + spare = z for each x, sum_y q = 1.

    Rows and q sum to 1, so that as much is above as below: the sum of one is the total variation.
    """
    n, m = rows.shape
    check_fits(n * m, 6)
    above, z = m, m + 2 * n * m
    cells, each = np.arange(n * m), np.arange(n)
    parts: list[tuple[Array, Array, Any]] = [
        (cells, cells % m, 1),
        (cells, above + cells, 1),
        (cells, above + n * m + cells, -1),
        (n * m + cells // m, above + cells, 1),
        (n * m + each, z + 1 + each, 1),
        (n * m + each, np.full(n, z), -1),
        (np.full(m, n * m + n), np.arange(m), 1),
    ]
    right = [rows.ravel(), np.zeros(n, dtype=np.int64), np.ones(1, dtype=np.int64)]
    size = z + 1 + n
    if mixture:  # q = sum_x weight_x C_x
        parts += [
            (n * m + n + 1 + np.arange(m), np.arange(m), -1),
            (n * m + n + 1 + cells % m, size + cells // m, rows.ravel()),
        ]
        right.append(np.zeros(m, dtype=np.int64))
        size += n
    cost = np.zeros(size, dtype=np.int64)
    cost[z] = 1
    found = solved(program(parts, cost, np.concatenate(same_kind(*right))))
    return found.value, found.x[:m]


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
        one = points[surface[0]]
        room = ((one - centre) ** 2).sum() - ((points - centre) ** 2).sum(axis=1)
        speed = 2 * (one - points) @ way
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
