"""Parameters, taxonomies and structure of the models."""

from dataclasses import dataclass
from fractions import Fraction

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

import quiff
import textbook
from quiff import Channel, ParameterError, SizeError, theory
from quiff.apis.base import Api, stages_of
from quiff.apis.cookies import Cookies
from quiff.apis.taxonomy import Unnamed
from quiff.apis.topics import TopicsAPI
from quiff.core.kernels import MapKernel, SparseKernel
from quiff.core.labels import as_labels
from quiff.errors import LabelError
from quiff.measures.privacy import k_anonymity, noise_bound
from quiff.people.histories import Histories
from quiff.people.population import Population
from words import refused


@pytest.mark.parametrize(
    ("parameters", "numbers"),
    [
        ({"n_topics": 0}, (1, 0)),
        ({"n_topics": 4}, (1, 4, 5)),
        ({"top_s": 0}, (1, 349, 0)),
        ({"top_s": 350}, (1, 349, 350)),
        ({"top_s": 2.5}, (1, 349, 2.5)),
        ({"noise": -0.1}, (0, 1, -0.1)),
        ({"noise": 1.5}, (0, 1, 1.5)),
        ({"noise": float("nan")}, (0, 1)),
        ({"noise": "5%"}, (0, 1, 5)),
    ],
)
def test_bad_parameters_are_told_the_allowed_range(parameters, numbers):
    with refused(ParameterError, *numbers):
        TopicsAPI(**parameters)


def test_a_description_is_a_frozen_value():
    api = TopicsAPI()
    assert (api.n_topics, api.top_s, api.noise) == (349, 5, 0.05)
    assert api == TopicsAPI(349, 5, 0.05)
    assert hash(api) == hash(TopicsAPI(np.int64(349), 5, np.float64(0.05)))
    assert Cookies() == Cookies()
    with pytest.raises(AttributeError):
        api.noise = 0.1


@st.composite
def cases(draw):
    m = draw(st.integers(1, 6))
    s = draw(st.integers(1, m))
    r = Fraction(draw(st.integers(0, 4)), 4)
    sets = {x: frozenset(draw(st.permutations(range(m)))[:s]) for x in "abcdef"[: draw(st.integers(1, 5))]}
    return sets, m, s, r


@given(cases(), st.booleans())
def test_every_entry_is_the_papers(case, exact):
    """Users, distinct sets and theory, entry by entry from the definition."""
    sets, m, s, r = case
    people = Population.from_sets(sets)
    api = TopicsAPI(m, s, r if exact else float(r))
    C = api.channel(people)
    assert C.exact is exact
    assert C.outputs.size == m
    for x, chosen in sets.items():
        for t in C.outputs:
            by_hand = (1 - r) / s + r / m if t in chosen else r / m
            assert C[x, t] == pytest.approx(by_hand) if not exact else C[x, t] == by_hand
    ready, distinct = api.fit(people), people.distinct_sets()[0]
    report = textbook.rows_of(ready.observe(distinct))
    rows = textbook.rows_of(C)
    assert all(report[sets[x]] == rows[x] for x in sets)
    occurring = len(set().union(*sets.values()))
    expected = theory.topics_leakage(m, s, r, occurring)
    assert quiff.leakage(people.user_prior(), C) == pytest.approx(float(expected))
    counts = [list(sets.values()).count(chosen) for chosen in set(sets.values())]
    assert k_anonymity(api.generalization(people)) == min(counts)
    assert noise_bound(ready.bounded_noise(distinct)) == s


def test_the_rest_of_the_taxonomy_has_no_names():
    people = Population.from_sets({"u": {"Music", "News"}})
    C = TopicsAPI(n_topics=5, top_s=2, noise=Fraction(1, 4)).channel(people)
    assert list(C.outputs) == ["Music", "News", Unnamed(2), Unnamed(3), Unnamed(4)]
    assert C["u", Unnamed(4)] == Fraction(1, 20)
    assert [y in C.outputs for y in (Unnamed(1), Unnamed(5), "Ads")] == [False, False, False]
    assert str(Unnamed(3)) == "unnamed 3"


def test_topics_that_do_not_occur_make_room_for_a_smaller_taxonomy():
    people = Population.from_array(["u", "v"], [[1, 3], [3, 4]], range(10))
    C = TopicsAPI(n_topics=4, top_s=2, noise=Fraction(1, 4)).channel(people)
    assert list(C.outputs) == [1, 3, 4, Unnamed(3)]
    assert C["v", 3] == C["v", 4] == Fraction(3, 8) + Fraction(1, 16)
    assert C["v", 1] == C["v", Unnamed(3)] == Fraction(1, 16)
    assert list(TopicsAPI(10, 2).fit(people).random_topic(people.distinct_sets()[0]).outputs) == list(
        range(10)
    )
    with refused(ParameterError, 2, 3):
        TopicsAPI(n_topics=2, top_s=2).channel(people)


