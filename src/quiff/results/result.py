"""The result of a study: tidy rows, and the sentences, tables and figures that show them."""

import difflib
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, final

from quiff import __version__
from quiff.errors import LabelError, ParameterError
from quiff.results.figures.figure import Figure
from quiff.results.layout import filled
from quiff.results.numbers import to_json
from quiff.results.quantities import QUANTITIES
from quiff.results.rows import Row
from quiff.results.table import Table

if TYPE_CHECKING:
    import pandas as pd

    from quiff.core.numbers import Number

_FIRST_ROWS = 25  # of the main table, where others wait
_KEYS = ("api", "quantity", "goal", "stage", "prior", "scope", "method", "observations")
_COLUMNS = tuple(each.name for each in fields(Row))


@final
@dataclass(frozen=True)
class Provenance:
    """What a result rests on, and how to get it again.

    Attributes
    ----------
    command
        The command, or the call in Python, that repeats it.
    digest
        The SHA-256 of the people's data; empty if there were none.
    seed
        The random seed; None if nothing was drawn.
    parameters
        The parameters of each API, by its spec.
    sources
        The documents that the APIs are described by.
    version
        That of quiff.
    """

    command: str
    digest: str = ""
    seed: int | None = None
    parameters: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    sources: tuple[str, ...] = ()
    version: str = __version__


@final
@dataclass(frozen=True)
class PerUser:
    """Numbers of each user, by name, in the order of the users."""

    users: Any
    values: Mapping[Any, Any]

    def of(self, user: Hashable) -> dict[Any, Any]:
        """Return the numbers of one user."""
        place = self.users.position(user, "user")
        from quiff.core.numbers import as_number

        return {name: as_number(numbers[place]) for name, numbers in self.values.items()}


