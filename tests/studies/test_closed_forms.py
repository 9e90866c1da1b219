"""Every closed form at the paper's parameters, by figures from the paper or worked out by hand."""

from fractions import Fraction
from itertools import combinations
from math import comb, exp, inf, isfinite, log, log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quiff import Cookies, NoisyRanking, TopicsAPI, closed_forms, theory
from quiff.errors import ParameterError, QuiffError
from quiff.results.numbers import plain
from quiff.results.quantities import QUANTITIES
from quiff.theory.forms import FORMS, topics_forms
from words import refused

TWENTIETH = Fraction(1, 20)


def forms_at(n_topics=349, top_s=5, noise=0.05, **parameters):
    return closed_forms(TopicsAPI(n_topics, top_s, noise), **parameters)


def values(*arguments, **parameters):
    """Return the closed forms by name, without those of earlier stages."""
    return {row.quantity: row.value for row in forms_at(*arguments, **parameters).rows.where(stage="")}


@pytest.mark.parametrize(
    ("m", "capacity", "epsilon", "max_case"),
    [
        (349, "66.36", "7.191", "1327.2"),
        (469, "89.16", "7.486", "1783.2"),
        (629, "119.56", "7.780", "2391.2"),
        (1091, "207.34", "8.330", "4146.8"),
        (1679, "319.06", "8.761", "6381.2"),
    ],
)
@pytest.mark.parametrize("noise", [0.05, TWENTIETH])
def test_the_papers_table_of_limits(m, capacity, epsilon, max_case, noise):
    found = values(m, noise=noise)
    assert f"{float(found['bayes_capacity']):.2f}" == capacity
    assert f"{found['epsilon']:.3f}" == epsilon
    assert f"{float(found['max_case_capacity']):.1f}" == max_case
    assert found["leakage"] == found["bayes_capacity"]  # a million users can have every topic


def test_the_topics_of_the_aol_data_leak_less_than_the_taxonomy_could():
    found = values(349, 5, TWENTIETH, occurring=169, n_users=198_023, distinct_sets=110_870)
    assert found["leakage"] == Fraction("32.16")
    assert found["bounded_noise_leakage"] == Fraction("33.8")
    assert found["bounded_noise_capacity"] == Fraction("69.8")
    assert f"{float(found['generalization_posterior']):.6f}" == "0.559884"
    assert found["generalization_leakage"] == 110_870
    assert found["generalization_capacity"] == 198_023


def test_the_worked_example():
    found = values(
        5, 2, TWENTIETH, occurring=4, distinct_sets=2, n_users=3, contexts=5, prior_gain=Fraction(2, 3)
    )
    assert found == {
        "prior_vulnerability": Fraction(1, 3),
        "possible_histories": 26,
        "cookies_posterior": 1,
        "cookies_leakage": 3,
        "generalization_posterior": Fraction(2, 3),
        "generalization_posterior_bound": 1,
        "generalization_leakage": 2,
        "generalization_capacity": 3,
        "bounded_noise_posterior": Fraction(2, 3),
        "bounded_noise_posterior_bound": Fraction(5, 6),
        "bounded_noise_leakage": 2,
        "bounded_noise_capacity": Fraction(5, 2),
        "topics_posterior": Fraction(65, 100),
        "topics_posterior_bound": Fraction(97, 120),
        "leakage": Fraction(195, 100),
        "bayes_capacity": Fraction(2425, 1000),
        "epsilon": pytest.approx(log(48.5), rel=1e-15),
        "max_case_capacity": Fraction(485, 10),
        "max_case_is_met": True,
        "min_capacity_bits": pytest.approx(log2(2.425), rel=1e-15),
        "shannon_capacity_bits": pytest.approx(
            log2(5) - 2 * 0.485 * log2(1 / 0.485) - 3 * 0.01 * log2(100), rel=1e-12
        ),
        "epochs_bound": 3,
        "epochs_bound_changing_sets": 3,
        "epochs_epsilon_bound": pytest.approx(3 * log(48.5), rel=1e-15),
        "epochs_max_case_bound": Fraction(97, 2) ** 3,
        "side_information_bound": pytest.approx(0.02425, rel=1e-15),
        "inside_probability": Fraction(97, 200),
        "outside_probability": Fraction(1, 100),
        "genuine_probability": Fraction(97, 100),
        "prior_iba_gain": Fraction(2, 3),
        "prior_iba_gain_all_sets": Fraction(2, 5),
        "bounded_noise_iba_gain": 1,
        "iba_lower": Fraction(19, 20),
        "iba_upper": Fraction(59, 60),
    }


def test_the_defaults_of_the_bounds():
    found = values(noise=TWENTIETH)
    assert found["epochs_bound"] == Fraction(1659, 25) ** 3 < 10**6
    assert found["side_information_bound"] == pytest.approx(0.6636)
    assert found["cookies_leakage"] == 10**6
    assert values(noise=TWENTIETH, epochs=4)["epochs_bound"] == 10**6


