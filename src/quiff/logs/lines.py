r"""Logs in text as they are on disk: how they are written, and which of their lines are malformed.

A record is a line, which ends with ``\n``, ``\r\n`` or ``\r``; blank lines are none. Where fields may stand
in quotes, a record may go over several lines. It is malformed if it does not have as many fields as the first
line, is no UTF-8, has more than 100 lines or one longer than a mebibyte, or text after a closing quote. Of a
malformed record that goes over several lines only the first one is taken for it, and the next line begins
another: a quote that is never closed costs one line.
"""

import csv
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, cast

from quiff.errors import ParameterError
from quiff.io.blocks import Source, blocks
from quiff.safe_text import are_names, column_names, looks_like_data

BOM = "\ufeff"  # what some editors put before the first line
LONGEST_LINE = 1 << 20  # the bytes that a line may have; one with more is malformed
_DELIMITERS = ("\t", ",", ";", "|")
_Rows = Sequence[Sequence[str]]
_LOOKED_AT = 1000  # objects, for the names in them


@dataclass(frozen=True)
class LogFormat:
    """How a log is written; the defaults are those of the AOL search logs."""

    # The names of the three columns that count.
    user: str = "AnonID"
    time: str = "QueryTime"
    url: str = "ClickURL"
    # What stands between fields; None takes the one of tab, comma, semicolon, bar that the first line has.
    delimiter: str | None = None
    # Whether fields may stand in double quotes; None means with tabs no, else yes.
    quoted: bool | None = None
    # The names of all columns, if the first line does not tell them; None if it does.
    names: tuple[str, ...] | None = None

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

    sources: tuple[Source, ...]  # the files
    names: tuple[str, ...]  # the names of all columns
    used: tuple[int, int, int]  # the places of user, time and URL among them
    # What stands between fields, None in JSON; and whether they may stand in quotes.
    delimiter: str | None
    quoted: bool
    headed: bool  # whether the first line of each file has the names

    @property
    def header(self) -> tuple[str, str, str] | None:
        """What user, time and url are in a line of names; None in JSON, which has none."""
        if self.delimiter is None:
            return None
        user, time, url = (self.names[k] for k in self.used)
        return user, time, url


def look_at_text(sources: tuple[Source, ...], form: LogFormat) -> TextLog:
    """Look at the first line of each file, and return how the files are written."""
    heads = {source.name: _first_lines(source) for source in sources}
    lines = {name: head[0] for name, head in heads.items()}
    if any(line.lstrip().startswith(("{", "[")) for line in lines.values()):
        return _json_log(sources, heads, form)
    first, line = next(iter(lines.items()))
    delimiter = form.delimiter or _delimiter_of(line, form)
    quoted = form.quoted if form.quoted is not None else delimiter != "\t"
    names = form.names or _fields(line, delimiter, quoted, first)
    for name, other in lines.items():
        if form.names is not None:
            fields = other.count(delimiter) + 1
            if fields != len(names) and not (quoted and '"' in other):
                raise ParameterError(
                    f"line 1 of {name!r} has {fields} fields, but {len(names)} columns are named"
                )
            continue
        own = _fields(other, delimiter, quoted, name)
        below = _below(heads[name], delimiter)
        check_columns(form, own, name, below)
        if own != names:
            known = column_names(names, _below(heads[first], delimiter))
            raise ParameterError(
                f"{name!r} begins with the columns {column_names(own, below)}, but {first!r} with {known};"
                " treat files of different forms one by one"
            )
    check_columns(form, names, first)
    used = cast("tuple[int, int, int]", tuple(names.index(column) for column in form.columns))
    return TextLog(sources, names, used, delimiter, quoted, form.names is None)


