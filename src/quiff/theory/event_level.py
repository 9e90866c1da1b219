"""Attribution Reporting at event level: the states of a source, and the gate on their Shannon capacity.

Source: WICG/attribution-reporting-api at 44a6da3, index.bs and params/chromium-params.md.
"""

from collections.abc import Sequence
from math import comb, exp, expm1, log, log2

MOST_STATES = 2**32 - 1
GATES = {"click": 11.5, "view": 6.5}
"""The largest Shannon capacity in bits that a source of each type may have."""


def states(trigger_data: int, windows: int, reports: int) -> int:
    """Return k = C(m w + c, c): the multisets of at most c reports, each one of m data in one of w windows.

    >>> states(8, 3, 3), states(2, 1, 1)
    (2925, 3)
    """
    return comb(trigger_data * windows + reports, reports)


def flexible_states(data: Sequence[tuple[int, int]], most: int) -> int:
    """Return k where datum i has w_i windows and at most c_i reports, and there are at most C in all.

    It is the sum of the coefficients of t^0 .. t^C of prod_i sum_(s <= c_i) C(w_i + s - 1, s) t^s.

    >>> flexible_states([(2, 1), (1, 2), (3, 2)], 3)
    54
    """
    return states_left(data, most)[0][most]


def states_left(data: Sequence[tuple[int, int]], most: int) -> list[list[int]]:
    """Return how many states the data from each one on have, if 0, 1, ... most reports are left.

    >>> states_left([(2, 1), (1, 2)], 2)
    [[1, 4, 7], [1, 2, 3], [1, 1, 1]]
    """
    counts = [[1] * (most + 1)]
    for windows, reports in reversed(data):
        ways = [comb(windows + s - 1, s) for s in range(reports + 1)]
        after = counts[0]
        counts.insert(
            0,
            [
                sum(ways[s] * after[left - s] for s in range(min(reports, left) + 1))
                for left in range(most + 1)
            ],
        )
    return counts


def pick_rate(k: int, epsilon: float) -> float:
    """Return r = k/(k-1+e^epsilon): with which probability the output is drawn from all k at random.

    >>> pick_rate(2925, 14)
    0.0024263221679834...
    """
    return k / (k + expm1(epsilon))


def gate_bits(k: int, epsilon: float) -> float:
    """Return the Shannon capacity as the specification computes it: log2 k - h(f) - f log2(k-1).

    f = r (k-1)/k is the probability that the output is not the truth, and h the binary entropy.

    >>> round(gate_bits(2925, 14), 4)
    11.4617
    """
    if k == 1:
        return 0.0
    f = (k - 1) / (k - 1 + exp(epsilon))
    entropy = -f * log2(f) - (1 - f) * log2(1 - f) if 0 < f < 1 else 0.0
    return log2(k) - entropy - f * log2(k - 1)


def largest_epsilon(k: int, bits: float, most: float = 14.0) -> float:
    """Return the largest epsilon up to `most` whose Shannon capacity is at most `bits`.

    >>> round(largest_epsilon(3648, 11.5), 9)
    12.233993328
    """
    if gate_bits(k, most) <= bits:
        return most
    low, high = 0.0, most
    while low < (middle := (low + high) / 2) < high:
        low, high = (middle, high) if gate_bits(k, middle) <= bits else (low, middle)
    return low


def min_capacity_bits(k: int, epsilon: float) -> float:
    """Return log2 of the Bayes capacity k e^epsilon/(k-1+e^epsilon).

    >>> round(min_capacity_bits(2925, 14), 6)
    11.510717
    """
    return (log(k) + epsilon - log(k - 1 + exp(epsilon))) / log(2)
