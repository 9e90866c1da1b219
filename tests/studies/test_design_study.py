"""The parameters that meet a budget, checked by formulas written out anew."""

from fractions import Fraction
from math import inf, isfinite, log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quiff import Cookies, TopicsAPI
from quiff.errors import ParameterError, QuiffError
from quiff.studies import design
from words import refused

MEASURES = ["capacity", "epsilon", "max_case", "utility"]


def meet_budget(m, measure, target, noise=0.05):
    return design.meet_budget(TopicsAPI(m, 1, noise), measure, target).payload


def by_hand(m, s, r):
    """Return capacity, epsilon, max-case capacity and utility from the chances of a topic in and out."""
    inside, outside = (1 - r) / s + r / m, r / m
    worst = inside / outside if outside else inf
    return {
        "capacity": m * inside,
        "epsilon": log(worst),
        "max_case": worst,
        "utility": s * inside,
    }


def test_the_papers_question():
    answer = meet_budget(629, "capacity", 66.36)
    assert (answer["strict"]["top"], answer["nearest"]["top"]) == (10, 9)
    assert f"{answer['nearest']['bayes_capacity']:.2f}" == "66.44"
    assert f"{answer['nearest']['max_case_capacity']:.2f}" == "1328.89"
    answer = meet_budget(469, "capacity", 66.36)
    assert (answer["strict"]["top"], answer["nearest"]["top"]) == (7, 7)
    assert f"{answer['strict']['bayes_capacity']:.2f}" == "63.70"


def test_the_same_question_for_the_worst_case_and_exactly():
    assert meet_budget(629, "max_case", Fraction(6636, 5), Fraction(1, 20))["strict"]["top"] == 10
    answer = meet_budget(349, "max_case", Fraction(6636, 5), Fraction(1, 20))
    assert answer["strict"]["top"] == answer["nearest"]["top"] == 5
    assert answer["options"][4]["noise"] == Fraction(1, 20)


@given(
    st.integers(2, 60),
    st.sampled_from(MEASURES),
    st.fractions(0, 1, max_denominator=100),
    st.fractions(0, 1, max_denominator=100),
    st.booleans(),
)
def test_every_option_meets_the_target_and_with_the_least_noise_it_can(m, measure, x, noise, as_float):
    target = x if measure in ("utility", "epsilon") else 1 + 50 * x
    target = float(target) if as_float else target
    answer = meet_budget(m, measure, target, noise)
    assert [option["top"] for option in answer["options"]] == list(range(1, m))
    for option in answer["options"]:
        found = by_hand(m, option["top"], option["noise"])[measure]
        if measure == "utility":
            assert found >= target - 1e-9
            assert option["noise"] == 1 or found == pytest.approx(float(target), abs=1e-9)
        else:
            assert found <= target + 1e-9
            assert option["noise"] == 0 or found == pytest.approx(float(target), abs=1e-9)
    smaller = range(1, answer["strict"]["top"] if answer["strict"] else m)
    sign = -1 if measure == "utility" else 1
    for s in smaller:
        assert sign * by_hand(m, s, noise)[measure] >= sign * target - 1e-9
    if answer["strict"]:
        assert sign * by_hand(m, answer["strict"]["top"], noise)[measure] <= sign * target + 1e-9


@given(st.integers(2, 40), st.sampled_from(MEASURES), st.floats(0, 1), st.floats(0.01, 1, exclude_min=True))
def test_nothing_is_nearer_than_the_nearest(m, measure, x, noise):
    target = x if measure in ("utility", "epsilon") else 1 + 50 * x
    distance = {s: abs(by_hand(m, s, noise)[measure] - target) for s in range(1, m)}
    nearest = meet_budget(m, measure, target, noise)["nearest"]["top"]
    assert distance[nearest] <= min(distance.values()) + 1e-9


@pytest.mark.parametrize(
    ("measure", "target", "message"),
    [
        ("capacity", 0.5, "capacity must be a number of at least 1, not 0.5; the nearest possible is 1"),
        ("max_case", -inf, "max_case must be a number of at least 1, not -inf; the nearest possible is 1"),
        ("epsilon", -1, "epsilon must be a number of at least 0, not -1; the nearest possible is 0"),
        ("utility", 1.5, "utility must be a number between 0 and 1, not 1.5; the nearest possible is 1"),
        ("utility", -0.5, "utility must be a number between 0 and 1, not -0.5; the nearest possible is 0"),
        ("capacity", float("nan"), "at least 1, not nan"),
        ("entropy", 1, "measure must be one of capacity, epsilon, max_case, utility, not 'entropy'"),
    ],
)
def test_an_impossible_target_is_an_error_that_names_the_nearest_possible(measure, target, message):
    with pytest.raises(ParameterError) as caught:
        meet_budget(349, measure, target)
    assert message in str(caught.value)


@pytest.mark.parametrize(("m", "noise"), [(1, 0.05), (100_001, 0.05), (349, 1.5), (349, float("nan"))])
def test_bad_parameters_are_errors(m, noise):
    with refused(ParameterError):
        meet_budget(m, "capacity", 66.36, noise)


def test_when_no_size_meets_the_target_at_the_noise_the_answer_says_what_is_nearest():
    answer = meet_budget(10, "capacity", 1.05)
    assert answer["strict"] is None
    assert answer["nearest"]["top"] == 9
    found = design.meet_budget(TopicsAPI(10, 1), "capacity", 1.05)
    (missing,) = found.notes
    assert missing.endswith("the nearest possible capacity is 1.106, at top_s=9")
    assert missing in found.tables["answer"].notes


def test_without_noise_the_worst_case_is_infinite_and_none_is_nearest():
    answer = meet_budget(349, "max_case", 1000.0, 0)
    assert answer["strict"] is None
    assert answer["nearest"] is None
    assert meet_budget(349, "epsilon", inf)["options"][0]["epsilon"] == inf


def test_the_tables_show_the_answers_and_say_how_much_is_left_out():
    found = design.meet_budget(TopicsAPI(629), "capacity", 66.36)
    first, second = (table.to_text() for table in found.tables.values())
    assert "sets of 10 do" in found.sentences[0]
    assert found["topics:n_topics=629,top_s=10,noise=0.05", "bayes_capacity"] == pytest.approx(59.805)
    assert "strictly     10     0.05      59.8" in first
    assert "nearest       9     0.05      66.4" in first
    assert "... and 617 larger sets" in second
    assert "docs/theory/optimal-design.md" in second
    few = design.meet_budget(TopicsAPI(5), "utility", 0.9)
    assert "larger sets" not in few.tables["options"].to_text()


def test_an_api_without_closed_forms_of_designs_says_so():
    with refused(ParameterError):
        design.meet_budget(Cookies(), "capacity", 2)


@given(
    st.integers(-1, 80),
    st.sampled_from(MEASURES),
    st.floats() | st.fractions() | st.integers(),
    st.floats() | st.fractions(-1, 2),
)
def test_whatever_the_target_there_is_an_answer_or_a_quiff_error(m, measure, target, noise):
    try:
        answer = meet_budget(m, measure, target, noise)
    except QuiffError:
        return
    assert len(answer["options"]) == m - 1
    assert all(isfinite(option["bayes_capacity"]) for option in answer["options"])
