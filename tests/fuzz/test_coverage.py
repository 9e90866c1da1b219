"""Intervals of 95 % hold the exact value at least so often: random small populations, many estimates of each.

The exact values are enumerated in fractions. Every estimate has a seed of its own, and of the epochs of a
population one is looked at, so that all cases are independent.
"""

import random
from fractions import Fraction

import numpy as np

from fuzzing import cases
from quiff import TopicsAPI
from quiff.theory.popularity import binomial_interval
from quiff.weeks.estimate import Estimate, hybrid_leakage, sampled_vulnerabilities
from quiff.weeks.sequences import Sequences
from weeks import loops

CASES, ESTIMATES = 12, 80
STATED = 0.95


def drawn(rng):
    m = rng.randint(3, 5)
    s = rng.randint(1, min(3, m - 1))
    N, E = rng.choice([2, 3, 4, 6, 10]), rng.randint(2, 4)
    same = rng.random() < 0.6
    users = []
    for _ in range(N):
        sets = [frozenset(rng.sample(range(m), s)) for _ in range(E)]
        users.append([sets[0]] * E if same else sets)
    weights = None if rng.random() < 0.5 else [rng.randint(1, 5) for _ in users]
    return users, weights, m, s, Fraction(rng.choice([1, 10, 50, 100, 200, 500]), 1000), E, same


def expect_enough(held, tries, at):
    """Held as often as stated, but for what happens at random once in a million."""
    least = STATED - 4.9 * (STATED * (1 - STATED) / tries) ** 0.5
    assert held / tries >= least, f"{at}: {held} of {tries} intervals hold the exact value"


def test_intervals_over_epochs_hold_the_exact_value():
    in_all = tries = 0
    for seed in cases(CASES):
        rng = random.Random(seed)
        users, weights, m, s, r, E, same = drawn(rng)
        sequences = Sequences.of(loops.population(users, weights, m, same), TopicsAPI(m, s, float(r)))
        p, q = loops.probabilities(m, s, r)
        w = weights or [1] * len(users)
        exact = float(loops.vulnerability(users, w, m, p, q))
        samples = rng.choice([100, 300, 1000])
        for how in ("sampled", "hybrid"):
            if how == "hybrid" and not (same and weights is None):
                continue
            held = 0
            for _ in range(ESTIMATES):
                chosen = rng.getrandbits(32)
                if how == "sampled":
                    found = sampled_vulnerabilities(sequences, E, chosen, samples=samples)[-1]
                else:
                    found = hybrid_leakage(sequences, E, chosen, samples=samples).times(1 / len(users))
                held += found.low - 1e-12 <= exact <= found.high + 1e-12
            expect_enough(held, ESTIMATES, f"seed {seed}, {how}, {samples} samples")
            in_all, tries = in_all + held, tries + ESTIMATES
    expect_enough(in_all, tries, "all")


def test_intervals_of_means_hold_the_expectation_of_few_odd_values():
    """Nearly all values are the same, and some on one side of them: the hardest for a normal interval."""
    for seed in cases(CASES):
        rng = np.random.default_rng(seed)
        n, usual, odd = int(rng.choice([100, 300, 1000])), float(rng.random()), float(rng.choice([0, 0.5, 1]))
        share = min(float(rng.uniform(1, 60)) / n, 0.5)
        expected = usual + share * (odd - usual)
        held, tries = 0, 400
        for k in rng.binomial(n, share, size=tries):
            found = Estimate.of_mean(np.repeat([odd, usual], [k, n - k]))
            held += found.low - 1e-12 <= expected <= found.high + 1e-12
        expect_enough(held, tries, f"seed {seed}, {n} values of {usual}, {share:.2%} of {odd}")


def test_intervals_of_shares_hold_the_probability():
    """Exactly, by the law of the number of successes: those of attacks and of simulated findings."""
    for seed in cases(CASES):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(1, 300))
        ends = np.array([binomial_interval(k, n) for k in range(n + 1)])
        for share in (float(rng.random()), float(rng.uniform(0, 3)) / n):
            if share > 1:
                continue
            law = np.array([_binomial(n, k, share) for k in range(n + 1)])
            held = law[(ends[:, 0] <= share) & (share <= ends[:, 1])].sum()
            assert held >= STATED - 1e-9, f"seed {seed}: {held} of {n} trials with {share}"


def _binomial(n, k, share):
    from math import exp, lgamma, log, log1p

    ways = lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)
    return exp(ways + k * log(share) + (n - k) * log1p(-share))
