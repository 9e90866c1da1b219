"""What well-known mechanisms reveal, from their parameters alone: closed forms by the names of quantities.

The first functions have the names of the builders in `quiff.mechanisms` whose channels they describe. The
privacy is given either as epsilon, or exactly as the ratio e^epsilon. `bayes_security` is 1 minus the largest
total variation between two secrets (Chatzikokolakis, Cherubin, Palamidessi and Troncoso, CSF 2023).

In a noisy histogram a secret adds its whole value to one of m keys, or to none, and every key gets noise.
Relative to no contribution, key i multiplies the likelihood by rho(z_i), between e^-t and e^t, where t is the
value divided by the scale of the noise. So B = E[max(1, max_i rho(z_i))], which is 1 plus the integral of
1 - P[rho <= u]^m over u from 1 to e^t.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise
from math import comb, exp, expm1, inf, lgamma, log, log1p, log2, pi, sqrt

from quiff.errors import ParameterError
from quiff.theory.parameters import Real, check_number, check_whole

Forms = dict[str, Real]


def check_ratio(epsilon: object = None, ratio: object = None) -> Real:
    """Return e^epsilon, from the one of the two that is given.

    >>> check_ratio(ratio=3), round(check_ratio(1.5), 4)
    (Fraction(3, 1), 4.4817)
    >>> check_ratio(-1)
    Traceback (most recent call last):
    quiff.errors.ParameterError: epsilon must be a number between 0 and 700, not -1
    """
    if (epsilon is None) == (ratio is None):
        raise ParameterError("give either epsilon or ratio, which is e^epsilon and may be exact")
    if ratio is None:
        return exp(check_number("epsilon", epsilon, 0, 700))  # a float has no room for e^710
    result = check_number("ratio", ratio, 1, inf)
    if result == inf:
        raise ParameterError(
            "ratio must be finite, not inf; a channel that tells all is Channel.identity(labels)"
        )
    return result


def randomised_response(k: int, epsilon: float | None = None, *, ratio: Real | None = None) -> Forms:
    """k-ary randomised response: the truth with p = e^epsilon q, any other with q = 1/(k-1+e^epsilon).

    Source: Warner 1965; Kairouz, Oh and Viswanath 2016. No channel with this epsilon has a larger Bayes
    capacity.

    >>> randomised_response(4, ratio=3)["bayes_capacity"]
    Fraction(2, 1)
    """
    k, e = check_whole("k", k, 1), check_ratio(epsilon, ratio)
    q = 1 / (k - 1 + e)
    p = e * q
    shannon = log2(k) + p * log2(p) + (k - 1) * q * log2(q)
    return _forms(k * p, e if k > 1 else e / e, shannon, 1 - (p - q) if k > 1 else e / e)


def subset_selection(k: int, size: int, epsilon: float | None = None, *, ratio: Real | None = None) -> Forms:
    """Subset selection: of d among k values; the truth is in it with p = d e^epsilon/(d e^epsilon + k-d).

    Source: Ye and Barg 2018; Wang et al. 2019.

    >>> subset_selection(4, 2, ratio=3)["bayes_capacity"]
    Fraction(3, 2)
    """
    k, e = check_whole("k", k, 1), check_ratio(epsilon, ratio)
    d = check_whole("size", size, 1, k)
    if d == k:  # there is but one subset
        return _forms(e / e, e / e, 0.0, e / e)
    p, rest = d * e / (d * e + k - d), (k - d) / (d * e + k - d)
    shannon = p * log2(p * k / d) + rest * log2(rest * k / (k - d))
    inside, outside = p / comb(k - 1, d - 1), rest / comb(k - 1, d)
    apart = comb(k - 2, d - 1) * (inside - outside)  # subsets with one secret and without the other
    return _forms(k * inside * comb(k, d) / k, e, shannon, 1 - apart)


def rappor(k: int, f: Real, p: Real = 0, q: Real = 1) -> Forms:
    """One-time RAPPOR with one bit for each of k values: a bit of the truth is 1 with a, another bit with b.

    a = f(p+q)/2 + (1-f) q and b = f(p+q)/2 + (1-f) p; with the default p and q they are 1 - f/2 and f/2.

    Source: Erlingsson, Pihur and Korolova 2014, Sec. 3.

    >>> from fractions import Fraction
    >>> rappor(2, Fraction(1, 2))["bayes_capacity"], rappor(2, Fraction(1, 2))["max_case_capacity"]
    (Fraction(3, 2), Fraction(9, 1))
    """
    k = check_whole("k", k, 1)
    a, b = rappor_bits(f, p, q)
    if k == 1 or a == b:
        return _forms(a + 1 - a, a + 1 - a, 0.0, a + 1 - a)
    if b in (0, 1) or a in (0, 1):
        raise ParameterError(
            "the closed forms are for bits that may be both 0 and 1; measure the channel instead"
        )
    not_a, not_b = rappor_bits(f, 1 - check_number("p", p, 0, 1), 1 - check_number("q", q, 0, 1))
    if_set, if_clear = a / b, not_a / not_b  # what a bit 1, or 0, of the guess multiplies its likelihood by
    if if_set < if_clear:
        raise ParameterError(f"q must be at least p, not q = {q} below p = {p}", what="q", value=q)
    silent: Real = exp(k * log1p(-b)) if isinstance(b, float) else not_b**k  # no bit is 1
    heard = -expm1(k * log1p(-b)) if isinstance(b, float) else 1 - silent
    capacity = min(if_set * heard + if_clear * silent, k * (a / a))  # what is above is rounding
    return _forms(
        capacity, if_set / if_clear, _rappor_shannon(k, float(if_set), float(if_clear), float(b)), 1 - (a - b)
    )


def rappor_bits(f: object, p: object = 0, q: object = 1) -> tuple[Real, Real]:
    """Return the probabilities that a bit which is set, and one which is not, is 1 in RAPPOR's report.

    >>> from fractions import Fraction
    >>> rappor_bits(Fraction(1, 2))
    (Fraction(3, 4), Fraction(1, 4))
    """
    noise, low, high = (check_number(name, value, 0, 1) for name, value in (("f", f), ("p", p), ("q", q)))
    common = noise * (low + high) / 2
    return common + (1 - noise) * high, common + (1 - noise) * low


def _rappor_shannon(k: int, first: float, none: float, b: float) -> float:
    """Return the mutual information at the uniform prior, the best one by symmetry; j bits are 1."""
    import numpy as np
    from scipy.stats import binom

    ones = np.arange(k + 1)
    mean = (ones * first + (k - ones) * none) / k
    bits = ones * first * np.log2(first / mean) + (k - ones) * none * np.log2(none / mean)
    return max(float(binom.pmf(ones, k, b) @ bits) / k, 0.0)


def truncated_geometric(n: int, epsilon: float | None = None, *, ratio: Real | None = None) -> Forms:
    """Two-sided geometric noise on n whole numbers in a row, with a = e^-epsilon; cut at both ends or not.

    B = (n(1-a) + 2a)/(1+a). Neighbours are epsilon apart, the two ends (n-1) epsilon.

    Source: Ghosh, Roughgarden and Sundararajan 2009.

    >>> truncated_geometric(2, ratio=3)["bayes_capacity"]
    Fraction(3, 2)
    """
    n, e = check_whole("n", n, 1), check_ratio(epsilon, ratio)
    a, far = 1 / e, n - 1
    ends = a ** (far // 2) if far % 2 == 0 else 2 * a ** ((far + 1) // 2) / (1 + a)
    forms = _forms((n * (1 - a) + 2 * a) / (1 + a), e**far, None, ends)
    return forms | {"epsilon": far * log(e), "metric_epsilon": log(e)}


def laplace(values: Sequence[float], scale: float) -> Forms:
    """Laplace noise of some scale b on known numbers: B = 1 + sum over gaps g of 1 - e^(-g/2b).

    Between two neighbours the upper envelope of the densities holds 1 - e^(-g/2b), outside of all it holds 1.

    >>> round(laplace([0, 1], 1)["bayes_capacity"], 9) == round(2 - exp(-0.5), 9)
    True
    """
    b = float(check_number("scale", scale, 0, inf))
    ordered = sorted(map(float, values))
    if not ordered or not 0 < b < inf:
        raise ParameterError(
            "Laplace noise needs at least one value, and a scale that is positive and finite"
        )
    gaps = [high - low for low, high in pairwise(ordered)]
    far = ordered[-1] - ordered[0]
    capacity = 1 + sum(1 - exp(-gap / (2 * b)) for gap in gaps)
    worst = exp(far / b) if far / b < 700 else inf
    return _forms(capacity, worst, None, exp(-far / (2 * b))) | {"epsilon": far / b, "metric_epsilon": 1 / b}


def _forms(capacity: Real, worst: Real, shannon: float | None, security: Real) -> Forms:
    forms: Forms = {"bayes_capacity": capacity, "max_case_capacity": worst, "bayes_security": security}
    forms["epsilon"] = log(worst) if worst < inf else inf
    if shannon is not None:
        forms["shannon_capacity_bits"] = max(shannon, 0.0)
    return forms


def membership(m: int, s: int, p: Real, q: Real) -> Forms:
    """Return the closed forms of an output that is inside of a set with p each, and outside with q each.

    B = m max(p, q), for every output is inside of some set and outside of another. Shannon's capacity is at
    the uniform prior on sets, under which all outputs are as probable: log2 m minus the entropy of a row.

    Topics on Android, whose random topic is another than those of the set, with p = (1-r)/s, q = r/(m-s):

    >>> forms = membership(446, 5, 0.95 / 5, 0.05 / 441)
    >>> names = ("bayes_capacity", "epsilon", "shannon_capacity_bits")
    >>> tuple(round(float(forms[name]), 6) for name in names)
    (84.74, 7.424046, 5.86944)
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
    total = _integral(above, max(0.0, t - 80), max(0.0, t - 20), t)
    return _key_forms(m, apart, 1 + total, _laplace_shannon(t) if m == 1 else None)


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
    return _key_forms(m, apart, total, _two_valued_shannon(t, size) if m == 1 else None)


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

    outside = log(d) + scale + log(_integral(shell, low, high))
    return (log_peak + log_kappa + max(outside, 0.0) + log1p(exp(-abs(outside)))) / log(2)


