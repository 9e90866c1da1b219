"""People measured: every number equals the definitions, worked out from plain matrices."""

import math
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import quiff
import textbook
from quiff import Api, Channel, Cookies, Histories, Population, Together, TopicsAPI, measure, theory
from quiff.logs.histories import read_histories
from quiff.papers.as_published import misaligned_prior
from quiff.results.quantities import QUANTITIES
from words import refused

TOPICS = "abcdef"
S = 2
STAGES = ["generalization", "bounded_noise", "topics"]

some_sets = st.lists(
    st.sets(st.sampled_from(TOPICS), min_size=S, max_size=S).map(frozenset), min_size=1, max_size=7
)
sizes = st.integers(6, 8)
noises = st.integers(0, 10).map(lambda tenths: Fraction(tenths, 10))


@st.composite
def weighted_sets(draw):
    sets = draw(some_sets)
    weights = draw(st.lists(st.integers(0, 4), min_size=len(sets), max_size=len(sets)).filter(any))
    return sets, weights


@st.composite
def sets_and_histories(draw):
    sets, weights = draw(weighted_sets())
    return sets, weights, draw(st.lists(st.sampled_from("xyz"), min_size=len(sets), max_size=len(sets)))


def rows(secrets, m, r):
    """Three channels as nested dictionaries: to the set, to a topic of it, to the reported topic."""
    columns = [*TOPICS, *range(m - len(TOPICS))]
    distinct = set(secrets.values())
    return {
        "generalization": {x: {y: int(y == own) for y in distinct} for x, own in secrets.items()},
        "bounded_noise": {x: {t: Fraction(t in own, S) for t in columns} for x, own in secrets.items()},
        "topics": {
            x: {t: (1 - r) * Fraction(t in own, S) + r / m for t in columns} for x, own in secrets.items()
        },
    }


def bayes(secrets):
    return {w: {x: int(x == w) for x in secrets} for w in secrets}


def naming(sets):
    return {t: {x: int(t in x) for x in sets} for t in TOPICS}


def check_privacy(found, spec, pi, channels):
    before = textbook.vulnerability(pi, bayes(pi))
    for stage, C in channels.items():
        after = textbook.posterior_vulnerability(pi, C, bayes(pi))
        assert found[spec, "prior", stage] == before
        assert found[spec, "posterior", stage] == after
        assert found[spec, "leakage", stage] == after / before
        assert found[spec, "bayes_capacity", stage, "people"] == textbook.bayes_capacity(C)


def check_utility_of_sets(found, spec, priors, m, r):
    for weighting, pi in priors.items():
        channels = rows({x: x for x in pi}, m, r)
        for stage in STAGES:
            for goal, g in (("secret", bayes(pi)), ("topics", naming(pi))):
                key = (goal, stage, weighting)
                assert found[(spec, "goal_prior", *key)] == textbook.vulnerability(pi, g)
                after = textbook.posterior_vulnerability(pi, channels[stage], g)
                assert found[(spec, "goal_posterior", *key)] == after


def uniform(labels):
    return dict.fromkeys(labels, Fraction(1, len(labels)))


@given(some_sets, sizes, noises)
def test_the_numbers_are_those_of_the_explicit_channels(sets, m, r):
    people, api = dict(enumerate(sets)), TopicsAPI(m, S, r)
    found = measure(Population.from_sets(people), Cookies(), api)
    channels, pi, distinct = rows(people, m, r), uniform(people), set(sets)
    check_privacy(found, api.spec, pi, channels)
    check_privacy(found, "cookies", pi, {"cookies": {x: {y: int(x == y) for y in people} for x in people}})
    own = {x: Fraction(sets.count(x), len(sets)) for x in distinct}
    check_utility_of_sets(found, api.spec, {"population": own, "uniform": uniform(distinct)}, m, r)
    assert found["cookies", "goal_posterior", "topics"] == 1  # who knows the user knows a topic
    assert found["cookies", "goal_prior", "topics"] == textbook.vulnerability(own, naming(own))
    worst = textbook.max_case_capacity(channels["topics"])
    assert found[api.spec, "max_case_capacity", "people"] == worst
    assert found[api.spec, "epsilon", "people"] == pytest.approx(math.log(worst))
    facts = found.population
    assert (facts["users"], facts["distinct_sets"]) == (len(sets), len(distinct))
    assert facts["occurring_topics"] == len(set().union(*sets))
    counts = Counter(sets)
    assert facts["unique_users"] == pytest.approx(sum(counts[x] == 1 for x in sets) / len(sets))
    assert facts["anonymity"] == min(counts.values())


