"""A population measured: every number equals the definitions, worked out from plain matrices."""

import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import quiff
import textbook
from quiff import Cookies, Histories, Population, TopicsAPI, measure, theory
from quiff.results.numbers import to_json
from quiff.studies.old_measure.seen import seen_histories

TOPICS = "abcdef"
S = 2
STAGES = ["cookies", "generalization", "bounded_noise", "topics_api"]

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
        "topics_api": {
            x: {t: (1 - r) * Fraction(t in own, S) + r / m for t in columns} for x, own in secrets.items()
        },
    }


def bayes(secrets):
    return {w: {x: int(x == w) for x in secrets} for w in secrets}


def naming(sets):
    return {t: {x: int(t in x) for x in sets} for t in TOPICS}


def check_privacy(found, pi, channels):
    before = textbook.vulnerability(pi, bayes(pi))
    for stage, C in channels.items():
        row = found.stage(stage)
        assert row.prior == before
        assert row.posterior == textbook.posterior_vulnerability(pi, C, bayes(pi))
        assert row.leakage == row.posterior / before


def check_utility_of_sets(found, priors, m, r):
    for weighting, pi in priors.items():
        channels = rows({x: x for x in pi}, m, r)
        for stage in ("bounded_noise", "topics_api"):
            for gain, g in (("bayes", bayes(pi)), ("iba", naming(pi))):
                use = found.use(stage, gain, weighting)
                assert use.prior == textbook.vulnerability(pi, g)
                assert use.posterior == textbook.posterior_vulnerability(pi, channels[stage], g)
                assert use.leakage == use.posterior / use.prior


def uniform(labels):
    return dict.fromkeys(labels, Fraction(1, len(labels)))


@given(some_sets, sizes, noises)
def test_the_numbers_are_those_of_the_explicit_channels(sets, m, r):
    people = dict(enumerate(sets))
    found = measure(Population.from_sets(people), TopicsAPI(m, S, r))
    channels = rows(people, m, r)
    channels["cookies"] = {x: {y: int(x == y) for y in people} for x in people}
    pi, distinct = uniform(people), set(sets)
    check_privacy(found, pi, channels)
    own = {x: Fraction(sets.count(x), len(sets)) for x in distinct}
    check_utility_of_sets(found, {"population": own, "uniform": uniform(distinct)}, m, r)
    for stage in ("cookies", "generalization"):  # everybody has a history of their own
        for weighting in ("population", "uniform"):
            use = found.use(stage, "bayes", weighting)
            assert (use.prior, use.posterior) == (found.stage(stage).prior, found.stage(stage).posterior)
    limit = found.limits[-1]
    report = channels["topics_api"]
    assert limit.bayes_capacity == textbook.bayes_capacity(report)
    assert limit.max_case_capacity == textbook.max_case_capacity(report)
    assert limit.epsilon == pytest.approx(math.log(textbook.max_case_capacity(report)))
    assert (found.users, found.distinct_sets) == (len(sets), len(distinct))
    assert found.occurring_topics == len(set().union(*sets))
    counts = Counter(sets)
    assert found.unique_users == Fraction(sum(counts[x] == 1 for x in sets), len(sets))
    assert found.anonymity == min(counts.values())


@given(weighted_sets(), sizes, noises)
def test_weights_are_the_prior_on_users(case, m, r):
    sets, weights = case
    people = dict(enumerate(sets))
    found = measure(Population.from_sets(people, weights=dict(enumerate(weights))), TopicsAPI(m, S, r))
    pi = {x: Fraction(weights[x], sum(weights)) for x in people}
    channels = rows(people, m, r)
    channels["cookies"] = {x: {y: int(x == y) for y in people} for x in people}
    check_privacy(found, pi, channels)
    own = {x: sum(pi[u] for u in people if people[u] == x) for x in set(sets)}
    check_utility_of_sets(found, {"population": own, "uniform": uniform(own)}, m, r)
    assert found.weighted
    for stage, by_set in (("cookies", 1), ("generalization", Fraction(len(own), len(people)))):
        use = found.use(stage, "bayes", "population")  # everybody has a history of their own
        assert (use.prior, use.posterior) == (found.stage(stage).prior, found.stage(stage).posterior)
        use = found.use(stage, "bayes", "uniform")
        assert (use.prior, use.posterior) == (Fraction(1, len(people)), by_set)
    assert all(row.leakage <= row.capacity for row in found.privacy)
    as_floats = {user: float(weight) for user, weight in enumerate(weights)}
    floating = measure(Population.from_sets(people, weights=as_floats), TopicsAPI(m, S, float(r)))
    for row, exact in zip(floating.privacy, found.privacy, strict=True):
        assert row.posterior == pytest.approx(float(exact.posterior))


