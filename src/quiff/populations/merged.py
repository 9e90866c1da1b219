"""Profiles of more users than fit into memory, reduced to distinct sets while they are read.

DuckDB keeps the rows, on disk what memory does not hold, and counts the users of each set.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from quiff.core.numbers import Array
from quiff.errors import LabelError, ParameterError, QuiffError, engine_line
from quiff.files import scratch
from quiff.populations.by_epoch import epochs_of
from quiff.populations.files import ProfileFile
from quiff.populations.form import RANKING
from quiff.populations.memory import allowed_bytes
from quiff.populations.topic_columns import SetReader
from quiff.populations.user_columns import genuine_of, twice, user_texts, weights_of

_LEAST_MEMORY = 1 << 28  # below it DuckDB cannot work well


@dataclass(frozen=True)
class MergedSets:
    """Sets as positions in `topics`, how many users have each, and the sum of their weights.

    The sets are distinct, unless users visited different topics of one: then it is there once for each
    selection of visited topics (or number of them, if no more is known).
    """

    topics: list[Any]
    codes: Array
    counts: Array
    weights: Array | None
    visited: Array | None = None
    genuine: Array | None = None


def read_merged(file: ProfileFile) -> MergedSets:
    """Reduce a file to its distinct sets; only these need to fit into memory."""
    import duckdb

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


def _reduced(con: Any, file: ProfileFile) -> MergedSets:
    reader = SetReader(file.form, file.at)
    size, seen = _fill(con, file, reader)
    if not size:
        raise QuiffError(f"{file.at(0)} there is no profile; give at least one user")
    if file.form.user is not None:
        _check_once(con, file)
    keys = ", ".join(f"c{k}" for k in range(size))
    whole = file.form.weights and con.execute("SELECT typeof(weight) FROM profiles LIMIT 1").fetchone()[0]
    sums = {None: "", "BIGINT": ", CAST(sum(weight) AS BIGINT) AS weight"}.get(
        whole, ", fsum(weight) AS weight"
    )
    keys += ", genuine" if file.form.genuine else ""
    query = f"SELECT {keys}, count(*) AS users{sums} FROM profiles GROUP BY {keys}"  # noqa: S608 - our names
    found = con.execute(query).fetchnumpy()
    topics, place = reader.topics()
    signed = np.stack([np.asarray(found[f"c{k}"]) for k in range(size)], axis=1)
    codes = place[np.where(signed < 0, ~signed, signed)]
    weights = np.asarray(found["weight"]) if file.form.weights else None
    genuine = np.asarray(found["genuine"]) if file.form.genuine else None
    return MergedSets(
        topics, codes, np.asarray(found["users"]), weights, signed >= 0 if seen else None, genuine
    )


def _fill(con: Any, file: ProfileFile, reader: SetReader) -> tuple[int, bool]:
    """Put user, set, row and weight of all rows into a table.

    Return the size of the sets, and whether it is known which topics were visited: the number n of one that
    was not is then stored as -n-1.
    """
    import pyarrow as pa

    before, epoch, size, seen = 0, None, 0, file.counts_visits
    wanted = [*file.form.columns, RANKING] if seen and not file.form.ranked else None
    for table in file.pieces(wanted):
        if not table.num_rows:
            continue
        codes = reader.codes(table)
        size = codes.shape[1]
        visited = reader.visited(table, codes) if seen else None
        seen = visited is not None
        if visited is not None:
            codes = np.where(visited, codes, ~codes)
        columns: dict[str, Any] = {f"c{k}": np.ascontiguousarray(codes[:, k]) for k in range(size)}
        if file.form.user is not None:
            columns["user"] = user_texts(file.form, table, file.at, before)
            columns["row"] = np.arange(before, before + table.num_rows)
        if file.form.epoch:
            epoch = _one_epoch(file, epochs_of(table, file.at, before), epoch)
        weights = weights_of(file.form, table, file.at, before)
        if weights is not None:
            columns["weight"] = weights
        genuine = genuine_of(table, size, file.at, before)
        if genuine is not None:
            columns["genuine"] = genuine
        con.register("piece", pa.table(columns))
        if not before:
            con.execute("CREATE TEMP TABLE profiles AS SELECT * FROM piece")
        else:
            if weights is not None and weights.dtype == np.float64:
                con.execute("ALTER TABLE profiles ALTER weight TYPE DOUBLE")
            con.execute("INSERT INTO profiles BY NAME SELECT * FROM piece")
        before += table.num_rows
    return size, seen


def _one_epoch(file: ProfileFile, epochs: Array, epoch: int | None) -> int:
    first = int(epochs[0]) if epoch is None else epoch
    other = epochs[epochs != first]
    if other.size:
        raise ParameterError(
            f"{str(file.path)!r} has the epochs {first} and {other[0]}, but users can be merged in one epoch"
            " only; write a file for each epoch, or in Python read all users with merged=False"
        )
    return first


def _check_once(con: Any, file: ProfileFile) -> None:
    query = 'SELECT "user", min("row") FROM profiles GROUP BY "user" HAVING count(*) > 1 LIMIT 1'
    found = con.execute(query).fetchone()
    if found is not None:
        user, first = found
        again = 'SELECT min("row") FROM profiles WHERE "user" = ? AND "row" > ?'
        raise LabelError(twice(file.at(con.execute(again, [user, first]).fetchone()[0])))
