"""The forms of the paper's published tables: CSV with an unnamed first column that numbers the rows.

Treated has ``RandID, QueryTime, Domain``; Reduced has ``topics`` too, as in ``'NEWS', 'REL'``; Experimental
has ``RandID, BrowsingHistory`` and, if topics are known, ``AllTopics`` (one entry for each visit and topic)
and ``sTopics`` (the top set), as lists in Python's notation. Lists are taken apart as text; nothing is
evaluated.
"""

import csv
import io
import os
import re
import weakref
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import Any

import ibis

from quiff.errors import ParameterError
from quiff.io import StrPath, check_suffix, scratch, whole_file
from quiff.io.blocks import find_source
from quiff.io.text import Dialect
from quiff.logs.queries import batches, empty_list, fetch_rows, row_order
from quiff.logs.read import first_lines, read_text
from quiff.people.joined_topics import NUMBERS
from quiff.people.literals import QUOTED, TOPIC_LIST
from quiff.safe_text import column_names, shape

_STRING = r"""['"]([^'"\\]*)['"]"""
_VISIT = rf"^\s*{_STRING}\s*,\s*(?:Timestamp\(\s*)?{_STRING}\s*(?:\)\s*)?$"
_BEGIN, _END = "\x1e", "\x1f"  # of a topic in quotes
_DATE = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}"
_HEADS = {
    "treated": ("RandID", "QueryTime", "Domain"),
    "reduced": ("RandID", "QueryTime", "Domain", "topics"),
    "experimental": ("RandID", "BrowsingHistory", "AllTopics"),
    "profiled": ("RandID", "BrowsingHistory", "AllTopics", "sTopics"),
}


def read_published(con: Any, path: Path) -> Any:
    """Return a published table with quiff's own columns; those of the file tell the stage.

    A published Experimental table does not say which topics which visit had: its visits have none here, and
    ``all_topics`` has the topics of the user, each as often as the table names it.
    """
    rows = _raw(con, path)
    names = set(rows.columns)
    if {"RandID", "BrowsingHistory"} <= names:
        return _experimental(con, rows, path)
    if not {"RandID", "QueryTime", "Domain"} <= names:
        below = [list(row.values()) for row in fetch_rows(con, rows.limit(20))]
        listed = column_names(rows.columns, below)
        raise ParameterError(
            f"{str(path)!r} has the columns {listed}; a published table has RandID, and"
            " QueryTime and Domain or BrowsingHistory"
        )
    columns = {"user": rows.RandID.try_cast("int64"), "time": rows.QueryTime.try_cast("timestamp")}
    _check(con, rows, rows.RandID, columns["user"].isnull(), path, "a whole number")
    _check(con, rows, rows.QueryTime, columns["time"].isnull(), path, "a time")
    if "topics" in names:
        return rows.select(**columns, domain=rows.Domain, topics=_topics(con, rows, rows.topics, path))
    return rows.select(**columns, domain=rows.Domain)


def is_published(path: Path) -> bool:
    """Say if a table is a CSV file, as published, by its name."""
    return re.search(r"[.]csv([.]gz)?$", path.name) is not None


def first_appearances(con: Any, path: Path, visits: Any) -> Any:
    """Return ``domain, first``: where each domain of a Treated table appears first.

    A published table numbers its rows; in any other, whose rows have no order, it is the time of the first
    visit.
    """
    if is_published(path):
        rows = _raw(con, path)
        if rows.columns[0] not in _HEADS["treated"]:
            number = rows[rows.columns[0]].try_cast("int64")
            _check(con, rows, rows[rows.columns[0]], number.isnull(), path, "the number of the row")
            return rows.group_by(domain=rows.Domain).agg(first=number.min())
    return visits.group_by("domain").agg(first=visits.time.min())


