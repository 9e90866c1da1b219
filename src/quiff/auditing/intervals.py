"""Bounds at a stated confidence: on a probability, on a mean, and how many rows they need."""

import math

from quiff.errors import ParameterError


def at_least(successes: int, trials: int, miss: float) -> float:
    """Return what a probability is at least, but for a probability `miss`: Clopper and Pearson (1934).

    Examples
    --------
    >>> round(at_least(60, 100, 0.05), 4), at_least(0, 100, 0.05)
    (0.513, 0.0)
    """
    from scipy.special import betaincinv

    return 0.0 if successes == 0 else float(betaincinv(successes, trials - successes + 1, miss))


def at_most(successes: int, trials: int, miss: float) -> float:
    """Return what a probability is at most, but for a probability `miss`.

    Examples
    --------
    >>> round(at_most(0, 100, 0.05), 4)  # the rule of three
    0.0295
    """
    return 1 - at_least(trials - successes, trials, miss)


def mean_at_most(estimate: float, rows: int, miss: float, scale: float = 1.0) -> float:
    """Return what the mean of an estimate is at most that one row changes by at most scale/rows.

    estimate + scale sqrt(ln(1/miss) / (2 rows)): McDiarmid (1989). A plug-in estimate of a vulnerability is
    such a one, and its mean is no less than the vulnerability, so that this bounds that one too.

    Examples
    --------
    >>> round(mean_at_most(0.5, 10_000, 0.025), 4)
    0.5136
    """
    return min(scale, estimate + scale * math.sqrt(math.log(1 / miss) / (2 * rows)))


def trials_for_width(share: float, width: float, miss: float) -> int:
    """Return how many trials make the interval of a probability near `share` no wider than `width`.

    Examples
    --------
    >>> trials_for_width(0.5, 0.02, 0.05)
    9701
    """
    if not 0 < width < 1:
        raise ParameterError(what="width", value=width, allowed="a number between 0 and 1")

    def wide(trials: int) -> bool:
        k = round(share * trials)
        return at_most(k, trials, miss / 2) - at_least(k, trials, miss / 2) > width

    high = 1
    while wide(high):
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if wide(middle) else (low, middle)
    return high
