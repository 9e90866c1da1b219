"""Each user's own risk: it equals the definition in plain loops, and its mean is the vulnerability."""

import csv
import io
import json
import tarfile
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import textbook
from quiff import (
    Api,
    Channel,
    Cookies,
    Histories,
    ParameterError,
    Population,
    TopicsAPI,
    k_anonymity,
    measure,
    parallel,
    user_risk,
)  # fmt: skip
from quiff.core.numbers import filled
from quiff.measures.distribution import Distribution
from quiff.measures.own_risk import own_risk
from quiff.studies.risk import most_exposed
from quiff.testing.strategies import KERNELS, channels
from words import refused

TOPICS = "abcdef"
some_sets = st.lists(st.sets(st.sampled_from(TOPICS), min_size=2, max_size=2), min_size=1, max_size=7)


def own_and_worst(rows, weight):
    """R_x and max_y P(x | y) by their definitions; who weighs nothing is never guessed."""
    own, worst = dict.fromkeys(rows, 0), dict.fromkeys(rows, 0)
    for y in textbook.outputs_of(rows):
        joint = {x: weight[x] * row[y] for x, row in rows.items()}
        best, happens = max(joint.values()), sum(joint.values())
        if happens == 0:
            continue
        guesses = [x for x in rows if best - joint[x] <= (1e-12 * best if isinstance(best, float) else 0)]
        for x in guesses:
            own[x] += rows[x][y] * Fraction(1, len(guesses))
        for x in rows:
            worst[x] = max(worst[x], joint[x] / happens)
    return own, worst


def expect_alike(found, expected, exact):
    if exact:
        assert found.tolist() == expected
    else:
        assert found.tolist() == pytest.approx([float(value) for value in expected], rel=1e-12, abs=1e-15)


@st.composite
def weighted_channels(draw, kernel, exact):
    C = draw(channels(kernel=kernel, exact=exact))
    n = C.inputs.size
    if draw(st.booleans()):
        return C, filled(np.int64(1), n)
    weights = draw(st.lists(st.integers(0, 4), min_size=n, max_size=n).filter(any))
    return C, np.array(weights) if exact or draw(st.booleans()) else np.array(weights) / 4


@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize("kernel", KERNELS)
def test_own_risk_is_its_definition_on_every_kernel(kernel, exact):
    @given(weighted_channels(kernel, exact))
    def check(case):
        C, weights = case
        matrix = textbook.rows_of(C)
        rows = {x: {y: Fraction(p) for y, p in row.items()} for x, row in matrix.items()} if exact else matrix
        weight = dict(zip(C.inputs, map(Fraction, weights.tolist()), strict=True))
        own, worst = own_and_worst(rows, weight)
        holders = filled(np.int64(1), C.inputs.size)
        found = own_risk(C, weights, holders)
        expect_alike(found[0], list(own.values()), exact)
        expect_alike(found[1], list(worst.values()), exact)
        total = sum(weight.values())
        mean = Distribution(found[0], weights).mean
        pi = {x: w / total for x, w in weight.items()}
        V = textbook.posterior_vulnerability(pi, rows, textbook.gain_of(None, C.inputs))
        assert mean == (V if exact else pytest.approx(float(V), rel=1e-12))

    check()


@pytest.mark.parametrize("kernel", KERNELS)
def test_a_row_that_stands_for_several_users_is_as_many_equal_rows(kernel):
    @given(channels(kernel=kernel, exact=True), st.data())
    def check(C, data):
        size = C.inputs.size
        holders = data.draw(st.lists(st.integers(1, 3), min_size=size, max_size=size))
        rows = textbook.rows_of(C)
        several = {
            (x, copy): {y: Fraction(p) for y, p in rows[x].items()}
            for x, many in zip(rows, holders, strict=True)
            for copy in range(many)
        }
        own, worst = own_and_worst(several, dict.fromkeys(several, 1))
        found = own_risk(C, filled(np.int64(1), size), np.array(holders))
        assert found[0].tolist() == [own[x, 0] for x in rows]
        assert found[1].tolist() == [worst[x, 0] for x in rows]

    check()


