"""Null reports: what the existence of a report reveals where some are sent without a reason.

Source: WICG/attribution-reporting-api at 44a6da3, AGGREGATE.md.
"""

from math import comb, expm1, log1p, log2

from quiff.theory.mechanisms import Forms
from quiff.theory.parameters import check_probability, check_whole


def excluded(q: float) -> Forms:
    """One report if attributed, else a null report with q: the channel [[1, 0], [q, 1-q]], a Z-channel.

    B = 2 - q, and Shannon's capacity is log2(1 + (1-q) q^(q/(1-q))).

    >>> forms = excluded(0.05)
    >>> forms["bayes_capacity"], round(forms["shannon_capacity_bits"], 9)
    (1.95, 0.857125012)
    """
    q = float(check_probability("q", q))
    power = q ** (q / (1 - q)) if 0 < q < 1 else 1.0
    return {"bayes_capacity": 2 - q, "shannon_capacity_bits": log2(1 + (1 - q) * power)}


def included(days: int, q: float) -> Forms:
    """Null reports on n days: the true one surely, each other with q; not attributed: each with q.

    B = (1-q)^n + (1-(1-q)^n)/q. Shannon's capacity: by symmetry the days are equally probable, and the best
    probability of an attribution is found by search; j counts the reports.

    >>> forms = included(31, 0.008)
    >>> round(forms["bayes_capacity"], 6), round(forms["shannon_capacity_bits"], 5)
    (28.331824, 4.73631)
    """
    n, q = check_whole("days", days, 1), float(check_probability("q", q))
    law = [comb(n, j) * q**j * (1 - q) ** (n - j) for j in range(n + 1)]  # not attributed

    def information(p: float) -> float:
        # An output with j reports has the density rho = j/(n q) against the law if attributed, averaged over
        # days; a day with a report has 1/q, one without 0.
        total = 0.0
        for j, mass in enumerate(law):
            mean = (1 - p) + p * j / (n * q)
            if mass and p < 1:
                total -= (1 - p) * mass * log2(mean) if mean else 0.0
            if j and mass:
                total += p * mass * j / (n * q) * log2(1 / q / mean)
        return total

    low, high = 0.0, 1.0
    for _ in range(200):  # it is concave in p
        a, b = low + (high - low) / 3, high - (high - low) / 3
        low, high = (a, high) if information(a) < information(b) else (low, b)
    return {
        "bayes_capacity": (1 - q) ** n + (-expm1(n * log1p(-q)) / q if q < 1 else 1.0),
        "shannon_capacity_bits": information((low + high) / 2),
    }
