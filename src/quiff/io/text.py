r"""Tables in text, read by DuckDB alone and checked against their bytes: no line vanishes.

DuckDB reads by RFC 4180 and rejects each line that does not follow it, with its number and the kind of fault.
Left alone it would take an unclosed quote for the beginning of a long value, and every line up to the next
quote for a part of that. So the lines of each file are counted from its bytes, which shares nothing with the
reader, and must be as many as rows, rejected lines and line ends inside values together. What cannot be read
safely is refused with the line and the remedy: unclosed quotes, NUL bytes, and line ends of several kinds.
Blank lines are no rows. A line that ends in more delimiters than the first one has empty fields there, which
are left out.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from pathlib import Path

import duckdb
import numpy as np

from quiff.errors import ParameterError
from quiff.io.blocks import LONGEST, Source, blocks, opened_lines, private_file

FAULTS = {
    "LINE SIZE OVER MAXIMUM": "line too long",
    "UNQUOTED VALUE": "misplaced quote",
    "INVALID ENCODING": "invalid encoding",
    "MISSING COLUMNS": "missing columns",
    "TOO MANY COLUMNS": "too many columns",
}
"""The kinds of rejected lines, by DuckDB's names; a line with several faults counts as the first of them."""

_BUFFER = 1 << 23  # bytes of text at a time, at least
_numbers = count()  # of the views of rejected lines


@dataclass(frozen=True)
class Dialect:
    """How text is written; nothing of it is guessed by the reader."""

    names: tuple[str, ...]  # of all columns
    delimiter: str = ","
    quote: str = '"'  # what may stand around a field; empty for nothing
    header: bool = True  # whether the first line of each file has the names


@dataclass(frozen=True)
class LineCount:
    """What the bytes of a file say, whoever reads it."""

    lines: int  # that are not blank, the first one included
    longest: int  # the bytes of the longest line
    quotes: bool  # whether a quote occurs


@dataclass(frozen=True)
class Reject:
    """A line that is no row."""

    file: str
    line: int
    kind: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.kind}"


