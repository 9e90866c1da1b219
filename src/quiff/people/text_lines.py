"""The lines of text tables: the first one, which names the columns, and where a row or a fault stands."""

import csv
import io
import re
from collections.abc import Iterator
from itertools import islice
from typing import Any, BinaryIO

from quiff.errors import QuiffError, counted
from quiff.io.blocks import long_fields

_NO_UTF8 = "a byte is no UTF-8; convert the file, for example by iconv"
_CARRIAGE_RETURN = "it ends in a carriage return alone; convert the file, for example by tr '\\r' '\\n'"
_BELOW = 20  # lines that are looked at to tell names of columns from data
_BEHIND = re.compile(r'"[ \t]++(?=[,\r\n]|$)')  # blanks between a closing quote and the end of its field
_TORN = "a quote that opens here does not close at the end of its field and swallows the next lines; close it"


class _EncodingError(Exception):
    """A line is not in UTF-8: its number."""


def head_of(stream: BinaryIO, path: str) -> tuple[tuple[str, ...], str, list[list[str]]]:
    """Return the names of the columns, the sign between fields (a tab or a comma), and some rows below."""
    try:
        line = stream.readline()
        head = line.decode("utf-8-sig").rstrip("\r\n")
    except UnicodeDecodeError as error:
        raise QuiffError(_NO_UTF8, where=f"{path!r}, line 1") from error
    if not line:
        raise QuiffError("the file is empty; its first line must name its columns", where=f"{path!r}, line 1")
    if not head.strip():
        raise QuiffError("it is empty, but must name the columns; take it out", where=f"{path!r}, line 1")
    if "\r" in head:
        raise QuiffError(_CARRIAGE_RETURN, where=f"{path!r}, line 1")
    delimiter = "\t" if "\t" in head else ","
    try:
        names = head.split("\t") if delimiter == "\t" else next(csv.reader([head]))
    except csv.Error as error:
        raise QuiffError(f"it is no CSV, {error}", where=f"{path!r}, line 1") from error
    below = [line.decode(errors="replace").rstrip("\r\n").split(delimiter) for line in islice(stream, _BELOW)]
    return tuple(map(_unquoted, names)), delimiter, [list(map(_unquoted, row)) for row in below]


def _unquoted(cell: str) -> str:
    return cell.strip().strip('"')


def line_of_row(stream: BinaryIO, row: int, delimiter: str) -> int:
    """Return the line on which a row begins; rows are counted from 0, lines from 1."""
    return next(islice(_rows(stream, delimiter, "replace"), row, None), (row + 2, 0))[0]


def text_fault(stream: BinaryIO, n_fields: int, delimiter: str) -> tuple[int, str] | None:
    """Return the first line that is not UTF-8 or has another number of fields, and what is wrong."""
    try:
        for line, found in _rows(stream, delimiter, "strict"):
            if found is None:
                return line, _TORN
            if found != n_fields:
                return line, (
                    f"it has {counted(found, 'field')}, but the first line {n_fields};"
                    " give each line as many, or put text with commas in quotes"
                )
    except _EncodingError as error:
        return error.args[0], _NO_UTF8
    return None


def torn_row(stream: BinaryIO) -> tuple[int, str] | None:
    """Return the line whose quote is not closed, so that it swallows those below, and what to do."""
    torn = (line for line, found in _rows(stream, ",", "replace") if found is None)
    return next(((line, _TORN) for line in torn), None)


def _rows(stream: BinaryIO, delimiter: str, errors: str) -> Iterator[tuple[int, int | None]]:
    """Yield the first line of each row below the names, and its number of fields.

    That is None if it has several lines, and a quoted field that does not end where a field ends.
    """
    last = ""

    def lines() -> Iterator[str]:
        nonlocal last
        for number, line in enumerate(stream, start=1):
            try:
                last = line.decode(errors=errors) if number > 1 else ""
            except UnicodeDecodeError as error:
                raise _EncodingError(number) from error
            last = last if delimiter == "\t" else _BEHIND.sub('"', last)
            yield last

    form: dict[str, Any] = {"delimiter": delimiter, "quoting": csv.QUOTE_NONE if delimiter == "\t" else 0}
    with long_fields():
        reader = csv.reader(lines(), **form, strict=True)
        while True:
            first = reader.line_num + 1
            try:
                fields = next(reader, None)
            except csv.Error as error:
                if reader.line_num > first or "end of data" in str(error):
                    yield first, None
                    continue
                fields = next(csv.reader([last.replace("\r", "")], **form))
            if fields is None:
                return
            if fields:  # else the line is empty
                yield first, len(fields)


class CountedStream(io.RawIOBase):
    """A stream that keeps count of what is read from it: bytes, ends of lines, and quotes."""

    def __init__(self, inner: BinaryIO) -> None:
        self._inner, self._last = inner, b"\n"
        self._ends = self.quotes = 0

    @property
    def lines(self) -> int:
        """The number of lines, the last of which may lack its end."""
        return self._ends + (self._last != b"\n")

    def readable(self) -> bool:
        return True

    def read(self, size: int | None = -1, /) -> bytes:
        data = self._inner.read(-1 if size is None else size)
        self._last = data[-1:] or self._last
        self._ends += data.count(b"\n")
        self.quotes += data.count(b'"')
        return data
