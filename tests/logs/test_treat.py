"""Treating a log: equal to the reference, nothing lost, pseudonyms that nobody can undo, all or nothing."""

import gzip
import os
import random
import signal
import subprocess
import sys
from datetime import datetime
from itertools import product

import ibis
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from logs import reference, strategies
from quiff.errors import ParameterError, QuiffError
from quiff.logs.read import LogFormat
from quiff.logs.suffixes import Suffixes
from quiff.logs.tables import Steps, workspace
from quiff.logs.treat import draw_numbers, draw_pseudonyms, treat
from words import refused

SUFFIXES = Suffixes.parse("\n".join(reference.SUFFIXES), extra=())
LINES = ["1\tq\t2006-03-01 07:17:12\t1\thttp://a.com", '2\t"q\t2006-03-02 07:17:12\t1\thttp://www.gov.uk/x']


@pytest.fixture(scope="module")
def con(duckdb):
    return duckdb


def write(path, lines, header=reference.HEADER):
    path.write_bytes("".join(f"{line}\n" for line in [header, *lines]).encode())
    return path


def rows_of(folder, name="treated.parquet"):
    return [tuple(row.values()) for row in pq.read_table(folder / name).to_pylist()]


@settings(max_examples=20)
@given(strategies.logs)
def test_it_equals_the_reference(con, tmp_path_factory, lines):
    folder = tmp_path_factory.mktemp("log")
    log = write(folder / "log.txt", lines)
    expected, dropped = reference.treat(lines)
    options = {"suffixes": SUFFIXES, "rules": "as-published", "min_kept": 0}
    if not expected:
        with pytest.raises(QuiffError, match="nothing is written"):
            treat(con, [log], folder / "out", **options)
        return
    result = treat(con, [log], folder / "out", **options)
    assert reference.histories(rows_of(folder / "out")) == reference.histories(expected)
    assert result.rows_read == len(lines) == result.rows + sum(result.dropped.values())
    named = {"malformed", "header", "no-url", "no-user", "bad-time"}
    assert {k: n for k, n in result.dropped.items() if k in named} == {
        k: n for k, n in dropped.items() if k in named
    }
    assert result.users == len({user for user, _, _ in expected})
    assert result.domains == len({domain for _, _, domain in expected})
    assert sorted(rows_of(folder / "out", "domains.parquet")) == sorted({(row[2],) for row in expected})


def test_several_files_packed_or_not(con, tmp_path):
    one = write(tmp_path / "one.txt", LINES)
    packed = tmp_path / "two.txt.gz"
    packed.write_bytes(gzip.compress(one.read_bytes()))
    result = treat(con, [one, packed], tmp_path / "out")
    assert (result.rows_read, result.rows, result.users, result.domains) == (4, 4, 2, 2)


def log_of_users(path, names):
    """Write a log in which the k-th user visits the site sk.com, and nobody else does."""
    return write(
        path, [f"{name}\tq\t2006-03-01 00:00:00\t1\thttp://s{k}.com" for k, name in enumerate(names)]
    )


def pseudonyms_in(folder):
    return {domain: user for user, _, domain in rows_of(folder)}


def test_pseudonyms_are_new_each_time_and_unique(con, tmp_path):
    log = log_of_users(tmp_path / "log.txt", range(200))
    drawn = []
    for run in ("one", "two"):
        assert not treat(con, [log], tmp_path / run).seeded
        drawn.append(pseudonyms_in(tmp_path / run))
        assert len(set(drawn[-1].values())) == len(drawn[-1]) == 200
    assert not set(drawn[0].values()) & set(drawn[1].values())
    treat(con, [log], tmp_path / "seeded", seed=1)
    before = pseudonyms_in(tmp_path / "seeded")
    assert treat(con, [log], tmp_path / "seeded", seed=1, force=True).seeded
    assert pseudonyms_in(tmp_path / "seeded") == before


def as_bytes(*numbers):
    """What the operating system would have to give for these numbers to be drawn."""
    return b"".join((number << 11).to_bytes(8, "little") for number in numbers)


def test_pseudonyms_come_from_the_operating_system(con, tmp_path, monkeypatch):
    log = log_of_users(tmp_path / "log.txt", ["b", "a", "\x19a"])
    asked = []

    def randbytes(self, size):
        asked.append(size)
        return as_bytes(7, 5) if size == 16 else os.urandom(size)  # 8 bytes are for names of scratch tables

    monkeypatch.setattr(random.SystemRandom, "randbytes", randbytes)
    random.seed(1)  # Python's own generator has no part in it
    treat(con, [log], tmp_path / "out")
    assert pseudonyms_in(tmp_path / "out") == {"s0.com": 5, "s1.com": 7, "s2.com": 7}
    assert asked.count(16) == 1


