"""The rows of results: every number with what it is of, looked up, grouped and put into words."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, final

from quiff.results.quantities import QUANTITIES

if TYPE_CHECKING:
    from quiff.apis.base import Unit
    from quiff.core.numbers import Number

Method = Literal["exact", "formula", "discretised", "monte-carlo", "hybrid", "sample"]
Scope = Literal["people", "all"]


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
        Whether it is of these ``people``, or over ``all`` secrets that there can be.
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


@final
@dataclass(frozen=True)
class Rows:
    """Some rows, of which tables, sentences and figures are made.

    Examples
    --------
    >>> numbers = {"prior": 0.001, "posterior": 0.42, "leakage": 420.0}
    >>> rows = Rows(tuple(Row("a", None, "", "user", "", 1, *number) for number in numbers.items()))
    >>> rows["leakage"], rows["epsilon"], list(rows.by("api"))
    (420.0, None, [('a',)])
    >>> list(rows.say("One {thing} raises it from {prior} to {posterior}.", thing="topic"))
    ['One topic raises it from 1 in 1,000 to 42 %.']
    >>> list(rows.say("It is {epsilon}."))  # which is not there
    []
    """

    rows: tuple[Row, ...]

    def where(self, **wanted: Any) -> "Rows":
        """Return the rows that have these values."""
        entries = wanted.items()
        return Rows(tuple(row for row in self.rows if all(getattr(row, k) == v for k, v in entries)))

    def by(self, *names: str) -> "dict[tuple[Any, ...], Rows]":
        """Return the rows by some of their columns, in the order in which they come."""
        groups: dict[tuple[Any, ...], list[Row]] = {}
        for row in self.rows:
            groups.setdefault(tuple(getattr(row, name) for name in names), []).append(row)
        return {key: Rows(tuple(rows)) for key, rows in groups.items()}

    def each(self, name: str) -> list[Any]:
        """Return the different values of a column, in the order in which they come."""
        return [key for (key,) in self.by(name)]

    def row(self, quantity: str) -> Row | None:
        """Return the first row of a quantity; None if there is none."""
        return next((row for row in self.rows if row.quantity == quantity), None)

    def __getitem__(self, quantity: str) -> "Number | None":
        """Return the first value of a quantity, or with ``@all`` or ``@people`` behind it of that scope."""
        name, _, scope = quantity.partition("@")
        found = (self.where(scope=scope) if scope else self).row(name)
        return None if found is None else found.value

    @property
    def last(self) -> "Rows":
        """Those of the last stage."""
        return self.where(stage=self.each("stage")[-1]) if self.rows else self

    def say(self, template: str, **words: Any) -> Iterator[str]:
        """Yield a sentence with quantities in braces as people read them; nothing if one is not there."""
        try:
            yield template.format_map(_Read(self, words))
        except KeyError:
            return


class _Read(dict[str, Any]):
    """Words by name, and quantities as they are read."""

    def __init__(self, rows: Rows, words: dict[str, Any]) -> None:
        super().__init__(words)
        self._rows = rows

    def __missing__(self, name: str) -> str:
        value = self._rows[name]
        if value is None:
            raise KeyError(name)
        return QUANTITIES[name].text(value)