def own(result, api, stage):
    return result.per_user.values[api.spec, stage, "own_risk"]


def worst_posterior(result, api, stage):
    return result.per_user.values[api.spec, stage, "worst_posterior"]


def matrices(sets, m, s, r):
    """The channels of cookies and of the stages of the Topics API, written out by their definitions."""
    distinct = sorted({tuple(sorted(own)) for own in sets})
    return {
        "cookies": {x: {y: int(x == y) for y in range(len(sets))} for x in range(len(sets))},
        "generalization": {
            x: {y: int(tuple(sorted(own)) == y) for y in distinct} for x, own in enumerate(sets)
        },
        "bounded_noise": {x: {t: Fraction(int(t in own), s) for t in range(m)} for x, own in enumerate(sets)},
        "topics": {
            x: {t: (1 - r) * Fraction(int(t in own), s) + r / m for t in range(m)}
            for x, own in enumerate(sets)
        },
    }


@given(some_sets, st.integers(0, 10), st.integers(6, 8), st.data())
def test_every_stage_of_the_topics_api(sets, tenths, m, data):
    r = Fraction(tenths, 10)
    codes = [{TOPICS.index(t) for t in own} for own in sets]
    people = dict(enumerate(sets))
    weights = None
    if data.draw(st.booleans()):
        numbers = st.lists(st.integers(0, 3), min_size=len(sets), max_size=len(sets))
        weights = dict(enumerate(data.draw(numbers.filter(any))))
    population = Population.from_sets(people, topics=list(TOPICS), weights=weights)
    topics, cookies = TopicsAPI(m, 2, r), Cookies()
    result = user_risk(population, cookies, topics)
    weight = dict.fromkeys(people, 1) if weights is None else weights
    total = sum(weight.values())
    for stage, C in matrices(codes, m, 2, r).items():
        api = cookies if stage == "cookies" else topics
        mine, most = own_and_worst(
            {x: {y: Fraction(p) for y, p in row.items()} for x, row in C.items()}, weight
        )
        expect_alike(own(result, api, stage), list(mine.values()), exact=api is topics)
        expect_alike(worst_posterior(result, api, stage), list(most.values()), exact=api is topics)
        mean = sum(weight[x] * mine[x] for x in people) / total
        assert result[api.spec, "risk_mean", stage] == (mean if api is topics else pytest.approx(float(mean)))
        above = sum(weight[x] for x in people if mine[x] > Fraction(1, 2)) / total
        assert result[api.spec, "users_above", stage] == pytest.approx(above)
        assert result[api.spec, "risk_max", stage] == pytest.approx(
            max(float(mine[x]) for x in people if weight[x])
        )
    stages = dict.fromkeys(stage for _, stage, _ in result.per_user.values)
    assert list(stages) == list(matrices(codes, m, 2, r))
    assert result.per_user.of(0)[topics.spec, "topics", "own_risk"] == mine[0]
    assert result.per_user.of(0)[topics.spec, "topics", "worst_posterior"] == most[0]


@given(some_sets, st.integers(0, 10), st.booleans())
def test_merged_users_have_the_risk_of_single_ones(sets, tenths, exact):
    r = Fraction(tenths, 10) if exact else tenths / 10
    single = Population.from_sets(dict(enumerate(sets)), topics=list(TOPICS))
    distinct, which = single.distinct_sets()
    merged = Population(distinct, single.topics, distinct.codes, counts=single.set_counts())
    api = TopicsAPI(7, 2, r)
    one, other = (user_risk(people, api) for people in (single, merged))
    assert one.payload["sharing"] == other.payload["sharing"]
    for quantity in ("unique_users", "k_anonymity"):
        assert one[api.spec, quantity] == other[api.spec, quantity]
    for stage in ("generalization", "bounded_noise", "topics"):
        for numbers in (own, worst_posterior):
            expect_alike(numbers(other, api, stage)[which], numbers(one, api, stage).tolist(), exact)
        for quantity in ("risk_mean", "risk_median", "risk_95", "risk_max", "users_above"):
            assert float(other[api.spec, quantity, stage]) == pytest.approx(
                float(one[api.spec, quantity, stage])
            )
    assert other.to_json()


