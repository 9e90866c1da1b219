"""A table of named columns that can be written in every format people ask for."""

import csv
import io
import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeAlias

from quiff.errors import ParameterError, ShapeError, counted, needed
from quiff.io import write_text
from quiff.results.columns import columns, filled
from quiff.results.html_page import html_page, html_text
from quiff.results.markup import latex_text, markdown_text
from quiff.results.numbers import amount, plain, shown, to_json
from quiff.results.quantities import QUANTITIES
from quiff.safe_text import csv_cell, visible, visible_lines

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

Style: TypeAlias = Callable[[Any, int | None], str]

_NOTEBOOK_ROWS = 60  # what a notebook shows of a long table
_INT64 = 2**63
_STYLE = (
    "body { font: 1rem/1.5 sans-serif; } table { border-collapse: collapse; }"
    " caption { text-align: left; font-weight: 600; } th, td { padding: .2rem .8rem .2rem 0; }"
    " .left { text-align: left; } .right { text-align: right; }"
)


@dataclass(frozen=True, repr=False)
class Table:
    """A title, the names of the columns, the rows, and notes that belong below.

    Cells keep their values; only the formats for people round them, to three significant digits or as many as
    `digits`. Columns that are named in `labels` hold what things are called: a whole number or, as anything
    else is written, text. `styles` say how the numbers of a column are written, such as probabilities, for
    all of its rows or for each. In text, the column `group` is no column: its values stand above the rows
    that have them. Where a table is cut, its last rows are kept, as many as `keep`, and
    those that sentences speak of, whose places are `spoken`.

    Examples
    --------
    >>> table = Table("Capacities", ("topics", "capacity"), ((349, 66.36), (469, 89.16)))
    >>> print(table.to_text())
    Capacities
    topics  capacity
       349      66.4
       469      89.2
    >>> print(table.to_csv())
    topics,capacity
    349,66.36
    469,89.16
    <BLANKLINE>

    Raises
    ------
    ShapeError
        If a row has more or fewer cells than there are columns, or two columns have the same name.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    notes: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    styles: Mapping[str, Style | Sequence[Style]] = field(default_factory=dict)
    digits: int | None = None
    group: str = ""
    keep: int = 1
    spoken: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if len(set(self.columns)) < len(self.columns):
            raise ShapeError(
                f"two columns have the same name among {self.columns!r}; give each its own",
                what="columns",
                value=self.columns,
            )
        for row in self.rows:
            if len(row) != len(self.columns):
                raise ShapeError(
                    f"the row {row!r} has {len(row)} cells, but the table {len(self.columns)} columns",
                    what="row",
                    value=row,
                    allowed=f"{len(self.columns)} cells",
                )

    def records(self) -> Iterator[dict[str, str | float | bool | None]]:
        """Yield each row as a dictionary of plain values."""
        return (
            {name: plain(cell) for name, cell in zip(self.columns, row, strict=True)}
            for row in self._written(self.rows)
        )

    @classmethod
    def of(
        cls,
        title: str,
        records: Iterable[Any],
        columns: Mapping[str, str | Callable[[Any], Any]],
        **other: Any,
    ) -> Self:
        """Make a table of records: each column is an entry of theirs by its name, or what a function returns.

        Probabilities and shares among the quantities are written as such. A column without any cell goes.

        Examples
        --------
        >>> users = ({"name": "Ann", "posterior": 0.001}, {"name": "Bob", "posterior": 0.5})
        >>> print(Table.of("Users", users, {"user": "name", "re-identified": "posterior"}).to_text())
        Users
        user  re-identified
        Ann      1 in 1,000
        Bob            50 %
        """
        getters = {name: _entry(get) if isinstance(get, str) else get for name, get in columns.items()}
        cells = [[get(record) for get in getters.values()] for record in records]
        kept = [i for i in range(len(columns)) if not cells or any(row[i] is not None for row in cells)]
        by_name = {name: get.partition("@")[0] for name, get in columns.items() if isinstance(get, str)}
        named = {name: QUANTITIES.get(quantity) for name, quantity in by_name.items()}
        styles = {name: quantity.text for name, quantity in named.items() if quantity is not None}
        listed = list(columns)
        return cls(
            title,
            tuple(listed[i] for i in kept),
            tuple(tuple(row[i] for i in kept) for row in cells),
            styles=styles | other.pop("styles", {}),
            **other,
        )

    def to_text(self, head: int | None = None) -> str:
        """Return the table for a terminal of 80 columns: text to the left, numbers to the right.

        Parameters
        ----------
        head
            How many rows to show at most, the last one among them; a line says how many there are between.
            None shows all.

        Examples
        --------
        >>> print(Table("Squares", ("n", "square"), tuple((n, n * n) for n in range(9))).to_text(head=3))
        Squares
        n  square
        0       0
        1       1
        8      64
        6 rows before the last are left out
        >>> print(Table("Ages", ("country", "who", "age"), (("BR", "Ana", 30),), group="country").to_text())
        Ages
        who    age
        BR
          Ana   30
        """
        rows, more = self._cut(head)
        lines = [[visible(cell) for cell in row] for row in (self.columns, *self.texts(rows))]
        numeric, heads = self.numeric(), {}
        if self.group:
            place = self.columns.index(self.group)
            names = [line.pop(place) for line in lines]
            numeric.pop(place)
            heads = {i: name for i, name in enumerate(names) if i and (i == 1 or name != names[i - 1])}
            lines[1:] = [[f"  {first}", *rest] for first, *rest in lines[1:]]
        notes = [filled(visible_lines(note)) for note in self.notes]
        title = filled(visible_lines(self.title))
        return "\n".join([title, *columns(lines, numeric, heads), *more, *notes])

    def __repr__(self) -> str:
        return self.to_text()

    def to_csv(self, *, keep_formulas: bool = False) -> str:
        """Return the table as comma-separated values at full precision.

        Parameters
        ----------
        keep_formulas
            Whether text stays as it is. By default an apostrophe comes before text that a spreadsheet would
            run, such as ``=1+1``; numbers are never changed.
        """
        rows = (map(plain, row) for row in (self.columns, *self._written(self.rows)))
        return "".join(_csv_line(row if keep_formulas else map(_harmless, row)) for row in rows)

    def to_markdown(self) -> str:
        """Return the table in Markdown, with the title in bold and the notes below."""
        rule = ["---:" if right else "---" for right in self.numeric()]
        lines = [self.columns, *self.texts(self.rows)]
        head, *cells = (" | ".join(map(markdown_text, line)) for line in lines)
        body = (f"| {line} |" for line in (head, " | ".join(rule), *cells))
        notes = (f"\n{markdown_text(note)}" for note in self.notes)
        return "\n".join([f"**{markdown_text(self.title)}**", "", *body, *notes]) + "\n"

    def to_latex(self) -> str:
        """Return the table as a LaTeX ``table`` with rules from the package booktabs."""
        lines = [
            r"\begin{table}",
            r"\centering",
            rf"\caption{{{latex_text(self.title)}}}",
            rf"\begin{{tabular}}{{{''.join('r' if right else 'l' for right in self.numeric())}}}",
            r"\toprule",
            " & ".join(map(latex_text, self.columns)) + r" \\",
            r"\midrule",
            *(" & ".join(map(latex_text, row)) + r" \\" for row in self.texts(self.rows)),
            r"\bottomrule",
            r"\end{tabular}",
            *(rf"\par {latex_text(note)}" for note in self.notes),
            r"\end{table}",
        ]
        return "\n".join(lines) + "\n"

    def to_html(self, head: int | None = None) -> str:
        """Return the table as HTML for a notebook, numbers to the right; `head` as in :meth:`to_text`."""
        return self._html(head, 'style="text-align: {}"')

    def to_html_page(self) -> str:
        """Return the table as a whole HTML page, which loads and runs nothing."""
        return html_page(self.title, self._html(None, 'class="{}"'), style=_STYLE)

    def _html(self, head: int | None, side: str) -> str:
        """Return the table as HTML; `side` is the attribute that puts a cell to a side."""
        sides = [side.format("right" if right else "left") for right in self.numeric()]
        rows, more = self._cut(head)
        top = _html_row('th scope="col"', self.columns, sides)
        body = "".join(_html_row("td", row, sides) for row in self.texts(rows))
        notes = "".join(f"<p>{html_text(note)}</p>" for note in (*more, *self.notes))
        return (
            f"<table><caption>{html_text(self.title)}</caption><thead>{top}</thead>"
            f"<tbody>{body}</tbody></table>{notes}"
        )

    def to_json(self) -> str:
        """Return the rows as JSON records at full precision."""
        return to_json(list(self.records()))

    def to_pandas(self) -> "pd.DataFrame":
        """Return the table as a pandas frame; fractions become floats."""
        frame: pd.DataFrame = needed("pandas", "pandas", "a frame").DataFrame(self._frame())
        return frame

    def to_polars(self) -> "pl.DataFrame":
        """Return the table as a polars frame; fractions become floats.

        Examples
        --------
        >>> table = Table("Halves", ("name", "half"), (("one", Fraction(1, 2)), ("two", 1)))
        >>> table.to_polars().to_dict(as_series=False)
        {'name': ['one', 'two'], 'half': [0.5, 1.0]}
        """
        frame: pl.DataFrame = needed("polars", "polars", "a frame").DataFrame(self._frame())
        return frame

    def write(
        self,
        path: str | os.PathLike[str],
        *,
        force: bool = False,
        inputs: Iterable[str | os.PathLike[str]] = (),
        keep_formulas: bool = False,
    ) -> Path:
        """Write the table in the format that the file's suffix names, and return the path.

        The formats are .csv, .json, .md (Markdown), .tex (LaTeX), .html (a whole page) and .txt.

        Parameters
        ----------
        path
            The file.
        force
            Whether a file that is there already is replaced.
        inputs
            Files that are read, none of which is ever replaced.
        keep_formulas
            As in :meth:`to_csv`.

        Examples
        --------
        >>> Table("Capacities", ("topics", "capacity"), ()).write("capacities.xls")
        Traceback (most recent call last):
        quiff.errors.ParameterError: a table's file must end in .csv, .json, .md, .tex, .html, .txt, not \
'capacities.xls'

        Raises
        ------
        ParameterError
            If the suffix is another one, the file is there already, or it cannot be written.
        """
        suffix = Path(path).suffix.lower()
        if suffix not in _WRITERS:
            raise ParameterError(
                f"a table's file must end in {', '.join(_WRITERS)}, not {str(path)!r}",
                what="path",
                value=str(path),
            )
        made = self.to_csv(keep_formulas=keep_formulas) if suffix == ".csv" else _WRITERS[suffix](self)
        return write_text(path, made, force=force, inputs=inputs)

    def _repr_html_(self) -> str:
        return self.to_html(head=_NOTEBOOK_ROWS)

    def head(self, rows: int, more: str = "") -> "Table":
        """Return the table with its first rows and its last ones, and a note on those between.

        `more` says how to see them.

        Examples
        --------
        >>> table = Table("Numbers", ("n",), ((1,), (2,), (3,), (4,))).head(2)
        >>> table.rows, table.notes
        (((1,), (4,)), ('2 rows before the last are left out',))
        """
        kept, between = self._cut(rows)
        return replace(
            self, rows=kept, spoken=(), notes=(*(f"{text}{more}" for text in between), *self.notes)
        )

    def _cut(self, head: int | None) -> tuple[tuple[tuple[Any, ...], ...], tuple[str, ...]]:
        """Return the first rows, the last ones and those that are spoken of, and a line on the others."""
        count = len(self.rows)
        if head is None or count <= head:
            return self.rows, ()
        last = min(self.keep, head)
        kept = {*self.spoken, *range(count - last, count)}
        for place in range(count):
            if len(kept) < head:
                kept.add(place)
        left, before = count - len(kept), "" if self.spoken else " before the last"
        number = f" {last}" if before and last > 1 else ""
        verb = "is" if left == 1 else "are"
        return tuple(self.rows[place] for place in sorted(kept)), (
            f"{counted(left, 'row')}{before}{number} {verb} left out",
        )

    def _frame(self) -> dict[str, list[Any]]:
        """Return the columns, each of one kind; labels that are too large for whole numbers as text."""
        columns = {name: [row[i] for row in self.rows] for i, name in enumerate(self.columns)}
        for name in self.labels:
            cells = [_called(cell) for cell in columns[name]]
            small = all(isinstance(cell, int) and abs(cell) < _INT64 for cell in cells)
            columns[name] = cells if small else [str(cell) for cell in cells]
        return {name: of_one_kind(cells) for name, cells in columns.items()}

    def texts(self, rows: Iterable[tuple[Any, ...]] | None = None) -> Iterator[list[str]]:
        """Yield rows, by default all, as people read them.

        Examples
        --------
        >>> table = Table("A", ("topic", "users"), ((1234, 5893), (5, 66.36)), labels=("topic",))
        >>> list(table.texts())
        [['1234', '5,893'], ['5', '66.4']]
        """
        styles = [_as_text if name in self.labels else self.styles.get(name, amount) for name in self.columns]
        for place, row in enumerate(self._written(self.rows if rows is None else rows)):
            yield [
                (style if callable(style) else style[place])(cell, self.digits)
                if _is_number(cell)
                else shown(cell)
                for style, cell in zip(styles, row, strict=True)
            ]

    def _written(self, rows: Iterable[tuple[Any, ...]]) -> Iterator[list[Any]]:
        """Yield rows with labels as they are called."""
        names = [name in self.labels for name in self.columns]
        for row in rows:
            yield [_called(cell) if name else cell for name, cell in zip(names, row, strict=True)]

    def numeric(self) -> list[bool]:
        """Tell for each column whether all of its cells are numbers."""
        rows = list(self._written(self.rows))
        return [
            all(row[i] is None or isinstance(row[i], int | float | Fraction) for row in rows)
            and any(row[i] is not None for row in rows)
            for i in range(len(self.columns))
        ]


def _entry(name: str) -> Callable[[Any], Any]:
    """Return how to get an entry of a record by its name."""
    return lambda record: record[name] if hasattr(record, "__getitem__") else getattr(record, name)


def _is_number(cell: Any) -> bool:
    """Tell whether a cell is a number that can be rounded; also NumPy's are."""
    return isinstance(cell, Real) and not isinstance(cell, bool)


