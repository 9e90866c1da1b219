"""The paper's worked example, each matrix written down by hand: three users, five topics, s=2, r=1/20."""

import math
from fractions import Fraction

import pytest

import quiff
import textbook
from quiff.apis.base import stages_of
from quiff.apis.cookies import Cookies
from quiff.apis.topics import TopicsAPI
from quiff.measures.privacy import k_anonymity, noise_bound
from quiff.people.histories import Histories
from quiff.people.population import Population

TOPICS = ["Music", "News", "Sports", "Travel", "Ads"]
ALICE, BOB, CAROL = (
    ("music.tld", "news.tld"),
    ("travel.tld", "flights.tld", "sports.tld"),
    ("radio.tld", "gazette.tld"),
)
VISITS = {"Alice": ALICE, "Bob": BOB, "Carol": CAROL}
CLASSIFICATION = {
    "music.tld": ["Music"], "radio.tld": ["Music"], "news.tld": ["News"], "gazette.tld": ["News"],
    "travel.tld": ["Travel"], "flights.tld": ["Travel"], "sports.tld": ["Sports"],
}  # fmt: skip
MN, ST = frozenset({"Music", "News"}), frozenset({"Sports", "Travel"})
API = TopicsAPI(n_topics=5, top_s=2, noise=Fraction(1, 20))

HISTORIES = Histories.from_visits(VISITS, CLASSIFICATION, fill=TOPICS)
PEOPLE = Population.from_sets({"Alice": MN, "Bob": ST, "Carol": MN}, TOPICS)
SOURCES = [pytest.param(HISTORIES, id="histories"), pytest.param(PEOPLE, id="population")]


def table(C, columns):
    """The matrix by the names of the columns, as lists."""
    rows = textbook.rows_of(C)
    assert set(next(iter(rows.values()))) == set(columns)
    return {x: [row[y] for y in columns] for x, row in rows.items()}


def test_browsing():
    expected = {"Alice": [1, 0, 0], "Bob": [0, 1, 0], "Carol": [0, 0, 1]}
    assert table(HISTORIES.channel("history"), [ALICE, BOB, CAROL]) == expected
    assert table(PEOPLE.channel(), ["Alice", "Bob", "Carol"]) == expected


def test_unique_ids():
    C_U = Cookies("history").fit(HISTORIES).observe(HISTORIES.distinct)
    assert table(C_U, [0, 1, 2]) == {ALICE: [1, 0, 0], BOB: [0, 1, 0], CAROL: [0, 0, 1]}


@pytest.mark.parametrize("source", SOURCES)
def test_cookies(source):
    expected = {"Alice": [1, 0, 0], "Bob": [0, 1, 0], "Carol": [0, 0, 1]}
    (stage,) = stages_of(Cookies(), source).items()
    assert stage[0] == "cookies"
    assert table(stage[1], [0, 1, 2]) == expected
    assert quiff.leakage(PEOPLE.user_prior(), stage[1]) == 3


def test_generalization():
    assert table(API.generalization(HISTORIES), [MN, ST]) == {ALICE: [1, 0], BOB: [0, 1], CAROL: [1, 0]}
    assert table(API.generalization(PEOPLE), [MN, ST]) == {"Alice": [1, 0], "Bob": [0, 1], "Carol": [1, 0]}


@pytest.mark.parametrize(
    "sets", [PEOPLE.distinct_sets()[0], [MN, ST, {"Music", "Ads"}], API.generalization(HISTORIES).outputs]
)
def test_one_topic_of_the_set(sets):
    ready = API.fit(PEOPLE)
    columns = TOPICS
    for method, inside, outside in [
        (ready.bounded_noise, Fraction(1, 2), 0),
        (ready.random_topic, Fraction(1, 5), Fraction(1, 5)),
        (ready.observe, Fraction(97, 200), Fraction(1, 100)),
    ]:
        C = method(sets)
        assert C.exact
        rows = textbook.rows_of(C)
        assert {MN, ST} <= set(rows)
        for chosen, row in rows.items():
            assert row == {topic: inside if topic in chosen else outside for topic in columns}


@pytest.mark.parametrize("source", SOURCES)
def test_the_users_channels(source):
    stages = stages_of(API, source)
    assert list(stages) == ["generalization", "bounded_noise", "topics"]
    assert table(stages["generalization"], [MN, ST]) == {"Alice": [1, 0], "Bob": [0, 1], "Carol": [1, 0]}
    h, a, b = Fraction(1, 2), Fraction(97, 200), Fraction(1, 100)
    assert table(stages["bounded_noise"], TOPICS) == {
        "Alice": [h, h, 0, 0, 0], "Bob": [0, 0, h, h, 0], "Carol": [h, h, 0, 0, 0],
    }  # fmt: skip
    assert table(stages["topics"], TOPICS) == {
        "Alice": [a, a, b, b, b], "Bob": [b, b, a, a, b], "Carol": [a, a, b, b, b],
    }  # fmt: skip
    assert table(API.channel(source), TOPICS) == table(stages["topics"], TOPICS)


@pytest.mark.parametrize("source", SOURCES)
def test_the_numbers(source):
    users, stages = PEOPLE.user_prior(), stages_of(API, source)
    posteriors = [quiff.posterior_vulnerability(users, C) for C in stages.values()]
    assert posteriors == [Fraction(2, 3), Fraction(2, 3), Fraction(13, 20)]
    assert [quiff.leakage(users, C) for C in stages.values()] == [2, 2, Fraction(39, 20)]
    assert k_anonymity(API.generalization(source)) == 1
    assert noise_bound(API.fit(source).bounded_noise(API.generalization(source).outputs)) == 2
    assert quiff.max_case_capacity(API.channel(source)) == Fraction(97, 2)
    assert quiff.epsilon(API.channel(source)) == pytest.approx(math.log(48.5))


def test_the_capacity_needs_a_set_with_every_topic():
    """With Ads in somebody's set all five topics occur, and the bound 97/40 is met."""
    people = Population.from_sets({"Alice": MN, "Bob": ST, "Carol": {"Music", "Ads"}}, TOPICS)
    assert quiff.bayes_capacity(API.channel(people)) == Fraction(97, 40)
    assert quiff.bayes_capacity(API.channel(PEOPLE)) == Fraction(39, 20)


def test_the_pipelines_are_the_cascades_of_their_parts():
    C_BH, C_G = HISTORIES.channel("history"), API.generalization(HISTORIES)
    ready, cookies = API.fit(HISTORIES), Cookies("history")
    C_BN, C_DP = ready.bounded_noise(C_G.outputs), ready.random_topic(C_G.outputs)
    mixed = quiff.internal_choice(C_BN, C_DP, API.noise)
    for C, D in [
        (mixed, ready.observe(C_G.outputs)),
        (C_BH @ C_G @ mixed, API.channel(HISTORIES)),
        (C_BH @ C_G @ C_BN, stages_of(API, HISTORIES)["bounded_noise"]),
        (C_BH @ cookies.fit(HISTORIES).observe(C_BH.outputs), cookies.channel(HISTORIES)),
    ]:
        assert textbook.rows_of(C) == textbook.rows_of(D)


def test_utility():
    """Naming a topic of the set: from 2/3 before to .97667 after a report."""
    sets, _ = PEOPLE.distinct_sets()
    prior, report, naming = PEOPLE.set_prior(), API.fit(PEOPLE).observe(sets), API.goals(sets)["topics"]
    assert quiff.vulnerability(prior, naming) == Fraction(2, 3)
    assert quiff.posterior_vulnerability(prior, report, naming) == Fraction(293, 300)
