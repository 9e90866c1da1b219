"""Browsers that run the paper's three algorithms report as often as the channels say."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import chisquare

from quiff.apis.algorithms import Visit, report_cookie, report_topic, top_topics
from quiff.apis.base import stages_of
from quiff.apis.cookies import Cookies
from quiff.apis.topics import TopicsAPI
from quiff.errors import ParameterError
from quiff.populations.histories import Histories
from quiff.populations.population import Population

RUNS = 20_000
# The seeds are fixed, so the tests are deterministic; a wrong model has a p-value of practically 0.
LEAST_P = 0.001

CLASSIFICATION = {
    "one": ["a"], "two": ["a", "b"], "three": ["c", "d", "e"], "four": ["b", "e"], "five": ["d"],
}  # fmt: skip
TOPICS = [*"abcde", "f", "g"]
VISITS = {
    "no chance": ["one", "one", "two"],
    "ties": ["one", "two", "three", "four"],
    "a short set": ["one"],
    "nothing known": ["unknown"],
}


def assert_as_probable(counts, row):
    """Compare counts with the probabilities of a channel's row; what has probability 0 never happens."""
    expected = {y: float(p) for y, p in row.items() if p}
    assert {y for y, n in counts.items() if n} <= set(expected)
    total = sum(counts.values())
    if len(expected) > 1:
        found = chisquare([counts[y] for y in expected], [total * p for p in expected.values()])
        assert found.pvalue > LEAST_P


def row_of(C, x):
    return dict(C.row(x).items())


def test_a_cookie_names_the_browser():
    rng = np.random.default_rng(11)
    names = ["Alice", "Bob", "Carol"]
    browsers = {name: ([], {}) for name in names}
    seen = Counter()
    for time in range(6_000):
        name = names[rng.integers(3)]
        history, cookies = browsers[name]
        report = report_cookie(history, cookies, "ads.tld", Visit(f"page{time % 7}.tld", float(time)), rng)
        seen[name, report.cookie] += 1
        assert history[-1] == report.visit
        assert report.origin == "ads.tld"
    assert len(seen) == 3, "one identifier each, always the same"
    ids = {cookie: uid for uid, cookie in enumerate(browsers[name][1]["ads.tld"] for name in names)}
    assert len(ids) == 3
    people = Population.from_sets({name: {"News"} for name in names})
    C = Cookies().channel(people)
    for name in names:
        mine = Counter({ids[cookie]: n for (who, cookie), n in seen.items() if who == name})
        assert_as_probable(mine, row_of(C, name))
    everybody = Counter({ids[cookie]: n for (_, cookie), n in seen.items()})
    assert_as_probable(everybody, dict((people.user_prior() @ C).items()))


def test_each_third_party_sets_its_own_cookie():
    rng, history, cookies = np.random.default_rng(1), [], {}
    reports = [report_cookie(history, cookies, origin, Visit("x", 0.0), rng) for origin in ("ads", "shop")]
    assert len(history) == 2
    assert len({report.cookie for report in reports}) == len(cookies) == 2


@pytest.mark.parametrize("user", VISITS)
@pytest.mark.parametrize("s", [1, 2, 3])
def test_the_top_set_is_as_random_as_the_channel_says(user, s):
    people = Histories.from_visits(VISITS, CLASSIFICATION, fill=TOPICS)
    stages = stages_of(TopicsAPI(n_topics=9, top_s=s), people)
    rng = np.random.default_rng(100 + s)
    drawn = Counter(top_topics(VISITS[user], CLASSIFICATION, s, rng, fill=TOPICS) for _ in range(RUNS // 4))
    assert_as_probable(drawn, row_of(stages["generalization"], user))
    # The chance of each topic, against the exact inclusion probabilities.
    inclusion = people.top_set(VISITS[user], s).inclusion()
    for topic, chance in inclusion.items():
        inside = sum(n for chosen, n in drawn.items() if topic in chosen)
        assert_as_probable(
            Counter({True: inside, False: RUNS // 4 - inside}), {True: chance, False: 1 - chance}
        )


@pytest.mark.parametrize("noise", [Fraction(0), Fraction(1, 4), Fraction(1)])
def test_the_reported_topic_is_as_random_as_the_channel_says(noise):
    top_set = {"a", "d"}
    rng = np.random.default_rng(5)
    reported = Counter(report_topic(top_set, TOPICS, noise, rng) for _ in range(RUNS))
    people = Population.from_sets({"u": top_set}, TOPICS)
    C = TopicsAPI(len(TOPICS), 2, noise).channel(people)
    assert_as_probable(reported, row_of(C, "u"))


@pytest.mark.parametrize("user", VISITS)
def test_the_whole_pipeline_is_as_random_as_the_channel_says(user):
    """A new set each time: ties and filling up are part of the chance."""
    rng = np.random.default_rng(17)
    reported = Counter()
    for _ in range(RUNS // 2):
        top_set = top_topics(VISITS[user], CLASSIFICATION, 3, rng, fill=TOPICS)
        reported[report_topic(top_set, TOPICS, 0.2, rng)] += 1
    people = Histories.from_visits(VISITS, CLASSIFICATION, fill=TOPICS)
    C = TopicsAPI(n_topics=len(TOPICS), top_s=3, noise=Fraction(1, 5)).channel(people)
    assert_as_probable(reported, row_of(C, user))


def test_the_chi_square_test_finds_a_wrong_model():
    rng = np.random.default_rng(5)
    reported = Counter(report_topic({"a", "d"}, TOPICS, 0.05, rng) for _ in range(RUNS))
    C = TopicsAPI(len(TOPICS), 2, Fraction(1, 10)).channel(Population.from_sets({"u": {"a", "d"}}, TOPICS))
    with pytest.raises(AssertionError):
        assert_as_probable(reported, row_of(C, "u"))


def test_the_same_seed_gives_the_same_reports():
    def run():
        rng = np.random.default_rng(3)
        chosen = top_topics(VISITS["ties"], CLASSIFICATION, 3, rng, TOPICS)
        return chosen, [report_topic(chosen, TOPICS, 0.5, rng) for _ in range(20)]

    assert run() == run()


def test_too_few_topics_are_an_error():
    with pytest.raises(ParameterError, match="have 1 topic, but top_s is 3; add 2 to `fill`"):
        top_topics(["one"], CLASSIFICATION, 3, np.random.default_rng(1))
