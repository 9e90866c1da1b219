"""DuckDB and Spark run one definition: every table of the pipeline has the same digest on both."""

import pytest

from logs import reference
from quiff.logs.classifications import read_classification
from quiff.logs.classify import classify
from quiff.logs.experiment import experiment
from quiff.logs.profile import profile
from quiff.logs.read import LogFormat
from quiff.logs.stats import describe
from quiff.logs.synth import SyntheticLog, write_log
from quiff.logs.tables import table_digest
from quiff.logs.treat import treat

pytestmark = [
    pytest.mark.full,
    # PySpark leaves the sockets by which it hands over results to the garbage collector.
    pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning"),
]


@pytest.fixture(scope="module")
def engines(duckdb, spark):
    return {"duckdb": duckdb, "spark": spark}


def both(engines, run):
    """Run something on each engine and return the two results."""
    return run(engines["duckdb"], "duckdb"), run(engines["spark"], "spark")


@pytest.fixture(scope="module")
def treated(engines, tmp_path_factory):
    folder = tmp_path_factory.mktemp("pipeline")
    log = write_log(SyntheticLog(users=150, seed=5), folder / "log")
    odd = folder / "odd.txt"
    lines = [
        "\x191\tq\t2006-03-01 07:17:12\t1\thttp://a.com", "\t\t2006-03-01 07:17:12\t1\thttp://a.com",
        '7\t"q\t2006-02-30 07:17:12\t1\thttp://a.com', "short", "", reference.HEADER,
        "8\tq\t2006-03-01T07:17:12.5\t1\thttp://[b].com", "9\tq\t2006-03-01 07:17:12\t1\thttp://a.com\tmore",
    ]  # fmt: skip
    bad = b"10\tq\xe9\t2006-03-01 07:17:12\t1\thttp://a.com\n"
    odd.write_bytes("\n".join([reference.HEADER, *lines, ""]).encode() + bad)
    results = both(
        engines,
        lambda con, name: treat(con, [*log.files, odd], folder / name, conversions=log.conversions, seed=1),
    )
    return folder, log, results


def test_treat(treated):
    folder, _, (duck, spark) = treated
    assert duck == spark
    assert duck.dropped["malformed"] == 3
    assert {"header", "no-user", "bad-time", "no-url"} <= set(duck.dropped)
    for table in ("treated.parquet", "domains.parquet", "conversions.parquet"):
        assert table_digest(folder / "duckdb" / table) == table_digest(folder / "spark" / table)


def test_classify_experiment_profile_and_stats(engines, treated):
    folder, log, _ = treated

    def run(con, name):
        listed = read_classification(log.classification)
        out, events = folder / name / "correct", folder / name / "conversions.parquet"
        results = [
            classify(con, folder / name / "treated.parquet", listed, out),
            experiment(con, out / "reduced.parquet", out),
            profile(
                con,
                out / "experimental.parquet",
                out / "profiles.parquet",
                conversions=events,
                seed=1,
                repeat=2,
            ),
            profile(con, out / "reduced.parquet", out / "weekly.parquet", epoch_days=7, seed=1, top=9),
        ]
        tables = ("reduced", "matches", "experimental", "profiles", "weekly")
        described = [describe(con, [out / f"{table}.parquet"]) for table in tables if table != "matches"]
        return results, described, [table_digest(out / f"{table}.parquet") for table in tables]

    duck, spark = both(engines, run)
    assert duck == spark


def test_classify_as_published(engines, treated):
    folder, log, _ = treated

    def run(con, name):
        listed = read_classification(log.classification)
        out = folder / name / "as-published"
        result = classify(con, folder / name / "treated.parquet", listed, out, matching="as-published")
        return result, [table_digest(out / f"{table}.parquet") for table in ("reduced", "matches")]

    duck, spark = both(engines, run)
    assert duck == spark


def test_a_table_of_one_engine_is_read_by_the_other(engines, treated):
    folder, _, _ = treated
    duck = experiment(engines["duckdb"], folder / "spark", folder / "crossed-1")
    spark = experiment(engines["spark"], folder / "duckdb", folder / "crossed-2")
    assert duck == spark
    again = experiment(engines["spark"], folder / "duckdb", folder / "crossed-2", force=True)  # in its place
    assert again == spark
    digests = [table_digest(folder / name / "experimental.parquet") for name in ("crossed-1", "crossed-2")]
    assert digests[0] == digests[1]


def test_quoted_commas_and_statistics_of_logs(engines, treated):
    folder, log, _ = treated
    text = folder / "log.csv"
    text.write_text(
        'who,"what, exactly",when,where\n1,"a ""b"", c",2006-03-01 00:00:00,http://a.com\n'
        '2,x,2006-03-02 00:00:00\n3,"two\nlines",2006-03-02 00:00:00,b.org\n4,x,2006-03-02 00:00:00,\n'
    )
    form = LogFormat(user="who", time="when", url="where")
    duck, spark = both(
        engines, lambda con, name: treat(con, [text], folder / name / "csv", form=form, seed=1)
    )
    assert (duck.rows_read, duck.rows, duck.dropped) == (4, 2, {"malformed": 1, "no-url": 1})
    assert (duck.rows_read, duck.rows, duck.dropped) == (spark.rows_read, spark.rows, spark.dropped)
    described = both(engines, lambda con, name: describe(con, log.files))
    assert described[0] == described[1]