@given(sets_and_histories(), st.booleans())
def test_cookies_show_the_histories(case, with_weights):
    sets, weights, visited = case
    weights = weights if with_weights else [1] * len(sets)
    people, total = dict(enumerate(sets)), sum(weights)
    population = Population.from_sets(people, weights=dict(enumerate(weights)) if with_weights else None)
    histories = Histories.from_visits({u: [x] for u, x in enumerate(visited)}, {})
    found = measure(population, TopicsAPI(6, S, Fraction(1, 20)), histories=histories)
    pi = {u: Fraction(weights[u], total) for u in people}
    C_C = {u: {h: int(h == x) for h in set(visited)} for u, x in enumerate(visited)}
    assert found.stage("cookies").posterior == textbook.posterior_vulnerability(pi, C_C, bayes(pi))
    users_of = {h: [u for u, x in enumerate(visited) if x == h] for h in set(visited)}
    C_G = {
        h: {y: Fraction(sum(sets[u] == y for u in users), len(users)) for y in set(sets)}
        for h, users in users_of.items()
    }
    own = {h: sum(pi[u] for u in users) for h, users in users_of.items()}
    for weighting, rho in (("population", own), ("uniform", uniform(users_of))):
        use = found.use("generalization", "bayes", weighting)
        assert (
            use.prior
            == textbook.vulnerability(rho, bayes(rho))
            == found.use("cookies", "bayes", weighting).prior
        )
        assert use.posterior == textbook.posterior_vulnerability(rho, C_G, bayes(rho))
        assert found.use("cookies", "bayes", weighting).posterior == 1
    (counts,) = found.histories
    assert (counts.users, counts.distinct) == (len(sets), len(users_of))
    assert counts.unique == sum(len(users) == 1 for users in users_of.values())


@given(some_sets, sizes, noises)
def test_theory_says_the_same_where_it_speaks(sets, m, r):
    found = measure(Population.from_sets(dict(enumerate(sets))), TopicsAPI(m, S, r))
    N, m1 = len(sets), len(set().union(*sets))
    leakages = {row.stage: row.leakage for row in found.privacy}
    assert leakages == {
        "cookies": N,
        "generalization": theory.generalization_leakage(len(set(sets))),
        "bounded_noise": theory.bounded_noise_leakage(m, S, m1),
        "topics_api": theory.topics_leakage(m, S, r, m1),
    }
    assert found.stage("topics_api").posterior == theory.topics_posterior(m, S, r, m1, N)
    for row in found.privacy:
        assert row.leakage <= row.capacity_occurring <= row.capacity
        assert row.reaches == (row.leakage == row.capacity)
    assert found.stage("topics_api").reaches_occurring
    assert found.stage("bounded_noise").reaches == (m1 == m)
    for weighting in ("population", "uniform"):
        before = found.use("topics_api", "iba", weighting).prior
        after = found.use("topics_api", "iba", weighting).posterior
        assert theory.iba_lower(r) <= after <= theory.iba_upper(r, before)
        assert theory.genuine_probability(m, S, r) <= after
        assert found.use("bounded_noise", "iba", weighting).posterior == 1
    limit = found.limits[0]
    assert limit.bayes_capacity == theory.bayes_capacity(m, S, r)
    if theory.max_case_is_met(r, len(set(sets))):
        assert found.limits[-1].max_case_capacity == limit.max_case_capacity
    assert len(found.limits) == (2 if m1 == m else 3)