def _checked(m: object, t: object) -> tuple[int, float]:
    n, bound = check_whole("keys", m, 1), float(check_number("epsilon", t, 0, 10_000))
    return n, bound


def _key_forms(m: int, t: float, capacity: float, shannon: float | None) -> Forms:
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
        return log1p(exp(-x)) / log(2)

    inner = _integral(lambda x: exp(-(t - x) / 2) / 4 * cost(x), -t, 0.0, t)
    return max(0.0, 1 - (cost(t) / 2 + exp(-t) / 2 * cost(-t) + inner))


def _two_valued_shannon(t: float, size: int) -> float:
    """Return the same for geometric noise: a sum over z, where 0 and below, and `size` and above, are one."""
    step = t / size
    tail, point = 1 / (1 + exp(-step)), -expm1(-step) / (1 + exp(-step))
    total = tail * log2(1 + exp(-t)) + exp(-t) * tail * log2(1 + exp(t))
    for z in range(1, size):
        total += point * exp(-step * z) * log2(1 + exp(-step * (size - 2 * z)))
    return max(0.0, 1 - total)


def _integral(f: Callable[[float], float], *ends: float) -> float:
    """Return the integral of a smooth function between the first and the last of some points, in pieces."""
    from scipy.integrate import quad

    pieces = pairwise(ends)
    return float(sum(quad(f, low, high, epsabs=0, epsrel=1e-10, limit=400)[0] for low, high in pieces))
