"""One door for tables: text, JSON lines, Parquet, folders of these and frames become rows of DuckDB.

Nothing is installed, loaded or fetched, names of files are no patterns, and names of folders change nothing.
Text is read as it is written, every cell as text. An error names the line of the file, or the row.
"""

import csv
import io
import tarfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, cast

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from quiff.errors import ParameterError, QuiffError, cannot_read, counted, engine_line
from quiff.io import scratch
from quiff.io.blocks import (
    DAMAGES,
    Source,
    archive_bytes,
    bounded_lines,
    copied,
    damage,
    find_source,
    long_fields,
    opened_lines,
    unreadable,
)
from quiff.io.targets import as_path
from quiff.io.text import Dialect, Text, duckdb_name, listed, open_text
from quiff.safe_text import column_names

_DELIMITERS = ("\t", ",", ";", "|")
_JSON = (".json", ".jsonl", ".ndjson")
_TEXT = (".csv", ".tsv", ".txt", ".gz", ".zst")
_ARCHIVES = (".tar", ".tgz", ".tar.gz", ".tar.bz2", ".tar.xz")
_BELOW = 20  # lines that tell names of columns from data
_PLAIN = ("VARCHAR", "BIGINT", "UBIGINT", "HUGEINT", "DOUBLE", "BOOLEAN")
_NO_UTF8 = "a byte is no UTF-8; convert the file, for example by iconv"
_CARRIAGE_RETURN = "it ends in a carriage return alone; convert the file, for example by tr '\\r' '\\n'"
_LEAST_MEMORY = 1 << 28  # below it DuckDB cannot work well
_SETTINGS: dict[str, Any] = {
    "autoinstall_known_extensions": False,  # nothing is fetched from a network
    "autoload_known_extensions": False,
}


@dataclass(frozen=True)
class Column:
    """A column of a table."""

    name: str  # as in the source
    place: str  # how DuckDB names it there
    kind: str  # of its values, as DuckDB names it; of text always VARCHAR


@dataclass(frozen=True)
class Table:
    """A table that was opened; its rows are those of `source`, in their order, after `load`."""

    con: duckdb.DuckDBPyConnection
    name: str  # what the user calls it, in quotes
    columns: tuple[Column, ...]
    scan: str  # the statement that reads it
    text: Text | None = None
    below: tuple[tuple[str, ...], ...] | None = None  # some rows, where the names of columns may be one
    in_memory: bool = False
    grouped: bool = (
        False  # whether a row of `source` stands for several, the first of which is told by "quiff first"
    )

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(column.name for column in self.columns)

    @property
    def is_text(self) -> bool:
        """Whether cells are as they were written, and types are not known."""
        return self.text is not None

    def listed_columns(self, *, sure: bool = False) -> str:
        """Return the names of the columns for a message: where they may be somebody's data, their forms."""
        return column_names(self.names, None if sure else self.below)

    def column(self, name: str) -> Column:
        """Return a column by its name, which must be there once."""
        columns = [column for column in self.columns if column.name == name]
        if len(columns) != 1:
            times = "twice" if columns else "not"
            raise ParameterError(
                f"the column {name!r} is {times} in {self.name}; it has {self.listed_columns()}",
                what="a column",
                value=name,
            )
        return columns[0]

    def load(self, names: Sequence[str]) -> int:
        """Make the rows of some columns known as `source`, and return their number; text is checked."""
        places = [f"{self.column(name).place} AS {quoted(name)}" for name in names] or ["1 AS nothing"]
        query = f"SELECT {', '.join(places)} FROM ({self.scan})"  # noqa: S608 - quoted
        if self.text is None:
            self.con.execute(f"CREATE OR REPLACE TEMP VIEW source AS {query}")
            return int(self.con.execute("SELECT count(*) FROM source").fetchall()[0][0])
        ((rows,),) = self.con.execute(f"CREATE OR REPLACE TEMP TABLE source AS {query}").fetchall()
        self.text.check(rows)
        for reject in self.text.first_rejects(1):
            raise QuiffError(
                _fault(self.text, reject.kind, reject.file, reject.line),
                where=f"{reject.file!r}, line {reject.line}",
            )
        return int(rows)

    def at(self, row: int) -> str:
        """Say where a row stands, counted from 0."""
        if self.grouped:
            query = f'SELECT "quiff first" FROM source ORDER BY 1 LIMIT 1 OFFSET {row}'  # noqa: S608
            row = self.con.execute(query).fetchall()[0][0]
        if self.in_memory:
            return f"row {row} of {self.name}, counted from 0"
        return f"{self.name}, row {row + 1}" if self.text is None else _line_of(self.text, row)


