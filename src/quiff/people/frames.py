"""People from a pandas frame: its columns by name, read as those of a file are."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from quiff.errors import LabelError, ParameterError, QuiffError, engine_line
from quiff.io.tables import open_table
from quiff.people.attribute import TOPICS, Attribute, numbered
from quiff.people.epochs import check_missing
from quiff.people.form import Form, attribute_names, numbered_columns
from quiff.people.population import Population
from quiff.people.reading import Profiles


def read_frame(
    frame: pd.DataFrame,
    user: str,
    topics: str | Sequence[str] | None,
    attributes: str | Iterable[str] | None,
    weights: str | None,
    epoch: str | None,
    *,
    missing: str,
    seed: int,
) -> Population:
    """Read people from a frame; the parameters are those of `Population.from_pandas`."""
    if not isinstance(frame, pd.DataFrame):
        raise ParameterError(f"a pandas frame was expected, not {type(frame).__name__}", what="frame")
    check_missing(missing, seed)
    if not len(frame):
        raise LabelError("there is no user in the frame; give at least one row")
    listed = list(frame.columns)
    names, as_lists = _topic_columns(listed, topics)
    epoch = "epoch" if epoch is None and "epoch" in listed else epoch
    special = [*names, *(name for name in (weights, epoch) if name is not None)]
    others = attribute_names(
        (name for name in listed if name not in {*special, user}) if attributes is None else attributes
    )
    indexed = user not in listed and user in ("user", frame.index.name)
    for name in (*([] if indexed else [user]), *special, *others):
        if listed.count(name) != 1:
            times, shown = "twice" if name in listed else "not", ", ".join(map(repr, listed[:20])) or "none"
            raise ParameterError(
                f"the column {name!r} is {times} in the frame; it has {shown}", what="a column", value=name
            )
    keys = (TOPICS,) if as_lists else tuple(f"t{number + 1}" for number in range(len(names)))
    single = {key: name for key, name in (("epoch", epoch), ("weights", weights)) if name is not None}
    form = Form(None, keys, not as_lists, "epoch" if epoch else None, "weights" if weights else None)
    try:
        columns = {
            key: arrow_column(frame[name])
            for key, name in {**dict(zip(keys, names, strict=True)), **single}.items()
        }
    except (pa.ArrowException, TypeError) as error:
        raise QuiffError(f"a column of the frame cannot be read: {engine_line(error)}") from error
    with open_table(pa.table({"row": np.arange(len(frame)), **columns})) as table:
        profiles = Profiles.of(table, form)
        codes, users = pd.factorize(frame.index if indexed else frame[user])
        if (codes < 0).any():
            raise LabelError(f"{user} is empty; name every user", where=table.at(int(np.argmax(codes < 0))))
        encoded = {
            name: Attribute.of_codes(name, *numbered(name, map(_cell, frame[name].tolist())))
            for name in others
        }
        people = profiles.population(profiles.fetch(), codes, encoded, missing, seed)
    named = np.asarray(users)
    places = np.asarray(people.users)
    whole = named.dtype.kind in "iu"
    return people.replaced(users=named[places] if whole else [named[k] for k in places])


def _topic_columns(listed: list[Any], topics: str | Sequence[str] | None) -> tuple[list[str], bool]:
    """Return the columns of topics, and whether it is one with lists."""
    if isinstance(topics, str) or (topics is None and TOPICS in listed):
        return [topics if isinstance(topics, str) else TOPICS], True
    return list(numbered_columns(listed) if topics is None else topics), False


def arrow_column(column: "pd.Series[Any]") -> Any:
    """Return a column as an Arrow array, sets as lists."""
    if column.dtype != object:
        return pa.array(column, from_pandas=True)
    return pa.array([list(v) if isinstance(v, set | frozenset) else v for v in column], from_pandas=True)


def _cell(value: Any) -> Any:
    """Return a value as a label: lists as tuples, sets as frozensets."""
    if isinstance(value, list | np.ndarray):
        return tuple(value)
    return frozenset(value) if isinstance(value, set) else value
