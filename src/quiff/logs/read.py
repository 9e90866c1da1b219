"""Logs as tables: text with tabs, commas or semicolons, JSON lines, packed or not, or Parquet.

Every file is first gone through byte by byte: its records are counted, which the run is checked against, and
what engines do not agree upon is found. A file without such oddities is read by the engine itself. All others
are read by plain Python, and handed to the engine as Parquet. Malformed lines, as `quiff.logs.lines`
defines them, are counted and shown; they never stop a run by themselves, nor do they vanish.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any

import ibis
import pyarrow as pa
import pyarrow.parquet as pq

from quiff.errors import ParameterError, QuiffError, counted, engine_line
from quiff.io import StrPath
from quiff.io.blocks import Source, blocks, check_files, find_sources, private_file
from quiff.logs.line_count import LONGEST_LINE, UNIT, LineCount
from quiff.logs.line_records import EXAMPLES, Record, first_bad_lines, records, write_records
from quiff.logs.lines import BOM, BadLine, LogFormat, TextLog, check_columns, look_at_text
from quiff.logs.queries import scalar
from quiff.logs.scan import parquet_files, scan_csv, scan_lines, scan_parquet, spark_can_read, view
from quiff.logs.times import arrow_text, as_text

Examples = Callable[[], tuple[BadLine, ...]]


@dataclass(frozen=True)
class Part:
    """A file of a log, how many records it has by an independent count, and its rows as a table."""

    file: str  # the file as it was named
    records: int  # the records in it, with the line of names
    table: Any  # the rows
    bad_lines: Examples  # finds the first malformed lines
    sources: Sequence[Source]  # the files that it is made of
    # Goes through its records by plain Python: the number of the line or row, and user, time and URL as
    # texts, or what is wrong with them.
    rows: Callable[[], Iterator[tuple[int, Record]]]
    fields: int | None  # the number of its fields; None in JSON


@dataclass(frozen=True)
class Log:
    """A log as a table: user, time, url (texts, null where empty), malformed, and the number of the file."""

    table: Any  # the rows, the files' first lines among them
    # What user, time and url are in a line of names; None if there are no such lines.
    header: tuple[str, str, str] | None
    headers: int  # the number of files whose first line has the names
    parts: tuple[Part, ...]  # the files
    text: TextLog | None = None  # how the files are written; None for Parquet

    @property
    def is_header(self) -> Any:
        """Whether a row is a line that names the columns, as an expression; null where a cell is."""
        if self.header is None:
            return ibis.literal(False)
        user, time, url = self.header
        rows = self.table
        return (rows.url == url) & (rows.time == time) & (rows.user == user)

    @property
    def rows(self) -> int:
        """How many rows the log has by the independent count: records without the first lines."""
        return sum(part.records for part in self.parts) - self.headers

    def bad_lines(self) -> tuple[BadLine, ...]:
        """Find the first malformed lines."""
        return tuple(islice(chain.from_iterable(part.bad_lines() for part in self.parts), EXAMPLES))

    def check_unchanged(self) -> None:
        """Check that the files are as they were."""
        for part in self.parts:
            for source in part.sources:
                source.check()

    def check(self, con: Any, rows: int) -> None:
        """Check that so many rows are all that the files have, and that these are as they were."""
        self.check_unchanged()
        if rows == self.rows:
            return
        off = []
        for part in self.parts:
            found = int(scalar(con, part.table.count()))
            if found != part.records:
                off.append(f"{part.file!r} by {counted(abs(found - part.records), 'line')}")
        raise QuiffError(
            f"the log has {self.rows} rows, but {rows} were read"
            f"{': off is ' + ', '.join(off) if off else ''}; nothing is written"
        )


def read_log(
    con: Any, paths: Sequence[StrPath], form: LogFormat, scratch: Path, *, most_bad: int | None = None
) -> Log:
    """Return a log of one or more files of the same form.

    Paths are of text files, packed by gzip or not, or of Parquet files; a pipe is a text file. `scratch` is a
    folder for what cannot be read in place; it must be there as long as the log is read. More malformed lines
    than `most_bad` are refused, as far as they are known by then.
    """
    files = check_files(paths)
    if not files:
        raise ParameterError("no file is named; name the files of a log")
    packed = {file.suffix == ".parquet" for file in files}
    if len(packed) != 1:
        raise ParameterError("some logs are Parquet and some are text; treat them one kind at a time")
    if packed.pop():
        return _parquet_log(con, files, form)
    text = look_at_text(find_sources(files, scratch), form)
    reading = _Reading(con, text, scratch, most_bad)
    parts = tuple(reading.part(number, source) for number, source in enumerate(text.sources))
    headers = len(parts) if text.headed else 0
    return Log(_union(parts), text.header, headers, parts, text)


def _union(parts: Sequence[Part]) -> Any:
    """Return the rows of all files, with the number of their file."""
    tables = [part.table.mutate(file=ibis.literal(k, "int32")) for k, part in enumerate(parts)]
    return ibis.union(*tables) if len(tables) > 1 else tables[0]


def _parquet_log(con: Any, files: tuple[Path, ...], form: LogFormat) -> Log:
    if form.names or form.delimiter:
        raise ParameterError("Parquet has no delimiter and names its columns itself; leave both options out")
    parts = []
    for file in files:
        insides = [Source.of(inside) for inside in parquet_files(file)]
        try:
            records = sum(pq.read_metadata(inside.path).num_rows for inside in insides)
        except (pa.ArrowException, OSError) as error:
            raise ParameterError(f"cannot read {str(file)!r} as Parquet: {engine_line(error)}") from error
        table = scan_parquet(con, file)
        check_columns(form, tuple(table.columns), str(file))
        chosen = dict(zip(("user", "time", "url"), form.columns, strict=True))
        texts = {name: table[column].cast("string") for name, column in chosen.items()}
        rows = table.select(**texts | {"time": as_text(table[form.time])}, malformed=False)
        listed = partial(_parquet_rows, insides, form)
        parts.append(Part(str(file), records, rows, tuple, insides, listed, len(table.columns)))
    return Log(_union(parts), None, 0, tuple(parts))


def _parquet_rows(sources: Sequence[Source], form: LogFormat) -> Iterator[tuple[int, Record]]:
    """Yield number, user, time and URL of rows, as texts as engines write them."""
    number = 0
    for source in sources:
        with pq.ParquetFile(source.path) as file:
            for batch in file.iter_batches(columns=list(form.columns)):
                texts = [arrow_text(batch[name]).to_pylist() for name in form.columns]
                for user, time, url in zip(*texts, strict=True):
                    number += 1
                    yield number, (user or None, time or None, url or None)


class _Reading:
    """How the files of a log in text are read: by the engine, or by plain Python before it."""

    def __init__(self, con: Any, text: TextLog, scratch: Path, most_bad: int | None) -> None:
        self._con, self._text, self._scratch, self._most_bad = con, text, scratch, most_bad

    def part(self, number: int, source: Source) -> Part:
        """Go through a file, and return its rows."""
        duckdb = self._con.name == "duckdb"
        copy = self._scratch / f"text-{number}"
        unpack = source.packed and duckdb  # which would read it by one thread, and not notice damage
        count = LineCount((self._text.delimiter or ",").encode(), self._text.quoted, len(self._text.names))
        with private_file(copy) if unpack else nullcontext() as file:
            for block in blocks(source):
                count.add(block)
                if file:
                    file.write(block)
        count.end()
        plain = Source.of(copy, source.name) if unpack else source
        if self._is_plain(count, plain):
            table, bad_lines = self._by_duckdb(plain, count) if duckdb else self._by_spark(plain)
        else:
            path = self._scratch / f"records-{number}.parquet"
            examples = write_records(self._text, plain, path, most_bad=self._most_bad)
            table, bad_lines = scan_parquet(self._con, path), lambda: examples
            copy.unlink(missing_ok=True)
        rows = partial(records, self._text, source)
        fields = len(self._text.names) if self._text.delimiter else None
        return Part(source.name, count.records, table, bad_lines, [source], rows, fields)

    def _is_plain(self, count: LineCount, source: Source) -> bool:
        """Say if the engine can be trusted with a file."""
        if count.odd or self._text.delimiter is None:
            return False
        if self._con.name == "duckdb":
            return not (count.quotes and count.ragged)
        return not count.quotes and spark_can_read(source.path)

    def _by_duckdb(self, source: Source, count: LineCount) -> tuple[Any, Examples]:
        text, fields = self._text, len(self._text.names)
        quote = '"' if count.quotes else ""
        # DuckDB takes a line that ends in too many delimiters for a whole one: then it reads lines only.
        columns = ["line"] if count.ragged else [f"c{k}" for k in range(fields)]
        delimiter = UNIT.decode() if count.ragged else text.delimiter
        table = scan_csv(
            self._con, source.path, columns=dict.fromkeys(columns, "VARCHAR"), auto_detect=False,
            header=False, compression="none", delim=delimiter, quote=quote, escape=quote,
            new_line=count.ends.encode("unicode_escape").decode(), max_line_size=2 * LONGEST_LINE,
        )  # fmt: skip
        if not count.ragged:
            cells = [table[columns[k]] for k in text.used]
            user, time, url = [cell.nullif("") for cell in cells] if count.quotes else cells
            return table.select(user=user, time=time, url=url, malformed=False), tuple
        split = table.filter(table.line != "").select(cells=table.line.split(text.delimiter))
        whole = split.cells.length() == fields
        user, time, url = (whole.ifelse(split.cells[k], None).nullif("") for k in text.used)
        examples = tuple(
            BadLine(source.name, line, "too many columns" if found > fields else "missing columns")
            for line, found in count.examples
        )
        return split.select(user=user, time=time, url=url, malformed=~whole), lambda: examples

    def _by_spark(self, source: Source) -> tuple[Any, Examples]:
        from pyspark.sql import functions as f

        text = self._text
        lines = scan_lines(self._con, source.path).where("value <> ''")
        split = f.split(f.regexp_replace("value", f"^{BOM}", ""), f"[{text.delimiter}]", -1)
        whole = f.size(split) == len(text.names)
        cells = [
            f.when(whole & (f.get(split, f.lit(k)) != ""), f.get(split, f.lit(k))).alias(name)
            for k, name in zip(text.used, ("user", "time", "url"), strict=True)
        ]
        table = view(self._con, lines.select(*cells, (~whole).alias("malformed")))
        return table, partial(first_bad_lines, text, source)
