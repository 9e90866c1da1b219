"""The call in a result repeats it: Python runs it, and the rows are the same."""

from fractions import Fraction

import pytest

import quiff
from quiff import Carey, Cookies, LabelError, ParameterError, Population, Together, TopicsAPI
from words import refused

API = TopicsAPI(n_topics=5, top_s=2, noise=Fraction(1, 10))
SETS = {"Ann": {1, 2}, "Bob": {2, 3}, "Cat": {1, 2}, "Dan": {4, 5}}
PEOPLE = Population.from_sets(SETS).with_attribute("country", ["BR", "UY", "BR", "US"])
REPORTS = quiff.simulate(PEOPLE, API, epochs=4, seed=3)


@pytest.mark.parametrize(
    "result",
    [
        quiff.measure(PEOPLE),
        quiff.measure(PEOPLE, API, Cookies(), known="country", goals=["topics"]),
        quiff.measure(PEOPLE, Together(API, Cookies())),
        quiff.user_risk(PEOPLE, API, threshold=Fraction(1, 3)),
        quiff.over_time(PEOPLE, API, 2, utility=True),
        quiff.attack(PEOPLE, API, observations=[1, 2], seeds=1, sample=None, attacks="carey", seed=5),
        quiff.popularity(PEOPLE, API, simulations=20, first=2, seed=4),
        quiff.exposure(PEOPLE, API, attribute="country"),
        quiff.attribute_inference(PEOPLE, API, attribute="country", value="BR"),
        quiff.fit_design(PEOPLE, 0.8, API),
        quiff.meet_budget(API, "capacity", 2),
        quiff.closed_forms(API, n_users=10, epochs=2),
        quiff.browser_rules(PEOPLE, API, samples=50, seed=2),
        quiff.reidentify(REPORTS, Carey(2, 0.1), sample=None, population=PEOPLE, api=API),
        quiff.estimate_popularity({1: 3, 2: 1}, API, n_users=10),
    ],
    ids=lambda result: result.provenance.command.split("(")[0],
)
def test_the_call_in_a_result_repeats_it(result):
    names = {**vars(quiff), **{name: getattr(quiff, name) for name in quiff.__all__}, "quiff": quiff}
    given = {"people": PEOPLE, "reports": REPORTS, "population": PEOPLE, "Fraction": Fraction}
    again = eval(result.provenance.command, {**names, **given})  # noqa: S307 - what the test is about
    assert again.rows == result.rows
    assert again.provenance == result.provenance
    assert list(result.to_pandas().columns)[:3] == ["api", "unit", "stage"]
    assert len(result.to_pandas()) == len(result.rows) > 0


def test_a_number_is_chosen_by_an_api_and_a_quantity():
    result = quiff.measure(PEOPLE, API, Cookies())
    assert result["cookies", "leakage"] == 4
    for keys, words in (
        ((API.spec,), "give a quantity too: prior, posterior"),
        (("leakage",), f"give an API too: {API.spec}, cookies"),
        ((), "give an API too"),
        ((API.spec, "leekage"), "did you mean 'leakage'"),
        ((API.spec, "leakage", "no_stage"), "the keys are"),
    ):
        with pytest.raises(LabelError, match=words):
            result[keys]


@pytest.mark.parametrize(
    "call",
    [
        lambda: quiff.simulate("people.csv", API, epochs=1),
        lambda: quiff.simulate(API, PEOPLE, epochs=1),
        lambda: quiff.reidentify(PEOPLE, API),
        lambda: quiff.testing.check_api(PEOPLE, API),
        lambda: quiff.testing.check_api(API, "people.csv"),
        lambda: Together(API, 5),
        lambda: Together(TopicsAPI, Cookies),
        lambda: quiff.api_from(5),
        lambda: quiff.attack(PEOPLE, API, attacks="none"),
        lambda: quiff.measure(PEOPLE, API, known="contry"),
    ],
)
def test_wrong_types_say_what_was_expected(call):
    with refused(ParameterError) as caught:
        call()
    assert "\n" not in str(caught.value)


def test_closed_forms_of_apis_together_bound_what_is_measured():
    both = Together(API, TopicsAPI(n_topics=5, top_s=2, noise=Fraction(1, 2)))
    limits = {limit.quantity: limit.value for limit in both.limits()}
    measured = quiff.measure(PEOPLE, both)
    for quantity in ("bayes_capacity", "epsilon", "max_case_capacity"):
        assert measured.row(both.spec, quantity, "people").value <= limits[quantity]
        assert measured.row(both.spec, quantity).value == limits[quantity]
