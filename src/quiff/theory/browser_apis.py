"""Other APIs of browsers: cookies, budgets of messages, event-level and null reports, Protected Audience.

Sources: the paper, Sec. 4.1.1, for cookies; WICG/attribution-reporting-api at 44a6da3, index.bs,
params/chromium-params.md and AGGREGATE.md, for reports.
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from math import comb, exp, expm1, inf, log, log1p, log2
from typing import Any

from quiff.theory.mechanisms import Forms
from quiff.theory.parameters import check_number, check_probability, check_whole
from quiff.theory.topics import prior_vulnerability


def possible_histories(contexts: int) -> int:
    """Browsing histories that cookies can link: ``sum over h=2..c of C(c,h) = 2^c - c - 1``.

    Source: paper, Sec. 4.1.1. A history is a set of at least two of the c contexts with cookies. A
    single context leaves nothing to link, so that c is at least 2.

    >>> possible_histories(5)
    26
    """
    c = check_whole("contexts", contexts, 2)
    return (1 << c) - c - 1  # 2^c - c - 1


def cookies_leakage(n_users: int, contexts: int) -> Fraction:
    """Leakage of third-party cookies: ``min(N, 2^c - c - 1)``.

    Source: paper, Sec. 4.1.1, leakage caused by third-party cookies. Assumes that as many
    different histories occur as can: all N users differ, if there are enough histories.
    The worked example prints 26 for N=3 and c=5, without the cap at N.

    >>> cookies_leakage(n_users=3, contexts=5)
    Fraction(3, 1)
    >>> cookies_leakage(n_users=100, contexts=5)
    Fraction(26, 1)
    """
    N = check_whole("n_users", n_users, 1)
    c = check_whole("contexts", contexts, 2)
    if c > N.bit_length() + 2:  # then 2^c - c - 1 >= 2^(c-1) > N: do not build a huge integer
        return Fraction(N)
    return Fraction(min(N, possible_histories(c)))


def cookies_posterior(n_users: int, contexts: int) -> Fraction:
    """Probability to guess a user from a cookie: ``min(N, 2^c - c - 1)/N``.

    Source: paper, Sec. 4.1.1, posterior vulnerability of third-party cookies; assumptions as for
    :func:`cookies_leakage`. Printed as 26/3 for N=3 and c=5, without the cap.

    >>> cookies_posterior(n_users=3, contexts=5)
    Fraction(1, 1)
    """
    return cookies_leakage(n_users, contexts) * prior_vulnerability(n_users)


def messages(options: int, bits: float) -> int:
    """Return n^c, the sequences of c = floor(bits/log2 n) choices among n; 1 if there is nothing to choose.

    >>> messages(8, 12), messages(5, 12), messages(3, 12), messages(3, 6)
    (4096, 3125, 2187, 27)
    """
    n, budget = check_whole("options", options, 1), float(check_number("bits", bits, 0, 1 << 20))
    return 1 if n == 1 else int(n ** int(budget / log2(n) + 1e-9))


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
    from scipy.optimize import brentq

    if gate_bits(k, most) <= bits:
        return most
    return float(brentq(lambda epsilon: gate_bits(k, epsilon) - bits, 0.0, most, xtol=1e-14))


def min_capacity_bits(k: int, epsilon: float) -> float:
    """Return log2 of the Bayes capacity k e^epsilon/(k-1+e^epsilon).

    >>> round(min_capacity_bits(2925, 14), 6)
    11.510717
    """
    return (log(k) + epsilon - log(k - 1 + exp(epsilon))) / log(2)


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
    probability of an attribution is found as a root; j counts the reports.

    >>> forms = included(31, 0.008)
    >>> round(forms["bayes_capacity"], 6), round(forms["shannon_capacity_bits"], 5)
    (28.331824, 4.73631)
    """
    import numpy as np
    from scipy.stats import binom

    n, q = check_whole("days", days, 1), float(check_probability("q", q))
    reports = np.arange(n + 1)
    # If attributed, averaged over days, an output with j reports has the density rho = j/(n q) against the
    # law if not; a day with a report has 1/q, one without 0.
    law, rho = binom.pmf(reports, n, q), reports / (n * q)
    return {
        "bayes_capacity": (1 - q) ** n + (-expm1(n * log1p(-q)) / q if q < 1 else 1.0),
        "shannon_capacity_bits": _shannon_beside_nothing(law, rho, -rho * log2(q)),
    }


