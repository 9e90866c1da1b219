"""Text is read by DuckDB, and no line vanishes: rows, rejects and line ends in values are all lines."""

import csv
import gzip
import io
import random
from contextlib import suppress

import duckdb
import pyarrow as pa
import pytest

from quiff.errors import ParameterError
from quiff.io.blocks import find_sources
from quiff.io.text import Dialect, open_text

HEAD = b"a,b,c\n"
TORN = "a quote that opens here does not close"


def read(folder, *contents, names=("a", "b", "c"), longest=1 << 20, **dialect):
    """Return the rows of files with such contents, the rejected lines, and what was read."""
    files = []
    for number, content in enumerate(contents):
        files.append(folder / f"f[{number}]*.csv")
        files[-1].write_bytes(content)
    con = duckdb.connect()
    text = open_text(con, find_sources(files, folder), Dialect(names, **dialect), folder, longest=longest)
    rows = con.execute(text.query).fetchall()
    text.check(len(rows))
    assert text.lines >= len(rows) + text.n_rejects
    places = {str(file): place for place, file in enumerate(files)}
    return rows, [(places[reject.file], reject.line, reject.kind) for reject in text.first_rejects(99)]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("last", ["", "\n"])
def test_cells_are_texts_whatever_ends_the_lines(tmp_path, end, mark, last):
    text = f'{mark}a,b,c\n\n1,,""\n007,"x, ""y""", z\n\n\n4,ü,6{last}'
    rows, rejects = read(tmp_path, text.replace("\n", end).encode())
    assert rows == [("1", "", "", 0), ("007", 'x, "y"', " z", 0), ("4", "ü", "6", 0)]
    assert rejects == []


def test_several_files_have_numbers_and_their_own_line_ends(tmp_path):
    rows, rejects = read(tmp_path, HEAD + b"1,2,3\n", b"a,b,c\r\n4,5,6\r\n7\r\n", HEAD + b"1,2\n7,8,9")
    assert rows == [("1", "2", "3", 0), ("4", "5", "6", 1), ("7", "8", "9", 2)]
    assert rejects == [(1, 3, "missing columns"), (2, 2, "missing columns")]


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        (b"1,2", "missing columns"),
        (b"1,2,3,4", "too many columns"),
        (b'1,"x"y,3', "misplaced quote"),
        (b'1,2,"end', "misplaced quote"),
        (b"1,\xff,3", "invalid encoding"),
        (b"1," + b"x" * 2000 + b",3", "line too long"),
        (b"1," + b"x" * 9_000_000 + b",3", "line too long"),
    ],
)
def test_lines_that_are_no_rows_are_rejected_with_line_and_kind(tmp_path, line, kind):
    last = line.endswith(b"end")
    after = b"" if last else b"4,5,6\n7\n"
    rows, rejects = read(tmp_path, HEAD + b"1,2,3\n" + line + b"\n" * (not last) + after, longest=1000)
    assert rows == [("1", "2", "3", 0)] + [("4", "5", "6", 0)] * (not last)
    assert rejects == [(0, 3, kind)] + [(0, 5, "missing columns")] * (not last)


def test_empty_fields_beyond_the_last_column_are_left_out(tmp_path):
    assert read(tmp_path, HEAD + b"1,2,3,,\n") == ([("1", "2", "3", 0)], [])


@pytest.mark.parametrize("value", ["x\ny", "\n\nx\n\ny\n\n", "\n", 'say ""hi""\n'])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_values_may_go_over_several_lines(tmp_path, value, end):
    text = f'a,b,c\n1,"{value}",3\n4,5,6\n'.replace("\n", end)
    rows, rejects = read(tmp_path, text.encode())
    assert rows == [("1", value.replace('""', '"').replace("\n", end), "3", 0), ("4", "5", "6", 0)]
    assert rejects == []


