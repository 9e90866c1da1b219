"""The paper's algorithms, run along every path, have the channels that quiff builds by structure."""

from fractions import Fraction

import hypothesis.strategies as st
from hypothesis import given, settings

from naive_programs import naive_row, program_channel
from quiff import Cookies, Histories, Population, Prior, TopicsAPI, leakage, program
from quiff.apis.base import stages_of
from quiff.browser.browser import DAY, Browser, PageLoad
from quiff.browser.decisions import INDEX, NOISE, RANDOM
from quiff.browser.rules import BrowserRules
from quiff.browser.topic_tree import TopicTree
from quiff.papers import algorithms
from quiff.weeks.calls import EpochLaw, TopicGroups

TOPICS = list("abcde")
CLASSIFICATION = {
    "one": ["a"], "two": ["a", "b"], "three": ["c", "d", "e"], "four": ["b", "e"], "five": ["d"],
}  # fmt: skip
pages = st.lists(st.sampled_from([*CLASSIFICATION, "unknown"]), min_size=1, max_size=4)
visits = st.dictionaries(st.sampled_from("uvwxyz"), pages, min_size=1)
noises = st.integers(0, 5).map(lambda n: Fraction(n, 5))


def row(C, x):
    return {y: p for y, p in C.row(x).items() if p}


def leaks(C):
    return leakage(Prior.uniform(C.inputs), C)


@given(visits)
def test_algorithm_1_shows_what_the_channel_of_cookies_does(visits):
    people = Histories.from_visits(visits, CLASSIFICATION)
    browsers = {
        user: {"history": tuple((page, time) for time, page in enumerate(pages)), "uid": user}
        for user, pages in visits.items()
    }
    assert leaks(program_channel(algorithms.report_cookies, browsers)) == leaks(Cookies().channel(people))
    alike = {user: browser | {"uid": "everybody's"} for user, browser in browsers.items()}
    C = program_channel(algorithms.report_cookies, alike)
    assert leaks(C) == leaks(Cookies("history").channel(people))
    for user, pages in visits.items():
        assert row(C, user) == {tuple(("everybody's", page, time) for time, page in enumerate(pages)): 1}


@settings(deadline=None)
@given(visits, st.integers(1, 5))
def test_algorithm_2_has_the_channel_of_the_generalization(visits, s):
    people = Histories.from_visits(visits, CLASSIFICATION, fill=TOPICS)
    secrets = {user: {"history": tuple(pages)} for user, pages in visits.items()}
    C = program_channel(
        algorithms.derive_top_topics, secrets, classification=CLASSIFICATION, taxonomy=TOPICS, top_s=s
    )
    D = TopicsAPI(5, s).secret(people)
    pages = tuple((page, tuple(topics)) for page, topics in CLASSIFICATION.items())
    api = program(algorithms.derive_top_topics)(classification=pages, taxonomy=tuple(TOPICS), top_s=s)
    made = api.channel(people)
    for user in visits:
        assert row(C, user) == row(D, user) == row(made, user)


sets_of_two = st.lists(st.sets(st.sampled_from(TOPICS), min_size=2, max_size=2), min_size=1, max_size=5)


@given(sets_of_two, noises)
def test_algorithm_3_has_the_channel_of_the_topics_api(sets, noise):
    people = Population.from_sets(dict(enumerate(sets)), TOPICS)
    C = program_channel(
        algorithms.report_topic,
        {k: tuple(sorted(x)) for k, x in enumerate(sets)},
        taxonomy=TOPICS,
        noise=noise,
    )
    D = stages_of(TopicsAPI(5, 2, noise), people)["topics"]
    for user in people.users:
        assert row(C, user) == row(D, user)


@settings(max_examples=40, deadline=None)
@given(visits, st.integers(1, 4), noises)
def test_all_stages_together_have_the_channel_of_the_api(visits, s, noise):
    def browser(user, draw):
        chosen = algorithms.derive_top_topics(user, draw, CLASSIFICATION, TOPICS, s)
        return algorithms.report_topic(chosen, draw, TOPICS, noise)

    C = program_channel(browser, {user: {"history": tuple(pages)} for user, pages in visits.items()})
    D = TopicsAPI(5, s, noise).channel(Histories.from_visits(visits, CLASSIFICATION, fill=TOPICS))
    for user in visits:
        assert row(C, user) == row(D, user)


def stable_call(top_s, draw, noise, coverage, epochs):
    """A call whose caller has witnessed a topic with some probability, in epochs with the same set."""
    seen = [[(draw.uniform(top_s), {"ads.tld"} if draw.flip(coverage) else {})] for _ in range(epochs)]
    return algorithms.browsing_topics(seen, draw, "ads.tld", TOPICS, noise)


@settings(max_examples=15, deadline=None)
@given(sets_of_two, noises, st.integers(0, 4).map(lambda n: Fraction(n, 4)), st.integers(1, 3))
def test_a_call_leaks_what_is_counted(sets, noise, coverage, epochs):
    people = Population.from_sets(dict(enumerate(sets)), TOPICS)
    secrets = {k: tuple(sorted(x)) for k, x in enumerate(sets)}
    C = program_channel(stable_call, secrets, noise=noise, coverage=coverage, epochs=epochs)
    law = EpochLaw.of(5, 2, noise, coverage)
    assert leaks(C) == TopicGroups.of(people, TopicsAPI(5, 2)).leakage(law, epochs)


loads = st.builds(
    PageLoad,
    st.integers(0, 20 * DAY),
    st.sampled_from([*CLASSIFICATION]),
    st.sets(st.sampled_from(["ads.tld", "other.tld"])).map(frozenset),
)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(loads, min_size=2, max_size=8), st.integers(0, 4), st.booleans(), st.integers(7 * DAY, 25 * DAY)
)
def test_a_call_is_that_of_the_browser(loads, percents, blocking, now):
    """Run the browser itself along every path of its decisions, whose numbers are drawn."""
    tree, noise = TopicTree.flat(TOPICS), Fraction(25 * percents, 100)
    rules = BrowserRules(top_s=2, noise=noise, blocked=frozenset("a") if blocking else frozenset())

    def call(_, draw):
        numbers = {INDEX: lambda: draw.uniform((0, 1)), NOISE: lambda: 0 if draw.flip(noise) else 99,
                   RANDOM: lambda: draw.uniform(range(5))}  # fmt: skip
        decided = {}

        def decide(label, time, site):  # what is drawn once stays so; ties, filling and delays are no draws
            if label in numbers and (label, time, site) not in decided:
                decided[label, time, site] = numbers[label]()
            return decided.get((label, time, site), 0)

        return Browser(tree, CLASSIFICATION, decide, rules).call(loads, now, "shop.tld", "ads.tld")

    browser = Browser(tree, CLASSIFICATION, lambda *_: 0, rules)
    seen = browser.shown(browser.epochs(loads, now), now, "shop.tld")
    secret = tuple(tuple((each.topic, each.callers) for each in epoch.top) for epoch in seen)
    C = program_channel(algorithms.browsing_topics, {"user": secret}, taxonomy=TOPICS, noise=noise)
    assert row(C, "user") == naive_row(call, "user")
