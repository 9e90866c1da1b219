"""Treating a log: equal to the reference, nothing lost, pseudonyms that nobody can undo, all or nothing."""

import gzip
import signal
import subprocess
import sys
from datetime import datetime

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings

from history import reference, strategies
from quiff.errors import ParameterError, QuiffError
from quiff.history.read import LogFormat
from quiff.history.steps import Steps
from quiff.history.suffixes import Suffixes
from quiff.history.treat import treat

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


@settings(max_examples=40)
@given(strategies.logs)
def test_it_equals_the_reference(con, tmp_path_factory, lines):
    folder = tmp_path_factory.mktemp("log")
    log = write(folder / "log.txt", lines)
    result = treat(con, [log], folder / "out", seed=3, suffixes=SUFFIXES)
    expected, dropped = reference.treat(lines, 3)
    assert sorted(rows_of(folder / "out")) == sorted(expected)
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


def test_pseudonyms_are_new_each_time_and_unique(con, tmp_path):
    lines = [f"{user}\tq\t2006-03-01 00:00:{user % 60:02d}\t1\thttp://s{user}.com" for user in range(200)]
    log = write(tmp_path / "log.txt", lines)
    mappings = []
    for run in ("one", "two"):
        assert not treat(con, [log], tmp_path / run).seeded
        rows = rows_of(tmp_path / run)
        mapping = {domain: user for user, _, domain in rows}
        assert sorted(mapping.values()) == list(range(1, 201))
        mappings.append(mapping)
    assert mappings[0] != mappings[1]
    treat(con, [log], tmp_path / "seeded", seed=1)
    before = sorted(rows_of(tmp_path / "seeded"))
    assert treat(con, [log], tmp_path / "seeded", seed=1).seeded
    assert sorted(rows_of(tmp_path / "seeded")) == before


def test_no_output_holds_an_old_name(con, tmp_path):
    lines = [f"secret-{user}\tq\t2006-03-01 00:00:00\t1\thttp://a.com" for user in range(5)]
    treat(con, [write(tmp_path / "log.txt", lines)], tmp_path / "out")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "domains.parquet",
        "treated.parquet",
    ]
    assert not any(b"secret" in path.read_bytes() for path in (tmp_path / "out").iterdir())


def test_malformed_lines_are_shown_and_bounded(con, tmp_path):
    log = write(tmp_path / "log.txt", [LINES[0], "short", "", LINES[1], LINES[0] + "\tmore"])
    result = treat(con, [log], tmp_path / "out", max_bad_lines=2)
    assert result.dropped == {"malformed": 2}
    assert [(line.line, line.reason) for line in result.bad_lines] == [
        (3, "missing columns"),
        (6, "too many columns"),
    ]
    with pytest.raises(QuiffError, match=r"more than 1 lines are malformed, such as .*log.txt:3: missing"):
        treat(con, [log], tmp_path / "other", max_bad_lines=1)
    assert list((tmp_path / "other").iterdir()) == []


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
    with pytest.raises(QuiffError):
        treat(con, [log], tmp_path / "out", max_bad_lines=0)
    assert rows_of(tmp_path / "out") == before
    assert len(list((tmp_path / "out").iterdir())) == 2


def test_a_killed_run_leaves_no_table_and_running_again_works(con, tmp_path):
    log = write(tmp_path / "log.txt", LINES * 100)
    code = f"""
import os, signal
import quiff.history.tables as tables
from quiff.history import engine
from quiff.history.treat import treat
tables._take_place = lambda new, target: os.kill(os.getpid(), signal.SIGKILL)
treat(engine.connect(), [{str(log)!r}], {str(tmp_path / "out")!r})
"""
    killed = subprocess.run([sys.executable, "-c", code], check=False)
    assert killed.returncode == -signal.SIGKILL
    assert not [path for path in (tmp_path / "out").iterdir() if not path.name.startswith(".")]
    assert treat(con, [log], tmp_path / "out").rows == 200
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"treated.parquet", "domains.parquet"}


def test_steps_are_recorded_in_order(con, tmp_path):
    steps = Steps()
    treat(con, [write(tmp_path / "log.txt", LINES)], tmp_path / "out", steps=steps)
    assert steps.done[0].name == "read the lines of the log"
    assert [step.rows for step in steps.done][-2:] == [2, 2]
    assert all(step.seconds >= 0 for step in steps.done)


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
    assert rows_of(tmp_path / "out") == [(1, datetime(2024, 1, 1, 12), "x.com")]


def test_a_folder_that_cannot_be_written_is_told(con, tmp_path):
    log = write(tmp_path / "log.txt", LINES)
    (tmp_path / "file").write_text("")
    with pytest.raises(ParameterError, match=r"cannot write to .*file"):
        treat(con, [log], tmp_path / "file")
    assert {path.name for path in tmp_path.iterdir()} == {"log.txt", "file"}
