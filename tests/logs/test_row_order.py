"""The order of rows gives no pseudonym back: every table and CSV is in the order of pseudonyms.

Each user visits two sites of their own, whose names tell in any table who is who.
"""

import csv
import random
import re
from contextlib import contextmanager

import ibis
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from logs import reference
from quiff.logs.classifications import Classification
from quiff.logs.classify import classify
from quiff.logs.experiment import experiment
from quiff.logs.profile import profile
from quiff.logs.published import write_published
from quiff.logs.tables import read_table
from quiff.logs.treat import treat
from quiff.logs.visits import with_sets

USERS = 120
ORDERS = {
    "by name": lambda row: row[:2],
    "by name, backwards": lambda row: (-row[0], row[1]),
    "by time": lambda row: row[1],
    "by site": lambda row: row[2],
    "at random": lambda row: random.Random(str(row)).random(),
}
TABLES = ("treated", "reduced", "experimental", "profiles", "weekly")
CSVS = ("treated", "reduced", "experimental", "profiled")


def write_log(path, order, seed):
    """Write a log whose users are named in the order of their numbers."""
    draw = random.Random(seed)
    rows = [
        (k, f"2006-03-{draw.randint(1, 28):02} {draw.randint(0, 23):02}:00:00", f"s{k}-{site}.com")
        for k in range(USERS)
        for site in "ab"
        for _ in range(draw.randint(1, 4))
    ]
    lines = [f"{1000 + k}\tq\t{time}\t1\thttp://{host}" for k, time, host in sorted(rows, key=ORDERS[order])]
    path.write_text("\n".join([reference.HEADER, *lines, ""]))
    return path


def run_all(con, folder, order, seed):
    """Write every table and every CSV of a log, and return their folder."""
    folder.mkdir(parents=True)
    log, out = write_log(folder / "log.txt", order, seed), folder / "out"
    domains = [f"s{k}-{site}.com" for k in range(USERS) for site in "ab"]
    listed = pa.table({"domain": domains, "topics": [[f"T{d[1:-6]}."] for d in domains]})
    treat(con, [log], out, seed=seed)
    classify(con, out / "treated.parquet", Classification("own", ibis.memtable(listed)), out)
    experiment(con, out / "reduced.parquet", out)
    profile(con, out / "experimental.parquet", out / "profiles.parquet", top=1, seed=1)
    profile(con, out / "reduced.parquet", out / "weekly.parquet", top=1, seed=1, epoch_days=30)
    for stage in CSVS[:3]:
        table, _ = read_table(con, out / f"{stage}.parquet", (stage,))
        write_published(con, table, stage, out / f"{stage}.csv")
    both = with_sets(con, out / "experimental.parquet", out / "profiles.parquet")
    write_published(con, both, "profiled", out / "profiled.csv")
    return out


def files_of(table):
    """The files of a table, those of a folder in the order of their names."""
    return sorted(table.glob("part-*")) if table.is_dir() else [table]


def rows_of(table):
    return [row for file in files_of(table) for row in pq.ParquetFile(file).read().to_pylist()]


def first_appearances(out, name):
    """The users, by the number in their old name, in the order in which a table first has them."""
    if name.endswith(".csv"):
        with (out / name).open(newline="") as file:
            texts = [row[1:] for row in list(csv.reader(file))[1:]]
    else:
        texts = [list(row.values()) for row in rows_of(out / name)]
    found = [int(re.search(r"s(\d+)-|T(\d+)[.]", str(row[1:]))[0].strip("sT.-")) for row in texts]
    return list(dict.fromkeys(found))


def correlation(order):
    """Spearman's, between the order of names and an order of first appearance."""
    n = len(order)
    return 1 - 6 * sum((place - name) ** 2 for place, name in enumerate(order)) / (n * (n * n - 1))


def share_of_permutations(order, times=2000):
    """The share of random permutations that are as much like the order of names."""
    draw, found = random.Random(1), abs(correlation(order))
    shuffled = list(range(len(order)))
    return sum(abs(correlation(draw.sample(shuffled, len(order)))) >= found for _ in range(times)) / times


@contextmanager
def many_files(con):
    """Let Spark write as many files as it has partitions, however small."""
    setting = "spark.sql.adaptive.coalescePartitions.enabled"
    if con.name == "duckdb":
        yield
        return
    con._session.conf.set(setting, "false")
    try:
        yield
    finally:
        con._session.conf.unset(setting)


@pytest.mark.parametrize("order", ORDERS)
def test_the_order_of_first_appearance_tells_nothing_of_names(duckdb, tmp_path, order):
    correlations = []
    for seed in range(3):
        out = run_all(duckdb, tmp_path / str(seed), order, seed)
        names = [f"{table}.parquet" for table in TABLES] + [f"{table}.csv" for table in CSVS]
        orders = {name: first_appearances(out, name) for name in names}
        assert all(sorted(found) == list(range(USERS)) for found in orders.values())
        assert len(set(map(tuple, orders.values()))) == 1, "all tables have their users in one order"
        assert share_of_permutations(orders["treated.parquet"]) > 0.01
        correlations.append(correlation(orders["treated.parquet"]))
    assert abs(sum(correlations)) / 3 < 3 / (3 * USERS) ** 0.5


@pytest.fixture(scope="module")
def written(backend, tmp_path_factory):
    """All tables of a log sorted by name, on each engine."""
    with many_files(backend):
        return run_all(backend, tmp_path_factory.mktemp("written") / "log", "by name", 1)


def test_the_order_of_first_appearance_tells_nothing_of_names_on_both_engines(backend, written):
    assert (len(files_of(written / "treated.parquet")) > 1) == (backend.name == "pyspark")
    for name in (*(f"{table}.parquet" for table in TABLES), *(f"{table}.csv" for table in CSVS)):
        found = first_appearances(written, name)
        assert sorted(found) == list(range(USERS))
        assert share_of_permutations(found) > 0.01, name


@pytest.mark.full
def test_the_order_of_first_appearance_tells_nothing_of_a_log_by_time_on_spark(spark, tmp_path):
    """Later stages know the table only, which is sorted whatever the log was."""
    with many_files(spark):
        treat(spark, [write_log(tmp_path / "log.txt", "by time", 1)], tmp_path / "out", seed=1)
    found = first_appearances(tmp_path / "out", "treated.parquet")
    assert sorted(found) == list(range(USERS))
    assert share_of_permutations(found) > 0.01


def test_every_table_is_sorted_by_pseudonym(written):
    keys = {"user": int, "epoch": int, "time": str, "domain": str}
    for name in (*TABLES, "domains", "matches"):
        rows = [
            tuple(kind(row[key]) for key, kind in keys.items() if key in row)
            for row in rows_of(written / f"{name}.parquet")
        ]
        assert rows == sorted(rows), name
        assert rows[0] != (), name
    for name in CSVS:
        with (written / f"{name}.csv").open(newline="") as file:
            rows = [(int(row[1]), row[2]) for row in list(csv.reader(file))[1:]]
        assert rows == sorted(rows), name
