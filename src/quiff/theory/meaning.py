"""What local differential privacy with some epsilon promises, whatever the mechanism.

Randomised response attains the bounds, but for that on the Shannon capacity, so that they cannot be
improved. Epsilon may be infinite: then nothing is promised.
"""

from math import exp, inf, log, nextafter, tanh

from quiff.theory.parameters import Real, check_number, check_probability, check_whole


def _epsilon(value: object) -> float:
    return float(check_number("epsilon", value, 0, inf))


def posterior_bound(prior: Real, epsilon: float) -> float:
    """Probability of a guess after an observation, at most: ``P/(P + (1-P) e^-epsilon)`` if it was P before.

    Source: Bayes' rule; the odds P/(1-P) grow at most by e^epsilon.

    Examples
    --------
    >>> round(posterior_bound(0.5, log(3)), 9)
    0.75
    """
    p, shrunk = float(check_probability("prior", prior)), exp(-_epsilon(epsilon))
    return p / (p + (1 - p) * shrunk) if p else 0.0


def guess_bound(k: int, epsilon: float) -> float:
    """Probability to guess one of k equally probable secrets, at most: ``e^epsilon/(k - 1 + e^epsilon)``.

    It is how often randomised response with k answers tells the truth. Source: Kairouz, Oh and Viswanath
    2016.

    Examples
    --------
    >>> round(guess_bound(2, log(3)), 9), round(guess_bound(4, log(3)), 9)
    (0.75, 0.5)
    """
    return 1 / (1 + (check_whole("k", k, 1) - 1) * exp(-_epsilon(epsilon)))


def capacity_bound(epsilon: float, k: int | None = None) -> float:
    """Bayes capacity at most: ``k e^epsilon/(k - 1 + e^epsilon)`` for k secrets, e^epsilon for any number.

    Source: max_x C[x,y] <= e^epsilon C[x',y]; sum over x' and y.

    Examples
    --------
    >>> round(capacity_bound(log(3)), 9), round(capacity_bound(log(3), k=4), 9)
    (3.0, 2.0)
    """
    if k is not None:
        return k * guess_bound(k, epsilon)
    return exp(epsilon) if _epsilon(epsilon) < 709 else inf


def shannon_bound(epsilon: float) -> float:
    """Shannon capacity in bits at most: ``epsilon tanh(epsilon/2)/ln 2``, the largest divergence of two rows.

    Source: the capacity is at most the largest divergence between two rows, and that of two rows within
    e^epsilon of each other is that of binary randomised response.

    Examples
    --------
    >>> round(shannon_bound(log(3)), 6)
    0.792481
    """
    return _epsilon(epsilon) * tanh(epsilon / 2) / log(2)


def detection_bound(false_alarms: Real, epsilon: float) -> float:
    """Probability that a test detects a secret, at most, if it accuses another falsely with this probability.

    ``min(e^epsilon a, 1 - e^-epsilon (1-a))``. Source: Wasserman and Zhou 2010; Kairouz, Oh and Viswanath
    2015.

    Examples
    --------
    >>> round(detection_bound(0.1, log(3)), 9), round(detection_bound(0.5, log(3)), 9)
    (0.3, 0.833333333)
    """
    a, shrunk = float(check_probability("false_alarms", false_alarms)), exp(-_epsilon(epsilon))
    return min(a / shrunk if shrunk else 1.0, 1 - shrunk * (1 - a), 1.0)


def composed_delta_bound(epsilon: float, n: int, at: float) -> float:
    """Delta at another epsilon after n observations, each with this epsilon, at most.

    ``sum over j of C(n,j) p^(n-j) q^j max(0, 1 - e^(at - (n-2j) epsilon))`` with p = e^epsilon q = 1 - q:
    that of n randomised responses to yes or no, than which no n mechanisms do worse. Source: Kairouz, Oh and
    Viswanath 2015.

    Examples
    --------
    >>> round(composed_delta_bound(1, 3, 2), 4), composed_delta_bound(1, 3, 3)
    (0.247, 0.0)
    """
    import numpy as np
    from scipy.special import expit
    from scipy.stats import binom

    e, n = _epsilon(epsilon), check_whole("n", n, 1)
    if e == inf:
        return 1.0
    wrong = np.arange(n + 1)
    left = -np.expm1(np.minimum(at - (n - 2 * wrong) * e, 0.0))
    return min(float(binom.pmf(wrong, n, expit(-e)) @ left), 1.0)


def composed_epsilon_bound(epsilon: float, n: int, delta: float) -> float:
    """Epsilon after n observations that holds but for a probability delta, at most; without delta n epsilon.

    Source: see :func:`composed_delta_bound`, which it inverts.

    Examples
    --------
    >>> round(composed_epsilon_bound(0.1, 100, 1e-6), 2), composed_epsilon_bound(2, 3, 0)
    (4.77, 6.0)
    """
    from scipy.optimize import brentq

    e, d = _epsilon(epsilon), float(check_probability("delta", delta))
    high = e * check_whole("n", n, 1)
    if d == 0 or high in (0, inf):
        return high if d < 1 else 0.0
    if composed_delta_bound(e, n, 0) <= d:
        return 0.0
    at = float(brentq(lambda at: composed_delta_bound(e, n, at) - d, 0.0, high, xtol=1e-14))
    while composed_delta_bound(e, n, at) > d:  # a root is found to the last digit, on either side
        at = nextafter(at, inf)
    return at
