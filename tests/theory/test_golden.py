"""The paper's printed figures, and the right ones where it errs."""

from fractions import Fraction
from math import comb

import pytest

from quiff import theory

TWENTIETH = Fraction(1, 20)

LIMITS = [  # tables theoretical-aol and theoretical-google: m, capacity, epsilon, max-case
    (31, "5.94", "4.777", "118.8"),
    (169, "32.16", "6.466", "643.2"),
    (349, "66.36", "7.191", "1327.2"),
    (629, "119.56", "7.780", "2391.2"),
    (1091, "207.34", "8.330", "4146.8"),
    (1679, "319.06", "8.761", "6381.2"),
    (469, "89.16", "7.486", "1783.2"),  # taxonomy v2 as it is; the paper takes its highest id, 629
]


@pytest.mark.parametrize(("m", "capacity", "epsilon", "max_case"), LIMITS)
@pytest.mark.parametrize("noise", [0.05, TWENTIETH])
def test_tables_of_theoretical_limits(m, capacity, epsilon, max_case, noise):
    assert f"{float(theory.bayes_capacity(m, 5, noise)):.2f}" == capacity
    assert f"{theory.epsilon(m, 5, noise):.3f}" == epsilon
    assert f"{float(theory.max_case_capacity(m, 5, noise)):.1f}" == max_case


WORST_CASE = [  # table theoretical-worst-case: m, r, s, capacity, max-case
    (349, 0.05, 5, "66.36", "1327.20"),
    (629, 0.05, 5, "119.56", "2391.20"),
    (629, 0.47, 5, "67.14", "142.86"),
    (629, 0.37, 6, "66.42", "179.50"),
    (629, 0.26, 7, "66.75", "256.75"),
    (629, 0.15, 8, "66.98", "446.54"),
    (629, 0.05, 9, "66.44", "1328.89"),
    (469, 0.05, 7, "63.70", "1274.00"),
]


@pytest.mark.parametrize(("m", "r", "s", "capacity", "max_case"), WORST_CASE)
def test_table_of_worst_cases(m, r, s, capacity, max_case):
    assert f"{theory.bayes_capacity(m, s, r):.2f}" == capacity
    assert f"{theory.max_case_capacity(m, s, r):.2f}" == max_case


def test_google_v1_on_the_aol_data_leaks_by_the_topics_that_occur_but_has_the_taxonomys_epsilon():
    assert f"{theory.topics_leakage(349, 5, 0.05, occurring=169):.2f}" == "32.16"
    assert theory.bounded_noise_leakage(349, 5, occurring=169) == Fraction("33.80")
    assert theory.bounded_noise_capacity(349, 5) == Fraction("69.80")
    assert f"{theory.epsilon(349, 5, 0.05) / theory.epsilon(31, 5, 0.05) - 1:.1%}" == "50.5%"


def test_bounds_on_the_number_of_sets():
    many = 10**15
    assert theory.generalization_capacity(31, 5, many) == 169_911
    assert theory.generalization_capacity(169, 5, many) == 1_082_239_158
    assert theory.generalization_capacity(349, 5, many) == 41_922_588_819


def test_growth_from_taxonomy_v1_to_v2():
    growth = theory.bayes_capacity(469, 5, TWENTIETH) / theory.bayes_capacity(349, 5, TWENTIETH) - 1
    assert f"{float(growth):.2%}" == "34.36%"
    printed = theory.bayes_capacity(629, 5, TWENTIETH) / theory.bayes_capacity(349, 5, TWENTIETH) - 1
    assert f"{float(printed):.2%}" == "80.17%"


def test_cookies_example_is_capped_at_the_number_of_users():
    assert theory.possible_histories(5) == 26 == sum(comb(5, h) for h in range(2, 6))
    assert theory.cookies_leakage(3, 5) == 3
    assert theory.cookies_posterior(3, 5) == 1