@given(weighted_sets(), sizes, noises)
def test_weights_are_the_prior_on_users(case, m, r):
    sets, weights = case
    people, api = dict(enumerate(sets)), TopicsAPI(m, S, r)
    weighted = Population.from_sets(people, weights=dict(enumerate(weights)))
    found = measure(weighted, Cookies(), api)
    pi = {x: Fraction(weights[x], sum(weights)) for x in people}
    check_privacy(found, api.spec, pi, rows(people, m, r))
    check_privacy(found, "cookies", pi, {"cookies": {x: {y: int(x == y) for y in people} for x in people}})
    own = {x: sum(pi[u] for u in people if people[u] == x) for x in set(sets)}
    check_utility_of_sets(found, api.spec, {"population": own, "uniform": uniform(own)}, m, r)
    as_floats = {user: float(weight) for user, weight in enumerate(weights)}
    floating = measure(Population.from_sets(people, weights=as_floats), TopicsAPI(m, S, float(r)))
    for stage in STAGES:
        after = floating[TopicsAPI(m, S, float(r)).spec, "posterior", stage]
        assert after == pytest.approx(float(found[api.spec, "posterior", stage]))


@given(sets_and_histories(), st.booleans())
def test_cookies_show_the_histories(case, with_weights):
    sets, weights, visited = case
    weights = weights if with_weights else [1] * len(sets)
    people, total = dict(enumerate(sets)), sum(weights)
    population = Population.from_sets(people, weights=dict(enumerate(weights)) if with_weights else None)
    population = population.with_histories(Histories.from_visits({u: [x] for u, x in enumerate(visited)}, {}))
    api = TopicsAPI(6, S, Fraction(1, 20))
    found = measure(population, Cookies("history"), api)
    pi = {u: Fraction(weights[u], total) for u in people}
    C_C = {u: {h: int(h == x) for h in set(visited)} for u, x in enumerate(visited)}
    cookies = "cookies:shows=history"
    assert found[cookies, "posterior"] == textbook.posterior_vulnerability(pi, C_C, bayes(pi))
    users_of = {h: [u for u, x in enumerate(visited) if x == h] for h in set(visited)}
    C_G = {
        h: {y: Fraction(sum(sets[u] == y for u in users), len(users)) for y in set(sets)}
        for h, users in users_of.items()
    }
    own = {h: sum(pi[u] for u in users) for h, users in users_of.items()}
    before = found[api.spec, "goal_prior", "generalization", "history"]
    assert before == found[cookies, "goal_prior", "history"] == textbook.vulnerability(own, bayes(own))
    assert found[cookies, "goal_posterior", "history"] == 1
    joint = {
        h: {y: sum(pi[u] for u in users if sets[u] == y) for y in set(sets)} for h, users in users_of.items()
    }
    by_set = sum(max(joint[h][y] for h in joint) for y in set(sets))
    assert found[api.spec, "goal_posterior", "generalization", "history"] == by_set
    rho = uniform(users_of)
    after = found[api.spec, "goal_posterior", "generalization", "history", "uniform"]
    assert after == textbook.posterior_vulnerability(rho, C_G, bayes(rho))


@given(some_sets, sizes, noises)
def test_theory_says_the_same_where_it_speaks(sets, m, r):
    api = TopicsAPI(m, S, r)
    found = measure(Population.from_sets(dict(enumerate(sets))), api)
    N, m1 = len(sets), len(set().union(*sets))
    leakages = {stage: found[api.spec, "leakage", stage] for stage in STAGES}
    assert leakages == {
        "generalization": theory.generalization_leakage(len(set(sets))),
        "bounded_noise": theory.bounded_noise_leakage(m, S, m1),
        "topics": theory.topics_leakage(m, S, r, m1),
    }
    assert found[api.spec, "posterior"] == theory.topics_posterior(m, S, r, m1, N)
    for stage in STAGES:
        here, most = (found[api.spec, "bayes_capacity", stage, scope] for scope in ("people", "all"))
        assert leakages[stage] <= here <= most
    for prior in ("population", "uniform"):
        before = found[api.spec, "goal_prior", "topics", prior]
        after = found[api.spec, "goal_posterior", "topics", prior]
        assert theory.iba_lower(r) <= after <= theory.iba_upper(r, before)
        assert theory.genuine_probability(m, S, r) <= after
        assert found[api.spec, "goal_posterior", "bounded_noise", "topics", prior] == 1
    assert found[api.spec, "bayes_capacity"] == theory.bayes_capacity(m, S, r)
    if theory.max_case_is_met(r, len(set(sets))):
        here, most = (found[api.spec, "max_case_capacity", scope] for scope in ("people", "all"))
        assert here == most == theory.max_case_capacity(m, S, r)


