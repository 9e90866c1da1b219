"""What outputs tell about popularity, against the enumeration of all outputs of small populations."""

import json
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import inf, prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quiff import (
    Api,
    Channel,
    Cookies,
    ParameterError,
    Population,
    TopicsAPI,
    estimate_popularity,
    popularity,
)
from quiff.apis.fitted import FittedAPI
from quiff.apis.naming import named_draws
from quiff.theory.popularity import Naming
from words import refused

TOPICS = "abcd"
M, S = 4, 2
populations = st.lists(st.sets(st.sampled_from(TOPICS), min_size=S, max_size=S), min_size=1, max_size=4)


def laws(sets, r):
    """For each user the probability of each output."""
    return [{t: (1 - r) / S * (t in own) + r / M for t in TOPICS} for own in sets]


def holders_of(sets):
    return [sum(t in own for own in sets) for t in TOPICS]


def share_of_orders(holders, counts, wanted):
    """Of all orders by reports, ties in any order, the share with the wanted popularity at each place."""
    if not wanted:
        return Fraction(1)
    tied = [t for t, count in enumerate(counts) if count == max(counts)]
    rest = [
        [-inf if t == chosen else c for t, c in enumerate(counts)]
        for chosen in tied
        if holders[chosen] == wanted[0]
    ]
    return sum((share_of_orders(holders, left, wanted[1:]) for left in rest), Fraction(0)) / len(tied)


def chance_by_enumeration(sets, r, top):
    holders, total = holders_of(sets), Fraction(0)
    wanted = sorted(holders, reverse=True)[:top]
    for reports in product(TOPICS, repeat=len(sets)):
        chance = prod(law[t] for law, t in zip(laws(sets, r), reports, strict=True))
        total += chance * share_of_orders(holders, [reports.count(t) for t in TOPICS], wanted)
    return total


@given(populations, st.sampled_from([Fraction(0), Fraction(1, 4), Fraction(3, 4)]))
@settings(max_examples=25)
def test_the_chances_are_those_of_all_outputs(sets, r):
    people = Population.from_sets(dict(enumerate(sets)), topics=list(TOPICS))
    found = popularity(people, TopicsAPI(M, S, r), simulations=400, first=3, seed=5)
    for chance in found.payload["finding"]:
        exact = float(chance_by_enumeration(sets, r, chance["top"]))
        assert chance["least"] - 1e-9 <= exact <= chance["most"] + 1e-9
        assert abs(chance["simulated"][0] - exact) <= 5 * (exact * (1 - exact) / 400) ** 0.5 + 5 / 400


@given(populations, st.sampled_from([Fraction(0), Fraction(1, 4), Fraction(3, 4)]))
@settings(max_examples=25)
def test_the_estimates_are_unbiased_over_all_outputs(sets, r):
    api, N = TopicsAPI(M, S, r), len(sets)
    mean, square = dict.fromkeys(TOPICS, Fraction(0)), dict.fromkeys(TOPICS, Fraction(0))
    for reports in product(TOPICS, repeat=N):
        chance = prod(law[t] for law, t in zip(laws(sets, r), reports, strict=True))
        result = estimate_popularity({t: reports.count(t) for t in TOPICS}, api)
        for t in TOPICS:
            users = result[api.spec, "estimated_users", f"topics: {t}"]
            mean[t] += chance * users
            square[t] += chance * users**2
    assert list(mean.values()) == holders_of(sets)
    people = Population.from_sets(dict(enumerate(sets)), topics=list(TOPICS))
    result = popularity(people, api, simulations=1)
    shares = [line[2] for line in result.tables["values"].rows]
    assert shares == [row["users"] / N for row in result.payload["values"]]
    for row in result.payload["values"]:
        topic = row["value"]
        assert row["users"] == result[api.spec, "users_with", f"topics: {topic}"] == mean[topic]
        expected = float(square[topic] - mean[topic] ** 2) ** 0.5 / N
        assert row["standard_error"] == pytest.approx(expected, abs=1e-12)


