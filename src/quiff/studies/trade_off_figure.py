"""The trade-off curve of a channel as a figure: the errors of whoever tests one secret against another."""

from math import exp, inf

import numpy as np
from scipy.stats import norm

from quiff.core.channel import Channel
from quiff.core.numbers import Array
from quiff.errors import typed
from quiff.measures.privacy import Pairs, delta, epsilon, metric_epsilon, trade_off
from quiff.results.figures.charts import Axis, curves
from quiff.results.figures.figure import Figure
from quiff.results.numbers import probability, said

_GRID = np.unique(np.r_[np.linspace(0, 1, 101), np.geomspace(1e-4, 0.01, 20)])  # curves are steep near 0


@typed
def trade_off_figure(C: Channel, pairs: Pairs | None = None) -> Figure:
    """Draw how rarely a test of two secrets can miss, for each probability of a false alarm.

    Beside the curve of the channel, `trade_off`, stand two of the same strength: randomised response with the
    same epsilon, the lowest curve that this epsilon allows, max(0, 1 - e^eps a, e^-eps (1 - a)); and Gaussian
    noise with the same total variation d, Phi(Phi^-1(1 - a) - mu) where 2 Phi(mu/2) - 1 = d (Dong, Roth and
    Su 2022). Pure guessing is the line 1 - a.

    Parameters
    ----------
    C
        The channel.
    pairs
        Which secrets are neighbours; by default all are, and the curve is that of the worst pair.

    Examples
    --------
    >>> from quiff import Channel
    >>> trade_off_figure(Channel([[0.75, 0.25], [0.25, 0.75]])).title
    'A test with 5 % false alarms misses 85 % or more'
    """
    neighbours = None if pairs is None else [(x, y) for x, y in pairs]
    curve, apart = trade_off(C, neighbours), float(delta(C, 0, neighbours))
    strength = epsilon(C)
    if neighbours is not None:  # the least epsilon that holds for all of them
        strength = metric_epsilon(C, lambda x, y: 1.0 if {(x, y), (y, x)} & {*neighbours} else inf)
    drawn = {"this channel": np.interp(_GRID, curve.false_alarms, curve.misses)}
    if 0 < strength < inf:
        drawn[f"randomised response, epsilon {said(strength)}"] = response_misses(strength, _GRID)
    if 0 < apart < 1:
        drawn["Gaussian noise, same total variation"] = gaussian_misses(apart, _GRID)
    drawn["guessing"] = 1 - _GRID
    points = [
        {"series": name, "alarm": alarm, "miss": miss}
        for name, misses in drawn.items()
        for alarm, miss in zip(_GRID.tolist(), misses.tolist(), strict=True)
    ]
    across = Axis("alarm", "probability of a false alarm", "share")
    chart = curves(points, across, Axis("miss", "probability of a miss, at least", "share"), size=(320, 320))
    return Figure.of(f"A test with 5 % false alarms misses {probability(curve(0.05))} or more", chart)


def response_misses(epsilon: float, alarms: Array) -> Array:
    """Return max(0, 1 - e^eps a, e^-eps (1 - a)), the trade-off of randomised response of two secrets.

    >>> response_misses(1.0, np.array([0.05, 0.5])).round(4).tolist()
    [0.8641, 0.1839]
    """
    return np.maximum(np.maximum(0, 1 - exp(min(epsilon, 700)) * alarms), exp(-epsilon) * (1 - alarms))


def gaussian_misses(apart: float, alarms: Array) -> Array:
    """Return Phi(Phi^-1(1 - a) - mu), the trade-off of Gaussian noise of which two rows are so far apart."""
    mu = 2 * norm.ppf((1 + apart) / 2)
    return np.asarray(norm.cdf(norm.ppf(1 - alarms) - mu))