def test_of_merged_users_none_can_be_told_apart_by_a_cookie():
    single = Population.from_sets({"Alice": {1, 2}, "Bob": {1, 2}, "Carol": {3, 4}})
    sets, _ = single.distinct_sets()
    merged = Population(sets, single.topics, sets.codes, counts=single.set_counts())
    result = user_risk(merged)
    assert {row.api for row in result.rows} == {"topics:top_s=2"}
    assert any("cookies are not measured" in note for note in result.notes)
    with refused(ParameterError, 3, 2):
        user_risk(merged, Cookies())


@dataclass(frozen=True)
class Survey(Api):
    """Somebody's own API: half of the time the whole set, else one of two answers."""

    needs = ("topics",)

    def observe(self, sets):
        rows = [[Fraction(int(i == j), 2) for j in range(len(sets))] for i in range(len(sets))]
        answers = [[Fraction(1 + i % 2, 6), Fraction(2 - i % 2, 6)] for i in range(len(sets))]
        return Channel(
            [row + answer for row, answer in zip(rows, answers, strict=True)],
            inputs=list(sets),
            outputs=[*sets, "yes", "no"],
        )


@given(some_sets)
def test_somebodys_own_api(sets):
    population = Population.from_sets(dict(enumerate(sets)))
    result = user_risk(population, Survey())
    rows = textbook.rows_of(Survey().channel(population))
    mine, most = own_and_worst(rows, dict.fromkeys(rows, 1))
    assert own(result, Survey(), "survey").tolist() == list(mine.values())
    assert worst_posterior(result, Survey(), "survey").tolist() == list(most.values())


@dataclass(frozen=True)
class Click(Api):
    """An API whose observer holds the identity of a click."""

    observer_knows_who = True
    needs = ("topics",)

    def observe(self, secrets):
        return Channel.identity(secrets)


def test_where_the_observer_knows_who_nobody_is_reidentified():
    people = Population.from_sets({"Alice": {1}, "Bob": {2}})
    with refused(ParameterError):
        user_risk(people, Click())
    result = user_risk(people, Click(), Cookies())
    assert {row.api for row in result.rows} == {"cookies"}
    assert "nobody is re-identified" in result.notes[0]


def test_two_settings_of_one_api_stay_apart():
    people = Population.from_sets({"Alice": {1}, "Bob": {1}, "Carol": {2}})
    few, many = TopicsAPI(2, 1, Fraction(1, 10)), TopicsAPI(2, 1, Fraction(1, 2))
    result = user_risk(people, few, many)
    assert result.per_user.of("Carol")[few.spec, "topics", "own_risk"] == Fraction(19, 20)
    assert result.per_user.of("Carol")[many.spec, "topics", "own_risk"] == Fraction(3, 4)
    assert [row[0] for row in result.tables["risk"].rows][-1] == f"one topic ({many.called})"


def test_cookies_of_a_shared_history_tell_nobody_apart():
    people = Population.from_sets({4: {1, 2}, 3: {2, 3}, 2: {1, 2}, 1: {1, 2}})
    visits = {1: ["a.tld"], 2: ["a.tld"], 3: ["c.tld"], 4: ["d.tld"]}
    people = people.with_histories(Histories.from_visits(visits, {}))
    result = user_risk(people, Cookies("history"))
    key = ("cookies:shows=history", "cookies", "own_risk")
    assert {user: result.per_user.of(user)[key] for user in (1, 2, 3, 4)} == {1: 0.5, 2: 0.5, 3: 1, 4: 1}
    assert result["cookies:shows=history", "risk_mean"] == 0.75
    assert result["cookies:shows=history", "unique_users"] == Fraction(1, 2)


values = st.lists(st.sampled_from([0, 0.001, 0.01, 0.25, 0.5, 1]), min_size=1, max_size=9)


