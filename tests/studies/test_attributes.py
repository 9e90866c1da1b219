"""What a report says about one topic: the figures are those of the definitions, in plain loops."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quiff import (
    Cookies,
    LabelError,
    Population,
    Prior,
    TopicsAPI,
    bayes_capacity,
    dalenius_leakage,
    leakage,
    predicate_gain,
)
from quiff.results.numbers import to_json
from quiff.studies.attributes import attribute_inference, attribute_table

TOPICS = "abcdef"
some_sets = st.lists(st.sets(st.sampled_from(TOPICS), min_size=2, max_size=2), min_size=1, max_size=7)


def stages(sets, m, s, r):
    outputs = list(TOPICS) + list(range(m - len(TOPICS)))
    return {
        "cookies": [{y: int(x == y) for y in range(len(sets))} for x in range(len(sets))],
        "generalization": [{tuple(sorted(y)): int(y == own) for y in sets} for own in sets],
        "bounded_noise": [{t: Fraction(int(t in own), s) for t in outputs} for own in sets],
        "topics_api": [{t: (1 - r) * Fraction(int(t in own), s) + r / m for t in outputs} for own in sets],
    }


@given(some_sets, st.integers(0, 10), st.integers(6, 8), st.sampled_from(TOPICS), st.booleans(), st.data())
def test_every_step_says_what_the_definition_says(sets, tenths, m, topic, exact, data):
    r = Fraction(tenths, 10)
    weights = data.draw(st.lists(st.integers(0, 3), min_size=len(sets), max_size=len(sets)).filter(any))
    people = Population.from_sets(
        dict(enumerate(sets)), topics=list(TOPICS), weights=dict(enumerate(weights))
    )
    found = attribute_inference(people, TopicsAPI(m, 2, r if exact else float(r)), topic)
    pi = [Fraction(weight, sum(weights)) for weight in weights]
    have = [topic in own for own in sets]
    share = sum((p for p, has in zip(pi, have, strict=True) if has), Fraction(0))
    assert found.share == (share if exact else pytest.approx(float(share)))
    for row, (stage, C) in zip(found.stages, stages(sets, m, 2, r).items(), strict=True):
        assert row.stage == stage
        joint = {
            (bit, y): sum(
                (p * line[y] for p, line, has in zip(pi, C, have, strict=True) if has == bit), Fraction(0)
            )
            for bit in (True, False)
            for y in C[0]
        }
        prior = max(share, 1 - share)
        posterior = sum(max(joint[True, y], joint[False, y]) for y in C[0])
        assert float(row.prior) == pytest.approx(float(prior))
        assert float(row.posterior) == pytest.approx(float(posterior), rel=1e-12)
        assert float(row.leakage) == pytest.approx(float(posterior / prior))
        assert float(row.added) == pytest.approx(float(posterior - prior), abs=1e-12)
        if exact:
            assert (row.prior, row.posterior) == (prior, posterior)
        if stage in ("cookies", "generalization"):
            assert row.given_topic is row.given_other is None
            assert row.posterior == 1
            continue
        other = [y for y in C[0] if y != topic]
        for given_it, ys in ((row.given_topic, [topic]), (row.given_other, other)):
            both, yes = (sum(joint[bit, y] for bit in bits for y in ys) for bits in ((True, False), (True,)))
            if both == 0:
                assert given_it is None
            else:
                assert float(given_it) == pytest.approx(float(yes / both), rel=1e-12, abs=1e-15)


@given(some_sets, st.integers(0, 10), st.booleans())
def test_all_topics_at_once_say_what_each_says_alone(sets, tenths, exact):
    r = Fraction(tenths, 10) if exact else tenths / 10
    people, api = Population.from_sets(dict(enumerate(sets)), topics=list(TOPICS)), TopicsAPI(7, 2, r)
    found = attribute_table(people, api)
    assert {row.topic for row in found.topics} == set().union(*sets)
    leaks = [row.leakage for row in found.topics]
    assert leaks == sorted(leaks, reverse=True)
    for row in found.topics:
        alone = attribute_inference(people, api, row.topic).stages[-1]
        if exact:
            assert row == alone
        else:
            assert row.posterior == pytest.approx(alone.posterior, rel=1e-12)
            assert row.given_topic == pytest.approx(alone.given_topic)
            assert row.given_other == pytest.approx(alone.given_other)


@given(some_sets, st.integers(0, 10), st.sampled_from(TOPICS))
def test_it_is_a_leakage_about_a_correlated_secret_and_below_capacity(sets, tenths, topic):
    people = Population.from_sets(dict(enumerate(sets)), topics=list(TOPICS))
    api = TopicsAPI(7, 2, Fraction(tenths, 10))
    C = api.channel(people)
    found = attribute_inference(people, api, topic).stages[-1].leakage
    joint = Prior({(topic in own, x): Fraction(1, len(sets)) for x, own in enumerate(sets)})
    assert found == dalenius_leakage(joint, C)
    assert found == leakage(people.user_prior(), C, predicate_gain(people.users, lambda x: topic in sets[x]))
    assert found <= bayes_capacity(C)


@given(some_sets, st.sampled_from(TOPICS))
def test_merged_users_say_the_same(sets, topic):
    single = Population.from_sets(dict(enumerate(sets)), topics=list(TOPICS))
    distinct, _ = single.distinct_sets()
    merged = Population(distinct, single.topics, distinct.codes, counts=single.set_counts())
    api = TopicsAPI(7, 2, Fraction(1, 20))
    assert attribute_inference(single, api, topic) == attribute_inference(merged, api, topic)
    assert attribute_table(single, api) == attribute_table(merged, api)


def test_it_shows_as_table_json_figure_and_sentences():
    people, api = Population.synthetic(300, seed=2), TopicsAPI()
    one, every = attribute_inference(people, api, 1), attribute_table(people, api)
    for found in (one, every):
        assert "has it, if reported" in found.table().to_markdown()
        assert '"given_topic"' in to_json(found.to_dict())
        assert "NaN" not in found.figure().to_svg()
        assert found.sentences()
        assert "<table>" in found._repr_html_()
    assert len(every.table().rows) == 20


def test_cookies_give_every_topic_away_and_report_none():
    people = Population.from_sets({"Alice": {0, 1}, "Bob": {1, 2}})  # numbers, as the identifiers of cookies
    rows = attribute_table(people, Cookies()).topics
    assert [(row.posterior, row.given_topic) for row in rows] == [(1, None)] * 3
    assert attribute_inference(people, Cookies(), 0).stages[0].given_topic is None
    assert attribute_table(people, Cookies()).figure().to_svg()


def test_an_unknown_topic_is_an_error():
    people = Population.from_sets({"Alice": {1, 2}, "Bob": {2, 3}})
    with pytest.raises(LabelError, match="'Music' is not a known topic"):
        attribute_inference(people, TopicsAPI(3, 2), "Music")


def test_what_a_report_does_not_tell_is_said():
    people = Population.from_sets({"Alice": {1, 2}, "Bob": {1, 2}})
    (said,) = attribute_table(people, TopicsAPI(5, 2, 0.05)).sentences()
    assert said.startswith("One report does not help to guess whether a user has a topic")


def test_shares_by_weight_are_called_so():
    people = Population.from_sets({"Alice": {1, 2}, "Bob": {3, 4}}, weights={"Alice": 3, "Bob": 1})
    api = TopicsAPI(5, 2, 0.05)
    assert "75 % of the users by weight do (2 in all)" in attribute_inference(people, api, 1).table().title
    assert "Users count as much as their weight." in attribute_table(people, api).table().notes