def check_columns(form: LogFormat, names: Sequence[str], file: str, below: _Rows | None = None) -> None:
    """Check that a file has the columns that count, each once.

    If the names are its first line, which may be data, `below` has the fields of some lines below.
    """
    for option, column in zip(("user", "time", "url"), form.columns, strict=True):
        if names.count(column) == 1:
            continue
        if form.names is None and looks_like_data(names):
            listed = column_names(names, ())
            raise ParameterError(
                f"the first line of {file!r} looks like data, not like names of columns: {listed};"
                f" name all its columns in order by --columns, such as --columns {','.join(form.columns)}"
            )
        raise ParameterError(
            f"{file!r} has the columns {column_names(names, below)} and not one {column!r};"
            f" name its {option} column by --{option}"
            + (
                ""
                if below is None or are_names(names, below)
                else ", or all columns by --columns if its first line is data"
            )
        )


def _below(lines: Sequence[str], delimiter: str) -> _Rows:
    """Return the fields of the lines below the first one."""
    return [[cell.strip('"') for cell in line.split(delimiter)] for line in lines[1:]]


def _delimiter_of(line: str, form: LogFormat) -> str:
    """Return the delimiter that gives the columns, or else the one that is there most often."""
    for delimiter in _DELIMITERS:
        fields = [field.strip('"') for field in line.split(delimiter)]
        if len(fields) == len(form.names) if form.names else set(form.columns) <= set(fields):
            return delimiter
    return "\t" if "\t" in line else max(_DELIMITERS[1:], key=line.count)


def _fields(line: str, delimiter: str, quoted: bool, file: str) -> tuple[str, ...]:
    if not quoted:
        return tuple(line.split(delimiter))
    try:
        return tuple(next(csv.reader([line], delimiter=delimiter, strict=True)))
    except csv.Error as error:
        raise ParameterError(
            f"line 1 of {file!r} has a quote that does not close, or text after it"
        ) from error


def _first_lines(source: Source) -> list[str]:
    """Return the lines that are in the first mebibyte of a file, at most so many as are looked at."""
    head = b"".join(islice(blocks(source), 3))[: LONGEST_LINE + 2]
    first = re.split(b"[\r\n]", head, maxsplit=1)[0]
    if first.count(b"\0") > len(first) // 4 > 0:
        raise ParameterError(f"{source.name!r} seems to be in UTF-16; convert it by iconv -f UTF-16 -t UTF-8")
    if len(first) > LONGEST_LINE:
        raise ParameterError(
            f"line 1 of {source.name!r} is longer than {LONGEST_LINE} bytes; it names no columns"
        )
    try:
        line = first.decode().removeprefix(BOM)
    except UnicodeDecodeError as error:
        raise ParameterError(
            f"line 1 of {source.name!r} is no UTF-8; convert the file, for example by iconv"
        ) from error
    if not line:
        raise ParameterError(f"{source.name!r} has no first line that names its columns")
    rest = head[len(first) :].decode(errors="replace").splitlines()
    rest = rest[:-1] if len(head) > LONGEST_LINE else rest  # the last one may be cut
    return [line, *(other for other in rest[:_LOOKED_AT] if other)]


def _json_log(sources: tuple[Source, ...], heads: dict[str, list[str]], form: LogFormat) -> TextLog:
    """Check that files have an object a line, with the three names in some of the first ones."""
    for file, lines in heads.items():
        first = json_object(lines[0])
        if first is None:
            raise ParameterError(
                f"{file!r} looks like JSON, but its first line is not an object; write one object a line,"
                " for example by jq -c"
            )
        if form.delimiter or form.names:
            raise ParameterError(f"{file!r} is in JSON, which has no delimiter and names its columns itself")
        objects = [json_object(line) or {} for line in lines]
        names = tuple({name: None for found in objects for name in found})
        check_columns(form, names, file, [[str(found.get(name)) for name in names] for found in objects])
    return TextLog(sources, form.columns, (0, 1, 2), None, False, headed=False)


def json_object(line: str) -> dict[str, Any] | None:
    """Return the object that a line of JSON is, its numbers as they are written; None if it is none."""
    try:
        found = json.loads(line, parse_int=str, parse_float=str, parse_constant=str)  # as written
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