@dataclass(frozen=True)
class Fault:
    """What may be wrong with a row: a condition in SQL, and what an error says, given a cell of it."""

    condition: str
    message: Callable[[Any], str]
    cell: str = "NULL"
    error: type[QuiffError] = QuiffError


def check_rows(table: Table, faults: Sequence[Fault], rows: str = "source") -> None:
    """Raise an error for the first row that has the first of some faults that occurs.

    Examples
    --------
    >>> with open_table(pa.table({"age": [3, -1, -2]})) as table:
    ...     _ = table.load(["age"])
    ...     check_rows(table, [Fault("age < 0", lambda age: f"an age of {age} is no age", "age")])
    Traceback (most recent call last):
    quiff.errors.QuiffError: row 1 of the frame, counted from 0: an age of -1 is no age
    """
    if not faults:
        return
    occurs = ", ".join(f"coalesce(bool_or({fault.condition}), false)" for fault in faults)
    occurring = table.con.execute(f"SELECT {occurs} FROM {rows}").fetchall()[0]  # noqa: S608 - our own
    for fault, is_there in zip(faults, occurring, strict=True):
        if is_there:
            query = (
                f'SELECT "quiff row", {fault.cell} FROM (SELECT *, row_number() OVER () - 1 AS "quiff row"'  # noqa: S608
                f' FROM {rows}) WHERE {fault.condition} ORDER BY "quiff row" LIMIT 1'
            )
            row, cell = table.con.execute(query).fetchall()[0]
            raise fault.error(fault.message(cell), where=table.at(row))


@contextmanager
def open_table(
    source: object, *, memory: float | None = None, con: duckdb.DuckDBPyConnection | None = None
) -> Iterator[Table]:
    """Open a file, a folder of files of the same form, or a frame; ``-`` is the standard input.

    DuckDB may take so much `memory`, in bytes, and keeps on disk what does not fit. `con` is a
    connection that is there already.

    Examples
    --------
    >>> with open_table(pa.table({"user": ["Ann", "Bob"], "t1": [1, 2]})) as table:
    ...     table.load(["t1"])
    ...     table.con.execute("SELECT sum(t1) FROM source").fetchall()
    2
    [(3,)]
    """
    folder = scratch.make_temporary("tables")
    borrowed = con
    settings = _SETTINGS | {"temp_directory": str(folder)}
    if memory is not None:
        settings["memory_limit"] = f"{int(max(memory, _LEAST_MEMORY))}B"
    try:
        with duckdb.connect(config=settings) if con is None else nullcontext(con) as con:
            scratch.interruptible(con)
            if hasattr(source, "__arrow_c_stream__"):
                con.register("frame", pa.table(source))
                yield _described(con, "the frame", "SELECT * FROM frame", in_memory=True)
            else:
                yield _open(con, as_path(source), folder)
    finally:
        if borrowed is not None:
            _forget(borrowed)
        scratch.drop(folder)


def _forget(con: duckdb.DuckDBPyConnection) -> None:
    """Drop what was made on a connection that goes on."""
    tables = con.execute("SELECT table_name, table_type FROM information_schema.tables").fetchall()
    for name, kind in (table for table in tables if table[0] in ("people", "source")):
        con.execute(f"DROP {'VIEW' if kind == 'VIEW' else 'TABLE'} {name}")


