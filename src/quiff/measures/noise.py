"""Mechanisms that add noise to numbers: geometric noise, also in the plane, and Laplace noise."""

from collections.abc import Iterable
from itertools import pairwise
from math import ceil, expm1, inf, log
from operator import index
from typing import Any

import numpy as np

from quiff.core.channel import Channel
from quiff.core.labels import as_labels
from quiff.core.limits import check_fits
from quiff.core.numbers import Array, as_numbers
from quiff.errors import LabelError, ParameterError
from quiff.theory.mechanisms import check_ratio
from quiff.theory.parameters import Real, check_number, check_whole

_NOTHING = 1e-18  # of the noise in the plane may be left out
_NODES = 24  # of an integral over a cell, in each direction


def geometric(
    values: Iterable[int],
    epsilon: float | None = None,
    *,
    ratio: Real | None = None,
    outputs: range | None = None,
) -> Channel:
    """Return two-sided geometric noise on whole numbers: P(z) = (1-a)/(1+a) a^|z| with a = e^-epsilon.

    The noise has no end. The two outermost outputs stand for all beyond them too; that loses nothing where
    the outputs span the values, since out there all likelihood ratios are the same.

    Parameters
    ----------
    values
        The secrets, whole numbers.
    epsilon, ratio
        One of them: epsilon for numbers that differ by 1; or e^epsilon, which may be exact.
    outputs
        The outputs; by default they reach as far beyond the values, on each side, as these span.

    Examples
    --------
    >>> geometric(range(2), ratio=2, outputs=range(-1, 3))
    Channel from 2 inputs to 4 outputs
       -1   0    1    2
    0  1/3  1/3  1/6  1/6
    1  1/6  1/6  1/3  1/3
    """
    secrets = _whole(values)
    low, high = min(secrets), max(secrets)
    visible = range(low - (high - low), 2 * high - low + 1) if outputs is None else outputs
    if not isinstance(visible, range) or visible.step != 1 or not visible:
        raise ParameterError(what="outputs", value=outputs, allowed="a range of whole numbers in steps of 1")
    a = 1 / check_ratio(epsilon, ratio)
    check_fits(len(secrets), len(visible), 8 if isinstance(a, float) else 80)
    apart = np.subtract.outer(np.array(secrets), np.array(visible))
    powers = _powers(a, int(np.abs(apart).max()) + 2)
    matrix = powers[np.abs(apart)] * ((1 - a) / (1 + a))  # (1-a)/(1+a) a^|x-y|
    matrix[:, 0] = _tail(apart[:, 0], powers, a)  # P[x + Z <= first]
    matrix[:, -1] = _tail(-apart[:, -1], powers, a)  # P[x + Z >= last]
    if len(visible) == 1:
        matrix[:] = 1
    return Channel(matrix, inputs=secrets, outputs=visible)


def truncated_geometric(
    values: Iterable[int], epsilon: float | None = None, *, ratio: Real | None = None
) -> Channel:
    """Return geometric noise cut to the span of the values: what falls outside becomes the nearer end.

    Examples
    --------
    >>> truncated_geometric(range(3), ratio=2)
    Channel from 3 inputs to 3 outputs
       0    1    2
    0  2/3  1/6  1/6
    1  1/3  1/3  1/3
    2  1/6  1/6  2/3
    """
    secrets = _whole(values)
    return geometric(secrets, epsilon, ratio=ratio, outputs=range(min(secrets), max(secrets) + 1))


def _whole(values: Iterable[Any]) -> list[int]:
    try:
        secrets = [index(value) for value in values]
    except TypeError:
        raise LabelError(
            what="the values of geometric noise",
            value=values,
            allowed="whole numbers (see laplace() for others)",
        ) from None
    if not secrets:
        raise LabelError("geometric noise needs at least one value")
    return secrets


def _powers(a: Real, count: int) -> Array:
    if isinstance(a, float):
        return np.asarray(a ** np.arange(count))
    powers = [a**0]
    for _ in range(count - 1):
        powers.append(powers[-1] * a)
    return as_numbers(powers)


