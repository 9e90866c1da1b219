"""How rows are read: a layout declares the sentences, tables and figures of a study, made when asked for.

Three primitives read the same lines, which are groups of rows or records of the payload: `Say` makes a
sentence of each, `Pivot` a table, `Chart` a figure. Where they are not enough, a function of the result
stands in their place. Nothing is chosen or ordered by looking at text.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import KW_ONLY, dataclass, field
from functools import partial
from importlib import import_module
from itertools import product
from numbers import Real
from typing import TYPE_CHECKING, Any, TypeAlias, final

from quiff.errors import ParameterError
from quiff.results.figures.charts import Point, Record, records
from quiff.results.figures.figure import Figure
from quiff.results.numbers import capitalised, probability, said
from quiff.results.quantities import QUANTITIES
from quiff.results.rows import COLUMNS, Row, Rows
from quiff.results.table import Style, Table

if TYPE_CHECKING:
    from quiff.results.result import Result

Text: TypeAlias = "str | Callable[[Result], str]"
Notes: TypeAlias = "tuple[str | Callable[[Result], str | Iterable[str]], ...]"
Words: TypeAlias = Mapping[str, Any]
Get: TypeAlias = "str | int | Callable[[Any, Result], Any]"
Cell: TypeAlias = "Get | tuple[Get, Style]"
Fields: TypeAlias = Mapping[str, Get]
_INTERVAL = ("low", "high")


def last_stages(rows: Rows) -> Rows:
    """Return of each API the rows of its last stage."""
    return Rows(row for group in rows.by("api").values() for row in group.last)


LINES: "dict[str, tuple[str, Callable[[Row, Result], Any]]]" = {
    "api": ("API", lambda row, result: capitalised(result.api_name(row.api))),
    "stage": ("observed", lambda row, result: result.stage_name(row.api, row.stage)),
    "goal": ("guessed", lambda row, _: row.goal),
    "scope": ("secrets", lambda row, _: "all" if row.scope == "all" else "occurring"),
    "prior": ("prior", lambda row, _: row.prior),
    "observations": ("observations", lambda row, _: row.observations),
    "quantity": ("quantity", lambda row, _: QUANTITIES[row.quantity].title),
}
"""How the column of rows that makes a line is headed, and what stands in it."""


def entry(line: Any, name: Get, result: "Result") -> Any:
    """Return what a line has by a name: a quantity or a column of its rows, or an entry of a record."""
    if callable(name):
        return name(line, result)
    if isinstance(line, Rows):
        if str(name).partition("@")[0] in QUANTITIES:
            return line[str(name)]
        row = line.rows[0]
        said_of = row if name in COLUMNS and name != "unit" else QUANTITIES[row.quantity]
        return getattr(said_of, str(name))
    return getattr(line, name) if isinstance(name, str) and hasattr(line, name) else line[name]


@final
class Reading(dict[str, Any]):
    """What stands for the names of a template: words, then what a line has, then the words of a result."""

    def __init__(self, result: "Result", line: Any = (), words: Words | None = None) -> None:
        super().__init__(words or {})
        self._result, self._line = result, line

    def __missing__(self, name: str) -> str:
        if isinstance(self._line, Rows) and name in LINES and name != "prior":
            return str(LINES[name][1](self._line.rows[0], self._result))
        try:
            value = entry(self._line, name, self._result)
        except (LookupError, TypeError, AttributeError):
            value = None if self._result is None else self._result.words.get(name)
        if value is None:
            raise KeyError(name)
        quantity = QUANTITIES.get(name.partition("@")[0])
        number = isinstance(value, Real) and not isinstance(value, bool)
        return quantity.text(value) if quantity and number else said(value) if number else str(value)


def text_of(
    text: Text, result: "Result", line: Any = (), words: "Callable[[Any, Result], Words] | None" = None
) -> str:
    """Return a text with the words of a result, and of a line, in braces, or what a function returns."""
    if callable(text):
        return text(result)
    return text.format_map(Reading(result, line, words and words(line, result)))


@dataclass(frozen=True)
class _Lines:
    """The lines of a result that are read, one by one."""

    _: KW_ONLY
    by: tuple[str, ...] = ()
    where: "Mapping[str, Any] | Callable[[Row, Result], bool]" = field(default_factory=dict)
    longest: str = ""
    last: bool = False
    records: "str | Callable[[Result], Iterable[Any]]" = ""

    def lines(self, result: "Result", rows: Rows | None = None) -> list[Any]:
        """Return the groups of the rows of a result, or of some of them, or its records."""
        if self.records:
            return list(self.records(result) if callable(self.records) else result.payload[self.records])
        rows = result.rows if rows is None else rows
        rows, where = last_stages(rows) if self.last else rows, self.where
        chosen = Rows(row for row in rows if where(row, result)) if callable(where) else rows.where(**where)
        groups = chosen.by(*self.by).values()
        return [
            group for group in (g.longest(self.longest) if self.longest else g for g in groups) if len(group)
        ]


@final
@dataclass(frozen=True)
class Say(_Lines):
    """A sentence for each line, with words and quantities in braces; none where one is missing.

    Attributes
    ----------
    template
        The sentence. A quantity in braces is its value, as people read it; a column of rows, such as ``api``,
        is what a table has for it; other names are words of the result.
    by
        The columns whose values make a group; by default all rows are one.
    where
        Which rows it speaks of, by columns; or a function of a row and the result.
    longest
        A quantity: of each group, only the rows of the most observations for which it is known.
    last
        Whether, of each API, only its last stage is spoken of.
    records
        Instead of rows: an entry of the payload by its name, or a function of the result.
    words
        Further words, from a line and the result; None says nothing.

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
    words: "Callable[[Any, Result], Words | None] | None" = None

    def of(self, rows: Rows | None, result: "Result") -> Iterator[str]:
        """Yield the sentences of some rows."""
        for line in self.lines(result, rows):
            words = {} if self.words is None else self.words(line, result)
            if words is not None:
                with suppress(KeyError):
                    yield self.template.format_map(Reading(result, line, words))

    def __call__(self, result: "Result") -> Iterator[str]:
        """Yield the sentences of a result."""
        return self.of(None, result)