def counting(forms):
    """Return what is known of counts, from the table of them, by the number of users."""
    names = ("all_bits_right", "raw_count_right", "best_count_right", "prior_count_right")
    return {N: dict(zip(names, cells, strict=True)) for N, *cells in forms.tables["counting"].rows}


def test_counting_in_the_papers_figure_and_beyond():
    points = counting(closed_forms())
    assert list(points) == [2, 3, 4, 5, 10, 30, 1_000_000]
    for N in (2, 3, 4, 5, 10, 30):
        assert points[N]["all_bits_right"] == pytest.approx(0.595**N, rel=1e-12)
        assert points[N]["prior_count_right"] == pytest.approx(comb(N, N // 2) / 2**N, rel=1e-9)
    assert f"{points[10]['best_count_right']:.5f}" == "0.25492"
    assert f"{points[10]['raw_count_right']:.7f}" == "0.0056023"
    assert list(counting(closed_forms(n_users=10**9))) == [2, 3, 4, 5, 10, 30]


def test_few_users_cannot_have_every_topic():
    forms = forms_at(349, 5, TWENTIETH, n_users=3)
    (parameters,) = forms.words["forms"].values()
    assert parameters["occurring"] == 15
    assert parameters["distinct_sets"] == 3
    assert parameters["prior_gain"] == Fraction(1, 3)
    assert forms["leakage"] == Fraction(1, 20) + 15 * Fraction(19, 20) / 5


def test_infinite_worst_case_without_noise_and_a_single_set():
    assert values(noise=0)["epsilon"] == values(noise=0)["max_case_capacity"] == inf
    assert values(5, 5)["max_case_is_met"] is False


def test_every_quantity_is_explained_and_the_keys_are_unique():
    forms = closed_forms()
    keys = [row.quantity for row in forms.rows.where(stage="")]
    assert keys == [*FORMS, "min_capacity_bits"]
    assert len({(row.stage, row.quantity) for row in forms.rows}) == len(forms.rows)
    assert set(forms.words["about"]) == {*FORMS, "min_capacity_bits"}
    for about in forms.words["about"].values():
        for text in about.values():
            assert text.strip() == text != ""
            assert "\n" not in text
        assert about["source"].startswith(("paper", "ours", "beyond the paper"))


def test_tables_show_every_quantity():
    tables = closed_forms().tables.values()
    assert {QUANTITIES[form.quantity].title for form in FORMS.values()} <= {
        row[0] for table in tables for row in table.rows
    }


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_topics": 0}, "n_topics must be a whole number of at least 1, v1"),
        ({"n_topics": 100_001}, "between 1 and 100000"),
        ({"top_s": 350}, "top_s must be a whole number between 1 and 349, not 350"),
        ({"noise": 1.5}, "noise must be a number between 0 and 1, not 1.5"),
        ({"noise": float("nan")}, "noise must be a number between 0 and 1, not nan"),
        ({"occurring": 4}, "occurring must be a whole number between 5 and 349, not 4"),
        ({"occurring": 16, "n_users": 3}, "occurring must be a whole number between 5 and 15, not 16"),
        ({"distinct_sets": 69}, "distinct_sets must be a whole number between 70 and 1000000, not 69"),
        ({"n_users": 0}, "n_users must be a whole number between 1 and 1000000000000000, not 0"),
        ({"epochs": 0}, "epochs must be a whole number between 1 and 10000, not 0"),
        ({"contexts": 1}, "contexts must be a whole number of at least 2, not 1"),
        ({"prior_success": -0.1}, "prior_success must be a number between 0 and 1, not -0.1"),
        ({"prior_gain": 0.01}, "prior_gain must be a number between 5/349"),
        ({"share": 2}, "share must be a number between 0 and 1, not 2"),
    ],
)
def test_bad_parameters_are_errors_that_say_the_range(parameters, message):
    with pytest.raises(ParameterError) as caught:
        forms_at(**parameters)
    assert message in str(caught.value)


def test_a_prior_gain_may_be_the_least_as_a_float():
    assert values(prior_gain=5 / 349)["prior_iba_gain"] == 5 / 349


probabilities = st.one_of(st.floats(), st.fractions(-1, 2))


@given(
    m=st.integers(-1, 3000),
    s=st.integers(-1, 3000),
    r=probabilities,
    occurring=st.none() | st.integers(-1, 3000),
    sets=st.none() | st.integers(-1, 3000),
    N=st.integers(-1, 3000) | st.sampled_from([10**9, 10**15]),
    E=st.integers(-1, 10_001),
    c=st.integers(-1, 2000) | st.just(10**30),
    P=probabilities,
    gain=st.none() | probabilities,
    a=probabilities,
)
def test_whatever_the_parameters_there_is_a_result_or_a_quiff_error(
    m, s, r, occurring, sets, N, E, c, P, gain, a
):
    try:
        forms = forms_at(
            m, s, r, occurring=occurring, distinct_sets=sets, n_users=N, epochs=E, contexts=c,
            prior_success=P, prior_gain=gain, share=a,
        )  # fmt: skip
    except QuiffError:
        return
    check_forms(forms)


