"""APIs side by side: the numbers of the other studies, grouped by unit, and reasons where there are none."""

from itertools import groupby
from math import inf, isclose, log, log2

import numpy as np
import pytest

import quiff
from quiff import Channel, Population, Prior, api_from, posterior_vulnerability, repeat
from quiff.apis.base import all_limits
from quiff.apis.registry import all_apis
from quiff.errors import ParameterError
from quiff.results.numbers import probability
from words import refused


@pytest.fixture(scope="module")
def people():
    return Population.synthetic(300, seed=1, attributes=("history", "conversions"))


@pytest.fixture(scope="module")
def compared(people):
    return quiff.compare(people)


def of_api(result, spec):
    """Return the rows of what an API shows, without those of the observations of a month."""
    return result.rows.where(api=spec, observations=1)


def goals(result, spec):
    """Return what a receiver learns by one observation, by goal."""
    rows = of_api(result, spec).where(quantity="goal_posterior", prior="population")
    return {row.goal: row.value for row in rows}


def test_all_apis_of_the_registry_that_have_defaults_are_there(compared):
    assert set(compared.apis) == set(quiff.apis.registry.apis()) - {"fitted"}
    assert compared.words["missing"] == {}


def test_without_people_these_are_the_closed_forms():
    result = quiff.compare()
    for api in all_apis():
        known = {limit.quantity: limit.value for limit in all_limits(api) if not limit.stage}
        own, words = of_api(result, api.spec), result.apis[api.spec]
        for name in ("bayes_capacity", "min_capacity_bits", "epsilon", "max_case_capacity"):
            assert own[name] == known.get(name)
        assert own["posterior"] is None
        assert (words.unit, words.status, words.family) == (api.unit, api.status, api.family)
    assert of_api(result, "cookies")["shannon_capacity_bits"] == inf
    assert of_api(result, "floc")["bayes_capacity"] is None
    assert "from the parameters alone of FLoC" in str(result)


def test_a_small_channel_has_its_shannon_capacity_by_iteration():
    """k-anonymity, by the capacity of a binary channel in closed form."""
    api = quiff.KAnonymityStatus()
    (a, _), (b, _) = api.observe([False, True]).to_numpy()
    grid = np.linspace(0.3, 0.7, 100_001)

    def entropy(p):
        return -p * np.log2(p) - (1 - p) * np.log2(1 - p)

    best = (entropy(grid * b + (1 - grid) * a) - grid * entropy(b) - (1 - grid) * entropy(a)).max()
    assert quiff.compare(api)[api.spec, "shannon_capacity_bits"] == pytest.approx(best, abs=1e-9)


def test_one_observation_is_that_of_measure_and_a_month_that_of_over_time(people, compared):
    for api in all_apis(people):
        own = of_api(compared, api.spec)
        measured = quiff.measure(people, api, goals="topics")
        if api.observer_knows_who:
            assert compared.rows.where(api=api.spec)["posterior"] is None  # nor that of a month
        else:
            assert own["posterior"] == measured[api.spec, "posterior"]
        reached = goals(compared, api.spec)
        for row in measured.rows:
            if row.quantity == "goal_posterior" and row.prior == "population" and row.stage == api.name:
                assert reached[row.goal] == row.value
    for spec, n in (("topics", 6), ("android_topics", 4), ("floc", 4)):
        assert compared.rows.where(api=spec, quantity="posterior").values("observations") == [1, n]
        over = quiff.over_time(people, api_from(spec), n)
        assert float(compared[spec, "posterior", n]) == pytest.approx(float(over[spec, "posterior", n]))


def test_every_api_has_a_goal_or_says_why_not(compared):
    assert not [spec for spec in compared.apis if not goals(compared, spec)]


