"""Logs as tables: text with tabs, commas, semicolons or bars, JSON lines, packed or not, or Parquet.

Text is read by DuckDB, whichever engine runs the pipeline, and handed on as Parquet; `quiff.io.text` counts
its lines by their bytes, and refuses what cannot be read safely. Malformed lines are counted and shown; they
never stop a run by themselves, nor do they vanish.
"""

import csv
import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

import ibis
import pyarrow as pa
import pyarrow.parquet as pq

from quiff.errors import ParameterError, QuiffError, counted, engine_line
from quiff.io import StrPath
from quiff.io.blocks import Source, blocks, check_files, find_sources, opened_lines
from quiff.io.text import Dialect, Reject, Text, open_text
from quiff.logs.engine import connect
from quiff.logs.queries import telling, temporary
from quiff.logs.scan import parquet_files, scan_parquet
from quiff.logs.times import arrow_text, as_text
from quiff.safe_text import are_names, column_names, looks_like_data

BOM = "\ufeff"  # what some editors put before the first line
LONGEST_LINE = 1 << 20  # the bytes that a line may have; one with more is malformed
_UNIT = "\x1f"  # a delimiter that no line of JSON has
_DELIMITERS = ("\t", ",", ";", "|")
_LOOKED_AT = 1000  # objects, for the names in them
_EXAMPLES = 5  # of malformed lines that are shown
_Rows = Sequence[Sequence[str]]
_Cells = tuple[str | None, ...]
_COLUMNS = ("user", "time", "url")
_REMEDY = "close it, or say that quotes are plain characters by --not-quoted"


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
class TextForm:
    """How the files of a log in text are written in fact."""

    names: tuple[str, ...]  # the names of all columns; in JSON of those that count
    delimiter: str | None  # what stands between fields; None in JSON
    quoted: bool  # whether fields may stand in quotes
    headed: bool  # whether the first line of each file has the names

    @property
    def dialect(self) -> Dialect:
        """How DuckDB reads it; an object is a line of one field."""
        if self.delimiter is None:
            return Dialect(("line",), _UNIT, "", header=False)
        return Dialect(self.names, self.delimiter, '"' if self.quoted else "", self.headed)

    def cells(self, line: str, columns: Sequence[str]) -> _Cells | None:
        """Return what a line says of some columns; None if it is no row."""
        if self.delimiter is None:
            objects = json_object(line)
            return None if objects is None else tuple(objects.get(name) or None for name in columns)
        fields = line.split(self.delimiter)
        if self.quoted and '"' in line:
            fields = next(csv.reader([line], delimiter=self.delimiter), [])
        if len(fields) != len(self.names):
            return None
        return tuple(fields[self.names.index(name)] or None for name in columns)


@dataclass(frozen=True)
class Log:
    """A log as a table: user, time, url (texts, null where empty), malformed, and the number of the file."""

    table: Any
    form: LogFormat
    sources: tuple[Source, ...]  # the files in order; of Parquet also those in folders
    files: tuple[str, ...]  # the names of the files by their numbers
    rows: int  # by an independent count, rejected lines included
    rejected: int = 0  # the lines that are no rows of the table, as far as it was read
    bad_lines: tuple[Reject, ...] = ()  # the first of them
    unread: Text | None = None  # text that DuckDB reads with the table, once
    text: TextForm | None = None  # how the files are written; None for Parquet
    fields: int | None = None  # of a row; None in JSON

    @property
    def is_header(self) -> Any:
        """Whether a row is a line that names the columns, as an expression; null where a cell is."""
        if self.text is None or self.text.delimiter is None:
            return ibis.literal(False)
        rows, form = self.table, self.form
        return (rows.url == form.url) & (rows.time == form.time) & (rows.user == form.user)

    def check_unchanged(self) -> None:
        """Check that the files are as they were."""
        for source in self.sources:
            source.check()

    def counted(self, rows: int) -> "Log":
        """Return the log with its rejected lines, once so many rows of its table were read."""
        if self.unread is None:
            return self
        self.check_unchanged()
        self.unread.check(rows)
        rejected = self.unread.n_rejects
        examples = self.unread.first_rejects(_EXAMPLES)
        return replace(self, unread=None, rows=rows + rejected, rejected=rejected, bad_lines=examples)

    def check_bad(self, malformed: int, most: int) -> tuple[Reject, ...]:
        """Return the first malformed lines; more of them than `most` are refused."""
        bad = self.bad_lines
        if malformed > self.rejected:
            bad = tuple(islice(_bad_objects(self.sources, self.form.columns), _EXAMPLES))
        if malformed > most:
            raise QuiffError(
                f"more than {most} lines are malformed, such as {'; '.join(map(str, bad))};"
                " mend the log, or allow for more by --max-bad-lines"
            )
        return bad

    def check(self, rows: int) -> None:
        """Check that so many rows are all that the files have, and that these are as they were."""
        self.check_unchanged()
        if rows != self.rows:
            raise QuiffError(
                f"the log has {counted(self.rows, 'row')}, but {rows} were read; nothing is written"
            )

    def numbered(self) -> Iterator[tuple[Source, int, _Cells | None]]:
        """Yield file and number of each line or row, and its user, time and URL, by plain Python."""
        for source in self.sources:
            if self.text is None:
                yield from _parquet_rows(source, self.form.columns)
                continue
            with opened_lines(source) as lines:
                for number, line in enumerate(lines, start=1):
                    text = line.decode(errors="replace").strip("\r\n")
                    yield source, number, self.text.cells(text, self.form.columns)


