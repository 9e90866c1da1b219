"""Logs in text as they are on disk: how they are written, and where their malformed lines are.

A line is malformed if it does not have as many fields as the first line, or if it is no UTF-8.
"""

import csv
import gzip
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import IO, cast

from quiff.errors import ParameterError, first_line

__all__ = ["BOM", "BadLine", "LogFormat", "TextLog", "check_columns", "look_at_text"]

BOM = "\ufeff"
"""What some editors put before the first line."""

_LONGEST_HEADER = 1 << 20


@dataclass(frozen=True)
class LogFormat:
    """How a log is written; the defaults are those of the AOL search logs.

    Attributes
    ----------
    user, time, url
        The names of the three columns that count.
    delimiter
        What stands between fields; None takes a tab if the first line has one, else a comma.
    quoted
        Whether fields may stand in double quotes; None means with commas yes, with tabs no.
    """

    user: str = "AnonID"
    time: str = "QueryTime"
    url: str = "ClickURL"
    delimiter: str | None = None
    quoted: bool | None = None

    @property
    def columns(self) -> tuple[str, str, str]:
        """The three names in order: user, time, URL."""
        return self.user, self.time, self.url


@dataclass(frozen=True)
class BadLine:
    """A malformed line: where it stands, and what is wrong with it."""

    file: str
    line: int
    reason: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.reason}"


@dataclass(frozen=True)
class TextLog:
    """The files of a log in text, and how they are written in fact."""

    paths: tuple[Path, ...]
    names: tuple[str, ...]
    used: tuple[int, int, int]
    delimiter: str
    quoted: bool

    @property
    def header(self) -> tuple[str, str, str]:
        """What user, time and url are in a first line."""
        user, time, url = (self.names[k] for k in self.used)
        return user, time, url

    def first_bad_lines(self, most: int) -> tuple[BadLine, ...]:
        """Read the files in search of the first malformed lines."""
        return tuple(islice(_malformed(self), most))


def look_at_text(files: tuple[Path, ...], form: LogFormat) -> TextLog:
    """Look at the first line of each file, and return how the files are written.

    Raises
    ------
    ParameterError
        If a file is empty or unreadable, lacks one of the columns, or is not like the others.
    """
    firsts = {file: _line_of_names(file) for file in files}
    line = firsts[files[0]]
    delimiter = form.delimiter or ("\t" if "\t" in line else ",")
    quoted = form.quoted if form.quoted is not None else delimiter != "\t"
    names = tuple(next(_rows([line], delimiter, quoted)))
    for file, first in firsts.items():
        check_columns(form, tuple(next(_rows([first], delimiter, quoted))), file)
        if first != line:
            raise ParameterError(
                f"{str(file)!r} begins with {first!r}, but {str(files[0])!r} with {line!r};"
                " treat files of different forms one by one"
            )
    used = tuple(names.index(column) for column in form.columns)
    return TextLog(files, names, cast("tuple[int, int, int]", used), delimiter, quoted)


def check_columns(form: LogFormat, names: Iterable[str], file: Path) -> None:
    """Check that a file has the columns that count, each once.

    Raises
    ------
    ParameterError
        If it has not.
    """
    names = list(names)
    for option, column in zip(("user", "time", "url"), form.columns, strict=True):
        if names.count(column) != 1:
            raise ParameterError(
                f"{str(file)!r} has the columns {', '.join(map(repr, names))} and not one {column!r};"
                f" name its {option} column by --{option}"
            )


def _line_of_names(file: Path) -> str:
    try:
        with _opened(file) as stream:
            line = stream.readline(_LONGEST_HEADER).decode().removeprefix(BOM).rstrip("\r\n")
    except (OSError, EOFError) as error:
        raise ParameterError(f"cannot read {str(file)!r}: {first_line(error)}") from error
    except UnicodeDecodeError as error:
        raise ParameterError(
            f"line 1 of {str(file)!r} is no UTF-8; convert the file, for example by iconv"
        ) from error
    if not line:
        raise ParameterError(f"{str(file)!r} has no first line that names its columns")
    return line


def _opened(file: Path) -> IO[bytes]:
    return cast("IO[bytes]", gzip.open(file) if file.suffix == ".gz" else file.open("rb"))


def _rows(lines: Iterable[str], delimiter: str, quoted: bool) -> Iterator[list[str]]:
    if quoted:
        return csv.reader(lines, delimiter=delimiter)
    return (line.split(delimiter) for line in lines)


def _malformed(text: TextLog) -> Iterator[BadLine]:
    for path in text.paths:
        with _opened(path) as stream:
            lines = (line.decode("utf-8", "surrogateescape").rstrip("\r\n") for line in stream)
            for number, row in enumerate(_rows(lines, text.delimiter, text.quoted), start=1):
                if row in ([], [""]):
                    continue
                if len(row) != len(text.names):
                    more = len(row) > len(text.names)
                    yield BadLine(str(path), number, "too many columns" if more else "missing columns")
                elif any("\udc80" <= sign <= "\udcff" for field in row for sign in field):
                    yield BadLine(str(path), number, "invalid encoding")
