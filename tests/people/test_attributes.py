"""Attributes: a column is a dictionary from users to values, whatever its values are."""

from fractions import Fraction
from itertools import permutations
from math import isnan

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quiff import Attribute, Channel, Histories, ParameterError, Population, QuiffError, ShapeError
from quiff.measures.capacity import bayes_capacity
from words import refused

SETS = {"Alice": {1, 2}, "Bob": {2, 3}, "Carol": {1, 2}}
MISSING = [None, float("nan"), "", np.nan, pd.NA, pd.NaT]
VALUES = st.one_of(
    st.integers(-2, 2), st.sampled_from(["a", "1", "True", "None", "nan"]), st.booleans(),
    st.sampled_from(MISSING), st.fractions(0, 1, max_denominator=2), st.just(np.int64(1)),
    st.just(np.str_("a")), st.tuples(st.integers(0, 1)), st.frozensets(st.integers(0, 1)),
)  # fmt: skip


def kind(value):
    """What makes two values one: equal, and both truth values or neither; all that is missing is one."""
    if value is None or value is pd.NA or value is pd.NaT or (isinstance(value, str) and not value):
        return "missing"
    if isinstance(value, float) and isnan(value):
        return "missing"
    return isinstance(value, bool), value.item() if isinstance(value, np.generic) else value


@given(st.lists(VALUES, min_size=1, max_size=8))
def test_a_column_tells_users_apart_as_its_values_do(values):
    attribute = Attribute.of("x", values)
    which = attribute.which[0].tolist()
    for i, one in enumerate(values):
        for j, other in enumerate(values):
            assert (which[i] == which[j]) == (kind(one) == kind(other))
    assert len(attribute.values) == len({kind(value) for value in values})
    assert sum(value is None for value in attribute.values) == any(kind(v) == "missing" for v in values)


@given(
    st.lists(st.one_of(st.none(), st.text(min_size=1, max_size=2), st.integers(2, 9)), min_size=1, max_size=8)
)
def test_its_channel_is_the_dictionary(values):
    column = dict(enumerate(values))
    people = Population(range(len(values))).with_attribute("x", column)
    C = people.channel("x")
    assert all(C[user, value] == 1 for user, value in column.items())
    assert set(C.outputs) == set(values)
    assert bayes_capacity(C) == len(set(values))
    assert people == Population(range(len(values))).with_attribute("x", values)


@given(st.lists(st.tuples(st.integers(0, 3), st.sampled_from("ab"), st.booleans()), min_size=1, max_size=9))
def test_several_attributes_are_records_that_occur(rows):
    people = Population(range(len(rows)))
    for name, column in zip("xyz", zip(*rows, strict=True), strict=True):
        people = people.with_attribute(name, column)
    C = people.channel("x", "y", "z")
    assert set(C.outputs) == set(rows)
    assert all(C[user, row] == 1 for user, row in enumerate(rows))
    assert C.outputs.position(rows[0]) == people.channel("x", "y", "z").outputs.position(rows[0])
    assert C.outputs == Channel.deterministic(dict(enumerate(rows)), list(C.outputs)).outputs
    assert (9, "a", True) not in C.outputs
    assert people.channel().to_numpy().tolist() == np.eye(len(rows)).tolist()


def test_the_order_of_users_does_not_change_that_of_values():
    for values in (["b", None, "a"], [3, "b", None], [frozenset("ab"), frozenset("c"), frozenset("b")]):
        orders = [list(Attribute.of("x", order).values) for order in permutations(values)]
        assert all(order == orders[0] for order in orders)


def test_truth_values_beside_equal_numbers_are_written_out():
    assert list(Attribute.of("x", [True, 1, "1", None]).values) == ["'1'", "1", "True", None]
    assert list(Attribute.of("x", [True, False, "1"]).values) == [False, True, "1"]
    assert list(Attribute.of("x", [1, "1"]).values) == [1, "1"]
    assert list(Attribute.of("x", [1.0, 1, np.int8(1)]).values) == [1.0]


def test_topics_are_an_attribute():
    people = Population.from_sets(SETS)
    topics = people.attribute("topics")
    assert list(topics.values) == [frozenset({1, 2}), frozenset({2, 3})]
    assert topics.which.tolist() == [[0, 1, 0]]
    assert people.attributes == ("topics",)
    assert people.attribute("topics") is topics
    assert people.channel("topics").outputs is people.distinct_sets()[0]


