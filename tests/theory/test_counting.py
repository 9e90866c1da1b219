"""The counting probabilities agree with enumeration, convolution and the normal approximation."""

from fractions import Fraction
from functools import reduce
from math import comb, factorial, pi, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special, stats

from quiff import theory
from quiff.theory.counting import binomial_window, mode_probability, symmetric_return

shares = st.floats(0, 1)
noises = st.floats(0, 1)


@st.composite
def sizes(draw):
    m = draw(st.integers(1, 8))
    return m, draw(st.integers(1, m))


def joint(m, s, r, N, a):
    """Probability of each true list of N bits (rows) with each reported one (columns), and their counts."""
    p, q = (1 - r) / s + r / m, r / m
    one = np.array([[(1 - a) * (1 - q), (1 - a) * q], [a * (1 - p), a * p]])
    counts = np.array([bits.bit_count() for bits in range(2**N)])
    return reduce(np.kron, [one] * N), counts


def total_by_count(J, counts):
    """Sum rows that have the same true count."""
    return np.array([J[counts == j].sum(axis=0) for j in range(counts.max() + 1)])


@given(sizes(), noises, st.integers(1, 8), shares)
@settings(max_examples=100, deadline=None)
def test_enumeration_of_all_lists_of_bits(size, r, N, a):
    m, s = size
    J, counts = joint(m, s, r, N, a)
    by_count = total_by_count(J, counts)
    near = {"rel": 1e-9, "abs": 1e-13}
    assert theory.all_bits_right(m, s, r, N, a) == pytest.approx(J.max(axis=0).sum(), **near)
    assert theory.best_count_right(m, s, r, N, a) == pytest.approx(by_count.max(axis=0).sum(), **near)
    assert theory.prior_count_right(N, a) == pytest.approx(by_count.sum(axis=1).max(), **near)
    raw = J[counts[:, None] == counts[None, :]].sum()
    assert theory.raw_count_right(m, s, r, N, a) == pytest.approx(raw, **near)


@given(
    sizes(), st.fractions(0, 1, max_denominator=9), st.integers(1, 4), st.fractions(0, 1, max_denominator=9)
)
@settings(max_examples=50, deadline=None)
def test_all_bits_right_is_exact_on_exact_parameters(size, r, N, a):
    m, s = size
    p, q = (1 - r) / s + r / m, r / m
    one = [[(1 - a) * (1 - q), (1 - a) * q], [a * (1 - p), a * p]]
    best = Fraction(0)
    for reported in range(2**N):
        candidates = []
        for true in range(2**N):
            chance = Fraction(1)
            for i in range(N):
                chance *= one[true >> i & 1][reported >> i & 1]
            candidates.append(chance)
        best += max(candidates)
    assert theory.all_bits_right(m, s, r, N, a) == best


def best_count_by_convolution(m, s, r, N, a):
    """All counts k, and for each the whole distribution of the true count, by scipy's binomials."""
    p, q = (1 - r) / s + r / m, r / m
    P = a * p + (1 - a) * q
    total = 0.0
    for k in range(N + 1):
        have = stats.binom.pmf(np.arange(k + 1), k, a * p / P)
        have_not = stats.binom.pmf(np.arange(N - k + 1), N - k, a * (1 - p) / (1 - P))
        total += stats.binom.pmf(k, N, P) * np.convolve(have, have_not).max()
    return total


@pytest.mark.parametrize(
    ("m", "s", "r", "N", "a"),
    [(349, 5, 0.05, 500, 0.5), (349, 5, 0.05, 500, 0.01), (4, 2, 0.3, 501, 0.7), (2, 1, 0.01, 300, 0.999)],
)
def test_convolution_of_hundreds_of_users(m, s, r, N, a):
    expected = best_count_by_convolution(m, s, r, N, a)
    assert theory.best_count_right(m, s, r, N, a) == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize(
    ("m", "s", "r", "a"),
    [(349, 5, 0.05, 0.5), (349, 5, 0.05, 0.01), (4, 2, 0.3, 0.7), (2, 1, 0.9, 0.5), (349, 1, 0.001, 0.3)],
)
def test_a_million_users_by_scipys_binomials_at_typical_counts(m, s, r, a):
    """The mode's probability hardly moves over the likely counts, so that three of them bracket the mean."""
    N = 10**6
    p, q = (1 - r) / s + r / m, r / m
    P = a * p + (1 - a) * q
    first, second = a * p / P, a * (1 - p) / (1 - P)
    spread = sqrt(N * P * (1 - P))
    seen = []
    for k in (round(N * P - 7 * spread), round(N * P), round(N * P + 7 * spread)):
        mean = k * first + (N - k) * second
        around = round(k * first) + np.arange(-5000, 5001)  # ten standard deviations at least
        have = stats.binom.pmf(around, k, first)
        expected = max(
            have @ stats.binom.pmf(j - around, N - k, second) for j in range(int(mean) - 1, int(mean) + 3)
        )
        found = mode_probability(np.array([float(k)]), N, first, second)[0]
        assert found == pytest.approx(expected, rel=1e-9)
        seen.append(found)
    best = theory.best_count_right(m, s, r, N, a)
    assert min(seen) * (1 - 1e-6) < best < max(seen) * (1 + 1e-6)
    assert best == pytest.approx(seen[1], rel=1e-3)