@given(values, st.floats(0, 1), st.data())
def test_quantiles_and_shares_are_those_of_the_users_one_by_one(numbers, share, data):
    counts = data.draw(st.lists(st.integers(1, 4), min_size=len(numbers), max_size=len(numbers)))
    found = Distribution(np.array(numbers, dtype=float), np.array(counts))
    users = sorted(v for v, count in zip(numbers, counts, strict=True) for _ in range(count))
    inside = [v for v in users if sum(w <= v for w in users) / len(users) >= share]
    assert found.quantile(share) == inside[0]
    assert found.share_above(0.25) == pytest.approx(sum(v > 0.25 for v in users) / len(users))
    assert found.mean == pytest.approx(sum(users) / len(users))
    bars = found.histogram()
    assert sum(bar for *_, bar in bars) == pytest.approx(1)
    for low, high, bar in bars:
        inside = [v for v in users if low <= v and (high is None or v < high)]
        assert high is not None or set(inside) <= {1}
        assert bar == pytest.approx(len(inside) / len(users))
    for value, part in found.at_least():
        assert part == pytest.approx(sum(v >= value for v in users) / len(users))


@given(some_sets)
def test_who_shares_a_secret(sets):
    population = Population.from_sets(dict(enumerate(sets)))
    api, counts = TopicsAPI(6, 2), Counter(map(frozenset, sets))
    result = user_risk(population, api)
    sharing = result.payload["sharing"][api.spec]
    assert sharing["secrets"] == len(counts)
    unique = sum(count == 1 for count in counts.values())
    assert float(result[api.spec, "unique_users"]) == unique / len(sets)
    assert sharing["least"] == result[api.spec, "k_anonymity"] == min(counts.values())
    assert sharing["least"] == k_anonymity(population.channel("topics"))
    others = [counts[frozenset(mine)] - 1 for mine in sets]
    lines = result.tables["sharing"].rows
    for (low, high, users), (_, _, same, share) in zip(sharing["users"], lines, strict=True):
        inside = [n for n in others if low <= n and (high is None or n <= high)]
        assert users == same == len(inside)
        assert share == len(inside) / len(sets)
    assert sum(users for *_, users in sharing["users"]) == len(sets)


def test_large_crowds_have_their_groups():
    population = Population.from_array(
        range(1340), np.repeat([[0], [1], [2], [3]], [1002, 300, 35, 3], axis=0)
    )
    result = user_risk(population, TopicsAPI(4, 1))
    rows = [row[1:3] for row in result.tables["sharing"].rows]
    assert rows == [("2 to 9", 3), ("10 to 99", 35), ("100 to 999", 300), ("1,000 and more", 1002)]
    assert result["topics:n_topics=4,top_s=1", "k_anonymity"] == 3


def test_a_secret_other_than_topics_is_shared_too():
    people = Population.from_sets({"a": {1}, "b": {2}, "c": {3}}).with_attribute(
        "country", ["AT", "AT", "BR"]
    )

    @dataclass(frozen=True)
    class Country(Api):
        needs = ("country",)

        def observe(self, secrets):
            return Channel.identity(secrets)

    result = user_risk(people, Country())
    assert result["country", "k_anonymity"] == 1
    assert result["country", "unique_users"] == Fraction(1, 3)
    assert own(result, Country(), "country").tolist() == [0.5, 0.5, 1]


def test_it_shows_as_tables_json_figure_and_sentences():
    people, api = Population.synthetic(500, seed=1), TopicsAPI()
    result = user_risk(people, api, threshold=0.1)
    text = str(result)
    assert "above 10 %" in text
    assert "others with the same secret" in text
    written = json.loads(result.to_json())
    last = {row["quantity"] for row in written["rows"] if row["stage"] == "topics"}
    assert {"risk_mean", "risk_median", "risk_95", "risk_99", "risk_max", "users_above"} <= last
    svg = result.figure().to_svg()
    assert "probability of re-identification" in svg
    assert "NaN" not in svg
    assert len(result.sentences) == 1
    stages = written["payload"]["stages"]
    assert [stage["stage"] for stage in stages] == ["generalization", "bounded_noise", "topics"]
    assert all(sum(bar for *_, bar in stage["histogram"]) == pytest.approx(1) for stage in stages)
    assert "Users by their own risk" in text
    assert most_exposed(result, first=3).rows[0][1] == result["topics", "risk_max"]
    assert "<table>" in result._repr_html_()
    assert result.explained()


