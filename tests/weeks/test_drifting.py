"""Many observations of a secret that changes, beside values computed elsewhere and plain enumeration."""

from itertools import pairwise, product
from math import exp

import numpy as np
import pytest

from quiff import Channel, Prior, posterior_vulnerability, repeat
from quiff.weeks.drifting import Drifting, largest

# Each value was computed twice, elsewhere, before quiff had any: epsilon 1, a fair bit, then one of five
# equally probable values, through randomised response. now: T = 4, 13, 26, infinity, and how many weeks give
# 99 % of what all add; path: T = 2, 4, 13, 26.
BIT = {
    0.8: ([0.7663133, 0.7736222, 0.7736279, 0.7736279], 6, [0.6579527, 0.5991770, 0.3062753, 0.1103762]),
    0.9: ([0.7919775, 0.8229528, 0.8232472, 0.8232477], 9, [0.6945056, 0.7046905, 0.5368028, 0.3276167]),
    0.95: ([0.8063909, 0.8709671, 0.8731760, 0.8731998], 12, [0.7127821, 0.7618009, 0.7173801, 0.5661799]),
    0.99: ([0.8187202, 0.9384877, 0.9531278, 0.9542281], 19, [0.7274033, 0.8096491, 0.9080304, 0.8824803]),
}
FIVE = {
    0.8: ([0.4485980, 0.4650759], 0.46523, [0.3089463, 0.0943637]),
    0.9: ([0.4822967, 0.5461173], 0.55066, [0.4058902, 0.2787403]),
    0.95: ([0.5011172, 0.6254717], 0.64977, [0.4611676, 0.4638854]),
    0.99: ([0.5171154, 0.7259487], 0.82596, [0.5088387, 0.6874633]),
}
PATHS_KNOWN = {
    0: 0.05561300,
    0.8: 0.02490670,
    0.9: 0.01743761,
    0.95: 0.01250274,
    0.99: 0.00796845,
    1: 0.00192848,
}
NOISY_BIT = {  # T = 4, 13, 26
    0.8: [0.63950, 0.64859, 0.64866],
    0.9: [0.65581, 0.68994, 0.69234],
    0.95: [0.66544, 0.73052, 0.74425],
    0.99: [0.67395, 0.78285, 0.84002],
    1: [0.6762, 0.79992, 0.88205],
}
NEVER = {2: [0.8219163, 0.9642382, 0.9933525], 5: [0.5212489, 0.7570236, 0.9030471]}  # T = 4, 13, 26


def randomised(k, stability, epsilon=1.0):
    truth = exp(epsilon) / (k - 1 + exp(epsilon))
    rows = np.full((k, k), (1 - truth) / (k - 1))
    np.fill_diagonal(rows, truth)
    return Drifting(np.full(k, 1 / k), rows, stability)


def enumerated(law, shown, rho, n):
    """Return V of the last secret, of the first and of the path, summed over all outputs and paths."""
    k, outputs = len(law), range(len(shown[0]))
    now = first = path = 0.0
    for y in product(outputs, repeat=n):
        last_is, first_is, best = [0.0] * k, [0.0] * k, 0.0
        for x in product(range(k), repeat=n):
            p = law[x[0]] * shown[x[0]][y[0]]
            for before, after, output in zip(x, x[1:], y[1:], strict=False):
                p *= (rho * (before == after) + (1 - rho) * law[after]) * shown[after][output]
            last_is[x[-1]] += p
            first_is[x[0]] += p
            best = max(best, p)
        now, first, path = now + max(last_is), first + max(first_is), path + best
    return now, first, path


def random_model(rng, k=None):
    k = k or int(rng.integers(2, 5))
    law = rng.dirichlet(np.ones(k))
    return (
        law,
        rng.dirichlet(np.ones(int(rng.integers(2, 4))), size=k),
        float(rng.choice([0, 0.3, 0.8, 1, rng.random()])),
    )


@pytest.mark.parametrize("stability", BIT)
def test_a_bit_has_the_values_that_were_computed_elsewhere(stability):
    now, _, path = BIT[stability]
    bit = randomised(2, stability)
    answers, paths = bit.track(26), bit.track(26, "path")
    assert [round(answers[n - 1].value, 7) for n in (1, 2, 4, 13, 26)] == [0.7310586, 0.7310586, *now[:3]]
    assert [round(paths[n - 1].value, 7) for n in (2, 4, 13, 26)] == path
    assert answers[12].method == "exact"
    assert answers[25].high - answers[25].low < 1e-8


