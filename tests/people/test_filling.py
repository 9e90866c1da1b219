"""Visited and filled topics of populations in memory and of files, against plain counts."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quiff import Population, TopicsAPI, drift, measure
from quiff.errors import LabelError, ParameterError, QuiffError, ShapeError
from quiff.people.filling import Filling
from words import refused, worded

TOPICS = "ABCDEF"


@st.composite
def people(draw):
    """Sets of one size, and for each how many of its topics, the first in order of rank, were visited."""
    s, n = draw(st.integers(1, 3)), draw(st.integers(1, 10))
    ranked = [draw(st.permutations(TOPICS))[:s] for _ in range(n)]
    return ranked, [draw(st.integers(0, s)) for _ in range(n)]


def expected_of(ranked, genuine):
    s = len(ranked[0])
    visited = [frozenset(topics[:k]) for topics, k in zip(ranked, genuine, strict=True)]
    alone = Counter(visited)
    return {
        "users": len(ranked),
        "filled_sets": sum(k < s for k in genuine),
        "filled_topics": sum(s - k for k in genuine),
        "sets_without_visits": genuine.count(0),
        "genuine_users": genuine.count(s),
        "distinct_visited": len(alone),
        "unique_visited": sum(n == 1 for n in alone.values()),
    }


def write(folder, ranked, genuine, *, order):
    """Write them with ranked topic counts, as quiff profile does, rows and topics in some order."""
    counted = [
        [{"rank": k + 1, "topic": topic, "visits": max(n - k, 0)} for k, topic in enumerate(topics)]
        for topics, n in zip(ranked, genuine, strict=True)
    ]
    rows = [
        {"user": user, "topics": order(topics), "genuine": n, "ranking": entries}
        for user, (topics, n, entries) in enumerate(zip(ranked, genuine, counted, strict=True))
    ]
    pq.write_table(pa.Table.from_pylist(rows), folder / "p.parquet", row_group_size=3)
    lines = [f'{row["user"]},{row["genuine"]},"{",".join(row["topics"])}"' for row in rows]
    (folder / "p.csv").write_text("\n".join(["user,genuine,topics", *lines]))


@settings(max_examples=25)
@given(made=people(), reverse=st.booleans())
def test_every_way_to_a_population_counts_the_same(tmp_path_factory, made, reverse):
    ranked, genuine = made
    expected = expected_of(ranked, genuine)
    folder = tmp_path_factory.mktemp("people")
    write(folder, ranked, genuine, order=lambda topics: sorted(topics, reverse=reverse))
    visited = [[k < n for k in range(len(ranked[0]))] for n in genuine]
    numbers = [[TOPICS.index(topic) for topic in topics] for topics in ranked]
    ways = [
        Population.from_sets(
            {user: set(topics) for user, topics in enumerate(ranked)},
            visited={user: topics[:n] for user, (topics, n) in enumerate(zip(ranked, genuine, strict=True))},
        ),
        Population.from_array(range(len(ranked)), numbers, list(TOPICS), visited=visited),
        Population.read(folder / "p.parquet"),
        Population.read(folder / "p.parquet", merged=True),
    ]
    for population in ways:
        filled = population.filled
        assert {name: getattr(filled, name) for name in expected} == expected
        if not expected["genuine_users"]:
            with pytest.raises(ParameterError, match="every user has topics that were filled in at random"):
                population.genuine()
            continue
        kept = population.genuine()
        sets = [frozenset(topics) for topics, n in zip(ranked, genuine, strict=True) if n == len(topics)]
        listed, _ = kept.distinct_sets()
        assert dict(zip(listed, kept.set_counts().tolist(), strict=True)) == Counter(sets)
        assert kept.filled.filled_sets == 0
        assert kept.genuine() == kept
    for merged in (False, True):  # the text says how many, and not which
        filled = Population.read(folder / "p.csv", merged=merged).filled
        for name, value in expected.items():
            assert getattr(filled, name) == (value if "visited" not in name else None)


def test_what_is_not_known_is_none(tmp_path):
    (tmp_path / "p.csv").write_text("user,t1,t2\n1,A,B\n2,A,C\n")
    for population in (Population.read(tmp_path / "p.csv"), Population.from_sets({1: ["A"], 2: ["B"]})):
        assert population.filling is population.filled is None
        with refused(ParameterError):
            population.genuine()


def test_a_ranking_that_does_not_fit_the_sets_says_nothing(tmp_path):
    rows = [
        {
            "user": user,
            "topics": ["A", "B"],
            "ranking": [{"rank": k + 1, "topic": t, "visits": 1} for k, t in enumerate(listed)],
        }
        for user, listed in enumerate(["AB", "AC"])
    ]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "p.parquet")
    for merged in (False, True):
        population = Population.read(tmp_path / "p.parquet", merged=merged)
        assert population.filled is None
        assert population.set_counts().tolist() == [2]


@pytest.mark.parametrize("number", ["3", "-1", "x", ""])
def test_a_number_of_visited_topics_that_cannot_be_is_told_with_its_line(tmp_path, number):
    (tmp_path / "p.csv").write_text(f"user,t1,t2,genuine\n1,A,B,2\n2,A,C,{number}\n")
    shape = number.replace("3", "9").replace("1", "9").replace("x", "a")
    for merged in (False, True):
        with refused(QuiffError, 3) as caught:
            Population.read(tmp_path / "p.csv", merged=merged)
        assert repr(shape) in str(caught.value)


def test_filling_follows_epochs_users_and_weights():
    visited = [[[True, False], [True, True]], [[False, False], [True, True]]]
    population = Population.from_array(
        ["a", "b"], [[[1, 0], [0, 2]], [[0, 1], [1, 2]]], ["x", "y", "z"], weights=[1, 3], visited=visited
    )
    assert population.filling.visited.tolist() == [
        [[False, True], [True, True]],
        [[False, False], [True, True]],
    ]
    assert population.filled.sets_without_visits == 1
    assert population.filled.filled_users == 0.5
    assert population.epoch(0).filled.sets_without_visits == 0
    assert population.first_epochs(1).filled.filled_topics == 1
    assert population.first_epochs(2) is population
    kept = population.genuine()
    assert (list(kept.users), kept.weights.tolist(), kept.n_epochs) == (["b"], [3], 2)
    assert kept.notes == ("Left out: 1 user with topics filled in at random.",)
    assert population != replace(population, filling=None)
    assert drift(population.epoch(0), 2, 0.5, seed=1).filling is None


def test_users_with_different_visits_of_one_set_are_kept_apart_when_merged(tmp_path):
    write(tmp_path, [["A", "B"], ["B", "A"], ["A", "B"], ["C", "D"]], [2, 1, 1, 1], order=sorted)
    population = Population.read(tmp_path / "p.parquet", merged=True)
    assert population.set_counts().tolist() == [3, 1]
    assert population.filled.genuine_users == 1
    # {A, B}, {B}, {A} and {C}
    assert (population.filled.distinct_visited, population.filled.unique_visited) == (4, 4)
    assert population.genuine().set_counts().tolist() == [1]


def test_wrong_visits_are_told():
    sets = {"Alice": {1, 2}, "Bob": {2, 3}}
    with refused(LabelError):
        Population.from_sets(sets, visited={"Alice": {1}})
    with refused(LabelError, 1):
        Population.from_sets(sets, visited={"Alice": {1}, "Bob": {1}})
    with refused(ShapeError):
        Population.from_array([1, 2], [[1, 2], [2, 3]], visited=[[True, False]])
    with refused(ShapeError, 1, 2):
        replace(Population.from_sets(sets), filling=Filling.of(np.ones((1, 2), bool)))


def test_a_merged_population_with_weights_cannot_leave_users_out(tmp_path):
    write(tmp_path, [["A", "B"], ["B", "A"], ["C", "A"]], [2, 1, 2], order=sorted)
    table = pq.read_table(tmp_path / "p.parquet").append_column("w", pa.array([1, 2, 3]))
    pq.write_table(table, tmp_path / "w.parquet")
    assert Population.read(tmp_path / "w.parquet", weights="w").genuine().weights.tolist() == [1, 3]
    population = Population.read(tmp_path / "w.parquet", weights="w", merged=True)
    assert population.weights.tolist() == [3, 3]
    with refused(ParameterError, 3, 2):
        population.genuine()


def test_genuine_users_who_count_for_nothing_are_not_said_to_be_none():
    sets = {"Alice": {1, 2}, "Bob": {1, 3}, "Carol": {2, 3}}
    people = Population.from_sets(
        sets,
        visited={"Alice": {1}, "Bob": {1, 3}, "Carol": {2, 3}},
        weights={"Alice": 1, "Bob": 0, "Carol": 0},
    )
    found = measure(people, TopicsAPI(top_s=2))
    text = str(found)
    worded(text)
    worded("\n".join(found.notes))
