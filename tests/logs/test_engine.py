"""The engines start as they are told and leave nothing behind."""

import gc
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from conftest import missing
from quiff.errors import ParameterError
from quiff.logs.engine import ENGINES, connect
from words import refused


def setting(con, name):
    return con.raw_sql(f"SELECT current_setting('{name}')").fetchone()[0]


def test_the_engines():
    assert ENGINES == ("duckdb", "spark")


def test_duckdb_takes_its_settings():
    con = connect(memory_limit="100MiB", threads=1)
    assert setting(con, "memory_limit") == "100.0 MiB"
    assert setting(con, "threads") == 1
    assert setting(con, "TimeZone") == "UTC"
    assert setting(con, "autoinstall_known_extensions") is False


def test_duckdb_spills_to_a_folder_that_goes_with_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    con = connect(memory_limit="60MB", threads=1)
    folder = Path(setting(con, "temp_directory"))
    con.raw_sql("CREATE TEMP TABLE big AS SELECT range AS n, md5(range::VARCHAR) AS text FROM range(2000000)")
    assert con.raw_sql("SELECT count(*), sum(n) FROM big").fetchone() == (2_000_000, 1_999_999_000_000)
    assert list(folder.iterdir())  # it did not fit
    con.disconnect()
    del con
    gc.collect()
    assert not folder.exists()
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("settings", "numbers"),
    [
        ({"engine": "sqlite"}, ()),
        ({"threads": 0}, (0, 1)),
        ({"memory_limit": "much"}, ()),
        ({"memory_limit": "0GB"}, ()),
        ({"memory_limit": "-1GB"}, ()),
        ({"master": "local"}, ()),
    ],
)
def test_wrong_settings_are_told(settings, numbers):
    with refused(ParameterError, *numbers):
        connect(**settings)


def test_without_pyspark_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyspark.sql", None)
    with refused(ParameterError):
        connect("spark")


@pytest.fixture
def running(monkeypatch):
    """Pretend that a Spark session with some settings is there already."""
    try:
        from pyspark import sql
    except ImportError:
        missing("install pyspark for the tests of the engine spark")

    def run(**settings):
        conf = {"spark.sql.session.timeZone": "UTC", "spark.io.encryption.enabled": "true", **settings}
        context = SimpleNamespace(master="local[2]", getConf=lambda: conf)
        session = SimpleNamespace(conf=conf, sparkContext=context)
        monkeypatch.setattr(sql.SparkSession, "getActiveSession", lambda: session)
        monkeypatch.setattr("ibis.pyspark.connect", lambda session: session)
        return session

    return run


def test_a_spark_session_of_somebody_else_is_taken_if_it_keeps_secrets_and_time(running):
    session = running()
    assert connect("spark") is session
    session = running(**{"spark.io.encryption.enabled": "false"})
    with pytest.warns(
        UserWarning, match=r"does not encrypt .*; start it with spark\.io\.encryption\.enabled"
    ):
        assert connect("spark") is session
    running(**{"spark.sql.session.timeZone": "America/Sao_Paulo"})
    with refused(ParameterError):
        connect("spark")


@pytest.mark.full
def test_spark_stays_on_this_machine(spark):
    settings = spark._session.sparkContext.getConf()
    assert settings.get("spark.driver.host") == settings.get("spark.driver.bindAddress") == "127.0.0.1"
    assert settings.get("spark.ui.enabled") == "false"
    assert spark._session.conf.get("spark.sql.session.timeZone") == "UTC"
    assert spark._session.sparkContext.master == "local[2]"


@pytest.mark.full
def test_there_is_one_spark_session(spark):
    assert connect("spark")._session is spark._session
    with refused(ParameterError):
        connect("spark", master="spark://127.0.0.1:7077")


def test_duckdb_draws_no_bar_among_the_results():
    con = connect()
    assert con.con.execute("SELECT current_setting('enable_progress_bar')").fetchone() == (False,)
    con.disconnect()
