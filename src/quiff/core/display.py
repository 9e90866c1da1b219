"""Small things shown whole, large things by their size: for the prompt and for notebooks."""

from collections.abc import Callable
from fractions import Fraction
from html import escape
from typing import Any

from quiff.core.labels import Labels

__all__ = ["html_table", "text_table"]

_ROWS, _COLUMNS = 12, 8
Cell = Callable[[int, int], Any]


def text_table(title: str, rows: Labels, columns: Labels, cell: Cell) -> str:
    """Return a title and, if the table is small, its cells."""
    if rows.size > _ROWS or columns.size > _COLUMNS:
        return f"<{title}>"
    head, body = _texts(rows, columns, cell)
    widths = [max(map(len, column)) for column in zip(head, *body, strict=True)]
    lines = [
        "  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True))
        for line in [head, *body]
    ]
    return "\n".join([title, *(line.rstrip() for line in lines)])


def html_table(title: str, rows: Labels, columns: Labels, cell: Cell) -> str:
    """Return an HTML table of the first rows and columns, with the title as its caption."""
    head, body = _texts(rows, columns, cell)
    first = "".join(f"<th scope='col'>{escape(text)}</th>" for text in head)
    lines = "".join(
        f"<tr><th scope='row'>{escape(line[0])}</th>"
        + "".join(f"<td>{escape(text)}</td>" for text in line[1:])
        + "</tr>"
        for line in body
    )
    more = " (first rows and columns)" if rows.size > _ROWS or columns.size > _COLUMNS else ""
    return (
        f"<table><caption>{escape(title + more)}</caption>"
        f"<thead><tr>{first}</tr></thead><tbody>{lines}</tbody></table>"
    )


def _texts(rows: Labels, columns: Labels, cell: Cell) -> tuple[list[str], list[list[str]]]:
    head = ["", *(_label(label) for label in columns[:_COLUMNS])]
    body = [
        [_label(label), *(_number(cell(i, j)) for j in range(min(columns.size, _COLUMNS)))]
        for i, label in enumerate(rows[:_ROWS])
    ]
    return head, body


def _label(label: Any) -> str:
    if isinstance(label, frozenset):
        return "{" + ", ".join(sorted(map(_label, label))) + "}"
    return str(label)


def _number(value: Any) -> str:
    return str(value) if isinstance(value, Fraction | int) else f"{value:.6g}"
