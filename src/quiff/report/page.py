"""A page of sections as one HTML file that loads nothing and runs nothing."""

import base64
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.resources import files
from itertools import count
from pathlib import Path
from typing import Any, final

from quiff.errors import counted
from quiff.files import write_text
from quiff.results.figures.figure import Figure
from quiff.results.html_page import html_page
from quiff.results.result import Result
from quiff.results.table import Table
from quiff.safe_text import visible

_WHOLE = re.compile(r"(?<=\d) (?=%)|(?<=\b1) (?=in \d)|(?<=\b1 in) (?=\d)")
_MOST_ROWS = 12  # of a table; the commands print them all


@final
@dataclass(frozen=True)
class Section:
    """A part of the page: a sentence, a figure and a table; the others are folded, and so are its parts.

    Examples
    --------
    >>> result = Result("", words={"title": "Halves", "sentences": ["One half."]})
    >>> Section.of("halves", "The halves", result).sentences
    ('One half.',)
    """

    key: str
    title: str
    sentences: tuple[str, ...] = ()
    figures: tuple[Figure, ...] = ()
    tables: tuple[Table, ...] = ()
    parts: tuple["Section", ...] = ()

    @property
    def folded(self) -> bool:
        """Whether something of it is folded away."""
        return bool(self.sentences[1:] or self.figures[1:] or self.tables[1:] or _notes(self.tables[:1]))

    @property
    def held(self) -> str:
        """What is folded away, counted."""
        named = {"figure": len(self.figures[1:]), "table": len(self.tables[1:])}
        found = ", ".join(counted(number, name) for name, number in named.items() if number)
        return f"More on this ({found})" if found else "More on this"

    @classmethod
    def of(cls, key: str, title: str, result: Result) -> "Section":
        """Return the views of a result as a section."""
        return cls(
            key,
            title,
            (*result.warnings, *result.sentences, *result.further, *result.notes),
            tuple(draw() for draw in result.figures.values()),
            tuple(result.tables.values()),
        )


@final
@dataclass(frozen=True)
class Page:
    """A title, what it is about, the answer in a sentence, a table and a figure, sections, and its limits.

    Examples
    --------
    >>> page = Page("Two users", ("Synthetic.",), "Nothing is revealed.", sections=(Section("a", "A"),))
    >>> html = page.to_html()
    >>> html.startswith("<!doctype html>"), "<script" in html, "http" in html.replace("http-equiv", "")
    (True, False, False)
    """

    title: str
    about: tuple[str, ...] = ()
    headline: str = ""
    summary: Table | None = None
    figure: Figure | None = None
    reading: tuple[str, ...] = ()  # what its words mean
    beside: tuple[Section, ...] = ()  # what is folded below the answer
    sections: tuple[Section, ...] = ()
    limits: Section | None = None  # what stands above how it was computed
    may: tuple[str, ...] = ()  # be concluded
    may_not: tuple[str, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()
    commands: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ()
    print_all: bool = False  # whether folded parts are open, so that they print

    def to_html(self) -> str:
        """Return the page; figures are pictures inside it."""
        from jinja2 import Environment, PackageLoader, StrictUndefined

        environment = Environment(
            loader=PackageLoader("quiff.report", ""),
            autoescape=True,
            finalize=_visible,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        environment.filters.update(picture=_picture)
        environment.globals["number"] = count(1).__next__  # two tables may have the same title
        style = files("quiff.report").joinpath("page.css").read_text()
        body = environment.get_template("page.html").render(page=self, most_rows=_MOST_ROWS)
        return html_page(self.title, body, style=style)

    def write(
        self,
        path: str | os.PathLike[str],
        *,
        force: bool = False,
        inputs: Iterable[str | os.PathLike[str]] = (),
    ) -> Path:
        """Write the page to a file, whole or not at all.

        Parameters
        ----------
        path
            The file.
        force
            Whether a file that is there already is replaced.
        inputs
            Files that are read, none of which is ever replaced.

        Raises
        ------
        ParameterError
            If the file is there already, or cannot be written.
        """
        return write_text(path, self.to_html(), force=force, inputs=inputs)


def _picture(figure: Figure) -> str:
    """Return a figure as an address that holds it."""
    return "data:image/svg+xml;base64," + base64.b64encode(figure.to_picture().encode()).decode()


def _notes(tables: tuple[Table, ...]) -> list[str]:
    return [note for table in tables for note in table.notes]


def _visible(value: Any) -> Any:
    """Return what the template writes: HTML as it is, text without control characters, "1 in 9" whole."""
    if hasattr(value, "__html__") or not isinstance(value, str):
        return value
    return _WHOLE.sub("\N{NO-BREAK SPACE}", visible(value))