@pytest.mark.parametrize(
    "stability", [0.8, *(pytest.param(rho, marks=pytest.mark.full) for rho in (0.9, 0.95, 0.99))]
)
def test_what_is_learnt_of_a_bit_levels_off(stability):
    limit, enough = randomised(2, stability).saturation()
    now, weeks, _ = BIT[stability]
    assert (round(limit.value, 7), enough) == (now[3], weeks)


@pytest.mark.parametrize("stability", FIVE)
def test_one_of_five_values_has_the_values_that_were_computed_elsewhere(stability):
    now, _, path = FIVE[stability]
    value = randomised(5, stability)
    assert [round(answer.value, 7) for answer in value.track(4)][3] == now[0]
    paths = value.track(13, "path")
    assert [round(paths[n - 1].value, 7) for n in (4, 13)] == path


@pytest.mark.full
@pytest.mark.parametrize("stability", FIVE)
def test_one_of_five_values_over_half_a_year(stability):
    now, half_a_year, _ = FIVE[stability]
    answers = randomised(5, stability).track(26)
    assert round(answers[12].value, 7) == now[1]
    assert answers[12].method == "exact"
    assert answers[25].low - 2e-5 <= half_a_year <= answers[25].high + 2e-5  # which is from below
    assert answers[25].high - answers[25].low < 2e-3


def behind_laplace_noise(stability, cells):
    """Return a bit behind the W3C's noise of epsilon 1; between 0 and 1 its density is cut into cells."""
    scale, ends = 2.0, np.linspace(0, 1, cells + 1)

    def share(bit):
        left, right = 0.5 * np.exp((ends - bit) / scale), 1 - 0.5 * np.exp((bit - ends) / scale)
        below = np.where(ends < bit, left, right)
        return np.concatenate([[below[0]], np.diff(below), [1 - below[-1]]])

    return Drifting(np.full(2, 0.5), np.stack([share(0), share(1)]), stability)


@pytest.mark.parametrize("stability", NOISY_BIT)
def test_a_bit_behind_laplace_noise(stability):
    answers = behind_laplace_noise(stability, 40).track(4)
    assert round(answers[0].value, 5) == 0.61060
    assert answers[3].value == pytest.approx(NOISY_BIT[stability][0], abs=1.5e-5)


@pytest.mark.full
@pytest.mark.parametrize("stability", NOISY_BIT)
def test_a_bit_behind_laplace_noise_over_half_a_year(stability, monkeypatch):
    monkeypatch.setattr("quiff.weeks.drifting._FINE", 2**11)
    answers = behind_laplace_noise(stability, 40).track(26)
    assert [answers[n - 1].value for n in (13, 26)] == pytest.approx(NOISY_BIT[stability][1:], abs=2e-5)


@pytest.mark.parametrize("k", NEVER)
def test_a_value_that_never_changes_is_counted(k):
    answers = randomised(k, 1.0).track(26)
    assert [round(answers[n - 1].value, 7) for n in (4, 13, 26)] == NEVER[k]
    assert {answer.method for answer in answers} == {"exact"}


@pytest.mark.parametrize("stability", PATHS_KNOWN)
def test_who_knows_the_path_of_everybody(stability):
    bit = randomised(2, stability)
    assert round(bit.paths_known(1000, 13, 0)[-1].value, 8) == PATHS_KNOWN[stability]


@pytest.mark.parametrize(("stability", "share"), [(0, "0.93"), (0.5, "1.69"), (1, "0.20")])
def test_a_rare_interest_is_told_by_its_path_best_in_between(stability, share):
    """The example of the page on changing interests, by plain sums over paths and outputs."""
    users, weeks, law, truth = 1000, 8, (0.99, 0.01), exp(3) / (1 + exp(3))
    paths = {}
    for path in product((0, 1), repeat=weeks):
        p = law[path[0]]
        for before, after in pairwise(path):
            p *= stability * (before == after) + (1 - stability) * law[after]
        paths[path] = p
    total = 0.0
    for y in paths:
        matches = [0.0] * (weeks + 1)
        for path, p in paths.items():
            matches[sum(a == b for a, b in zip(path, y, strict=True))] += p
        below = 0.0
        for j, mass in enumerate(matches):
            largest_is_j = min(1.0, below + mass) ** users - min(1.0, below) ** users
            total += largest_is_j * truth**j * (1 - truth) ** (weeks - j) / users
            below += mass
    rows = np.array([[truth, 1 - truth], [1 - truth, truth]])
    assert f"{100 * total:.2f}" == share
    assert Drifting(np.array(law), rows, stability)._known_exactly(users, weeks) == pytest.approx(
        total, rel=1e-9
    )


