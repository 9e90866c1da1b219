"""Estimates and rankings from counts agree with the enumeration of all outputs, and with scipy."""

from fractions import Fraction
from itertools import product
from math import comb, inf, prod

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats

from quiff import theory
from quiff.errors import ParameterError
from quiff.theory.popularity import (
    ahead,
    binomial_interval,
    bits_right,
    count_variance,
    estimate_variance,
    estimated_users,
    needed_pairs,
    order_approximately,
    order_bounds,
    users_interval,
)
from words import refused

noises = st.fractions(0, Fraction(9, 10), max_denominator=20)


@st.composite
def sizes(draw):
    m = draw(st.integers(1, 6))
    return m, draw(st.integers(1, m))


def binomial(n, p):
    return {k: comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)}


def inside_outside(m, s, r):
    return (1 - r) / s + Fraction(r) / m, Fraction(r) / m


def law_of_counts(p, q, N, n):
    """The probability of each number of users who show the value, when n of N have it."""
    law = dict.fromkeys(range(N + 1), 0)
    for (a, x), (b, y) in product(binomial(n, p).items(), binomial(N - n, q).items()):
        law[a + b] += x * y
    return law


@given(sizes(), noises, st.integers(1, 6), st.data())
@settings(max_examples=60)
def test_the_estimate_is_unbiased_and_has_the_variance_of_the_formula(size, r, N, data):
    p, q = inside_outside(*size, r)
    n = data.draw(st.integers(0, N))
    if data.draw(st.booleans()):
        p, q = q, p  # those who have the value show it less
    law = law_of_counts(p, q, N, n)
    guess = {c: estimated_users(p, q, N, c) for c in law}
    assert sum(law[c] * guess[c] for c in law) == n
    assert sum(law[c] * (guess[c] - n) ** 2 for c in law) == estimate_variance(p, q, N, n)
    mean = sum(law[c] * c for c in law)
    assert sum(law[c] * (c - mean) ** 2 for c in law) == count_variance(p, q, N, n)


@given(sizes(), noises, st.integers(1, 40), st.data())
def test_the_interval_holds_the_numbers_that_are_plausible_and_no_other(size, r, N, data):
    p, q = inside_outside(*size, r)
    if data.draw(st.booleans()):
        p, q = q, p
    c = data.draw(st.integers(0, N))
    low, high = users_interval(p, q, N, c)
    assert 0 <= low <= high <= N
    for n in range(N + 1):
        law = law_of_counts(p, q, N, n)
        few, many = sum(law[k] for k in law if k <= c), sum(law[k] for k in law if k >= c)
        if min(few, many) > 0.025 + 1e-9:
            assert low <= n <= high
        if min(few, many) < 0.025 - 1e-9:
            assert not low < n < high


@pytest.mark.parametrize(("m", "s", "r", "N"), [(10, 3, 0.1, 60), (349, 5, 0.05, 100), (20, 3, 0, 60)])
def test_the_interval_holds_the_truth_no_less_often_than_it_says(m, s, r, N):
    """Wilson's interval held a single user's topic in 80 % of cases only."""
    p, q = inside_outside(m, s, r)
    ends = [users_interval(p, q, N, c) for c in range(N + 1)]
    for n in range(0, N + 1, 1 if N < 100 else 7):
        law = law_of_counts(p, q, N, n)
        assert sum(x for c, x in law.items() if ends[c][0] <= n <= ends[c][1]) >= 0.95 - 1e-9


@given(sizes(), noises, st.integers(1, 5))
def test_all_bits_are_guessed_as_the_paper_computes(size, r, N):
    p, q = inside_outside(*size, r)
    assert bits_right(p, q, N) == bits_right(q, p, N) == theory.all_bits_right(*size, r, N)


@given(st.integers(1, 200), st.data())
def test_the_interval_of_a_probability_is_that_of_scipy(trials, data):
    successes = data.draw(st.integers(0, trials))
    expected = stats.binomtest(successes, trials).proportion_ci(0.95, method="exact")
    assert binomial_interval(successes, trials) == pytest.approx((expected.low, expected.high), abs=1e-9)


