"""Which topics expose most: the figures are those of the definitions, in plain loops."""

from dataclasses import dataclass
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quiff import Api, Channel, Cookies, ParameterError, Population, TopicsAPI, posterior_vulnerability
from quiff.results.numbers import to_json
from quiff.studies.exposure import topic_exposure

TOPICS = "abcdef"
some_sets = st.lists(st.sets(st.sampled_from(TOPICS), min_size=2, max_size=2), min_size=1, max_size=7)


@given(some_sets, st.integers(1, 10), st.integers(6, 8), st.booleans(), st.data())
def test_the_figures_are_those_of_the_definitions(sets, tenths, m, exact, data):
    r = Fraction(tenths, 10)
    weights = [1] * len(sets)
    if data.draw(st.booleans()):
        weights = data.draw(st.lists(st.integers(1, 3), min_size=len(sets), max_size=len(sets)))
    people = Population.from_sets(
        dict(enumerate(sets)), topics=list(TOPICS), weights=dict(enumerate(weights))
    )
    found = topic_exposure(people, TopicsAPI(m, 2, r if exact else float(r)))
    total = sum(weights)
    pi = [Fraction(weight, total) for weight in weights]
    outputs = list(TOPICS) + list(range(m - len(TOPICS)))
    C = [{t: (1 - r) * Fraction(int(t in own), 2) + r / m for t in outputs} for own in sets]
    own_risk, added = [Fraction(0)] * len(sets), {}
    posterior = {}
    for t in outputs:
        joint = [w * row[t] for w, row in zip(pi, C, strict=True)]
        added[t], posterior[t] = max(joint), max(joint) / sum(joint)
        best = [x for x, value in enumerate(joint) if value == max(joint)]
        for x in best:
            own_risk[x] += C[x][t] / len(best)
    occurring = set().union(*sets)
    assert {row.topic for row in found.topics} == occurring
    for row in found.topics:
        have = [x for x, own in enumerate(sets) if row.topic in own]
        share = sum(pi[x] for x in have)
        expected = (
            share,
            posterior[row.topic],
            added[row.topic],
            sum(pi[x] * own_risk[x] for x in have) / share,
        )
        mine = (row.share, row.posterior, row.contribution, row.own_risk)
        assert mine == (expected if exact else pytest.approx(tuple(map(float, expected)), rel=1e-12))
    assert found.guess == pytest.approx(float(max(pi)))
    assert float(found.vulnerability) == pytest.approx(float(sum(added.values())))
    assert float(found.rest) == pytest.approx(
        float(sum(added[t] for t in outputs if t not in occurring)), abs=1e-15
    )
    chances = [row.posterior for row in found.topics]
    assert chances == sorted(chances, reverse=True)


@given(some_sets)
def test_merged_users_give_the_same_table(sets):
    single = Population.from_sets(dict(enumerate(sets)), topics=list(TOPICS))
    distinct, _ = single.distinct_sets()
    merged = Population(distinct, single.topics, distinct.codes, counts=single.set_counts())
    api = TopicsAPI(7, 2, Fraction(1, 20))
    assert topic_exposure(single, api) == topic_exposure(merged, api)


def test_the_parts_make_the_vulnerability_and_it_shows():
    people, api = Population.synthetic(300, seed=2), TopicsAPI()
    found = topic_exposure(people, api)
    assert found.vulnerability == pytest.approx(
        float(posterior_vulnerability(people.user_prior(), api.channel(people)))
    )
    assert len(found.table().rows) == 20
    assert len(found.table(first=None).rows) == len(found.topics)
    assert "The first 20 of" in found.table().to_text()
    svg = found.figure().to_svg()
    assert "chance to name who reports it" in svg
    assert "NaN" not in svg
    assert '"posterior"' in to_json(found.to_dict())
    assert "exposes most" in found.sentences()[0]
    assert "<table>" in found._repr_html_()


@dataclass(frozen=True)
class WholeSet(Api):
    needs = ("topics",)

    def observe(self, sets):
        return Channel.identity(sets)


@pytest.mark.parametrize("api", [Cookies(), WholeSet()])
def test_an_api_that_reports_no_topics_is_an_error(api):
    people = Population.from_sets({"Alice": {0, 1}, "Bob": {1, 0}})  # numbers, as the identifiers of cookies
    with pytest.raises(ParameterError, match=f"{api.name} does not report topics"):
        topic_exposure(people, api)


def test_topics_that_expose_alike_are_not_ranked_in_words():
    people = Population.from_sets({"Alice": {1, 2}, "Bob": {1, 2}})
    (said,) = topic_exposure(people, TopicsAPI(5, 2, 0.05)).sentences()
    assert said.startswith("All topics that occur expose alike")


def test_shares_by_weight_are_called_so():
    people = Population.from_sets({"Alice": {1, 2}, "Bob": {3, 4}}, weights={"Alice": 3, "Bob": 1})
    found = topic_exposure(people, TopicsAPI(5, 2, 0.05))
    assert "75 % of the users by weight have it" in found.sentences()[0]
    assert "Users count as much as their weight." in found.table().notes
