"""People reduced by an engine to distinct topic sets, or sequences of them, with counts."""

from collections.abc import Iterator
from contextlib import contextmanager
from math import ceil, inf
from typing import Any

from quiff.core.limits import bytes_of, memory_allowed
from quiff.errors import ParameterError, QuiffError, ShapeError, SizeError
from quiff.io import StrPath, as_path
from quiff.io.tables import Column, Table, open_table
from quiff.logs.queries import fetch_arrow, fetch_rows, joins_as_written, kept
from quiff.logs.scan import scan_parquet
from quiff.people.form import Form, form_of
from quiff.people.joined_topics import check_topics, joined, joined_topic
from quiff.people.merging import Engine, merge
from quiff.people.population import Population
from quiff.people.reading import Profiles
from quiff.people.tfrecords import tfrecord_files
from quiff.theory.parameters import check_whole

_PER_USER = 12  # bytes that DuckDB holds for a user, and cannot put on disk: measured


def reduce_people(
    con: Any,
    path: StrPath,
    *,
    top: int | None = None,
    epoch: int | None = None,
    missing: str = "error",
    most: float | None = None,
    columns: str | None = None,
) -> Population:
    """Return people merged by their topic sets, which an engine finds and counts.

    Parameters
    ----------
    con
        The engine, by `connect`.
    path
        Profiles as `Population.read` takes them; for Spark Parquet, a file or a folder of files.
    top
        Another size of the sets than stored: the heads of the ranked topic counts.
    epoch
        The epoch to take, from 0; None takes all, so that people are merged by their sequences of sets.
    missing
        What to do with users who lack an epoch: ``error``, or ``drop`` to leave them out.
    most
        How many bytes the distinct sets may take; more is a SizeError that has the counts of topics.
    columns
        Which columns say what, where their names do not.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from tempfile import TemporaryDirectory
    >>> import pyarrow.parquet as pq
    >>> from quiff.logs.engine import connect
    >>> sets = pa.table({"user": ["Alice", "Bob"], "t1": ["News", "Music"], "t2": ["Music", "News"]})
    >>> with TemporaryDirectory() as folder:
    ...     pq.write_table(sets, f"{folder}/profiles.parquet")
    ...     reduce_people(connect(), f"{folder}/profiles.parquet")
    <Population of 2 users merged into 1 distinct set: sets of 2 out of 2 topics>
    """
    path = as_path(path)
    if tfrecord_files(path):
        raise ParameterError(
            "TFRecord files are read in this process; leave the engine out (--engine)", where=repr(str(path))
        )
    top = None if top is None else check_whole("top", top, 1)

    @contextmanager
    def keep(expression: Any) -> Iterator[tuple[Any, int]]:
        with joins_as_written(con), kept(con, expression) as table:
            yield table

    engine = Engine(lambda expression: fetch_arrow(con, expression), keep)
    if con.name == "duckdb":
        with open_table(path, con=con.con) as table:
            form = form_of(table, top=top, columns=columns)
            _check_rows(con, table, form)
            return Profiles.of(table, form).merged(engine, epoch=epoch, missing=missing, most=most)
    if path.suffix != ".parquet" and not path.is_dir():
        raise ParameterError(
            f"{str(path)!r} is text, but Spark reduces Parquet; use --engine duckdb, or write the file"
            " as Parquet"
        )
    people, size = _on_spark(con, path, top, columns)
    return merge(engine, people, repr(str(path)), size, epoch=epoch, missing=missing, most=most)


def _check_rows(con: Any, table: Table, form: Form) -> None:
    """Refuse more users than DuckDB can tell apart in its part of a memory limit."""
    if form.user is None or memory_allowed() == inf:
        return
    rows = table.load([])
    has = bytes_of(con.con.execute("SELECT current_setting('memory_limit')").fetchone()[0])
    if rows * _PER_USER > has:
        enough = ceil(memory_allowed() * rows * _PER_USER / has / 10**9)
        raise SizeError(
            f"to tell the users of {rows:,} rows apart takes DuckDB about {rows * _PER_USER / 2**30:.2g}"
            f" GiB, but its part of the memory limit is {has / 2**30:.2g} GiB; allow more (--memory-limit"
            f" {enough}GB), or measure a part of these people",
            where=table.name,
        )