def merged(people, weights=None):
    sets, _ = people.distinct_sets()
    return Population(sets, people.topics, sets.codes, weights, people.set_counts())


@given(some_sets, noises)
def test_merged_people_measure_as_their_users_do(sets, r):
    whole = Population.from_sets(dict(enumerate(sets)), topics=list(TOPICS))
    api = TopicsAPI(6, S, r)
    one, other = measure(merged(whole), api), measure(whole, api)
    assert one.rows == other.rows
    assert one.population == other.population


WORKED = {"Alice": {"Music", "News"}, "Bob": {"Sports", "Travel"}, "Carol": {"Music", "News"}}


def worked_example(noise):
    return measure(Population.from_sets(WORKED), Cookies(), TopicsAPI(5, 2, noise))


def test_the_papers_worked_example():
    """Three users, five topics of which four occur, s=2, r=.05."""
    found, spec = worked_example(Fraction(1, 20)), "topics:n_topics=5,top_s=2,noise=1/20"
    assert found["cookies", "posterior"] == 1
    posteriors = [found[spec, "posterior", stage] for stage in STAGES]
    assert posteriors == [Fraction(2, 3), Fraction(2, 3), Fraction(13, 20)]
    assert [found[spec, "leakage", stage] for stage in STAGES] == [2, 2, Fraction(39, 20)]
    most = [found[spec, "bayes_capacity", stage] for stage in STAGES]
    assert most == [10, Fraction(5, 2), Fraction(97, 40)]
    assert found[spec, "max_case_capacity"] == Fraction(97, 2)
    assert f"{found[spec, 'epsilon', 'people']:.4f}" == "3.8816"
    assert found[spec, "goal_prior", "topics"] == Fraction(2, 3)
    assert found[spec, "goal_posterior", "topics"] == Fraction(293, 300)
    assert found[spec, "goal_prior", "topics", "uniform"] == Fraction(1, 2)
    assert found[spec, "goal_posterior", "topics", "uniform"] == Fraction(39, 40)


def test_floats_give_the_same_numbers():
    exact, floating = worked_example(Fraction(1, 20)), worked_example(0.05)
    for row, other in zip(exact.rows, floating.rows, strict=True):
        assert (row.stage, row.goal, row.quantity) == (other.stage, other.goal, other.quantity)
        assert float(row.value) == pytest.approx(float(other.value))


def test_the_default_is_cookies_and_topics_with_sets_of_the_peoples_size():
    people = Population.from_sets({"Alice": {1, 2}, "Bob": {2, 3}})
    found = measure(people)
    assert list(dict.fromkeys(row.api for row in found.rows)) == ["cookies", "topics:top_s=2"]
    assert found.provenance.parameters["topics:top_s=2"] == {"n_topics": 349, "top_s": 2, "noise": 0.05}
    with_histories = people.with_histories(Histories.from_visits({"Alice": ["x"], "Bob": ["x"]}, {}))
    assert measure(with_histories)["cookies:shows=history", "leakage"] == 1
    with_country = people.with_attribute("country", ["BR", "AU"])
    assert measure(with_country)["cookies", "goal_posterior", "country"] == 1


def test_json_has_the_promised_keys():
    found = worked_example(0).to_dict()
    assert {"population", "rows", "sentences", "provenance"} <= set(found)
    assert list(found["rows"][0]) == [
        "api", "unit", "stage", "goal", "prior", "observations", "quantity", "value", "low", "high", "method",
        "scope",
    ]  # fmt: skip
    text = worked_example(0).to_json()
    assert '"who": "a browser"' in text
    assert '"value": "inf"' in text


