"""What all figures share: colours that colour-blind people tell apart, dashes for print, plain type."""

from collections.abc import Sequence
from math import ceil, floor, log10
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import altair as alt

# Okabe and Ito's colours, without the yellow, which is too faint on white.
PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
GREY = "#777777"  # of lines that are there for comparison
DASHES = ((1, 0), (7, 3), (2, 2), (9, 3, 2, 3), (12, 2), (4, 4), (2, 5))
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right")

FONT = "Helvetica, Arial, sans-serif"
"""Of figures and of the pages that they stand on; what lays figures out knows how wide its letters are."""

_PARTS = ("fill", "stroke")
_PLAIN = "format(datum.value, datum.value < 0.001 ? '.0e' : ',~r')"
PERCENT = "format(100 * datum.value, '~r') + ' %'"
"""A share as it is read."""
_ODDS = f"datum.value < 0.01 ? '1 in ' + format(1 / datum.value, ',.0f') : {PERCENT}"
_LONG = 40  # signs of a name that takes a line of the legend

# What each colour of a figure becomes on a dark page.
_DARK = {
    "#000": "#f2f2f2",
    "#000000": "#f2f2f2",
    "black": "#f2f2f2",
    "#111111": "#f2f2f2",
    "#222222": "#e2e2e2",
    "#555555": "#c4c4c4",
    "#666666": "#9d9d9d",
    "#777777": "#adadad",
    "#999999": "#8c8c8c",
    "#bbbbbb": "#6f6f6f",
    "#e4e4e4": "#3b3f45",
    "#0072B2": "#56B4E9",
    "#D55E00": "#FF9A4D",
    "#009E73": "#2FC99B",
    "#CC79A7": "#E9A3C9",
    "#E69F00": "#F5BE4B",
    "#56B4E9": "#A5DAFA",
}

CONFIG: dict[str, Any] = {
    "background": "white",
    "font": FONT,
    "padding": 12,
    "title": {"anchor": "start", "fontSize": 15, "fontWeight": 600, "offset": 14, "color": "#111111"},
    "axis": {
        "labelFontSize": 12,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
        "titlePadding": 8,
        "labelColor": "#222222",
        "titleColor": "#111111",
        "gridColor": "#e4e4e4",
        "domainColor": "#666666",
        "tickColor": "#666666",
    },
    "legend": {
        "labelFontSize": 12,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
        "symbolSize": 120,
        "symbolStrokeWidth": 2,
        "labelLimit": 320,
    },
    "axisX": {"labelFlush": False},
    "axisY": {"minExtent": 36},
    "line": {"strokeWidth": 2},
    "view": {"stroke": None},
}


def dark_style() -> str:
    """Return the rules by which a picture follows the reader's dark scheme.

    Examples
    --------
    >>> '[fill="black"]{fill:#f2f2f2}' in dark_style()
    True
    """
    rules = (f'[{part}="{light}"]{{{part}:{dark}}}' for light, dark in _DARK.items() for part in _PARTS)
    return f"@media screen and (prefers-color-scheme:dark){{{''.join(rules)}}}"


def line_styles(
    field: str, title: str | None, names: Sequence[str], *, legend: bool = True
) -> "dict[str, alt.Color | alt.StrokeDash]":
    """Return colour and dash encodings that give each of ``names`` its own, with one legend for both.

    Examples
    --------
    >>> sorted(line_styles("s", "topics in a set", ["1", "5"]))
    ['color', 'strokeDash']
    """
    import altair as alt

    below: dict[str, Any] = {"orient": "bottom", "columns": 2} if title is None else {}
    shown = alt.Legend(title=title, symbolType="stroke", symbolSize=700, **below) if legend else None
    dashes = [list(dash) for dash in DASHES]
    return {
        "color": alt.Color(f"{field}:N", scale=_scale(names, PALETTE), legend=shown),
        "strokeDash": alt.StrokeDash(f"{field}:N", scale=_scale(names, dashes), legend=shown),
    }


def point_styles(
    field: str, title: str | None, names: Sequence[str], *, legend: bool = True
) -> "dict[str, alt.Color | alt.Shape]":
    """Return colour and shape encodings that give each of ``names`` its own, with one legend for both.

    Examples
    --------
    >>> sorted(point_styles("s", "topics in a set", ["1", "5"]))
    ['color', 'shape']
    """
    import altair as alt

    columns = 1 if max(map(len, names), default=0) > _LONG else 3
    shown = alt.Legend(title=title, orient="bottom", columns=columns) if legend else None
    return {
        "color": alt.Color(f"{field}:N", scale=_scale(names, PALETTE), legend=shown),
        "shape": alt.Shape(f"{field}:N", scale=_scale(names, SHAPES), legend=shown),
    }


def _scale(names: Sequence[str], values: Sequence[Any]) -> "alt.Scale":
    """Return the scale that gives each name its own value."""
    import altair as alt

    return alt.Scale(domain=list(names), range=list(values[: len(names)]))


def log_axis(least: float, most: float, *, odds: bool = False) -> "dict[str, alt.Scale | alt.Axis]":
    """Return scale and axis of a logarithmic dimension, from a tick at or below to one at or above.

    Numbers on it may be probabilities, which are read as odds where they are small.

    Ticks stand at 1, 2, 5 times powers of ten or, over many decades, at powers of ten only.

    Examples
    --------
    >>> log_axis(1, 349)["axis"].values
    [1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0]
    """
    import altair as alt

    decades = range(floor(log10(least)), ceil(log10(most)) + 1)
    digits = (1, 2, 5) if len(decades) <= 5 else (1,)
    ticks = [float(f"{digit}e{power}") for power in decades for digit in digits]
    low = max((tick for tick in ticks if tick <= least), default=least)
    high = min((tick for tick in ticks if tick >= most and tick > low), default=2 * most)
    return {
        "scale": alt.Scale(type="log", domain=[low, high], nice=False),
        "axis": alt.Axis(
            values=[tick for tick in ticks if low <= tick <= high],
            labelExpr=_ODDS if odds else _PLAIN,
            labelOverlap=True,
        ),
    }


def panel_title(text: str) -> "alt.TitleParams":
    """Return the title of a part of a figure, lighter than that of the whole.

    Examples
    --------
    >>> panel_title("Average case").text
    'Average case'
    """
    import altair as alt

    return alt.TitleParams(text, fontSize=13, fontWeight="normal", offset=10)
