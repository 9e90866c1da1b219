"""What an observation says about one value: the figures are those of the definitions, in plain loops."""

import json
from dataclasses import dataclass
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quiff import (
    Api,
    Channel,
    Cookies,
    Histories,
    LabelError,
    ParameterError,
    Population,
    Prior,
    TopicsAPI,
    attribute_inference,
    bayes_capacity,
    dalenius_leakage,
    exposure,
    leakage,
    predicate_gain,
)
from words import refused

TOPICS = "abcdef"
some_sets = st.lists(st.sets(st.sampled_from(TOPICS), min_size=2, max_size=2), min_size=1, max_size=7)


def values_of(result):
    """Return the rows of each value, as text."""
    groups = result.rows.by("goal").items()
    return {goal.partition(": ")[2]: rows for (goal,), rows in groups if goal != "user"}


def stages(sets, m, s, r):
    outputs = list(TOPICS) + list(range(m - len(TOPICS)))
    return {
        "cookies": [{y: int(x == y) for y in range(len(sets))} for x in range(len(sets))],
        "generalization": [{tuple(sorted(y)): int(y == own) for y in sets} for own in sets],
        "bounded_noise": [{t: Fraction(int(t in own), s) for t in outputs} for own in sets],
        "topics": [{t: (1 - r) * Fraction(int(t in own), s) + r / m for t in outputs} for own in sets],
    }


@given(some_sets, st.integers(0, 10), st.integers(6, 8), st.sampled_from(TOPICS), st.booleans(), st.data())
def test_every_stage_says_what_the_definition_says(sets, tenths, m, topic, exact, data):
    r = Fraction(tenths, 10)
    weights = data.draw(st.lists(st.integers(0, 3), min_size=len(sets), max_size=len(sets)).filter(any))
    people = Population.from_sets(
        dict(enumerate(sets)), topics=list(TOPICS), weights=dict(enumerate(weights))
    )
    api = TopicsAPI(m, 2, r if exact else float(r))
    result = attribute_inference(people, Cookies(), api, value=topic)
    pi = [Fraction(weight, sum(weights)) for weight in weights]
    have = [topic in own for own in sets]
    share = sum((p for p, has in zip(pi, have, strict=True) if has), Fraction(0))
    for stage, C in stages(sets, m, 2, r).items():
        spec = "cookies" if stage == "cookies" else api.spec
        row = result.rows.where(api=spec, stage=stage)
        assert float(row["value_share"]) == pytest.approx(float(share))
        joint = {
            (bit, y): sum(
                (p * line[y] for p, line, has in zip(pi, C, have, strict=True) if has == bit), Fraction(0)
            )
            for bit in (True, False)
            for y in C[0]
        }
        prior = max(share, 1 - share)
        posterior = sum(max(joint[True, y], joint[False, y]) for y in C[0])
        goal = f"topics: {topic}"
        assert float(result[spec, "goal_prior", stage, goal]) == pytest.approx(float(prior))
        assert float(result[spec, "goal_posterior", stage, goal]) == pytest.approx(
            float(posterior), rel=1e-12
        )
        assert float(result[spec, "leakage", stage, goal]) == pytest.approx(float(posterior / prior))
        assert float(row["added"]) == pytest.approx(float(posterior - prior), abs=1e-12)
        if exact:
            assert (row["goal_prior"], row["goal_posterior"]) == (prior, posterior)
        if stage in ("cookies", "generalization"):
            assert row["named_posterior"] is row["unnamed_posterior"] is None
            assert row["goal_posterior"] == 1
            continue
        other = [y for y in C[0] if y != topic]
        for given_it, ys in ((row["named_posterior"], [topic]), (row["unnamed_posterior"], other)):
            both, yes = (sum(joint[bit, y] for bit in bits for y in ys) for bits in ((True, False), (True,)))
            if both == 0:
                assert given_it is None
            else:
                assert float(given_it) == pytest.approx(float(yes / both), rel=1e-12, abs=1e-15)


@given(some_sets, st.integers(0, 10), st.booleans())
def test_all_topics_at_once_say_what_each_says_alone(sets, tenths, exact):
    r = Fraction(tenths, 10) if exact else tenths / 10
    people, api = Population.from_sets(dict(enumerate(sets)), topics=list(TOPICS)), TopicsAPI(7, 2, r)
    values = values_of(exposure(people, api))
    assert set(values) == set().union(*sets)
    leaks = [rows["leakage"] for rows in values.values()]
    assert leaks == sorted(leaks, reverse=True)
    for value, rows in values.items():
        alone = attribute_inference(people, api, value=value).rows.where(stage="topics")
        if exact:
            assert rows == alone
        else:
            assert rows["goal_posterior"] == pytest.approx(alone["goal_posterior"], rel=1e-12)
            assert rows["named_posterior"] == pytest.approx(alone["named_posterior"])
            assert rows["unnamed_posterior"] == pytest.approx(alone["unnamed_posterior"])


@given(some_sets, st.integers(0, 10), st.sampled_from(TOPICS))
def test_it_is_a_leakage_about_a_correlated_secret_and_below_capacity(sets, tenths, topic):
    people = Population.from_sets(dict(enumerate(sets)), topics=list(TOPICS))
    api = TopicsAPI(7, 2, Fraction(tenths, 10))
    C = api.channel(people)
    found = attribute_inference(people, api, value=topic)[api.spec, "leakage"]
    joint = Prior({(topic in own, x): Fraction(1, len(sets)) for x, own in enumerate(sets)})
    assert found == dalenius_leakage(joint, C)
    assert found == leakage(people.user_prior(), C, predicate_gain(people.users, lambda x: topic in sets[x]))
    assert found <= bayes_capacity(C)