def test_every_quantity_is_explained():
    found = worked_example(Fraction(1, 20))
    assert {row.quantity for row in found.rows} <= set(QUANTITIES)
    for quantity in {row.quantity for row in found.rows}:
        assert QUANTITIES[quantity].formula in found.explained()


def test_a_result_says_what_it_rests_on():
    people = Population.from_sets(WORKED)
    one, other = measure(people).provenance, measure(people, Cookies()).provenance
    assert one.version == quiff.__version__
    assert one.digest == other.digest != measure(Population.from_sets({"Eve": {1, 2}})).provenance.digest
    assert other.command == "quiff.measure(people, Cookies(shows='user'))"
    assert other.sources == (Cookies().source,)


def test_views():
    found = worked_example(0.05)
    assert list(found.tables) == ["privacy", "utility", "limits", "people"]
    assert [row[0] for row in found.tables["privacy"].rows] == [
        "third-party cookie", "whole topic set", "one topic, no noise", "one topic",
    ]  # fmt: skip
    assert found.heading == "3 people, Topics API: 5 topics, top 2, noise 5 %"
    leaks, learns = found.sentences  # cookies, which single out everybody, stand in the table
    assert "multiplies the probability of re-identification by 1.95, from 33.3 % to 65 %." in leaks
    assert "at most 2.43" in leaks
    assert "97.7 % (66.7 % without)" in learns
    assert "33.3 % of the 3 users have a unique topic set." in found.further
    for table in found.tables.values():
        assert table.to_latex().startswith(r"\begin{table}")
        assert len(table.to_pandas()) == len(table.rows)
    assert found._repr_html_().count("<table") == 4
    assert ">1.95<" in found.figure("stages").to_svg()
    drawn = {
        (mark["name"], mark["kind"]): mark
        for marks in found.figure("stages").spec["datasets"].values()
        for mark in marks
        if "kind" in mark
    }
    table = {row[0]: row for row in found.tables["privacy"].rows}
    most = found.tables["privacy"].columns.index("at most")
    assert (table["third-party cookie"][most], table["whole topic set"][most]) == (math.inf, 10)  # C(5,2)
    assert drawn["third-party cookie", "these people"]["text"] == "3 (at most: no limit)"
    assert ("third-party cookie", "at most, for any people") not in drawn
    assert drawn["whole topic set", "at most, for any people"]["leakage"] == 10  # and not the three users
    assert found.figure("trade-off").to_svg().startswith("<svg")
    assert repr(found) == f"<What one observation reveals about 3 users: {len(found.rows)} rows, 4 tables>"
    assert str(found).startswith(f"{found.heading}\n\nTopics API: one observation (a topic) multiplies")
    frame = found.to_pandas()
    assert len(frame) == len(found.rows)
    leaks = frame[(frame.api == "cookies") & (frame.quantity == "leakage")]
    assert leaks.value.tolist() == [3]


def test_a_goal_is_found_by_its_name_though_the_api_has_the_same():
    found = measure(Population.from_sets({"Ann": range(5), "Bob": range(5, 10)}), TopicsAPI())
    q = 0.05 / 349  # a topic of one of the sets names itself, any other names nothing
    after = 10 * (0.95 / 5 + q) / 2 + 339 * q / 2
    assert found["topics", "goal_posterior", "topics"] == pytest.approx(after)


def test_an_api_with_parameters_is_found_by_its_name_where_no_other_has_it():
    people = Population.from_sets({"a": {1, 2}, "b": {2, 3}})
    few, more = TopicsAPI(n_topics=4, top_s=2), TopicsAPI(n_topics=5, top_s=2)
    one = measure(people, few, Cookies())
    assert one["topics", "leakage"] == one[few.spec, "leakage"]
    assert one["topics", "leakage", "generalization"] == one[few.spec, "leakage", "generalization"]
    with refused(quiff.LabelError):
        measure(people, few, more)["topics", "leakage"]


def test_a_wrong_key_is_told_the_possible_ones():
    found = worked_example(0.05)
    with refused(quiff.LabelError):
        found["cookies", "leakag"]
    with refused(quiff.LabelError):
        found["cookis", "leakage"]
    with refused(quiff.LabelError):
        found["cookies", "leakage", "middle"]
    with refused(quiff.ParameterError):
        found.figure("x")