@pytest.mark.parametrize("N", [10**4, 10**5, 10**6])
def test_many_users_by_the_normal_approximation(N):
    m, s, r, a = 349, 5, 0.05, 0.5
    p, q = (1 - r) / s + r / m, r / m
    P = a * p + (1 - a) * q
    posterior = [(P, a * p / P), (1 - P, a * (1 - p) / (1 - P))]
    variance = N * sum(weight * x * (1 - x) for weight, x in posterior)
    assert theory.best_count_right(m, s, r, N, a) == pytest.approx(1 / sqrt(2 * pi * variance), rel=20 / N)
    assert theory.prior_count_right(N, a) == pytest.approx(1 / sqrt(2 * pi * N / 4), rel=2 / N)


@pytest.mark.parametrize("a", [0.5, 0.01, 0.3])
def test_raw_count_of_hundreds_of_users_by_exact_multinomials(a):
    m, s, r, N, a = 349, 5, Fraction(1, 20), 200, Fraction(str(a))
    p, q = (1 - r) / s + r / m, r / m
    u, v = a * (1 - p), (1 - a) * q
    expected = sum(
        Fraction(factorial(N), factorial(j) ** 2 * factorial(N - 2 * j))
        * (u * v) ** j
        * (1 - u - v) ** (N - 2 * j)
        for j in range(N // 2 + 1)
    )
    assert theory.raw_count_right(m, s, r, N, a) == pytest.approx(float(expected), rel=1e-11)


def test_raw_count_of_a_million_users_by_log_gammas():
    m, s, r, N, a = 2, 1, 0.5, 10**6, 0.5
    p, q = (1 - r) / s + r / m, r / m
    u, v = a * (1 - p), (1 - a) * q
    j = np.arange(N // 2 + 1)
    logs = special.gammaln(N + 1) - 2 * special.gammaln(j + 1) - special.gammaln(N - 2 * j + 1)
    logs += j * np.log(u * v) + (N - 2 * j) * np.log(1 - u - v)
    expected = np.exp(special.logsumexp(logs))
    assert theory.raw_count_right(m, s, r, N, a) == pytest.approx(expected, rel=1e-7)


def test_a_hopeless_raw_count_underflows_to_zero_and_nothing_overflows():
    assert theory.raw_count_right(349, 5, 0.05, 10**6) == 0.0
    assert theory.all_bits_right(349, 5, 0.05, 10**6) == 0.0


@given(sizes(), noises, st.integers(1, 3000), shares)
@settings(max_examples=60, deadline=None)
def test_reports_never_hurt_and_no_chance_exceeds_one(size, r, N, a):
    m, s = size
    best = theory.best_count_right(m, s, r, N, a)
    slack = 1e-10
    assert theory.prior_count_right(N, a) <= best * (1 + slack) <= 1 + slack
    assert theory.all_bits_right(m, s, r, N, a) <= best * (1 + slack)
    assert 0 <= theory.raw_count_right(m, s, r, N, a) <= best * (1 + slack)


@pytest.mark.parametrize(("a", "certain"), [(0, True), (1, True), (0.5, False)])
def test_a_topic_of_all_or_none_is_counted_surely(a, certain):
    assert (theory.best_count_right(349, 5, 0.05, 1000, a) > 1 - 1e-9) == certain


def test_reports_that_are_always_wrong_never_give_the_raw_count():
    """The only topic of a taxonomy is always reported, here by users none of whom has it."""
    assert theory.raw_count_right(1, 1, 1, 5, share=0) == 0
    assert theory.best_count_right(1, 1, 1, 5, share=0) == 1


def test_perfect_reports_are_counted_surely():
    """With s = 1 and no noise a user reports the topic iff it is in the set."""
    assert theory.best_count_right(10, 1, 0, 1000, Fraction(1, 3)) == pytest.approx(1, abs=1e-12)
    assert theory.raw_count_right(10, 1, 0, 1000, Fraction(1, 3)) == pytest.approx(1, abs=1e-12)
    assert theory.all_bits_right(10, 1, 0, 1000, Fraction(1, 3)) == 1


@given(st.integers(1, 60), st.floats(1e-9, 1) | st.just(0.0))
def test_a_small_binomial_window_is_the_whole_distribution(n, probability):
    values, weights = binomial_window(n, probability)
    np.testing.assert_allclose(weights, stats.binom.pmf(values, n, probability), rtol=1e-9, atol=1e-15)
    assert weights.sum() == pytest.approx(1, abs=1e-12)


def test_a_large_binomial_window_leaves_out_nothing_that_counts():
    values, weights = binomial_window(10**6, 0.095)
    assert len(values) < 10**4
    np.testing.assert_allclose(weights, stats.binom.pmf(values, 10**6, 0.095), rtol=1e-9, atol=1e-18)


@given(st.integers(1, 30))
def test_a_simple_walk_returns_with_the_central_binomial(n):
    assert symmetric_return(2 * n, 0.5) == pytest.approx(comb(2 * n, n) / 4**n, rel=1e-12)
    assert symmetric_return(2 * n - 1, 0.5) == pytest.approx(0, abs=1e-15)