def merged(people, weights=None):
    sets, _ = people.distinct_sets()
    return Population(sets, people.topics, sets.codes, weights, people.set_counts())


@given(some_sets, noises)
def test_a_merged_population_measures_as_its_users_do(sets, r):
    whole = Population.from_sets(dict(enumerate(sets)), topics=list(TOPICS))
    api = TopicsAPI(6, S, r)
    assert measure(merged(whole), api).to_dict() == measure(whole, api).to_dict()


def worked_example(noise):
    sets = {"Alice": {"Music", "News"}, "Bob": {"Sports", "Travel"}, "Carol": {"Music", "News"}}
    return measure(Population.from_sets(sets), TopicsAPI(5, 2, noise))


def test_the_papers_worked_example():
    """Three users, five topics of which four occur, s=2, r=.05."""
    found = worked_example(Fraction(1, 20))
    assert [row.posterior for row in found.privacy] == [1, Fraction(2, 3), Fraction(2, 3), Fraction(13, 20)]
    assert [row.leakage for row in found.privacy] == [3, 2, 2, Fraction(39, 20)]
    assert [row.capacity for row in found.privacy] == [3, 3, Fraction(5, 2), Fraction(97, 40)]
    assert [row.reaches for row in found.privacy] == [True, False, False, False]
    assert [row.reaches_occurring for row in found.privacy] == [True, False, True, True]
    assert [limit.basis for limit in found.limits] == ["taxonomy", "occurring", "channel"]
    assert found.limits[0].max_case_capacity == found.limits[2].max_case_capacity == Fraction(97, 2)
    assert f"{found.limits[2].epsilon:.4f}" == "3.8816"
    assert found.limits[1].max_case_capacity == 39  # what m' in place of m would give
    iba = found.use("topics_api", "iba")
    assert (iba.prior, iba.posterior) == (Fraction(2, 3), Fraction(293, 300))
    iba = found.use("topics_api", "iba", "uniform")
    assert (iba.prior, iba.posterior) == (Fraction(1, 2), Fraction(39, 40))


def test_floats_give_the_same_numbers():
    exact, floating = worked_example(Fraction(1, 20)), worked_example(0.05)
    for row, other in zip(exact.privacy + exact.utility, floating.privacy + floating.utility, strict=True):
        assert float(row.posterior) == pytest.approx(float(other.posterior))
    assert [row.reaches_occurring for row in floating.privacy] == [True, False, True, True]


def test_the_default_api_takes_the_size_of_the_sets():
    found = measure(Population.from_sets({"Alice": {1, 2}, "Bob": {2, 3}}))
    assert (found.setting.n_topics, found.setting.top_s, found.setting.noise) == (349, 2, 0.05)


def test_json_has_the_promised_keys():
    found = worked_example(0).to_dict()
    assert list(found["privacy"]) == STAGES
    assert list(found["limits"]) == ["n_topics", "bayes_capacity", "epsilon", "max_case_capacity"]
    assert set(found["utility"]) == {
        "bayes_prior", "bounded_noise_bayes", "topics_api_bayes",
        "iba_prior", "bounded_noise_iba", "topics_api_iba",
    }  # fmt: skip
    assert {"users", "distinct_sets", "occurring_topics", "unique_users"} <= set(found)
    text = to_json(found)
    assert '"epsilon": "inf"' in text
    assert '"cookies": 3,' in text


def test_every_number_is_explained():
    found = worked_example(Fraction(1, 20))
    quantities = {quantity.key: quantity for quantity in found.quantities}
    assert len(quantities) == len(found.quantities) == 5 + 4 * 5 + 12 * 3 + 3 * 3
    assert quantities["topics_api_leakage"].value == Fraction(39, 20)
    assert quantities["generalization_capacity_occurring"].formula == "min(N, C(m',s))"
    assert "cookies are taken to tell all users apart" in quantities["cookies_posterior"].assumes
    assert quantities["population_topics_api_iba_posterior"].value == Fraction(293, 300)
    assert quantities["occurring_epsilon"].formula == "ln(1 + m'(1-r)/(r s))"
    text = found.explained()
    for key in quantities:
        assert key.replace("_", " ") + " = " in text