def _tail(beyond: Array, powers: Array, a: Real) -> Array:
    """Return P[Z <= -k] = a^k/(1+a) for k >= 0, and 1 minus that of the rest, a^(1-k)/(1+a), for others."""
    below = powers[np.abs(beyond)] / (1 + a)
    above = 1 - powers[np.clip(1 - beyond, 0, None)] / (1 + a)
    return np.asarray(np.where(beyond >= 0, below, above))


def laplace(values: Iterable[float], scale: float, *, cells: int = 200) -> Channel:
    """Return Laplace noise on known numbers, in cells; the channel's `slack` states the error of that.

    Cells end at the values and halfway between two, so that the Bayes capacity is exact. The true
    vulnerability, for any prior and gain, lies between the channel's and `slack` times it. In a cell of
    width w a density exceeds its mean by a factor of at most t/(1-e^-t), t = w/b. The two outermost cells
    lose nothing.

    Parameters
    ----------
    values
        The secrets, numbers.
    scale
        b: the density is e^(-|z|/b)/2b. For epsilon and a sensitivity it is sensitivity/epsilon.
    cells
        About how many cells lie between the least and the largest value.

    Examples
    --------
    >>> C = laplace([0, 1], scale=1, cells=4)
    >>> C.outputs, round(C.slack, 3)
    (Labels((-inf, 0.0), (0.0, 0.25), (0.25, 0.5), (0.5, 0.75), (0.75, 1.0), (1.0, inf); 6), 1.13)
    """
    secrets = list(values)
    points = np.array(secrets, dtype=np.float64)
    b = float(check_number("scale", scale, 0, inf))
    if not points.size or not np.isfinite(points).all() or not 0 < b < inf:
        raise ParameterError("Laplace noise needs finite values, at least one, and a positive finite scale")
    edges = _edges(np.unique(points), check_whole("cells", cells, 1))
    check_fits(points.size, edges.size + 1)
    # P[x + Z <= e], from the side where it is small, so that differences keep their digits.
    reach = (edges[np.newaxis, :] - points[:, np.newaxis]) / b
    ends = reach[:, [0, -1]]
    tail = np.exp(-np.abs(ends)) / 2
    first = np.where(ends[:, :1] <= 0, tail[:, :1], 1 - tail[:, :1])
    last = np.where(ends[:, 1:] >= 0, tail[:, 1:], 1 - tail[:, 1:])
    widths = np.diff(edges) / b
    np.abs(reach, out=reach)
    inner = np.minimum(reach[:, 1:], reach[:, :-1])  # no value lies inside a cell
    del reach
    np.exp(np.negative(inner, out=inner), out=inner)
    inner *= -np.expm1(-widths)
    inner /= 2
    outputs = list(pairwise([-inf, *edges.tolist(), inf]))
    widest = float(widths.max(initial=0))
    slack = widest / -expm1(-widest) if widest else 1.0
    return Channel(np.hstack([first, inner, last]), inputs=secrets, outputs=outputs).with_slack(slack)


def _edges(points: Array, cells: int) -> Array:
    """Return the ends of cells: the points, halfway between two and between all, and evenly in between."""
    if points.size == 1:
        return points
    halves = np.unique(np.r_[points, (points[1:] + points[:-1]) / 2, (points[0] + points[-1]) / 2])
    width = (points[-1] - points[0]) / cells
    parts = [
        np.linspace(low, high, 1 + max(1, round((high - low) / width)))[:-1] for low, high in pairwise(halves)
    ]
    return np.unique(np.concatenate([*parts, points[-1:]]))