@contextmanager
def read_log(con: Any, paths: Sequence[StrPath], form: LogFormat, folder: Path) -> Iterator[Log]:
    """Give a log of one or more files of the same form, for as long as it is read.

    Paths are of text files, packed or not, or of Parquet files; a pipe is a text file. What cannot be read in
    place lies in a folder. A table of text is to be read once, and :meth:`Log.counted` to be called then.
    """
    files = check_files(paths)
    if not files:
        raise ParameterError("no file is named; name the files of a log")
    packed = {file.suffix == ".parquet" for file in files}
    if len(packed) != 1:
        raise ParameterError("some logs are Parquet and some are text; treat them one kind at a time")
    name = f"log_{os.urandom(8).hex()}"
    log = _parquet_log(con, files, form) if packed.pop() else _text_log(con, files, form, folder, name)
    try:
        yield log
    finally:
        if con.name == "duckdb":
            con.con.execute(f"DROP VIEW IF EXISTS {name}")


def _text_log(con: Any, files: tuple[Path, ...], form: LogFormat, folder: Path, name: str) -> Log:
    sources = find_sources(files, folder)
    text_form = look_at_text(sources, form)
    names = tuple(source.name for source in sources)
    if text_form.delimiter is None:
        columns, fields = _of_objects(form.columns), None
    else:
        cells = [f"nullif(c{text_form.names.index(column)}, '')" for column in form.columns]
        columns, fields = [*cells, "false"], len(text_form.names)
    chosen = dict(zip((*_COLUMNS, "malformed"), columns, strict=True)) | {"file": "file"}
    if con.name != "duckdb":
        text, table, rows = read_text(con, sources, text_form.dialect, chosen, folder, name)
        log = Log(table, form, sources, names, 0, 0, (), text, text_form, fields)
        return log.counted(rows)
    text, query = _text_query(con, sources, text_form.dialect, chosen, folder)
    con.con.execute(f"CREATE TEMP VIEW {name} AS {query}")
    kinds = dict.fromkeys(_COLUMNS, "string") | {"malformed": "boolean", "file": "int32"}
    return Log(temporary(con, name, kinds), form, sources, names, 0, 0, (), text, text_form, fields)


def _text_query(
    con: Any, sources: Sequence[Source], dialect: Dialect, columns: Mapping[str, str], folder: Path
) -> tuple[Text, str]:
    """Return text, and the statement by which DuckDB reads some columns, SQL over those of the text."""
    text = open_text(con.con, sources, dialect, folder, longest=LONGEST_LINE, remedy=_REMEDY)
    chosen = ", ".join(f"{cell} AS {name}" for name, cell in columns.items())
    looked = " AND ".join(f"{name} IS NOT NULL" for name in text.columns)  # so that each cell must be UTF-8
    return text, f"SELECT {chosen} FROM ({text.query}) WHERE {looked}"  # noqa: S608 - our own names


def read_text(
    con: Any, sources: Sequence[Source], dialect: Dialect, columns: Mapping[str, str], folder: Path, name: str
) -> tuple[Text, Any, int]:
    """Return the text of files as a checked table of an engine, and the number of its rows.

    DuckDB reads it, whatever the engine, into a Parquet file of a name in a folder. The columns are SQL over
    those of :attr:`quiff.io.text.Text.columns`.
    """
    reader = con if con.name == "duckdb" else connect()
    path = folder / f"{name}.parquet"
    target = str(path).replace("'", "''")
    text, query = _text_query(reader, sources, dialect, columns, folder)
    with telling(reader):
        copied = reader.con.execute(f"COPY ({query}) TO '{target}' (FORMAT parquet)")
        rows = int(copied.fetchall()[0][0])
    text.check(rows)
    return text, scan_parquet(con, path), rows


def _of_objects(names: Sequence[str]) -> list[str]:
    """Return what an object says under three names, and whether its line is malformed, in SQL."""
    keys = ["'/" + re.sub("[~/]", _pointer, name).replace("'", "''") + "'" for name in names]
    valid = "CASE WHEN json_valid(c0) THEN c0 END"
    kinds = [f"coalesce(json_type({valid}, {key}), 'NULL') IN ('ARRAY', 'OBJECT', 'BOOLEAN')" for key in keys]
    cells = [f"nullif({valid} ->> {key}, '')" for key in keys]
    return [*cells, f"coalesce(json_type({valid}) <> 'OBJECT' OR {' OR '.join(kinds)}, true)"]