@st.composite
def scenarios(draw):
    """Parameters within their ranges."""
    m = draw(st.integers(1, 1000))
    s = draw(st.integers(1, m))
    inside = st.floats(0, 1) | st.fractions(0, 1, max_denominator=10**6)
    return forms_at(
        m,
        s,
        draw(inside),
        n_users=draw(st.integers(1, 1000) | st.integers(1, 10**15)),
        epochs=draw(st.integers(1, 10_000)),
        contexts=draw(st.integers(2, 3000)),
        prior_success=draw(inside),
        share=draw(inside),
    )


@given(scenarios())
def test_probabilities_are_probabilities_and_bounds_bound(forms):
    check_forms(forms)


def check_forms(forms):
    found = {row.quantity: plain(row.value) for row in forms.rows if not row.stage}
    for form in FORMS.values():
        value = found[form.quantity]
        if form.unit == "probability":
            assert 0 <= value <= 1 + 1e-12
        elif form.unit == "factor":
            assert value == "inf" or value >= 1 - 1e-12
        elif form.unit in ("nats", "bits"):
            assert value == "inf" or value >= 0
    for point in plain(counting(forms)).values():
        assert 0 <= point["raw_count_right"] <= 1 + 1e-9
        assert point["all_bits_right"] <= point["best_count_right"] * (1 + 1e-9)
        assert point["prior_count_right"] <= point["best_count_right"] * (1 + 1e-9)
    slack = 1 + 1e-12
    assert found["leakage"] <= found["bayes_capacity"] * slack <= found["bounded_noise_capacity"] * slack**2
    assert found["shannon_capacity_bits"] <= log2(found["bayes_capacity"]) + 1e-9  # Alvim et al., Thm. 5.1
    assert found["iba_lower"] <= found["genuine_probability"] * slack <= found["iba_upper"] * slack**2
    if isinstance(found["max_case_capacity"], float | int) and isfinite(found["epsilon"]):
        assert exp(found["epsilon"]) == pytest.approx(found["max_case_capacity"], rel=1e-9)


@pytest.mark.parametrize(("m", "s", "r"), [(5, 2, 0.05), (6, 3, 0.5), (4, 1, 0), (3, 3, 0.2), (5, 4, 1)])
def test_the_shannon_capacity_is_that_of_blahut_and_arimoto(m, s, r):
    C = np.array(
        [[(1 - r) / s * (t in chosen) + r / m for t in range(m)] for chosen in combinations(range(m), s)]
    )
    x = np.random.default_rng(1).dirichlet(np.ones(len(C)))
    for _ in range(3000):
        with np.errstate(divide="ignore", invalid="ignore"):
            gained = np.exp(np.nansum(C * np.log(C / (x @ C)), axis=1))
        x = x * gained / (x @ gained)
    assert theory.shannon_capacity_bits(m, s, r) == pytest.approx(log2(x @ gained), abs=1e-6)


def test_every_api_has_the_promised_keys_and_several_are_a_list():
    keys = ("bayes_capacity", "epsilon", "max_case_capacity", "shannon_capacity_bits")
    cookies = closed_forms(Cookies())
    assert [cookies.rows[key] for key in keys] == [inf, inf, inf, inf]
    assert closed_forms(NoisyRanking()).rows["shannon_capacity_bits"] is None
    assert cookies.provenance.parameters == {"cookies": {"shows": "user"}}
    both = closed_forms(Cookies(), TopicsAPI())
    assert list(both.apis) == ["cookies", "topics"]
    assert both["topics", "bayes_capacity"] == pytest.approx(66.36)
    assert both["cookies", "side_information_bound"] == 1
    with refused(ParameterError):
        closed_forms(Cookies(), n_users=10)
    with refused(ParameterError):
        closed_forms(TopicsAPI(), TopicsAPI())


def test_the_limits_of_topics_are_its_closed_forms():
    api = TopicsAPI(469, 7, TWENTIETH)
    known = {limit.quantity: limit for limit in api.limits() if not limit.stage}
    forms = topics_forms(469, 7, TWENTIETH).values
    assert all(limit.value == forms[name] for name, limit in known.items())
    assert all(limit.formula == FORMS[name].formula for name, limit in known.items())
    rows = closed_forms(api).rows
    for limit in api.limits():  # those of earlier stages, too
        assert rows.where(stage=limit.stage)[limit.quantity] == limit.value
