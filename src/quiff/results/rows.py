"""The rows of a result: every number with what it is of, selected, grouped and looked up."""

import difflib
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, final

from quiff.errors import LabelError, needed

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

    from quiff.core.numbers import Number

_ENDS = ("value", "low", "high")
_KEYS = ("api", "quantity", "goal", "stage", "prior", "scope", "method", "observations")
Method = Literal["exact", "formula", "discretised", "monte-carlo", "hybrid", "sample"]
Scope = Literal["people", "all", "genuine"]


@final
@dataclass(frozen=True)
class Row:
    """One number, and what it is of.

    Attributes
    ----------
    api, unit, stage
        The API by its spec, whom one observation is about, and the stage of the API.
    goal
        What is guessed: ``user`` for re-identification, ``secret``, or an attribute; empty where any is.
    prior
        ``population``, ``uniform`` on the distinct secrets, or another; empty where all are meant.
    observations
        How many.
    quantity, value
        The name of the quantity in the registry, and the number.
    low, high
        An interval of 95 %, where the number is estimated.
    method
        How it was computed; ``sample``: estimated from a log.
    scope
        Whether it is of these ``people``, of those of them without filled-in topics (``genuine``), or over
        ``all`` secrets that there can be.
    """

    api: str
    unit: object
    stage: str
    goal: str
    prior: str
    observations: int
    quantity: str
    value: "Number"
    low: "Number | None" = None
    high: "Number | None" = None
    method: Method = "exact"
    scope: Scope = "people"


COLUMNS = tuple(column.name for column in fields(Row))
"""The columns of rows."""


class Between(NamedTuple):
    """A number with the ends of its interval, and how it was computed."""

    value: "Number"
    low: "Number | None"
    high: "Number | None"
    method: Method = "exact"


class Source(Protocol):
    """What numbers are of: an API, or a program."""

    @property
    def spec(self) -> str:
        """By which name rows have it."""

    @property
    def unit(self) -> object:
        """Whom one observation is about."""


def rows_of(source: Source | None, numbers: Mapping[str, Any], **about: Any) -> Iterator[Row]:
    """Yield a row for each quantity whose number is there, with what else is known of all of them.

    A number may have ends: ``(value, low, high)``, or an estimate with these attributes and, where it knows
    it, its method; what is exact has no ends.

    Examples
    --------
    >>> [row] = rows_of(None, {"posterior": (0.4, 0.3, 0.5), "epsilon": None}, goal="user", method="sample")
    >>> row.value, row.high, row.goal, row.observations, row.method
    (0.4, 0.5, 'user', 1, 'sample')
    """
    spec, unit = ("", None) if source is None else (source.spec, source.unit)
    shared: dict[str, Any] = {"stage": "", "goal": "", "prior": "", "observations": 1, **about}
    for quantity, number in numbers.items():
        cells: dict[str, Any] = {"value": number}
        if hasattr(number, "low"):
            cells = {name: getattr(number, name) for name in (*_ENDS, "method") if hasattr(number, name)}
        elif isinstance(number, tuple):
            cells = dict(zip(_ENDS, number, strict=True))
        if cells.get("method") == "exact":
            cells |= {"low": None, "high": None}
        if cells["value"] is not None:
            yield Row(spec, unit, quantity=quantity, **shared | cells)


CLOSED: Mapping[str, Any] = {"method": "formula", "scope": "all"}
"""What is known of the rows of closed forms."""


