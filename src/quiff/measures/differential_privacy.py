"""Local differential privacy, for all pairs of inputs alike or by a distance between them."""

import math

import numpy as np

from quiff.core.channel import Channel
from quiff.core.labels import as_labels
from quiff.core.limits import check_work
from quiff.core.metric import Distance, Metric, as_metric, discrete, distances
from quiff.core.numbers import Array, logarithms, to_float
from quiff.core.prior import Prior
from quiff.errors import typed
from quiff.measures.capacity import column_extremes, farthest, log_entries, log_ratio_of_tiny


@typed
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


@typed
def metric_epsilon(C: Channel | Prior, distance: Distance) -> float:
    """Return the smallest epsilon such that C[x,y] <= exp(epsilon d(x,x')) C[x',y] for all x, x', y.

    Parameters
    ----------
    C
        The channel; it is made dense, factor by factor. Of a prior, it is the epsilon that holds for its
        probabilities: max |ln pi_x / pi_x'| / d(x,x').
    distance
        A function of two inputs, a `Metric`, or a matrix (a frame brings its labels): 0 or more, possibly
        infinite. Where it is 0 the two rows must be equal.

    Examples
    --------
    >>> from quiff import Channel, euclidean, metric_epsilon
    >>> C = Channel([[0.5, 0.5], [0.25, 0.75]], inputs=[0, 2])
    >>> metric_epsilon(C, euclidean), metric_epsilon(C, lambda x, y: 2 * abs(x - y))
    (0.34657359027997264, 0.17328679513998632)
    """
    metric = as_metric(distance)
    labels = C.labels if isinstance(C, Prior) else C.inputs
    if metric is not discrete:
        check_work(labels.size**2, number_size=80)  # each distance is a call
    if isinstance(C, Prior):
        parts = [(log_entries(C.to_numpy()[:, np.newaxis]), 1)]
    elif metric is discrete:
        return epsilon(C)
    else:
        parts = [(log_entries(leaf.to_dense()), times) for leaf, times in C.kernel.leaves().items()]
    # An input says nothing against itself.
    others = Metric(lambda x, y: math.inf if x == y else metric(x, y))
    largest = 0.0
    for position, label in enumerate(labels):
        row = to_float(distances(others, as_labels([label]), labels)[0])
        apart = np.asarray(sum(times * farthest(logs, position) for logs, times in parts))
        largest = max(largest, _largest_ratio(apart, row))
    return largest


def _largest_ratio(apart: Array, distances: Array) -> float:
    """Return max over x' of what two rows are apart over their distance."""
    # Rows that are 0 apart ask for nothing, whatever their distance; others at distance 0 cannot be met.
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = np.where((apart <= 0) | np.isinf(distances), 0.0, apart / distances)
    return float(ratios.max())
