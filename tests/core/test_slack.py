"""Outputs that were cut into cells: the bound on what that hides, and how compositions carry it."""

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pytest

import quiff
from quiff import Api, Channel, Population, bayes_capacity, epsilon, max_case_capacity, measure, over_time
from quiff.core.kernels import DenseKernel
from quiff.core.labels import as_labels
from words import refused


def laplace(values, scale, width):
    """Values with Laplace noise, cut into cells of a width; the two last ones hold the tails."""
    edges = [-math.inf, *np.arange(-10 * scale, max(values) + 10 * scale, width), math.inf]

    def mass(low, high, x):
        if high <= x:
            return (math.exp((high - x) / scale) - math.exp((low - x) / scale)) / 2
        if low >= x:
            return (math.exp((x - low) / scale) - math.exp((x - high) / scale)) / 2
        return 1 - (math.exp((low - x) / scale) + math.exp((x - high) / scale)) / 2

    rows = [[mass(low, high, x) for low, high in pairwise(edges)] for x in values]
    # Within a cell the density changes by at most exp(width/scale); in the tails ratios do not change at all.
    return Channel(rows, inputs=values).with_slack(math.exp(width / scale))


@pytest.mark.parametrize("eps", [0.5, 1, 4])
def test_the_bracket_holds_the_closed_form_and_shrinks_with_the_cells(eps):
    true = 2 - math.exp(-eps / 2)  # 1 + total variation of two Laplace distributions a distance of 1 apart
    widths = []
    for cells in (2.3, 11.3, 101.3):
        C = laplace([0, 1], 1 / eps, 1 / cells)
        low, high = bayes_capacity(C), C.slack * bayes_capacity(C)
        assert low <= true * (1 + 1e-9)
        assert true <= high
        assert epsilon(C) <= eps + 1e-9 <= epsilon(C) + 2 * math.log(C.slack) + 2e-9
        widths.append(high - low)
    assert widths == sorted(widths, reverse=True)


def test_compositions_carry_it():
    C = Channel([[0.75, 0.25], [0.25, 0.75]]).with_slack(1.5)
    D = Channel([[0.5, 0.5], [0.25, 0.75]]).with_slack(2)
    assert Channel.identity([0, 1]).slack == 1
    assert (C @ D).slack == 3
    assert (Channel.identity([0, 1]) @ C).slack == 1.5
    assert quiff.parallel(C, D).slack == 3
    assert quiff.repeat(C, 3).slack == pytest.approx(1.5**3)
    assert quiff.kronecker(C, D).slack == 3
    assert quiff.internal_choice(C, D, 0.5).slack == 2
    assert quiff.external_choice(C, D, 0.5).slack == 2
    assert C.distinct_rows()[1].slack == 1.5
    with refused(quiff.ParameterError, 1):
        C.with_slack(0.5)
    with pytest.raises(quiff.ParameterError):
        C.with_slack(math.nan)


@dataclass(frozen=True)
class NoisyAge(Api):
    needs = ("age",)

    def observe(self, secrets):
        return laplace(list(secrets), 1.0, 0.1)


def test_measure_says_discretised_and_gives_the_bracket():
    people = Population.from_sets({"Ann": {1}, "Bob": {1}}).with_attribute("age", [0, 1])
    found = measure(people, NoisyAge())
    row = found.row("noisy_age", "bayes_capacity")
    assert row.method == "discretised"
    assert row.low * (1 - 1e-9) <= 2 - math.exp(-1 / 2) <= row.high
    after = found.row("noisy_age", "posterior")
    assert after.low * (1 - 1e-9) <= (2 - math.exp(-1 / 2)) / 2 <= after.high <= 1
    assert found.row("noisy_age", "prior").method == "exact"
    assert found.row("noisy_age", "epsilon").high >= 1


def laplace_leakage_of_two():
    """1 + TV of two draws each, by integrating over log-ratios: 1 - 2z of a draw z in [0, 1], or 1 and -1."""
    z = (np.arange(1000) + 0.5) / 1000
    ratios = np.concatenate([[1.0, -1.0], 1 - 2 * z])
    masses = np.concatenate([[0.5, math.exp(-1) / 2], np.exp(-z) / 2000])
    both = np.add.outer(ratios, ratios)
    return 1 + (np.multiply.outer(masses, masses) * np.maximum(1 - np.exp(-both), 0)).sum()


def test_over_time_gives_the_bracket_for_each_number_of_observations():
    people = Population.from_sets({"Ann": {1}, "Bob": {1}}).with_attribute("age", [0, 1])
    found = over_time(people, NoisyAge(), 2, utility=True)
    one, two = (found.row("noisy_age", "leakage", n) for n in (1, 2))
    assert one.method == two.method == "discretised"
    assert one.low * (1 - 1e-9) <= 2 - math.exp(-1 / 2) <= one.high
    assert two.low * (1 - 1e-5) <= laplace_leakage_of_two() <= two.high <= 2
    assert found.row("noisy_age", "epsilon", 2).high >= 2
    learned = found.row("noisy_age", "goal_posterior", 2)
    assert learned.low * (1 - 1e-5) <= laplace_leakage_of_two() / 2 <= learned.high
    assert found.provenance.seed is None  # nothing was drawn


class Known(DenseKernel):
    def log_ratio(self):
        return 0.25


def test_a_kernel_may_know_its_largest_ratio():
    kernel = Known(np.array([[0.5, 0.5], [0.4, 0.6]]))
    C = Channel.from_kernel(as_labels(["a", "b"]), as_labels(["x", "y"]), kernel)
    assert epsilon(C) == 0.25
    assert max_case_capacity(C) == pytest.approx(math.exp(0.25))
    assert epsilon(quiff.repeat(C, 3)) == pytest.approx(0.75)