def test_rows_of_a_unit_stand_together_and_the_words_say_so(compared):
    units = [str(api.unit) for api in compared.apis.values()]
    assert len(list(groupby(units))) == len(set(units)) < len(units)
    assert "Numbers compare under one heading only" in compared.sentences[0]
    table = compared.tables["limits"]
    assert table.group == table.columns[0]
    lines = table.to_text().splitlines()
    assert all(unit[:1].upper() + unit[1:] in lines for unit in units)


def test_what_people_lack_is_listed_with_how_to_get_it():
    plain = Population.synthetic(200, seed=1)
    result = quiff.compare(plain)
    missing = result.words["missing"]
    for spec in ("event_level", "aggregatable", "w3c_attribution"):
        assert "--attribute conversions" in missing[spec]
        assert of_api(result, spec)["epsilon"] is not None  # its limits are there all the same
    assert "--histories" in missing["floc"]
    assert of_api(result, "topics")["posterior"] is not None
    unmeasured = [spec for spec in result.apis if not len(result.rows.where(api=spec, scope="people"))]
    assert list(missing) == unmeasured
    assert len(result.tables["missing"].rows) == len(missing) > 0


def test_of_several_epochs_the_first_is_compared():
    several = quiff.drift(Population.synthetic(50, seed=1), 3, 0.2, seed=1)
    api = api_from("topics")
    result = quiff.compare(several, api)
    assert result["topics", "posterior"] == quiff.measure(several.epoch(0), api)["topics", "posterior"]
    assert any("the first is compared" in note for note in result.notes)


def test_people_may_come_first_or_by_name(people):
    one, other = api_from("topics"), api_from("parakeet")
    first, named = quiff.compare(people, one, other), quiff.compare(one, other, people=people)
    assert first.rows == named.rows
    assert quiff.compare(None, one).rows == quiff.compare(one).rows
    assert "people" in first.provenance.command
    for wrong in ("topics", 3, Population):
        with pytest.raises(ParameterError):
            quiff.compare(wrong)
    with refused(ParameterError):
        quiff.compare(one, one)
    with refused(ParameterError):
        quiff.compare(people, one, goals="age")


def test_the_mean_of_noisy_embeddings_tells_as_much_as_all_of_them():
    """Two observations as a product of channels, against the mean of two; both are cut into cells."""
    api = quiff.NoisyRanking(epsilon=0.5)
    points = [-1.0, 0.25, 1.0]
    prior = Prior.from_array(points, np.array([0.2, 0.5, 0.3]))
    once = api.observe(points)
    coarse = Channel(once.to_numpy().reshape(3, -1, once.outputs.size // 100).sum(axis=2), inputs=points)
    both, mean = repeat(coarse, 2), api.over_time(coarse.inputs, 2)
    low, high = (posterior_vulnerability(prior, C) for C in (both, mean))
    assert low <= high * mean.slack
    assert isclose(low, high, rel_tol=1e-3)
    assert high > posterior_vulnerability(prior, once)


def test_an_api_without_closed_forms_is_measured_on_the_secrets_that_occur():
    people = Population.from_sets({"Ann": {1}, "Bob": {2}}).with_attribute("country", ["AT", "BR"])

    @quiff.program
    def response(user, draw):
        return draw.weighted({c: 4 if c == user.country else 1 for c in ("AT", "BR")})

    said = " ".join(quiff.compare(people, response).sentences)
    # 4/5 of the truth, 1/5 of the other: two such columns, their ratio, and the logarithms
    assert f"its capacity is 1.6 ({log2(1.6):.3f} bits), its epsilon {log(4):.2f}." in said
    assert "measure it on people" in " ".join(quiff.compare(response).sentences)


def test_a_month_that_was_cut_into_cells_shows_its_interval():
    people = Population.synthetic(30, seed=1)
    found = quiff.compare(people, quiff.NoisyRanking())
    (month,) = (row for row in found.rows if row.quantity == "posterior" and row.observations == 28)
    assert month.low <= month.value <= month.high
    said = f"(outputs are cut into cells: {probability(month.low)} to {probability(month.high)})"
    assert said in " ".join(found.tables["across"].notes)
