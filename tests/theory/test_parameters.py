"""Bad parameters are refused with the allowed range; exact parameters give exact results."""

import pickle
import subprocess
import sys
from fractions import Fraction
from itertools import combinations
from math import inf

import numpy as np
import pytest

from quiff import theory
from quiff.errors import ParameterError
from quiff.theory.parameters import check_whole
from words import refused

R = Fraction(1, 20)
NAN = float("nan")

BAD = [
    (theory.prior_vulnerability, (0,), "n_users", 0),
    (theory.prior_vulnerability, (2.0,), "n_users", 2.0),
    (theory.prior_vulnerability, ("3",), "n_users", "3"),
    (theory.bayes_capacity, (1, 2, R), "top_s", 2),
    (theory.cookies_leakage, (3, 1), "contexts", 1),
    (theory.generalization_posterior, (4, 3), "distinct_sets", 4),
    (theory.bayes_capacity, (0, 1, R), "n_topics", 0),
    (theory.bayes_capacity, (5, 6, R), "top_s", 6),
    (theory.bayes_capacity, (5, 0, R), "top_s", 0),
    (theory.bayes_capacity, (5, 2, 1.5), "noise", 1.5),
    (theory.bayes_capacity, (5, 2, -0.1), "noise", -0.1),
    (theory.bayes_capacity, (5, 2, NAN), "noise", NAN),
    (theory.bayes_capacity, (5, 2, "x"), "noise", "x"),
    (theory.topics_leakage, (5, 2, R, 1), "occurring", 1),
    (theory.topics_leakage, (5, 2, R, 6), "occurring", 6),
    (theory.topics_posterior, (5, 2, R, 5, 2), "n_users", 2),
    (theory.bounded_noise_posterior, (5, 2, 5, 2), "n_users", 2),
    (theory.epochs_bound, (5, 2, R, 3, 0), "epochs", 0),
    (theory.side_information_bound, (5, 2, R, 2), "prior_success", 2),
    (theory.prior_iba_gain, ([0.5, 1.2],), "a topic's share", 1.2),
    (theory.best_count_right, (5, 2, R, 3, 7), "share", 7),
    (theory.design_options, (1, "capacity", 2), "n_topics", 1),
]


@pytest.mark.parametrize(("function", "arguments", "what", "value"), BAD)
def test_a_bad_parameter_is_quoted_with_its_allowed_range(function, arguments, what, value):
    with refused(ParameterError, what=what, value=value) as caught:
        function(*arguments)
    share = (
        caught.value.allowed == "a number between 0 and 1" and isinstance(value, float | int) and value > 1
    )
    meant = f"; did you mean {value / 100:g}?" if share else ""
    assert str(caught.value) == f"{what} must be {caught.value.allowed}, not {value!r}{meant}"


def test_nobody_has_no_gain():
    with refused(ParameterError):
        theory.prior_iba_gain([])


def test_an_error_keeps_its_fields_in_another_process():
    with pytest.raises(ParameterError) as caught:
        check_whole("top", 4, 5)
    copied = pickle.loads(pickle.dumps(caught.value))  # noqa: S301
    assert (str(copied), type(copied)) == (str(caught.value), ParameterError)
    assert vars(copied) == vars(caught.value)
    assert (copied.what, copied.value, copied.allowed) == ("top", 4, "a whole number of at least 5")