@final
@dataclass(frozen=True, repr=False)
class Result:
    """What a study found. The answer comes first: sentences, then the main table, then the rest.

    Attributes
    ----------
    title
        What was asked.
    rows
        Every number with what it is of; `to_pandas` gives them as a frame, ``result[spec, quantity]`` one.
    sentences
        What the numbers say: the few that answer.
    further
        What else they say, for whoever wants all of it.
    heading
        Who was measured, and which APIs, in a line.
    tables
        The tables by short names, the main one first.
    figures
        The figures by short names, drawn when they are asked for, the main one first.
    facts
        What else is known, such as counts of the population, by name: the further keys of JSON.
    notes
        What was assumed, and what is not there and why.
    warnings
        What makes the numbers doubtful.
    per_user
        Numbers of each user, if the study has some.
    provenance
        What the result rests on.

    Examples
    --------
    >>> from quiff import measure, worked_example
    >>> people, api = worked_example()
    >>> result = measure(people, api)
    >>> result[api.spec, "leakage"]
    Fraction(39, 20)
    """

    title: str
    rows: tuple[Row, ...]
    sentences: tuple[str, ...] = ()
    tables: Mapping[str, Table] = field(default_factory=dict)
    figures: Mapping[str, Callable[[], Figure]] = field(default_factory=dict)
    facts: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    per_user: PerUser | None = None
    provenance: Provenance | None = None
    further: tuple[str, ...] = ()
    heading: str = ""

    def __getitem__(self, keys: tuple[Hashable, ...]) -> "Number":
        """Return one number, by an API's spec and a quantity; further keys choose stage, goal, prior, scope.

        Without them it is that of the last stage, these people, the population's own prior and one
        observation; a capacity is that over all secrets, where it is known. Of an API with parameters the
        name alone will do where no other one has it.

        Raises
        ------
        LabelError
            If there is no such number; the message names the possible keys.
        """
        return self.row(*(keys if isinstance(keys, tuple) else (keys,))).value

    def row(self, *keys: Hashable) -> Row:
        """Return the row that some keys choose; see ``result[...]``."""
        named = [spec for spec in self._last_stages if keys and spec.partition(":")[0] == keys[0]]
        try:
            return self._row(*keys)
        except LabelError:
            if len(named) != 1 or named[0] == keys[0]:
                raise
        return self._row(named[0], *keys[1:])

    def _row(self, *keys: Hashable) -> Row:
        found, free = list(self.rows), list(_KEYS)
        for key in keys:
            named = (each for each in free if any(getattr(row, each) == key for row in found))
            column = next(named, None)  # a goal may have the name of a stage: then the goal is meant
            if column is None:
                raise LabelError(_no_such(key, found))
            free.remove(column)  # a goal may have the name of the API too
            found = [row for row in found if getattr(row, column) == key]
        if not found:
            raise LabelError("this result has no numbers")
        for column in ("api", "quantity"):
            several = list(dict.fromkeys(str(getattr(row, column)) for row in found))
            if len(several) > 1:
                article = "an API" if column == "api" else "a quantity"
                raise LabelError(f"give {article} too: {', '.join(several)}")
        return min(found, key=lambda row: _preference(row, self._last_stages))

    @cached_property
    def _last_stages(self) -> dict[str, str]:
        return {row.api: row.stage for row in self.rows if row.stage}

    def figure(self, name: str | None = None) -> Figure:
        """Draw a figure; the main one if none is named.

        Raises
        ------
        ParameterError
            If there is no such figure.
        """
        if not self.figures:
            raise ParameterError("this result has no figure")
        chosen = next(iter(self.figures)) if name is None else name
        if chosen not in self.figures:
            raise ParameterError(f"there is no figure {chosen!r}; there are {', '.join(self.figures)}")
        return self.figures[chosen]()

    def to_dict(self) -> dict[str, Any]:
        """Return the result by plain names, for JSON: rows, sentences, facts and provenance."""
        return {
            **self.facts,
            "rows": [{name: getattr(row, name) for name in _COLUMNS} for row in self.rows],
            "sentences": [*self.sentences, *self.further],
            "warnings": list(self.warnings),
            "notes": list(self.notes),
            "provenance": self.provenance,
        }

    def to_json(self) -> str:
        """Return the result as JSON text, numbers at full precision."""
        return to_json(self.to_dict())

    def to_pandas(self) -> "pd.DataFrame":
        """Return the rows as a pandas frame; fractions become floats, a unit its words."""
        table = Table(self.title, _COLUMNS, tuple(tuple(_cells(row)) for row in self.rows))
        return table.to_pandas()

    def explained(self) -> str:
        """Return for each quantity of the rows what it is, a paragraph each; of closed forms, the formula."""
        return "\n\n".join(self._explained(name) for name in dict.fromkeys(row.quantity for row in self.rows))

    def _explained(self, name: str) -> str:
        quantity, about = QUANTITIES[name], self.facts.get("about", {}).get(name, {})
        values = [row.value for row in self.rows if row.quantity == name]
        first = f"{name.replace('_', ' ')}{f' = {quantity.text(values[0])}' if len(values) == 1 else ''}"
        lines = [f"{first} ({quantity.unit})"]
        for key in ("meaning", "formula", "source", "assumes"):
            text = about.get(key, getattr(quantity, key, ""))
            if text:
                lines.append(filled(f"  {key + ':':8} {text}", " " * 11))
        return "\n".join(lines)

    def joined(self, name: str, other: "Result") -> "Result":
        """Return this result with another of the same people beside it, its views under a name."""
        return replace(
            self,
            rows=(*self.rows, *other.rows),
            sentences=(*self.sentences, *other.sentences),
            further=(*self.further, *other.further),
            tables={**self.tables, **{_under(name, key): table for key, table in other.tables.items()}},
            figures={**self.figures, **{_under(name, key): draw for key, draw in other.figures.items()}},
            facts={**self.facts, **other.facts},
            notes=tuple(dict.fromkeys((*self.notes, *other.notes))),
            warnings=tuple(dict.fromkeys((*self.warnings, *other.warnings))),
            per_user=other.per_user or self.per_user,
        )

    def __repr__(self) -> str:
        return f"<{self.title}: {len(self.rows)} rows, {len(self.tables)} tables>"

    def to_text(self, *, everything: bool = True) -> str:
        """Return the answer: who was measured, what the numbers say, and the main table, in 80 columns.

        With `everything`, all sentences and tables; else long tables are cut.
        """
        said = (*self.warnings, *self.sentences, *(self.further if everything else ()))
        tables = list(self.tables.values())
        shown = tables if everything else [table.head(_FIRST_ROWS) for table in tables[:1]]
        parts = (filled(self.heading), "\n".join(map(filled, said)), *(table.to_text() for table in shown))
        return "\n\n".join(filter(None, parts))

    def __str__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        from quiff.results.html_page import html_text

        lines = filter(None, (self.heading, *self.warnings, *self.sentences, *self.further))
        said = "".join(f"<p>{html_text(line)}</p>" for line in lines)
        return said + "".join(table._repr_html_() for table in self.tables.values())


def _under(name: str, key: str) -> str:
    return f"{name}-{key}" if name and key not in ("", name) else name or key


def _preference(row: Row, last: Mapping[str, str]) -> tuple[bool, ...]:
    """Order rows so that the one that is meant comes first."""
    capacity = row.quantity not in ("prior", "posterior", "leakage", "goal_prior", "goal_posterior")
    return (
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


def _cells(row: Row) -> Iterator[Any]:
    for name in _COLUMNS:
        cell = getattr(row, name)
        yield str(cell) if name == "unit" and cell is not None else cell
