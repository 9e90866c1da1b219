"""Membership: p for each of the s outputs in the secret's set, q for each of the m - s outside of it."""

from math import inf, log, log2

from quiff.theory.mechanisms import Forms
from quiff.theory.parameters import Real


def membership(m: int, s: int, p: Real, q: Real) -> Forms:
    """Return the closed forms of an output that is inside of a set with p each, and outside with q each.

    B = m max(p, q), for every output is inside of some set and outside of another. Shannon's capacity is at
    the uniform prior on sets, under which all outputs are as probable: log2 m minus the entropy of a row.

    Topics on Android, whose random topic is another than those of the set, with p = (1-r)/s, q = r/(m-s):

    >>> forms = membership(446, 5, 0.95 / 5, 0.05 / 441)
    >>> [round(float(forms[key]), 6) for key in ("bayes_capacity", "epsilon", "shannon_capacity_bits")]
    [84.74, 7.424046, 5.86944]
    """
    high, low = max(p, q), min(p, q)
    worst: Real = high / low if low else inf
    entropy = -sum(n * float(x) * log2(x) for n, x in ((s, p), (m - s, q)) if x)
    return {
        "bayes_capacity": m * high,
        "max_case_capacity": worst,
        "epsilon": inf if worst == inf else log(worst),
        "shannon_capacity_bits": max(0.0, log2(m) - entropy),
    }
