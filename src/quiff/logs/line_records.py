"""The records of a log in text, by plain Python: slow, and right whatever the bytes are."""

import csv
import io
from collections import deque
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import cast

import pyarrow as pa
import pyarrow.parquet as pq

from quiff.errors import QuiffError
from quiff.io.blocks import Source, long_fields, opened
from quiff.logs.lines import LONGEST_LINE, BadLine, TextLog, json_object

Record = tuple[str | None, str | None, str | None] | str
"""User, time and URL of a record, or what is wrong with it."""

_Line = tuple[int, str | None]
_MOST_LINES = 100  # in one record
_BATCH = 1 << 16
EXAMPLES = 5  # of malformed lines that are shown


def write_records(
    text: TextLog, source: Source, path: Path, *, most_bad: int | None = None
) -> tuple[BadLine, ...]:
    """Write user, time, url and malformed of each record as Parquet; return the first malformed ones."""
    texts = [(name, pa.string()) for name in ("user", "time", "url")]
    schema = pa.schema([*texts, ("malformed", pa.bool_())])
    malformed = 0
    examples: list[BadLine] = []
    found = records(text, source)
    with pq.ParquetWriter(path, schema, compression="lz4") as file:
        while batch := list(islice(found, _BATCH)):
            rows: list[tuple[str | None, str | None, str | None, bool]] = []
            for number, record in batch:
                if isinstance(record, str):
                    malformed += 1
                    rows.append((None, None, None, True))
                    if len(examples) < EXAMPLES:
                        examples.append(BadLine(source.name, number, record))
                else:
                    rows.append((*record, False))
            if most_bad is not None and malformed > most_bad:
                raise too_many(most_bad, examples)
            file.write_batch(
                pa.record_batch(list(map(pa.array, zip(*rows, strict=True), schema.types)), schema=schema)
            )
    return tuple(examples)


def too_many(most: int, examples: Iterable[BadLine]) -> QuiffError:
    """Return the error that there are too many malformed lines."""
    return QuiffError(
        f"more than {most} lines are malformed, such as {'; '.join(map(str, examples))};"
        " mend the log, or allow for more by --max-bad-lines"
    )


def first_bad_lines(text: TextLog, source: Source) -> tuple[BadLine, ...]:
    """Read a file in search of the first malformed lines."""
    bad = ((number, record) for number, record in records(text, source) if isinstance(record, str))
    return tuple(BadLine(source.name, number, reason) for number, reason in islice(bad, EXAMPLES))


def records(text: TextLog, source: Source) -> Iterator[tuple[int, Record]]:
    """Yield of each record the number of its first line, and user, time and URL, or what is wrong with it."""
    ahead: deque[_Line] = deque()  # lines that come again, since they are no part of the record before them
    with long_fields(), io.TextIOWrapper(opened(source), encoding="latin-1", newline=None) as stream:
        numbered = _numbered(stream)

        def following() -> _Line | None:
            return ahead.popleft() if ahead else next(numbered, None)

        while (found := following()) is not None:
            number, line = found
            if line is None:
                yield number, "line too long"
            elif line and text.quoted and '"' in line:
                taken: list[_Line] = []
                record = _quoted(line, islice(iter(following, None), _MOST_LINES - 1), taken, text)
                if isinstance(record, str):
                    ahead.extendleft(reversed(taken))
                yield number, record if isinstance(record, str) else _decoded(record, text)
            elif line:
                yield number, _decoded(line.split(text.delimiter) if text.delimiter else [line], text)


def _numbered(stream: io.TextIOWrapper) -> Iterator[_Line]:
    """Yield the lines of a file with their numbers, None for one too long; bytes are read as Latin-1."""
    number = 0
    while line := stream.readline(LONGEST_LINE + 1):
        number += 1
        if number == 1:
            line = line.removeprefix("\xef\xbb\xbf")
        if not line.endswith("\n") and len(line) > LONGEST_LINE:
            while (more := stream.readline(LONGEST_LINE)) and not more.endswith("\n"):
                pass
            yield number, None
        else:
            yield number, line.removesuffix("\n")


def _quoted(line: str, following: Iterator[_Line], taken: list[_Line], text: TextLog) -> list[str] | str:
    """Return the fields of a record that begins with a line, and takes more if a quote is open."""

    def texts() -> Iterator[str]:
        yield line + "\n"
        for number, more in following:
            taken.append((number, more))
            if more is None:
                return
            yield more + "\n"

    try:
        fields = next(csv.reader(texts(), delimiter=cast("str", text.delimiter), strict=True))
    except csv.Error as error:
        return "quote not closed" if "end of data" in str(error) else "text after a closing quote"
    return "quote not closed" if taken and len(fields) != len(text.names) else fields


def _decoded(record: list[str], text: TextLog) -> Record:
    """Return user, time and URL of a record, or what is wrong with it."""
    if text.delimiter is not None and len(record) != len(text.names):
        return "too many columns" if len(record) > len(text.names) else "missing columns"
    try:
        fields = [field if field.isascii() else field.encode("latin-1").decode() for field in record]
    except UnicodeDecodeError:
        return "invalid encoding"
    if text.delimiter is None:
        return _values(fields[0], text.names)
    user, time, url = (fields[k] or None for k in text.used)
    return user, time, url


def _values(line: str, names: tuple[str, ...]) -> Record:
    """Return what a line of JSON says of names: texts and numbers as they are written, or nothing."""
    found = json_object(line)
    if found is None:
        return "no JSON object"
    values = [found.get(name) for name in names]
    if not all(value is None or isinstance(value, str) for value in values):
        return "neither text nor number"
    user, time, url = (value or None for value in values)
    if any("\ud800" <= sign <= "\udfff" for value in values if value for sign in value):
        return "invalid encoding"
    return user, time, url