@pytest.mark.parametrize("seed", range(20))
def test_random_models_are_those_of_plain_enumeration(seed):
    rng = np.random.default_rng(seed)
    law, shown, rho = random_model(rng)
    model = Drifting(law, shown, rho)
    for n in (1, 2, 3):
        now, first, path = enumerated(law.tolist(), shown.tolist(), rho, n)
        assert first == pytest.approx(now, abs=1e-12)  # the chain is reversible
        assert model.track(n)[-1].value == pytest.approx(now, abs=1e-12)
        assert model.track(n, "path")[-1].value == pytest.approx(path, abs=1e-12)


@pytest.mark.parametrize(
    "seed", [*range(3), *(pytest.param(seed, marks=pytest.mark.full) for seed in range(3, 50))]
)
def test_bounds_hold_the_exact_value(seed, monkeypatch):
    rng = np.random.default_rng([seed, 1])
    for _ in range(20):
        model = Drifting(*random_model(rng, int(rng.integers(2, 4))))
        n, question = int(rng.integers(3, 7)), str(rng.choice(["now", "path"]))
        exact = model.track(n, question)[-1]
        assert exact.method == "exact"
        with monkeypatch.context() as patch:
            patch.setattr("quiff.weeks.drifting._STORED", 20)
            patch.setattr("quiff.weeks.drifting._POINTS", 60)
            bounds = Drifting(model.law, model.shown, model.stability).track(n, question)[-1]
        assert bounds.low - 1e-12 <= exact.value <= bounds.high + 1e-12


@pytest.mark.parametrize("k", [2, 3, 5])
def test_mixtures_are_of_points_of_the_grid_and_have_the_same_mean(k):
    """Near the corners of the simplex too, where sums are more than one by rounding."""
    rng = np.random.default_rng(k)
    shares = rng.dirichlet(np.ones(k), size=2000) ** rng.choice([1, 10, 40], size=(2000, 1))
    for model in (randomised(k, 0.9), Drifting(rng.dirichlet(np.ones(k)), randomised(k, 0.9).shown, 0.9)):
        points = model._mixtures(shares)
        parts = points / points.sum(axis=1, keepdims=True) * model.steps
        assert points.min() >= 0
        assert np.abs(parts - np.rint(parts)).max() < 1e-6
        if not model.symmetric:
            assert points.sum(axis=0) == pytest.approx(shares.sum(axis=0), rel=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_what_never_changes_and_what_is_always_drawn_anew(seed):
    rng = np.random.default_rng([seed, 2])
    law, shown, _ = random_model(rng)
    C, prior = Channel(shown), Prior(dict(enumerate(law / law.sum())))
    never, always = Drifting(law, shown, 1.0).track(5), Drifting(law, shown, 0.0).track(5)
    for n in range(1, 6):
        assert never[n - 1].value == pytest.approx(posterior_vulnerability(prior, repeat(C, n)), abs=1e-9)
        assert always[n - 1].value == pytest.approx(posterior_vulnerability(prior, C), abs=1e-9)
    weeks = Drifting(law, shown, 0.0).track(4, "path")
    assert weeks[3].value == pytest.approx(posterior_vulnerability(prior, C) ** 4, abs=1e-12)


def test_a_bit_is_guessed_no_better_by_its_history_up_to_the_threshold():
    truth = exp(1) / (1 + exp(1))
    threshold = 1 - 2 * truth * (1 - truth)
    assert round(threshold, 10) == 0.6067761335
    assert randomised(2, threshold - 1e-3).track(8)[-1].value == pytest.approx(truth, abs=1e-12)
    assert randomised(2, threshold + 1e-3).track(8)[-1].value > truth + 1e-6


@pytest.mark.parametrize("question", ["now", "path"])
def test_samples_hold_the_exact_value(question):
    model = randomised(3, 0.9)
    exact, sampled = model.track(6, question), model.sampled(6, question, largest, 1)
    for answer, estimate in zip(exact, sampled, strict=True):
        assert estimate.low <= answer.value <= estimate.high


def test_samples_of_known_paths_hold_the_exact_value():
    bit = randomised(2, 0.9)
    for n, estimate in enumerate(bit._known_sampled(100, 6, 2), start=1):
        assert estimate.low <= bit._known_exactly(100, n) <= estimate.high