@pytest.mark.parametrize(
    ("below", "line"),
    [
        (b'1,"x,3\n4,5,6\n', 2),
        (b'0,0,0\n1,"x,3\n4,5,6\n7,"8",9\n1,2,3\n', 3),
        (b'1,"x\n2,3\n3"\n1,2,3\n', 2),
        (b'1,"x\n2,"y\nz",3\n4,5,6\n', 2),
        (b'1,2,"' + b"4,5,6\n" * 300_000, 2),
        (b"1,2,3\n" * 300_000 + b'1,2,"' + b"4,5,6\n" * 300_000 + b'1,"2",3\n', 300_002),
    ],
)
def test_a_quote_that_swallows_lines_is_refused_by_its_line(tmp_path, below, line):
    with pytest.raises(ParameterError, match=rf"line {line}: {TORN}") as caught:
        read(tmp_path, HEAD + below)
    assert "\n" not in str(caught.value)
    rows, _ = read(tmp_path, HEAD + below, quote="")
    assert rows


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"1,2,3\n1,\0,3\n", "line 3: it has a NUL byte; take it out"),
        (b"1,2,3\r\n", "line 2: line ends are mixed"),
        (b"1,2\r,3\n4,5,6\n", "line 2: line ends are mixed"),
        (b"1,2,3\n" * 300_000 + b"1,2,3\r\n", "line 300002: line ends are mixed"),
    ],
)
def test_what_cannot_be_read_safely_is_refused(tmp_path, content, said):
    with pytest.raises(ParameterError, match=said):
        read(tmp_path, HEAD + content)


def test_blank_lines_of_one_column_are_no_rows(tmp_path):
    for content in (b'a\n1\n\n2\n""\n3', b"a\r\n1\r\n\r\n2\r\n\r\n3\r\n"):
        assert read(tmp_path, content, names=("a",)) == ([("1", 0), ("2", 0), ("3", 0)], [])


def zstd(content):
    stream = pa.BufferOutputStream()
    with pa.CompressedOutputStream(stream, "zstd") as packed:
        packed.write(content)
    return stream.getvalue().to_pybytes()


@pytest.mark.parametrize("pack", [gzip.compress, zstd])
def test_packed_text_is_read_to_its_last_byte(tmp_path, pack):
    packed = pack(HEAD + b"1,2,3\n" * 100_000)
    rows, rejects = read(tmp_path, packed, HEAD + b"1,2,3\n")
    assert (len(rows), rejects) == (100_001, [])
    with pytest.raises(ParameterError, match=r"cannot read .* to its end"):
        read(tmp_path, packed[:-9])


def test_random_text_without_quotes_is_split_at_its_delimiters(tmp_path):
    draw = random.Random(1)
    for _ in range(60):
        lines = ["".join(draw.choices("12\t\t\"'|", k=draw.randrange(9))) for _ in range(draw.randrange(30))]
        rows, rejects = read(tmp_path, "\n".join(["a\tb\tc", *lines]).encode(), delimiter="\t", quote="")
        fields = [(line, text.split("\t")) for line, text in enumerate(lines, start=2) if text]
        fields = [(line, cells[:3] if not any(cells[3:]) else cells) for line, cells in fields]
        assert rows == [(*cells, 0) for _, cells in fields if len(cells) == 3]
        kinds = {line: "missing columns" if len(cells) < 3 else "too many columns" for line, cells in fields}
        assert rejects == [(0, line, kinds[line]) for line, cells in fields if len(cells) != 3]


def test_random_text_with_quotes_is_read_as_python_reads_it_or_refused(tmp_path):
    """Where no line is rejected, the rows are those of Python's strict reader."""
    draw, whole = random.Random(2), 0
    for _ in range(250):
        cells = ["1", "", '"x"', '"a,b"', '"a\nb"', '"say ""x"""', "y"]
        lines = [",".join(draw.choices(cells, k=3)) for _ in range(draw.randrange(1, 12))]
        text = "\n".join(lines) + "\n"
        if draw.random() < 0.5:  # a quote more, or one less
            place = draw.randrange(len(text))
            text = text[:place] + '"' * draw.randrange(2) + text[place + 1 :]
        with suppress(ParameterError):
            rows, rejects = read(tmp_path, HEAD + text.encode())
            if rejects:
                continue
            reader = csv.reader(io.StringIO(text), strict=True)
            assert [list(row[:3]) for row in rows] == [cells[:3] for cells in reader if cells]
            whole += 1
    assert whole > 80


def test_lines_are_counted_as_they_are_where_values_have_several(tmp_path):
    for end in ("\n", "\r\n", "\r"):
        text = 'a,b,c\n1,"x\n\ny",3\n\n1,2\n'.replace("\n", end)
        assert read(tmp_path, text.encode())[1] == [(0, 6, "missing columns")]