def planar_geometric(width: int, height: int, epsilon: float, *, cell: float = 1.0) -> Channel:
    """Return geometric noise on a grid in the plane: P(z) proportional to e^(-epsilon |z|), |z| Euclidean.

    What falls outside of the grid becomes its nearest cell. The channel has metric privacy with this
    epsilon and the distance of cells (Andres, Bordenabe, Chatzikokolakis and Palamidessi 2013, with
    discrete noise).

    Parameters
    ----------
    width, height
        The grid: secrets and outputs are (x, y) with 0 <= x < width and 0 <= y < height.
    epsilon
        For a distance of 1.
    cell
        The distance of neighbouring cells.

    Examples
    --------
    >>> C = planar_geometric(3, 3, epsilon=2)
    >>> round(C[(1, 1), (1, 1)] / C[(1, 0), (1, 1)], 3)  # e^2
    7.389
    """
    rate = _rate(epsilon, cell)
    steps = _reach(width, height, rate)
    return _on_grid(width, height, np.exp(-rate * np.hypot(steps[:, np.newaxis], steps[np.newaxis, :])))


def planar_laplace(width: int, height: int, epsilon: float, *, cell: float = 1.0) -> Channel:
    """Return Laplace noise in the plane around the centre of a cell, as the cell that it falls into.

    The density is epsilon^2/2pi e^(-epsilon |z|); what falls outside of the grid becomes its nearest cell.
    Secrets, outputs and parameters are those of `planar_geometric`. Unlike there, cells tell slightly more
    than epsilon: at most epsilon times the distance of the points in them.

    Examples
    --------
    >>> C = planar_laplace(3, 3, epsilon=1)
    >>> round(C[(1, 1), (1, 1)], 4)
    0.1097
    """
    rate = _rate(epsilon, cell)
    steps = _reach(width, height, rate)
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    nodes, weights = nodes / 2, weights / 2
    noise = np.zeros((steps.size, steps.size))
    for dx, wx in zip(nodes, weights, strict=True):
        for dy, wy in zip(nodes, weights, strict=True):
            apart = np.hypot(steps[:, np.newaxis] + dx, steps[np.newaxis, :] + dy)
            noise += wx * wy * np.exp(-rate * apart)
    # In the middle the density has a tip: there, eight triangles with r from 0 to R = 1/(2 cos t).
    to_edge = rate / (2 * np.cos((nodes + 0.5) * np.pi / 4))
    inner = weights @ (1 - (1 + to_edge) * np.exp(-to_edge))
    middle = steps.size // 2
    noise[middle, middle] = inner * 2 * np.pi / rate**2
    return _on_grid(width, height, noise)


def _rate(epsilon: float, cell: float) -> float:
    rate = float(check_number("epsilon", epsilon, 0, inf)) * float(check_number("cell", cell, 0, inf))
    if not 0 < rate < inf:
        raise ParameterError("epsilon and cell must be positive and finite", what="epsilon and cell")
    return rate


def _reach(width: int, height: int, rate: float) -> Array:
    """Return the steps from a cell, in one direction, that hold all but nothing of the noise."""
    size = max(check_whole("width", width, 1), check_whole("height", height, 1))
    reach = max(size, ceil(-log(_NOTHING * min(rate, 1) ** 2) / rate))
    check_fits(2 * reach + 1, 2 * reach + 1)
    return np.arange(-reach, reach + 1)


def _on_grid(w: int, h: int, noise: Array) -> Channel:
    """Return noise around each cell of a grid; what falls outside goes to the nearest cell."""
    check_fits(w * h, w * h)
    noise = noise / noise.sum()
    rows = [
        _folded(across, x, w, 1).reshape(-1)
        for across in (_folded(noise, y, h, 0) for y in range(h))
        for x in range(w)
    ]
    matrix = np.array(rows)
    grid = as_labels([(x, y) for y in range(h) for x in range(w)])
    return Channel(matrix / matrix.sum(axis=1, keepdims=True), inputs=grid, outputs=grid)


def _folded(noise: Array, place: int, size: int, axis: int) -> Array:
    """Add up the noise around a place that falls on each of `size` cells, or beyond the ends."""
    middle = noise.shape[axis] // 2
    starts = np.r_[0, middle - place + np.arange(1, size)]
    return np.asarray(np.add.reduceat(noise, starts, axis=axis))
