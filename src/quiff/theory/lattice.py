"""Probabilities of sums of many small independent whole numbers, by Fourier inversion.

A sum T of N independent steps has ``P[T = j] = (1/M) sum over l < M of phi(x_l) e^(-i j x_l)`` with
``x_l = 2 pi l/M`` and phi its characteristic function, up to the probability of the values
j ± M, j ± 2M, ... For j near the mean, Bernstein's inequality says how small an M makes these
negligible; and |phi(x)| <= exp(-2 variance sin^2(x/2)) for a sum of bits says from which x on the
terms are. So a dozen terms replace a sum of thousands, with a bounded error.
"""

from __future__ import annotations

from math import ceil, floor, log, pi, sqrt
from typing import TYPE_CHECKING

__all__ = ["binomial_window", "mode_probability", "reach", "symmetric_return"]

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_NEGLIGIBLE = 40.0  # minus the logarithm of a probability to be left out: e^-40 < 5e-18


def reach(variance: float) -> int:
    """Distance from the mean beyond which a sum of steps within [-1, 1] is negligibly likely.

    The x of Bernstein's ``P[T - mean >= x] <= exp(-x^2 / (2 (variance + x/3)))`` that makes the
    right side e^-40, rounded up.

    Examples
    --------
    >>> reach(0.0), reach(250_000.0)
    (27, 4486)
    """
    third = _NEGLIGIBLE / 3
    return ceil(third + sqrt(third**2 + 2 * _NEGLIGIBLE * variance))


def binomial_window(n: int, probability: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the values of ``Bin(n, probability)`` that are not negligible, and their probabilities.

    The probabilities come from the ratios of neighbours,
    ``P[k+1]/P[k] = (n-k)/(k+1) probability/(1-probability)``, scaled to sum to one.

    Examples
    --------
    >>> binomial_window(2, 0.5)
    (array([0., 1., 2.]), array([0.25, 0.5 , 0.25]))
    """
    import numpy as np

    if probability in (0.0, 1.0):
        return np.array([n * probability]), np.ones(1)
    mean = n * probability
    radius = reach(mean * (1 - probability))
    k = np.arange(max(0, floor(mean) - radius), min(n, ceil(mean) + radius) + 1, dtype=np.float64)
    odds = log(probability) - np.log1p(-probability)
    steps = np.log((n - k[:-1]) / (k[:-1] + 1)) + odds
    logs = np.concatenate([[0.0], np.cumsum(steps)])
    weights = np.exp(logs - logs.max())
    return k, weights / weights.sum()


def mode_probability(k: NDArray[np.float64], n: int, first: float, second: float) -> NDArray[np.float64]:
    """Return, for each k, the probability of the mode of ``Bin(k, first) + Bin(n-k, second)``.

    The mode of a sum of independent bits lies less than 1 from its mean (Darroch 1964), so that two
    candidates suffice.

    Examples
    --------
    >>> import numpy as np
    >>> mode_probability(np.array([0.0, 1.0, 2.0]), 2, 1.0, 0.5).round(12)
    array([0.5, 0.5, 1. ])
    """
    import numpy as np

    mean = k * first + (n - k) * second
    variance = k * first * (1 - first) + (n - k) * second * (1 - second)
    size = min(n, reach(float(variance.max())) + 1) + 1  # M
    x, weights = _half_circle(size)
    kept = 2 * variance.min() * np.sin(x / 2) ** 2 <= _NEGLIGIBLE
    x, weights = x[kept], weights[kept]
    turn = np.exp(1j * x)
    phi = (1 + first * (turn - 1)) ** k[:, None] * (1 + second * (turn - 1)) ** (n - k)[:, None]
    low = np.floor(mean)
    candidates = [(phi * np.exp(-1j * j[:, None] * x)).real @ weights for j in (low, np.minimum(low + 1, n))]
    best: NDArray[np.float64] = np.minimum(1.0, np.maximum(*candidates))
    return best


def symmetric_return(n: int, step: float) -> float:
    """Chance that n steps, each +1 or -1 with probability ``step`` and 0 otherwise, sum to 0.

    Examples
    --------
    >>> round(symmetric_return(4, 0.5), 12)
    0.375
    """
    import numpy as np

    size = min(n, reach(2 * step * n)) + 1  # M
    x, weights = _half_circle(size)
    phi = 1 - 4 * step * np.sin(x / 2) ** 2  # = 1 - 2 step + 2 step cos(x)
    return float(phi**n @ weights)


def _half_circle(size: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the angles ``2 pi l/size`` up to pi, and weights that count their mirror images too."""
    import numpy as np

    x = 2 * pi / size * np.arange(size // 2 + 1, dtype=np.float64)
    weights = np.full(len(x), 2 / size, dtype=np.float64)
    weights[0] = 1 / size
    if size % 2 == 0:
        weights[-1] = 1 / size
    return x, weights