def test_a_number_drawn_twice_is_drawn_again(monkeypatch):
    given = iter([as_bytes(3, 3, 4), as_bytes(4), as_bytes(5)])
    monkeypatch.setattr(random.SystemRandom, "randbytes", lambda self, size: next(given))
    assert draw_numbers(3).tolist() == [3, 4, 5]


@given(st.lists(st.text("ab\x19\x7f", max_size=4), unique=True), st.none() | st.integers(0, 9))
def test_users_are_one_if_their_names_differ_in_control_characters_only(names, seed):
    drawn = draw_pseudonyms(pa.array(names, pa.string()), seed)
    numbers = drawn.numbers.to_pylist()
    given = {row["user"]: numbers[row["place"]] for row in drawn.places.to_pylist()}
    plain = {name: name.replace("\x19", "").replace("\x7f", "") for name in names}
    assert set(drawn.nameless) == {name for name in names if not plain[name]}
    assert set(given) == set(names) - set(drawn.nameless)
    for one, other in product(given, given):
        assert (given[one] == given[other]) == (plain[one] == plain[other])
    assert all(0 <= number < 2**53 for number in numbers)


def test_no_output_holds_an_old_name(con, tmp_path):
    lines = [f"secret-{user}\tq\t2006-03-01 00:00:00\t1\thttp://a.com" for user in range(5)]
    treat(con, [write(tmp_path / "log.txt", lines)], tmp_path / "out")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "domains.parquet",
        "treated.parquet",
    ]
    assert not any(b"secret" in path.read_bytes() for path in (tmp_path / "out").iterdir())


def test_duckdb_is_never_told_the_numbers(con, tmp_path, monkeypatch):
    """What it knows, it may put on disk: there must not be a table of who is who, nor one of the numbers."""
    log = log_of_users(tmp_path / "log.txt", [f"secret-{k}" for k in range(50)])
    known = []
    monkeypatch.setattr(con, "_register_in_memory_table", lambda op: known.append(op) or register(op))
    register = type(con)._register_in_memory_table.__get__(con)
    treat(con, [log], tmp_path / "out")
    values = {value for op in known for column in op.data.to_pyarrow(op.schema).columns for value in column}
    assert pa.scalar("secret-1") in values
    assert not values & {pa.scalar(number) for number in pseudonyms_in(tmp_path / "out").values()}


KILLED = """
import os, signal, sys
import quiff.io as files
from quiff.logs import engine
from quiff.logs.treat import treat
files._exchange = lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL)
engine_name, log, out = sys.argv[1:]
treat(engine.connect(engine_name, threads=1), [log], out)
"""


def run_killed(log, out, engine="duckdb"):
    """Run treat in another process, which dies when all is written but nothing has its name yet."""
    killed = subprocess.run([sys.executable, "-c", KILLED, engine, log, out], check=False)
    assert killed.returncode == -signal.SIGKILL
    assert not [path for path in out.iterdir() if not path.name.startswith(".")]


@pytest.mark.full
def test_a_run_killed_on_spark_leaves_no_table_of_who_is_who(spark, tmp_path):
    log = log_of_users(tmp_path / "log.txt", [f"secret-{k}" for k in range(50)])
    run_killed(log, tmp_path / "out", "spark")
    tables = {path.parent for path in (tmp_path / "out").rglob("*.parquet") if path.is_file()}
    forms = {frozenset(pq.read_table(table).column_names) for table in tables}
    assert {"user", "time", "url", "reason"} in forms  # old names are there
    (numbers,) = (pq.read_table(t)["user"] for t in tables if t.name == "treated.parquet")
    left = [
        value for t in tables if t.name != "treated.parquet" for c in pq.read_table(t).columns for value in c
    ]
    assert pa.scalar("secret-1") in left
    assert not set(left) & set(numbers)


def test_malformed_lines_are_shown_and_bounded(con, tmp_path):
    log = write(tmp_path / "log.txt", [LINES[0], "short", "", LINES[1], LINES[0] + "\tmore"])
    result = treat(con, [log], tmp_path / "out", max_bad_lines=2)
    assert result.dropped == {"malformed": 2}
    assert [(line.line, line.kind) for line in result.bad_lines] == [
        (3, "missing columns"),
        (6, "too many columns"),
    ]
    with refused(QuiffError, 1, 3):
        treat(con, [log], tmp_path / "other", max_bad_lines=1)
    assert not (tmp_path / "other").exists()


def test_bytes_that_are_no_utf8_make_a_line_malformed(con, tmp_path):
    log = tmp_path / "log.txt"
    bad = LINES[0].replace("a.com", "é.com").encode("latin-1")
    log.write_bytes(b"\n".join([reference.HEADER.encode(), LINES[0].encode(), bad, b""]))
    result = treat(con, [log], tmp_path / "out")
    assert result.dropped == {"malformed": 1}
    assert result.bad_lines[0].line == 3