@dataclass(frozen=True)
class Survey(Api):
    """Randomised response on a column of numbers, whose answers are numbers too."""

    truth: Fraction = Fraction(1, 2)
    needs = ("age",)

    def observe(self, secrets):
        wrong = (1 - self.truth) / (len(secrets) - 1)
        rows = [[self.truth if x == y else wrong for y in secrets] for x in secrets]
        return Channel(rows, inputs=secrets, outputs=list(secrets))

    def outputs_naming(self, attribute, value, stage):
        return (value,) if attribute == "age" else ()


@given(
    st.lists(st.tuples(st.sampled_from([1, 2, 3]), st.sampled_from([1, 2])), min_size=2, max_size=7).filter(
        lambda rows: len({age for age, _ in rows}) > 1
    ),
    st.integers(0, 5),
    st.data(),
)
def test_any_attribute_through_any_api_is_its_dalenius_leakage(rows, fifths, data):
    """Ages, grades and users are all numbers from 1 on."""
    people = Population.from_sets({k: {k} for k, _ in enumerate(rows)})
    people = people.with_attribute("age", [age for age, _ in rows])
    people = people.with_attribute("grade", [grade for _, grade in rows])
    api, n = Survey(Fraction(fifths, 5)), len(rows)
    name = data.draw(st.sampled_from(["age", "grade", "topics"]))
    own = [{"age": age, "grade": grade, "topics": k}[name] for k, (age, grade) in enumerate(rows)]
    value = data.draw(st.sampled_from(own))
    result = attribute_inference(people, api, attribute=name, value=value)
    joint = Prior({(mine == value, x): Fraction(1, n) for x, mine in enumerate(own)})
    assert result[api.spec, "leakage"] == dalenius_leakage(joint, api.channel(people))
    named = result.rows.where(stage="survey")["named_posterior"]
    C = api.channel(people)
    if name != "age":
        assert named is None  # that an answer is the number 1 does not make it say that a grade is 1
    else:
        shown = sum(C[x, value] for x in range(n))
        expected = sum(C[x, value] for x in range(n) if own[x] == value)
        assert named == (expected / shown if shown else None)


@given(some_sets, st.sampled_from(TOPICS))
def test_merged_users_say_the_same(sets, topic):
    single = Population.from_sets(dict(enumerate(sets)), topics=list(TOPICS))
    distinct, _ = single.distinct_sets()
    merged = Population(distinct, single.topics, distinct.codes, counts=single.set_counts())
    api = TopicsAPI(7, 2, Fraction(1, 20))
    one, other = (attribute_inference(people, api, value=topic) for people in (single, merged))
    assert one.rows == other.rows


def test_it_shows_as_table_json_figure_and_sentences():
    people, api = Population.synthetic(300, seed=2), TopicsAPI()
    result = attribute_inference(people, api, value=1)
    assert "has it, if named" in result.tables["inference"].to_markdown()
    quantities = {row["quantity"] for row in json.loads(result.to_json())["rows"]}
    assert {"named_posterior", "unnamed_posterior", "value_share", "added"} <= quantities
    assert "NaN" not in result.figure().to_svg()
    assert "A user of whom it is observed has it with" in result.sentences[0]
    assert "<table>" in result._repr_html_()
    assert result.explained()
    assert "has it, if named" in exposure(people, api).tables["values"].to_markdown()


def test_cookies_give_every_topic_away_and_name_none():
    people = Population.from_sets({"Alice": {0, 1}, "Bob": {1, 2}})  # numbers, as the identifiers of cookies
    result = exposure(people, Cookies())
    values = values_of(result).values()
    assert [(rows["goal_posterior"], rows["named_posterior"]) for rows in values] == [(1, None)] * 3
    assert attribute_inference(people, Cookies(), value=0).rows["named_posterior"] is None
    assert result.figure("values").to_svg()


def test_cookies_of_a_shared_history_do_not_tell_all_attributes():
    people = Population.from_sets({"Alice": {1, 2}, "Bob": {2, 3}, "Carol": {1, 2}})
    visits = {"Alice": ["a.tld"], "Bob": ["a.tld"], "Carol": ["c.tld"]}
    people = people.with_histories(Histories.from_visits(visits, {}))
    result = attribute_inference(people, Cookies("history"), value=3)
    # Of two users with one history one has the topic.
    assert result["cookies:shows=history", "goal_posterior"] == Fraction(2, 3)


def test_an_unknown_value_or_attribute_is_an_error():
    people = Population.from_sets({"Alice": {1, 2}, "Bob": {2, 3}}).with_attribute("country", ["AT", "BR"])
    with refused(LabelError):
        attribute_inference(people, TopicsAPI(3, 2), value="Music")
    with refused(LabelError):
        attribute_inference(people, TopicsAPI(3, 2), attribute="country", value="CL")
    with refused(ParameterError):
        attribute_inference(people, TopicsAPI(3, 2), attribute="contry", value="AT")


def test_what_an_observation_does_not_tell_is_said():
    people = Population.from_sets({"Alice": {1, 2}, "Bob": {1, 2}})
    said = exposure(people, TopicsAPI(5, 2, 0.05)).sentences[-1]
    assert said.startswith("Topics API: one observation does not help to guess")


def test_shares_by_weight_are_called_so():
    people = Population.from_sets({"Alice": {1, 2}, "Bob": {3, 4}}, weights={"Alice": 3, "Bob": 1})
    api = TopicsAPI(5, 2, 0.05)
    assert "Of 2 users 75 % by weight do" in attribute_inference(people, api, value=1).title
    assert "Users count as much as they weigh." in exposure(people, api).tables["values"].notes
