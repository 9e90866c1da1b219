"""A figure, and the files that it can be written to."""

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any, Self

from quiff.errors import ParameterError
from quiff.io import check_target, write_bytes
from quiff.results.figures.renderer import render, vega_bundle
from quiff.results.figures.style import CONFIG, dark_style
from quiff.results.html_page import embedded, html_page
from quiff.safe_text import visible

if TYPE_CHECKING:
    import altair as alt

_LINE = 78  # signs of a title
_STYLE = """
body { margin: 0; background: #ffffff; color: #111111; font: 1rem/1.5 sans-serif; }
.vega-actions { padding: 0 .75rem .75rem; }
.vega-actions a { margin-right: 1rem; color: #00558a; }
#vg-tooltip-element { position: fixed; visibility: hidden; padding: .4rem .6rem; background: #ffffff; border: 1px solid #666666; }
#vg-tooltip-element.visible { visibility: visible; }
"""  # noqa: E501
_SCRIPT = """
const spec = JSON.parse(document.getElementById("specification").textContent);
window.vegaEmbed("#figure", spec, {
  actions: { export: true, source: false, compiled: false, editor: false },
  ast: true, defaultStyle: false, renderer: "svg", mode: "vega-lite", tooltip: { disableDefaultStyle: true },
});
"""  # `ast` computes expressions without eval, which the page's policy forbids


@dataclass(frozen=True)
class Figure:
    """A title and a complete Vega-Lite specification with its data inside.

    Control characters in them, which no format of a picture can hold, become visible.

    Examples
    --------
    >>> from quiff import closed_forms
    >>> figure = closed_forms().figure("counting")
    >>> figure.title
    'Counting who has a topic: 349 topics, sets of 5, noise 0.05'
    >>> figure.to_svg().startswith("<svg"), figure.to_png()[1:4]
    (True, b'PNG')
    """

    title: str
    spec: dict[str, Any]

    def __post_init__(self) -> None:
        object.__setattr__(self, "title", _drawable(self.title))
        object.__setattr__(self, "spec", _drawable(self.spec))

    @classmethod
    def of(cls, title: str, chart: "alt.TopLevelMixin") -> Self:
        """Make a figure of an Altair chart, in the style that all figures share."""
        spec = chart.to_dict()
        spec["title"] = {"text": title if len(title) <= _LINE else wrap(title, _LINE, break_on_hyphens=False)}
        spec["description"] = title
        spec["config"] = CONFIG
        return cls(title, spec)

    def to_svg(self) -> str:
        """Return the figure as SVG."""
        return render("vegalite_to_svg", self.spec, allowed_base_urls=[]).decode()

    def to_picture(self) -> str:
        """Return the figure as SVG for a page that has its title: light or dark as the reader's scheme is."""
        spec = {name: part for name, part in self.spec.items() if name != "title"}
        spec["config"] = {**self.spec.get("config", {}), "background": None, "padding": 4}
        svg = render("vegalite_to_svg", spec, allowed_base_urls=[]).decode()
        head, mark, rest = svg.partition(">")
        return f"{head}{mark}<style>{dark_style()}</style>{rest}"

    def to_png(self) -> bytes:
        """Return the figure as PNG, with twice as many pixels as on screen, for print."""
        return render("vegalite_to_png", self.spec, scale=2.0, allowed_base_urls=[])

    def to_html(self) -> str:
        """Return the figure as one HTML page that holds all that it needs and loads nothing."""
        body = f'<main><div id="figure"></div></main>\n{embedded("specification", self.spec)}'
        return html_page(self.title, body, style=_STYLE, scripts=(vega_bundle(), _SCRIPT))

    def write(
        self,
        path: str | os.PathLike[str],
        *,
        force: bool = False,
        inputs: Iterable[str | os.PathLike[str]] = (),
    ) -> Path:
        """Write the figure in the format that the file's suffix names: svg, png or html.

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
            If the suffix is another one, the file is there already, or it cannot be written.
        QuiffError
            If the figure cannot be drawn.
        """
        form = figure_format(path)
        check_target(path, force=force, inputs=inputs)
        return write_bytes(path, _WRITERS[form](self), force=force, inputs=inputs)

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"image/svg+xml": self.to_svg(), "text/plain": self.title}


def _drawable(part: Any) -> Any:
    """Return a specification, or a part of it, with all of its text visible.

    Vega-Lite puts titles into expressions, where a backslash is an escape; a sign that looks like it is not.
    """
    if isinstance(part, str):
        return visible(part).replace("\\", "\N{SET MINUS}")
    if isinstance(part, dict):
        return {_drawable(key): _drawable(value) for key, value in part.items()}
    return [_drawable(value) for value in part] if isinstance(part, list | tuple) else part


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
        raise ParameterError(
            f"a figure's file must end in {allowed}, not {str(path)!r}",
            what="path",
            value=str(path),
            allowed=f"a name that ends in {allowed}",
        )
    return suffix
