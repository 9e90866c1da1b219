"""What the Attribution API reveals: each number by a second way."""

from itertools import pairwise
from math import exp, log

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import binom, laplace

import quiff
from quiff.apis.noisy_histogram import W3CAttribution
from quiff.attribution.browser import Browser
from quiff.attribution.options import Config
from quiff.attribution.spending import budgets_of, released_in_a_week, spent_elsewhere, told_by_zeros
from quiff.measures.capacity import repeated_capacity, shannon_estimate
from quiff.mechanisms import laplace as noise
from quiff.studies.attribution_leakage import attribution_leakage
from quiff.theory.mechanisms import laplace_keys


@pytest.mark.parametrize("buckets", [1, 2, 20, 1000])
@pytest.mark.parametrize("t", [0.1, 0.5, 2, 10])
def test_one_histogram_has_the_capacity_of_the_closed_form(buckets, t):
    low, high = repeated_capacity(t, 1, buckets)
    assert low <= laplace_keys(buckets, t)["bayes_capacity"] * (1 + 1e-9)
    assert laplace_keys(buckets, t)["bayes_capacity"] <= high * (1 + 1e-9)
    assert high / low < 1.01


@pytest.mark.parametrize("n", [2, 3])
def test_several_histograms_have_the_capacity_of_the_repeated_channel(n):
    C = quiff.repeat(noise([0.0, 0.7], 1.0, cells=60), n)
    low, high = repeated_capacity(0.7, n, 1)
    measured = float(quiff.bayes_capacity(C))
    assert measured <= high * (1 + 1e-9)
    assert low <= measured * C.slack
    assert low == pytest.approx(measured, rel=1e-3)


def test_two_buckets_twice_by_simulation():
    rng, draws, t = np.random.default_rng(1), 200_000, 0.8
    right = 0
    for secret in range(3):
        y = rng.laplace(size=(draws, 2, 2))  # rounds, buckets
        if secret:
            y[:, :, secret - 1] += t
        ratios = np.round((np.abs(y) - np.abs(y - t)).sum(axis=1), 9)  # else the last digits tell, too
        guess = np.argmax(np.hstack([np.zeros((draws, 1)), ratios]), axis=1)
        right += (guess == secret).mean()
    low, high = repeated_capacity(t, 2, 2)
    assert right == pytest.approx((low + high) / 2, abs=5 * 3 * 0.5 / draws**0.5)


@pytest.mark.parametrize(("others", "rate"), [(1, 0.1), (5, 0.4), (40, 0.1)])
def test_a_batch_with_others_by_an_integral(others, rate):
    t = 0.5
    weights = binom.pmf(range(others + 1), others, rate)

    def density(z, added):
        return sum(w * laplace.pdf(z - t * (k + added)) for k, w in enumerate(weights))

    ends = [t * k for k in range(others + 2)]
    pieces = [(-40, 0), *pairwise(ends), (ends[-1], ends[-1] + 40)]
    total = sum(quad(lambda z: max(density(z, 0), density(z, 1)), a, b)[0] for a, b in pieces)
    C = W3CAttribution(keys=1, others=others, rate=rate).observe([None, 0])
    assert float(quiff.bayes_capacity(C)) <= total + 1e-6
    assert float(quiff.bayes_capacity(C)) * C.slack >= total - 1e-6
    assert C.slack < 1.01


def test_others_lower_the_capacity_and_leave_epsilon():
    found = [W3CAttribution(keys=1, others=k).observe([None, 0]) for k in (0, 1, 10, 100)]
    capacities = [float(quiff.bayes_capacity(C)) for C in found]
    assert capacities == sorted(capacities, reverse=True)
    assert [quiff.epsilon(C) for C in found] == pytest.approx([0.5] * 4)


def test_the_estimate_of_shannon_capacity_holds_the_closed_form():
    api = W3CAttribution(epsilon=4, keys=1)
    bits, error = shannon_estimate(api.observe([None, 0]).kernel)
    exact = laplace_keys(1, 2.0)["shannon_capacity_bits"]
    assert bits == pytest.approx(exact, abs=2 * error)


def test_the_estimate_of_shannon_capacity_for_two_buckets_is_that_of_the_matrix():
    law = noise([0.0, 2.0], 1.0, cells=40).to_numpy()
    rows = [np.outer(law[a], law[b]).ravel() for a, b in ((0, 0), (1, 0), (0, 1))]
    exact = quiff.shannon_capacity(quiff.Channel(np.array(rows))).value
    bits, error = shannon_estimate(W3CAttribution(epsilon=4, keys=2).observe([None, 0, 1]).kernel)
    assert bits == pytest.approx(exact, abs=2 * error + 1e-3)


