"""A page of sections as one HTML file that loads nothing and runs nothing."""

import base64
import hashlib
import os
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from quiff.results.figures.figure import Figure
from quiff.results.files import write_text
from quiff.results.numbers import shown
from quiff.results.table import Table

__all__ = ["Headline", "Page", "Section"]

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
            loader=places, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
        )
        environment.filters.update(shown=shown, picture=_picture, number=_is_number)
        style = files("quiff.report").joinpath("page.css").read_text()
        return environment.get_template("page.html").render(
            page=self, style=style, style_digest=_digest(style), most_rows=_MOST_ROWS
        )

    def write(self, path: str | os.PathLike[str]) -> Path:
        """Write the page to a file, whole or not at all.

        Raises
        ------
        ParameterError
            If the file cannot be written.
        """
        return write_text(path, self.to_html())


def _picture(figure: Figure) -> str:
    """Return a figure as an address that holds it."""
    return "data:image/svg+xml;base64," + base64.b64encode(figure.to_svg().encode()).decode()


def _is_number(value: Any) -> bool:
    return isinstance(value, float) or hasattr(value, "denominator")


def _digest(style: str) -> str:
    """Return the digest by which the page's own policy allows its style, and nothing else."""
    return "sha256-" + base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