@pytest.mark.parametrize(
    ("call", "numbers"),
    [
        (lambda: estimated_users(0.2, 0.2, 10, 3), (0.2,)),
        (
            lambda: estimated_users(0.5, 0.1, 10, 11),
            (0, 10, 11),
        ),
        (lambda: estimate_variance(0.5, 0.1, 10, 11), (0, 10)),
        (lambda: binomial_interval(3, 2), (0, 2, 3)),
        (lambda: needed_pairs([1, 2], 3), (1, 2, 3)),
    ],
)
def test_what_cannot_be_is_an_error(call, numbers):
    with refused(ParameterError, *numbers):
        call()


def convolved(kinds):
    """The law of the sum of independent steps +1, -1, 0, exactly."""
    law = {0: Fraction(1)}
    for up, down, users in kinds:
        for _ in range(users):
            following = {}
            for d, x in law.items():
                for step, chance in ((1, up), (-1, down), (0, 1 - up - down)):
                    following[d + step] = following.get(d + step, 0) + x * chance
            law = following
    return law


@st.composite
def kinds(draw):
    up = draw(st.fractions(0, 1, max_denominator=10))
    return up, draw(st.fractions(0, 1 - up, max_denominator=20)), draw(st.integers(0, 12))


@given(st.lists(st.lists(kinds(), min_size=3, max_size=3), min_size=1, max_size=4))
@settings(max_examples=60)
def test_ahead_is_the_convolution_of_all_steps(pairs):
    u, v, n = (np.array([[float(kind[i]) for kind in pair] for pair in pairs]) for i in range(3))
    for found, pair in zip(ahead(u, v, n), pairs, strict=True):
        law = convolved(pair)
        exact = sum(x for d, x in law.items() if d > 0) + law.get(0, 0) / 2
        assert found == pytest.approx(float(exact), abs=1e-12)


