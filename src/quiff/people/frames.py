"""People from a pandas frame: its columns by name, read as those of a file are."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from quiff.errors import LabelError, ParameterError, QuiffError, engine_line
from quiff.people.attribute import TOPICS, numbered
from quiff.people.columns import Form, attribute_names, numbered_columns
from quiff.people.readers import check_missing, whole_table


@dataclass(frozen=True)
class _Frame:
    """Stands for a file whose columns are those of a frame."""

    form: Form
    path: str = "frame"
    counts_visits: bool = False

    def at(self, row: int) -> str:
        """Say where a row stands."""
        return f"row {row} of the frame, counted from 0"


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
) -> dict[str, Any]:
    """Read people from a frame; the parameters are those of `Population.from_pandas`."""
    if not isinstance(frame, pd.DataFrame):
        raise ParameterError(f"a pandas frame was expected, not {type(frame).__name__}", what="frame")
    check_missing(missing)
    if not len(frame):
        raise LabelError("there is no user in the frame; give at least one row")
    listed = list(frame.columns)
    names, as_lists = _topic_columns(listed, topics)
    epoch = "epoch" if epoch is None and "epoch" in listed else epoch
    special = [*names, *(name for name in (weights, epoch) if name is not None)]
    taken = {*special, user}
    others = attribute_names(
        (name for name in listed if name not in taken) if attributes is None else attributes
    )
    indexed = user not in listed and user in ("user", frame.index.name)
    for name in (*([] if indexed else [user]), *special, *others):
        if listed.count(name) != 1:
            times, shown = "twice" if name in listed else "not", ", ".join(map(repr, listed[:20])) or "none"
            raise ParameterError(f"the column {name!r} is {times} in the frame; it has {shown}")
    keys = [TOPICS] if as_lists else [f"t{number + 1}" for number in range(len(names))]
    single = {key: name for key, name in (("epoch", epoch), ("weights", weights)) if name is not None}
    form = Form(None, tuple(keys), epoch is not None, "weights" if weights else None)
    try:
        columns = {
            key: arrow_column(frame[name])
            for key, name in {**dict(zip(keys, names, strict=True)), **single}.items()
        }
    except (pa.ArrowException, TypeError) as error:
        raise QuiffError(f"a column of the frame cannot be read: {engine_line(error)}") from error
    table = pa.table({"row": np.arange(len(frame)), **columns})
    file = _Frame(form)
    codes, users = pd.factorize(frame.index if indexed else frame[user])
    if (codes < 0).any():
        raise LabelError(f"{user} is empty; name every user", where=file.at(int(np.argmax(codes < 0))))
    encoded = {name: numbered(name, map(_cell, frame[name].tolist())) for name in others}
    fields = whole_table(file, table, codes, encoded, missing, seed)
    named = np.asarray(users)
    whole = named.dtype.kind in "iu"
    return fields | {"users": named[fields["users"]] if whole else [named[k] for k in fields["users"]]}


def _topic_columns(listed: list[Any], topics: str | Sequence[str] | None) -> tuple[list[str], bool]:
    """Return the columns of topics, and whether it is one with lists."""
    if isinstance(topics, str) or (topics is None and TOPICS in listed):
        return [topics if isinstance(topics, str) else TOPICS], True
    if topics is not None:
        return list(topics), False
    return list(numbered_columns(listed)), False


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