@final
@dataclass(frozen=True)
class Pivot(_Lines):
    """A table with a row for each line, where the first quantity among its columns is there.

    Attributes
    ----------
    by
        The columns of the rows that make a line, such as ``stage`` or ``observations``; they come first in
        the table, of ``api`` and ``stage`` by name.
    columns
        What stands in a line, by heads: quantities, columns of rows, what the registry says of a quantity, or
        entries of a record, by their names; or functions of a line and the result; each alone or with its
        style. Quantities alone have their titles as heads. A column without any cell is left out.
    where, longest, last, records
        Which lines there are, as in `Say`.
    interval
        The quantity whose interval and method are shown, where it has one.
    spoken
        Whether a sentence speaks of a line, which is then kept where the table is cut.
    notes, styles, labels, group, keep
        As in `Table`; title, heads and notes may have words of the result in braces.
    """

    title: Text
    columns: tuple[str, ...] | Mapping[str, Cell]
    interval: str = ""
    notes: Notes = ()
    styles: Mapping[str, Style] = field(default_factory=dict)
    labels: tuple[str, ...] = ()
    group: str = ""
    keep: int = 1
    spoken: "Callable[[Any, Result], bool]" = lambda *_: False

    def __call__(self, result: "Result") -> Table:
        """Return the table of a result."""
        return self.of(None, result)

    def of(self, rows: Rows | None, result: "Result") -> Table:
        """Return the table of some rows of a result."""
        listed: Mapping[str, Cell] = (
            self.columns
            if isinstance(self.columns, Mapping)
            else {QUANTITIES[name.partition("@")[0]].title: name for name in self.columns}
        )
        lines = self.lines(result, rows)
        if not self.records:
            first = next((cell for cell in listed.values() if cell in QUANTITIES), None)
            lines = [line for line in lines if first is None or line[first] is not None]
        if not lines:
            return Table("", (), ())
        columns: dict[str, Cell] = {self.group: ""} if self.group in listed else {}  # it heads lines
        for name in self.by if not self.records else ():
            if name != "api" or "stage" not in self.by:
                columns[LINES[name][0]] = _of_row(LINES[name][1])
        columns |= listed
        if self.interval:
            style = QUANTITIES[self.interval].text
            columns |= {end: (_end(self.interval, end), style) for end in _INTERVAL}
            columns["method"] = _end(self.interval, "method")
        group = self.group
        if group == LINES["api"][0] and len(result.apis) == 1:  # the heading has its name
            group, columns = "", {head: cell for head, cell in columns.items() if head != group}
        if group:
            below: dict[Any, list[Any]] = {}
            for line in lines:
                below.setdefault(entry(line, _get(columns[group]), result), []).append(line)
            lines = [line for group_lines in below.values() for line in group_lines]
        styles: dict[str, Any] = dict(self.styles)
        heads: dict[str, Callable[[Any], Any]] = {}
        for head, cell in columns.items():
            name = text_of(head, result)
            style = _style(cell, lines)
            styles |= {} if style is None else {name: style}
            heads[name] = partial(entry, name=_get(cell), result=result)
        return Table.of(
            text_of(self.title, result),
            lines,
            heads,
            notes=tuple(_notes(self.notes, result)),
            styles=styles,
            labels=tuple(text_of(label, result) for label in self.labels),
            group=group,
            keep=self.keep,
            spoken=tuple(place for place, line in enumerate(lines) if self.spoken(line, result)),
        )


def _of_row(cell: "Callable[[Row, Result], Any]") -> Get:
    return lambda line, result: cell(line.rows[0], result)


