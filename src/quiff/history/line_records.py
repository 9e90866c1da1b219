"""The records of a log in text, by plain Python: slow, and right whatever the bytes are."""

import csv
import io
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import cast

from quiff.errors import QuiffError
from quiff.files.blocks import Source, opened
from quiff.history.lines import LONGEST_LINE, BadLine, TextLog, json_object

Record = tuple[str | None, str | None, str | None] | str
"""User, time and URL of a record, or what is wrong with it."""

_MOST_LINES = 100  # in one record
_LONGEST_FIELD = 1 << 30
_BATCH = 1 << 16
_EXAMPLES = 5


def write_records(
    text: TextLog, source: Source, path: Path, *, most_bad: int | None = None
) -> tuple[BadLine, ...]:
    """Write user, time, url and malformed of each record as Parquet; return the first malformed ones."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = pa.schema(
        [(name, pa.string()) for name in ("user", "time", "url")] + [("malformed", pa.bool_())]
    )
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
                    if len(examples) < _EXAMPLES:
                        examples.append(BadLine(source.name, number, record))
                else:
                    rows.append((*record, False))
            if most_bad is not None and malformed > most_bad:
                raise too_many(most_bad, examples)
            columns = [
                pa.array(column, field.type)
                for column, field in zip(zip(*rows, strict=True), schema, strict=True)
            ]
            file.write_batch(pa.record_batch(columns, schema=schema))
    return tuple(examples)


def too_many(most: int, examples: Iterable[BadLine]) -> QuiffError:
    """Return the error that there are too many malformed lines."""
    return QuiffError(
        f"more than {most} lines are malformed, such as {'; '.join(map(str, examples))};"
        " mend the log, or allow for more by --max-bad-lines"
    )


def first_bad_lines(text: TextLog, source: Source, most: int) -> tuple[BadLine, ...]:
    """Read a file in search of the first malformed lines."""
    found = (
        BadLine(source.name, number, record)
        for number, record in records(text, source)
        if isinstance(record, str)
    )
    return tuple(islice(found, most))


def records(text: TextLog, source: Source) -> Iterator[tuple[int, Record]]:
    """Yield of each record the number of its first line, and user, time and URL, or what is wrong with it."""
    with _long_fields(), io.TextIOWrapper(opened(source), encoding="latin-1", newline=None) as stream:
        for number, record in _split(_Lines(stream), text):
            yield number, _decoded(record, text)


@contextmanager
def _long_fields() -> Iterator[None]:
    before = csv.field_size_limit(_LONGEST_FIELD)
    try:
        yield
    finally:
        csv.field_size_limit(before)


class _Lines:
    """The lines of a file with their numbers, None for one too long; bytes are read as Latin-1."""

    def __init__(self, stream: io.TextIOWrapper) -> None:
        self._lines = self._numbered(stream)
        self._ahead: deque[tuple[int, str | None]] = deque()

    def _numbered(self, stream: io.TextIOWrapper) -> Iterator[tuple[int, str | None]]:
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

    def __iter__(self) -> Iterator[tuple[int, str | None]]:
        return self

    def __next__(self) -> tuple[int, str | None]:
        return self._ahead.popleft() if self._ahead else next(self._lines)

    def put_back(self, lines: list[tuple[int, str | None]]) -> None:
        """Let lines come again."""
        self._ahead.extendleft(reversed(lines))


def _split(lines: _Lines, text: TextLog) -> Iterator[tuple[int, list[str] | str]]:
    """Yield the number and the fields of each record, or what is wrong with it."""
    for number, line in lines:
        if line is None:
            yield number, "line too long"
        elif line and text.quoted and '"' in line:
            yield number, _quoted(line, lines, text)
        elif line:
            yield number, line.split(text.delimiter) if text.delimiter else [line]


def _quoted(line: str, lines: _Lines, text: TextLog) -> list[str] | str:
    """Return the fields of a record that begins with a line, and takes more if a quote is open."""
    taken: list[tuple[int, str | None]] = []

    def texts() -> Iterator[str]:
        yield line + "\n"
        for number, following in islice(lines, _MOST_LINES - 1):
            taken.append((number, following))
            if following is None:
                return
            yield following + "\n"

    try:
        fields = next(csv.reader(texts(), delimiter=cast("str", text.delimiter), strict=True))
    except csv.Error as error:
        lines.put_back(taken)
        return "quote not closed" if "end of data" in str(error) else "text after a closing quote"
    if taken and len(fields) != len(text.names):
        lines.put_back(taken)
        return "quote not closed"
    return fields


def _decoded(record: list[str] | str, text: TextLog) -> Record:
    """Return user, time and URL of a record, or what is wrong with it."""
    if isinstance(record, str):
        return record
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
