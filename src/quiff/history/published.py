"""The forms of the paper's published tables: CSV with an unnamed first column that numbers the rows.

Treated has ``RandID, QueryTime, Domain``; Reduced has ``topics`` too, as in ``'NEWS', 'REL'``; Experimental
has ``RandID, BrowsingHistory`` and, if topics are known, ``AllTopics``, as lists in Python's notation. Lists
are taken apart as text; nothing is evaluated.
"""

import csv
import io
import os
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from quiff.errors import ParameterError
from quiff.history.queries import fetch_rows
from quiff.populations.literals import TOPIC_LIST

__all__ = ["read_published", "write_published"]

_STRING = r"""['"]([^'"\\]*)['"]"""
_VISIT = rf"^\s*{_STRING}\s*,\s*(?:Timestamp\()?\s*{_STRING}\s*\)?\s*$"
_DATE = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}"
_HEADS = {
    "treated": ("RandID", "QueryTime", "Domain"),
    "reduced": ("RandID", "QueryTime", "Domain", "topics"),
    "experimental": ("RandID", "BrowsingHistory", "AllTopics"),
}
_BATCH = 10_000


def read_published(con: Any, path: Path) -> Any:
    """Return a published table with quiff's own columns; those of the file tell the stage.

    A published Experimental table does not say which topics which visit had: its visits have none here, and
    ``all_topics`` has the topics of the user.

    Raises
    ------
    ParameterError
        If the file has none of the known forms, or a cell is no number, time or list.
    """
    quote = {"quote": '"', "escape": '"', "header": True}
    if con.name == "duckdb":
        rows = con.read_csv(str(path), all_varchar=True, delim=",", **quote)
    else:
        rows = con.read_csv(str(path), sep=",", **quote)
    names = set(rows.columns)
    if {"RandID", "BrowsingHistory"} <= names:
        return _experimental(con, rows, path)
    if not {"RandID", "QueryTime", "Domain"} <= names:
        raise ParameterError(
            f"{str(path)!r} has the columns {', '.join(rows.columns)}; a published table has RandID, and"
            " QueryTime and Domain or BrowsingHistory"
        )
    columns = {"user": rows.RandID.try_cast("int64"), "time": rows.QueryTime.try_cast("timestamp")}
    _check(con, rows, rows.RandID, columns["user"].isnull(), path, "a whole number")
    _check(con, rows, rows.QueryTime, columns["time"].isnull(), path, "a time")
    if "topics" in names:
        return rows.select(**columns, domain=rows.Domain, topics=_topics(con, rows, rows.topics, path))
    return rows.select(**columns, domain=rows.Domain)


def _check(con: Any, rows: Any, cell: Any, wrong: Any, path: Path, wanted: str) -> None:
    found = fetch_rows(con, rows.filter(wrong).select(cell=cell.fill_null("")).limit(1))
    if found:
        text = found[0]["cell"]
        shown = text if len(text) <= 60 else text[:57] + "..."
        raise ParameterError(f"{str(path)!r} has the cell {shown!r}, but {wanted} is expected")


def _topics(con: Any, rows: Any, cell: Any, path: Path) -> Any:
    import ibis

    text = cell.fill_null("")
    _check(con, rows, cell, ~text.re_search(TOPIC_LIST), path, "a list of topics")
    bare = text.re_replace(r"[\[\](){}'\"]", "").strip()
    empty = ibis.array([bare]).filter(lambda word: word.isnull())
    return (bare == "").ifelse(empty, bare.re_split(r"\s*,\s*"))


def _experimental(con: Any, rows: Any, path: Path) -> Any:
    import ibis

    _check(con, rows, rows.RandID, rows.RandID.try_cast("int64").isnull(), path, "a whole number")
    rows = rows.mutate(user=rows.RandID.cast("int64"))
    inner = rows.BrowsingHistory.re_replace(r"^\s*\[\s*\(|\)\s*\]\s*$", "")
    pieces = rows.select("user", piece=inner.re_split(r"\)\s*,\s*\(").unnest())
    _check(
        con, pieces, pieces.piece, ~pieces.piece.re_search(_VISIT), path, "a list of pairs ('domain', 'time')"
    )
    one, two = pieces.piece.re_extract(_VISIT, 1), pieces.piece.re_extract(_VISIT, 2)
    dated = one.re_search(_DATE)
    visits = pieces.select(
        "user", time=dated.ifelse(one, two).try_cast("timestamp"), domain=dated.ifelse(two, one)
    )
    _check(con, visits, visits.domain, visits.time.isnull(), path, "a time with each domain")
    none = ibis.array([visits.domain]).filter(lambda name: name.isnull())
    visit = ibis.struct({"time": visits.time, "domain": visits.domain, "topics": none})
    histories = visits.group_by("user").agg(history=visit.collect().sort())
    named = "AllTopics" if "AllTopics" in rows.columns else None
    topics = (
        _topics(con, rows, rows[named], path)
        if named
        else ibis.array([rows.RandID]).filter(lambda x: x.isnull())
    )
    known = rows.select("user", all_topics=topics.unique().sort())
    return histories.inner_join(known, "user").select("user", "history", "all_topics")


def write_published(con: Any, table: Any, stage: str, out: str | os.PathLike[str]) -> Path:
    """Write a table of the stage treated, reduced or experimental in its published form.

    Raises
    ------
    ParameterError
        If the file cannot be written.
    """
    out = Path(out)
    temporary = out.with_name(f".{out.name}.{secrets.token_hex(8)}.tmp")
    try:
        with temporary.open("x", encoding="utf-8", newline="") as file:
            _write_rows(file, stage, _rows(con, table))
        temporary.replace(out)
    except OSError as error:
        raise ParameterError(f"cannot write {str(out)!r}: {error.strerror or error}") from error
    finally:
        temporary.unlink(missing_ok=True)
    return out


def _rows(con: Any, table: Any) -> Iterator[dict[str, Any]]:
    if con.name != "duckdb":
        yield from fetch_rows(con, table)
        return
    for batch in con.raw_sql(con.compile(table)).to_arrow_reader(_BATCH):
        yield from batch.to_pylist()


def _write_rows(file: io.TextIOBase, stage: str, rows: Iterator[dict[str, Any]]) -> None:
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(["", *_HEADS[stage]])
    for number, row in enumerate(rows):
        if stage == "experimental":
            history = [(visit["domain"], str(visit["time"])) for visit in row["history"]]
            topics = [topic for visit in row["history"] for topic in visit["topics"]]
            writer.writerow([number, row["user"], history, topics or row["all_topics"]])
        else:
            named = [", ".join(f"'{topic}'" for topic in row["topics"])] if stage == "reduced" else []
            writer.writerow([number, row["user"], row["time"], row["domain"], *named])