def test_a_user_who_is_never_reidentified_has_a_place_in_the_figure():
    people = Population.from_sets({"Alice": {1}, "Bob": {1}}, weights={"Alice": 2, "Bob": 1})
    assert own(user_risk(people, Cookies()), Cookies(), "cookies").tolist() == [1, 1]
    api = TopicsAPI(2, 1, 0.5)
    result = user_risk(people, api)
    assert own(result, api, "topics").tolist() == [1, 0]
    assert "NaN" not in result.figure().to_svg()
    assert "Users count as much as they weigh." in result.tables["risk"].to_text()


def test_what_cannot_be_measured_is_an_error():
    people = Population.from_sets({"Alice": {1}, "Bob": {2}})
    with refused(ParameterError):
        user_risk(people, TopicsAPI(2, 1), threshold=2)
    sets, _ = people.distinct_sets()
    merged = Population(sets, people.topics, sets.codes, weights=[1, 2], counts=[1, 1])
    with refused(ParameterError, 2):
        user_risk(merged, TopicsAPI(2, 1))
    twice = Population.from_array(range(2), np.array([[[0], [1]], [[1], [0]]]), topics=[1, 2])
    with refused(ParameterError):
        user_risk(twice, TopicsAPI(2, 1))
    with refused(ParameterError):
        most_exposed(user_risk(people, Cookies()), "topics")


@pytest.fixture(scope="module")
def published(mirror):
    """The sets of the synthetic users of PETS '24, by csv and no code of quiff's."""
    with tarfile.open(mirror / "topics-users-250000.csv.tar.gz") as archive:
        (member,) = (member for member in archive if member.isfile())
        text = io.TextIOWrapper(archive.extractfile(member), encoding="utf-8")
        _header, *rows = csv.reader(text, delimiter="\t")
    return [frozenset(map(int, row[1:])) for row in rows]


@pytest.mark.full
def test_the_published_population(published):
    """All topics occur and a genuine one is likelier, so that the best guesses for t are those who have t."""
    m, s, r = 349, 5, 0.05
    population = Population.from_array(range(len(published)), np.array([sorted(own) for own in published]))
    api = TopicsAPI(m, s, r)
    result = user_risk(population, api)
    holders, twins = Counter(t for mine in published for t in mine), Counter(published)
    assert len(holders) == m
    p, q, n = (1 - r) / s + r / m, r / m, len(published)
    expected = {
        "generalization": [1 / twins[mine] for mine in published],
        "bounded_noise": [sum(1 / holders[t] for t in mine) / s for mine in published],
        "topics": [p * sum(1 / holders[t] for t in mine) for mine in published],
    }
    for stage, risks in expected.items():
        np.testing.assert_allclose(own(result, api, stage), risks, rtol=1e-12)
    worst = [max(p / (p * holders[t] + q * (n - holders[t])) for t in mine) for mine in published]
    np.testing.assert_allclose(worst_posterior(result, api, "topics"), worst, rtol=1e-12)
    assert f"{float(result[api.spec, 'unique_users']):.4f}" == "0.7646"
    assert f"{result[api.spec, 'risk_mean', 'generalization']:.4f}" == "0.8390"
    assert f"{result[api.spec, 'risk_mean'] * n:.2f}" == "66.36"


def test_the_most_exposed_users_are_found_by_what_they_are_called():
    api = TopicsAPI(2, 1, 0.5)
    for users in ([7, 8, 9], ["7", "8", "9"]):
        people = Population.from_sets(dict(zip(users, ({1}, {1}, {2}), strict=True)))
        result = user_risk(people, api)
        table = most_exposed(result, first=1)
        assert table.rows[0][0] == users[2]
        assert tuple(result.per_user.of(table.rows[0][0]).values())[-2:] == table.rows[0][1:]
        assert json.loads(table.to_json())[0]["user"] == users[2]