def test_tables_say_what_they_assume():
    tables = worked_example(0.05).named_tables()
    assert list(tables) == ["counts", "privacy", "utility-bayes", "utility-iba", "limits"]
    assert "cookies are taken to tell all users apart" in tables["privacy"].to_text()
    assert "capacity (m'=4)" in tables["privacy"].columns
    assert [row[0] for row in tables["utility-bayes"].rows] == STAGES
    assert [row[0] for row in tables["utility-iba"].rows] == STAGES[2:]
    full = measure(Population.from_sets({1: {1, 2}, 2: {3, 4}}), TopicsAPI(4, 2, 0.05))
    assert "capacity (m'=4)" not in full.named_tables()["privacy"].columns
    one = measure(Population.from_sets({1: {1, 2}, 2: {1, 2}}), TopicsAPI(4, 2, 0.05))
    assert "need two different sets" in one.named_tables()["limits"].to_markdown()
    assert one.limits[-1].epsilon == 0
    for table in tables.values():
        assert table.to_latex().startswith(r"\begin{table}")
        assert len(table.to_pandas()) == len(table.rows)


def test_sentences_follow_the_numbers():
    said = worked_example(0.05).sentences()
    assert "1.95 times as often as a guess, against 3 times" in said[0]
    assert "33.33 % of the 3 users" in said[1]
    assert said[2] == "One report could leak 2.43 times, but only 4 of the 5 topics occur."
    assert "probability 0.977 (0.667 without)" in said[3]
    assert "48.5 times as strong (epsilon 3.88)" in said[4]
    assert worked_example(0).sentences()[4] == "In the worst case one report rules a user out for certain."
    assert "No report makes any suspicion" in worked_example(1).sentences()[4]
    reached = measure(Population.from_sets({1: {1, 2}, 2: {3, 4}}), TopicsAPI(4, 2, 0.05)).sentences()
    assert reached[2].startswith("The report leaks all that one report can, with 4 topics")
    uneven = Population.from_sets({1: {1, 2}, 2: {3, 4}}, weights={1: 3, 2: 1})
    assert "not equally likely" in measure(uneven, TopicsAPI(4, 2, 0.05)).sentences()[2]


def test_it_shows_as_figure_and_in_a_notebook():
    found = worked_example(0.05)
    assert found._repr_html_().count("<table") == 5
    figure = found.figure()
    assert figure.title == "What each step tells about who a user is: 3 users"
    svg = figure.to_svg()
    for text in ("third-party cookies", "capacity, all topics (m)", "capacity, topics that occur", ">1.95<"):
        assert text in svg


def test_it_prints_as_its_tables():
    found = worked_example(0.05)
    assert str(found).startswith("Population and parameters\nwhat")
    assert str(found).count("\n\n") == len(found.tables()) - 1
    assert str(found.tables()[1]) in str(found)


def test_a_part_joins_tables_and_json():
    comparison = quiff.compare_apis(Population.from_sets({1: {1}, 2: {2}}), Cookies())

    class Part:
        def named_tables(self):
            return {"": comparison.table(), "again": comparison.table()}

        def to_dict(self):
            return {"answer": 42}

        def sentences(self):
            return ["All is well."]

    found = worked_example(0.05).with_part("risk", Part()).with_part("risk", Part())
    assert list(found.named_tables())[-2:] == ["risk", "risk-again"]
    assert found.to_dict()["risk"] == {"answer": 42}
    assert found.sentences()[-1] == "All is well."


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"prior": "wrong"}, "prior must be one of correct, as-published, not 'wrong'"),
        ({"api": Cookies()}, "see quiff.compare_apis"),
        ({"api": TopicsAPI(5, 3)}, "top_s is 3, but the sets have 2 topics"),
        ({"api": TopicsAPI(2, 2)}, "n_topics is 2, but 4 topics occur"),
        ({"histories": Histories.from_visits({"Alice": ["a.tld"]}, {})}, "user number 2 has no browsing"),
        ({"histories": "no-such-table"}, "there is no table 'no-such-table'; quiff experiment writes one"),
    ],
)  # fmt: skip
def test_wrong_arguments(change, message):
    people = Population.from_sets({"Alice": {1, 2}, "Bob": {3, 4}})
    with pytest.raises(quiff.QuiffError, match=message):
        measure(people, **change)