FORMULAS = [
    lambda r: theory.topics_leakage(5, 2, r, 4),
    lambda r: theory.topics_posterior(5, 2, r, 4, 3),
    lambda r: theory.topics_posterior_bound(5, 2, r, 1),
    lambda r: theory.topics_posterior_bound(5, 2, r, 9),
    lambda r: theory.bayes_capacity(5, 2, r),
    lambda r: theory.max_case_capacity(5, 2, r),
    lambda r: theory.inside_probability(5, 2, r),
    lambda r: theory.outside_probability(5, r),
    lambda r: theory.genuine_probability(5, 2, r),
    lambda r: theory.prior_iba_gain([Fraction(1, 2), r]),
    lambda r: theory.iba_lower(r),
    lambda r: theory.iba_upper(r, Fraction(1, 2)),
    lambda r: theory.all_bits_right(5, 2, r, 3),
    lambda r: theory.printed_counting_sum(2, r, 3),
    lambda r: theory.epochs_bound(5, 2, r, 9, 2),
    lambda r: theory.epochs_bound(5, 2, r, 9, 50),
    lambda r: theory.epochs_max_case_bound(5, 2, r, 2),
    lambda r: theory.side_information_bound(5, 2, r, Fraction(1, 3)),
    lambda r: theory.side_information_bound(5, 2, r, 1),
    lambda r: theory.least_capacity(5, 2, r),
    lambda r: theory.noise_for_utility(5, 2, r),
    lambda r: theory.noise_for_utility(5, 2, 1 - r),
    lambda r: theory.noise_for_capacity(5, 2, 1 + r),
    lambda r: theory.noise_for_capacity(5, 2, 9 + r),
    lambda r: theory.noise_for_max_case(5, 2, 1 + r),
    lambda r: theory.largest_utility(5, 2, 1 + r),
]


@pytest.mark.parametrize("formula", FORMULAS)
def test_exact_in_exact_out_and_one_float_makes_a_float(formula):
    exact, rounded = formula(R), formula(0.05)
    assert type(exact) is Fraction
    assert type(rounded) is float
    assert rounded == pytest.approx(float(exact), rel=1e-12)
    assert type(formula(np.float64(0.05))) is float


@pytest.mark.parametrize("noise", [1, Fraction(1), np.int64(1)])
def test_whole_numbers_are_exact_too(noise):
    assert theory.bayes_capacity(np.int64(349), 5, noise) == 1
    assert type(theory.bayes_capacity(np.int64(349), 5, noise)) is Fraction
    assert theory.epsilon(349, 5, noise) == 0


@pytest.mark.parametrize("noise", [0, 0.0, Fraction(0)])
def test_without_noise_the_worst_case_is_infinite(noise):
    assert theory.max_case_capacity(349, 5, noise) == inf
    assert theory.epsilon(349, 5, noise) == inf
    assert theory.epochs_epsilon_bound(349, 5, noise, 3) == inf
    assert theory.epochs_max_case_bound(349, 5, noise, 3) == inf


def test_epsilon_of_a_noise_too_small_for_floats():
    assert theory.epsilon(349, 5, Fraction(1, 10**400)) == pytest.approx(400 * 2.302585093 + 4.2456, abs=1e-3)


def test_cookies_on_the_whole_web_need_no_huge_power():
    assert theory.cookies_leakage(5 * 10**9, 10**12) == 5 * 10**9


def test_cookies_are_capped_at_whichever_is_smaller():
    """A set of two or more of c domains: counted one by one."""
    for c in range(2, 10):
        sets = sum(1 for size in range(2, c + 1) for _ in combinations(range(c), size))
        assert [theory.cookies_leakage(N, c) for N in range(1, 40)] == [min(N, sets) for N in range(1, 40)]


def test_the_names_that_complete_are_those_of_closed_forms():
    assert {"bayes_capacity", "cookies_leakage", "design_options", "posterior_bound"} <= set(dir(theory))
    assert {"Fraction", "check_output", "log", "np"}.isdisjoint(dir(theory))


def test_importing_theory_loads_no_numpy():
    code = "import sys, quiff.theory; sys.exit('numpy' in sys.modules or 'scipy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize(
    ("value", "least", "most", "told"),
    [
        (9, 5, 5, "top must be 5, not 9"),
        (5.0, 5, 5, "top must be the whole number 5, not 5.0"),
        (7, 7, 6, "top must be a whole number of at least 7 and at most 6, of which there is none, not 7"),
        (3, 7, 6, "top must be a whole number of at least 7 and at most 6, of which there is none, not 3"),
    ],
)
def test_a_range_of_one_number_or_of_none_is_told_as_such(value, least, most, told):
    with pytest.raises(ParameterError) as error:
        check_whole("top", value, least, most)
    assert str(error.value) == told
