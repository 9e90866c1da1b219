"""How expressions are run on an engine: small answers as plain values, large ones as tables.

On DuckDB the statements go to it directly. Ibis would ask for a table's form and size in more statements,
and loads pandas for every answer.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import ibis
import ibis.expr.operations as ops
import pyarrow as pa
import pyarrow.parquet as pq

from quiff.errors import QuiffError, SizeError, engine_line
from quiff.io import StrPath
from quiff.logs.scan import engine_errors, parquet_files, scan_parquet, view

_BATCH = 120_000  # rows, and so many make a row group


def scalar(con: Any, expression: Any) -> Any:
    """Compute one value."""
    (value,) = fetch_rows(con, expression.name("value").as_table())[0].values()
    return value


def fetch_rows(con: Any, expression: Any) -> list[dict[str, Any]]:
    """Compute a small table and return its rows."""
    listed: list[dict[str, Any]] = fetch_arrow(con, expression).to_pylist()
    return listed


def fetch_arrow(con: Any, expression: Any) -> Any:
    """Compute a table that fits into memory and return it as a PyArrow table."""
    query = _compiled(con, expression)
    with telling(con):
        if con.name == "duckdb":
            rows = con.con.execute(query).to_arrow_table()
        else:  # Ibis would go by way of pandas
            rows = con._session.sql(query).toArrow()
    return rows.cast(expression.schema().to_pyarrow())


def batches(con: Any, expression: Any) -> Iterator[Any]:
    """Compute a table and yield its rows as PyArrow tables, which need not fit into memory together."""
    query = _compiled(con, expression)
    with telling(con):
        if con.name == "duckdb":
            rows = con.con.execute(query).to_arrow_reader(_BATCH)
        else:
            rows = con._session.sql(query).toArrow().to_batches(_BATCH)
        for batch in rows:
            yield pa.Table.from_batches([batch])


def distinct_entries(con: Any, lists: Any) -> int:
    """Count the distinct entries of a column of lists."""
    entries = lists.unnest().name("entry").as_table()
    return int(scalar(con, entries.distinct().count()))


def empty_list(texts: Any) -> Any:
    """Return an empty list of strings for each text of a column, none of them null.

    Spark takes a literal empty list for a list of nothing, not of strings.
    """
    return ibis.array([texts]).filter(lambda text: text.isnull())


def store(con: Any, name: str, expression: Any) -> tuple[Any, int]:
    """Compute a temporary table of DuckDB; return it and the number of its rows."""
    query = _compiled(con, expression)
    with telling(con):
        (rows,) = con.con.execute(f"CREATE TEMP TABLE {name} AS {query}").fetchone()
    return temporary(con, name, expression.schema()), int(rows)


def temporary(con: Any, name: str, schema: Any) -> Any:
    """Return a temporary table or view of DuckDB, whose columns are those of a schema."""
    place = ops.Namespace(catalog="temp", database="main")
    return ops.DatabaseTable(name, schema=ibis.schema(schema), source=con, namespace=place).to_expr()


@contextmanager
def kept(con: Any, expression: Any) -> Iterator[tuple[Any, int]]:
    """Let an engine compute a table and keep it, on disk where memory is short; yield it and its rows."""
    name = f"kept_{os.urandom(8).hex()}"
    if con.name == "duckdb":
        yield store(con, name, expression)
        con.con.execute(f"DROP TABLE {name}")
        return
    from pyspark import StorageLevel

    with telling(con):
        frame = con._session.sql(_compiled(con, expression)).persist(StorageLevel.MEMORY_AND_DISK)
        rows = frame.count()
    try:
        yield view(con, frame), rows
    finally:
        frame.unpersist()


def row_order(columns: Iterable[str]) -> tuple[str, ...]:
    """Return by which of its columns the rows of a table are sorted: pseudonym, epoch, time, domain.

    In any other order rows would tell something of the log's: where it is sorted by name, so are the
    pseudonyms that appear first.
    """
    return tuple(name for name in ("user", "epoch", "time", "domain") if name in set(columns))


def write_parquet(
    con: Any,
    expression: Any,
    path: StrPath,
    numbers: Mapping[str, Any] | None = None,
    order: Sequence[str] = (),
) -> tuple[Any, int]:
    """Write a table as Parquet, a file or with Spark a folder; return it and the number of its rows.

    Columns in `numbers` hold places in a PyArrow array, in increasing order, whose entries are written in
    their stead. DuckDB is not told of them, since it may put on disk what it knows; Spark encrypts that. With
    Spark, the names of the files are in the `order` of the rows, too.
    """
    found = expression if con.name == "duckdb" else _with_numbers(expression, numbers or {})
    query = _compiled(con, found.order_by(list(order)) if order else found)
    with telling(con):
        if con.name != "duckdb":
            con._session.sql(query).write.parquet(str(path))
            rows = sum(pq.read_metadata(file).num_rows for file in parquet_files(Path(path)))
        elif numbers:
            rows = _write_batches(con.con.execute(query), path, numbers)
        else:
            target = str(path).replace("'", "''")
            (rows,) = con.con.execute(f"COPY ({query}) TO '{target}' (FORMAT parquet)").fetchone()
        # Spark may have written narrower numbers than Ibis thinks.
        table = scan_parquet(con, Path(path)).cast(expression.schema())
    return table, int(rows)


def _with_numbers(expression: Any, numbers: Mapping[str, Any]) -> Any:
    """Join the numbers to their places."""
    for column, entries in numbers.items():
        known = ibis.memtable(pa.table({"place": range(len(entries)), "number": entries}))
        found = expression.inner_join(known, expression[column] == known.place)
        expression = found.select(
            **{name: found[name] for name in expression.columns} | {column: found.number}
        )
    return expression


def _write_batches(answer: Any, path: StrPath, numbers: Mapping[str, Any]) -> int:
    """Write an answer of DuckDB batch by batch, with numbers for places; return the number of its rows."""
    batches, rows = answer.to_arrow_reader(_BATCH), 0
    names = batches.schema.names
    with (
        pq.ParquetWriter(path, batches.schema, use_dictionary=list(numbers)) as file,
        ThreadPoolExecutor(1) as pool,  # packs one batch while DuckDB works on the next
    ):
        packing = pool.submit(int)
        for batch in batches:
            for column, entries in numbers.items():
                place = names.index(column)
                batch = batch.set_column(place, column, entries.take(batch.column(place)))
            packing.result()
            packing = pool.submit(file.write_batch, batch)
            rows += batch.num_rows
        packing.result()
    return rows


@contextmanager
def joins_as_written(con: Any) -> Iterator[None]:
    """Let DuckDB join tables in the order of an expression, with the right one of two in memory.

    It does not know the size of tables that are not its own, and would at times hold a whole log in memory to
    look up a few users.
    """
    if con.name != "duckdb":
        yield
        return
    con.con.execute("SET disabled_optimizers = 'join_order,build_side_probe_side'")
    try:
        yield
    finally:
        con.con.execute("RESET disabled_optimizers")


def _compiled(con: Any, expression: Any) -> str:
    """Return an expression as a statement, and make the tables in memory known to the engine."""
    con._run_pre_execute_hooks(expression)
    return str(con.compile(expression))


@contextmanager
def telling(con: Any) -> Iterator[None]:
    """Turn what goes wrong inside an engine into an error of one line."""
    try:
        yield
    except engine_errors(con) as error:
        name = con.name.removeprefix("py")  # Ibis says pyspark
        if type(error).__name__ == "OutOfMemoryException":
            raise SizeError(
                f"the engine {name} needs more memory than it may take; allow more (--memory-limit), or give"
                " fewer rows"
            ) from error
        raise QuiffError(f"the engine {name} gave up: {engine_line(error)}") from error


def progress_of(con: Any) -> Callable[[], float | None]:
    """Return what tells, while an engine is at work, which share is done; None where it cannot know.

    It is to be called from another thread than the one that waits for the engine.
    """
    if con.name == "duckdb":
        for setting in ("enable_progress_bar = true", "enable_progress_bar_print = false"):
            con.con.execute(f"SET {setting}")  # else it does not count

        def share() -> float | None:
            percent = con.con.query_progress()
            return percent / 100 if percent > 0 else None

    else:
        tracker = con._session.sparkContext.statusTracker()

        def share() -> float | None:
            stages = [tracker.getStageInfo(number) for number in tracker.getActiveStageIds()]
            tasks = sum(stage.numTasks for stage in stages if stage)
            return sum(stage.numCompletedTasks for stage in stages if stage) / tasks if tasks else None

    return share