@dataclass(frozen=True)
class Spelled(Api):
    """The Topics API as a dense matrix, whose numbers have no structure to be seen."""

    needs = ("topics",)

    def observe(self, secrets):
        rows = [[0.35 * (t in own) + 0.05 for t in "abcdef"] for own in secrets]
        return Channel(rows, inputs=secrets, outputs=[f"shows {t}" for t in "abcdef"])

    def outputs_naming(self, attribute, value, stage):
        return (f"shows {value}",)


@pytest.mark.parametrize("copies", [3, 40], ids=["drawn one by one", "drawn set by set"])
@pytest.mark.parametrize("api", [TopicsAPI(6, S, 0.3), Spelled()], ids=["by structure", "row by row"])
def test_the_simulated_counts_have_the_mean_and_covariance_of_the_outputs(api, copies):
    sets = [{"a", "b"}, {"a", "c"}] * copies + [{"b", "d"}]
    r, runs = 0.3, 4000
    people = Population.from_sets(dict(enumerate(sets)), topics=list(TOPICS))
    draws = named_draws(people, api)
    assert draws.even == isinstance(api, TopicsAPI)
    assert (float(draws.naming.inside), float(draws.naming.outside)) == pytest.approx((0.4, 0.05))
    rng = np.random.default_rng(1)
    drawn = np.array([draws.draw(rng) for _ in range(runs)])
    assert (drawn.sum(axis=1) == len(sets)).all()
    rows = np.array([[(1 - r) / S * (t in own) + r / 6 for t in "abcdef"] for own in sets])
    covariance = np.diag(rows.sum(axis=0)) - rows.T @ rows
    deviation = np.sqrt(np.diag(covariance))
    assert np.abs(drawn.mean(axis=0) - rows.sum(axis=0)).max() < 5 * deviation.max() / runs**0.5
    scale = np.outer(deviation, deviation)
    assert np.abs((np.cov(drawn.T) - covariance) / scale).max() < 5 / runs**0.5 * 1.5
    shares = draws.shares(draws.having())
    assert shares == pytest.approx(rows.sum(axis=0) / len(sets))


@dataclass(frozen=True)
class Answer(Api):
    """Randomised response on a column of numbers; its answers are numbers too."""

    truth: Fraction = Fraction(1, 2)
    needs = ("age",)

    def observe(self, secrets):
        wrong = (1 - self.truth) / (len(secrets) - 1)
        rows = {x: {y: self.truth if x == y else wrong for y in secrets} for x in secrets}
        return Channel.sparse(rows, outputs=secrets)

    def outputs_naming(self, attribute, value, stage):
        return (value,) if attribute == "age" else ()

    def naming(self, attribute):
        return Naming(self.truth, (1 - self.truth) / 2, 3) if attribute == "age" else None


@pytest.mark.parametrize("truth", [Fraction(3, 4), Fraction(0)])
def test_answers_on_a_column_are_counted_like_topics(truth):
    ages = [1] * 6 + [2] * 3 + [3]  # numbers, as the topics and the users
    people = Population.from_sets({k: {k} for k in range(10)}).with_attribute("age", ages)
    api = Answer(truth)
    result = popularity(people, api, simulations=2000, first=1)
    assert {row["value"]: row["users"] for row in result.payload["values"]} == {1: 6, 2: 3, 3: 1}
    wrong = (1 - truth) / 2
    n = {1: 6, 2: 3, 3: 1}
    for row in result.payload["values"]:
        own = n[row["value"]]
        variance = own * truth * (1 - truth) + (10 - own) * wrong * (1 - wrong)
        assert row["standard_error"] == pytest.approx(float(variance) ** 0.5 / abs(float(truth - wrong)) / 10)
    estimates = estimate_popularity({1: 5, 2: 3, 3: 2}, api)
    for age, count in ((1, 5), (2, 3), (3, 2)):
        expected = (count - 10 * wrong) / (truth - wrong)
        assert estimates[api.spec, "estimated_users", f"age: {age}"] == expected
    rng, draws, right = np.random.default_rng(3), named_draws(people, api), 0
    for _ in range(2000):  # every user by themselves, without a channel
        answers = [age if rng.random() < truth else rng.choice([k for k in n if k != age]) for age in ages]
        counts = np.array([answers.count(k) for k in n])
        right += int(np.argmax(counts + rng.random(3))) == 0
    assert result[api.spec, "finding_probability"] == pytest.approx(right / 2000, abs=0.06)
    assert draws.attribute == "age"
    assert "value of age" in str(result)


