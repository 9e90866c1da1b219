"""Who is alone: values of a catalogue, every subset of small crowds, and how often intervals hold."""

from itertools import combinations
from math import comb, log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quiff.errors import ParameterError, ShapeError
from quiff.measures.crowds import Crowd, alone_by_law, below_by_law, values_by_law
from quiff.theory.surfaces import (
    FalseAnswers,
    chow_liu,
    joint_values,
    largest_unique_share,
    values_at_entropy,
)
from words import refused


def test_the_counterexample_of_the_guidance():
    """Issue 40 of w3c/fingerprinting-guidance: a billion, half in one bucket, half alone."""
    crowd = Crowd.of_sizes({500_000_000: 1, 1: 500_000_000})
    assert crowd.people == 10**9
    assert crowd.entropy == pytest.approx(15.44867643, abs=5e-9)
    assert log2(crowd.values) == pytest.approx(28.89735286, abs=5e-9)
    assert (crowd.values, crowd.alone, crowd.values / crowd.people) == (500_000_001, 0.5, 0.500000001)


def test_the_largest_unique_share_has_the_catalogues_values():
    shares = {1: 0.03193178, 4: 0.12802671, 8: 0.25693387, 16: 0.51818740, 20: 0.65122791}
    for entropy, share in shares.items():
        assert largest_unique_share(entropy, 10**9) == pytest.approx(share, abs=5e-9)


def test_counts_have_the_catalogues_values():
    crowd = Crowd([50, 30, 10, 5, 3, 1, 1])
    assert crowd.entropy == pytest.approx(1.854022827, abs=5e-10)
    assert (crowd.values, crowd.values / crowd.people, crowd.alone, crowd.below(4)) == (7, 0.07, 0.02, 0.05)
    shares = np.array([1 / 2, 1 / 4, 1 / 8, 1 / 8])
    assert alone_by_law(shares, 5) == pytest.approx(0.2568969727, abs=5e-11)
    assert values_by_law(shares, 5) == pytest.approx(2.705627441, abs=5e-10)
    assert below_by_law(shares, 5, 3) == pytest.approx(0.571105957, abs=5e-10)
    sample = Crowd([5, 2, 1, 1, 1])
    shares = [sample.alone_among(m).value for m in (10, 5, 2)]
    assert shares == pytest.approx([0.3, 0.430952381, 0.7555555556], abs=5e-10)
    assert sample.new_values(0.5) == 1.28125


def test_parts_have_the_catalogues_values():
    joint = np.arange(1, 9).reshape(2, 2, 2) / 36

    def entropy(axes):
        law = joint.sum(axis=tuple({0, 1, 2} - set(axes))).ravel()
        return float(-(law * np.log2(law)).sum())

    singles = [entropy([axis]) for axis in range(3)]
    pairs = {(i, j): singles[i] + singles[j] - entropy([i, j]) for i, j in combinations(range(3), 2)}
    assert chow_liu(singles, pairs) == pytest.approx(2.795895585, abs=5e-10)
    assert entropy([0, 1, 2]) == pytest.approx(2.794208684, abs=5e-10)
    assert sum(singles) == pytest.approx(2.807560003, abs=5e-10)


def test_false_answers_have_the_catalogues_values():
    first, second = FalseAnswers(96, 0.1), FalseAnswers(1000, 0.5)
    assert (first.factor, first.epsilon) == pytest.approx((86.5, 6.762729507), abs=5e-10)
    assert (second.factor, second.epsilon) == pytest.approx((500.5, 6.908754779), abs=5e-10)
    assert FalseAnswers(100, 0.1).true_probability(0.001) == pytest.approx(0.4736842105, abs=5e-11)


def test_false_answers_are_those_of_the_channel():
    from quiff import Channel, bayes_capacity, epsilon

    D, p = 7, 0.25
    C = Channel((1 - p) * np.eye(D) + p / D)
    answers = FalseAnswers(D, p)
    assert answers.factor == pytest.approx(bayes_capacity(C))
    assert answers.epsilon == pytest.approx(epsilon(C))


@given(st.lists(st.integers(1, 4), min_size=1, max_size=5), st.integers(2, 4))
def test_smaller_crowds_are_means_over_all_subsets(counts, k):
    crowd = Crowd(counts)
    people = [value for value, count in enumerate(counts) for _ in range(count)]
    for m in range(1, len(people) + 1):
        small = values = 0.0
        for subset in combinations(people, m):
            sizes = [subset.count(value) for value in subset]
            small += sum(size < k for size in sizes) / m
            values += len(set(subset))
        subsets = comb(len(people), m)
        assert crowd.below_among(m, k).value == pytest.approx(small / subsets)
        assert crowd.values_among(m).value == pytest.approx(values / subsets)


@given(st.lists(st.integers(1, 50), min_size=2, max_size=30))
def test_entropy_bounds_hold_for_every_crowd(counts):
    crowd = Crowd(counts)
    assert crowd.alone <= largest_unique_share(crowd.entropy, crowd.people) + 1e-9
    known = values_at_entropy(crowd.entropy, crowd.people)
    assert known.low - 1e-9 <= crowd.values <= known.high + 1e-6


@given(st.lists(st.lists(st.integers(0, 3), min_size=2, max_size=2), min_size=2, max_size=40))
def test_bounds_from_parts_hold_for_every_table(rows):
    def crowd(keys):
        return Crowd(np.unique(keys, return_counts=True)[1])

    first, second = zip(*rows, strict=True)
    both = crowd([10 * a + b for a, b in rows])
    singles = [crowd(list(first)), crowd(list(second))]
    known = joint_values([single.values for single in singles], len(rows))
    assert known.low <= both.values <= known.high
    shared = sum(single.entropy for single in singles) - both.entropy
    bits = chow_liu([single.entropy for single in singles], {(0, 1): shared})
    assert bits == pytest.approx(both.entropy, abs=1e-9)


HEAVY = {
    "zipf": lambda j: j**-1.2,
    "steep": lambda j: j**-2.0,
    "flat": lambda j: j**0.0,
    "mixed": lambda j: 1 / (50 + j),
}


@pytest.mark.parametrize("tail", HEAVY)
def test_intervals_hold_in_populations_with_heavy_tails(tail):
    shares = HEAVY[tail](np.arange(1.0, 20_001))
    shares /= shares.sum()
    rng = np.random.default_rng(7)
    n, held = 1000, dict.fromkeys((100, 1000, 10000), 0)
    for _ in range(100):
        drawn = rng.multinomial(n, shares)
        crowd = Crowd(drawn[drawn > 0])
        for m in held:
            alone, values, small = crowd.alone_among(m), crowd.values_among(m), crowd.below_among(m, 5)
            held[m] += (
                alone.low <= alone_by_law(shares, m) <= alone.high
                and values.low <= values_by_law(shares, m) <= values.high
                and small.low <= below_by_law(shares, m, 5) <= small.high
            )
    assert min(held.values()) >= 95


def test_what_is_no_crowd_is_refused():
    for counts in ([], [0, 1], [0.5]):
        with refused(ShapeError):
            Crowd(counts)
    with refused(ParameterError, what="fake"):
        FalseAnswers(3, 0)
