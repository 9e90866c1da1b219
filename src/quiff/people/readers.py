"""Profiles from files: Parquet, or text with commas or tabs, in quiff's own form and in published ones.

A profile is a user and a set of topics, in one column (``topics``, or ``sTopics`` as published) or in columns
``t1``, ``t2`` and so on; a column ``epoch`` may tell several sets of a user apart. Users who do not fit into
memory are merged by their sets. What is read are the fields of a population, by their names.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from quiff.core.numbers import Array
from quiff.errors import LabelError, ParameterError, QuiffError, counted, setting
from quiff.io import StrPath
from quiff.people.attribute import Attribute
from quiff.people.columns import (
    RANKING,
    At,
    Column,
    ColumnReader,
    attribute_column,
    attribute_names,
    labels_of,
)
from quiff.people.files import open_profiles
from quiff.people.filling import Filling, visited_in_order
from quiff.people.merged import TWICE, allowed_bytes, read_merged
from quiff.people.tfrecords import read_tfrecords, tfrecord_files
from quiff.theory.parameters import check_whole

_MISSING = ("error", "drop", "fill")
_CHUNK = 1 << 22  # random numbers drawn at a time
_PER_RECORD = 2  # bytes in memory for a byte of TFRecords
_TAKEN_FOR_VISITED = (
    "The file does not say which topics were visited: those of the sets that it has are taken for visited."
)


def read_profiles(
    path: StrPath,
    *,
    top: int | None,
    weights: str | None,
    merged: bool | None,
    missing: str,
    seed: int,
    attributes: str | Iterable[str],
) -> dict[str, Any]:
    """Read profiles from a file, whose columns tell the form; for the parameters see `Population.read`."""
    names = attribute_names(attributes)
    check_missing(missing)
    top = None if top is None else check_whole("top", top, 1)
    if records := tfrecord_files(path):
        if top is not None or weights is not None or names:
            raise ParameterError("TFRecord files have topics only: no other top, weights or attributes")
        return read_tfrecords(records, missing, seed)
    file = open_profiles(path, top=top, weights=weights, attributes=names)
    try:
        table = None if merged else file.table(allowed_bytes() if merged is None else None)
        if table is None:
            found = read_merged(file)
        else:
            users = ColumnReader(file.form, file.at).take(table).users()
            columns = {name: attribute_column(table[name], file.delimiter is not None) for name in names}
            rows = np.arange(table.num_rows) if users is None else labels_of(users)
            found = whole_table(file, table, rows, columns, missing, seed)
    except (NotImplementedError, pa.ArrowException) as error:  # of a cast
        raise QuiffError(
            "a column is neither text nor numbers nor lists of these; give users as text or numbers, and"
            " topics as lists of them, or in columns t1, t2 and so on",
            where=repr(str(file.path)),
        ) from error
    if found["weights"] is not None and not found["weights"].any():
        raise ParameterError(
            f"all weights in {weights} are 0; at least one user must count", where=repr(str(file.path))
        )
    return found


def reading_bytes(path: StrPath) -> int:
    """Estimate how many bytes it takes to read profiles, from what the file tells before it is read."""
    if records := tfrecord_files(path):
        return _PER_RECORD * sum(file.stat().st_size for file in records)
    return open_profiles(path).reading_bytes()


def check_missing(missing: str) -> None:
    """Raise an error if there is no such way to treat users who lack an epoch."""
    if missing not in _MISSING:
        raise ParameterError(what="missing", value=missing, allowed=f"one of {', '.join(_MISSING)}")


def chosen_epoch(n_epochs: int, chosen: int) -> str:
    """Return the note on the one epoch that was taken."""
    return f"The file has {n_epochs} epochs; this is epoch {chosen}, counted from 0."


def place_of_topic(path: StrPath, topic: Any, *, top: int | None = None) -> str:
    """Say where a topic of a population first stands in the file that it was read from."""
    file = open_profiles(path, top=top)
    reader, before = ColumnReader(file.form, file.at), 0
    for table in file.pieces():
        rows = reader.take(table).rows_with(topic)
        if rows.size:
            return file.at(before + int(rows[0]))
        before += table.num_rows
    return f"{str(file.path)!r}"


def whole_table(
    file: Any, table: Any, users: Array, columns: Mapping[str, Column], missing: str, seed: int
) -> dict[str, Any]:
    """Return every user of a table; `columns` has the values of each attribute and their places by row."""
    if table.num_rows == 0:
        raise QuiffError("there is no profile; give at least one user", where=file.at(0))
    reader = ColumnReader(file.form, file.at).take(table)
    fields: dict[str, Any] = dict.fromkeys(("topics", "sets", "genuine", "visited"))
    if file.form.topics:
        numbers = reader.codes()
        visited = _visited(file, table, reader, numbers)
        fields["topics"], place = reader.topics()
        fields["sets"], fields["genuine"] = place[numbers], reader.genuine()
        fields["visited"] = None if visited is None else visited_in_order(fields["sets"], visited)
    fields |= {"users": users, "weights": reader.weights(), "notes": ()}
    fields["others"] = {name: Attribute.of_codes(name, *column) for name, column in columns.items()}
    epochs = reader.epochs()
    if epochs is None:
        row = _first_again(users)
        if row is not None:
            raise LabelError(TWICE, where=file.at(row))
    else:
        fields |= _by_epoch(file, epochs, fields, missing, seed)
    genuine, visited = fields.pop("genuine"), fields.pop("visited")
    filling = None if genuine is None else Filling(genuine)
    fields["filling"] = filling if visited is None else Filling.of(visited)  # which tells more
    return fields


def _visited(file: Any, table: Any, reader: ColumnReader, codes: Array) -> Array | None:
    """Return which topics were visited, by a look at the ranked topic counts piece by piece."""
    if not file.counts_visits:
        return None
    if file.form.ranked:  # the table has them
        return reader.visited(table, codes)
    masks: list[Array] = []
    before = 0
    for piece in filter(len, file.pieces([RANKING])):
        mask = reader.visited(piece, codes[before : before + len(piece)])
        if mask is None:
            return None
        masks.append(mask)
        before += len(piece)
    return np.concatenate(masks)


def _first_again(keys: Array) -> int | None:
    """Return the first place where something is that was there before."""
    _, firsts = np.unique(keys, return_index=True)
    if len(firsts) == len(keys):
        return None
    again = np.ones(len(keys), dtype=bool)
    again[firsts] = False
    return int(np.argmax(again))


def _by_epoch(file: Any, epochs: Array, fields: dict[str, Any], missing: str, seed: int) -> dict[str, Any]:
    """Return the fields of all rows by epoch and user, users in the order in which they come first."""
    sets, genuine, visited, weights = (fields[name] for name in ("sets", "genuine", "visited", "weights"))
    if sets is None and missing == "fill":
        raise ParameterError("missing is 'fill', but there are no topic sets to fill; choose drop or error")
    users, rows, firsts = _rows_by_epoch(fields["users"], epochs, file.at)
    gaps, notes = rows < 0, []
    if gaps.any() and missing == "error":
        epoch, user = np.argwhere(gaps)[0]
        raise LabelError(
            f"{_lacking(gaps)} (that of {file.at(int(firsts[user]))} has none in epoch"
            f" {np.unique(epochs)[epoch]}); leave such users out by {setting('missing', 'drop')}, or give"
            f" them random topics by {setting('missing', 'fill')}",
            where=repr(str(file.path)),
        )
    if gaps.any() and missing == "drop":
        kept = ~gaps.any(axis=0)
        if not kept.any():
            raise LabelError(
                "no user has a set in every epoch, so that all would be dropped; give them random topics"
                f" by {setting('missing', 'fill')}",
                where=repr(str(file.path)),
            )
        notes.append(f"{_lacking(gaps)} and {_were(int(np.count_nonzero(~kept)))} left out.")
        users, rows, firsts, gaps = users[kept], rows[:, kept], firsts[kept], gaps[:, kept]
    drawn = None
    if sets is not None and gaps.any():
        n = int(np.count_nonzero(gaps))
        drawn = _random_sets(n, sets, seed)
        notes.append(
            f"{_lacking(gaps)}; {counted(n, 'missing set')} {_were(n)} filled at random from the topics that"
            f" occur (seed {seed})."
        )
        if genuine is None and visited is None:
            visited = np.ones(sets.shape, dtype=bool)
            notes.append(_TAKEN_FOR_VISITED)
    sets = None if sets is None else sets[rows]
    if sets is not None and drawn is not None:
        sets[gaps] = drawn
    return {
        "users": users,
        "sets": sets,
        "genuine": None if genuine is None else np.where(gaps, 0, genuine[rows]),  # none was visited
        "visited": None if visited is None else visited[rows] & ~gaps[..., np.newaxis],
        "weights": None if weights is None else _one_weight(weights, rows, firsts, file.at),
        "others": {name: _over_epochs(attribute, rows) for name, attribute in fields["others"].items()},
        "notes": tuple(notes),
    }


def _rows_by_epoch(users: Array, epochs: Array, at: At) -> tuple[Array, Array, Array]:
    """Return the users, the row of each epoch and user, -1 if there is none, and their first rows."""
    named, firsts, which = np.unique(users, return_index=True, return_inverse=True)
    order = np.argsort(firsts, kind="stable")
    numbers, when = np.unique(epochs, return_inverse=True)
    row = _first_again(when * len(named) + which)
    if row is not None:
        raise LabelError(
            f"the user of this row has a second set in epoch {epochs[row]}; give one", where=at(row)
        )
    rows = np.full((len(numbers), len(named)), -1)
    rows[when, which] = np.arange(len(users))
    return named[order], rows[:, order], firsts[order]


def _lacking(gaps: Array) -> str:
    """Say how many users lack an epoch, given which of the epochs and users."""
    n, (n_epochs, n_users) = int(np.count_nonzero(gaps.any(axis=0))), gaps.shape
    return f"{n} of {n_users} users {'has' if n == 1 else 'have'} no set in some of the {n_epochs} epochs"


def _were(n: int) -> str:
    return "was" if n == 1 else "were"


def _random_sets(n: int, codes: Array, seed: int) -> Array:
    """Draw n sets as a browser does for an epoch without history: uniformly, of the topics that occur."""
    occurring = np.unique(codes)
    rng = np.random.default_rng(seed)
    step = max(_CHUNK // len(occurring), 1)
    drawn = [
        np.argsort(rng.random((min(step, n - start), len(occurring))), axis=1)[:, : codes.shape[1]]
        for start in range(0, n, step)
    ]
    return occurring[np.concatenate(drawn)]


def _one_weight(weights: Array, rows: Array, firsts: Array, at: At) -> Array:
    """Return the weight of each user, which must be the same in all epochs."""
    own = weights[firsts]
    other = np.argwhere((rows >= 0) & (weights[rows] != own))
    if other.size:
        row, user = min((int(rows[epoch, user]), user) for epoch, user in other)
        raise ParameterError(
            f"the weight is {weights[row]}, but {own[user]} in another epoch of the same user; give"
            " each user one weight",
            where=at(row),
        )
    return np.asarray(own)


def _over_epochs(seen: Attribute, rows: Array) -> Attribute:
    """Return an attribute by epoch and user: stable if nobody's value changes, else missing in a gap."""
    which, gaps = seen.which[0][rows], rows < 0
    known = np.take_along_axis(which, gaps.argmin(axis=0)[np.newaxis], axis=0)
    if ((which == known) | gaps).all():
        return Attribute(seen.name, seen.values, known[0])
    if not gaps.any():
        return Attribute(seen.name, seen.values, which)
    return Attribute.of_codes(seen.name, [*seen.values, None], np.where(gaps, seen.values.size, which))