def _open(con: duckdb.DuckDBPyConnection, path: Path, folder: Path) -> Table:
    name = repr(str(path))
    if path == Path("-"):
        path = Path("/dev/stdin")
    if not path.exists():
        raise QuiffError(f"there is no file {name}", what="the input", value=str(path))
    files = _files_in(path) if path.is_dir() else (path,)
    if files[0].suffix == ".parquet":
        try:
            names = [pq.read_schema(file).names for file in files]
        except (pa.ArrowException, OSError) as error:
            raise unreadable(path, error, " as Parquet") from error
        scan = f"SELECT * FROM read_parquet({listed(map(duckdb_name, files))}, hive_partitioning = false)"  # noqa: S608
        table = _described(con, name, scan)
        columns = zip(table.columns, names[0], strict=True)  # DuckDB renames one that differs in case only
        return replace(table, columns=tuple(replace(column, name=own) for column, own in columns))
    sources = [_source(file, folder / f"copy-{number}") for number, file in enumerate(files)]
    if any(file.name.removesuffix(".gz").removesuffix(".zst").endswith(_JSON) for file in files):
        return _open_json(con, name, sources, folder)
    return _open_text(con, name, sources, folder)


def _files_in(folder: Path) -> tuple[Path, ...]:
    """Return the Parquet files below a folder, or else its text files, without hidden ones."""
    below = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    below = [
        path for path in below if not any(p.startswith((".", "_")) for p in path.relative_to(folder).parts)
    ]
    for suffixes in ((".parquet",), _JSON, _TEXT):
        files = tuple(path for path in below if path.suffix in suffixes)
        if files:
            return files
    raise QuiffError(f"the folder {str(folder)!r} has no Parquet file, and no table of text either")


def _source(file: Path, copy: Path) -> Source:
    """Look at a file; a pipe, and the one file of an archive, become the file `copy`."""
    if not file.name.endswith(_ARCHIVES):
        return find_source(file, copy)
    try:
        with archive_bytes(file) as packed, tarfile.open(fileobj=packed, mode="r|") as archive:
            files = (member for member in archive if member.isfile())
            first = next(files, None)
            if first is None:
                raise QuiffError(f"{str(file)!r} has no file; an archive of one is expected")
            with bounded_lines(cast("BinaryIO", archive.extractfile(first)), str(file)) as stream:
                copied(stream, copy)
            if next(files, None) is not None:
                raise QuiffError(f"{str(file)!r} has several files; an archive of one is expected")
            while packed.read(1 << 20):
                pass  # the digest stands behind the last byte
    except (*DAMAGES, tarfile.TarError) as error:
        raise unreadable(file, error) from error
    return Source.of(copy, str(file))


def _described(con: duckdb.DuckDBPyConnection, name: str, scan: str, in_memory: bool = False) -> Table:
    try:
        rows = con.execute(f"DESCRIBE {scan}").fetchall()
    except duckdb.Error as error:
        raise QuiffError(f"cannot read {name}: {engine_line(error)}") from error
    columns = []
    for column, kind, *_ in rows:
        is_enum = kind.startswith("ENUM")  # of a frame
        place = f"CAST({quoted(column)} AS VARCHAR)" if is_enum else quoted(column)
        columns.append(Column(column, place, "VARCHAR" if is_enum else kind))
    return Table(con, name, tuple(columns), scan, in_memory=in_memory)


def _open_json(con: duckdb.DuckDBPyConnection, name: str, sources: Sequence[Source], folder: Path) -> Table:
    """Open files of JSON lines: numbers are numbers, and all else is text as it is written, or lists."""
    files = []
    for number, source in enumerate(sources):
        files.append(folder / f"json-{number}" if source.packed else source.path)
        if source.packed:
            with opened_lines(source) as stream:
                copied(stream, files[-1])
    read = f"read_json({listed(map(duckdb_name, files))}, hive_partitioning = false"
    table = _described(con, name, f"SELECT * FROM {read}, sample_size = -1)")  # noqa: S608 - quoted
    kinds = []
    for column in table.columns:
        element = column.kind.removesuffix("[]")
        kind = (element if element in _PLAIN else "VARCHAR") + column.kind[len(element) :]
        kinds.append(replace(column, kind=kind))
    typed = ", ".join(f"{column.place}: '{column.kind}'" for column in kinds)
    scan = f"SELECT * FROM {read}, columns = {{{typed}}})"  # noqa: S608 - quoted
    return replace(table, columns=tuple(kinds), scan=scan)


