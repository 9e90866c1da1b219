"""The lines of text tables: the first one, which names the columns, and where a row or a fault stands."""

import csv
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import BinaryIO

from quiff.errors import QuiffError, counted

_NO_UTF8 = "a byte is no UTF-8; convert the file, for example by iconv"
_CARRIAGE_RETURN = "it ends in a carriage return alone; convert the file, for example by tr '\\r' '\\n'"
_TORN = "a quote that opens here does not close at the end of its field and swallows the next lines; close it"
_TO_CLOSING_QUOTE = re.compile(rb'(?:[^"]|"")*+"')  # two quotes in a row stand for one
_END_OF_FIELD = re.compile(rb"[ \t]*+(?:[,\r\n]|$)")


def head_of(stream: BinaryIO, path: str) -> tuple[tuple[str, ...], str]:
    """Return the names of the columns, and the sign between fields: a tab or a comma."""
    try:
        line = stream.readline()
        head = line.decode("utf-8-sig").rstrip("\r\n")
    except UnicodeDecodeError as error:
        raise QuiffError(f"{path!r}, line 1: {_NO_UTF8}") from error
    if not line:
        raise QuiffError(f"{path!r}, line 1: the file is empty; its first line must name its columns")
    if not head.strip():
        raise QuiffError(f"{path!r}, line 1: it is empty, but must name the columns; take it out")
    if "\r" in head:
        raise QuiffError(f"{path!r}, line 1: {_CARRIAGE_RETURN}")
    delimiter = "\t" if "\t" in head else ","
    try:
        names = head.split("\t") if delimiter == "\t" else next(csv.reader([head]))
    except csv.Error as error:
        raise QuiffError(f"{path!r}, line 1: it is no CSV, {error}") from error
    return tuple(name.strip().strip('"') for name in names), delimiter


def line_of_row(stream: BinaryIO, row: int, delimiter: str) -> int:
    """Return the line on which a row begins; rows are counted from 0, lines from 1."""
    record = next(islice(_records(stream, delimiter), row, None), None)
    return row + 2 if record is None else record.line


def text_fault(stream: BinaryIO, n_fields: int, delimiter: str) -> str | None:
    """Say what is wrong with the first row that is not UTF-8 or has another number of fields, and where."""
    for record in _records(stream, delimiter):
        try:
            record.text.decode()
        except UnicodeDecodeError as error:
            further = record.text.count(b"\n", 0, error.start)
            return f"line {record.line + further}: {_NO_UTF8}"
        if record.torn:
            return f"line {record.line}: {_TORN}"
        if record.n_fields != n_fields:
            return (
                f"line {record.line}: it has {counted(record.n_fields, 'field')}, but the first line"
                f" {n_fields}; give each line as many, or put text with commas in quotes"
            )
    return None


def torn_row(stream: BinaryIO) -> str | None:
    """Say which row between commas swallowed the lines below it, by a quote that is not closed."""
    return next((f"line {record.line}: {_TORN}" for record in _records(stream, ",") if record.torn), None)


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


@dataclass
class _Record:
    """A row of text: the line where it begins, its bytes, and how many fields it has.

    It is torn if it has several lines, and a quoted field that does not end where a field ends.
    """

    line: int
    text: bytearray
    n_fields: int = 1
    open: bool = False  # the last line ends within quotes
    torn: bool = False

    def add(self, line: bytes) -> None:
        """Add a line of fields with commas between them, some of them in quotes."""
        self.text += line
        place = 0
        while True:
            if self.open or line.startswith(b'"', place):
                closing = _TO_CLOSING_QUOTE.match(line, place if self.open else place + 1)
                several = self.open
                self.open = closing is None
                if closing is None:
                    return
                place = closing.end()
                self.torn |= several and _END_OF_FIELD.match(line, place) is None
            place = line.find(b",", place) + 1
            if not place:
                return
            self.n_fields += 1


def _records(stream: BinaryIO, delimiter: str) -> Iterator[_Record]:
    """Yield each row after the first line; empty lines are none."""
    record = None
    for number, line in enumerate(stream, start=1):
        if number == 1 or (record is None and not line.strip(b"\r\n")):
            continue
        if delimiter == "\t":  # without quotes
            yield _Record(number, bytearray(line), line.count(b"\t") + 1)
            continue
        record = record or _Record(number, bytearray())
        record.add(line)
        if not record.open:  # else a quoted field goes on in the next line
            yield record
            record = None
    if record is not None:
        record.torn = True
        yield record
