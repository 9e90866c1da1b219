"""Which outputs expose most: the figures are those of the definitions, in plain loops."""

import json
from dataclasses import dataclass
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import quiff
from quiff import Api, Channel, Cookies, Population, TopicsAPI, exposure, posterior_vulnerability
from quiff.report.compose import Source, compose_report
from words import refused

TOPICS = "abcdef"
some_sets = st.lists(st.sets(st.sampled_from(TOPICS), min_size=2, max_size=2), min_size=1, max_size=7)


def outputs_of(result):
    return {output["output"]: output for output in result.payload["outputs"]}


def guessed(result):
    """Return how well it is guessed that the user has each value, as text."""
    rows = result.rows.where(quantity="goal_posterior")
    return {row.goal.partition(": ")[2]: row.value for row in rows}


@given(some_sets, st.integers(1, 10), st.integers(6, 8), st.booleans(), st.data())
def test_the_figures_are_those_of_the_definitions(sets, tenths, m, exact, data):
    r = Fraction(tenths, 10)
    weights = [1] * len(sets)
    if data.draw(st.booleans()):
        weights = data.draw(st.lists(st.integers(1, 3), min_size=len(sets), max_size=len(sets)))
    people = Population.from_sets(
        dict(enumerate(sets)), topics=list(TOPICS), weights=dict(enumerate(weights))
    )
    api = TopicsAPI(m, 2, r if exact else float(r))
    result = exposure(people, api)
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
    found = outputs_of(result)
    assert set(found) == occurring
    for topic, row in found.items():
        have = [x for x, own in enumerate(sets) if topic in own]
        share = sum(pi[x] for x in have)
        expected = (share, posterior[topic], added[topic], sum(pi[x] * own_risk[x] for x in have) / share)
        mine = tuple(row[name] for name in ("share", "posterior", "contribution", "own_risk"))
        assert mine == (expected if exact else pytest.approx(tuple(map(float, expected)), rel=1e-12))
    assert float(result[api.spec, "prior"]) == pytest.approx(float(max(pi)))
    assert float(result[api.spec, "posterior"]) == pytest.approx(float(sum(added.values())))
    assert float(result[api.spec, "worst_posterior"]) == pytest.approx(
        float(max(posterior[t] for t in occurring))
    )
    probabilities = [row["posterior"] for row in found.values()]
    assert probabilities == sorted(probabilities, reverse=True)
    rest = sum(added[t] for t in outputs if t not in occurring)
    notes = " ".join(result.tables["outputs"].notes)
    assert ("make the rest of the vulnerability" in notes) == (rest > 0)


@given(some_sets)
def test_merged_users_give_the_same_numbers(sets):
    single = Population.from_sets(dict(enumerate(sets)), topics=list(TOPICS))
    distinct, _ = single.distinct_sets()
    merged = Population(distinct, single.topics, distinct.codes, counts=single.set_counts())
    api = TopicsAPI(7, 2, Fraction(1, 20))
    one, other = exposure(single, api), exposure(merged, api)
    assert one.payload == other.payload
    assert one.rows == other.rows


def test_the_parts_make_the_vulnerability_and_it_shows():
    people, api = Population.synthetic(300, seed=2), TopicsAPI()
    result = exposure(people, api)
    assert result["topics", "posterior"] == pytest.approx(
        float(posterior_vulnerability(people.user_prior(), api.channel(people)))
    )
    assert len(result.tables["values"].rows) == 20
    assert len(result.tables["outputs"].rows) == 21  # and the one that exposes least, which is spoken of
    everything = exposure(people, api, first=None)
    assert len(everything.tables["outputs"].rows) == len(outputs_of(result)) == people.occurring.size
    assert "The first 20 of" in result.tables["outputs"].to_text()
    for name in ("outputs", "values"):
        assert "NaN" not in result.figure(name).to_svg()
    assert "re-identified by the output" in result.figure().to_svg()
    assert "posterior" in json.loads(result.to_json())["payload"]["outputs"][0]
    assert "exposes most" in result.sentences[0]
    assert "<table>" in result._repr_html_()
    assert result.explained()


@dataclass(frozen=True)
class Cohort(Api):
    """Integer cohorts of topic sets: a cohort of a number has nothing to do with the topic of that number."""

    needs = ("topics",)

    def observe(self, secrets):
        of = {own: sum(own) % 3 for own in secrets}
        return Channel.deterministic(of, outputs=range(3))


