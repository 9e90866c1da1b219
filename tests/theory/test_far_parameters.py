"""Closed forms far from the specified parameters, against sums in fractions and decimals of many digits."""

from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import product
from math import comb, exp, isinf, log2, prod

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from quiff import theory
from quiff.apis.registry import api_from
from quiff.theory.browser_apis import included, monitoring
from quiff.theory.mechanisms import geometric_keys, laplace_keys

CLOSE = 1e-12


def blahut_arimoto(matrix, tolerance=1e-9):
    """The Shannon capacity of a matrix, S. Arimoto and R. E. Blahut 1972."""
    prior = np.full(matrix.shape[0], 1 / matrix.shape[0])
    while True:
        marginal = prior @ matrix
        apart = (matrix * np.log2(matrix / marginal)).sum(axis=1)
        if apart.max() - prior @ apart < tolerance:
            return float(prior @ apart)
        prior *= np.exp2(apart)
        prior /= prior.sum()


def one_hot_rows(n, set_bit, other_bit, silent):
    """The channel from buckets (and nothing) to vectors of bits, written out."""
    marks = [*range(n), None] if silent else range(n)
    vectors = list(product((0, 1), repeat=n))

    def probability(mark, y):
        ones = [set_bit if i == mark else other_bit for i in range(n)]
        return prod(p if bit else 1 - p for p, bit in zip(ones, y, strict=True))

    return [[probability(mark, y) for y in vectors] for mark in marks]


@pytest.mark.parametrize("epsilon", [1, 5, 12, 20])
@pytest.mark.parametrize("n", [1, 2, 3, 6])
def test_shannon_capacity_of_monitoring_counts_nothing_to_report(n, epsilon):
    flip = 1 / (1 + exp(epsilon / 2))
    matrix = np.array(one_hot_rows(n, 1 - flip, flip, silent=True))
    assert monitoring(n, epsilon)["shannon_capacity_bits"] == pytest.approx(blahut_arimoto(matrix), abs=2e-9)


def test_shannon_capacity_of_monitoring_has_no_better_prior():
    """At the capacity no secret tells more than it (R. G. Gallager 1968, Thm. 4.5.1); others tell as much."""
    n, epsilon = 1028, 20
    f, capacity = 1 / (1 + exp(epsilon / 2)), monitoring(n, epsilon)["shannon_capacity_bits"]
    assert capacity == pytest.approx(9.95959, abs=5e-6)
    laws = [comb(n, j) * Fraction(f) ** j * (1 - Fraction(f)) ** (n - j) for j in range(40)]
    ratio = (1 - f) / f

    def told(a):
        none = bucket = 0.0
        for j, law in enumerate(map(float, laws)):
            rho = (j * ratio + (n - j) / ratio) / n
            mean = a + (1 - a) * rho
            none += law * log2(1 / mean)
            bucket += law * (j * ratio * log2(ratio / mean) + (n - j) / ratio * log2(1 / ratio / mean)) / n
        return none, bucket

    best = minimize_scalar(
        lambda a: max(told(a)), bounds=(0, 0.01), method="bounded", options={"xatol": 1e-12}
    )
    assert best.fun == pytest.approx(capacity, abs=1e-8)


@pytest.mark.parametrize("epsilon", [0.5, 1, 5, 20, 44.5, 50, 200, 1000])
@pytest.mark.parametrize("n", [1, 2, 20, 1028])
def test_bayes_capacity_of_monitoring(n, epsilon):
    with localcontext(prec=600):
        f = 1 / (1 + (Decimal(epsilon) / 2).exp())
        outputs = ((comb(n, j), f**j * (1 - f) ** (n - j)) for j in range(1, n + 1))
        expected = (1 - f) ** n + sum(ways * law / f * (1 - f) for ways, law in outputs)
    capacity = monitoring(n, epsilon)["bayes_capacity"]
    assert capacity == pytest.approx(float(expected), rel=CLOSE)
    assert capacity <= n + 1