def _on_spark(con: Any, path: Any, top: int | None, named: str | None) -> tuple[Any, int]:
    """Return people as `merge` takes them, and the size of their sets, which are checked."""
    import ibis

    table, name = scan_parquet(con, path), repr(str(path))
    columns = tuple(Column(column, column, str(kind)) for column, kind in table.schema().items())
    form = form_of(Table(con, name, columns, ""), top=top, columns=named)
    size = _size(con, name, form, table)
    flagged = _flagged(con, form, table, size)
    cells = {}
    for place in range(size):
        if flagged or form.ranked:
            cell = table[form.ranking][place]["topic"]
        else:
            cell = table[form.topics[place]] if form.numbered else table[form.topics[0]][place]
        cells[f"n{place}"] = cell.cast("int64") if cell.type().is_integer() else cell.cast("string").strip()
        if flagged:
            cells[f"v{place}"] = table[form.ranking][place]["visits"] > 0
    single = {"user": form.user, "epoch": form.epoch, "genuine": form.genuine}
    others = {role: table[column] for role, column in single.items() if column is not None}
    others |= {role: column.cast("int64") for role, column in others.items() if role != "user"}
    people = table.select(**others, **cells)
    listed = ibis.array([people[f"n{place}"] for place in range(size)]).unnest().name("topic").as_table()
    names = [row["topic"] for row in fetch_rows(con, listed.distinct())]
    if any(topic in (None, "") for topic in names):
        raise ShapeError("a topic is empty; all sets must have the same size", where=name)
    check_topics(names, name)
    if form.numbered and size == 1 and (several := joined_topic(names)) is not None:
        raise QuiffError(joined(several), where=name)
    return people, size


def _size(con: Any, name: str, form: Form, table: Any) -> int:
    """Return the size of the sets, all of which must have it."""
    if form.numbered:
        return len(form.topics)
    lists = table[form.topics[0]]
    if not lists.type().is_array():
        raise ParameterError(
            "the topics are text, but Spark reduces lists; leave the engine out, so that the file is read in"
            " this process",
            where=name,
        )
    (sizes,) = fetch_rows(
        con, table.aggregate(least=lists.length().min(), most=lists.length().max(), lost=lists.isnull().sum())
    )
    if sizes["most"] is None:
        raise QuiffError("there is no profile; give at least one user", where=name)
    least = 0 if sizes["lost"] else sizes["least"]
    if form.ranked and form.top is not None and least >= form.top:
        return form.top
    if form.top is not None and (form.ranked or form.top != sizes["most"]):
        raise ParameterError(
            f"the stored topics do not do for sets of {form.top}; run quiff profile again with --top"
            f" {form.top}, which fills short sets",
            where=name,
        )
    if not least or least < sizes["most"]:
        raise ShapeError(
            f"the sets have from {least} to {sizes['most']} topics; all sets must have the same size, at"
            " least 1: fill up the short ones or cut the long",
            where=name,
        )
    return int(sizes["most"])


def _flagged(con: Any, form: Form, table: Any, size: int) -> bool:
    """Whether ranked topic counts tell which topics of all sets were visited."""
    import ibis

    ranking = None if form.ranking is None or form.numbered else table[form.ranking]
    if ranking is None or not ranking.type().is_array() or not ranking.type().value_type.is_struct():
        return False
    if not {"topic", "visits"} <= set(ranking.type().value_type.names):
        return False
    if form.ranked:
        return True
    heads = ibis.array([ranking[place]["topic"] for place in range(size)]).sort()
    other = (ranking.length() < size) | (heads != table[form.topics[0]].sort())
    (rows,) = fetch_rows(con, table.aggregate(other=other.fill_null(True).sum()))
    return not rows["other"]
