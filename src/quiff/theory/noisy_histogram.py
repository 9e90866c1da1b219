"""Noisy histograms: a secret adds its whole value to one of m keys, or to none, and every key gets noise.

Relative to no contribution, key i multiplies the likelihood by rho(z_i), between e^-t and e^t, where t is the
value divided by the scale of the noise. So B = E[max(1, max_i rho(z_i))], which is 1 plus the integral of
1 - P[rho <= u]^m over u from 1 to e^t.
"""

from collections.abc import Callable
from math import exp, expm1, inf, lgamma, log, log1p, log2, pi, sqrt

from quiff.errors import ParameterError
from quiff.theory.mechanisms import Forms
from quiff.theory.parameters import check_number, check_whole

_NODES = 4_000
_NEAR = 20.0  # units in which so many nodes are exact
_FAR = 600.0  # beyond it, the noise of as many as 2^128 keys hides nothing that a float could hold


def laplace_keys(m: int, t: float) -> Forms:
    """Laplace noise on each of m keys: P[rho <= u] = 1 - e^(-t/2) u^(-1/2)/2 for 1 <= u < e^t.

    With one key B = 2 - e^(-t/2).

    >>> from math import isclose
    >>> isclose(laplace_keys(1, 0.5)["bayes_capacity"], 2 - exp(-0.25))
    True
    """
    m, apart = _checked(m, t)
    t = min(apart, _FAR)

    def above(v: float) -> float:
        """e^v (1 - P[rho <= e^v]^m), with u = e^v."""
        return exp(v) * -expm1(m * log1p(-exp(-(t + v) / 2) / 2))

    # Nearly all of it lies within some units of the end, whatever the number of keys: v grows e-fold faster
    # than the rest falls. What is 80 units away is below rounding.
    near = max(0.0, t - _NEAR)
    total = _simpson(above, near, t) + (_simpson(above, max(0.0, t - 80), near) if near else 0.0)
    return _forms(m, apart, 1 + total, _laplace_shannon(t) if m == 1 else None)


def geometric_keys(m: int, epsilon: float, value: int) -> Forms:
    """Two-sided geometric noise with a = e^(-epsilon/value) on each of m keys; a contribution is `value`.

    rho = a^(value - 2z) for 0 <= z <= value, and P[z >= k] = a^k/(1+a) for k >= 1.

    >>> round(geometric_keys(2, 10, 65536)["bayes_capacity"], 9)
    2.986410606
    """
    m, apart = _checked(m, epsilon)
    t = min(apart, _FAR)
    size = check_whole("value", value, 1, 1 << 24)
    step = t / size  # a = e^-step
    total, before = 1.0, 1.0
    for k in range(size // 2 + 1, size + 1):
        rho = exp(step * (2 * k - size))
        tail = exp(-step * k) / (1 + exp(-step))  # P[z >= k]
        total += (rho - before) * -expm1(m * log1p(-tail))
        before = rho
    return _forms(m, apart, total, _two_valued_shannon(t, size) if m == 1 else None)


def gaussian_ball_bits(dimension: int, sigma: float) -> float:
    """Return log2 of the Bayes capacity of a point of the unit ball plus Gaussian noise in every coordinate.

    B is the integral over the space of the largest density: that of the nearest point of the ball. With one
    dimension it is 1 + 2/(sigma sqrt(2 pi)).

    >>> round(gaussian_ball_bits(1, 0.1), 5)
    3.16653
    """
    d = check_whole("dimension", dimension, 1, 100_000)
    s = float(check_number("sigma", sigma, 0, inf))
    if not 0 < s < inf:
        raise ParameterError(what="sigma", value=sigma, allowed="positive and finite")
    # Inside the ball the largest density is (2 pi s^2)^(-d/2); at distance x from it, times e^(-x^2/2s^2).
    # The shell at distance x has area d kappa_d (1+x)^(d-1).
    log_kappa = d / 2 * log(pi) - lgamma(d / 2 + 1)
    log_peak = -d / 2 * log(2 * pi * s * s)
    top = max(0.0, (-1 + sqrt(1 + 4 * (d - 1) * s * s)) / 2)  # where the shell's mass peaks
    scale = (d - 1) * log1p(top) - top * top / (2 * s * s)
    reach = 12 * s
    low, high = max(0.0, top - reach), top + reach

    def shell(x: float) -> float:
        return exp((d - 1) * log1p(x) - x * x / (2 * s * s) - scale)

    outside = log(d) + scale + log(_simpson(shell, low, high))
    return (log_peak + log_kappa + _log1pexp(outside)) / log(2)


def _log1pexp(x: float) -> float:
    return x + log1p(exp(-x)) if x > 0 else log1p(exp(x))


def _checked(m: object, t: object) -> tuple[int, float]:
    n, bound = check_whole("keys", m, 1), float(check_number("epsilon", t, 0, 10_000))
    return n, bound


def _forms(m: int, t: float, capacity: float, shannon: float | None) -> Forms:
    """Which key of several, or none: max-case 2t; one key or none: t."""
    apart = t if m == 1 else 2 * t
    forms: Forms = {
        "bayes_capacity": min(capacity, m + 1.0),  # no more than the secrets: what is above is rounding
        "epsilon": apart,
        "max_case_capacity": exp(apart) if apart < 700 else inf,
    }
    if shannon is not None:
        forms["shannon_capacity_bits"] = shannon
    return forms


def _laplace_shannon(t: float) -> float:
    """Return the Shannon capacity of {0, value}, at the uniform prior by symmetry.

    1 - E[log2(1 + e^-l)], where l is the log-likelihood ratio of the truth: t with 1/2, -t with e^-t/2, and
    density e^(-(t-l)/2)/4 between.
    """

    def cost(x: float) -> float:
        return log2(1 + exp(-x))

    inner = _simpson(lambda x: exp(-(t - x) / 2) / 4 * cost(x), -t, t)
    return max(0.0, 1 - (cost(t) / 2 + exp(-t) / 2 * cost(-t) + inner))


def _two_valued_shannon(t: float, size: int) -> float:
    """Return the same for geometric noise: a sum over z, where 0 and below, and `size` and above, are one."""
    step = t / size
    tail, point = 1 / (1 + exp(-step)), -expm1(-step) / (1 + exp(-step))
    total = tail * log2(1 + exp(-t)) + exp(-t) * tail * log2(1 + exp(t))
    for z in range(1, size):
        total += point * exp(-step * z) * log2(1 + exp(-step * (size - 2 * z)))
    return max(0.0, 1 - total)


def _simpson(f: Callable[[float], float], low: float, high: float) -> float:
    """Return the integral of a smooth function, by Simpson's rule."""
    h = (high - low) / _NODES
    odd = sum(f(low + h * k) for k in range(1, _NODES, 2))
    even = sum(f(low + h * k) for k in range(2, _NODES, 2))
    return h / 3 * (f(low) + 4 * odd + 2 * even + f(high))