@pytest.mark.parametrize("f", ["1/2", "1/10", "1/1000", "1/10000000000", "1/1000000000000000"])
@pytest.mark.parametrize("k", [2, 16, 1028])
def test_rappor(k, f):
    f = Fraction(f)
    a, b = 1 - f / 2, f / 2
    capacity = (1 - a) * (1 - b) ** (k - 1) + a * sum(
        Fraction(comb(k, j)) * b ** (j - 1) * (1 - b) ** (k - j) for j in range(1, k + 1)
    )
    forms = theory.rappor(k, float(f))
    assert forms["bayes_capacity"] == pytest.approx(float(capacity), rel=CLOSE)
    assert forms["bayes_capacity"] <= k
    assert forms["max_case_capacity"] == pytest.approx(float((a / b) ** 2), rel=CLOSE)
    assert theory.rappor(k, f)["bayes_capacity"] == capacity
    if k == 2:
        matrix = np.array(one_hot_rows(2, float(a), float(b), silent=False))
        assert forms["shannon_capacity_bits"] == pytest.approx(blahut_arimoto(matrix), abs=2e-9)


@pytest.mark.parametrize("t", [0.1, 1, 19, 21, 60, 99, 300, 600])
@pytest.mark.parametrize("m", [1, 2, 20, 64])
def test_bayes_capacity_of_laplace_keys(m, t):
    """1 + integral over u = 1 .. e^t of 1 - (1 - e^(-t/2) u^(-1/2)/2)^m, power by power."""
    with localcontext(prec=800):
        root, total = (-Decimal(t) / 2).exp(), Decimal(1)
        for k in range(1, m + 1):
            part = Decimal(t) if k == 2 else (root ** (k - 2) - 1) / (1 - Decimal(k) / 2)
            total -= comb(m, k) * (-root / 2) ** k * part
    capacity = laplace_keys(m, t)["bayes_capacity"]
    assert capacity == pytest.approx(float(total), rel=CLOSE)
    assert capacity <= m + 1


@pytest.mark.parametrize("epsilon", [1e-6, 1, 30, 64, 1000])
def test_geometric_keys_do_not_exceed_their_secrets(epsilon):
    for m in (1, 5, 1000):
        assert 1 <= geometric_keys(m, epsilon, 256)["bayes_capacity"] <= m + 1


@pytest.mark.parametrize("q", ["1", "1/2", "1/100", "1/10000000000000", "1/1000000000000000000"])
def test_null_reports(q):
    q = Fraction(q)
    expected = (1 - q) ** 31 + (1 - (1 - q) ** 31) / q
    assert included(31, float(q))["bayes_capacity"] == pytest.approx(float(expected), rel=CLOSE)


@pytest.mark.parametrize("epsilon", [40, 400, 700])
def test_subset_selection_that_nearly_always_has_the_truth(epsilon):
    forms = theory.subset_selection(4, 2, epsilon)
    assert forms["shannon_capacity_bits"] == pytest.approx(1)  # half of the values are left
    assert forms["bayes_capacity"] == pytest.approx(2)


@pytest.mark.parametrize(
    "spec",
    [
        *(f"real_time_monitoring:epsilon={e}" for e in (1, 43, 44, 44.5, 46, 48, 50)),
        *(f"ipa:epsilon={e},keys={k}" for e in (1, 100, 350) for k in (1, 20, 1000)),
        *(f"w3c_attribution:epsilon={e},keys=20" for e in (1, 600, 1200, 4294)),
        *(f"private_aggregation:epsilon={e},keys=20" for e in (1, 64)),
    ],
)
def test_no_capacity_exceeds_the_number_of_secrets(spec):
    api = api_from(spec)
    values, secrets = {limit.quantity: limit.value for limit in api.limits()}, api.space().size
    assert 1 <= values["bayes_capacity"] <= secrets
    assert values.get("shannon_capacity_bits", 0) <= log2(values["bayes_capacity"]) + 1e-12
    assert isinf(values["max_case_capacity"]) or values["max_case_capacity"] >= values["bayes_capacity"]