def test_the_most_exposed_sets_of_merged_users_can_be_written():
    single = Population.from_sets({"Alice": {1, 2}, "Bob": {1, 2}, "Carol": {3, 4}})
    sets, _ = single.distinct_sets()
    people = Population(sets, single.topics, sets.codes, counts=single.set_counts())
    result = user_risk(people, TopicsAPI(5, 2, 0.5))
    table = most_exposed(result, first=1)
    assert tuple(result.per_user.of(table.rows[0][0]).values())[-2:] == table.rows[0][1:]
    assert json.loads(table.to_json())[0]["user"] == str(table.rows[0][0])


@pytest.mark.parametrize("users", [(2**63 + 1, 2**63 + 3), (0.123456789, 0.123456788), (True, None)])
def test_the_most_exposed_users_are_called_by_their_labels(users):
    people = Population.from_sets(dict(zip(users, ({1}, {2}), strict=True)))
    table = most_exposed(user_risk(people, TopicsAPI(2, 1, 0.5)))
    assert table.to_pandas()["user"].to_list() == [str(user) for user in users]
    assert [line.split(",")[0] for line in table.to_csv().splitlines()[1:]] == [str(user) for user in users]


def test_one_is_not_below_one():
    """And what is a power of ten but for rounding is one."""
    found = Distribution(np.array([1.0, 0.9999999999999999, 0.09999999999999999, 0.1, 0.0]), np.ones(5))
    assert found.histogram() == [
        (0.0, 0.1, pytest.approx(0.2)),
        (0.1, 1.0, pytest.approx(0.4)),
        (1.0, None, pytest.approx(0.4)),
    ]


@pytest.mark.parametrize("half", [0.5, Fraction(1, 2)])
def test_what_is_above_a_threshold_by_rounding_is_not_above_it(half):
    found = Distribution(np.array([0.5, 0.5000000000000001, 0.50001]), np.ones(3))
    assert found.share_above(half) == pytest.approx(1 / 3)
    exact = Distribution(
        np.array([Fraction(1, 2), Fraction(1, 2) + Fraction(1, 10**30)]), np.ones(2, dtype=int)
    )
    assert exact.share_above(Fraction(1, 2)) == 0.5
    assert exact.share_above(0.5) == 0


@given(channels(exact=True), st.data())
def test_what_is_known_beside_the_output_splits_the_users(C, data):
    n = C.inputs.size
    known = data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n))
    weight = dict(zip(C.inputs, data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n)), strict=True))
    side = Channel.deterministic(dict(zip(C.inputs, known, strict=True)))
    found = own_risk(parallel(side, C), np.array(list(weight.values())), np.ones(n, dtype=np.int64))
    expected = [{}, {}]
    for value in set(known):
        mine = [x for x, at in zip(C.inputs, known, strict=True) if at == value]
        rows = {x: {y: Fraction(C[x, y]) for y in C.outputs} for x in mine}
        for whole, part in zip(expected, own_and_worst(rows, weight), strict=True):
            whole.update(part)
    for numbers, whole in zip(found, expected, strict=True):
        expect_alike(numbers, [whole[x] for x in C.inputs], exact=True)


def test_the_mean_risk_given_what_is_known_is_what_measure_finds():
    people = Population.synthetic(80, seed=3, n_topics=12, top_s=2)
    people = people.with_attribute("country", ["AT" if user % 3 else "BR" for user in range(80)])
    api = TopicsAPI(12, 2, Fraction(1, 20))
    risk, alone = user_risk(people, api, known="country"), user_risk(people, api)
    assert risk[api.spec, "risk_mean"] == measure(people, api, known="country")[api.spec, "posterior"]
    assert risk[api.spec, "unique_users"] >= alone[api.spec, "unique_users"]
    assert "country" in risk.notes[-1]
