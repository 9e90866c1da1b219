"""Profiles of more users than fit into memory, reduced to distinct sets while they are read.

DuckDB keeps the rows, on disk what memory does not hold, and counts the users of each set.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from quiff.core.distinct import distinct_codes
from quiff.core.labels import Labels, SetLabels, as_labels
from quiff.core.limits import check_limit, memory_allowed
from quiff.core.numbers import Array
from quiff.errors import LabelError, ParameterError, QuiffError, counted, engine_line
from quiff.io import scratch
from quiff.people.columns import RANKING, ColumnReader
from quiff.people.files import ProfileFile
from quiff.people.filling import Filling, visited_in_order
from quiff.people.weights import summed

_LEAST_MEMORY = 1 << 28  # below it DuckDB cannot work well
_GIB = 2**30
_PART = 4  # of the memory that is free, what one population may take
_UNKNOWN = 2 * _GIB  # where the system does not tell
_limit: ContextVar[float | None] = ContextVar("reading_limit", default=None)


@contextmanager
def reading_limit(gib: Any) -> Iterator[None]:
    """Let `Population.read` take up to `gib` GiB for users inside a ``with`` block.

    Outside of one it is a quarter of the memory that is free. A file whose users need more is reduced to
    distinct sets with counts while it is read.

    Examples
    --------
    >>> with reading_limit(0.5):
    ...     allowed_bytes()
    536870912
    """
    check_limit(gib, "GiB for reading")
    token = _limit.set(gib)
    try:
        yield
    finally:
        _limit.reset(token)


def allowed_bytes() -> int:
    """Return how many bytes a population that is read may take."""
    chosen = _limit.get()
    allowed = int(chosen * _GIB) if chosen is not None else _free_bytes() // _PART
    return int(min(allowed, memory_allowed()))


def _free_bytes() -> int:
    """Return the memory that is free, as far as the system or the container tells."""
    try:
        free = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # not on every system
        return _UNKNOWN
    for line in _text("/proc/meminfo").splitlines():
        if line.startswith("MemAvailable:"):
            free = int(line.split()[1]) * 1024
    most = _text("/sys/fs/cgroup/memory.max").strip()
    return min(free, int(most)) if most.isdecimal() else free


def _text(path: str) -> str:
    try:
        return Path(path).read_text()
    except OSError:
        return ""


TWICE = (
    "the user of this row is there a second time; give each user one set,"
    " or tell them apart by a column epoch"
)


def read_merged(file: ProfileFile) -> dict[str, Any]:
    """Reduce a file to its distinct sets, as if they were users; only these need to fit into memory."""
    import duckdb

    if file.form.attributes:
        raise ParameterError(
            f"the attribute {file.form.attributes[0]!r} needs single users, but they would be merged by"
            " their topic sets to save memory; in Python read the file with merged=False, or allow more"
            " memory by quiff.reading_limit",
            where=repr(str(file.path)),
        )
    folder = scratch.make_temporary("merge")
    settings: dict[str, Any] = {
        "temp_directory": str(folder),
        "memory_limit": f"{max(allowed_bytes(), _LEAST_MEMORY)}B",
        "preserve_insertion_order": False,
        "autoinstall_known_extensions": False,  # nothing is fetched from a network
    }
    try:
        with duckdb.connect(config=settings) as con:
            scratch.interruptible(con)
            return _reduced(con, file)
    except duckdb.Error as error:
        raise QuiffError(f"DuckDB cannot reduce {str(file.path)!r}: {engine_line(error)}") from error
    finally:
        scratch.drop(folder)


def _reduced(con: Any, file: ProfileFile) -> dict[str, Any]:
    reader = ColumnReader(file.form, file.at)
    size, seen = _fill(con, file, reader)
    if not size:
        raise QuiffError("there is no profile; give at least one user", where=file.at(0))
    if file.form.user is not None:
        first = 'SELECT "user", min("row") FROM profiles GROUP BY "user" HAVING count(*) > 1 LIMIT 1'
        if (repeated := con.execute(first).fetchone()) is not None:
            again = 'SELECT min("row") FROM profiles WHERE "user" = ? AND "row" > ?'
            raise LabelError(TWICE, where=file.at(con.execute(again, repeated).fetchone()[0]))
    keys = ", ".join([*(f"c{k}" for k in range(size)), *["genuine"] * file.form.genuine])
    kind = file.form.weights and con.execute("SELECT typeof(weight) FROM profiles LIMIT 1").fetchone()[0]
    total = "CAST(sum(weight) AS BIGINT)" if kind == "BIGINT" else "fsum(weight)"
    sums = f", {total} AS weight" if kind else ""
    # A set is there once for each selection of its topics that was visited (or number of them).
    query = f"SELECT {keys}, count(*) AS users{sums} FROM profiles GROUP BY {keys}"  # noqa: S608 - our names
    rows = {name: np.asarray(column) for name, column in con.execute(query).fetchnumpy().items()}
    topics, place = reader.topics()
    signed = np.stack([rows[f"c{k}"] for k in range(size)], axis=1)[np.newaxis]
    return merged_fields(
        topics,
        place[np.where(signed < 0, ~signed, signed)],
        rows["users"],
        visited=signed >= 0 if seen else None,
        genuine=rows["genuine"] if file.form.genuine else None,
        weights=rows["weight"] if kind else None,
    )


def merged_fields(
    topics: list[Any],
    codes: Array,
    users: Array,
    *,
    visited: Array | None = None,
    genuine: Array | None = None,
    weights: Array | None = None,
) -> dict[str, Any]:
    """Return the fields of people merged by their sets, or by their sequences of sets over several epochs.

    A row of `codes`, (epochs, rows, s), stands for so many `users`; a set may be there several times, once
    for each selection of its topics that was visited, or number of them.
    """
    named = as_labels(topics, "topic")
    n_epochs, n_rows, size = codes.shape
    labels: Labels
    if n_epochs == 1:
        labels, which = SetLabels.distinct(codes[0], named)
        sets, kind = np.asarray(labels.codes), "distinct set"
    else:
        ordered = np.sort(codes.reshape(-1, size), axis=1).reshape(codes.shape)
        first, which = distinct_codes(ordered.transpose(1, 0, 2).reshape(n_rows, -1), named.size)
        sets, kind = ordered[:, first], "distinct sequence"
        labels = as_labels(range(first.shape[0]), "user")
    filling = None
    if visited is not None:
        filling = Filling.of(visited_in_order(codes, visited), which, users)
    elif genuine is not None:
        filling = Filling(genuine, None, which, users)
    told = f"{counted(int(users.sum()), 'user')} are merged into {counted(labels.size, kind)}"
    return {
        "users": labels,
        "topics": topics,
        "sets": sets,
        "weights": None if weights is None else summed(weights, which, labels.size),
        "counts": summed(users, which, labels.size),
        "notes": (f"The {told} with their counts.",),
        "filling": filling,
    }


def _fill(con: Any, file: ProfileFile, reader: ColumnReader) -> tuple[int, bool]:
    """Put user, set, row and weight of all rows into a table.

    Return the size of the sets, and whether it is known which topics were visited: the number n of one that
    was not is then stored as -n-1.
    """
    before, epoch, size, seen = 0, None, 0, file.counts_visits
    wanted = [*file.form.columns, RANKING] if seen and not file.form.ranked else None
    for table in filter(len, file.pieces(wanted)):
        codes = reader.take(table).codes()
        size = codes.shape[1]
        visited = reader.visited(table, codes) if seen else None
        seen = visited is not None
        if visited is not None:
            codes = np.where(visited, codes, ~codes)
        epoch = _one_epoch(file, reader.epochs(), epoch)
        columns: dict[str, Any] = {f"c{k}": np.ascontiguousarray(codes[:, k]) for k in range(size)}
        columns |= {"user": reader.users(), "weight": reader.weights(), "genuine": reader.genuine()}
        if file.form.user is not None:
            columns["row"] = np.arange(before, before + len(table))
        columns = {name: column for name, column in columns.items() if column is not None}
        con.register("piece", pa.table(columns))
        if not before:
            con.execute("CREATE TEMP TABLE profiles AS SELECT * FROM piece")
        else:
            if "weight" in columns and columns["weight"].dtype == np.float64:
                con.execute("ALTER TABLE profiles ALTER weight TYPE DOUBLE")
            con.execute("INSERT INTO profiles BY NAME SELECT * FROM piece")
        before += len(table)
    return size, seen


def _one_epoch(file: ProfileFile, epochs: Array | None, epoch: int | None) -> int | None:
    if epochs is None:
        return None
    first = int(epochs[0]) if epoch is None else epoch
    other = epochs[epochs != first]
    if other.size:
        raise ParameterError(
            f"{str(file.path)!r} has the epochs {first} and {other[0]}, but users can be merged in one epoch"
            " only; write a file for each epoch, or in Python read all users with merged=False"
        )
    return first
