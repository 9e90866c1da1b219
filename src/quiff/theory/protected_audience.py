"""Protected Audience: monitoring by one-hot bits, and the noisy status of k-anonymity."""

from functools import cache
from math import exp, expm1

from quiff.theory.mechanisms import Forms, rappor
from quiff.theory.parameters import check_number, check_whole

_SMALL = 0.05


def monitoring(buckets: int, epsilon: float) -> Forms:
    """One of n bits is set, or none; each is flipped with f = 1/(1 + e^(epsilon/2)).

    B = e^(epsilon/2) (1 - (1-f)^n) + (1-f)^n: a set bit multiplies the likelihood of its bucket by
    e^(epsilon/2), and with no bit set nothing is the best guess.

    >>> round(monitoring(1028, 1)["bayes_capacity"], 9)
    1.648721271
    """
    n, e = check_whole("buckets", buckets, 1), float(check_number("epsilon", epsilon, 0, 1000))
    flip = 1 / (1 + exp(e / 2))
    silent = (1 - flip) ** n
    forms: Forms = {
        "bayes_capacity": exp(e / 2) * (1 - silent) + silent,
        "epsilon": e if n > 1 else e / 2,
        "max_case_capacity": exp(e if n > 1 else e / 2),
    }
    if n > 1:
        forms["shannon_capacity_bits"] = rappor(n, 2 * flip)["shannon_capacity_bits"]
    return forms


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
