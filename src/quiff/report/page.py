"""A page of sections as one HTML file that loads nothing and runs nothing."""

import base64
import os
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from quiff.files import write_text
from quiff.results.figures.figure import Figure
from quiff.results.html_page import html_page
from quiff.results.numbers import shown
from quiff.results.table import Table
from quiff.safe_text import visible

_MOST_ROWS = 12  # of a table; the commands print them all


@dataclass(frozen=True)
class Headline:
    """A number that matters, and what it says."""

    value: str
    meaning: str


@dataclass(frozen=True)
class Section:
    """A part of the page: what the numbers say, in sentences, with the tables and figures that show it.

    Attributes
    ----------
    key
        The name of the section in links.
    title
        Its heading.
    reading
        Sentences that follow from the numbers.
    figures, tables
        What shows them.
    """

    key: str
    title: str
    reading: tuple[str, ...] = ()
    figures: tuple[Figure, ...] = ()
    tables: tuple[Table, ...] = ()


@dataclass(frozen=True)
class Page:
    """A title, what it is about, the numbers that matter, sections, and how to make the page again.

    Examples
    --------
    >>> page = Page("Two users", "Made up.", (Headline("2", "users"),), (Section("users", "The users"),))
    >>> html = page.to_html()
    >>> html.startswith("<!doctype html>"), "<script" in html, "http" in html.replace("http-equiv", "")
    (True, False, False)
    """

    title: str
    about: str
    headlines: tuple[Headline, ...]
    sections: tuple[Section, ...]
    facts: tuple[tuple[str, str], ...] = ()
    commands: tuple[str, ...] = ()

    def to_html(self) -> str:
        """Return the page; figures are pictures inside it."""
        from jinja2 import Environment, PackageLoader, StrictUndefined

        places = PackageLoader("quiff.report", "")
        environment = Environment(
            loader=places,
            autoescape=True,
            finalize=_visible,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        environment.filters.update(shown=shown, picture=_picture, number=_is_number)
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
    return "data:image/svg+xml;base64," + base64.b64encode(figure.to_svg().encode()).decode()


def _is_number(value: Any) -> bool:
    return isinstance(value, float) or hasattr(value, "denominator")


def _visible(value: Any) -> Any:
    """Return what the template writes; text without control characters, HTML as it is."""
    return value if hasattr(value, "__html__") or not isinstance(value, str) else visible(value)