def test_values_that_an_epoch_lacks_are_not_among_its_values():
    people = Population.from_array(["a", "b"], [[[1, 2], [2, 3]], [[1, 2], [1, 2]]])
    people = people.with_attribute("x", Attribute("x", ["u", "v", "w"], [[0, 1], [1, 1]]))
    x = people.attribute("x")
    assert (x.n_epochs, x.changes, list(x.values)) == (2, True, ["u", "v"])
    later = people.epoch(1)
    assert list(later.attribute("x").values) == ["v"]
    assert len(later.attribute("topics").values) == 1
    assert bayes_capacity(later.channel("x", "topics")) == 1
    assert bayes_capacity(people.epoch(0).channel("x", "topics")) == 2
    assert people.first_epochs(1).attribute("x").which.tolist() == [[0, 1]]
    for names in (("x",), ("topics",), ("x", "topics")):
        with refused(ParameterError, 2):
            people.channel(*names)
    assert people.attribute("x").at(slice(1)).at(slice(7, 8)).which.tolist() == [[0, 1]]  # a stable one stays


def test_people_without_topic_sets():
    people = Population(["a", "b"], weights=[1, 3]).with_attribute("country", ["AT", "BR"])
    assert repr(people) == "<Population of 2 users: country, weighted>"
    assert repr(Population(["a"])) == "<Population of 1 user: without attributes>"
    assert people.attributes == ("country",)
    assert (people.n_users, people.n_epochs, people.merged) == (2, 1, False)
    assert people.user_prior()["b"] == Fraction(3, 4)
    assert people.epoch(0) == people
    assert people != people.replaced(weights=None)
    asked = [
        lambda: people.topics, lambda: people.sets, lambda: people.codes, lambda: people.top_s,
        lambda: people.occurring, lambda: people.distinct_sets(), lambda: people.set_prior(),
        lambda: people.set_counts(), lambda: people.attribute("topics"), lambda: people.channel("topics"),
    ]  # fmt: skip
    for ask in asked:
        with refused(ParameterError):
            ask()
    with refused(QuiffError):
        Population([])


def test_genuine_users_keep_their_attributes():
    visited = {"Alice": {1}, "Bob": {2, 3}, "Carol": {1, 2}}
    people = Population.from_sets(SETS, visited=visited).with_attribute("x", [7, 8, 9])
    assert list(people.genuine().attribute("x").values) == [8, 9]


def test_histories_are_an_attribute():
    visits = {"Carol": ["a.tld"], "Dan": ["c.tld"], "Bob": ["b.tld"], "Alice": ["a.tld"]}
    histories = Histories.from_visits(visits, {})
    people = Population.from_sets(SETS).with_histories(histories)
    assert people.attributes == ("topics", "history")
    C = people.channel("history")
    assert list(C.outputs) == [("a.tld",), ("b.tld",)]  # not that of Dan
    assert C["Alice", ("a.tld",)] == C["Carol", ("a.tld",)] == 1
    assert histories.channel("history")["Dan", ("c.tld",)] == 1
    assert histories.channel()["Dan", "Dan"] == 1
    with refused(ParameterError):
        histories.channel("country")
    with refused(QuiffError, 1):
        Population(["Eve"]).with_histories(histories)
    with refused(ParameterError):
        people.with_histories("table.parquet")


@pytest.mark.parametrize(
    ("work", "numbers"),
    [
        (lambda people: people.attribute("history"), ()),
        (lambda people: people.attribute("county"), ()),
        (lambda people: people.channel("age", "topics"), ()),
        (lambda people: people.with_attribute("topics", [1, 2, 3]), ()),
        (lambda people: people.with_attribute("x", [1, 2]), (2, 3)),
        (lambda people: people.with_attribute("x", "AT"), ()),
        (lambda people: people.with_attribute("x", [[1], [2], [3]]), ()),
        (lambda people: people.with_attribute("x", {"Alice": 1}), (2,)),
        (lambda people: people.with_attribute("x", Channel([[1.0]])), ()),
        (lambda people: people.with_attribute("x", Attribute("x", [1], [[0] * 3] * 2)), (2,)),
        (lambda people: people.attribute("country").channel(["a"]), (1,)),
    ],
)  # fmt: skip
def test_mistakes_say_what_to_do(work, numbers):
    people = Population.from_sets(SETS).with_attribute("country", ["AT", "BR", "AT"])
    with refused(QuiffError, *numbers) as caught:
        work(people)
    assert "\n" not in str(caught.value)
    assert not {"Alice", "BR"} & set(str(caught.value).split())


def test_a_channel_is_an_attribute_too():
    people = Population.from_sets(SETS)
    made = people.with_attribute("x", Channel.deterministic({"Alice": 1, "Bob": 2, "Carol": 1}))
    assert made.attribute("x") == people.with_attribute("x", [1, 2, 1]).attribute("x")
    assert repr(made.attribute("x")) == "<Attribute 'x': 2 values of 3 users>"
    with pytest.raises(TypeError):
        made.others["y"] = made.attribute("x")
    with pytest.raises(ValueError, match="read-only"):
        made.attribute("x").which[0, 0] = 1
    with refused(ShapeError):
        Attribute("x", [1], np.zeros((1, 1, 1), int))


def test_one_user_and_one_value():
    people = Population(["a"]).with_attribute("x", [None]).with_attribute("y", [0])
    assert list(people.channel("x", "y").outputs) == [(None, 0)]
    assert isinstance(people, Population)