@final
@dataclass(frozen=True)
class Rows:
    """Some rows, which tables, sentences and figures are read from.

    Examples
    --------
    >>> numbers = {"prior": 0.001, "posterior": 0.42, "leakage": 420.0}
    >>> rows = Rows(Row("a", None, "", "user", "", 1, *number) for number in numbers.items())
    >>> rows["leakage"], rows["epsilon"], list(rows.by("api")), len(rows.where(quantity=["prior", "leakage"]))
    (420.0, None, [('a',)], 2)
    """

    rows: tuple[Row, ...]

    def __init__(self, rows: Iterable[Row] = ()) -> None:
        object.__setattr__(self, "rows", tuple(rows))

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def where(self, **wanted: Any) -> "Rows":
        """Return the rows that have these values, each one or any of a list."""
        allowed = {name: value if isinstance(value, list) else [value] for name, value in wanted.items()}
        return Rows(row for row in self.rows if all(getattr(row, k) in v for k, v in allowed.items()))

    def by(self, *names: str) -> "dict[tuple[Any, ...], Rows]":
        """Return the rows by some of their columns, in the order in which they come."""
        groups: dict[tuple[Any, ...], list[Row]] = {}
        for row in self.rows:
            groups.setdefault(tuple(getattr(row, name) for name in names), []).append(row)
        return {key: Rows(rows) for key, rows in groups.items()}

    def values(self, name: str) -> list[Any]:
        """Return the different values of a column, in the order in which they come."""
        return list(dict.fromkeys(getattr(row, name) for row in self.rows))

    def row(self, quantity: str) -> Row | None:
        """Return the first row of a quantity; None if there is none."""
        return next((row for row in self.rows if row.quantity == quantity), None)

    def __getitem__(self, quantity: str) -> "Number | None":
        """Return the first value of a quantity, or with ``@all`` or ``@people`` behind it of that scope."""
        name, _, scope = quantity.partition("@")
        row = (self.where(scope=scope) if scope else self).row(name)
        return None if row is None else row.value

    @property
    def last(self) -> "Rows":
        """Those of the last stage."""
        return self.where(stage=self.values("stage")[-1]) if self.rows else self

    def longest(self, quantity: str) -> "Rows":
        """Those of the most observations for which a quantity is known; none if it is not."""
        most = max((row.observations for row in self.where(quantity=quantity)), default=0)
        return self.where(observations=most)

    @property
    def observations(self) -> int:
        """The most observations; 0 without rows."""
        return max((row.observations for row in self.rows), default=0)

    def find(self, *keys: Hashable) -> Row:
        """Return the row that some keys choose; see ``result[...]``.

        Raises
        ------
        LabelError
            If there is no such row, or an API or a quantity is missing among the keys.
        """
        last = {row.api: row.stage for row in self.rows if row.stage}
        named = [spec for spec in last if keys and spec.partition(":")[0] == keys[0]]
        try:
            rows = self._chosen(*keys)
        except LabelError:
            if len(named) != 1 or named[0] == keys[0]:
                raise
            rows = self._chosen(named[0], *keys[1:])
        return min(rows, key=lambda row: _preference(row, last))

    def _chosen(self, *keys: Hashable) -> list[Row]:
        rows, free = list(self.rows), list(_KEYS)
        for key in keys:
            named = (name for name in free if any(getattr(row, name) == key for row in rows))
            column = next(named, None)  # a goal may have the name of a stage: then the goal is meant
            if column is None:
                raise LabelError(_no_such(key, rows))
            free.remove(column)  # a goal may have the name of the API too
            rows = [row for row in rows if getattr(row, column) == key]
        if not rows:
            raise LabelError("this result has no numbers")
        for column in ("api", "quantity"):
            several = list(dict.fromkeys(str(getattr(row, column)) for row in rows))
            if len(several) > 1:
                article = "an API" if column == "api" else "a quantity"
                raise LabelError(f"give {article} too: {', '.join(several)}")
        return rows

    def columns(self) -> dict[str, list[Any]]:
        """Return the columns as lists; a unit is in words, and fractions are floats."""
        from quiff.results.table import of_one_kind

        cells = {name: [getattr(row, name) for row in self.rows] for name in COLUMNS}
        cells["unit"] = [None if unit is None else str(unit) for unit in cells["unit"]]
        return {name: of_one_kind(values) for name, values in cells.items()}

    def to_pandas(self) -> "pd.DataFrame":
        """Return the rows as a pandas frame; fractions become floats, a unit its words."""
        frame: pd.DataFrame = needed("pandas", "pandas", "a frame").DataFrame(self.columns())
        return frame

    def to_polars(self) -> "pl.DataFrame":
        """Return the rows as a polars frame; fractions become floats, a unit its words."""
        frame: pl.DataFrame = needed("polars", "polars", "a frame").DataFrame(self.columns())
        return frame

    def to_records(self) -> list[dict[str, object]]:
        """Return the rows by the names of their columns, for JSON."""
        return [{name: getattr(row, name) for name in COLUMNS} for row in self.rows]


def _preference(row: Row, last: Mapping[str, str]) -> tuple[bool, ...]:
    """Order rows so that the one that is meant comes first."""
    capacity = row.quantity not in ("prior", "posterior", "leakage", "goal_prior", "goal_posterior")
    return (
        row.scope == "genuine",
        row.stage not in ("", last.get(row.api, row.stage)),
        row.observations != 1,
        row.scope != ("all" if capacity else "people"),
        row.prior not in ("", "population"),
        row.goal not in ("", "user"),
    )


def _no_such(key: Hashable, rows: list[Row]) -> str:
    """Say which keys there are instead."""
    possible = list(dict.fromkeys(str(getattr(row, name)) for row in rows for name in _KEYS))
    possible = [name for name in possible if name]
    close = difflib.get_close_matches(str(key), possible, n=1)
    meant = f"; did you mean {close[0]!r}?" if close else ""
    return f"there is no number for {key!r}{meant or ';'} the keys are {', '.join(possible)}"