@pytest.mark.parametrize(
    ("wrong", "numbers"),
    [
        (lambda people: measure("profiles.csv"), ()),
        (lambda people: measure(pd.DataFrame({"user": [1]})), ()),
        (lambda people: measure(WORKED), ()),
        (lambda people: measure(7), ()),
        (lambda people: measure(Cookies(), people), ()),
        (lambda people: measure(people, [Cookies()]), ()),
        (lambda people: measure(people, Cookies), ()),
        (lambda people: measure(people, "topics"), ()),
        (lambda people: measure(people, Cookies(), Cookies()), ()),
        (lambda people: measure(people, goals=["country"]), ()),
        (lambda people: measure(people, known=["county"]), ()),
        (lambda people: measure(people, known=3), (3,)),
        (lambda people: measure(people, priors=3), ()),
        (lambda people: measure(people, priors={"uniform": people.user_prior()}), ()),
        (lambda people: measure(people, TopicsAPI(4, 2), priors={"x": quiff.Prior.uniform([1])}),
         ()),
        (lambda people: measure(people, TopicsAPI(5, 3)), (3, 2)),
        (lambda people: measure(people, TopicsAPI(2, 2)), (2, 4)),
        (lambda people: measure(people, Cookies("history")), ()),
    ],
)  # fmt: skip
def test_wrong_arguments(wrong, numbers):
    people = Population.from_sets({"Alice": {1, 2}, "Bob": {3, 4}})
    with refused(quiff.QuiffError, *numbers) as error:
        wrong(people)
    assert "\n" not in str(error.value)


MERGED = "^the 3 users were merged into 2 distinct sets .* in Python read the file with merged=False$"


def test_what_merged_people_cannot_tell():
    people = Population.from_sets({"x": {1, 2}, "y": {2, 3}, "z": {1, 2}})
    with pytest.raises(quiff.ParameterError, match=MERGED):
        measure(merged(people), Cookies())
    with pytest.raises(quiff.ParameterError, match=MERGED):
        misaligned_prior(merged(people))
    with pytest.raises(quiff.ParameterError, match=MERGED):
        measure(merged(people, np.array([1, 2])), TopicsAPI(5, 2))
    found = measure(merged(people))
    assert {row.api for row in found.rows} == {"topics:top_s=2"}
    assert any("cookies are not measured" in note for note in found.notes)


def test_several_epochs_ask_for_one():
    people = Population.from_array(["Alice"], [[[1, 2]], [[2, 3]]])
    with refused(quiff.ParameterError, 0):
        measure(people)


@given(sets_and_histories(), noises)
def test_what_the_adversary_already_knows_is_given_before_and_after(case, r):
    sets, weights, country = case
    people = Population.from_sets(dict(enumerate(sets)), weights=dict(enumerate(weights)))
    people = people.with_attribute("country", country)
    api = TopicsAPI(6, S, r)
    found = measure(people, api, known=["country"])
    pi = {u: Fraction(w, sum(weights)) for u, w in enumerate(weights)}
    K = {u: {k: int(k == c) for k in set(country)} for u, c in enumerate(country)}
    for stage, C in rows(dict(enumerate(sets)), 6, r).items():
        both = {u: {(k, y): K[u][k] * C[u][y] for k in K[u] for y in C[u]} for u in K}
        assert found[api.spec, "prior", stage] == textbook.posterior_vulnerability(pi, K, bayes(pi))
        assert found[api.spec, "posterior", stage] == textbook.posterior_vulnerability(pi, both, bayes(pi))
        g = {t: {u: int(t in sets[u]) for u in pi} for t in TOPICS}
        after = found[api.spec, "goal_posterior", "topics", stage]
        assert after == textbook.posterior_vulnerability(pi, both, g)


@given(some_sets, noises)
def test_one_observer_of_two_apis_sees_them_in_parallel(sets, r):
    people, api = Population.from_sets(dict(enumerate(sets))), TopicsAPI(6, S, r)
    other = TopicsAPI(7, S, Fraction(1, 2))
    both = Together(api, other)
    found = measure(people, both)
    one, two = (rows(dict(enumerate(sets)), a.n_topics, a.noise)["topics"] for a in (api, other))
    C = {u: {(y, z): one[u][y] * two[u][z] for y in one[u] for z in two[u]} for u in one}
    pi = uniform(one)
    assert found[both.spec, "posterior"] == textbook.posterior_vulnerability(pi, C, bayes(pi))
    assert both.spec == f"{api.spec}+{other.spec}"
    assert any("taken to be independent" in note for note in found.notes)