def _open_text(con: duckdb.DuckDBPyConnection, name: str, sources: Sequence[Source], folder: Path) -> Table:
    head, *more = [_first_lines(source) for source in sources]
    where = f"{sources[0].name!r}, line 1"
    delimiter = max(_DELIMITERS[1:], key=head[0].count) if "\t" not in head[0] else "\t"
    quote = "" if delimiter == "\t" else '"'
    try:
        names = _cells(head[0], delimiter, quote)
    except csv.Error as error:
        raise QuiffError(f"it is no CSV, {error}", where=where) from error
    for source, lines in zip(sources[1:], more, strict=True):
        if lines[0] != head[0]:
            raise QuiffError(
                "it names other columns than the first file of the folder; read files of different forms"
                " one by one",
                where=f"{source.name!r}, line 1",
            )
    text = open_text(con, sources, Dialect(names, delimiter, quote), folder)
    below = tuple(tuple(cell.strip().strip('"') for cell in line.split(delimiter)) for line in head[1:])
    columns = tuple(
        Column(column, place, "VARCHAR") for column, place in zip(names, text.columns, strict=True)
    )
    return Table(con, name, columns, text.query, text, below)


def _first_lines(source: Source) -> list[str]:
    """Return the first line of a file, which names its columns, and some below."""
    where = f"{source.name!r}, line 1"
    try:
        with opened_lines(source) as stream:
            first, *below = [*islice(stream, _BELOW + 1)] or [b""]
    except DAMAGES as error:
        raise damage(source, error) if source.packed else cannot_read(source.name, error) from error
    try:
        line = first.decode("utf-8-sig").rstrip("\r\n")
    except UnicodeDecodeError as error:
        raise QuiffError(_NO_UTF8, where=where) from error
    if not first:
        raise QuiffError("the file is empty; its first line must name its columns", where=where)
    if not line.strip():
        raise QuiffError("it is empty, but must name the columns; take it out", where=where)
    if "\r" in line:
        raise QuiffError(_CARRIAGE_RETURN, where=where)
    return [line, *(content.decode(errors="replace").rstrip("\r\n") for content in below)]


def _cells(line: str, delimiter: str, quote: str) -> tuple[str, ...]:
    with long_fields():
        reader = csv.reader([line], delimiter=delimiter, quoting=0 if quote else csv.QUOTE_NONE)
        return tuple(cell.strip() for cell in next(reader))


def _fault(text: Text, kind: str, file: str, line: int) -> str:
    """Say what is wrong with a rejected line, and what to do."""
    if kind == "invalid encoding":
        return _NO_UTF8
    if kind == "misplaced quote":
        return (
            "text follows a closing quote, or a quote is not closed; close it, and double quotes within text"
        )
    if kind == "line too long":
        return f"it is longer than {text.longest >> 20} MiB; is it a table?"
    source = next(source for source in text.sources if source.name == file)
    with opened_lines(source) as stream:
        content = next(islice(stream, line - 1, None)).decode(errors="replace").rstrip("\r\n")
    fields = len(_cells(content, text.dialect.delimiter, text.dialect.quote))
    return (
        f"it has {counted(fields, 'field')}, but the first line {len(text.dialect.names)};"
        " give each line as many, or put text with commas in quotes"
    )


def _line_of(text: Text, row: int) -> str:
    """Say on which line of which file a row begins; nothing was rejected."""
    for source in text.sources:
        with long_fields(), opened_lines(source) as stream:
            lines = io.TextIOWrapper(stream, "utf-8-sig", errors="replace", newline="")
            reader = csv.reader(
                lines, delimiter=text.dialect.delimiter, quoting=0 if text.dialect.quote else csv.QUOTE_NONE
            )
            before, begin = -1, 1  # rows before this one, but for the names
            for cells in reader:
                if cells and before == row:
                    break
                before, begin = before + bool(cells), reader.line_num + 1
            else:
                if source is not text.sources[-1]:
                    row -= before
                    continue
            return f"{source.name!r}, line {begin}"
    return ""


def quoted(name: str) -> str:
    """Return a name of a column as SQL writes it; an empty one, which SQL does not know, as a blank."""
    return '"' + (name or " ").replace('"', '""') + '"'
