"""Nothing of a log is lost or let in: damage, odd bytes, pipes, names of files, and the sum of all rows."""

import ast
import gzip
import json
import os
import threading
import zipfile
from collections import Counter
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

import quiff
import quiff.logs.read as reading
import quiff.logs.treat as treating
from logs.reference import HEADER
from quiff.cli import main
from quiff.errors import ParameterError, QuiffError
from quiff.io import whole_file
from quiff.io.blocks import blocks, find_source
from quiff.io.text import Text
from quiff.logs.read import LogFormat
from quiff.logs.scan import scan_parquet
from quiff.logs.stats import describe
from quiff.logs.tables import read_table, table_digest
from quiff.logs.treat import treat
from words import refused, worded

COMMAS = HEADER.replace("\t", ",")


def row(user, sep="\t"):
    return sep.join([f"u{user}", "q", "2006-03-01 07:17:12", "1", "http://a.com"])


def text(*lines, header=HEADER):
    return "".join(f"{line}\n" for line in [header, *lines]).encode()


def write(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def expect_refused(con, folder, paths, told, kind=ParameterError, **options):
    with pytest.raises(kind, match=told) as caught:
        treat(con, paths, folder / "out", **options)
    assert "\n" not in str(caught.value)
    assert not list((folder / "out").glob("*"))
    return str(caught.value)


# Damage.

WHOLE = text(*(row(k) for k in range(20_000)))
PACKED = gzip.compress(WHOLE, mtime=0)


@pytest.mark.parametrize(
    "damaged",
    [
        PACKED[: len(PACKED) * 6 // 10],
        PACKED[:-1],
        PACKED[:-8] + bytes([PACKED[-8] ^ 1]) + PACKED[-7:],  # the checksum
        PACKED[:-1] + bytes([PACKED[-1] ^ 1]),  # the length
        PACKED + PACKED[: len(PACKED) // 2],  # another member, cut short
        PACKED + b"\x1f",
        PACKED + b"garbage",
    ],
)
def test_a_damaged_gzip_is_never_taken_for_a_whole_one(duckdb, tmp_path, damaged):
    log = write(tmp_path / "log.txt.gz", damaged)
    told = r"log.txt.gz' to its end: .*; its first [1-9][0-9]* bytes \([1-9][0-9]* lines\) are readable"
    expect_refused(duckdb, tmp_path, [log], told)
    with pytest.raises(ParameterError, match=told):
        describe(duckdb, [log])


def test_a_damaged_published_table_is_refused(duckdb, tmp_path):
    lines = "".join(f"{k},{k},2006-03-01 07:17:12,a{k}.com\n" for k in range(5000))
    whole = gzip.compress(f",RandID,QueryTime,Domain\n{lines}".encode())
    table, stage = read_table(duckdb, write(tmp_path / "a.csv.gz", whole), ("treated",))
    assert (stage, table.count().execute()) == ("treated", 5000)
    with refused(ParameterError):
        read_table(duckdb, write(tmp_path / "b.csv.gz", whole[: len(whole) // 2]), ("treated",))


@pytest.mark.parametrize("change", ["longer", "shorter", "replaced", "gone"])
def test_a_log_that_changes_while_it_is_read_is_noticed(duckdb, tmp_path, monkeypatch, change):
    log = write(tmp_path / "log.txt", WHOLE)

    def judged(*found):
        if change == "longer":
            with log.open("ab") as file:
                file.write(row("new").encode())
        elif change == "shorter":
            os.truncate(log, len(WHOLE) - 1000)
        elif change == "replaced":
            write(tmp_path / "new.txt", WHOLE).replace(log)
        else:
            log.unlink()
        return original(*found)

    original = treating.judged
    monkeypatch.setattr(treating, "judged", judged)
    with refused(QuiffError):
        treat(duckdb, [log], tmp_path / "out")
    assert not list((tmp_path / "out").glob("*"))


# Malformed lines.


@pytest.mark.parametrize("packed", [True, False])
def test_a_log_that_goes_while_it_is_read_is_not_told_as_an_output(tmp_path, packed):
    log = tmp_path / ("log.txt.gz" if packed else "log.txt")
    log.write_bytes(gzip.compress(text(row("u"))) if packed else text(row("u")))
    source = find_source(log)
    log.unlink()
    with (
        refused(ParameterError),
        whole_file(tmp_path / "out.txt"),
    ):
        next(blocks(source))


def test_malformed_lines_are_all_counted(duckdb, tmp_path):
    log = write(tmp_path / "log.txt", text(row(1), *["\t".join("abcdefghijk")] * 60_000, row(2)))
    result = treat(duckdb, [log], tmp_path / "allowed", max_bad_lines=60_000)
    assert (result.rows_read, result.rows, result.dropped) == (60_002, 2, {"malformed": 60_000})
    expect_refused(duckdb, tmp_path, [log], "more than 1000 lines .*log.txt:3: too many columns", QuiffError)
    assert describe(duckdb, [log]).malformed == 60_000


def test_a_line_may_end_in_more_tabs_but_not_in_more_fields(duckdb, tmp_path):
    log = write(tmp_path / "log.txt", text(row(1), row(2) + "\t", "short", row(3), row(4) + "\t\tx"))
    result = treat(duckdb, [log], tmp_path / "out")
    assert (result.rows, result.dropped) == (3, {"malformed": 2})
    assert [(bad.line, bad.kind) for bad in result.bad_lines] == [
        (4, "missing columns"), (6, "too many columns"),
    ]  # fmt: skip


@pytest.mark.parametrize("size", [1 << 20, 3 << 20, 40_000_000])
@pytest.mark.parametrize("packed", [False, True])
def test_long_lines_are_counted(duckdb, tmp_path, size, packed):
    content = text(row(1), row(2).replace("q", "x" * size), row(3))
    log = write(tmp_path / "log.txt", gzip.compress(content, 1) if packed else content)
    result = treat(duckdb, [log], tmp_path / "out")
    assert (result.rows_read, result.rows, result.dropped) == (3, 2, {"malformed": 1})
    message = str(result.bad_lines[0])
    worded(message, 3)
    assert f"{log}" in message


def test_a_quote_that_is_not_closed_is_refused_with_its_line(backend, tmp_path):
    rows = [row(k, ",") for k in range(30_000)]
    rows[10_000] = rows[10_000].replace("q", '"q')
    log = write(tmp_path / "log.csv", text(*rows, header=COMMAS))
    told = "log.csv', line 10002: a quote that opens here does not close .*; close it, .* by --not-quoted"
    expect_refused(backend, tmp_path, [log], told)
    result = treat(backend, [log], tmp_path / "out", form=LogFormat(quoted=False))
    assert (result.rows_read, result.rows, result.dropped) == (30_000, 30_000, {})


def test_fields_in_quotes_may_go_over_lines(duckdb, tmp_path):
    rows = [row(1, ","), row(2, ",").replace("q", '"two\n\nlines, ""quoted"""'), row(3, ",")]
    result = treat(duckdb, [write(tmp_path / "log.csv", text(*rows, header=COMMAS))], tmp_path / "out")
    assert (result.rows_read, result.rows, result.dropped) == (3, 3, {})


def test_ends_of_lines_of_several_kinds_are_refused(backend, tmp_path):
    content = f"{HEADER}\n{row(1)}\n{row(2)}\r\n{row(3)}\n".encode()
    told = "log.txt', line 3: line ends are mixed; .* by dos2unix"
    expect_refused(backend, tmp_path, [write(tmp_path / "log.txt", content)], told)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_may_end_in_either_way(backend, tmp_path, end):
    content = end.join([HEADER, row(1), "", row(2), "", "", row(3)]).encode()
    result = treat(backend, [write(tmp_path / "log.txt", content)], tmp_path / "out")
    assert (result.rows_read, result.users, result.dropped) == (3, 3, {})


def test_nul_is_refused(backend, tmp_path):
    log = write(tmp_path / "log.txt", text(row(1), row("").replace("u", "\0"), row(2)))
    expect_refused(backend, tmp_path, [log], r"log.txt', line 3: it has a NUL byte; .* tr -d '\\000'")


def test_a_name_of_control_characters_is_no_name(backend, tmp_path):
    visits = {"AnonID": ["a", "\x01\x00", "b\x00"], "QueryTime": ["2006-03-01 07:17:12"] * 3}
    pq.write_table(pa.table(visits | {"ClickURL": ["http://a.com"] * 3}), tmp_path / "log.parquet")
    result = treat(backend, [tmp_path / "log.parquet"], tmp_path / "out")
    assert (result.rows, result.users, result.dropped) == (2, 2, {"no-user": 1})


def test_a_first_line_without_end_is_refused(duckdb, tmp_path):
    content = text(row(1) + "\t", header=HEADER + "\t" + "h" * 2_100_000)
    expect_refused(
        duckdb, tmp_path, [write(tmp_path / "log.txt", content)], "line 1 of .* is longer than 1048576 bytes"
    )


@pytest.mark.parametrize("packed", [False, True])
def test_a_pipe_is_read_from_its_first_line_to_its_last(duckdb, tmp_path, packed):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    feeder = threading.Thread(target=pipe.write_bytes, args=[PACKED if packed else WHOLE])
    feeder.start()
    result = treat(duckdb, [pipe], tmp_path / "out")
    feeder.join()
    assert (result.rows_read, result.rows, result.users) == (20_000, 20_000, 20_000)


# The sum of all rows.


@pytest.mark.parametrize("bad", [False, True])
def test_a_row_that_vanishes_stops_the_run(backend, tmp_path, monkeypatch, bad):
    one = write(tmp_path / "one.txt", text(row(1), row(2)))
    two = write(tmp_path / "two.txt", text(row(1), row(2) + '"', row(3) + "\tmore" * bad))
    counted = reading.Log.counted

    def without_one(log, rows):
        counted(log, rows)
        return replace(counted(log, rows), rows=6)

    monkeypatch.setattr(reading.Log, "counted", without_one)
    expect_refused(backend, tmp_path, [one, two], "the log has 6 rows, but 5 were read;", QuiffError)
    with refused(QuiffError):
        describe(backend, [one, two])


def test_a_row_that_duckdb_does_not_read_stops_the_run(duckdb, tmp_path, monkeypatch):
    log = write(tmp_path / "log.txt", text(*map(row, range(5))))
    query = Text.query.fget
    monkeypatch.setattr(Text, "query", property(lambda text: f"{query(text)} LIMIT 4"))
    expect_refused(duckdb, tmp_path, [log], "log.txt': of 5 lines 4 were read", ParameterError)


def test_parquet_is_checked_against_its_footers(duckdb, tmp_path, monkeypatch):
    log = parquet_log(tmp_path / "log.parquet")
    monkeypatch.setattr(reading, "scan_parquet", lambda con, path: scan_parquet(con, path).limit(49))
    expect_refused(duckdb, tmp_path, [log], "50 rows, but 49 were read", QuiffError, form=PARQUET)


# Names of files and folders.

PARQUET = LogFormat("user", "time", "url")


def parquet_log(path):
    path.parent.mkdir(parents=True, exist_ok=True)
    columns = {"user": [f"u{k}" for k in range(50)], "time": ["2006-03-01 07:17:12"] * 50}
    pq.write_table(pa.table({**columns, "url": ["http://a.com"] * 50}), path)
    return path


def test_names_of_folders_are_no_columns(backend, tmp_path):
    odd = tmp_path / "user=7" / "time=2007-01-01" / "AnonID=8"
    log = parquet_log(odd / "log.parquet")
    result = treat(backend, [log], odd / "one", form=PARQUET)
    assert (result.rows, result.users) == (50, 50)
    result = treat(backend, [write(odd / "log.txt", text(row(1), row(2)))], odd / "two")
    assert (result.rows, result.users) == (2, 2)
    assert describe(backend, [odd / "one"]).users == 50
    assert describe(backend, [log], PARQUET).users == 50
    plain = parquet_log(tmp_path / "log.parquet")
    assert table_digest(log) == table_digest(plain)


def test_names_of_files_are_no_patterns(backend, tmp_path):
    write(tmp_path / "log1.txt", text(row(1)))
    odd = ["log[1].txt", "log*.txt", "log?.txt", "log{1,2}.txt", "l\\og.txt", "_log.txt", "12:00 %20#.txt"]
    logs = [write(tmp_path / name, text(row(k), row(k))) for k, name in enumerate(odd)]
    result = treat(backend, logs, tmp_path / "out[1]*{a}")
    assert (result.rows, result.users) == (14, 7)
    assert describe(backend, [tmp_path / "out[1]*{a}"]).rows == 14
    log = parquet_log(tmp_path / "log[1]*{a}.parquet")
    assert describe(backend, [log], PARQUET).rows == 50


def test_one_file_counts_once(duckdb, tmp_path):
    log = write(tmp_path / "log.txt", text(row(1)))
    (tmp_path / "link.txt").symlink_to(log)
    (tmp_path / "hard.txt").hardlink_to(log)
    for other in (log, tmp_path / "." / "x" / ".." / "log.txt", tmp_path / "link.txt", tmp_path / "hard.txt"):
        (tmp_path / "x").mkdir(exist_ok=True)
        expect_refused(duckdb, tmp_path, [log, other], "is named twice")
        with refused(ParameterError):
            describe(duckdb, [log, other])


ENGINE_READERS = {"read_parquet", "read_csv", "read_json", "read_csv_auto", "parquet_scan", "from_parquet"}


def engine_reads(path):
    """Yield where a file of ours hands names to an engine: by its methods, or in a statement."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Attribute):
            pyarrow = isinstance(node.value, ast.Name) and node.value.id in ("csv", "pc", "pq")
            if (node.attr in ENGINE_READERS and not pyarrow) or ast.unparse(node).endswith("_session.read"):
                yield node.lineno
        elif isinstance(node, ast.Constant) and any(f"{name}(" in str(node.value) for name in ENGINE_READERS):
            yield node.lineno


def test_only_one_file_hands_names_to_an_engine():
    src = Path(quiff.__file__).parent
    found = {str(path.relative_to(src)) for path in src.rglob("*.py") if any(engine_reads(path))}
    assert found == {"io/tables.py", "io/text.py", "logs/scan.py"}


# Other forms.


def test_json_lines(duckdb, tmp_path):
    visits = [
        {"who": "a", "when": "2006-03-01 07:17:12", "where": "http://a.com", "more": [1]},
        {"where": "http://b.org", "who": 7, "when": "2006-03-01 07:17:12"},
        {"who": "a", "when": "2006-03-01 07:17:12"},
        {"who": "a", "when": "2006-03-01 07:17:12", "where": ["http://a.com"]},
    ]
    lines = [
        *map(json.dumps, visits),
        "[1]",
        "{",
        json.dumps({**visits[0], "who": "ü\n"}, ensure_ascii=False),
    ]
    for name, pack in (("log.jsonl", bytes), ("log.json.gz", gzip.compress)):
        log = write(tmp_path / name, pack("\n".join(lines).encode()))
        result = treat(duckdb, [log], tmp_path / f"out-{name}", form=LogFormat("who", "when", "where"))
        assert (result.rows_read, result.rows, result.users) == (7, 3, 3)
        assert result.dropped == {"malformed": 3, "no-url": 1}
        assert [bad.line for bad in result.bad_lines] == [4, 5, 6]


@pytest.mark.parametrize("delimiter", ["\t", ",", ";", "|"])
@pytest.mark.parametrize("headed", [True, False])
def test_delimiters_are_found_out_with_and_without_a_first_line(duckdb, tmp_path, delimiter, headed):
    names = tuple(HEADER.split("\t"))
    lines = [row(1, delimiter), row(2, delimiter)]
    content = text(*lines, header=delimiter.join(names) if headed else row(0, delimiter))
    log = write(tmp_path / "log.txt", content)
    result = treat(duckdb, [log], tmp_path / "out", form=LogFormat(names=None if headed else names))
    assert (result.rows_read, result.rows, result.dropped) == ((2, 2, {}) if headed else (3, 3, {}))


def test_the_command_reads_semicolons_and_named_columns(tmp_path):
    log = write(tmp_path / "log.txt", f"{row(1, ';')}\n{row(2, ';')}\n".encode())
    named = ["--columns", "AnonID,Query,QueryTime, ItemRank,ClickURL", "--delimiter", "semicolon"]
    done = CliRunner().invoke(main, ["treat", str(log), "--out", str(tmp_path / "out"), "--json", *named])
    assert (done.exit_code, json.loads(done.stdout)["rows"]) == (0, 2)
    done = CliRunner().invoke(main, ["stats", str(log), "--json", *named])
    assert (done.exit_code, json.loads(done.stdout)["rows"]) == (0, 2)


def test_what_a_file_is_in_truth_is_told(duckdb, tmp_path):
    log = text(row(1))
    with zipfile.ZipFile(tmp_path / "log.zip", "w") as archive:
        archive.writestr("log.txt", log)
    parquet_log(tmp_path / "as.parquet").rename(tmp_path / "parquet.txt")
    files = {
        "no.txt.gz": (log, "its name ends in .gz, but it is not packed by gzip"),
        "sixteen.txt": (log.decode().encode("utf-16"), "in UTF-16; convert it by iconv"),
        "bare.txt": (log.decode().encode("utf-16-le"), "seems to be in UTF-16"),
        "latin.txt": (b"AnonID\t\xe9\n", "line 1 of .* is no UTF-8"),
        "zip.txt": ((tmp_path / "log.zip").read_bytes(), "it is a zip archive; unpack it"),
        "parquet.txt": ((tmp_path / "parquet.txt").read_bytes(), "it is a Parquet file; give it a name"),
        "array.json": (b'[{"AnonID": 1}]\n', "write one object a line"),
        "pretty.json": (b'{\n"AnonID": 1}\n', "write one object a line"),
        "keys.json": (b'{"who": 1}\n', "not one 'AnonID'"),
        "text.parquet": (log, "as Parquet"),
        "columns.txt": (text(row(1)), "line 1 of .* has 5 fields, but 3 columns are named"),
    }
    for name, (content, told) in files.items():
        named = LogFormat(names=("AnonID", "QueryTime", "ClickURL")) if name == "columns.txt" else None
        expect_refused(duckdb, tmp_path, [write(tmp_path / name, content)], told, form=named)
    packed = write(tmp_path / "packed", gzip.compress(log))  # whatever its name
    assert treat(duckdb, [packed], tmp_path / "out").rows == 1


def test_errors_do_not_repeat_rows(duckdb, tmp_path):
    hidden = "alice99\tsecret words\t2006-03-01 07:17:12\t1\thttp://secret.com"
    headless = write(tmp_path / "headless.txt", f"{hidden}\n{hidden}\n".encode())
    told = expect_refused(
        duckdb, tmp_path, [headless], "looks like data, not like names of columns.* by --columns"
    )
    assert "secret" not in told
    other = write(tmp_path / "other.txt", text(hidden, header=HEADER + "\tsecret99@x.com"))
    told = expect_refused(
        duckdb, tmp_path, [write(tmp_path / "log.txt", text(row(1))), other], "treat files of"
    )
    assert "secret" not in told
    bad = write(tmp_path / "bad.txt", text(*[hidden + "\tmore"] * 5))
    told = expect_refused(duckdb, tmp_path, [bad], "lines are malformed", QuiffError, max_bad_lines=1)
    assert "secret" not in told


def test_a_first_line_that_may_be_data_is_not_repeated(duckdb, tmp_path):
    people = "alice,flights,monday,secret\nbob,hotels,tuesday,hidden\n"
    for content in (people, people + "alice,flights,monday,http://a.com\n"):
        log = write(tmp_path / "log.csv", content.encode())
        told = expect_refused(
            duckdb, tmp_path, [log], "or all columns by --columns if its first line is data"
        )
        assert not any(word in told for word in ("alice", "flights", "secret"))
    named = write(tmp_path / "named.csv", b"who,day,link\n" + b"alice,2026-03-02 08:10:00,http://a.com\n")
    told = expect_refused(
        duckdb, tmp_path, [named], "'who', 'day', 'link' and not one 'AnonID'; name its user"
    )
    assert "--columns" not in told


def test_refused_parquet_has_row_numbers_and_fields(duckdb, tmp_path):
    urls = ["http://a.com", "http://b.com", "http://c.com", None]
    kinds = {
        "text": ["2026-03-02 08:10:00", "2.3.2026", "3.3.2026", "then"],
        "number": pa.array([1772439000, 5, 6, 7], pa.int64()),
        "none": pa.array([datetime(2026, 3, 2), None, None, None], pa.timestamp("ns", "UTC")),
        "far": pa.array([datetime(2026, 3, 2).date(), None, None, None], pa.date32()),
    }
    for name, times in kinds.items():
        table = pa.table({"More": [1] * 4, "AnonID": [1, 2, 3, 4], "QueryTime": times, "ClickURL": urls})
        pq.write_table(table, tmp_path / f"{name}.parquet", version="2.6")
        with refused(QuiffError, 1, 3) as caught:
            treat(duckdb, [tmp_path / f"{name}.parquet"], tmp_path / "out")
        shown = [line for line in str(caught.value).splitlines() if "time looks like" in line]
        assert [line.split(" time")[0] for line in shown] == ["  row 2: 4 fields,", "  row 3: 4 fields,"]


def test_both_engines_read_parquet_times_in_nanoseconds(backend, tmp_path):
    numbers = [1772439000_123456789, -1, 1]
    for zone in (None, "UTC"):
        times = pa.array(numbers, pa.timestamp("ns", zone))
        table = pa.table({"AnonID": ["1", "2", "3"], "QueryTime": times, "ClickURL": ["http://a.com"] * 3})
        log, out = tmp_path / f"{zone}.parquet", tmp_path / f"out-{zone}"
        pq.write_table(table, log, version="2.6")
        assert treat(backend, [log], out).rows == 3
        read, _ = read_table(backend, out / "treated.parquet", ("treated",))
        found = sorted(str(time) for time in read.time.cast("string").to_pyarrow().to_pylist())
        assert found == ["1970-01-01 00:00:00", "1970-01-01 00:00:00", "2026-03-02 08:10:00.123456"]


def test_both_engines_count_odd_logs_alike(backend, tmp_path):
    odd = write(tmp_path / "odd.txt", text(row(1), row(2) + "\tmore", row(3) + "\t", "", row(4)) + b"\xff\n")
    quoted = write(
        tmp_path / "quoted.csv",
        text(row(1, ","), '2,"q"uote,t,u,v', row(3, ",").replace("q", '"a\nb"'), header=COMMAS),
    )
    found = [treat(backend, [log], tmp_path / log.stem) for log in (odd, quoted)]
    counts = [(result.rows_read, result.rows, Counter(result.dropped)) for result in found]
    assert counts == [(5, 3, {"malformed": 2}), (3, 2, {"malformed": 1})]