def test_worked_example_of_the_topics_channels():
    m, m1, s, r, N = 5, 4, 2, TWENTIETH, 3
    assert theory.prior_vulnerability(N) == Fraction(1, 3)
    assert theory.generalization_leakage(2) == 2
    assert theory.generalization_posterior(2, N) == Fraction(2, 3)
    assert theory.generalization_posterior_bound(m, s, N) == 1  # 10/3 before the cap
    assert theory.bounded_noise_posterior(m, s, m1, N) == Fraction(2, 3)
    assert theory.bounded_noise_posterior_bound(m, s, N) == Fraction(5, 6)
    assert theory.bounded_noise_leakage(m, s, m1) == 2
    assert theory.bounded_noise_capacity(m, s) == Fraction(5, 2)
    assert theory.topics_posterior(m, s, r, m1, N) == Fraction(65, 100)
    assert theory.topics_posterior_bound(m, s, r, N) == Fraction(97, 120)  # .80833
    assert theory.topics_leakage(m, s, r, m1) == Fraction(195, 100)
    assert theory.bayes_capacity(m, s, r) == Fraction(2425, 1000)
    assert theory.max_case_capacity(m, s, r) == Fraction(485, 10)
    assert round(theory.epsilon(m, s, r), 4) == 3.8816


def test_worked_example_as_labelled_in_print():
    assert theory.bounded_noise_posterior(4, 2, 3, 3) == Fraction(1, 2)
    assert theory.bounded_noise_posterior_bound(4, 2, 3) == Fraction(2, 3)
    assert theory.max_case_capacity(4, 2, TWENTIETH) == 39
    assert round(theory.epsilon(4, 2, TWENTIETH), 4) == 3.6636


def test_constants_of_the_counting_figure():
    assert theory.max_case_capacity(349, 5, TWENTIETH) == Fraction("1327.2")  # A = p/q
    assert theory.max_case_capacity(629, 5, TWENTIETH) == Fraction("2391.2")
    assert theory.outside_probability(349, 0.05) == pytest.approx(0.00014326647564469913, rel=1e-15)
    assert theory.outside_probability(629, 0.05) == pytest.approx(0.00007949125596184421, rel=1e-15)


@pytest.mark.parametrize(("N", "value"), [(2, 0.354025), (10, 0.0055612), (30, 1.71992e-7)])
@pytest.mark.parametrize("m", [349, 469, 629])
def test_points_of_the_counting_figure_do_not_depend_on_the_taxonomy(N, value, m):
    assert theory.all_bits_right(m, 5, 0.05, N) == pytest.approx(value, rel=5e-6)


def test_the_printed_counting_sum_is_no_probability():
    assert theory.printed_counting_sum(5, TWENTIETH, 10) == Fraction(119, 100) ** 10 > 1
    assert theory.printed_counting_sum(5, 0.05, 10**6) == float("inf")
    assert theory.printed_counting_sum(5, TWENTIETH, 10) == 2**10 * theory.all_bits_right(
        349, 5, TWENTIETH, 10
    )


def test_counting_ten_users():
    assert f"{theory.best_count_right(349, 5, 0.05, 10):.5f}" == "0.25492"
    assert f"{theory.prior_count_right(10):.5f}" == "0.24609"
    assert f"{theory.raw_count_right(349, 5, 0.05, 10):.7f}" == "0.0056023"


def test_iba_footnote_and_citizen_lab():
    assert f"{theory.genuine_probability(31, 5, 0.05):.5f}" == "0.95806"
    prior = theory.prior_iba_gain([Fraction(1, 2)] * 4 + [0])
    assert theory.iba_upper(TWENTIETH, prior) == Fraction(975, 1000)


def test_the_papers_design_question():
    assert theory.strict_top_s(629, 0.05, "capacity", 66.36) == 10
    assert theory.nearest_top_s(629, 0.05, "capacity", 66.36) == 9
    assert theory.strict_top_s(469, 0.05, "capacity", 66.36) == 7
    assert theory.nearest_top_s(469, 0.05, "capacity", 66.36) == 7
    assert theory.strict_top_s(629, 0.05, "max_case", 1327.2) == 10
    assert theory.nearest_top_s(629, 0.05, "max_case", 1327.2) == 9


@pytest.mark.parametrize("noise", [0.05, TWENTIETH])
@pytest.mark.parametrize("budget", [66.36, Fraction(6636, 100)])
def test_todays_parameters_meet_todays_figure_in_spite_of_rounding(noise, budget):
    assert theory.strict_top_s(349, noise, "capacity", budget) == 5
