"""Monte Carlo: the intervals hold the exact values as often as they say, and seeds repeat."""

from fractions import Fraction
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quiff import Population, TopicsAPI
from quiff.core.counting.subsets import Subsets
from quiff.weeks.estimate import (
    Estimate,
    best_shares,
    certain_bracket,
    hybrid_leakage,
    mismatch_tail,
    sampled_vulnerabilities,
)
from quiff.weeks.exact import exact_vulnerability
from quiff.weeks.sequences import Profiles, Sequences
from weeks import loops

SEEDS = 200


def covered(exact, estimates):
    return np.mean([estimate.low <= exact <= estimate.high for estimate in estimates])


@pytest.fixture(scope="module")
def stable():
    return Sequences.of(Population.synthetic(60, seed=3, n_topics=12, top_s=3), TopicsAPI(14, 3, 0.3))


def test_the_hybrid_interval_covers_five_exact_epochs(stable):
    exact = exact_vulnerability(stable, 5) / stable.prior
    estimates = [hybrid_leakage(stable, 5, seed, samples=300) for seed in range(SEEDS)]
    assert covered(exact, estimates) >= 0.91  # 95 % less three deviations of 200 tries
    assert np.mean([e.value for e in estimates]) == pytest.approx(exact, rel=0.005)
    codes = stable.profiles(1).codes[0]
    every, but_one = Subsets.of(codes, 14, 4).fitted_tuples(5)
    p, q = stable.inside, stable.outside
    part = every * p**5 + but_one * p**4 * q
    bracket = part, part + len(codes) * mismatch_tail(stable, 5)
    assert certain_bracket(stable, 5, Subsets.of(codes, 14, 4)) == pytest.approx(bracket)
    assert bracket[0] <= exact <= bracket[1]
    assert all(bracket[0] <= e.low <= e.high <= bracket[1] for e in estimates)


def test_plain_intervals_cover_exact_values_for_all_epochs_at_once(stable):
    runs = [sampled_vulnerabilities(stable, 4, seed, samples=300) for seed in range(SEEDS)]
    for E in range(1, 5):
        exact = exact_vulnerability(stable, E)
        assert covered(exact, [run[E - 1] for run in runs]) >= 0.91
        assert np.mean([run[E - 1].value for run in runs]) == pytest.approx(exact, rel=0.02)


def test_plain_intervals_cover_with_changing_sets_and_weights():
    rng = np.random.default_rng(5)
    sets = np.stack([rng.permuted(np.tile(np.arange(8), (40, 1)), axis=1)[:, :2] for _ in range(3)])
    for weights in (None, rng.integers(1, 9, 40)):
        people = Population.from_array(range(40), sets, topics=range(8), weights=weights)
        found = Sequences.of(people, TopicsAPI(9, 2, 0.2))
        exact = float(exact_vulnerability(found, 3))
        runs = [sampled_vulnerabilities(found, 3, seed, samples=300)[2] for seed in range(SEEDS)]
        assert covered(exact, runs) >= 0.91
        assert np.mean([run.value for run in runs]) == pytest.approx(exact, rel=0.02)


def test_without_noise_nothing_is_outside(stable):
    silent = Sequences.of(Population.from_sets({"Alice": {0, 1}, "Bob": {2, 3}}), TopicsAPI(5, 2, 0.0))
    assert mismatch_tail(silent, 9) == 0
    found = sampled_vulnerabilities(silent, 3, samples=200)
    assert [estimate.value for estimate in found] == [1, 1, 1]
    assert hybrid_leakage(silent, 6).value == 2


def test_a_thousand_epochs_tell_nearly_all_profiles_apart(stable):
    found = hybrid_leakage(stable, 1000, samples=100)
    assert found.value == pytest.approx(stable.limit(1))
    assert found.low > 0.9 * found.value


def test_the_same_seed_gives_the_same_estimate(stable):
    assert hybrid_leakage(stable, 7, 4, samples=200) == hybrid_leakage(stable, 7, 4, samples=200)
    assert hybrid_leakage(stable, 7, 4, samples=200) != hybrid_leakage(stable, 7, 5, samples=200)


@pytest.mark.parametrize("stable", [False, True])
@given(st.data())
def test_the_shares_are_those_of_the_definition(stable, data):
    users, weights, m, s, r, E, _ = data.draw(loops.instances(most_epochs=3, most_topics=4, stable=stable))
    r = max(r, Fraction(1, 10))
    p, q = loops.probabilities(m, s, r)
    reports = np.array(list(loops.tuples(m, E)))
    codes = tuple(np.array([sorted(user[e]) for user in users]) for e in range(1 if stable else E))
    best = None if weights is None else np.array(weights)
    total = None if weights is None else np.array(weights) + 1.0
    shares, fits = best_shares(
        Sequences(codes, m, p, q), Profiles(codes, best, total), reports, range(1, E + 1)
    )
    largest, all_of_them = (
        weights or [1] * len(users),
        [w + 1 for w in weights] if weights else [1] * len(users),
    )
    for y, share, fit in zip(reports.tolist(), shares, fits, strict=True):
        for n in range(1, E + 1):
            chances = [loops.chance(user[:n], y[:n], p, q) for user in users]
            top = max(w * c for w, c in zip(largest, chances, strict=True))
            likely = sum(w * c for w, c in zip(all_of_them, chances, strict=True))
            assert share[n - 1] == pytest.approx(float(top / likely), rel=1e-12)
            assert fit[n - 1] == max(
                sum(t in own for t, own in zip(y[:n], user[:n], strict=True)) for user in users
            )


@pytest.mark.parametrize("n", [30, 100, 1000])
def test_intervals_hold_the_mean_of_two_values_at_least_as_often_as_stated(n):
    """Exactly, by the law of the number of odd values; with 1.96 deviations it was 93 % at worst."""
    for usual, odd in [(0.2, 0.0), (0.3, 0.0), (0.7, 1.0), (0.0, 0.25), (0.0, 1.0), (1.0, 0.75)]:
        for expected_odd in [0.1, 1, 2, 3, 5, 8, 13, 21, 35.5, 43, 50]:
            share = expected_odd / n
            if share > 0.5:
                continue
            held = 0.0
            for k in range(n + 1):
                law = comb(n, k) * share**k * (1 - share) ** (n - k) if k < 200 else 0.0
                if law > 1e-12:
                    found = Estimate.of_mean(np.repeat([odd, usual], [k, n - k]))
                    mean = usual + share * (odd - usual)
                    held += law * (found.low <= mean <= found.high)
            assert held >= 0.95, (n, usual, odd, expected_odd)
