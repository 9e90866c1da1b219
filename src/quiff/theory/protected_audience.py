"""Protected Audience: monitoring by one-hot bits, and the noisy status of k-anonymity."""

from functools import cache
from math import exp, expm1, inf, log, log1p, log2

from quiff.theory.mechanisms import Forms, log_comb
from quiff.theory.parameters import check_number, check_whole

_SMALL = 0.05
_NEGLIGIBLE = 1e-25


def monitoring(buckets: int, epsilon: float) -> Forms:
    """One of n bits is set, or none; each is flipped with f = 1/(1 + e^(epsilon/2)).

    B = e^(epsilon/2) (1 - (1-f)^n) + (1-f)^n: a set bit multiplies the likelihood of its bucket by
    e^(epsilon/2), and with no bit set nothing is the best guess. Shannon's capacity is at equally probable
    buckets, by symmetry, and at the best probability of nothing to report, found by bisection.

    >>> round(monitoring(1028, 1)["bayes_capacity"], 9)
    1.648721271
    """
    n, e = check_whole("buckets", buckets, 1), float(check_number("epsilon", epsilon, 0, 1000))
    flip, apart = 1 / (1 + exp(e / 2)), e if n > 1 else e / 2
    log_silent = n * log1p(-flip)
    return {
        # No more than the number of secrets: what is above is rounding.
        "bayes_capacity": min(exp(e / 2) * -expm1(log_silent) + exp(log_silent), n + 1.0),
        "epsilon": apart,
        "max_case_capacity": exp(apart) if apart < 700 else inf,
        "shannon_capacity_bits": _monitoring_shannon(n, e / 2, flip),
    }


def _monitoring_shannon(n: int, step: float, flip: float) -> float:
    """Return the largest mutual information over the probability a of nothing to report.

    With j set bits, whose probability is P_j if there is nothing to report, the buckets are on average
    rho_j = (j e^step + (n-j) e^-step)/n times as probable, and an output a + (1-a) rho_j times. Information
    is concave in a, and grows as long as nothing to report tells more than a bucket does:

        D_none = -sum_j P_j log2(a + (1-a) rho_j),
        D_bucket = sum_j P_j [(j e^step - (n-j) e^-step)/n log2 e^step - rho_j log2(a + (1-a) rho_j)].
    """
    terms = []
    for j in range(n + 1):
        probability = exp(log_comb(n, j) + j * log(flip) + (n - j) * log1p(-flip))
        marked, plain = j / n * exp(step), (n - j) / n * exp(-step)
        if probability * (1 + marked) > _NEGLIGIBLE:
            terms.append((probability, marked + plain, (marked - plain) * step / log(2)))

    def told(a: float) -> tuple[float, float]:
        """Return D_none and D_bucket."""
        none = bucket = 0.0
        for probability, rho, gain in terms:
            bits = log2(a + (1 - a) * rho)
            none -= probability * bits
            bucket += probability * (gain - rho * bits)
        return none, bucket

    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        none, bucket = told(middle)
        low, high = (middle, high) if none > bucket else (low, middle)
    none, bucket = told(low)
    return max(0.0, low * none + (1 - low) * bucket)


@cache
def status_probability(surplus: float, epsilon: float, bound: float) -> float:
    """Return P[v - u >= -surplus] of two independent Laplace draws, each truncated to [-bound, bound].

    The density of a draw is proportional to e^(-epsilon |z|).

    >>> round(status_probability(-1, 0.75, 25), 9), status_probability(0, 0.75, 25)
    (0.324752002, 0.5)
    """
    x = abs(surplus)
    if x >= 2 * bound:
        return float(surplus > 0)
    upper = _tail(epsilon * x, epsilon * bound)
    return 1 - upper if surplus > 0 else 0.5 if surplus == 0 else upper


def _tail(a: float, b: float) -> float:
    """Return P[D >= a] of D = v - u in units of 1/epsilon, truncated at b each.

    The density of D at d is d e^-d + e^-d - e^(d-2b) up to b, (2b - d) e^-d from there to 2b, over
    4 (1 - e^-b)^2: the integral of e^(-|z|-|z-d|) over z = d - b .. b, normalised.
    """
    if b < _SMALL:  # where the differences below would be rounding, Simpson's rule is very exact
        n = 2_000
        h = (2 * b - a) / n
        values = [_density(a + h * k, b) for k in range(n + 1)]
        return h / 3 * (values[0] + values[-1] + 4 * sum(values[1:-1:2]) + 2 * sum(values[2:-1:2]))
    if a > b:
        mass = exp(-2 * b) + (2 * b - a - 1) * exp(-a)
    else:
        mass = (a + 2) * exp(-a) + exp(a - 2 * b) + exp(-2 * b) - 4 * exp(-b)
    return mass / (4 * expm1(-b) ** 2)


def _density(d: float, b: float) -> float:
    """Return the density of D at d >= 0."""
    mass = (2 * b - d) * exp(-d) if d > b else d * exp(-d) - exp(-d) * expm1(-2 * (b - d))
    return mass / (4 * expm1(-b) ** 2)
