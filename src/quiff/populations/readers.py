"""Profiles from files: Parquet, or text with commas or tabs, in quiff's own form and in published ones.

A profile is a user and a set of topics, in one column (``topics``, or ``sTopics`` as published) or in columns
``t1``, ``t2`` and so on; a column ``epoch`` may tell several sets of a user apart. Users who do not fit into
memory are merged by their sets.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from quiff.core.labels import SetLabels, as_labels
from quiff.core.numbers import Array
from quiff.errors import ParameterError, QuiffError, counted
from quiff.populations.attribute import Attribute
from quiff.populations.by_epoch import arranged, check_missing, epochs_of
from quiff.populations.files import ProfileFile, open_profiles
from quiff.populations.filling import Filling, visited_in_order
from quiff.populations.form import RANKING
from quiff.populations.memory import allowed_bytes
from quiff.populations.merged import read_merged
from quiff.populations.topic_columns import SetReader
from quiff.populations.user_columns import (
    Column,
    attribute_column,
    check_once,
    genuine_of,
    users_of,
    weights_of,
)
from quiff.populations.weights import summed
from quiff.theory.parameters import check_whole

_TAKEN_FOR_VISITED = (
    "The file does not say which topics were visited: those of the sets that it has are taken for visited."
)


@dataclass(frozen=True)
class ProfileTable:
    """What a file says: users, all topics, the sets as positions in them, and what reading assumed."""

    users: Any
    topics: Any
    sets: Array | None
    weights: Array | None = None
    counts: Array | None = None
    notes: tuple[str, ...] = ()
    filling: Filling | None = None
    others: Mapping[str, Attribute] = field(default_factory=dict)


def read_profiles(
    path: str | os.PathLike[str],
    *,
    top: int | None = None,
    weights: str | None = None,
    merged: bool | None = None,
    missing: str = "error",
    seed: int = 0,
    attributes: tuple[str, ...] = (),
) -> ProfileTable:
    """Read profiles from a file; its columns tell the form.

    The parameters are those of `Population.read`.
    """
    check_missing(missing)
    top = None if top is None else check_whole("top", top, 1)
    file = open_profiles(path, top=top, weights=weights, attributes=attributes)
    try:
        table = None if merged else file.table(allowed_bytes() if merged is None else None)
        if table is None:
            _check_mergeable(file)
            found = _merged(file)
        else:
            columns = {name: attribute_column(table[name], file.delimiter is not None) for name in attributes}
            found = whole_table(file, table, users_of(file.form, table, file.at), columns, missing, seed)
    except NotImplementedError as error:  # Arrow's, of a cast
        raise QuiffError(
            f"{str(file.path)!r}: a column is neither text nor numbers nor lists of these; give users as"
            " text or numbers, and topics as lists of them, or in columns t1, t2 and so on"
        ) from error
    if found.weights is not None and not found.weights.any():
        raise ParameterError(
            f"{str(file.path)!r}: all weights in {weights} are 0; at least one user must count"
        )
    return found


def place_of_topic(path: str | os.PathLike[str], topic: Any, *, top: int | None = None) -> str:
    r"""Say where a topic of a population first stands in the file that it was read from.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder) / "profiles.csv"
    ...     _ = file.write_text("\n".join(["user,t1,t2", "Alice,1,2", "Bob,2,400"]))
    ...     place_of_topic(file, 400).replace(folder, "")
    "'/profiles.csv', line 3:"
    """
    file = open_profiles(path, top=top)
    reader, before = SetReader(file.form, file.at), 0
    for table in file.pieces():
        rows = reader.rows_with(topic, reader.codes(table))
        if rows.size:
            return file.at(before + int(rows[0]))
        before += table.num_rows
    return f"{str(file.path)!r}:"


def _check_mergeable(file: ProfileFile) -> None:
    """Raise an error if attributes were asked for, which merged users do not have."""
    if file.form.attributes:
        raise ParameterError(
            f"{str(file.path)!r}: the attribute {file.form.attributes[0]!r} needs single users, but they"
            " would be merged by their topic sets to save memory; in Python read the file with merged=False,"
            " or allow more memory by quiff.reading_limit"
        )


def whole_table(
    file: Any, table: Any, users: Array, columns: Mapping[str, Column], missing: str, seed: int
) -> ProfileTable:
    """Return every user of a table; `columns` has the values of each attribute and their places by row."""
    if table.num_rows == 0:
        raise QuiffError(f"{file.at(0)} there is no profile; give at least one user")
    topics, codes, genuine, visited = _sets(file, table)
    weights = weights_of(file.form, table, file.at)
    if not file.form.epoch:
        check_once(users, file.at)
        others = {name: Attribute.of_codes(name, *column) for name, column in columns.items()}
        filling = _filling(genuine, visited)
        return ProfileTable(users, topics, codes, weights, filling=filling, others=others)
    if codes is None and missing == "fill":
        raise ParameterError("missing is 'fill', but there are no topic sets to fill; choose drop or error")
    epochs = epochs_of(table, file.at)
    sets = np.zeros((len(users), 1), dtype=np.int32) if codes is None else codes
    found = arranged(str(file.path), users, epochs, sets, file.at, missing, seed)
    if weights is not None:
        weights = _one_weight(file, users, weights, found.users, found.firsts)
    notes, gaps = found.notes, found.rows < 0
    if codes is not None and genuine is None and visited is None and gaps.any():
        visited = np.ones(codes.shape, dtype=bool)
        notes = (*notes, _TAKEN_FOR_VISITED)
    filling = _filling(*(_arranged(column, found.rows) for column in (genuine, visited)))
    made = None if codes is None else found.codes
    others = {name: _by_epoch(name, column, found.rows) for name, column in columns.items()}
    return ProfileTable(found.users, topics, made, weights, notes=notes, filling=filling, others=others)


def _sets(file: Any, table: Any) -> tuple[Any, Array | None, Array | None, Array | None]:
    """Return the topics, the sets as positions in them, and how many and which topics were visited."""
    if not file.form.topics:
        return None, None, None, None
    reader = SetReader(file.form, file.at)
    numbers = reader.codes(table)
    genuine = genuine_of(table, numbers.shape[1], file.at)
    visited = _visited(file, table, reader, numbers)
    topics, place = reader.topics()
    codes = place[numbers]
    return topics, codes, genuine, None if visited is None else visited_in_order(codes, visited)


def _by_epoch(name: str, column: Column, rows: Array) -> Attribute:
    """Return an attribute by epoch and user: stable if nobody's value changes, else missing in a gap."""
    values, which = column
    seen = Attribute.of_codes(name, values, which)
    found = seen.which[0][rows]  # with -1 the last row: overwritten below
    known = np.take_along_axis(found, (rows >= 0).argmax(axis=0)[np.newaxis], axis=0)
    if ((found == known) | (rows < 0)).all():
        return Attribute(name, seen.values, known[0])
    if (rows >= 0).all():
        return Attribute(name, seen.values, found)
    return Attribute.of_codes(name, [*seen.values, None], np.where(rows < 0, seen.values.size, found))


