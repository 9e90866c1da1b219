"""A table of named columns that can be written in every format people ask for."""

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from html import escape
from typing import TYPE_CHECKING, Any

from quiff.errors import ShapeError
from quiff.results.numbers import plain, shown

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Table"]

_LATEX = {
    "\\": r"\textbackslash{}",
    **{c: "\\" + c for c in "&%$#_{}"},
    "~": r"\textasciitilde{}",
    "^": r"\^{}",
}


@dataclass(frozen=True)
class Table:
    """A title, the names of the columns, the rows, and notes that belong below.

    Cells keep their values; only the text formats round them, to six significant digits.

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
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.columns):
                raise ShapeError(
                    f"the row {row!r} has {len(row)} cells, but the table {len(self.columns)} columns"
                )

    def records(self) -> Iterator[dict[str, Any]]:
        """Yield each row as a dictionary of plain values."""
        return (
            {name: plain(cell) for name, cell in zip(self.columns, row, strict=True)} for row in self.rows
        )

    def to_text(self) -> str:
        """Return the table for a terminal: text to the left, numbers to the right."""
        lines = [list(self.columns), *([shown(cell) for cell in row] for row in self.rows)]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        numeric = self._numeric()
        body = (
            "  ".join(
                cell.rjust(width) if right else cell.ljust(width)
                for cell, width, right in zip(line, widths, numeric, strict=True)
            ).rstrip()
            for line in lines
        )
        return "\n".join([self.title, *body, *self.notes])

    def to_csv(self) -> str:
        """Return the table as comma-separated values at full precision."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows([plain(cell) for cell in row] for row in self.rows)
        return out.getvalue()

    def to_markdown(self) -> str:
        """Return the table in Markdown, with the title in bold and the notes below."""
        rule = ["---:" if right else "---" for right in self._numeric()]
        lines = [self.columns, rule, *([shown(cell) for cell in row] for row in self.rows)]
        body = ("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)
        return "\n".join([f"**{self.title}**", "", *body, *(f"\n{note}" for note in self.notes)]) + "\n"

    def to_latex(self) -> str:
        """Return the table as a LaTeX ``table`` with rules from the package booktabs."""
        lines = [
            r"\begin{table}",
            r"\centering",
            rf"\caption{{{_latex(self.title)}}}",
            rf"\begin{{tabular}}{{{''.join('r' if right else 'l' for right in self._numeric())}}}",
            r"\toprule",
            " & ".join(map(_latex, self.columns)) + r" \\",
            r"\midrule",
            *(" & ".join(_latex(shown(cell)) for cell in row) + r" \\" for row in self.rows),
            r"\bottomrule",
            r"\end{tabular}",
            *(rf"\par {_latex(note)}" for note in self.notes),
            r"\end{table}",
        ]
        return "\n".join(lines) + "\n"

    def to_pandas(self) -> "pd.DataFrame":
        """Return the table as a pandas frame."""
        import pandas as pd

        return pd.DataFrame([list(row) for row in self.rows], columns=list(self.columns))

    def _repr_html_(self) -> str:
        head = "".join(f"<th scope='col'>{escape(name)}</th>" for name in self.columns)
        body = "".join(
            "<tr>" + "".join(f"<td>{escape(shown(cell))}</td>" for cell in row) + "</tr>" for row in self.rows
        )
        notes = "".join(f"<p>{escape(note)}</p>" for note in self.notes)
        return (
            f"<table><caption>{escape(self.title)}</caption><thead><tr>{head}</tr></thead>"
            f"<tbody>{body}</tbody></table>{notes}"
        )

    def _numeric(self) -> list[bool]:
        return [
            all(isinstance(row[i], int | float | Fraction) for row in self.rows) and bool(self.rows)
            for i in range(len(self.columns))
        ]


def _latex(text: str) -> str:
    return "".join(_LATEX.get(character, character) for character in text)
