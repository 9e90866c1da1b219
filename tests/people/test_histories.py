"""The top-s set of a history, by its rule: counts, ties at the cut, filling up."""

from collections import Counter
from fractions import Fraction
from itertools import permutations

import hypothesis.strategies as st
import pytest
from hypothesis import given

from quiff.errors import LabelError, ParameterError
from quiff.people.histories import Histories, top_set
from words import refused

TOPICS = "abcde"
CLASSIFICATION = {"one": ["a"], "two": ["a", "b"], "three": ["c", "d", "e"], "four": ["b", "e"]}


def by_all_orders(counts, s, fill):
    """Take the first s topics of every order of all topics, sorted stably by count; fill comes last."""
    topics = sorted(set(counts) | set(fill))
    found = Counter()
    for order in permutations(topics):
        ranked = sorted(order, key=lambda topic: -counts.get(topic, 0))
        found[frozenset(ranked[:s])] += 1
    total = sum(found.values())
    return {chosen: Fraction(count, total) for chosen, count in found.items()}


@given(st.dictionaries(st.sampled_from(TOPICS), st.integers(1, 3)), st.integers(1, 5))
def test_every_possible_set_has_the_probability_of_its_orders(counts, s):
    top = top_set(counts, s, fill=TOPICS)
    expected = by_all_orders(counts, s, TOPICS)
    assert dict.fromkeys(top.sets(), Fraction(1, top.n_sets)) == expected
    assert len(list(top.sets())) == top.n_sets
    inclusion = {
        topic: sum(chance for chosen, chance in expected.items() if topic in chosen) for topic in TOPICS
    }
    assert top.inclusion() == {topic: chance for topic, chance in inclusion.items() if chance}
    assert sum(top.inclusion().values()) == s


def test_each_visit_adds_one_to_each_topic_of_its_domain():
    people = Histories.from_visits({"u": ["one", "one", "two", "four", "unknown"]}, CLASSIFICATION)
    history = people.distinct[0]  # a 3, b 2, e 1
    assert people.top_set(history, 2).sure == {"a", "b"}
    assert people.top_set(history, 3).inclusion() == dict.fromkeys("abe", Fraction(1))
    assert people.top_set(history, 4).inclusion() == {
        **dict.fromkeys("abe", Fraction(1)),
        **dict.fromkeys("cd", Fraction(1, 2)),
    }


def test_equal_histories_are_one_and_sets_have_no_order():
    people = Histories.from_visits(
        {"u": ["one", "two"], "v": ("one", "two"), "w": ["two", "one"], "x": {"one", "two"}}, CLASSIFICATION
    )
    assert people.which.tolist() == [0, 0, 1, 2]
    assert people.distinct[2] == frozenset({"one", "two"})
    assert list(people.topics) == list("abcde")
    assert not people.which.flags.writeable


def test_a_fill_of_its_own_adds_topics():
    people = Histories.from_visits({"u": ["one"]}, CLASSIFICATION, fill=["z", "y"])
    assert list(people.topics) == [*"abcde", "z", "y"]
    assert people.top_set(people.distinct[0], 2).inclusion() == {
        "a": 1,
        "z": Fraction(1, 2),
        "y": Fraction(1, 2),
    }


@pytest.mark.parametrize(
    "make",
    [
        lambda: Histories.from_visits({}, {}),
        lambda: Histories.from_visits({"u": "one"}, {}),
        lambda: Histories.from_visits({"u": ["x"]}, {"x": "News"}),
        lambda: Histories.from_visits({"u": ["x"]}, {}, fill=["a", "a"]),
    ],
)
def test_mistakes_are_named(make):
    with refused(LabelError):
        make()


def test_too_few_topics_are_an_error_that_says_how_many_are_missing():
    people = Histories.from_visits({"u": ["one"]}, {"one": ["a"]}, fill=["a", "b"])
    with refused(ParameterError, 4, 2):
        people.top_set(people.distinct[0], 4)