MERGED = "^the 3 users were merged into 2 distinct sets .* in Python read the file with merged=False$"


def test_what_a_merged_population_cannot_tell():
    people = Population.from_sets({"x": {1, 2}, "y": {2, 3}, "z": {1, 2}})
    with pytest.raises(quiff.ParameterError, match=MERGED):
        measure(merged(people), TopicsAPI(5, 2), prior="as-published")
    with pytest.raises(quiff.ParameterError, match=MERGED):
        measure(merged(people), TopicsAPI(5, 2), histories=Histories.from_visits({"x": ["a.tld"]}, {}))
    with pytest.raises(quiff.ParameterError, match=MERGED):
        measure(merged(people, np.array([1, 2])), TopicsAPI(5, 2))


def test_several_epochs_ask_for_one():
    people = Population.from_array(["Alice"], [[[1, 2]], [[2, 3]]])
    with pytest.raises(quiff.ParameterError, match=r"choose an epoch by population.epoch\(0\)"):
        measure(people)


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
    found = measure(people, TopicsAPI(5, 2), histories=experimental)
    assert [(row.view, row.distinct, row.unique) for row in found.histories] == [
        ("domains and times", 3, 2),
        ("domains in order", 2, 1),
        ("set of domains", 1, 0),
    ]
    assert found.stage("cookies").leakage == 3
    assert not found.stage("cookies").reaches
    assert found.use("cookies").prior == Fraction(1, 2)
    tables = found.named_tables()
    assert "3 differ, and 2 of 4 users have one that nobody else has" in tables["privacy"].to_text()
    assert len(tables["histories"].rows) == 3
    assert "if cookies tell all users apart" not in found.sentences()[0]


def test_a_profile_without_history_is_told(experimental):
    with pytest.raises(quiff.LabelError, match=r"user number . has no browsing history, and 1 more has none"):
        measure(Population.from_sets({5: {1, 2}, 6: {2, 3}, 1: {1, 2}}), histories=experimental)


def test_a_sentence_gives_all_reasons_and_stands_any_number():
    few_and_uneven = Population.from_sets({1: {1, 2}, 2: {3, 4}}, weights={1: 3, 2: 1})
    said = measure(few_and_uneven, TopicsAPI(5, 2, 0.05)).sentences()
    assert "only 4 of the 5 topics occur and users are not equally likely" in said[2]
    barely_noisy = measure(Population.from_sets({1: {1, 2}, 2: {3, 4}}), TopicsAPI(4, 2, 1e-310))
    assert "inf times as strong" in barely_noisy.sentences()[4]


@pytest.mark.parametrize(("noise", "sets", "too_low"), [(0.05, 2, True), (0, 2, False), (0.05, 1, False)])
def test_the_note_on_limits_is_true_of_the_limits(noise, sets, too_low):
    people = {1: {1, 2}, 2: {3, 4} if sets == 2 else {1, 2}}
    found = measure(Population.from_sets(people, weights={1: 2, 2: 1}), TopicsAPI(7, 2, noise))
    by_formula, own = found.limits[1:]
    assert by_formula.bayes_capacity == pytest.approx(own.bayes_capacity)
    assert (by_formula.max_case_capacity < own.max_case_capacity) == too_low
    assert ("are too low with m'" in found.named_tables()["limits"].to_text()) == too_low


@pytest.mark.parametrize(
    ("without", "told"),
    [(1, "; give"), (2, ", and 1 more has none; give"), (3, ", and 2 more have none; give")],
)
def test_how_many_lack_a_history_is_told_in_words(without, told):
    people = quiff.Population.from_sets({user: {1} for user in range(4)})
    histories = Histories.from_visits({user: ["a.tld"] for user in range(without, 4)}, {})
    with pytest.raises(quiff.LabelError, match=f"^user number 1 has no browsing history{told}"):
        seen_histories(people, histories)