def _raw(con: Any, path: Path) -> Any:
    """Return the cells of a published table as text."""
    source = find_source(path)
    names = tuple(next(csv.reader(first_lines(source)), []))
    columns = {}
    for place, name in enumerate(names):
        number = sum(name == other for other in names[:place])  # the same name again gets a number
        column = f"{name or f'column{place}'}{f'_{number}' if number else ''}".replace('"', '""')
        columns[f'"{column}"'] = f"nullif(c{place}, '')"
    folder = scratch.make_temporary("published")
    weakref.finalize(con, scratch.drop, folder)
    _, table, _ = read_text(
        con, [source], Dialect(names), columns, folder, f"published_{os.urandom(8).hex()}"
    )
    return table


def _check(con: Any, rows: Any, cell: Any, wrong: Any, path: Path, wanted: str) -> None:
    found = fetch_rows(con, rows.filter(wrong).select(cell=cell.fill_null("")).limit(1))
    if found:
        raise ParameterError(
            f"{str(path)!r} has the cell {shape(found[0]['cell'])}, but {wanted} is expected"
        )


def _topics(con: Any, rows: Any, cell: Any, path: Path) -> Any:
    text = cell.fill_null("")
    _check(con, rows, cell, ~text.re_search(TOPIC_LIST), path, "a list of topics")
    quoted = text.re_search("['\"]")
    both = r"\1\2" if con.name == "duckdb" else "$1$2"
    marked = text.re_replace(QUOTED, f"{_BEGIN}{both}{_END}")
    inner = marked.re_replace(f"^[^{_BEGIN}]*{_BEGIN}|{_END}[^{_END}]*$", "")
    bare = text.re_replace(r"[\[\](){}]", "").re_replace(r",\s*$", "").strip()
    cells = quoted.ifelse(inner, bare)
    split = quoted.ifelse(inner.re_split(f"{_END}[^{_BEGIN}{_END}]*{_BEGIN}"), bare.re_split(","))
    topics = (cells == "").ifelse(empty_list(cells), split.map(lambda topic: topic.strip()))
    several = topics.filter(lambda topic: topic.re_search(NUMBERS)).length() > 0
    _check(con, rows, cell, several, path, "a list of topics with commas between them")
    return topics


def _experimental(con: Any, rows: Any, path: Path) -> Any:
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
    visit = ibis.struct({"time": visits.time, "domain": visits.domain, "topics": empty_list(visits.domain)})
    histories = visits.group_by("user").agg(history=visit.collect().sort())
    known_topics = "AllTopics" in rows.columns
    topics = _topics(con, rows, rows.AllTopics, path) if known_topics else empty_list(rows.RandID)
    known = rows.select("user", all_topics=topics.sort())
    return histories.inner_join(known, "user").select("user", "history", "all_topics")


def write_published(
    con: Any, table: Any, stage: str, out: StrPath, *, force: bool = False, inputs: Iterable[StrPath] = ()
) -> Path:
    """Write a table of the stage treated, reduced or experimental in its published form, sorted by pseudonym.

    The stage profiled is an Experimental table with a column ``s_topics``, the sets of one epoch.
    """
    check_suffix(out, (".csv",))
    with (
        whole_file(out, force=force, inputs=inputs) as new,
        new.open("x", encoding="utf-8", newline="") as file,
    ):
        ordered = table.order_by(list(row_order(table.columns)))
        _write_rows(file, stage, (row for batch in batches(con, ordered) for row in batch.to_pylist()))
    return Path(out)


def _write_rows(file: io.TextIOBase, stage: str, rows: Iterable[dict[str, Any]]) -> None:
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(["", *_HEADS[stage]])
    for number, row in enumerate(rows):
        if stage in ("experimental", "profiled"):
            history = [(visit["domain"], _time(visit["time"])) for visit in row["history"]]
            topics = [topic for visit in row["history"] for topic in visit["topics"]]
            sets = [row["s_topics"]] if stage == "profiled" else []
            writer.writerow([number, row["user"], history, topics or row["all_topics"], *sets])
        else:
            named = [", ".join(f"'{topic}'" for topic in row["topics"])] if stage == "reduced" else []
            writer.writerow([number, row["user"], _time(row["time"]), row["domain"], *named])


def _time(time: datetime) -> str:
    """Write a time without its zone, which is UTC whether an engine says so or not."""
    return str(time.replace(tzinfo=None))
