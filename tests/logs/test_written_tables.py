"""Tables on the disk: Spark's are folders with a marker, which both engines replace and read."""

import json
import stat

import pyarrow.parquet as pq
import pytest

from quiff.errors import ParameterError
from quiff.io import MARKER
from quiff.logs.engine import on_cluster
from quiff.logs.experiment import experiment
from quiff.logs.tables import table_digest
from quiff.logs.treat import treat
from words import refused

LOG = "AnonID\tQuery\tQueryTime\tItemRank\tClickURL\n" + "".join(
    f"{user}\tq\t2006-03-0{day} 10:00:00\t1\thttp://s{(user + day) % 5}.com\n"
    for user in range(1, 7)
    for day in range(1, 4)
)


@pytest.fixture
def log(tmp_path):
    (tmp_path / "log.txt").write_text(LOG)
    return tmp_path / "log.txt"


def rights(path):
    return stat.S_IMODE(path.stat().st_mode)


def test_tables_are_readable_by_their_owner_only(backend, log, tmp_path):
    treat(backend, [log], tmp_path / "out", seed=1)
    places = [tmp_path / "out", *(tmp_path / "out").rglob("*")]
    assert {rights(place) for place in places if place.is_dir()} == {0o700}
    assert {rights(place) for place in places if place.is_file()} == {0o600}


def test_what_an_engine_wrote_is_replaced_by_force_only(backend, log, tmp_path):
    out = tmp_path / "out"
    treat(backend, [log], out, seed=1)
    digest = table_digest(out / "treated.parquet")
    if (out / "treated.parquet").is_dir():
        held = {path.name for path in (out / "treated.parquet").iterdir()}
        assert held == {MARKER, *json.loads((out / "treated.parquet" / MARKER).read_text())["wrote"]}
    with refused(ParameterError):
        treat(backend, [log], out, seed=1)
    treat(backend, [log], out, seed=1, force=True)
    assert table_digest(out / "treated.parquet") == digest
    assert {path.name for path in out.iterdir()} == {"treated.parquet", "domains.parquet"}


@pytest.mark.full
def test_each_engine_replaces_and_reads_the_tables_of_the_other(duckdb, spark, log, tmp_path):
    out = tmp_path / "out"
    digests = set()
    for con in (spark, duckdb, spark):
        treat(con, [log], out, seed=1, force=True)
        digests.add(table_digest(out / "treated.parquet"))
        for reader in (spark, duckdb):
            assert experiment(reader, out, tmp_path / "e", force=True).rows == 18
    assert len(digests) == 1
    assert (out / "treated.parquet" / MARKER).is_file()


@pytest.mark.full
def test_a_spark_table_with_something_else_in_it_is_left_alone(duckdb, spark, log, tmp_path):
    out = tmp_path / "out"
    treat(spark, [log], out, seed=1)
    (out / "treated.parquet" / "thesis.txt").write_text("years of work")
    for con in (spark, duckdb):
        with refused(ParameterError):
            treat(con, [log], out, seed=1, force=True)
    assert (out / "treated.parquet" / "thesis.txt").read_text() == "years of work"
    assert pq.read_table(out / "domains.parquet").num_rows == 5


def test_a_folder_at_the_place_of_a_table_is_left_alone(backend, log, tmp_path):
    (tmp_path / "out" / "treated.parquet").mkdir(parents=True)
    (tmp_path / "out" / "treated.parquet" / "thesis.txt").write_text("years of work")
    with refused(ParameterError):
        treat(backend, [log], tmp_path / "out", force=True)
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["treated.parquet"]


def test_on_this_machine_there_is_no_cluster(backend):
    assert not on_cluster(backend)


class Context:
    master = "spark://host:7077"


class Cluster:
    """As much of an Ibis backend as tells where it runs."""

    name = "pyspark"
    _session = type("Session", (), {"sparkContext": Context})


def test_a_cluster_is_known_by_its_master():
    assert on_cluster(Cluster)