def _as_text(cell: Any, _digits: int | None) -> str:
    return str(cell)


def _called(label: Any) -> Any:
    """Return a label as a whole number or as text."""
    return label if isinstance(label, int) and not isinstance(label, bool) else str(label)


def _html_row(tag: str, texts: Iterable[str], sides: Iterable[str]) -> str:
    cells = (f"<{tag} {side}>{html_text(text)}</{tag[:2]}>" for text, side in zip(texts, sides, strict=True))
    return f"<tr>{''.join(cells)}</tr>"


def _csv_line(cells: Iterable[Any]) -> str:
    """Return a row of CSV; cells with any end of a line stand in quotes, for a row ends in both at first."""
    out = io.StringIO()
    csv.writer(out).writerow(cells)
    return out.getvalue().removesuffix("\r\n") + "\n"


def _harmless(value: Any) -> Any:
    """Return a cell for CSV that no spreadsheet runs."""
    if isinstance(value, int | float) or value is None:
        return value
    return csv_cell(str(value))


def of_one_kind(cells: Sequence[Any]) -> list[Any]:
    """Return cells as whole numbers, floats, booleans or text, whichever holds them all; None stays."""
    values = [cell for cell in cells if cell is not None]
    if all(isinstance(value, bool | str) for value in values) and len({type(v) for v in values}) <= 1:
        return list(cells)
    if any(isinstance(value, bool) or not isinstance(value, int | float | Fraction) for value in values):
        return [None if cell is None else shown(cell) for cell in cells]
    if all(isinstance(value, int) and abs(value) < _INT64 for value in values):
        return list(cells)
    return [None if cell is None else _float(cell) for cell in cells]


def _float(number: float | Fraction) -> float:
    """Return a number as a float, infinite if no float can hold it."""
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


_WRITERS: dict[str, Callable[[Table], str]] = {
    ".csv": Table.to_csv,
    ".json": lambda table: table.to_json() + "\n",
    ".md": Table.to_markdown,
    ".tex": Table.to_latex,
    ".html": Table.to_html_page,
    ".txt": lambda table: table.to_text() + "\n",
}
