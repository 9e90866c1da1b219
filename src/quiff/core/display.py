"""Small things shown whole, large things by their size: for the prompt and for notebooks."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from fractions import Fraction
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from quiff.core.labels import Labels, as_labels, index_order
from quiff.core.numbers import Array, Number
from quiff.errors import needed
from quiff.safe_text import visible

if TYPE_CHECKING:
    import pandas as pd

_ROWS, _COLUMNS = 12, 8
Cell = Callable[[int, int], Any]
Names = Labels | Sequence[str]


class Shown(ABC):
    """Numbers with a name for each row and column, as the prompt, notebooks and numpy see them."""

    __slots__ = ()
    __array_ufunc__ = None  # numpy's operators leave an array and one of these to each other

    @property
    @abstractmethod
    def _axes(self) -> tuple[str, Labels, Names]:
        """The title, and the names of rows and columns."""

    @abstractmethod
    def _cell(self, row: int, column: int) -> Number:
        """Return the number at a place."""

    @abstractmethod
    def to_numpy(self) -> Array:
        """Return all numbers, made anew."""

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        if copy is False:
            raise ValueError("the numbers are made when asked for; there is nothing to share without a copy")
        numbers = self.to_numpy()
        return numbers if dtype is None else numbers.astype(dtype)

    def __repr__(self) -> str:
        return text_table(*self._axes, self._cell)

    def _repr_html_(self) -> str:
        return html_table(*self._axes, self._cell)


def text_table(title: str, rows: Labels, columns: Names, cell: Cell) -> str:
    """Return a title and, if the table is small, its cells."""
    if _is_large(rows, columns):
        return f"<{title}>"
    head, body = _texts(rows, columns, cell)
    widths = [max(map(len, column)) for column in zip(head, *body, strict=True)]
    lines = [
        "  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True))
        for line in [head, *body]
    ]
    return "\n".join([title, *(line.rstrip() for line in lines)])


def html_table(title: str, rows: Labels, columns: Names, cell: Cell) -> str:
    """Return an HTML table of the first rows and columns, with the title as its caption."""
    head, body = _texts(rows, columns, cell)
    first = "".join(f"<th scope='col'>{escape(text)}</th>" for text in head)
    lines = "".join(
        f"<tr><th scope='row'>{escape(line[0])}</th>"
        + "".join(f"<td>{escape(text)}</td>" for text in line[1:])
        + "</tr>"
        for line in body
    )
    more = " (first rows and columns)" if _is_large(rows, columns) else ""
    return (
        f"<table><caption>{escape(title + more)}</caption>"
        f"<thead><tr>{first}</tr></thead><tbody>{lines}</tbody></table>"
    )


def _is_large(rows: Labels, columns: Names) -> bool:
    width = columns.size if isinstance(columns, Labels) else len(columns)
    return rows.size > _ROWS or width > _COLUMNS


def _texts(rows: Labels, columns: Names, cell: Cell) -> tuple[list[str], list[list[str]]]:
    names = [_label(label) for label in columns[:_COLUMNS]]
    body = [
        [_label(label), *(_number(cell(i, j)) for j in range(len(names)))]
        for i, label in enumerate(rows[:_ROWS])
    ]
    return ["", *names], body


def _label(label: Any) -> str:
    if isinstance(label, frozenset):
        return "{" + ", ".join(sorted(map(_label, label))) + "}"
    return visible(str(label))


def _number(value: Any) -> str:
    return str(value) if isinstance(value, Fraction | int) else f"{value:.6g}"


def frame_labels(rows: object) -> tuple[list[Any] | None, list[Any] | None]:
    """Return the names of a pandas frame's rows and columns; (None, None) for anything else."""
    if hasattr(rows, "index") and hasattr(rows, "columns"):
        return rows.index.tolist(), rows.columns.tolist()
    return None, None


def in_order(rows: Any, first: object, second: object, whats: tuple[str, str]) -> tuple[Any, Any, Any]:
    """Return a matrix and the names of rows and columns; a pandas frame has its own, and follows others."""
    if frame_labels(rows) == (None, None):
        return rows, first, second
    matrix, names = rows.to_numpy(), []
    for axis, (index, wanted, what) in enumerate(zip(rows.axes, (first, second), whats, strict=True)):
        own = as_labels(index.tolist(), what)
        names.append(own if wanted is None else as_labels(wanted, what))
        order = index_order(own, names[-1], f"{what}s", "frame")
        matrix = matrix[order] if axis == 0 else matrix[:, order]
    return matrix, *names


def to_index(labels: Labels) -> "pd.Index[Any]":
    """Return labels as a pandas index that changes none of them."""
    cells = np.empty(labels.size, dtype=object)
    cells[:] = list(labels)
    index: pd.Index[Any] = needed("pandas", "pandas", "an index").Index(
        cells, dtype=object, tupleize_cols=False
    )
    return index


def to_frame(matrix: Array, rows: Labels, columns: Labels) -> "pd.DataFrame":
    """Return a matrix as a pandas frame."""
    pandas = needed("pandas", "pandas", "a frame")
    frame: pd.DataFrame = pandas.DataFrame(matrix, index=to_index(rows), columns=to_index(columns))
    return frame