@pytest.mark.parametrize("method", ["channel", "fit", "secret", "generalization"])
def test_the_sets_must_have_the_apis_size(method):
    people = Population.from_sets({"u": {"Music", "News"}})
    with refused(ParameterError, 5, 2):
        getattr(TopicsAPI(), method)(people)


def test_one_report_needs_one_epoch():
    people = Population.from_array(["u"], [[[0, 1]], [[1, 2]]], range(3))
    with refused(ParameterError):
        TopicsAPI(3, 2).channel(people)
    assert TopicsAPI(3, 2).channel(people.epoch(1))["u", 0] == pytest.approx(0.05 / 3)


@pytest.mark.parametrize("sets", [[], "ab", {"u": {1}}, 7])
def test_sets_must_be_sets(sets):
    with pytest.raises(LabelError):
        TopicsAPI(5, 2, taxonomy=as_labels(range(5))).observe(sets)


def test_users_who_share_a_history_share_its_identifier():
    """Without histories all users are told apart; with them, only the distinct ones."""
    people = Histories.from_visits({"u": ["x"], "v": ["x"], "w": ["y", "x"]}, {})
    assert quiff.bayes_capacity(Cookies().channel(people)) == 3
    assert quiff.bayes_capacity(Cookies("history").channel(people)) == 2
    assert k_anonymity(Cookies("history").channel(people)) == 1


def test_k_and_b_of_other_channels():
    dense = Channel([[0.5, 0.5, 0], [0.25, 0.25, 0.5], [0, 1, 0]])
    assert (k_anonymity(dense), noise_bound(dense)) == (1, 1)
    lifted = Channel.sparse(
        {"u": {1: Fraction(0)}, "v": {2: Fraction(0)}, "w": {3: Fraction(0)}}, [1, 2, 3], rest=Fraction(1, 2)
    )
    assert (k_anonymity(lifted), noise_bound(lifted)) == (2, 2)
    constant = Channel.constant([Fraction(1, 2), Fraction(1, 2), 0], ["u", "v"], [1, 2, 3])
    assert (k_anonymity(constant), noise_bound(constant)) == (2, 2)
    twice = quiff.repeat(lifted, 2)
    assert (k_anonymity(twice), noise_bound(twice)) == (1, 4)


def test_the_structure_stays_at_the_size_of_a_population():
    rng = np.random.default_rng(5)
    codes = np.argsort(rng.random((200_000, 40)), axis=1)[:, :5]
    people = Population.from_array(range(200_000), codes, range(349))
    stages = stages_of(TopicsAPI(), people)
    assert [type(C.kernel) for C in stages.values()] == [MapKernel, SparseKernel, SparseKernel]
    assert stages["topics"].kernel.entries.columns.size == 1_000_000
    leakages = [quiff.leakage(people.user_prior(), C) for C in stages.values()]
    assert leakages[0] == people.distinct_sets()[0].size
    assert leakages[1] == pytest.approx(40 / 5)
    assert leakages[2] == pytest.approx(theory.topics_leakage(349, 5, 0.05, 40))
    assert type(Cookies().channel(people).kernel) is MapKernel
    assert quiff.bayes_capacity(Cookies().channel(people)) == 200_000


def test_random_sets_too_many_to_list_still_have_an_exact_channel():
    people = Histories.from_visits({"u": ["x"], "v": ["y"]}, {"x": ["a"], "y": ["b"]}, fill=range(347))
    api = TopicsAPI(n_topics=349, top_s=5, noise=Fraction(1, 20))
    with refused(SizeError):
        api.generalization(people)
    C = api.channel(people)
    assert C["u", "a"] == Fraction(19, 100) + Fraction(1, 6980)
    assert C["u", "b"] == Fraction(1, 6980)
    assert C["u", 12] == Fraction(19, 100) * Fraction(4, 347) + Fraction(1, 6980)


def test_an_api_is_one_method():
    @dataclass(frozen=True)
    class HTTPHeaderAPI2(Api):
        def observe(self, secrets):
            return Channel.constant([1], secrets, ["hello"])

    people = Population.from_sets({"u": {1}, "v": {2}})
    api = HTTPHeaderAPI2()
    assert api.name == "http_header_api2"
    assert (api.spec, api.title) == ("http_header_api2", "http header api2")
    assert list(stages_of(api, people)) == ["http_header_api2"]
    assert textbook.rows_of(api.channel(people)) == {"u": {"hello": 1}, "v": {"hello": 1}}
    assert (TopicsAPI().name, Cookies().name) == ("topics", "cookies")
    with pytest.raises(TypeError, match="abstract"):
        Api()