@dataclass(frozen=True)
class Parity(Api):
    """A cohort, 1 or 2, by the parity of the least topic: numbers that are topics too."""

    needs = ("topics",)

    def observe(self, secrets):
        return Channel.deterministic({x: 1 + min(x) % 2 for x in secrets}, [1, 2])


@given(st.lists(st.sets(st.integers(1, 4), min_size=2, max_size=2).map(frozenset), min_size=1, max_size=6))
def test_a_label_that_two_things_share_never_mixes_them(sets):
    """Cohorts, topics and users are all 1..k: every number is that of the same people with other names."""
    numbers = Population.from_sets(dict(enumerate(sets, start=1)))
    words = Population.from_sets(
        {f"user {u}": {Topic(t) for t in own} for u, own in enumerate(sets, start=1)}
    )

    @dataclass(frozen=True)
    class Words(Api):
        needs = ("topics",)

        def observe(self, secrets):
            return Channel.deterministic(
                {x: f"cohort {1 + min(topic.number for topic in x) % 2}" for x in secrets},
                ["cohort 1", "cohort 2"],
            )

    one, other = measure(numbers, Parity()), measure(words, Words())
    values = [
        [(row.quantity, row.goal, row.prior, row.value) for row in found.rows] for found in (one, other)
    ]
    assert values[0] == values[1]


@dataclass(frozen=True, order=True)
class Topic:
    number: int


VISITS = {
    1: [("2006-03-01 00:00:00", "a.com"), ("2006-03-02 00:00:00", "b.com")],
    2: [("2006-03-01 00:00:00", "a.com"), ("2006-03-02 00:00:00", "b.com")],
    3: [("2006-03-01 00:00:07", "a.com"), ("2006-03-02 00:00:00", "b.com")],
    4: [("2006-03-01 00:00:00", "b.com"), ("2006-03-02 00:00:00", "a.com"), ("2006-03-03 00:00:00", "a.com")],
    9: [("2006-03-01 00:00:00", "c.com")],  # without a profile
}


@pytest.fixture
def experimental(tmp_path):
    visit = pa.struct(
        [("time", pa.timestamp("us")), ("domain", pa.string()), ("topics", pa.list_(pa.string()))]
    )
    schema = pa.schema(
        [("user", pa.int64()), ("history", pa.list_(visit)), ("all_topics", pa.list_(pa.string()))]
    )
    rows = [
        {
            "user": user,
            "history": [
                {"time": np.datetime64(time).astype(object), "domain": domain, "topics": []}
                for time, domain in visits
            ],
            "all_topics": [],
        }
        for user, visits in VISITS.items()
    ]
    pq.write_table(pa.Table.from_pylist(rows, schema), tmp_path / "experimental.parquet")
    return tmp_path


def test_histories_are_read_from_an_experimental_table(experimental):
    people = Population.from_sets({4: {1, 2}, 3: {2, 3}, 2: {1, 2}, 1: {1, 2}})
    found = measure(people.with_histories(read_histories(experimental)))
    cookies = "cookies:shows=history"
    assert found[cookies, "leakage"] == 3
    assert found[cookies, "goal_prior", "history"] == Fraction(1, 2)


def test_a_profile_without_history_is_told(experimental):
    people = Population.from_sets({5: {1, 2}, 6: {2, 3}, 1: {1, 2}})
    with refused(quiff.LabelError, 1):
        people.with_histories(read_histories(experimental))


@pytest.mark.parametrize(
    ("without", "told"),
    [(1, "; give"), (2, ", and 1 more has none; give"), (3, ", and 2 more have none; give")],
)
def test_how_many_lack_a_history_is_told_in_words(without, told):
    people = quiff.Population.from_sets({user: {1} for user in range(4)})
    histories = Histories.from_visits({user: ["a.tld"] for user in range(without, 4)}, {})
    with pytest.raises(quiff.LabelError, match=f"^user number 1 has no browsing history{told}"):
        people.with_histories(histories)
