"""Labels are unique, lazy, and found by name."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quiff import Channel, LabelError, Prior, ShapeError, external_choice, posterior_vulnerability
from quiff.core.composite_labels import ProductLabels, SubsetLabels, TaggedLabels
from quiff.core.labels import SetLabels, as_labels
from words import refused

SOURCES = {
    "listed": ["b", "a", ("c", 1), frozenset({"d"})],
    "range": range(3, 11, 2),
    "integers": np.array([5, 3, 9]),
    "strings": np.array(["b", "a"]),
}


def all_kinds():
    yield from (as_labels(source) for source in SOURCES.values())
    abc = as_labels(["a", "b", "c"])
    yield ProductLabels((abc, as_labels(range(2))))
    yield TaggedLabels((abc, as_labels(range(2))))
    yield SubsetLabels(as_labels(range(7)), 3)
    yield SetLabels.distinct(np.array([[0, 1], [1, 2], [1, 0]]), abc)[0]


@pytest.mark.parametrize("labels", list(all_kinds()), ids=lambda labels: type(labels).__name__)
def test_every_kind_finds_each_label_where_it_stands(labels):
    listed = list(labels)
    assert len(listed) == labels.size == len(set(listed))
    for position, label in enumerate(listed):
        assert labels[position] == label
        assert labels[position - labels.size] == label
        assert labels.position(label) == position
        assert label in labels
    assert labels == as_labels(listed)
    assert list(labels[1:]) == listed[1:]
    for stranger in ("stranger", 10**9, ("a", 7), (9, "a"), frozenset({"a", "z"}), ["unhashable"], None):
        assert stranger not in labels
        with pytest.raises(LabelError, match="not a known label"):
            labels.position(stranger)
    with pytest.raises(IndexError):
        labels[labels.size]


def test_labels_must_be_unique_hashable_and_a_list():
    with refused(LabelError):
        as_labels(["a", "b", "a"], "input")
    with refused(LabelError, 3):
        as_labels(np.array([3, 1, 3]))
    with refused(LabelError):
        as_labels([{"a"}])
    with refused(LabelError):
        as_labels("abc")
    with refused(LabelError, 5):
        as_labels(5)
    with refused(ShapeError, 2):
        as_labels(np.array([[1, 2]]))


def test_changing_the_callers_array_changes_nothing():
    names = np.array([1, 2, 3])
    labels = as_labels(names)
    names[0] = 99
    assert list(labels) == [1, 2, 3]


def test_a_population_costs_no_dictionary_until_a_label_is_looked_up():
    users = np.random.default_rng(0).permutation(200_000)
    codes = np.random.default_rng(1).permuted(np.tile(np.arange(20), (200_000, 1)), axis=1)[:, :5]
    C = Channel.membership_from_codes(users, codes, range(20), inside=0.2, outside=0)
    prior = Prior.uniform(users)
    # Fifteen of twenty topics are outside each set; every topic occurs: m'/s = 4 distinct users at best.
    assert posterior_vulnerability(prior, C) == pytest.approx(4 / 200_000)
    assert "_index" not in vars(C.inputs)
    assert "_index" not in vars(prior.labels)
    assert C[int(users[7]), int(codes[7, 0])] == 0.2
    assert "_index" in vars(C.inputs)


def test_a_product_of_labels_may_exceed_the_machines_word():
    many = ProductLabels((as_labels(range(349)),) * 30)
    assert many.size == 349**30
    assert many[349**30 - 1] == (348,) * 30
    assert many.position((0,) * 29 + (5,)) == 5


@given(st.lists(st.lists(st.integers(0, 9), min_size=3, max_size=3, unique=True), min_size=1, max_size=30))
def test_distinct_sets(rows):
    labels, which = SetLabels.distinct(np.array(rows), as_labels(range(10)))
    assert [labels[int(i)] for i in which] == [frozenset(row) for row in rows]
    assert labels.size == len({frozenset(row) for row in rows})


@given(
    st.integers(1, 40).flatmap(
        lambda n: st.lists(st.lists(st.integers(0, 3), min_size=n, max_size=n), min_size=1, max_size=20)
    )
)
def test_distinct_rows_too_wide_for_one_word(rows):
    from quiff.core.distinct import distinct_codes

    first, kind = distinct_codes(np.array(rows), 4)
    assert len(first) == len({tuple(row) for row in rows})
    assert [rows[first[k]] for k in kind] == rows


def test_external_choice_tells_the_parts_apart():
    C = Channel.identity(["a", "b"])
    assert list(external_choice(C, C, 0.5).outputs) == [(0, "a"), (0, "b"), (1, "a"), (1, "b")]
