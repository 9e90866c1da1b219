"""The taxonomy of a population: a number refuses no topic, a name does, `occurring` takes what is there."""

import pytest

from quiff import LabelError, ParameterError, Population
from quiff.apis.taxonomy import topics_for
from words import refused

WORDS = Population.from_sets({"Alice": {"Music", "News"}, "Bob": {"News", "Sports"}})
V2_ONLY = Population.from_sets({"Alice": {1, 4}, "Bob": {1, 350}})


def test_a_number_refuses_no_topic():
    assert topics_for(WORDS, "3") == 3
    assert topics_for(V2_ONLY, "1000") == 1000


def test_the_topics_that_occur():
    people = Population.from_sets({"Alice": {"Music", "News"}}, topics=["Ads", "Music", "News"])
    assert topics_for(people, "occurring") == 2


def test_a_name_refuses_topics_that_it_does_not_have():
    assert topics_for(V2_ONLY, "v2") == 469
    with refused(LabelError, 2, 350):
        topics_for(V2_ONLY, "v1")
    with refused(LabelError, 2):
        topics_for(Population.from_sets({"Alice": {1, 4}, "Bob": {2, 4}}), "v2")
    with refused(LabelError):
        topics_for(WORDS, "v1")


def test_only_topics_that_occur_matter():
    people = Population.from_sets({"Alice": {1, 4}}, topics=[1, 4, 5000])
    assert topics_for(people, "v1") == 349


def test_numbers_may_be_written_as_words():
    people = Population.from_sets({"Alice": {"1", "349"}})
    assert topics_for(people, "v1") == 349


@pytest.mark.parametrize(("name", "size"), [("google-nl-v2", 1091), ("iab-1.1", 1558)])
def test_where_the_topics_of_a_name_are_not_known_only_their_number_counts(name, size):
    assert topics_for(WORDS, name) == size
    many = Population.from_array(range(size + 1), [[k] for k in range(size + 1)])
    with pytest.raises(
        ParameterError, match=rf"{size + 1} topics occur, but the taxonomy '{name}' has only {size}"
    ):
        topics_for(many, name)


def test_by_default_numbers_are_those_of_v1_and_words_are_only_counted():
    assert topics_for(WORDS) == 349
    with refused(LabelError, 350):
        topics_for(V2_ONLY)
    words = Population.from_array(range(350), [[f"topic {k}"] for k in range(350)])
    with refused(ParameterError, 350, 349):
        topics_for(words)


def test_too_small_a_number():
    with refused(ParameterError, 3, 2):
        topics_for(WORDS, "2")


def test_an_unknown_name():
    with refused(ParameterError):
        topics_for(WORDS, "v3")