@pytest.mark.parametrize(("budget", "quota", "shared"), [(1, 4, 8), (1, 9, 6), (10, 1000, 1000), (1, 1, 1)])
def test_releases_are_as_many_as_the_shared_budgets_allow(budget, quota, shared):
    expected = min(60, int(min(quota, shared) // (2 * budget)))
    assert released_in_a_week(budgets_of(budget, quota, shared), budget, 60) == expected


@pytest.mark.parametrize("multiple", [1, 2, 4])
def test_zeros_tell_whether_the_shared_budget_was_spent_elsewhere(multiple):
    C = spent_elsewhere(multiple=multiple).channel(list(range(2 * multiple + 1)))
    expected = {n: int(n < multiple) for n in range(2 * multiple + 1)}
    assert all(C.to_numpy()[n, list(C.outputs).index(seen)] == 1 for n, seen in expected.items())
    _, capacity, epsilon = told_by_zeros(1.0, multiple)
    assert capacity == pytest.approx(2 - exp(-1 / 2))
    assert epsilon == pytest.approx(1)


def test_two_sites_until_the_quota_is_spent_by_a_program():
    """The executable model as a program: three sites ask, two get something, and noise is cut into cells."""

    @quiff.program
    def three_sites(bucket, draw):
        browser = Browser(budgets_of(0.7, 2 * 1.4, 8), flip=draw.flip)
        if bucket == "seen":
            browser.save_impression(10**7, "news.example", histogram_index=0)
        asked = {
            "aggregation_service": "https://agg-service.example",
            "histogram_size": 1,
            "lookback_days": 1,
        }
        return tuple(
            browser.measure_conversion(10**7 + n, f"shop{n}.example", **asked, epsilon=1.4).histogram[0]
            for n in range(3)
        )

    C = three_sites.channel(["seen", "none"])
    assert sorted(C.outputs) == [(0, 0, 0), (1, 1, 0)]
    one = noise([0, 1], 1 / 0.7, cells=60)
    rows = {0: one.to_numpy()[0], 1: one.to_numpy()[1]}
    law = {
        output: np.multiply.outer(
            np.multiply.outer(rows[output[0]], rows[output[1]]), rows[output[2]]
        ).ravel()
        for output in C.outputs
    }
    noisy = quiff.Channel(C.to_numpy() @ np.array([law[output] for output in C.outputs]))
    low, high = repeated_capacity(0.7, 2, 1)
    assert low * (1 - 1e-3) <= float(quiff.bayes_capacity(noisy)) <= high


def test_the_error_of_counts_by_playing_a_batch():
    """A batch of browsers, each with one conversion; noise as the aggregation service would add it."""
    epsilon, size, share = 1.0, 300, 1 / 3
    rng = np.random.default_rng(0)
    total = np.zeros(3)
    for n in range(size):
        browser = Browser(Config(), seed=n)
        if n < size * share:
            browser.save_impression(1, "news.example", histogram_index=n % 2)
        total += browser.measure_conversion(
            2, "shop.example", aggregation_service="https://agg-service.example", histogram_size=3
        ).histogram
    assert total.tolist() == [50, 50, 0]
    errors = np.abs(rng.laplace(scale=2 / epsilon, size=100_000))
    assert errors.mean() / 50 == pytest.approx(2 / epsilon / (size * share / 2), rel=0.02)


def test_the_result_has_rows_sentences_and_views(tmp_path):
    result = attribution_leakage(1, buckets=2, others=5, weeks=[1, 2])
    assert round(result["w3c_attribution:keys=2", "bayes_capacity"], 6) == 1.366582
    assert "capacity" in result.to_text()
    assert max(map(len, result.to_text().splitlines())) <= 80
    result.figure().write(tmp_path / "f.svg")
    week = result.rows.where(stage="one site, 1 weeks")
    assert week["bayes_capacity"] <= exp(week["epsilon"])
    assert log(week["bayes_capacity"]) <= week["epsilon"]


@pytest.mark.parametrize("wrong", [{"epsilon": 0}, {"buckets": 0}, {"weeks": [0]}, {"sites": 0}, {"rate": 2}])
def test_what_is_out_of_range_is_refused(wrong):
    with pytest.raises(quiff.QuiffError):
        attribution_leakage(**wrong)
