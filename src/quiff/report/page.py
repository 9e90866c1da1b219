"""A page of sections as one HTML file that loads nothing and runs nothing."""

import base64
import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from itertools import count
from pathlib import Path
from typing import Any, final

from quiff.errors import counted
from quiff.io import write_text
from quiff.results.figures.figure import Figure
from quiff.results.html_page import html_page
from quiff.results.result import Result
from quiff.results.table import Table
from quiff.safe_text import visible

_WHOLE = re.compile(r"(?<=\d) (?=%)|(?<=\b1) (?=in \d)|(?<=\b1 in) (?=\d)")
_MOST_ROWS = 12  # of a table that is not opened whole


@final
@dataclass(frozen=True)
class Block:
    """What one result says: its lead, a figure and a table; the rest, or all of it, is folded away.

    Examples
    --------
    >>> result = Result("", words={"title": "Halves", "sentences": ["One half."]})
    >>> Block.of(result).lead
    ('One half.',)
    """

    title: str = ""
    lead: tuple[str, ...] = ()
    figures: tuple[Figure, ...] = ()
    tables: tuple[Table, ...] = ()
    further: tuple[str, ...] = ()
    folded: bool = False

    @classmethod
    def of(
        cls,
        result: Result,
        title: str = "",
        *,
        say: Sequence[str] = (),
        first: Sequence[Table] = (),
        folded: bool = False,
    ) -> "Block":
        """Return a result as a block.

        Parameters
        ----------
        result
            What is shown: its first figure and its first table, the others folded.
        title
            Its heading.
        say
            The keys of the sentences that lead; none for all that answer.
        first
            Tables that come before its own.
        folded
            Whether all of it is folded.
        """
        leading = result.showing(*say) if say else result
        lead = leading.sentences + (leading.further if say else ())
        others = result.without(*say).sentences if say else ()
        further = (*others, *(result.without(*say) if say else result).further, *result.notes)
        lead, further = (lead, further) if lead else (further[:1], further[1:])
        figures = tuple(draw() for draw in result.figures.values())
        return cls(title, lead, figures, (*first, *result.tables.values()), further, folded)

    @property
    def rest(self) -> str:
        """What is folded away, counted; empty if nothing is."""
        named = {"figure": len(self.figures[1:]), "table": len(self.tables[1:])}
        parts = [counted(number, name) for name, number in named.items() if number]
        some = parts or self.further or any(table.notes for table in self.tables[:1])
        return ("More on this" + (f" ({', '.join(parts)})" if parts else "")) if some else ""


@final
@dataclass(frozen=True)
class Section:
    """A part of the page: its name in links, its title, and what some results say, one after the other."""

    key: str
    title: str
    blocks: tuple[Block, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def tables(self) -> tuple[Table, ...]:
        """All tables, in the order in which they are shown."""
        return tuple(table for block in self.blocks for table in block.tables)

    @property
    def figures(self) -> tuple[Figure, ...]:
        """All figures, in the order in which they are shown."""
        return tuple(figure for block in self.blocks for figure in block.figures)

    def fragment(self, folder: str, **words: Any) -> dict[str, Any]:
        """Return the section for another page, which draws its figures and finds its files in a folder.

        >>> Section("people", "The people", (Block(lead=("Two of them.",)),)).fragment("")["figures"]
        []
        """
        numbers = {True: count(), False: count()}

        def file(table: bool = False) -> str:
            return f"{folder}/{self.key}-{next(numbers[table])}"

        return {
            "key": self.key,
            "html": render("fragment.html", section=self, files=file, **words),
            "figures": [figure.spec for figure in self.figures],
        }


@final
@dataclass(frozen=True)
class Page:
    """A title, what it is about, the answer in sentences, a table and a figure, sections, and its limits.

    Examples
    --------
    >>> page = Page("Two users", ("Synthetic.",), ("Nothing is revealed.",), sections=(Section("a", "A"),))
    >>> html = page.to_html()
    >>> html.startswith("<!doctype html>"), "<script" in html, "http" in html.replace("http-equiv", "")
    (True, False, False)
    """

    title: str
    about: tuple[str, ...] = ()
    headline: tuple[str, ...] = ()
    summary: Table | None = None
    figure: Figure | None = None
    reading: tuple[str, ...] = ()  # what its words mean
    sections: tuple[Section, ...] = ()
    limits: tuple[Block, ...] = ()  # what stands above how it was computed
    conclusions: dict[str, tuple[str, ...]] = field(default_factory=dict)  # what may be concluded, what not
    facts: tuple[tuple[str, str], ...] = ()
    commands: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ()
    print_all: bool = False  # whether folded parts are open, so that they print

    def to_html(self) -> str:
        """Return the page; figures are pictures inside it."""
        style = files("quiff.report").joinpath("page.css").read_text()
        return html_page(self.title, render("page.html", page=self, open=self.print_all), style=style)

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


def render(template: str, **words: Any) -> str:
    """Return one of the templates of this folder with its words; text is escaped.

    >>> "&lt;b&gt;" in render("fragment.html", table=Table("<b>", ("a",), ((1,),)))
    True
    """
    words = {"open": False, "file": "", "most_rows": _MOST_ROWS, **words}
    return str(_environment().get_template(template).render(number=count(1).__next__, **words))


@cache
def _environment() -> Any:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("quiff.report", ""),
        autoescape=True,
        finalize=_visible,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["picture"] = _picture
    return environment


def _picture(figure: Figure) -> str:
    """Return a figure as an address that holds it."""
    return "data:image/svg+xml;base64," + base64.b64encode(figure.to_picture().encode()).decode()


def _visible(value: Any) -> Any:
    """Return what the template writes: HTML as it is, text without control characters, "1 in 9" whole."""
    if hasattr(value, "__html__") or not isinstance(value, str):
        return value
    return _WHOLE.sub("\N{NO-BREAK SPACE}", visible(value))
