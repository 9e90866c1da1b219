"""The lines of text tables: the first one, which names the columns, and where a row or a fault stands."""

import csv
import re
from collections.abc import Iterator
from typing import BinaryIO

from quiff.errors import QuiffError

__all__ = ["head_of", "line_of_row", "text_fault"]

_NO_UTF8 = "a byte is no UTF-8; convert the file, for example by iconv"


def head_of(stream: BinaryIO, path: str) -> tuple[tuple[str, ...], str]:
    """Return the names of the columns, and the sign between fields: a tab or a comma.

    Raises
    ------
    QuiffError
        If there is no first line, or it is not UTF-8.

    Examples
    --------
    >>> import io
    >>> head_of(io.BytesIO(b'user,"t1",t2'), "p.csv")
    (('user', 't1', 't2'), ',')
    """
    try:
        line = stream.readline()
        head = line.decode("utf-8-sig").rstrip("\r\n")
    except UnicodeDecodeError as error:
        raise QuiffError(f"{path!r}, line 1: {_NO_UTF8}") from error
    if line and not head.strip():
        raise QuiffError(f"{path!r}, line 1: it is empty, but must name the columns; take it out")
    if not line:
        raise QuiffError(f"{path!r} is empty; its first line must name its columns")
    delimiter = "\t" if "\t" in head else ","
    names = head.split("\t") if delimiter == "\t" else next(csv.reader([head]))
    return tuple(name.strip().strip('"') for name in names), delimiter


def line_of_row(stream: BinaryIO, row: int, delimiter: str) -> int:
    """Return the line on which a row begins; rows are counted from 0, lines from 1.

    Examples
    --------
    >>> import io
    >>> line_of_row(io.BytesIO(b'user,note' + bytes([10, 10]) + b'a,x' + bytes([10]) + b'b,y'), 1, ",")
    4
    """
    for number, (line, _) in enumerate(_records(stream, delimiter)):
        if number == row:
            return line
    return row + 2


def text_fault(stream: BinaryIO, n_fields: int, delimiter: str) -> str | None:
    """Say what is wrong with the first row that is not UTF-8 or has another number of fields, and where."""
    for line, record in _records(stream, delimiter):
        try:
            record.decode()
        except UnicodeDecodeError as error:
            further = record.count(b"\n", 0, error.start)
            return f"line {line + further}: {_NO_UTF8}"
        plain = record if delimiter == "\t" else re.sub(rb'"[^"]*"', b"", record)
        found = plain.count(delimiter.encode()) + 1
        if found != n_fields:
            return (
                f"line {line}: it has {found} fields, but the first line {n_fields};"
                " give each line as many, or put text with commas in quotes"
            )
    return None


def _records(stream: BinaryIO, delimiter: str) -> Iterator[tuple[int, bytes]]:
    """Yield each row after the first line with the line where it begins; empty lines are none."""
    begin, held = 0, b""
    for number, line in enumerate(stream, start=1):
        if number == 1:
            continue
        if not held:
            begin = number
        held += line
        if delimiter != "\t" and held.count(b'"') % 2:  # a quoted field goes on in the next line
            continue
        if held.strip(b"\r\n"):
            yield begin, held
        held = b""
    if held:
        yield begin, held