def _pointer(sign: re.Match[str]) -> str:
    return "~0" if sign[0] == "~" else "~1"


def _bad_objects(sources: Sequence[Source], names: Sequence[str]) -> Iterator[Reject]:
    """Yield the lines that are no object with texts or numbers, as Python finds them."""
    for source in sources:
        with opened_lines(source) as lines:
            for number, line in enumerate(lines, start=1):
                text = line.decode(errors="replace").strip("\r\n").removeprefix(BOM)
                values = json_object(text)
                if text and values is None:
                    yield Reject(source.name, number, "no JSON object")
                elif values and any(not isinstance(values.get(name, ""), str | None) for name in names):
                    yield Reject(source.name, number, "neither text nor number")


def _parquet_log(con: Any, files: tuple[Path, ...], form: LogFormat) -> Log:
    if form.names or form.delimiter:
        raise ParameterError("Parquet has no delimiter and names its columns itself; leave both options out")
    sources, tables, records, fields = [], [], 0, 0
    for number, file in enumerate(files):
        parts = [Source.of(inside) for inside in parquet_files(file)]
        sources += parts
        try:
            records += sum(pq.read_metadata(part.path).num_rows for part in parts)
        except (pa.ArrowException, OSError) as error:
            raise ParameterError(f"cannot read {str(file)!r} as Parquet: {engine_line(error)}") from error
        table = scan_parquet(con, file)
        check_columns(form, tuple(table.columns), str(file))
        fields = len(table.columns)
        user, url = (table[name].cast("string").nullif("") for name in (form.user, form.url))
        tables.append(
            table.select(
                user=user,
                time=as_text(table[form.time]),
                url=url,
                malformed=False,
                file=ibis.literal(number, "int32"),
            )
        )
    table = ibis.union(*tables) if len(tables) > 1 else tables[0]
    return Log(table, form, tuple(sources), tuple(map(str, files)), records, fields=fields)


def _parquet_rows(source: Source, columns: Sequence[str]) -> Iterator[tuple[Source, int, _Cells]]:
    """Yield the cells of rows as texts, as engines write them."""
    number = 0
    with pq.ParquetFile(source.path) as file:
        for batch in file.iter_batches(columns=list(columns)):
            texts = [arrow_text(batch[name]).to_pylist() for name in columns]
            for cells in zip(*texts, strict=True):
                number += 1
                yield source, number, tuple(cell or None for cell in cells)


def look_at_text(sources: tuple[Source, ...], form: LogFormat) -> TextForm:
    """Look at the first line of each file, and return how the files are written."""
    heads = {source.name: first_lines(source) for source in sources}
    lines = {name: head[0] for name, head in heads.items()}
    if any(line.lstrip().startswith(("{", "[")) for line in lines.values()):
        return _json_form(heads, form)
    first, line = next(iter(lines.items()))
    delimiter = form.delimiter or _delimiter_of(line, form)
    quoted = form.quoted if form.quoted is not None else delimiter != "\t"
    names = form.names or _fields(line, delimiter, quoted, first)
    for name, first_line in lines.items():
        if form.names is not None:
            fields = first_line.count(delimiter) + 1
            if fields != len(names) and not (quoted and '"' in first_line):
                raise ParameterError(
                    f"line 1 of {name!r} has {fields} fields, but {len(names)} columns are named"
                )
            continue
        names_of_file = _fields(first_line, delimiter, quoted, name)
        below = _below(heads[name], delimiter)
        check_columns(form, names_of_file, name, below)
        if names_of_file != names:
            expected = column_names(names, _below(heads[first], delimiter))
            raise ParameterError(
                f"{name!r} begins with the columns {column_names(names_of_file, below)}, but {first!r} with"
                f" {expected}; treat files of different forms one by one"
            )
    check_columns(form, names, first)
    return TextForm(names, delimiter, quoted, form.names is None)


def check_columns(form: LogFormat, names: Sequence[str], file: str, below: _Rows | None = None) -> None:
    """Check that a file has the columns that count, each once.

    If the names are its first line, which may be data, `below` has the fields of some lines below.
    """
    for option, column in zip(_COLUMNS, form.columns, strict=True):
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


def first_lines(source: Source) -> list[str]:
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
    return [line, *(filled for filled in rest[:_LOOKED_AT] if filled)]


def _json_form(heads: Mapping[str, list[str]], form: LogFormat) -> TextForm:
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
        names = tuple({name: None for entry in objects for name in entry})
        check_columns(form, names, file, [[str(entry.get(name)) for name in names] for entry in objects])
    return TextForm(form.columns, None, False, False)


def json_object(line: str) -> dict[str, Any] | None:
    """Return the object that a line of JSON is, its numbers as they are written; None if it is none."""
    try:
        entry = json.loads(line, parse_int=str, parse_float=str, parse_constant=str)  # as written
    except (ValueError, RecursionError):
        return None
    return entry if isinstance(entry, dict) else None
