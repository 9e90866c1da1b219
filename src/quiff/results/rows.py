"""The rows of a result: every number with what it is of, selected, grouped and looked up."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Literal, final

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

    from quiff.apis.base import Unit
    from quiff.core.numbers import Number

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
    unit: "Unit | None"
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

    def columns(self) -> dict[str, list[Any]]:
        """Return the columns as lists; a unit is in words, and fractions are floats."""
        from quiff.results.table import of_one_kind

        cells = {name: [getattr(row, name) for row in self.rows] for name in COLUMNS}
        cells["unit"] = [None if unit is None else str(unit) for unit in cells["unit"]]
        return {name: of_one_kind(values) for name, values in cells.items()}

    def to_pandas(self) -> "pd.DataFrame":
        """Return the rows as a pandas frame; fractions become floats, a unit its words."""
        from quiff.errors import needed

        frame: pd.DataFrame = needed("pandas", "pandas", "a frame").DataFrame(self.columns())
        return frame

    def to_polars(self) -> "pl.DataFrame":
        """Return the rows as a polars frame; fractions become floats, a unit its words."""
        from quiff.errors import needed

        frame: pl.DataFrame = needed("polars", "polars", "a frame").DataFrame(self.columns())
        return frame

    def to_records(self) -> list[Mapping[str, Any]]:
        """Return the rows by the names of their columns, for JSON."""
        return [{name: getattr(row, name) for name in COLUMNS} for row in self.rows]
