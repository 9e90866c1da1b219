"""Random small populations: measure, risk and epochs against dense enumeration in plain Python."""

import random
from fractions import Fraction
from itertools import product
from operator import mul

import pytest

from fuzzing import cases
from quiff import Population, TopicsAPI, measure, over_time, user_risk
from read import leakages, risks
from weeks import loops

CASES = 100

NUMBERS = ("own_risk", "worst_posterior")


def drawn(seed):
    """Users with a set in each epoch, weights, m, s, r and E."""
    rng = random.Random(seed)
    m = rng.randint(2, 5)
    s = rng.randint(1, min(3, m))
    N, E = rng.randint(1, 6), rng.randint(1, 3)
    same = rng.random() < 0.5
    kinds = [frozenset(rng.sample(range(m), s)) for _ in range(rng.randint(1, 5))]
    users = [[rng.choice(kinds)] * E if same else [rng.choice(kinds) for _ in range(E)] for _ in range(N)]
    weights = None
    if rng.random() < 0.6:
        unit = rng.choice([1, 1, Fraction(1, 3), 0.1, 1e308 / 8, 1e-308])
        weights = [unit * rng.choice([0, 1, 1, 2, 3]) for _ in users]
        if not any(weights):
            weights[0] = unit
    r = Fraction(rng.choice([0, 0, 1, 5, 10, 20]), 20)
    return users, weights, m + rng.randint(0, 2), s, r, E, same, rng.random() < 0.5


def tied_by_rounding(weights, exact):
    """Whether two users may be equally probable in fractions and not in floats, or the other way round."""
    return weights is not None and (not exact or any(isinstance(weight, float) for weight in weights))


def exactly(weights, n):
    return [Fraction(1)] * n if weights is None else [Fraction(weight) for weight in weights]


def test_epochs_are_those_of_dense_enumeration():
    for seed in cases(CASES):
        users, weights, m, s, r, E, same, exact = drawn(seed)
        people = loops.population(users, weights, m, same)
        noise = r if exact else float(r)
        found = over_time(people, TopicsAPI(m, s, noise), E)
        w = exactly(weights, len(users))
        p, q = loops.probabilities(m, s, r)
        prior = max(w) / sum(w)
        at = f"seed {seed}"
        for row in leakages(found):
            cut = [user[: row["observations"]] for user in users]
            expected = loops.vulnerability(cut, w, m, p, q)
            assert float(row["vulnerability"]) == pytest.approx(float(expected), rel=1e-9), at
            assert float(row["leakage"]) == pytest.approx(float(expected / prior), rel=1e-9), at
            assert row["leakage"] >= 1, at
            assert float(row["low"]) <= float(row["leakage"]) <= float(row["high"]), at
        for risk in risks(found):
            cut = [user[: risk["observations"]] for user in users]
            expected = loops.risks(cut, w, m, p, q)
            if tied_by_rounding(weights, exact):
                continue
            assert risk["max"] == pytest.approx(float(max(expected)), abs=1e-9), at
            assert risk["mean"] == pytest.approx(float(sum(map(mul, w, expected)) / sum(w)), abs=1e-9), at
            above = sum(x for x, own in zip(w, expected, strict=True) if own > Fraction(1, 2))
            assert risk["users_above"] == pytest.approx(float(above / sum(w)), abs=1e-12), at


def test_risk_and_measure_are_those_of_dense_enumeration():
    for seed in cases(CASES):
        users, weights, m, s, r, _, _, exact = drawn(seed)
        sets = [user[0] for user in users]
        people = Population.from_array(
            range(len(users)), [sorted(own) for own in sets], topics=range(m), weights=weights
        )
        api = TopicsAPI(m, s, r if exact else float(r))
        w = exactly(weights, len(users))
        p, q = loops.probabilities(m, s, r)
        at = f"seed {seed}"
        risk = user_risk(people, api)
        owns, worsts = (risk.per_user.values[api.spec, "topics", name].astype(float) for name in NUMBERS)
        own, worst = plain_risk(sets, w, m, p, q)
        posterior = sum(
            max(w[x] * (p if y in sets[x] else q) for x in range(len(users))) for y in range(m)
        ) / sum(w)
        assert float(risk[api.spec, "risk_mean"]) == pytest.approx(float(posterior), rel=1e-9), at
        found = measure(people, api)
        assert found.population["users"] == len(users), at
        if tied_by_rounding(weights, exact):
            continue
        assert owns.tolist() == pytest.approx([float(x) for x in own], abs=1e-9), at
        assert worsts.tolist() == pytest.approx([float(x) for x in worst], abs=1e-9), at
        some = [float(x) > 0.5 + 1e-6 for x in own]
        share = sum(x for x, above in zip(w, some, strict=True) if above) / sum(w)
        assert risk[api.spec, "users_above"] == pytest.approx(float(share), abs=1e-9), at
        (bars,) = (s["histogram"] for s in risk.payload["stages"] if s["stage"] == "topics")
        for low, high, bar in bars:
            inside = sum(
                x
                for x, v in zip(w, own, strict=True)
                if low <= float(v) + 1e-12 and (high is None or float(v) + 1e-12 < high)
            )
            assert bar == pytest.approx(float(inside / sum(w)), abs=1e-9), at


def plain_risk(sets, w, m, p, q):
    """R_x with ties broken at random, and max_y P(x|y), by loops; who weighs nothing is never guessed."""
    own, worst = [Fraction(0)] * len(sets), [Fraction(0)] * len(sets)
    for y in range(m):
        likely = [p if y in own_set else q for own_set in sets]
        joint = [a * b for a, b in zip(w, likely, strict=True)]
        top = max(joint)
        if top == 0:
            continue
        best = [x for x, value in enumerate(joint) if value == top]
        for x in best:
            own[x] += likely[x] / len(best)
        worst = [max(old, value / sum(joint)) for old, value in zip(worst, joint, strict=True)]
    return own, worst


def test_every_tuple_is_enumerated():
    """The oracle's own check: probabilities of all tuples sum to 1."""
    p, q = loops.probabilities(4, 2, Fraction(1, 10))
    assert sum(loops.chance([{0, 1}, {1, 2}], y, p, q) for y in product(range(4), repeat=2)) == 1