def test_a_merged_population_gives_the_same_formulas():
    people = Population.synthetic(3000, seed=2, n_topics=12, top_s=2)
    sets, _ = people.distinct_sets()
    merged = Population(sets, people.topics, sets.codes, counts=people.set_counts())
    api = TopicsAPI(12, 2, 0.1)
    one, other = (popularity(population, api, simulations=20) for population in (people, merged))
    names = ("value", "users", "standard_error")
    assert [[t[name] for name in names] for t in one.payload["values"]] == [
        [t[name] for name in names] for t in other.payload["values"]
    ]
    for first, second in zip(one.payload["finding"], other.payload["finding"], strict=True):
        for name in ("least", "most"):
            assert first[name] == pytest.approx(second[name], abs=1e-12)


def test_the_approximation_agrees_with_the_simulation_of_many_users():
    people = Population.synthetic(20_000, seed=3, n_topics=40, top_s=3)
    found = popularity(people, TopicsAPI(40, 3, 0.05), simulations=3000, first=4)
    for chance in found.payload["finding"]:
        assert chance["approximation"] == pytest.approx(chance["simulated"][0], abs=0.04)
    for point in found.payload["growth"]:
        if point["n_users"] >= 1000:
            assert point["first_approximation"] == pytest.approx(point["first"][0], abs=0.04)
            assert point["in_order_approximation"] == pytest.approx(point["in_order"][0], abs=0.04)


def test_a_sample_of_users_is_a_multinomial_of_outputs():
    """Three users drawn with replacement show a with p = .45 each, the others evenly."""
    people = Population.from_sets({1: {"a", "b"}, 2: {"a", "c"}, 3: {"a", "d"}})
    found = popularity(people, TopicsAPI(4, 2, Fraction(1, 5)), simulations=4000)
    assert [point["n_users"] for point in found.payload["growth"]] == [3]
    shares = {"a": 0.45, **dict.fromkeys("bcd", 0.55 / 3)}
    exact = 0.0
    for reports in product(TOPICS, repeat=3):
        counts = [reports.count(t) for t in TOPICS]
        exact += prod(shares[t] for t in reports) * float(share_of_orders([3, 1, 1, 1], counts, [3]))
    assert found.payload["growth"][0]["first"][0] == pytest.approx(exact, abs=0.04)


def test_the_paper_answers_another_question():
    found = popularity(Population.synthetic(30, seed=1), simulations=5)
    point = found.payload["growth"][0]
    assert (point["n_users"], round(point["all_bits_right"], 7)) == (10, 0.0055612)


def test_the_same_seed_gives_the_same_answer_and_another_does_not():
    people = Population.synthetic(500, seed=1)
    one = popularity(people, simulations=30, seed=4)
    assert one.to_json() == popularity(people, simulations=30, seed=4).to_json()
    assert one.payload["values"] != popularity(people, simulations=30, seed=5).payload["values"]


def test_more_simulations_do_not_change_the_estimate():
    people = Population.synthetic(500, seed=1)
    few, many = (popularity(people, simulations=runs) for runs in (3, 7))
    assert few.payload["values"] == many.payload["values"]


def test_it_shows_as_tables_sentences_json_and_figure():
    people = Population.from_sets({"x": {"Music", "Art & <b>"}, "y": {"Music", "News"}})
    found = popularity(people, TopicsAPI(5, 2, Fraction(1, 20)), simulations=10)
    topics, finding, growth = found.tables.values()
    assert topics.rows[0][:3] == ("Music", 2, 1.0)
    assert [row[0] for row in finding.rows] == ["the most popular topic", "the first 3 topics in order"]
    assert growth.rows[-1][0] == 2
    written = json.loads(found.to_json())
    assert written["payload"]["values"][0]["value"] == "Music"
    (parameters,) = written["provenance"]["parameters"].values()
    assert parameters["noise"] == 0.05
    assert len(found.sentences) == 4
    assert all(sentence.endswith(".") for sentence in found.sentences)
    assert "Art &amp; &lt;b&gt;" in found._repr_html_()
    svg = found.figure().to_svg()
    assert "the most popular topic is found" in svg
    assert "NaN" not in svg
    assert found.explained()
    estimate = estimate_popularity({"Music": 1, "News": 1}, TopicsAPI(5, 2, Fraction(1, 20)))
    assert "Estimated users" in estimate._repr_html_()
    assert estimate.words["n_users"] == 2
    assert estimate.row("topics: Music").method == "formula"


