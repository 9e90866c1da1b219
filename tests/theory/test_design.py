"""The identities, the frontier and the inverse formulas of the design question."""

from fractions import Fraction
from itertools import combinations
from math import inf

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from quiff import theory
from quiff.errors import ParameterError
from words import refused

noises = st.fractions(0, 1, max_denominator=50)


@st.composite
def sizes(draw, most=700):
    m = draw(st.integers(2, most))
    return m, draw(st.integers(1, m - 1))


# --- identities -----------------------------------------------------------------------------------------


@given(sizes(), noises)
def test_capacity_and_max_case_are_functions_of_the_utility(size, r):
    m, s = size
    u = theory.genuine_probability(m, s, r)
    assert (
        theory.bayes_capacity(m, s, r)
        == theory.capacity_at_utility(m, s, u)
        == theory.least_capacity(m, s, u)
    )
    assert theory.max_case_capacity(m, s, r) == theory.max_case_at_utility(m, s, u)
    assert theory.largest_utility(m, s, theory.max_case_capacity(m, s, r)) == u


@given(sizes(), st.floats(0, 1))
def test_the_identities_accept_every_utility_that_floats_produce(size, r):
    m, s = size
    u = theory.genuine_probability(m, s, r)
    assert theory.capacity_at_utility(m, s, u) == pytest.approx(theory.bayes_capacity(m, s, r), rel=1e-12)


# --- the frontier, against linear programs over all mechanisms ------------------------------------------


def membership(m, s):
    """Which topic is in which s-subset; rows are subsets."""
    return np.array([[t in own for t in range(m)] for own in combinations(range(m), s)], dtype=float)


def rows_sum_to_one(n, m, extra):
    equal = np.zeros((n, n * m + extra))
    for i in range(n):
        equal[i, i * m : (i + 1) * m] = 1
    return equal


@pytest.mark.parametrize(("m", "s"), [(2, 1), (4, 1), (4, 2), (5, 2), (5, 4)])
@pytest.mark.parametrize("u", [0.1, 0.5, 0.8, 1.0])
def test_no_mechanism_has_less_capacity_at_the_same_utility(m, s, u):
    """Minimise the sum of column maxima over all channels from s-subsets to the topic to be named."""
    inside = membership(m, s)
    n = len(inside)
    cost = np.concatenate([np.zeros(n * m), np.ones(m)])
    below_maxima = np.hstack([np.eye(n * m), -np.tile(np.eye(m), (n, 1))])  # C[set,t] <= v[t]
    utility = np.concatenate([-inside.ravel() / n, np.zeros(m)])
    best = linprog(
        cost,
        A_ub=np.vstack([below_maxima, utility]),
        b_ub=np.append(np.zeros(n * m), -u),
        A_eq=rows_sum_to_one(n, m, m),
        b_eq=np.ones(n),
    )
    assert best.fun == pytest.approx(theory.least_capacity(m, s, u), abs=1e-7)


@pytest.mark.parametrize(("m", "s"), [(2, 1), (4, 1), (4, 2), (5, 2), (4, 3)])
@pytest.mark.parametrize("max_case", [1.0, 2.0, 10.0])
def test_no_mechanism_has_more_utility_at_the_same_max_case(m, s, max_case):
    """Maximise the utility over all channels whose columns vary at most by the given factor."""
    inside = membership(m, s)
    n = len(inside)
    ratios = []
    for t in range(m):
        for i in range(n):
            for j in range(n):
                if i != j:
                    row = np.zeros(n * m)
                    row[i * m + t], row[j * m + t] = 1, -max_case
                    ratios.append(row)
    best = linprog(
        -inside.ravel() / n,
        A_ub=np.array(ratios),
        b_ub=np.zeros(len(ratios)),
        A_eq=rows_sum_to_one(n, m, 0),
        b_eq=np.ones(n),
    )
    assert -best.fun == pytest.approx(theory.largest_utility(m, s, max_case), abs=1e-7)


# --- the formulas solved for the noise ------------------------------------------------------------------


@given(sizes(), noises)
def test_the_noise_is_found_back_from_every_figure(size, r):
    m, s = size
    assert theory.noise_for_capacity(m, s, theory.bayes_capacity(m, s, r)) == r
    assert theory.noise_for_max_case(m, s, theory.max_case_capacity(m, s, r)) == r
    assert theory.noise_for_utility(m, s, theory.genuine_probability(m, s, r)) == r
    assert theory.noise_for_epsilon(m, s, theory.epsilon(m, s, r)) == pytest.approx(float(r), abs=1e-12)


