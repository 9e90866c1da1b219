"""A figure, and the files that it can be written to."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from quiff.errors import ParameterError
from quiff.results.figures.style import CONFIG
from quiff.results.files import write_bytes

if TYPE_CHECKING:
    import altair as alt

__all__ = ["Figure", "figure_format"]


@dataclass(frozen=True)
class Figure:
    """A title and a complete Vega-Lite specification with its data inside.

    Examples
    --------
    >>> from quiff.results.figures.counting import counting_figure
    >>> figure = counting_figure(most_users=5)
    >>> figure.title
    'Counting who has a topic: 349 topics, sets of 5, noise 0.05'
    >>> figure.to_svg().startswith("<svg"), figure.to_png()[1:4]
    (True, b'PNG')
    """

    title: str
    spec: dict[str, Any]

    @classmethod
    def of(cls, title: str, chart: "alt.TopLevelMixin") -> Self:
        """Make a figure of an Altair chart, in the style that all figures share."""
        spec = chart.to_dict()
        spec["title"] = {"text": title}
        spec["description"] = title
        spec["config"] = CONFIG
        spec["usermeta"] = {"embedOptions": {"actions": {"export": True, "source": False, "editor": False}}}
        return cls(title, spec)

    def to_svg(self) -> str:
        """Return the figure as SVG."""
        import vl_convert

        return vl_convert.vegalite_to_svg(self.spec)

    def to_png(self, scale: float = 2.0) -> bytes:
        """Return the figure as PNG, by default with twice as many pixels as on screen, for print."""
        import vl_convert

        return vl_convert.vegalite_to_png(self.spec, scale=scale)

    def to_html(self) -> str:
        """Return the figure as one HTML page that holds all that it needs and loads nothing."""
        import vl_convert

        page = vl_convert.vegalite_to_html(self.spec, bundle=True)
        return page.replace("<html>", '<html lang="en">', 1).replace(
            "<title>Chart</title>", f"<title>{escape(self.title)}</title>", 1
        )

    def write(self, path: str | os.PathLike[str]) -> Path:
        """Write the figure in the format that the file's suffix names: svg, png or html.

        Raises
        ------
        ParameterError
            If the suffix is another one, or the file cannot be written.
        """
        return write_bytes(path, _WRITERS[figure_format(path)](self))

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        return {"image/svg+xml": self.to_svg(), "text/plain": self.title}


_WRITERS: dict[str, Callable[[Figure], bytes]] = {
    "svg": lambda figure: figure.to_svg().encode(),
    "png": lambda figure: figure.to_png(),
    "html": lambda figure: figure.to_html().encode(),
}


def figure_format(path: str | os.PathLike[str]) -> str:
    """Return the format that a file's suffix names: ``svg``, ``png`` or ``html``.

    Raises
    ------
    ParameterError
        If the suffix is another one.

    Examples
    --------
    >>> figure_format("limits.SVG")
    'svg'
    >>> figure_format("limits.pdf")
    Traceback (most recent call last):
    quiff.errors.ParameterError: a figure's file must end in .svg, .png, .html, not 'limits.pdf'
    """
    suffix = Path(path).suffix.lower().removeprefix(".")
    if suffix not in _WRITERS:
        allowed = ", ".join(f".{name}" for name in _WRITERS)
        raise ParameterError(f"a figure's file must end in {allowed}, not {str(path)!r}")
    return suffix
