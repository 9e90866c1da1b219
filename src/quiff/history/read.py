"""Logs as tables: text with tabs or commas, packed or not, or Parquet; three columns of it by name.

Malformed lines, as `quiff.history.lines` defines them, are counted and shown; they never stop a run by
themselves, nor do they vanish. Blank lines are no rows.
"""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from quiff.errors import ParameterError, first_line
from quiff.history.lines import BOM, BadLine, LogFormat, TextLog, check_columns, look_at_text
from quiff.history.queries import engine_errors

__all__ = ["BadLine", "BadLines", "Log", "LogFormat", "read_log"]

_EXAMPLES = 5


@dataclass(frozen=True)
class BadLines:
    """How many malformed lines the reader itself left out, and the first ones of a log."""

    left_out: int
    examples: Callable[[], tuple[BadLine, ...]]


@dataclass(frozen=True)
class Log:
    """A log as a table of strings: user, time, url (null where empty), and malformed.

    Attributes
    ----------
    table
        The rows, the files' first lines among them.
    header
        What user, time and url are in a first line; None if there are no such lines.
    headers
        The number of first lines.
    bad_lines
        What the engine left out of `table`; ask after `table` has been read.
    """

    table: Any
    header: tuple[str, str, str] | None
    headers: int
    bad_lines: Callable[[], BadLines]

    @property
    def is_header(self) -> Any:
        """Whether a row is a line that names the columns, as an expression; null where a cell is."""
        import ibis

        if self.header is None:
            return ibis.literal(False)
        user, time, url = self.header
        rows = self.table
        return (rows.url == url) & (rows.time == time) & (rows.user == user)


def read_log(con: Any, paths: Sequence[str | os.PathLike[str]], form: LogFormat, *, most_bad: int = 0) -> Log:
    """Return a log of one or more files of the same form.

    Parameters
    ----------
    con
        The engine.
    paths
        Text files, packed by gzip if their name ends in .gz, or Parquet files.
    form
        The names of the columns, and how fields are set apart.
    most_bad
        How many malformed lines will be borne with; not many more of them are kept in memory.

    Raises
    ------
    ParameterError
        If a file is missing, empty or unreadable, lacks one of the columns, or is not like the others.
    """
    files = tuple(Path(path) for path in paths)
    for file in files:
        if not file.exists():
            raise ParameterError(f"there is no file {str(file)!r}; name the files of a log")
    packed = {file.suffix == ".parquet" for file in files}
    if len(packed) != 1:
        raise ParameterError("some logs are Parquet and some are text; treat them one kind at a time")
    if packed.pop():
        return _parquet_log(con, files, form)
    text = look_at_text(files, form)
    if con.name == "duckdb":
        return _duckdb_log(con, text, most_bad)
    return _spark_log(con, text)


def _parquet_log(con: Any, files: tuple[Path, ...], form: LogFormat) -> Log:
    import ibis

    errors: tuple[type[Exception], ...] = (*engine_errors(con), OSError)
    parts = []
    for file in files:
        inside = str(file / "*.parquet") if file.is_dir() and con.name == "duckdb" else str(file)
        try:
            table = con.read_parquet(inside)
        except errors as error:
            raise ParameterError(f"cannot read {str(file)!r} as Parquet: {first_line(error)}") from error
        check_columns(form, table.columns, file)
        chosen = dict(zip(("user", "time", "url"), form.columns, strict=True))
        rows = table.select(**{name: table[column].cast("string") for name, column in chosen.items()})
        parts.append(rows.mutate(malformed=False))
    return Log(ibis.union(*parts) if len(parts) > 1 else parts[0], None, 0, lambda: BadLines(0, tuple))


def _duckdb_log(con: Any, text: TextLog, most_bad: int) -> Log:
    quote = '"' if text.quoted else ""
    suffix = os.urandom(8).hex()
    errors, scans = f"quiff_errors_{suffix}", f"quiff_scans_{suffix}"
    positions = [f"c{k}" for k in range(len(text.names))]
    table = con.read_csv(
        [str(path) for path in text.paths],
        columns=dict.fromkeys(positions, "VARCHAR"),
        header=False,
        delim=text.delimiter,
        quote=quote,
        escape=quote,
        store_rejects=True,
        rejects_table=errors,
        rejects_scan=scans,
        rejects_limit=(most_bad + 1) * len(text.names),  # a short line counts once for each missing field
    )

    def bad_lines() -> BadLines:
        lines = (
            f"SELECT file_path, line, min(error_type) AS error FROM {errors} JOIN {scans}"  # noqa: S608
            " USING (scan_id, file_id) GROUP BY ALL ORDER BY ALL"
        )
        count = con.con.execute(f"SELECT count(*) FROM ({lines})").fetchone()[0]  # noqa: S608
        shown = con.con.execute(f"{lines} LIMIT {_EXAMPLES}").fetchall()
        examples = tuple(BadLine(file, line, error.lower()) for file, line, error in shown)
        return BadLines(count, lambda: examples)

    user, time, url = (table[positions[k]] for k in text.used)
    unused = [table[name] for k, name in enumerate(positions) if k not in text.used]
    rows = table.select(user=user, time=time, url=url, malformed=_never(unused))
    return Log(rows, text.header, len(text.paths), bad_lines)


def _never(columns: list[Any]) -> Any:
    """Return what is false in every row, but makes the engine look at the columns.

    If only some columns of a file are asked for, DuckDB 1.5 breaks down at bytes that are no UTF-8: it looks
    for the column's name at the wrong place. So all are asked for.
    """
    import ibis

    token = ibis.literal(os.urandom(16).hex())
    return ibis.and_(*(column == token for column in columns), ibis.literal(bool(columns))).fill_null(False)


def _spark_log(con: Any, text: TextLog) -> Log:
    from pyspark.sql import functions as f

    session, paths = con._session, [str(path) for path in text.paths]
    fields = len(text.names)
    if text.quoted:
        columns = ", ".join(f"c{k} STRING" for k in range(fields))
        reader = session.read.option("columnPruning", "false")  # else a short line may pass for a whole one
        lines = reader.csv(
            paths, schema=f"{columns}, broken STRING", columnNameOfCorruptRecord="broken", sep=text.delimiter,
            quote='"', escape='"', multiLine=True, mode="PERMISSIVE",
        )  # fmt: skip
        whole, parts = f.col("broken").isNull(), [f.col(f"c{k}") for k in range(fields)]
        whole = whole & ~f.concat_ws("", *parts).contains(
            "\ufffd"
        )  # Spark's stand-in for bytes that are no UTF-8
    else:
        lines = session.read.text(paths).where("value <> ''")
        split = f.split(f.regexp_replace("value", f"^{BOM}", ""), f"[{text.delimiter}]", -1)
        whole = (f.size(split) == fields) & f.call_function("is_valid_utf8", f.col("value"))
        parts = [f.get(split, f.lit(k)) for k in range(fields)]
    cells = [
        f.when(whole & (parts[k] != ""), parts[k]).alias(name)
        for k, name in zip(text.used, ("user", "time", "url"), strict=True)
    ]
    name = f"quiff_{os.urandom(8).hex()}"
    lines.select(*cells, (~whole).alias("malformed")).createOrReplaceTempView(name)
    return Log(
        con.table(name),
        text.header,
        len(text.paths),
        lambda: BadLines(0, lambda: text.first_bad_lines(_EXAMPLES)),
    )