def test_a_failure_keeps_the_old_table(con, tmp_path):
    log = write(tmp_path / "log.txt", LINES)
    treat(con, [log], tmp_path / "out", seed=1)
    before = rows_of(tmp_path / "out")
    write(log, ["short"] * 5)
    with refused(QuiffError):
        treat(con, [log], tmp_path / "out", max_bad_lines=0, force=True)
    assert rows_of(tmp_path / "out") == before
    assert len(list((tmp_path / "out").iterdir())) == 2


def test_a_killed_run_leaves_no_table_and_running_again_works(con, tmp_path):
    log = write(tmp_path / "log.txt", LINES * 100)
    run_killed(log, tmp_path / "out")
    assert treat(con, [log], tmp_path / "out").rows == 200
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"treated.parquet", "domains.parquet"}


def test_steps_are_recorded_in_order(con, tmp_path):
    steps = Steps()
    treat(con, [write(tmp_path / "log.txt", LINES)], tmp_path / "out", steps=steps)
    assert [step.name for step in steps.done[:2]] == ["count the lines of the log", "read the log"]
    assert [step.rows for step in steps.done][-2:] == [2, 2]
    assert all(step.seconds >= 0 for step in steps.done)


def test_one_domain_in_capitals_or_not(backend, tmp_path):
    hosts = ["Example.COM", "www.example.com", "EXAMPLE.com"]
    lines = [f"1\tq\t2006-03-01 00:00:0{k}\t1\thttp://{host}/x" for k, host in enumerate(hosts)]
    log = write(tmp_path / "log.txt", lines)
    assert treat(backend, [log], tmp_path / "out").domains == 1
    assert {domain for _, _, domain in rows_of(tmp_path / "out")} == {"example.com"}
    treat(backend, [log], tmp_path / "published", rules="as-published")
    written = {domain for _, _, domain in rows_of(tmp_path / "published")}
    assert written == {"Example.COM", "example.com", "EXAMPLE.com"}
    with refused(ParameterError):
        treat(backend, [log], tmp_path / "out", rules="other")


@pytest.mark.parametrize(
    ("unit", "expected"),
    [
        ("day", [datetime(1969, 12, 31), datetime(2006, 3, 1), datetime(2006, 3, 1)]),
        ("hour", [datetime(1969, 12, 31, 23), datetime(2006, 3, 1, 7), datetime(2006, 3, 1, 23)]),
    ],
)
def test_times_can_be_cut(backend, tmp_path, unit, expected):
    times = ["2006-03-01 07:17:12", "2006-03-01 23:59:59.999999", "1969-12-31 23:59:59"]
    log = write(tmp_path / "log.txt", [f"1\tq\t{time}\t1\thttp://a.com" for time in times])
    treat(backend, [log], tmp_path / "out", coarse_times=unit)
    assert [row[1].replace(tzinfo=None) for row in rows_of(tmp_path / "out")] == expected
    with refused(ParameterError):
        treat(backend, [log], tmp_path / "out", coarse_times="week")


def test_any_table_with_named_columns(con, tmp_path):
    rows = {
        "who": ["a", "b"],
        "when": [datetime(2024, 1, 1, 12), datetime(2024, 1, 2)],
        "where": ["x.com", ""],
    }
    pq.write_table(pa.table(rows), tmp_path / "log.parquet")
    form = LogFormat(user="who", time="when", url="where")
    result = treat(con, [tmp_path / "log.parquet"], tmp_path / "out", form=form)
    assert (result.rows_read, result.rows, result.dropped) == (2, 1, {"no-url": 1})
    assert [row[1:] for row in rows_of(tmp_path / "out")] == [(datetime(2024, 1, 1, 12), "x.com")]


def test_what_goes_wrong_while_writing_is_told_in_one_line(con, tmp_path):
    given = ibis.memtable(pa.table({"user": range(10), "text": [*"123456789", "x"]}))
    wrong = given.select("user", text=given.text.cast("int64"))
    for numbers in (None, {"user": pa.array(range(10))}):
        with (
            refused(QuiffError) as caught,
            workspace(con, tmp_path) as work,
        ):
            work.output("table.parquet", "write", wrong, numbers)
        assert "\n" not in str(caught.value)
        assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_written_is_told(con, tmp_path):
    log = write(tmp_path / "log.txt", LINES)
    (tmp_path / "file").write_text("")
    with refused(ParameterError):
        treat(con, [log], tmp_path / "file")
    assert {path.name for path in tmp_path.iterdir()} == {"log.txt", "file"}
