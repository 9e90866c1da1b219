"""How rows are read: a layout declares the sentences, tables and figures of a study, made when asked for.

Three primitives read rows: `Say` makes sentences, `Pivot` a table, `Chart` a figure; `Listing` is a table of
records that are no rows. Where they are not enough, a function of the result stands in their place. Nothing
is chosen or ordered by looking at text.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar, final

from quiff.errors import ParameterError
from quiff.results.figures.figure import Figure
from quiff.results.numbers import probability
from quiff.results.quantities import QUANTITIES
from quiff.results.rows import Row, Rows
from quiff.results.table import Style, Table

if TYPE_CHECKING:
    from quiff.results.result import Result

Text: TypeAlias = "str | Callable[[Result], str]"
Notes: TypeAlias = "tuple[str | Callable[[Result], str | Iterable[str]], ...]"
Words: TypeAlias = Mapping[str, Any]
Cell: TypeAlias = "str | Callable[[Any, Result], Any] | tuple[str | Callable[[Any, Result], Any], Style]"
Records: TypeAlias = Sequence[dict[str, Any]]
_View = TypeVar("_View")  # a table, or what draws a figure


def text_of(text: Text, result: "Result") -> str:
    """Return a text with the words of a result in braces, or what a function of the result returns."""
    return text(result) if callable(text) else text.format_map(result.words)


@final
@dataclass(frozen=True)
class Say:
    """A sentence for each group of rows, with words and quantities in braces; none where one is missing.

    Attributes
    ----------
    template
        The sentence. A quantity in braces is its value, as people read it.
    by
        The columns whose values make a group; by default all rows are one.
    where
        Which rows it speaks of, by columns.
    longest
        A quantity: of each group, only the rows of the most observations for which it is known.
    last
        Whether, of each API, only its last stage is spoken of.
    words
        Further words, from the rows of a group and the result; None says nothing.

    Examples
    --------
    >>> rows = Rows(Row("a", None, "", "user", "", 1, *n) for n in (("prior", 0.001), ("posterior", 0.42)))
    >>> say = Say("One {thing} raises it from {prior} to {posterior}.", words=lambda *_: {"thing": "topic"})
    >>> list(say.of(rows, None))
    ['One topic raises it from 1 in 1,000 to 42 %.']
    >>> list(Say("It is {epsilon}.").of(rows, None))  # which is not there
    []
    """

    template: str
    by: tuple[str, ...] = ()
    where: Mapping[str, Any] = field(default_factory=dict)
    longest: str = ""
    last: bool = False
    words: "Callable[[Rows, Result], Words | None] | None" = None

    def of(self, rows: Rows, result: "Result") -> Iterator[str]:
        """Yield the sentences of some rows."""
        chosen = (last_stages(rows) if self.last else rows).where(**self.where)
        for group in chosen.by(*self.by).values():
            some = group.longest(self.longest) if self.longest else group
            words = {} if self.words is None else self.words(some, result)
            if words is not None and len(some):
                yield from say(self.template, some, words)

    def __call__(self, result: "Result") -> Iterator[str]:
        """Yield the sentences of a result."""
        return self.of(result.rows, result)


def say(template: str, rows: Rows, words: Words) -> Iterator[str]:
    """Yield a sentence with words and quantities in braces; nothing if one of them is not there."""
    try:
        yield template.format_map(_Read(rows, words))
    except KeyError:
        return


class _Read(dict[str, Any]):
    """Words by name, and quantities as they are read."""

    def __init__(self, rows: Rows, words: Words) -> None:
        super().__init__(words)
        self._rows = rows

    def __missing__(self, name: str) -> str:
        value = self._rows[name]
        if value is None:
            raise KeyError(name)
        return QUANTITIES[name.partition("@")[0]].text(value)


def last_stages(rows: Rows) -> Rows:
    """Return of each API the rows of its last stage."""
    return Rows(row for group in rows.by("api").values() for row in group.last)


@final
@dataclass(frozen=True)
class Pivot:
    """A table with a line for each value of some columns of rows, where its first quantity is there.

    Attributes
    ----------
    title
        Of the table, with words of the result in braces.
    by
        The columns of the rows that make a line, such as ``stage`` or ``observations``; of ``api`` and
        ``stage`` the names are written.
    columns
        What stands in a line: quantities under their titles in the registry, or under other ones; or
        functions of the rows of a line and the result. A column without any cell is left out.
    where
        Which rows it is of, by columns; or a function of a row and the result.
    last
        Whether, of each API, only its last stage is shown.
    interval
        The quantity whose interval and method are shown, where it has one.
    notes
        What stands below.
    styles, labels, group, keep
        As in `Table`.
    """

    title: Text
    by: tuple[str, ...]
    columns: tuple[str, ...] | Mapping[str, Cell]
    where: "Mapping[str, Any] | Callable[[Row, Result], bool]" = field(default_factory=dict)
    last: bool = False
    interval: str = ""
    notes: Notes = ()
    styles: Mapping[str, Style] = field(default_factory=dict)
    labels: tuple[str, ...] = ()
    group: str = ""
    keep: int = 1

    def __call__(self, result: "Result") -> Table:
        """Return the table of a result."""
        return self.of(result.rows, result)

    def of(self, rows: Rows, result: "Result") -> Table:
        """Return the table of some rows of a result."""
        where = self.where
        chosen = Rows(row for row in rows if where(row, result)) if callable(where) else rows.where(**where)
        chosen = last_stages(chosen) if self.last else chosen
        listed: Mapping[str, Cell] = (
            self.columns
            if isinstance(self.columns, Mapping)
            else {_head(name): name for name in self.columns}
        )
        first = next((column for column in listed.values() if isinstance(column, str)), "")
        groups = [group for group in chosen.by(*self.by).values() if not first or group[first] is not None]
        columns: dict[str, Cell] = {self.group: ""} if self.group in listed else {}  # it heads lines
        for name in self.by:
            if name != "api" or "stage" not in self.by:
                head, cell = LINES[name]
                columns[head] = lambda group, result, cell=cell: cell(group.rows[0], result)  # type: ignore[misc]
        columns |= listed
        if self.interval:
            columns |= {end: _end(end, self.interval) for end in ("low", "high", "method")}
        return _table(self, groups, columns, result)


def _end(end: str, quantity: str) -> Cell:
    def cell(group: Rows, _: "Result") -> Any:
        return getattr(group.row(quantity), end)

    probable = QUANTITIES[quantity].is_probability and end != "method"
    return (cell, probability) if probable else cell


@final
@dataclass(frozen=True)
class Listing:
    """A table with a line for each of some records.

    Attributes
    ----------
    title
        Of the table, with words of the result in braces.
    records
        An entry of the payload by its name, or a function of the result.
    columns
        What stands in a line, by heads, in which braces are words of the result: entries of a record by their
        names, or functions of a record and the result; each alone or with its style.
    notes
        What stands below.
    styles, labels, group, keep
        As in `Table`.
    """

    title: Text
    records: "str | Callable[[Result], Iterable[Any]]"
    columns: Mapping[str, Cell]
    notes: Notes = ()
    styles: Mapping[str, Style] = field(default_factory=dict)
    labels: tuple[str, ...] = ()
    group: str = ""
    keep: int = 1

    def __call__(self, result: "Result") -> Table:
        """Return the table of a result."""
        records = self.records(result) if callable(self.records) else result.payload[self.records]
        return _table(self, records, self.columns, result)


def ends(entry: str, *heads: str) -> dict[str, Cell]:
    """Return the columns of an entry that is a probability and the ends of its interval."""

    def cell(place: int) -> Cell:
        return (lambda record, _: record[entry][place]), probability

    return {head: cell(place) for place, head in enumerate(heads)}


def _table(
    form: Pivot | Listing, records: Iterable[Any], cells: Mapping[str, Cell], result: "Result"
) -> Table:
    """Return the table that a form makes of records."""
    styles, columns = dict(form.styles), {}
    for head, cell in cells.items():
        name = head.format_map(result.words) if "{" in head else head
        if isinstance(cell, tuple):
            cell, styles[name] = cell
        columns[name] = cell if isinstance(cell, str) else _bound(cell, result)
    return Table.of(
        text_of(form.title, result),
        records,
        columns,
        notes=tuple(_notes(form.notes, result)),
        styles=styles,
        labels=tuple(label.format_map(result.words) for label in form.labels),
        group=form.group,
        keep=form.keep,
    )


def _bound(cell: "Callable[[Any, Result], Any]", result: "Result") -> Callable[[Any], Any]:
    return lambda record: cell(record, result)


def _notes(notes: Notes, result: "Result") -> Iterator[str]:
    for note in notes:
        text = note(result) if callable(note) else note.format_map(result.words)
        yield from filter(None, (text,) if isinstance(text, str) else text)


def _head(quantity: str) -> str:
    return QUANTITIES[quantity.partition("@")[0]].title


LINES: "dict[str, tuple[str, Callable[[Row, Result], Any]]]" = {
    "api": ("API", lambda row, result: result.api_name(row.api)),
    "stage": ("observed", lambda row, result: result.stage_name(row.api, row.stage)),
    "goal": ("guessed", lambda row, _: {"topics": "a topic"}.get(row.goal, row.goal)),
    "scope": ("secrets", lambda row, _: "all" if row.scope == "all" else "occurring"),
    "prior": ("prior", lambda row, _: row.prior),
    "observations": ("observations", lambda row, _: row.observations),
}
"""How the column of rows that makes a line is headed, and what stands in it."""


@final
@dataclass(frozen=True)
class Chart:
    """A figure of points; there is none where there are no points.

    Attributes
    ----------
    points
        The points that a result has, as records.
    figure
        What draws them.
    """

    points: "Callable[[Result], Records]"
    figure: "Callable[[Result, Records], Figure]"

    def of(self, result: "Result") -> "Callable[[], Figure] | None":
        """Return what draws the figure of a result; None if it has no points."""
        points = self.points(result)
        return (lambda: self.figure(result, points)) if points else None


@final
@dataclass(frozen=True)
class Several(Generic[_View]):
    """Tables or figures whose names depend on the result, made at once by a function."""

    make: "Callable[[Result], Mapping[str, _View]]"

    def __call__(self, result: "Result") -> Mapping[str, _View]:
        """Return them by name."""
        return self.make(result)


Sentences: TypeAlias = "Callable[[Result], Iterable[str]]"
Tables: TypeAlias = "Callable[[Result], Table | Mapping[str, Table] | None]"


@final
@dataclass(frozen=True)
class Layout:
    """How the rows of a study are read.

    Attributes
    ----------
    title
        What was asked.
    say, further
        The sentences that answer, and what else the numbers say, by keys, each a `Say` or a function.
    tables
        The tables by short names, the main one first: each a `Pivot`, a function that returns one or None, or
        `Several`.
    charts
        The figures by short names, the main one first.
    heading
        Who was measured, and which APIs, in a line.
    """

    title: Text
    say: Mapping[str, Sentences] = field(default_factory=dict)
    further: Mapping[str, Sentences] = field(default_factory=dict)
    tables: Mapping[str, Tables] = field(default_factory=dict)
    charts: Mapping[str, Chart | Several[Callable[[], Figure]]] = field(default_factory=dict)
    heading: Text = ""


LAYOUTS: dict[str, Layout] = {
    "": Layout("{title}", {"all": lambda result: result.words.get("sentences", ())})
}
"""The layouts by the names of their studies; without one, a result has a title and plain sentences."""


def layout_of(study: str) -> Layout:
    """Return the layout of a study by its name, which begins with that of its file.

    Raises
    ------
    ParameterError
        If there is no such study.
    """
    module = study.partition(":")[0]
    if study not in LAYOUTS and module.isidentifier():
        with suppress(ModuleNotFoundError):
            import_module(f"quiff.studies.{module}")
    if study not in LAYOUTS:
        raise ParameterError(f"there is no study {study!r}; the result was saved by another version")
    return LAYOUTS[study]
