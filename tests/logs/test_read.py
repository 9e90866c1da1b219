"""Reading logs: every form, and every way in which a file can be wrong told in one line."""

import gzip
from pathlib import Path
from tempfile import mkdtemp

import pytest

from logs.reference import HEADER
from quiff.errors import ParameterError
from quiff.logs.queries import fetch_rows
from quiff.logs.read import LogFormat, read_log

ROW = "1\tq\t2006-03-01 07:17:12\t1\thttp://a.com"


def read(con, *paths, form=None, most_bad=100):
    folder = Path(mkdtemp(dir=paths[0].parent))
    with read_log(con, paths, form or LogFormat(), folder) as log:
        rows = [(row["user"], row["time"], row["url"]) for row in fetch_rows(con, log.table)]
        log = log.counted(len(rows))
        log.check(len(rows) + log.rejected)
        return rows, log.check_bad(log.rejected, most_bad)


def test_stray_quotes_are_no_quotes_in_aols_format(duckdb, tmp_path):
    lines = [f'{k}\tthe "big {"x" * k}\t2006-03-01 07:17:12\t1\t"http://a.com' for k in range(1, 40)]
    (tmp_path / "log.txt").write_text("\n".join([HEADER, *lines]))
    rows, bad = read(duckdb, tmp_path / "log.txt")
    assert (len(rows), len(bad), rows[0][2]) == (39, 0, '"http://a.com')


def test_commas_with_quotes(duckdb, tmp_path):
    (tmp_path / "log.csv").write_text(
        'AnonID,Query,QueryTime,ClickURL\n1,"a, ""b""",2006-03-01 07:17:12,http://a.com\n2,q,,\n'
    )
    rows, bad = read(duckdb, tmp_path / "log.csv")
    assert rows == [("1", "2006-03-01 07:17:12", "http://a.com"), ("2", None, None)]
    assert bad == ()


def test_commas_without_quotes(duckdb, tmp_path):
    (tmp_path / "log.csv").write_text('u,t,w\n1,"x,http://a.com\n')
    rows, _ = read(duckdb, tmp_path / "log.csv", form=LogFormat("u", "t", "w", quoted=False))
    assert rows == [("1", '"x', "http://a.com")]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_ends_of_lines_and_byte_order_marks(duckdb, tmp_path, end, mark):
    (tmp_path / "log.txt").write_bytes(end.join([mark + HEADER, ROW, ""]).encode())
    assert read(duckdb, tmp_path / "log.txt")[0] == [("1", "2006-03-01 07:17:12", "http://a.com")]


def test_a_log_of_only_the_three_columns(duckdb, tmp_path):
    (tmp_path / "log.txt").write_text("ClickURL\tAnonID\tQueryTime\na.com\t1\t2006-03-01 07:17:12\n")
    assert read(duckdb, tmp_path / "log.txt")[0] == [("1", "2006-03-01 07:17:12", "a.com")]


def test_bad_lines_have_their_numbers_in_packed_files_too(duckdb, tmp_path):
    text = "\n".join([HEADER, ROW, "short", ROW, ROW + "\tmore", ""])
    (tmp_path / "log.txt.gz").write_bytes(gzip.compress(text.encode()))
    rows, bad = read(duckdb, tmp_path / "log.txt.gz")
    assert (len(rows), len(bad)) == (2, 2)
    assert [(line.line, str(line).split(": ")[1]) for line in bad] == [
        (3, "missing columns"),
        (5, "too many columns"),
    ]


def assert_refused(con, paths, told, form=None):
    with pytest.raises(ParameterError, match=told) as caught:
        read(con, *paths, form=form)
    assert "\n" not in str(caught.value)


def test_wrong_files_are_told_in_one_line(duckdb, tmp_path):
    assert_refused(duckdb, [tmp_path / "none.txt"], "there is no file '.*none.txt'")
    assert_refused(duckdb, [tmp_path], "cannot read")
    (tmp_path / "empty.txt").write_text("")
    assert_refused(duckdb, [tmp_path / "empty.txt"], "no first line that names its columns")
    (tmp_path / "other.txt").write_text("user\ttime\turl\n")
    assert_refused(duckdb, [tmp_path / "other.txt"], "not one 'AnonID'; name its user column by --user")
    (tmp_path / "log.txt").write_text(HEADER + "\n")
    (tmp_path / "more.txt").write_text(HEADER + "\tMore\n")
    assert_refused(
        duckdb, [tmp_path / "log.txt", tmp_path / "more.txt"], "treat files of different forms one by one"
    )
    (tmp_path / "latin.txt").write_bytes(b"AnonID\t\xe9\n")
    assert_refused(duckdb, [tmp_path / "latin.txt"], "line 1 of .* is no UTF-8")
    (tmp_path / "broken.txt.gz").write_bytes(gzip.compress(HEADER.encode())[:-12])
    assert_refused(duckdb, [tmp_path / "broken.txt.gz"], "cannot read")
    (tmp_path / "no.gz").write_text("no gzip")
    assert_refused(duckdb, [tmp_path / "no.gz"], "cannot read")
    (tmp_path / "log.parquet").write_text("no Parquet")
    assert_refused(duckdb, [tmp_path / "log.parquet"], "cannot read")
    assert_refused(
        duckdb, [tmp_path / "log.txt", tmp_path / "log.parquet"], "some logs are Parquet and some are text"
    )
