"""A table of named columns that can be written in every format people ask for."""

import csv
import io
import math
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quiff.errors import ParameterError, ShapeError, counted
from quiff.results.files import write_text
from quiff.results.numbers import plain, shown, to_json

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

__all__ = ["Table"]

_LATEX = {
    "\\": r"\textbackslash{}",
    **{c: "\\" + c for c in "&%$#_{}"},
    "~": r"\textasciitilde{}",
    "^": r"\^{}",
}
_NOTEBOOK_ROWS = 60  # what a notebook shows of a long table
_INT64 = 2**63


@dataclass(frozen=True, repr=False)
class Table:
    """A title, the names of the columns, the rows, and notes that belong below.

    Cells keep their values; only the text formats round them, to six significant digits. Columns that are
    named in `labels` hold what things are called: a whole number or, as anything else is written, text.

    Examples
    --------
    >>> table = Table("Capacities", ("topics", "capacity"), ((349, 66.36), (469, 89.16)))
    >>> print(table.to_text())
    Capacities
    topics  capacity
       349     66.36
       469     89.16
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

    def __post_init__(self) -> None:
        if len(set(self.columns)) < len(self.columns):
            raise ShapeError(f"two columns have the same name among {self.columns!r}; give each its own")
        for row in self.rows:
            if len(row) != len(self.columns):
                raise ShapeError(
                    f"the row {row!r} has {len(row)} cells, but the table {len(self.columns)} columns"
                )

    def records(self) -> Iterator[dict[str, Any]]:
        """Yield each row as a dictionary of plain values."""
        return (
            {name: plain(cell) for name, cell in zip(self.columns, row, strict=True)}
            for row in self._written(self.rows)
        )

    def to_text(self, head: int | None = None) -> str:
        """Return the table for a terminal: text to the left, numbers to the right.

        Parameters
        ----------
        head
            How many rows to show at most; a line says how many more there are. None shows all.

        Examples
        --------
        >>> print(Table("Squares", ("n", "square"), tuple((n, n * n) for n in range(9))).to_text(head=2))
        Squares
        n  square
        0       0
        1       1
        ... and 7 more rows
        """
        rows, more = self._cut(head)
        lines = [list(self.columns), *([shown(cell) for cell in row] for row in self._written(rows))]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        numeric = self.numeric()
        body = (
            "  ".join(
                cell.rjust(width) if right else cell.ljust(width)
                for cell, width, right in zip(line, widths, numeric, strict=True)
            ).rstrip()
            for line in lines
        )
        return "\n".join([self.title, *body, *more, *self.notes])

    def __repr__(self) -> str:
        return self.to_text()

    def to_csv(self) -> str:
        """Return the table as comma-separated values at full precision."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows([plain(cell) for cell in row] for row in self._written(self.rows))
        return out.getvalue()

    def to_markdown(self) -> str:
        """Return the table in Markdown, with the title in bold and the notes below."""
        rule = ["---:" if right else "---" for right in self.numeric()]
        lines = [self.columns, rule, *([shown(cell) for cell in row] for row in self._written(self.rows))]
        body = ("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)
        return "\n".join([f"**{self.title}**", "", *body, *(f"\n{note}" for note in self.notes)]) + "\n"

    def to_latex(self) -> str:
        """Return the table as a LaTeX ``table`` with rules from the package booktabs."""
        lines = [
            r"\begin{table}",
            r"\centering",
            rf"\caption{{{_latex(self.title)}}}",
            rf"\begin{{tabular}}{{{''.join('r' if right else 'l' for right in self.numeric())}}}",
            r"\toprule",
            " & ".join(map(_latex, self.columns)) + r" \\",
            r"\midrule",
            *(" & ".join(_latex(shown(cell)) for cell in row) + r" \\" for row in self._written(self.rows)),
            r"\bottomrule",
            r"\end{tabular}",
            *(rf"\par {_latex(note)}" for note in self.notes),
            r"\end{table}",
        ]
        return "\n".join(lines) + "\n"

    def to_html(self, head: int | None = None) -> str:
        """Return the table as HTML, numbers to the right; `head` as in :meth:`to_text`."""
        sides = ["right" if right else "left" for right in self.numeric()]
        rows, more = self._cut(head)
        top = "".join(map(_html, ["th"] * len(sides), self.columns, sides))
        body = "".join(
            f"<tr>{''.join(map(_html, ['td'] * len(sides), map(shown, row), sides))}</tr>"
            for row in self._written(rows)
        )
        notes = "".join(f"<p>{escape(note)}</p>" for note in (*more, *self.notes))
        return (
            f"<table><caption>{escape(self.title)}</caption><thead><tr>{top}</tr></thead>"
            f"<tbody>{body}</tbody></table>{notes}"
        )

    def to_json(self) -> str:
        """Return the rows as JSON records at full precision."""
        return to_json(list(self.records()))

    def to_pandas(self) -> "pd.DataFrame":
        """Return the table as a pandas frame; fractions become floats."""
        import pandas as pd

        return pd.DataFrame(self._frame())

    def to_polars(self) -> "pl.DataFrame":
        """Return the table as a polars frame; fractions become floats.

        Examples
        --------
        >>> table = Table("Halves", ("name", "half"), (("one", Fraction(1, 2)), ("two", 1)))
        >>> table.to_polars().to_dict(as_series=False)
        {'name': ['one', 'two'], 'half': [0.5, 1.0]}
        """
        import polars as pl

        return pl.DataFrame(self._frame())

    def write(self, path: str | os.PathLike[str]) -> Path:
        """Write the table in the format that the file's suffix names, and return the path.

        The formats are .csv, .json, .md (Markdown), .tex (LaTeX), .html and .txt.

        Examples
        --------
        >>> Table("Capacities", ("topics", "capacity"), ()).write("capacities.xls")
        Traceback (most recent call last):
        quiff.errors.ParameterError: a table's file must end in .csv, .json, .md, .tex, .html, .txt, not \
'capacities.xls'

        Raises
        ------
        ParameterError
            If the suffix is another one, or the file cannot be written.
        """
        suffix = Path(path).suffix.lower()
        if suffix not in _WRITERS:
            raise ParameterError(f"a table's file must end in {', '.join(_WRITERS)}, not {str(path)!r}")
        return write_text(path, _WRITERS[suffix](self))

    def _repr_html_(self) -> str:
        return self.to_html(head=_NOTEBOOK_ROWS)

    def head(self, rows: int) -> "Table":
        """Return the table with its first rows only, and a note if there are more.

        Examples
        --------
        >>> Table("Numbers", ("n",), ((1,), (2,), (3,))).head(1).notes
        ('... and 2 more rows',)
        """
        kept, more = self._cut(rows)
        return Table(self.title, self.columns, kept, (*more, *self.notes), self.labels)

    def _cut(self, head: int | None) -> tuple[tuple[tuple[Any, ...], ...], tuple[str, ...]]:
        """Return the first rows, and a line on the rest if there is one."""
        rest = 0 if head is None else len(self.rows) - head
        if rest <= 0:
            return self.rows, ()
        return self.rows[:head], (f"... and {counted(rest, 'more row')}",)

    def _frame(self) -> dict[str, list[Any]]:
        """Return the columns, each of one kind; labels that are too large for whole numbers as text."""
        columns = {name: [row[i] for row in self.rows] for i, name in enumerate(self.columns)}
        for name in self.labels:
            cells = [_called(cell) for cell in columns[name]]
            small = all(isinstance(cell, int) and abs(cell) < _INT64 for cell in cells)
            columns[name] = cells if small else [str(cell) for cell in cells]
        return {name: _of_one_kind(cells) for name, cells in columns.items()}

    def _written(self, rows: Iterable[tuple[Any, ...]]) -> Iterator[list[Any]]:
        """Yield rows with labels as they are called."""
        names = [name in self.labels for name in self.columns]
        for row in rows:
            yield [_called(cell) if name else cell for name, cell in zip(names, row, strict=True)]

    def numeric(self) -> list[bool]:
        """Tell for each column whether all of its cells are numbers."""
        rows = list(self._written(self.rows))
        return [
            all(isinstance(row[i], int | float | Fraction) for row in rows) and bool(rows)
            for i in range(len(self.columns))
        ]


def _called(label: Any) -> Any:
    """Return a label as a whole number or as text."""
    return label if isinstance(label, int) and not isinstance(label, bool) else str(label)


def _latex(text: str) -> str:
    return "".join(_LATEX.get(character, character) for character in text)


def _html(tag: str, text: str, side: str) -> str:
    scope = ' scope="col"' if tag == "th" else ""
    return f'<{tag}{scope} style="text-align: {side}">{escape(text)}</{tag}>'


def _of_one_kind(cells: Sequence[Any]) -> list[Any]:
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
    ".html": Table.to_html,
    ".txt": lambda table: table.to_text() + "\n",
}