@pytest.mark.parametrize("n", [1000, 30_000])
def test_ahead_of_many_users_is_a_binomial_sum(n):
    """If every user reports one of the two topics, the first wins iff it has more than half of n."""
    found = ahead([[0.5], [0.51], [0.49], [0.9]], [[0.5], [0.49], [0.51], [0.1]], [[n]] * 4)
    for chance, p in zip(found, (0.5, 0.51, 0.49, 0.9), strict=True):
        law = stats.binom(n, p)
        assert chance == pytest.approx(law.sf(n // 2) + law.pmf(n / 2) / 2, abs=1e-10)


@pytest.mark.parametrize("n", [1e6, 1e9])
def test_rare_topics_behind_very_popular_ones_are_found_as_well(n):
    """The chance of the two popular topics, one deviation apart, times that of the two rare ones."""
    means = [n, n - n**0.5, 100.0, 50.0]
    expected = stats.norm.cdf(0.5**0.5) * stats.norm.cdf(50 / (150 + 1 / 6) ** 0.5)
    assert order_approximately(means, means, [4, 3, 2, 1], top=3) == pytest.approx(expected, abs=1e-3)


@pytest.mark.parametrize("top", [1, 2, 5, 20, 100, 250])
def test_equally_popular_topics_are_found_as_any_others_that_are_reported_as_often(top):
    """If 302 topics are reported alike, the first are among 300 given ones as in drawing lots."""
    found = order_approximately([50.0] * 302, [50.0] * 302, [9] * 300 + [1] * 2, top=top)
    assert found == pytest.approx(comb(300, top) / comb(302, top), rel=1e-3)
    assert order_approximately([90.0] * 300 + [1.0] * 2, [9.0] * 302, [9] * 300 + [1] * 2, top) > 0.999


def test_ahead_of_many_users_is_about_normal():
    counts, up, down = (
        np.array([40_000.0, 39_000.0, 8_000.0, 160_000.0]),
        [0.19, 0, 0.19, 0],
        [0, 0.19, 0.19, 0],
    )
    mean = 0.19 * 1000
    variance = (0.19 - 0.19**2) * 79_000 + 2 * 0.19 * 8_000
    (found,) = ahead(up, down, counts)
    assert found == pytest.approx(stats.norm.cdf(mean / variance**0.5), abs=1e-3)


@st.composite
def worlds(draw):
    """Counts of holders, and for each topic the law of a few independent multinomial users."""
    holders = draw(st.lists(st.integers(0, 3), min_size=2, max_size=4))
    assume(sum(holders) > 0)
    noise = draw(st.sampled_from([0.0, 0.2, 0.6]))
    shares = [(1 - noise) * n / sum(holders) + noise / len(holders) for n in holders]
    return holders, shares, draw(st.integers(1, 5))


def chance_in_order(holders, shares, N, top):
    """Enumerate all counts of N users; topics reported equally often are ranked in every order alike."""
    wanted, total = sorted(holders, reverse=True)[:top], 0.0
    for reports in product(range(len(holders)), repeat=N):
        counts = [reports.count(t) for t in range(len(holders))]
        total += prod(shares[t] for t in reports) * share_of_orders(holders, counts, wanted)
    return total


def share_of_orders(holders, counts, wanted):
    """Walk through the places: at each, any of the topics tied for it may stand."""
    if not wanted:
        return 1.0
    best = max(counts)
    tied = [t for t, count in enumerate(counts) if count == best]
    right = [t for t in tied if holders[t] == wanted[0]]
    rest = [[-inf if t == chosen else c for t, c in enumerate(counts)] for chosen in right]
    return sum(share_of_orders(holders, left, wanted[1:]) for left in rest) / len(tied)


@given(worlds(), st.data())
@settings(max_examples=60)
def test_the_bounds_hold_the_chance_by_enumeration(world, data):
    holders, shares, N = world
    top = data.draw(st.integers(1, len(holders)))
    first, second = needed_pairs(holders, top)
    f = np.array(shares)
    right = ahead(f[first][:, None], f[second][:, None], np.full((len(first), 1), N)) if len(first) else []
    low, high = order_bounds(holders, top, right)
    exact = chance_in_order(holders, shares, N, top)
    assert low - 1e-9 <= exact <= high + 1e-9
    if len(holders) == 2 and holders[0] != holders[1]:
        assert low == pytest.approx(exact, abs=1e-12)
        assert high == pytest.approx(exact, abs=1e-12)


@given(st.lists(st.integers(0, 5), min_size=1, max_size=8), st.data())
def test_the_needed_pairs_are_enough(holders, data):
    """Whenever all needed pairs are right in an order, the first places are as popular as they should be."""
    top = data.draw(st.integers(1, len(holders)))
    first, second = needed_pairs(holders, top)
    order = data.draw(st.permutations(range(len(holders))))
    place = {t: k for k, t in enumerate(order)}
    if all(place[a] < place[b] for a, b in zip(first.tolist(), second.tolist(), strict=True)):
        assert [holders[t] for t in order[:top]] == sorted(holders, reverse=True)[:top]
    assert all(holders[a] > holders[b] for a, b in zip(first.tolist(), second.tolist(), strict=True))


def test_the_approximation_is_right_for_independent_normal_counts():
    """Two topics: by the normal distribution. More: by a simulation of normal numbers."""
    found = order_approximately([105, 100], [64 - 1 / 12, 36 - 1 / 12], [2, 1], 1)
    assert found == pytest.approx(stats.norm.cdf(0.5), abs=1e-4)
    mu, sigma = np.array([130.0, 120, 120, 100, 20]), np.array([9.0, 8, 8, 12, 3])
    drawn = np.random.default_rng(0).normal(mu, sigma, (200_000, 5))
    order = np.argsort(-drawn, axis=1)
    popular = np.array([9, 7, 7, 5, 1])
    for top in (1, 2, 3, 4, 5):
        right = (popular[order[:, :top]] == np.sort(popular)[::-1][:top]).all(axis=1).mean()
        found = order_approximately(mu, sigma**2 - 1 / 12, popular, top)
        assert found == pytest.approx(right, abs=0.005)


def test_the_approximation_takes_certain_counts_too():
    assert order_approximately([10, 0, 0], [0, 0, 0], [10, 0, 0], 1) == pytest.approx(1, abs=1e-6)
    assert order_approximately([3, 3], [0, 0], [3, 3], 2) == pytest.approx(1, abs=1e-3)
