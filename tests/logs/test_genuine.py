"""Profiles say how many topics of each set are genuine, as plain loops over the visits count them."""

from datetime import datetime, timedelta

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from logs import reference
from logs.test_profile import START, profiles_of, visits, write_reduced
from quiff.logs.profile import profile
from quiff.logs.queries import fetch_rows
from quiff.logs.stats import describe
from quiff.logs.tables import COLUMNS, read_table, table_digest
from quiff.people.population import Population


def counts_by_set(rows, days):
    """How often each user met each topic in each epoch."""
    midnight = min(row[1] for row in rows).replace(hour=0)
    keyed = [((row[0], (row[1] - midnight).days // days if days else 0), *row[1:]) for row in rows]
    return reference.topic_counts(keyed)


def written_visits():
    """A log in which some users meet many topics, some few, and some weeks pass without a visit."""
    return [
        (user, START + timedelta(days=(user * 5 + k * 9) % 30), "a.com", sorted({chr(65 + user * k % 11)}))
        for user in range(1, 40)
        for k in range(user % 9 + 1)
    ]


@settings(max_examples=20)
@given(rows=visits, top=st.integers(1, 4), days=st.sampled_from([None, 1, 7]))
def test_the_column_counts_the_visited_topics_of_each_set(duckdb, tmp_path_factory, rows, top, days):
    folder = tmp_path_factory.mktemp("genuine")
    write_reduced(folder, rows)
    taxonomy = sorted("ABCDEFGHIJ")
    result = profile(
        duckdb, folder, folder / "p.parquet", top=top, taxonomy=taxonomy, epoch_days=days, seed=1
    )
    counts = counts_by_set(rows, days)
    found = profiles_of(folder / "p.parquet")
    visited = {key: reference.visited_of(counts[key], row["topics"]) for key, row in found.items()}
    for key, row in found.items():
        assert row["genuine"] == len(visited[key]) == min(len(+counts[key]), top)
    filled_users, filled_topics, without, *_ = reference.filling(list(visited.values()), top)
    assert result.filled_users == pytest.approx(filled_users)
    assert result.filled_topics == pytest.approx(filled_topics)
    assert result.sets_without_visits == without
    for path in (folder / "p.parquet", without_the_column(folder / "p.parquet", folder / "old.parquet")):
        people = Population.read(path)
        for epoch in range(people.n_epochs):
            for place, user in enumerate(people.users):
                assert people.filling.genuine[epoch, place] == len(visited[user, epoch])


def without_the_column(path, out):
    """Write a table as version 0.1 did; Spark would take its columns from what it noted beside them."""
    pq.write_table(pq.read_table(path).drop(["genuine"]).replace_schema_metadata(None), out)
    return out


def test_a_population_knows_which_topics_were_visited(backend, tmp_path):
    """On both engines, all users and merged; a table of version 0.1 says the same."""
    rows, top = written_visits(), 3
    write_reduced(tmp_path, rows)
    path = tmp_path / f"{backend.name}.parquet"
    result = profile(backend, tmp_path, path, top=top, seed=2)
    counts = counts_by_set(rows, None)
    by_user = {
        row["user"]: reference.visited_of(counts[row["user"], 0], row["topics"])
        for row in pq.read_table(path).to_pylist()
    }
    expected = reference.filling(list(by_user.values()), top)
    assert 0 < expected[0] < 1
    assert (result.filled_users, result.filled_topics) == pytest.approx(expected[:2])
    old = without_the_column(path, tmp_path / "old.parquet")
    for file in (path, old):
        for merged in (False, True):
            people = Population.read(file, merged=merged)
            filled = people.filled
            assert (filled.filled_users, filled.filled_share) == pytest.approx(expected[:2])
            assert (
                filled.sets_without_visits, filled.distinct_visited, filled.unique_visited
            ) == expected[2:]  # fmt: skip
            whole = [user for user, topics in by_user.items() if len(topics) == top]
            assert people.genuine().n_users == filled.genuine_users == len(whole)
        people = Population.read(file, merged=False)
        assert sorted(people.genuine().users) == sorted(whole)
        for place, user in enumerate(people.users):
            codes = people.sets[0, place][people.filling.visited[0, place]]
            assert {people.topics[int(code)] for code in codes} == by_user[user]


def test_tables_of_version_0_1_are_read_with_the_column(backend, tmp_path):
    write_reduced(tmp_path, written_visits())
    profile(backend, tmp_path, tmp_path / "p.parquet", top=3, seed=2, epoch_days=7)
    old = without_the_column(tmp_path / "p.parquet", tmp_path / "old.parquet")
    table, stage = read_table(backend, old, ("profiles",))
    assert (stage, list(table.columns)) == ("profiles", list(COLUMNS["profiles"]))
    read = {(row["user"], row["epoch"]): row["genuine"] for row in fetch_rows(backend, table)}
    assert read == {key: row["genuine"] for key, row in profiles_of(tmp_path / "p.parquet").items()}
    assert describe(backend, [old]).distinct_sets == describe(backend, [tmp_path / "p.parquet"]).distinct_sets


@pytest.mark.full
def test_both_engines_write_the_same_column(duckdb, spark, tmp_path):
    write_reduced(tmp_path, written_visits())
    for con in (duckdb, spark):
        profile(con, tmp_path, tmp_path / f"{con.name}.parquet", top=4, seed=2, epoch_days=7)
    one, other = (tmp_path / f"{con.name}.parquet" for con in (duckdb, spark))
    assert table_digest(one) == table_digest(other)
    assert {row["genuine"] for row in profiles_of(one).values()} == {0, 1, 2, 3}


def test_a_user_without_any_visit_in_an_epoch_is_filled_by_the_reader_too(duckdb, tmp_path):
    rows = [(1, datetime(2006, 3, 1, 5), ["A", "B"]), (1, datetime(2006, 3, 9), ["A", "C"]),
            (2, datetime(2006, 3, 1, 6), ["B", "C"])]  # fmt: skip
    write_reduced(tmp_path, [(user, time, "a.com", topics) for user, time, topics in rows])
    profile(duckdb, tmp_path, tmp_path / "p.parquet", top=2, epoch_days=7, seed=1)
    table = pq.read_table(tmp_path / "p.parquet")
    gone = [row for row in table.to_pylist() if row["genuine"]]  # the set without visits is not written
    pq.write_table(pa.Table.from_pylist(gone, table.schema), tmp_path / "gap.parquet")
    for name in ("p", "gap"):
        people = Population.read(tmp_path / f"{name}.parquet", missing="fill")
        assert people.filling.genuine.tolist() == [[2, 2], [2, 0]]
        assert people.filled.sets_without_visits == 1
        assert list(people.genuine().users) == [1]