def test_topics_that_nobody_has_may_be_shown_but_are_not_listed():
    people = Population.from_sets({"x": {1, 2}}, topics=range(1, 5))
    found = popularity(people, TopicsAPI(9, 2, 0.9), simulations=50)
    assert [row["value"] for row in found.payload["values"]] == [1, 2]
    assert found.payload["finding"][0]["simulated"][0] < 1


@pytest.mark.parametrize(
    ("arguments", "numbers"),
    [
        ({"api": TopicsAPI(9, 3)}, (3, 2)),
        ({"api": TopicsAPI(9, 2, 1)}, ()),
        ({"api": Cookies()}, ()),
        ({"api": FittedAPI({1: 0.5, 2: 0.75, 3: 0.5})}, ()),
        ({"of": "country"}, ()),
        ({"first": 0}, (1, 0)),
        ({"simulations": 0}, (1, 100000, 0)),
        ({"seed": -1}, (0, -1)),
    ],
)
def test_what_cannot_be_is_an_error(arguments, numbers):
    with refused(ParameterError, *numbers):
        popularity(Population.from_sets({"x": {1, 2}, "y": {2, 3}}), **arguments)


@pytest.mark.parametrize(
    ("counts", "n_users", "numbers"),
    [
        ({"a": 3, "b": 4}, 6, (7, 6)),
        ({"a": -1}, 6, (0, -1)),
        ({"a": 0.5}, 6, ()),
        ({}, None, (1, 0)),
        (
            dict.fromkeys(range(5), 1),
            None,
            (5, 4),
        ),
    ],
)
def test_counts_that_cannot_be_are_an_error(counts, n_users, numbers):
    with refused(ParameterError, *numbers):
        estimate_popularity(counts, TopicsAPI(4, 2), n_users)


def test_counts_of_outputs_that_name_nothing_are_an_error():
    with refused(ParameterError):
        estimate_popularity({1: 3}, Cookies())


@dataclass(frozen=True)
class Cohorts(Api):
    """Integer cohorts of topic sets; that there are topics of these numbers means nothing."""

    needs = ("topics",)

    def observe(self, secrets):
        return Channel.deterministic({own: sum(own) % 4 for own in secrets}, outputs=range(4))


def test_a_cohort_is_not_the_topic_of_its_number():
    people = Population.from_sets({"Alice": {0, 1}, "Bob": {1, 2}, "Carol": {2, 3}})
    with refused(ParameterError):
        popularity(people, Cohorts())


@pytest.mark.full
def test_the_population_of_pets_24(mirror):
    people = Population.read(mirror / "topics-users-250000.csv.tar.gz")
    found = popularity(people, TopicsAPI())
    topics = found.payload["values"]
    assert [(t["value"], t["users"]) for t in topics[:3]] == [(215, 67_831), (219, 65_978), (1, 59_876)]
    assert f"{found.tables['values'].rows[0][2]:.4f}" == "0.2713"  # the share
    first, ten = found.payload["finding"]
    assert (first["top"], ten["top"]) == (1, 10)
    # One pair decides who is first: 67 831 against 65 978 users, so that the bounds meet.
    assert f"{first['least']:.5f} {first['most']:.5f}" == "0.99086 0.99086"
    _, low, high = first["simulated"]
    assert low < first["least"] < high
    value, low, high = ten["simulated"]
    assert ten["least"] < low < ten["approximation"] < high < ten["most"]
    assert 0.30 < value < 0.40
    held = sum(low <= t["users"] <= high for t in topics for _, low, high in [t["estimate"]])
    assert 0.93 < held / 349 < 0.98