def _visited(file: ProfileFile, table: Any, reader: SetReader, codes: Array) -> Array | None:
    """Return which topics were visited, by a look at the ranked topic counts piece by piece."""
    if not file.counts_visits:
        return None
    if file.form.ranked:  # the table has them
        return reader.visited(table, codes)
    found, before = [], 0
    for piece in file.pieces([RANKING]):
        mask = reader.visited(piece, codes[before : before + piece.num_rows])
        if mask is None and piece.num_rows:
            return None
        found += [] if mask is None else [mask]
        before += piece.num_rows
    return np.concatenate(found)


def _arranged(column: Array | None, rows: Array) -> Array | None:
    """Return a column by epoch and user; nothing of what was filled in was visited."""
    if column is None:
        return None
    found = column[rows]
    found[rows < 0] = 0
    return np.asarray(found)


def _filling(genuine: Array | None, visited: Array | None) -> Filling | None:
    """Return what is known of visits; ranked topic counts tell more than numbers."""
    if visited is not None:
        return Filling.of(visited)
    return None if genuine is None else Filling(genuine)


def _one_weight(file: ProfileFile, users: Array, weights: Array, kept: Array, firsts: Array) -> Array:
    """Return the weight of each user that is kept, which must be the same in all epochs."""
    order = np.argsort(kept, kind="stable")
    place = order[np.minimum(np.searchsorted(kept, users, sorter=order), len(kept) - 1)]
    other = (kept[place] == users) & (weights != weights[firsts][place])
    if other.any():
        row = int(np.argmax(other))
        raise ParameterError(
            f"{file.at(row)} the weight is {weights[row]}, but {weights[firsts][place[row]]} in another epoch"
            " of the same user; give each user one weight"
        )
    return np.asarray(weights[firsts])


def _merged(file: ProfileFile) -> ProfileTable:
    """Return the distinct sets of a file as if they were users, with their counts."""
    found = read_merged(file)
    sets, which = SetLabels.distinct(found.codes, as_labels(found.topics, "topic"))
    n_users = int(found.counts.sum())
    note = (
        f"The {counted(n_users, 'user')} are merged into {counted(sets.size, 'distinct set')}"
        " with their counts."
    )
    weights = None if found.weights is None else summed(found.weights, which, sets.size)
    counts = summed(found.counts, which, sets.size)
    filling = None
    if found.visited is not None:
        filling = Filling.of(visited_in_order(found.codes, found.visited), which, found.counts)
    elif found.genuine is not None:
        filling = Filling(found.genuine, None, which, found.counts)
    return ProfileTable(sets, found.topics, np.asarray(sets.codes), weights, counts, (note,), filling)
