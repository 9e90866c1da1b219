"""The one way from rows to a table: a line for each of what they are of, a column for each quantity."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from quiff.populations.filling import Filled
from quiff.results.numbers import probability
from quiff.results.quantities import QUANTITIES
from quiff.results.rows import Row, Rows
from quiff.results.table import Table
from quiff.results.views.names import many

_HEADS: dict[str, tuple[str, Callable[[Row], Any]]] = {
    "goal": ("guessed", lambda row: {"topics": "a topic"}.get(row.goal, row.goal)),
    "scope": ("secrets", lambda row: "all" if row.scope == "all" else "occurring"),
    "prior": ("prior", lambda row: row.prior),
    "observations": ("observations", lambda row: row.observations),
}


def rows_table(
    rows: Rows,
    title: str,
    by: Sequence[str],
    quantities: Sequence[str] | Mapping[str, str | Callable[[Rows], Any]],
    names: Mapping[Any, str] | None = None,
    *,
    interval: str = "",
    **other: Any,
) -> Table:
    """Return a table with a line for each value of some columns of rows, where its first quantity is there.

    Parameters
    ----------
    rows
        The numbers.
    title
        Of the table.
    by
        The columns of the rows that make a line, such as ``stage`` or ``observations``.
    quantities
        What stands in a line: quantities under their titles in the registry, or under other ones; or
        functions of the rows of a line. A quantity that is nowhere has no column.
    names
        What to call APIs, or APIs and their stages.
    interval
        The quantity whose interval and method are shown, if it has some.
    **other
        As in `Table`.

    Examples
    --------
    >>> numbers = [("a", "prior", 0.5), ("a", "posterior", 0.75), ("b", "posterior", 1)]
    >>> rows = Rows(tuple(Row(a, None, "", "", "", 1, q, v) for a, q, v in numbers))
    >>> rows_table(rows, "Two APIs", ["api"], ["posterior", "prior"], {"a": "one", "b": "other"})
    Two APIs
    API    re-identified  guessed
    one             75 %     50 %
    other          100 %
    """
    listed = quantities if isinstance(quantities, Mapping) else {_title(name): name for name in quantities}
    first = next(column for column in listed.values() if isinstance(column, str))
    groups = [group for group in rows.by(*by).values() if group[first] is not None]
    named = names or {}
    columns: dict[str, Any] = {}
    if "stage" in by:
        columns["observed"] = lambda some: named[some.rows[0].api, some.rows[0].stage]
    elif "api" in by:
        columns["API"] = lambda some: named[some.rows[0].api]
    for head, call in (_HEADS[name] for name in by if name in _HEADS):
        columns[head] = lambda some, call=call: call(some.rows[0])
    columns |= listed
    for end in ("low", "high", "method") if interval else ():  # those without any cell go
        columns[end] = lambda some, end=end: getattr(some.row(interval), end)
    if interval and QUANTITIES[interval].is_probability:
        other["styles"] = {"low": probability, "high": probability} | other.get("styles", {})
    return Table.of(title, groups, columns, **other)


def _title(quantity: str) -> str:
    return QUANTITIES[quantity.partition("@")[0]].title


def filling_table(
    filled: Filled | None,
    by: Sequence[str],
    rows: Rows,
    genuine: Rows,
    names: Mapping[Any, str] | None = None,
) -> Table:
    """Return leakage and re-identification with filled topics beside those of users without any."""
    some = filled is not None and filled.filled_sets
    alone = genuine.by("api", *by)

    def whole(quantity: str) -> Callable[[Rows], Any]:
        return lambda some: alone.get(next(iter(some.by("api", *by))), Rows(()))[quantity]

    return rows_table(
        rows if some else Rows(()),
        "With filling, and genuine topics only",
        by,
        {
            "re-identified": "posterior",
            "leakage": "leakage",
            "re-identified (whole)": whole("posterior"),
            "leakage (whole)": whole("leakage"),
        },
        names,
        styles={"re-identified (whole)": probability},
        notes=()
        if filled is None
        else (
            filled.sentence(),
            f"First all {many(filled.users, 'user')}, with filled topics, as a browser has them; whole sets: "
            f"the {many(filled.genuine_users, 'user')} without filled topics.",
        ),
    )
