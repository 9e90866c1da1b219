"""The paper's algorithms, run along every path, have the channels that quiff builds by structure."""

from fractions import Fraction

import hypothesis.strategies as st
from hypothesis import given, settings

from quiff import Cookies, Histories, Population, Prior, TopicsAPI, leakage
from quiff.apis import paper_programs
from quiff.apis.base import stages_of
from quiff.apis.calls import EpochLaw, TopicGroups
from quiff.programs.channel import program_channel

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
    browsers = {user: {"history": tuple(pages), "uid": user} for user, pages in visits.items()}
    assert leaks(program_channel(paper_programs.report_cookies, browsers)) == leaks(Cookies().channel(people))
    alike = {user: browser | {"uid": "everybody's"} for user, browser in browsers.items()}
    C = program_channel(paper_programs.report_cookies, alike)
    assert leaks(C) == leaks(Cookies("history").channel(people))
    for user, pages in visits.items():
        assert row(C, user) == {tuple(("everybody's", page) for page in pages): 1}


@settings(deadline=None)
@given(visits, st.integers(1, 5))
def test_algorithm_2_has_the_channel_of_the_generalization(visits, s):
    people = Histories.from_visits(visits, CLASSIFICATION, fill=TOPICS)
    secrets = {user: tuple(pages) for user, pages in visits.items()}
    C = program_channel(
        paper_programs.derive_top_topics, secrets, classification=CLASSIFICATION, taxonomy=TOPICS, top_s=s
    )
    D = TopicsAPI(5, s).secret(people)
    for user in visits:
        assert row(C, user) == row(D, user)


sets_of_two = st.lists(st.sets(st.sampled_from(TOPICS), min_size=2, max_size=2), min_size=1, max_size=5)


@given(sets_of_two, noises)
def test_algorithm_3_has_the_channel_of_the_topics_api(sets, noise):
    people = Population.from_sets(dict(enumerate(sets)), TOPICS)
    C = program_channel(
        paper_programs.report_topic,
        {k: tuple(sorted(x)) for k, x in enumerate(sets)},
        taxonomy=TOPICS,
        noise=noise,
    )
    D = stages_of(TopicsAPI(5, 2, noise), people)["topics"]
    for user in people.users:
        assert row(C, user) == row(D, user)


@settings(max_examples=15, deadline=None)
@given(sets_of_two, noises, st.integers(0, 4).map(lambda n: Fraction(n, 4)), st.integers(1, 3))
def test_a_call_leaks_what_is_counted(sets, noise, coverage, epochs):
    people = Population.from_sets(dict(enumerate(sets)), TOPICS)
    C = program_channel(
        paper_programs.browsing_topics,
        {k: tuple(sorted(x)) for k, x in enumerate(sets)},
        taxonomy=TOPICS, noise=noise, coverage=coverage, epochs=epochs,
    )  # fmt: skip
    law = EpochLaw.of(5, 2, noise, coverage)
    assert leaks(C) == TopicGroups.of(people, TopicsAPI(5, 2)).leakage(law, epochs)