@dataclass(frozen=True)
class Text:
    r"""Files of the same form, whose bytes were looked at; their rows are those of `query`.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from quiff.io.blocks import find_sources
    >>> con = duckdb.connect()
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder) / "log.csv"
    ...     _ = file.write_text("user,url\nAnn,a.example\nBob\nCem,c.example\n")
    ...     text = open_text(con, find_sources([file], file.parent), Dialect(("user", "url")), file.parent)
    ...     _ = con.execute(f"CREATE TABLE log AS {text.query}")
    ...     text.check(2)
    ...     [reject.kind for reject in text.first_rejects()], text.reject_counts()
    (['missing columns'], {'missing columns': 1})
    >>> con.table("log").fetchall()
    [('Ann', 'a.example', 0), ('Cem', 'c.example', 0)]
    """

    con: duckdb.DuckDBPyConnection
    dialect: Dialect
    sources: tuple[Source, ...]
    places: tuple[Path, ...]  # of the sources, unpacked
    counts: tuple[LineCount, ...]
    longest: int  # the bytes that a line may have
    rejects: str  # the name of the view with file (its number), line and kind of the rejected lines
    remedy: str

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns in SQL, by their places: c0, c1 and so on; then comes `file`, a number."""
        return tuple(f"c{place}" for place in range(len(self.dialect.names)))

    @property
    def query(self) -> str:
        """The statement that reads all rows, cells as text, empty where nothing stands; to be run once.

        The columns are those of `columns`, and `file`. DuckDB looks at no field of a column that is left out
        of a larger statement, so that bytes which are no UTF-8 pass there.
        """
        paths = [str(place.absolute()) for place in self.places]
        file = f"list_position({listed(paths)}, filename) - 1" if len(paths) > 1 else "0"
        blank = " WHERE c0 <> ''" if len(self.columns) == 1 else ""  # which are rows of one column to DuckDB
        return f"SELECT * EXCLUDE filename, CAST({file} AS INTEGER) AS file FROM {self._scan}{blank}"  # noqa: S608 - quoted

    @property
    def _scan(self) -> str:
        quote = literal(self.dialect.quote if self.has_quotes else "")
        kinds = ", ".join(f"{name}: 'VARCHAR'" for name in self.columns)
        # A line that is longer than a buffer would be left out, and is rejected only by a single thread.
        endless = any(count.longest > self.longest for count in self.counts)
        alone = ", parallel = false" if endless else ""
        buffer = 2 * self.longest if endless else max(2 * self.longest, _BUFFER)
        return (
            f"read_csv({listed([duckdb_name(place) for place in self.places])}, columns = {{{kinds}}},"
            f" auto_detect = false, header = {self.dialect.header},"
            f" delim = {literal(self.dialect.delimiter)}, quote = {quote}, escape = {quote},"
            f" strict_mode = true, compression = 'none',"
            f" force_not_null = {listed(self.columns)}, max_line_size = {self.longest}{alone},"
            f" buffer_size = {buffer},"
            f" store_rejects = true, rejects_limit = 0, rejects_table = '{self.rejects}_errors',"
            f" rejects_scan = '{self.rejects}_scans', hive_partitioning = false, filename = true)"
        )

    @cached_property
    def has_quotes(self) -> bool:
        """Whether a quote occurs that may stand around a field."""
        return bool(self.dialect.quote) and any(count.quotes for count in self.counts)

    @property
    def lines(self) -> int:
        """How many lines are rows or rejected, by the independent count; values may go over several."""
        return sum(count.lines - self.dialect.header for count in self.counts)

    def check(self, rows: int) -> None:
        """Raise an error unless so many rows, which `query` gave, are all that the files have."""
        self._view_rejects()
        query = f"SELECT file, line, byte FROM {self.rejects} WHERE torn ORDER BY file, line"  # noqa: S608
        torn = self.con.execute(query).fetchone()
        if torn is not None:
            raise self._torn(torn[0], self._line(*torn))
        off = self.lines - rows - self.n_rejects
        if off and not self.has_quotes:
            names = ", ".join(repr(source.name) for source in self.sources)
            raise ParameterError(
                f"{names}: of {self.lines} lines {self.lines - off} were read; read it again"
            )
        if off and off != self._line_ends_in_values():
            raise self._torn(*self._first_odd_line())
        for source in self.sources:
            source.check()

    @property
    def n_rejects(self) -> int:
        """How many lines were rejected; after `check`, like all that is said of them."""
        return sum(self.reject_counts().values())

    def reject_counts(self) -> dict[str, int]:
        """Return how many lines were rejected, by the kind of fault."""
        query = f"SELECT kind, count(*) FROM {self.rejects} GROUP BY kind"  # noqa: S608
        counts = dict(self.con.execute(query).fetchall())
        return {kind: counts[kind] for kind in FAULTS.values() if kind in counts}

    def first_rejects(self, most: int = 5) -> tuple[Reject, ...]:
        """Return the first rejected lines."""
        query = f"SELECT kind, file, line, byte FROM {self.rejects} ORDER BY file, line LIMIT {most}"  # noqa: S608
        rows = self.con.execute(query).fetchall()
        return tuple(Reject(self.sources[place[0]].name, self._line(*place), kind) for kind, *place in rows)

    def _line(self, file: int, line: int, byte: int) -> int:
        """Return the number of a line; DuckDB counts a record as one, over however many lines it goes."""
        if not self.has_quotes:
            return line
        with self.places[file].open("rb") as stream:
            before = stream.read(byte)
            while before.endswith((b"\r", b"\n")) and (sign := stream.read(1)) in (b"\r", b"\n"):
                before += sign  # of blank lines
        return before.count(b"\n" if b"\n" in before else b"\r") + 1

    def _view_rejects(self) -> None:
        """Make a view of what DuckDB noted in the last run, a line at most once."""
        errors, scans = f"{self.rejects}_errors", f"{self.rejects}_scans"
        paths = listed(str(place.absolute()) for place in self.places)
        kinds = listed(FAULTS.values())
        fault = f"list_position({listed(FAULTS)}, CAST(error_type AS VARCHAR))"
        line = "trim(csv_line, e'\\r\\n')"
        self.con.execute(f"""
            CREATE OR REPLACE TEMP VIEW {self.rejects} AS
            SELECT list_position({paths}, any_value(file_path)) - 1 AS file, line,
                min(line_byte_position) AS byte,
                {kinds}[min({fault})] AS kind,
                bool_or(translate({line}, e'\\r\\n', '') <> {line}) AS torn
            FROM {errors} JOIN {scans} USING (scan_id, file_id)
            WHERE scan_id = (SELECT max(scan_id) FROM {scans}) GROUP BY file_id, line
        """)  # noqa: S608 - quoted

    def _line_ends_in_values(self) -> int:
        """Return how many lines values have below their first one, but blank ones, by another run."""
        value = "replace(replace('x' || {} || 'x', e'\\r\\n', e'\\n'), e'\\r', e'\\n')"
        lines = f"len(list_filter(string_split({value}, e'\\n'), lambda line: line <> '')) - 1"
        total = " + ".join(map(lines.format, self.columns))
        query = f"SELECT CAST(coalesce(sum({total}), 0) AS BIGINT) FROM {self._scan}"  # noqa: S608
        return int(self.con.execute(query).fetchall()[0][0])

    def _first_odd_line(self) -> tuple[int, int]:
        """Return the number of the file, and of the first line in it with an odd number of quotes."""
        quote = self.dialect.quote.encode()
        for number, (source, place) in enumerate(zip(self.sources, self.places, strict=True)):
            line = _first_line(Source.of(place, source.name), lambda content: content.count(quote) % 2 > 0)
            if quote and line:
                return number, line
        return 0, 1

    def _torn(self, file: int, line: int) -> ParameterError:
        return ParameterError(
            f"a quote that opens here does not close at the end of its field and swallows the next lines;"
            f" {self.remedy}",
            what="a quote",
            where=f"{self.sources[file].name!r}, line {line}",
        )


def open_text(
    con: duckdb.DuckDBPyConnection,
    sources: Sequence[Source],
    dialect: Dialect,
    scratch: Path,
    *,
    longest: int = LONGEST,
    remedy: str = "close it",
) -> Text:
    """Look at the bytes of files; what is packed is unpacked into `scratch`, for as long as it is read.

    A line of more than `longest` bytes is rejected. `remedy` says what to do about an unclosed quote.
    """
    number = next(_numbers)
    places: list[Path] = []
    counts = []
    for source in sources:
        copy = scratch / f"text-{number}-{len(places)}" if source.packed else None
        counts.append(count_lines(source, copy, one_column=len(dialect.names) == 1))
        places.append(copy or source.path)
    return Text(
        con, dialect, tuple(sources), tuple(places), tuple(counts), longest, f"rejects_{number}", remedy
    )


def count_lines(source: Source, copy: Path | None = None, one_column: bool = False) -> LineCount:
    """Count the lines of a file that are not blank; what is packed is unpacked to `copy` on the way.

    In a file of one column, two quotes are a blank line, too.
    """
    feeds = returns = pairs = 0
    quotes, last = False, b""
    with nullcontext() if copy is None else private_file(copy) as written:
        for block in blocks(source):
            if written is not None:
                written.write(block)
            if b"\0" in block:
                line = _first_line(source, lambda content: b"\0" in content)
                raise _unsafe(source, line, "it has a NUL byte; take it out, for example by tr -d '\\000'")
            quotes = quotes or b'"' in block
            feeds += block.count(b"\n")
            if last == b"\r" or b"\r" in block:
                returns, pairs = returns + block.count(b"\r"), pairs + (last + block).count(b"\r\n")
            last = block[-1:]
    if returns and feeds and not returns == pairs == feeds:
        with opened_lines(source) as stream:
            end = _end_of(next(stream))
        line = _first_line(source, lambda content: _end_of(content) != end or b"\r" in content[: -len(end)])
        raise _unsafe(source, line, "line ends are mixed; make all of them one kind, for example by dos2unix")
    end = b"\n" if not returns else b"\r\n" if feeds else b"\r"
    plain = source if copy is None else Source.of(copy, source.name)
    lines, longest = _line_lengths(plain, end)
    if one_column and quotes:
        with opened_lines(plain) as stream:
            lines -= sum(content.strip(b"\r\n") == b'""' for content in stream)
    return LineCount(lines, longest, quotes)


def _end_of(line: bytes) -> bytes:
    return b"\r\n" if line.endswith(b"\r\n") else b"\n"


def _line_lengths(source: Source, end: bytes) -> tuple[int, int]:
    """Return how many lines are not blank, and the bytes of the longest one."""
    lines = longest = before = 0
    for block in blocks(source):
        ends = np.flatnonzero(np.frombuffer(block, np.uint8) == end[-1])
        if not ends.size:
            before += len(block)
            continue
        lengths = np.diff(ends, prepend=-1) - len(end)
        lengths[0] += before
        lines, longest = lines + int(np.count_nonzero(lengths)), max(longest, int(lengths.max()))
        before = len(block) - 1 - int(ends[-1])
    return lines + (before > 0), max(longest, before)


def _first_line(source: Source, odd: Callable[[bytes], bool]) -> int:
    """Return the number of the first line with some oddity, 0 if there is none."""
    with opened_lines(source) as stream:
        return next((number for number, content in enumerate(stream, start=1) if odd(content)), 0)


def _unsafe(source: Source, line: int, why: str) -> ParameterError:
    return ParameterError(why, what="the text", value=source.name, where=f"{source.name!r}, line {line}")


def duckdb_name(path: Path) -> str:
    """Return how DuckDB is told of a file, so that no character of its name has a meaning."""
    return re.sub(r"([\[*?])", r"[\1]", str(path.absolute()))


def literal(text: str) -> str:
    """Return a text as SQL writes it."""
    return "'" + text.replace("'", "''") + "'"


def listed(texts: Iterable[str]) -> str:
    """Return a list of texts as SQL writes it."""
    return f"[{', '.join(map(literal, texts))}]"