@given(sizes(), st.fractions(1, 500, max_denominator=20))
def test_the_noise_for_a_budget_is_the_least_that_keeps_to_it(size, budget):
    m, s = size
    for solve, figure in (
        (theory.noise_for_capacity, theory.bayes_capacity),
        (theory.noise_for_max_case, theory.max_case_capacity),
    ):
        r = solve(m, s, budget)
        assert 0 <= r <= 1
        assert figure(m, s, r) <= budget
        assert r == 0 or figure(m, s, r) == budget  # less noise would exceed it


@given(sizes(), st.fractions(0, 1, max_denominator=50))
def test_the_noise_for_a_utility_is_the_most_that_keeps_to_it(size, floor):
    m, s = size
    r = theory.noise_for_utility(m, s, floor)
    assert 0 <= r <= 1
    assert theory.genuine_probability(m, s, r) >= floor
    assert r == 1 or theory.genuine_probability(m, s, r) == floor


@given(sizes(), st.floats(0, 1))
def test_a_float_utility_never_asks_for_an_impossible_noise(size, floor):
    assert 0 <= theory.noise_for_utility(*size, floor) <= 1


@given(sizes(), st.floats(1, 1e300))
def test_a_float_budget_never_asks_for_an_impossible_noise(size, budget):
    assert 0 <= theory.noise_for_capacity(*size, budget) <= 1
    assert 0 <= theory.noise_for_max_case(*size, budget) <= 1
    assert 0 <= theory.noise_for_epsilon(*size, budget) <= 1


# --- options and the choice of s ------------------------------------------------------------------------

FIGURE = {
    "capacity": "bayes_capacity",
    "max_case": "max_case_capacity",
    "epsilon": "epsilon",
    "utility": "utility",
}


@pytest.mark.parametrize(
    ("measure", "target"), [("capacity", 3.5), ("max_case", 40.0), ("epsilon", 2.0), ("utility", 0.9)]
)
def test_options_list_every_smaller_set_and_meet_the_target(measure, target):
    options = theory.design_options(20, measure, target)
    assert [option.top_s for option in options] == list(range(1, 20))
    for option in options:
        figure = getattr(option, FIGURE[measure])
        slack = 1e-9 if measure == "utility" else -1e-9
        assert figure + slack >= target if measure == "utility" else figure + slack <= target
        assert option == theory.Design.of(20, option.top_s, option.noise)


@given(
    st.integers(2, 40),
    st.fractions(Fraction(1, 20), Fraction(19, 20), max_denominator=20),
    st.sampled_from(["capacity", "max_case", "utility"]),
    st.fractions(0, 1, max_denominator=30),
)
@settings(deadline=None)
def test_strict_and_nearest_sizes_by_trying_all(m, r, measure, x):
    target = x if measure == "utility" else 1 + 30 * x
    figures = {s: getattr(theory.Design.of(m, s, r), FIGURE[measure]) for s in range(1, m)}
    kept = [
        s for s, figure in figures.items() if (figure >= target if measure == "utility" else figure <= target)
    ]
    if kept:
        assert theory.strict_top_s(m, r, measure, target) == min(kept)
    else:
        with pytest.raises(ParameterError, match="nearest possible"):
            theory.strict_top_s(m, r, measure, target)
    nearest = theory.nearest_top_s(m, r, measure, target)
    assert abs(figures[nearest] - target) == min(abs(figure - target) for figure in figures.values())


@pytest.mark.parametrize(
    ("measure", "target"),
    [
        ("capacity", 0.5),
        ("max_case", 0.99),
        ("epsilon", -1),
        ("utility", 1.01),
        ("capacity", float("nan")),
    ],
)
def test_an_impossible_target_is_an_error_that_says_what_is_possible(measure, target):
    with refused(ParameterError):
        theory.design_options(349, measure, target)
    with refused(ParameterError):
        theory.strict_top_s(349, 0.05, measure, target)
    with refused(ParameterError):
        theory.nearest_top_s(349, 0.05, measure, target)


def test_an_unknown_measure_is_an_error_that_lists_the_known_ones():
    with refused(ParameterError):
        theory.design_options(349, "entropy", 1.0)


def test_no_limit_asks_for_no_noise():
    assert theory.noise_for_capacity(349, 5, inf) == 0
    assert theory.noise_for_max_case(349, 5, inf) == 0
    assert theory.noise_for_epsilon(349, 5, inf) == 0
    assert theory.noise_for_epsilon(349, 5, 1000) == pytest.approx(0, abs=1e-300)


@pytest.mark.parametrize("utility", [0.001, Fraction(4, 349), 1.5])
def test_a_utility_that_no_noise_brings_about_is_an_error(utility):
    with refused(ParameterError):
        theory.capacity_at_utility(349, 5, utility)


def test_the_worst_case_is_no_function_of_utility_when_sets_hold_every_topic():
    with refused(ParameterError, 1, 4, 5):
        theory.max_case_at_utility(5, 5, 1)
