"""The Experimental table equals the reference: histories in order, singletons and outliers gone."""

from datetime import datetime

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from logs import reference, strategies
from quiff.errors import ParameterError
from quiff.logs.experiment import experiment
from words import refused

FIELDS = [("user", pa.int64()), ("time", pa.timestamp("us")), ("domain", pa.string())]
TOPICS_OF = {domain: [f"T{k % 4}", f"U{k % 3}"] for k, domain in enumerate(strategies.DOMAINS)}


@pytest.fixture(scope="module")
def con(duckdb):
    return duckdb


def write_visits(folder, visits, stage):
    folder.mkdir(parents=True, exist_ok=True)
    rows = [(user, datetime.fromisoformat(time), domain) for user, time, domain in visits]
    columns = [list(column) for column in zip(*rows, strict=True)]
    if stage == "reduced":
        columns.append([TOPICS_OF[domain] for _, _, domain in rows])
        rows = [(*row, TOPICS_OF[row[2]]) for row in rows]
    schema = pa.schema([*FIELDS, ("topics", pa.list_(pa.string()))][: len(columns)])
    pq.write_table(pa.table(columns, schema=schema), folder / f"{stage}.parquet")
    return rows


@pytest.mark.parametrize("stage", ["treated", "reduced"])
@settings(max_examples=30)
@given(visits=strategies.visits, most=st.integers(2, 6))
def test_it_equals_the_reference(con, tmp_path_factory, stage, visits, most):
    folder = tmp_path_factory.mktemp("visits")
    rows = write_visits(folder, visits, stage)
    result = experiment(con, folder, folder / "out", max_visits=most)
    histories, dropped = reference.experiment(rows, most)
    written = pq.read_table(folder / "out" / "experimental.parquet").to_pylist()
    found = {row["user"]: row["history"] for row in written}
    assert set(found) == set(histories)
    for user, history in histories.items():
        topics = [visit[2] if stage == "reduced" else [] for visit in history]
        assert [(v["time"], v["domain"], v["topics"]) for v in found[user]] == [
            (visit[0], visit[1], named) for visit, named in zip(history, topics, strict=True)
        ]
    for row in written:
        assert row["all_topics"] == sorted({t for visit in row["history"] for t in visit["topics"]})
    assert result.users == len(histories)
    assert result.rows == sum(map(len, histories.values())) == len(rows) - sum(result.dropped_rows.values())
    assert result.domains == len({visit[1] for history in histories.values() for visit in history})
    assert result.dropped_users == {"singleton": dropped["singleton"], "outlier": dropped["outlier"]}


def test_a_folder_with_two_tables_asks_for_one(con, tmp_path):
    visits = [(1, "2006-03-01 00:00:00", "a.com"), (1, "2006-03-01 00:00:01", "b.org")]
    write_visits(tmp_path, visits, "treated")
    write_visits(tmp_path, visits, "reduced")
    with refused(ParameterError):
        experiment(con, tmp_path, tmp_path / "out")
    assert experiment(con, tmp_path / "reduced.parquet", tmp_path / "out").users == 1


def test_a_wrong_table_is_told(con, tmp_path):
    pq.write_table(pa.table({"a": [1]}), tmp_path / "a.parquet")
    with refused(ParameterError):
        experiment(con, tmp_path / "a.parquet", tmp_path)
    (tmp_path / "text.parquet").write_text("no Parquet")
    with refused(ParameterError) as caught:
        experiment(con, tmp_path / "text.parquet", tmp_path)
    assert "\n" not in str(caught.value)
