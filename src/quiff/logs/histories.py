"""The browsing histories of an Experimental table: who shares one, and lazily what they are."""

import os
from functools import cached_property
from typing import Any, final

import numpy as np

from quiff.core.labels import Labels, as_labels
from quiff.core.numbers import Array
from quiff.errors import ParameterError
from quiff.io import StrPath
from quiff.logs.engine import connect
from quiff.logs.queries import fetch_arrow
from quiff.logs.tables import find_table, read_table
from quiff.people.histories import Histories

WITH_TIMES, IN_ORDER, AS_SETS = "domains and times", "domains in order", "set of domains"
"""The ways to look at a history, the one that tells most apart first."""


@final
class TimedHistory(tuple[str, ...]):
    """The visited domains in order; two are equal if the times of their visits are equal too."""

    times: tuple[Any, ...]

    def __new__(cls, domains: tuple[str, ...], times: tuple[Any, ...]) -> "TimedHistory":
        made = super().__new__(cls, domains)
        made.times = times
        return made

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TimedHistory) and self.times == other.times and tuple(self) == tuple(other)

    def __ne__(self, other: object) -> bool:  # a tuple has its own
        return not self == other

    def __hash__(self) -> int:
        return hash((tuple(self), self.times))


@final
class StoredHistories(Labels):
    """The distinct histories of a table as labels, read when somebody looks at one."""

    def __init__(self, path: StrPath, holders: Array) -> None:
        self._path, self._holders = path, holders  # one user of each history
        self.size = int(self._holders.shape[0])

    def _label(self, position: int) -> TimedHistory:
        domains, times = self._visits
        return TimedHistory(tuple(domains[position].as_py()), tuple(times[position].as_py()))

    @cached_property
    def _visits(self) -> tuple[Any, Any]:
        def of(table: Any) -> dict[str, Any]:
            history = table.history
            return {"domains": history.map(lambda v: v.domain), "times": history.map(lambda v: v.time)}

        rows = _columns(self._path, of)
        users = np.asarray(rows["user"].to_numpy())
        order = np.argsort(users)
        kept = rows.take(order[np.searchsorted(users, self._holders, sorter=order)])
        return kept["domains"].combine_chunks(), kept["times"].combine_chunks()


def read_histories(path: StrPath) -> Histories:
    """Return the histories of the Experimental table, or a folder with one, that ``quiff experiment`` wrote.

    Two users share a history if they visited the same domains at the same times. A history is the tuple of
    its domains in order (and compares the times too); it is read when first looked at, so that who shares
    one is known without the memory for all.
    """
    users, views = history_digests(path)
    _, first, which = np.unique(views[WITH_TIMES], return_index=True, return_inverse=True)
    holders = np.array([users[int(row)] for row in first])
    return Histories(users, StoredHistories(path, holders), which, {}, ())


def history_digests(path: StrPath) -> tuple[Labels, dict[str, Array]]:
    """Return the users of an Experimental table, and a number for each history by each way to look at it."""

    def of(table: Any) -> dict[str, Any]:
        domains = table.history.map(lambda visit: visit.domain)
        visits = table.history.map(lambda visit: visit.time.cast("string") + "\t" + visit.domain)
        columns = {WITH_TIMES: visits, IN_ORDER: domains, AS_SETS: domains.unique().sort()}
        return {view: words.join("\n").hexdigest("sha256") for view, words in columns.items()}

    rows = _columns(path, of)
    users = as_labels(rows["user"].to_numpy(), "user")
    views = [name for name in rows.column_names if name != "user"]
    codes = {view: rows[view].combine_chunks().dictionary_encode().indices for view in views}
    return users, {view: column.to_numpy(zero_copy_only=False) for view, column in codes.items()}


def _columns(path: StrPath, of: Any) -> Any:
    """Return the users of an Experimental table, and some columns that are made of it, as an Arrow table."""
    con = connect()
    try:
        table, _ = read_table(con, find_table(path, ("experimental",)), ("experimental",))
        rows = fetch_arrow(con, table.select("user", **of(table)))
    finally:
        con.disconnect()
    if rows.num_rows == 0:
        raise ParameterError(f"{os.fspath(path)!r} has no browsing history; give a table with users")
    return rows