def test_an_integer_cohort_is_not_the_topic_of_that_number():
    """Cohort 1 was once taken for topic 1."""
    sets = {"Alice": {0, 1}, "Bob": {1, 2}, "Carol": {2, 3}, "Dave": {0, 4}}  # cohorts 1, 0, 2, 1
    people, named = Population.from_sets(sets), {k: f"topic {k}" for k in range(5)}
    result = exposure(people, Cohort())
    found = outputs_of(result)
    # Those behind cohort 1 are those who can show it, and not those who have topic 1.
    assert {y: (row["share"], row["posterior"], row["own_risk"]) for y, row in found.items()} == {
        0: (0.25, 1, 1), 1: (0.5, 0.5, 0.5), 2: (0.25, 1, 1),
    }  # fmt: skip
    assert result.rows["named_posterior"] is result.rows["unnamed_posterior"] is None
    renamed = Population.from_sets({user: {named[t] for t in own} for user, own in sets.items()})

    @dataclass(frozen=True)
    class SameCohort(Api):
        needs = ("topics",)

        def observe(self, secrets):
            of = {own: f"cohort {sum(int(str(t)[-1]) for t in own) % 3}" for own in secrets}
            return Channel.deterministic(of, outputs=[f"cohort {k}" for k in range(3)])

    other = exposure(renamed, SameCohort())
    assert {f"cohort {y}": row["posterior"] for y, row in found.items()} == {
        y: row["posterior"] for y, row in outputs_of(other).items()
    }
    assert {f"topic {t}": value for t, value in guessed(result).items()} == guessed(other)


@dataclass(frozen=True)
class WholeSet(Api):
    needs = ("topics",)

    def observe(self, sets):
        return Channel.identity(sets)


@pytest.mark.parametrize("api", [Cookies(), WholeSet()])
def test_an_output_that_names_nothing_exposes_those_who_can_show_it(api):
    people = Population.from_sets({"Alice": {0, 1}, "Bob": {1, 2}, "Carol": {1, 0}})  # numbers as of cookies
    names = ("output", "share", "posterior", "own_risk")
    rows = [tuple(output[name] for name in names) for output in exposure(people, api).payload["outputs"]]
    if isinstance(api, Cookies):
        assert [row[:3] for row in rows] == [(k, pytest.approx(1 / 3), 1) for k in range(3)]
    else:
        assert rows == [
            (str(frozenset({1, 2})), pytest.approx(1 / 3), 1, 1),
            (str(frozenset({0, 1})), pytest.approx(2 / 3), 0.5, 0.5),
        ]


@dataclass(frozen=True)
class Survey(Api):
    """A dense channel on a column, one of whose answers only some can give."""

    needs = ("country",)

    def observe(self, secrets):
        rows = {"AT": [1, 0, 1], "BR": [0, 1, 1], "CL": [1, 1, 0]}
        return Channel(
            [[Fraction(n, 2) for n in rows[x]] for x in secrets], inputs=secrets, outputs=["p", "q", "r"]
        )


def test_people_without_topics_and_a_dense_channel():
    people = Population.from_sets({user: {1} for user in "abcd"}).with_attribute(
        "country", ["AT", "AT", "BR", "CL"]
    )
    result = exposure(people, Survey(), attribute="country")
    found = outputs_of(result)
    # p comes of a, b (best guesses, with a quarter each of the mass) and d; r of a, b, c.
    assert {y: row["share"] for y, row in found.items()} == {
        "p": Fraction(3, 4), "q": Fraction(1, 2), "r": Fraction(3, 4),
    }  # fmt: skip
    assert {y: row["posterior"] for y, row in found.items()} == {
        "p": Fraction(1, 3), "q": Fraction(1, 2), "r": Fraction(1, 3),
    }  # fmt: skip
    own = {"a": Fraction(1, 3), "c": Fraction(5, 12), "d": Fraction(5, 12)}  # by hand, b as a
    assert found["q"]["own_risk"] == (own["c"] + own["d"]) / 2
    assert found["p"]["own_risk"] == (2 * own["a"] + own["d"]) / 3
    assert set(guessed(result)) == {"AT", "BR", "CL"}


def test_where_the_observer_knows_who_only_values_are_given_away():
    class Click(WholeSet):
        observer_knows_who = True

    result = exposure(Population.from_sets({"Alice": {1}, "Bob": {2}}), Click())
    assert list(result.tables) == ["values"]
    assert result["click", "goal_posterior", "topics: 1"] == 1


def test_outputs_that_expose_alike_are_not_ranked_in_words():
    people = Population.from_sets({"Alice": {1, 2}, "Bob": {1, 2}})
    said = exposure(people, TopicsAPI(5, 2, 0.05)).sentences[0]
    assert said.startswith("Topics API: all outputs expose alike")


def test_shares_by_weight_are_called_so():
    people = Population.from_sets({"Alice": {1, 2}, "Bob": {3, 4}}, weights={"Alice": 3, "Bob": 1})
    result = exposure(people, TopicsAPI(5, 2, 0.05))
    assert "75 % of the users by weight have what it names" in result.sentences[0]
    assert "Users count as much as they weigh." in result.tables["outputs"].notes


def test_outputs_that_are_too_many_to_list_are_refused_and_left_out_of_a_report():
    people, api = Population.synthetic(20, seed=1), quiff.api_from("win_signals")
    with refused(quiff.SizeError, 2097152, 200000):
        quiff.exposure(people, api)
    page = compose_report(people, (api,), Source("people"), observations=1)
    assert "re-identifies a person with probability" in page.headline[0]
    (risk,) = (section for section in page.sections if section.key == "risk")
    assert risk.tables
