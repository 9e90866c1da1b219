"""Tables without rows and dates far from the rest: refused at once, with what is wrong and what to do."""

from datetime import datetime, timedelta

import ibis
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from quiff.errors import ParameterError
from quiff.logs.classifications import Classification
from quiff.logs.classify import classify
from quiff.logs.experiment import experiment
from quiff.logs.profile import profile
from quiff.logs.tables import Steps
from quiff.logs.visits import epochs_of
from words import refused, worded

REDUCED = pa.schema([
    ("user", pa.int64()), ("time", pa.timestamp("us")), ("domain", pa.string()),
    ("topics", pa.list_(pa.string())),
])  # fmt: skip
FIRST = datetime(2006, 3, 1, 12)


def write(path, times, users=4):
    rows = [(k % users, time, "a.com", [f"T{k % 7}"]) for k, time in enumerate(times)]
    columns = list(zip(*rows, strict=True)) or [[], [], [], []]
    pq.write_table(pa.table([*map(list, columns)], schema=REDUCED), path)
    return path


def daily(days):
    return [FIRST + timedelta(days=day) for day in range(days)]


@pytest.mark.parametrize(
    "far",
    [
        datetime(1970, 1, 1),
        datetime(9999, 12, 30),
    ],
)
def test_a_date_far_from_the_rest_is_named_before_any_work(backend, tmp_path, far):
    table, steps = write(tmp_path / "reduced.parquet", [*daily(30), far]), Steps()
    options = {"epoch_days": 7, "top": 1, "seed": 1}
    with pytest.raises(ParameterError) as caught:
        profile(backend, table, tmp_path / "weekly.parquet", max_user_epochs=5000, steps=steps, **options)
    worded(str(caught.value))
    assert f"{far.date()}" in str(caught.value)
    assert "--max-user-epochs" in str(caught.value)
    assert steps.done == []
    assert not (tmp_path / "weekly.parquet").exists()


def test_as_many_sets_as_are_allowed_are_written(duckdb, tmp_path):
    near = write(tmp_path / "near.parquet", daily(30))
    options = {"epoch_days": 7, "top": 1, "seed": 1}
    assert profile(duckdb, near, tmp_path / "w.parquet", max_user_epochs=20, **options).epochs == 5
    with refused(ParameterError, 20, 19, 2006):
        profile(duckdb, near, tmp_path / "v.parquet", max_user_epochs=19, **options)


def test_a_date_of_the_year_9999_is_refused_without_any_option(duckdb, tmp_path):
    table = write(tmp_path / "reduced.parquet", [*daily(60), datetime(9999, 12, 30)])
    with refused(ParameterError, 417099, 1668396, 200000):
        profile(duckdb, table, tmp_path / "weekly.parquet", epoch_days=7)


def test_many_epochs_with_visits_in_most_of_them_are_no_mistake(duckdb, tmp_path):
    visits = ibis.memtable(pa.table({"user": range(600), "time": daily(600)}))
    epochs_of(duckdb, visits, 1)  # 360 000, and nothing is said
    with refused(ParameterError, 600, 1, 360000):
        epochs_of(duckdb, visits, 1, 359_999)


def test_tables_without_rows_are_refused(backend, tmp_path):
    reduced, treated = write(tmp_path / "reduced.parquet", []), tmp_path / "treated.parquet"
    pq.write_table(pq.read_table(reduced).drop_columns("topics"), treated)
    for run in (
        lambda: classify(backend, treated, Classification("none", None), tmp_path / "out"),
        lambda: experiment(backend, treated, tmp_path / "out"),
        lambda: experiment(backend, reduced, tmp_path / "out"),
        lambda: profile(backend, reduced, tmp_path / "profiles.parquet"),
    ):
        with refused(ParameterError):
            run()
    assert {path.name for path in tmp_path.iterdir()} == {"reduced.parquet", "treated.parquet"}
