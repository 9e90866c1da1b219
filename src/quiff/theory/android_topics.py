"""Topics on Android: p = (1-r)/s for a topic of the set, q = r/(m-s) for one outside of it."""

from math import inf, log, log2

from quiff.theory.mechanisms import Forms
from quiff.theory.parameters import Real, check_probability, check_sizes


def android_topics(n_topics: int, top_s: int, noise: Real) -> Forms:
    """Topics on Android: the random topic is another than those of the set.

    B = m max(p, q): every topic is inside of some set and outside of another. Shannon's capacity is at the
    uniform prior on sets, under which all topics are as probable: log2 m minus the entropy of a row.

    >>> forms = android_topics(446, 5, 0.05)
    >>> [round(float(forms[key]), 6) for key in ("bayes_capacity", "epsilon", "shannon_capacity_bits")]
    [84.74, 7.424046, 5.86944]
    """
    m, s = check_sizes(n_topics, top_s)
    r = check_probability("noise", noise)
    p, q = (1 - r) / s, r / (m - s)
    high, low = max(p, q), min(p, q)
    worst: Real = high / low if low else inf
    entropy = -sum(n * float(x) * log2(x) for n, x in ((s, p), (m - s, q)) if x)
    return {
        "bayes_capacity": m * high,
        "max_case_capacity": worst,
        "epsilon": inf if worst == inf else log(worst),
        "shannon_capacity_bits": max(0.0, log2(m) - entropy),
    }
