"""What well-known mechanisms reveal, from their parameters alone: closed forms by the names of quantities.

Each function has the name of the builder in `quiff.mechanisms` whose channel it describes. The privacy is
given either as epsilon, or exactly as the ratio e^epsilon. `bayes_security` is 1 minus the largest total
variation between two secrets (Chatzikokolakis, Cherubin, Palamidessi and Troncoso, CSF 2023).
"""

from collections.abc import Sequence
from itertools import pairwise
from math import comb, exp, expm1, inf, lgamma, log, log1p, log2

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
    found = check_number("ratio", ratio, 1, inf)
    if found == inf:
        raise ParameterError(
            "ratio must be finite, not inf; a channel that tells all is Channel.identity(labels)"
        )
    return found


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
    one, none = a / b, not_a / not_b  # what a bit 1, or 0, of the guess multiplies its likelihood by
    if one < none:
        raise ParameterError(f"q must be at least p, not q = {q} below p = {p}", what="q", value=q)
    silent: Real = exp(k * log1p(-b)) if isinstance(b, float) else not_b**k  # no bit is 1
    heard = -expm1(k * log1p(-b)) if isinstance(b, float) else 1 - silent
    capacity = min(one * heard + none * silent, k * (a / a))  # what is above is rounding
    return _forms(capacity, one / none, _rappor_shannon(k, float(one), float(none), float(b)), 1 - (a - b))


def rappor_bits(f: object, p: object = 0, q: object = 1) -> tuple[Real, Real]:
    """Return the probabilities that a bit which is set, and one which is not, is 1 in RAPPOR's report.

    >>> from fractions import Fraction
    >>> rappor_bits(Fraction(1, 2))
    (Fraction(3, 4), Fraction(1, 4))
    """
    noise, low, high = (check_number(name, value, 0, 1) for name, value in (("f", f), ("p", p), ("q", q)))
    common = noise * (low + high) / 2
    return common + (1 - noise) * high, common + (1 - noise) * low


def _rappor_shannon(k: int, one: float, none: float, b: float) -> float:
    """Return the mutual information at the uniform prior, the best one by symmetry; j bits are 1."""
    total = 0.0
    for j in range(k + 1):
        probability = exp(log_comb(k, j) + j * log(b) + (k - j) * log1p(-b))
        mean = (j * one + (k - j) * none) / k
        told = j * one * log2(one / mean) + (k - j) * none * log2(none / mean)
        total += probability * told / k
    return max(total, 0.0)


def log_comb(n: int, k: int) -> float:
    """Return ln of the number of ways to choose k of n."""
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)


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