def _get(cell: Cell) -> Get:
    return cell[0] if isinstance(cell, tuple) else cell


def _style(cell: Cell, lines: list[Any]) -> Any:
    """Return how the numbers of a column are written, where it or the registry says it."""
    if isinstance(cell, tuple):
        return cell[1]
    if cell in ("value", *_INTERVAL) and lines and isinstance(lines[0], Rows):
        return [QUANTITIES[line.rows[0].quantity].text for line in lines]
    quantity = QUANTITIES.get(cell.partition("@")[0]) if isinstance(cell, str) else None
    return None if quantity is None else quantity.text


def _end(quantity: str, name: str) -> Get:
    return lambda line, _: getattr(line.row(quantity), name, None)


def interval(quantity: str) -> Fields:
    """Return the ends of the interval of a probability as fields of a point, at most 1."""

    def field_of(name: str) -> Get:
        def end(line: Rows, _: "Result") -> Any:
            value = getattr(line.row(quantity), name, None)
            return None if value is None else min(value, 1.0)

        return end

    return {name: field_of(name) for name in _INTERVAL}


def label(text: str) -> Get:
    """Return what a line always has: a text."""
    return lambda *_: text


def ends(name: str, *heads: str) -> dict[str, Cell]:
    """Return the columns of an entry that is a probability and the ends of its interval."""

    def cell(place: int) -> Cell:
        return (lambda record, _: entry(record, name, _)[place]), probability

    return {head: cell(place) for place, head in enumerate(heads)}


def _notes(notes: Notes, result: "Result") -> Iterator[str]:
    for note in notes:
        text = note(result) if callable(note) else text_of(note, result)
        yield from filter(None, (text,) if isinstance(text, str) else text)


@final
@dataclass(frozen=True)
class Chart(_Lines):
    """A figure with points for each line; there is none where there are no points.

    Attributes
    ----------
    title
        What it shows; names in braces are words of the result, or of the last line.
    points
        What a point has, by the fields of the axes: as the columns of a `Pivot`, numbers as floats; one that
        lacks something else than the ends of an interval, ``low`` and ``high``, is left out. Several, where
        a line has points of several kinds. Or a function of the result that returns all points.
    draw
        The chart of the points of a result.
    words
        Further words of the title, from the last line and the result.
    without
        Why there are no points, where there are none.
    by, where, longest, last, records
        Which lines there are, as in `Say`.
    """

    title: Text
    points: "Fields | tuple[Fields, ...] | Callable[[Result], Iterable[Point]]"
    draw: "Callable[[list[Record], Result], Any]"
    words: "Callable[[Any, Result], Words] | None" = None
    without: str = "there is nothing to draw"

    def of(self, result: "Result") -> "Callable[[], Figure] | None":
        """Return what draws the figure of a result; None if it has no points."""
        drawn = list(self._drawn(result))
        if not drawn:
            return None
        points = [point for point, _ in drawn]
        title = capitalised(text_of(self.title, result, drawn[-1][1], self.words))
        return lambda: Figure.of(title, self.draw(points, result))

    def _drawn(self, result: "Result") -> Iterator[tuple[Record, Any]]:
        """Yield the points, with the lines that they are of."""
        if callable(self.points):
            points = list(self.points(result))
            yield from zip(records(points), points, strict=True)
            return
        kinds = self.points if isinstance(self.points, tuple) else (self.points,)
        for line, fields in product(self.lines(result), kinds):
            point = {name: _field(line, get, result) for name, get in fields.items()}
            point = {k: v for k, v in point.items() if v is not None or k not in _INTERVAL}
            if None not in point.values():
                yield point, line


def _field(line: Any, name: Get, result: "Result") -> Any:
    """Return what a point has: numbers as floats; an API and a stage are called as in tables."""
    named = name in ("api", "stage") and isinstance(line, Rows)
    value = LINES[str(name)][1](line.rows[0], result) if named else entry(line, name, result)
    return value if value is None or isinstance(value, str | int) else float(value)


Sentences: TypeAlias = "Callable[[Result], str | Iterable[str] | None]"
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
        The tables by short names, the main one first: each a `Pivot`, or a function that returns one, several
        by name, or None.
    charts
        The figures by short names, the main one first.
    heading
        Who was measured, and which APIs, in a line.
    about
        What is to be said of quantities instead of what the registry says, by their names.
    """

    title: Text
    say: Mapping[str, Sentences] = field(default_factory=dict)
    further: Mapping[str, Sentences] = field(default_factory=dict)
    tables: Mapping[str, Tables] = field(default_factory=dict)
    charts: Mapping[str, Chart] = field(default_factory=dict)
    heading: Text = ""
    about: "Callable[[Result], Mapping[str, Mapping[str, str]]]" = lambda _: {}


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
        raise ParameterError(
            f"there is no study {study!r}; the result was saved by another version", what="study", value=study
        )
    return LAYOUTS[study]
