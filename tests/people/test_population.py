"""A population is what was put in, checked once, with names and not positions."""

from fractions import Fraction

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

from quiff.errors import LabelError, ParameterError, ShapeError
from quiff.people.population import Population
from words import refused, worded

TOPICS = ["Music", "News", "Sports", "Travel", "Ads"]
SETS = {"Alice": {"Music", "News"}, "Bob": {"Sports", "Travel"}, "Carol": {"News", "Music"}}


@st.composite
def set_mappings(draw):
    topics = draw(st.permutations("abcdef"))
    s = draw(st.integers(1, 4))
    n = draw(st.integers(1, 6))
    return {user: frozenset(draw(st.permutations(topics))[:s]) for user in range(n)}


@given(set_mappings())
def test_the_sets_come_back_by_name(sets):
    people = Population.from_sets(sets)
    assert list(people.users) == list(sets)
    assert set(people.topics) == set(people.occurring) == set().union(*sets.values())
    for user, codes in zip(people.users, people.codes, strict=True):
        assert {people.topics[code] for code in codes} == sets[user]
    labels, which = people.distinct_sets()
    assert [labels[k] for k in which] == list(sets.values())
    assert len(set(labels)) == len(labels) == len(set(sets.values()))
    counts = {chosen: list(sets.values()).count(chosen) for chosen in sets.values()}
    assert dict(people.set_prior().items()) == {
        chosen: Fraction(count, len(sets)) for chosen, count in counts.items()
    }
    assert set(dict(people.user_prior().items()).values()) == {Fraction(1, len(sets))}


@given(set_mappings())
def test_all_ways_in_lead_to_the_same(sets):
    people = Population.from_sets(sets)
    values = [sorted(chosen, reverse=True) for chosen in sets.values()]
    assert Population.from_array(list(sets), values) == people
    codes = [[list(people.topics).index(topic) for topic in row] for row in values]
    assert Population.from_array(list(sets), codes, people.topics) == people
    assert Population.from_array(list(sets), [codes], people.topics) == people
    numbers = [[ord(topic) for topic in row] for row in values]
    assert [chr(t) for t in Population.from_array(list(sets), numbers).topics] == list(people.topics)


def test_topics_that_occur_are_told_from_those_that_may():
    people = Population.from_sets(SETS, TOPICS)
    assert list(people.topics) == TOPICS
    assert list(people.occurring) == TOPICS[:4]
    assert people.top_s == 2
    assert people.n_epochs == 1


def test_numbers_of_any_size_are_topics():
    assert list(Population.from_array(["u"], [[629, 3]]).topics) == [3, 629]
    assert list(Population.from_array(["u"], [[-5, 10**12]]).topics) == [-5, 10**12]
    assert list(Population.from_array(["u"], np.array([[7, 3]], dtype=np.uint64)).topics) == [3, 7]


def test_topics_of_different_kinds_have_an_order_all_the_same():
    assert set(Population.from_sets({"u": {"News", 7}}).topics) == {"News", 7}


def test_several_epochs_have_several_sets():
    weeks = [[[0, 1], [2, 3]], [[1, 0], [1, 4]]]
    people = Population.from_array(["Alice", "Bob"], weeks, TOPICS)
    assert people.sets.shape == (2, 2, 2)
    worded(repr(people), 2)
    assert people.epoch(1) == Population.from_array(["Alice", "Bob"], [[0, 1], [1, 4]], TOPICS)
    assert people != people.epoch(1)
    assert people.occurring == people.topics
    with refused(ParameterError, 2):
        people.distinct_sets()
    with refused(ParameterError, 0, 1, 2):
        people.epoch(2)


def test_a_population_is_frozen():
    codes = np.array([[0, 1]])
    people = Population.from_array(["u"], codes, ["a", "b", "c"])
    codes[0, 0] = 2
    assert people.sets.tolist() == [[[0, 1]]]
    with pytest.raises(ValueError, match="read-only"):
        people.sets[0, 0, 0] = 2
    with pytest.raises(AttributeError):
        people.users = ["v"]
    assert people != "something else"


@pytest.mark.parametrize(
    ("make", "error", "numbers"),
    [
        (lambda: Population.from_sets({}), LabelError, ()),
        (lambda: Population.from_array([], []), LabelError, ()),
        (lambda: Population.from_array([], [], TOPICS), LabelError, ()),
        (lambda: Population.from_sets({"u": []}), ShapeError, ()),
        (
            lambda: Population.from_sets({"Alice": {1, 2}, "Bob": {1, 2, 3}}),
            ShapeError,
            (3, 2),
        ),
        (
            lambda: Population.from_array(["Alice", "Bob"], [[1, 2], [1, 2, 3]]),
            ShapeError,
            (3,),
        ),
        (lambda: Population.from_array(["Alice"], [[[1, 2]], [[1]]]), ShapeError, ()),
        (
            lambda: Population.from_sets({"Alice": ["News", "News"]}),
            LabelError,
            (),
        ),
        (
            lambda: Population.from_array(["Alice", "Bob"], [[0, 1], [1, 1]], TOPICS),
            LabelError,
            (),
        ),
        (
            lambda: Population.from_array(["Bob"], [[[0, 1]], [[1, 1]]], TOPICS),
            LabelError,
            (1,),
        ),
        (
            lambda: Population.from_sets(SETS, TOPICS[:3]),
            LabelError,
            (3,),
        ),
        (
            lambda: Population.from_array(["Alice", "Bob"], [[0, 1], [1, 7]], TOPICS),
            LabelError,
            (7, 5, 0, 4),
        ),
        (
            lambda: Population.from_array(["Alice"], [[-1, 1]], TOPICS),
            LabelError,
            (-1,),
        ),
        (lambda: Population.from_sets({"u": "ab"}), LabelError, ()),
        (lambda: Population.from_sets({"u": 3}), LabelError, (3,)),
        (
            lambda: Population.from_sets({"u": [[1]]}),
            LabelError,
            (),
        ),
        (lambda: Population.from_array(["u"], [[0.5, 1]]), ShapeError, ()),
        (lambda: Population.from_array(["u"], [[0.5, 1]], TOPICS), ShapeError, ()),
        (
            lambda: Population.from_array(["u", "v"], [[0, 1]], TOPICS),
            ShapeError,
            (1, 2),
        ),
        (lambda: Population.from_array(["u", "u"], [[0], [1]], TOPICS), LabelError, ()),
        (lambda: Population.from_array(["u"], [[0]], ["a", "a"]), LabelError, ()),
    ],
)
def test_mistakes_are_named(make, error, numbers):
    with refused(error, *numbers):
        make()


def test_many_users_need_no_work_for_each():
    """200 000 users: an array in, an array out, and lazy names."""
    rng = np.random.default_rng(3)
    codes = np.argsort(rng.random((200_000, 30)), axis=1)[:, :5]
    people = Population.from_array(range(200_000), codes, range(349))
    assert people.sets.nbytes <= 2 * codes.size
    assert people.occurring.size == 30
    sets, which = people.distinct_sets()
    assert sets.size == len(np.unique(np.sort(codes, axis=1), axis=0))
    assert sets[int(which[7])] == frozenset(codes[7].tolist())