_SMALL, _NEARLY_0 = 0.05, 1e-300


def monitoring(buckets: int, epsilon: float) -> Forms:
    """One of n bits is set, or none; each is flipped with f = 1/(1 + e^(epsilon/2)).

    B = e^(epsilon/2) (1 - (1-f)^n) + (1-f)^n: a set bit multiplies the likelihood of its bucket by
    e^(epsilon/2), and with no bit set nothing is the best guess. Shannon's capacity is at equally probable
    buckets, by symmetry, and at the best probability of nothing to report, found by its root.

    >>> round(monitoring(1028, 1)["bayes_capacity"], 9)
    1.648721271
    """
    import numpy as np
    from scipy.stats import binom

    n, e = check_whole("buckets", buckets, 1), float(check_number("epsilon", epsilon, 0, 1000))
    flip, apart = 1 / (1 + exp(e / 2)), e if n > 1 else e / 2
    log_silent = n * log1p(-flip)
    # With j set bits, buckets are on average rho_j = (j e^step + (n-j) e^-step)/n times as probable.
    ones, step = np.arange(n + 1), e / 2
    marked, plain = ones / n * exp(step), (n - ones) / n * exp(-step)
    gain = (marked - plain) * step / log(2)
    return {
        # No more than the number of secrets: what is above is rounding.
        "bayes_capacity": min(exp(e / 2) * -expm1(log_silent) + exp(log_silent), n + 1.0),
        "epsilon": apart,
        "max_case_capacity": exp(apart) if apart < 700 else inf,
        "shannon_capacity_bits": _shannon_beside_nothing(binom.pmf(ones, n, flip), marked + plain, gain),
    }


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
    if b < _SMALL:  # where the differences below would be rounding
        from scipy.integrate import quad

        return float(sum(quad(_density, *ends, (b,))[0] for ends in ((min(a, b), b), (max(a, b), 2 * b))))
    if a > b:
        mass = exp(-2 * b) + (2 * b - a - 1) * exp(-a)
    else:
        mass = (a + 2) * exp(-a) + exp(a - 2 * b) + exp(-2 * b) - 4 * exp(-b)
    return mass / (4 * expm1(-b) ** 2)


def _density(d: float, b: float) -> float:
    """Return the density of D at d >= 0."""
    mass = (2 * b - d) * exp(-d) if d > b else d * exp(-d) - exp(-d) * expm1(-2 * (b - d))
    return mass / (4 * expm1(-b) ** 2)


def _shannon_beside_nothing(law: Any, rho: Any, gain: Any) -> float:
    """Return the largest mutual information of nothing, with probability a, and equally probable secrets.

    The law is that of outputs if there is nothing; they are rho times as probable on average over secrets,
    and there tell `gain` bits against the law. Information is concave in a, and grows as long as nothing
    tells more than a secret does:

        D_nothing = -sum_j P_j log2(a + (1-a) rho_j),
        D_secret = sum_j P_j (gain_j - rho_j log2(a + (1-a) rho_j)).
    """
    import numpy as np
    from scipy.optimize import brentq

    def ahead(a: float) -> float:
        return float(law @ ((rho - 1) * np.log2(a + (1 - a) * rho) - gain))  # D_nothing - D_secret

    best = brentq(ahead, _NEARLY_0, 1.0, xtol=1e-14) if ahead(_NEARLY_0) > 0 else _NEARLY_0
    bits = np.log2(best + (1 - best) * rho)
    return max(0.0, float(law @ ((1 - best) * (gain - rho * bits) - best * bits)))
