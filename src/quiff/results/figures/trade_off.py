"""Privacy against utility: what an API gives away, and what an advertiser learns."""

from collections.abc import Callable, Sequence
from itertools import cycle, islice
from math import ceil, exp, floor, inf, log, log10
from typing import TYPE_CHECKING, Any

from quiff.core.numbers import Number
from quiff.results.figures.figure import Figure
from quiff.results.figures.labels import label_heights
from quiff.results.figures.style import GREY, PALETTE, SHAPES, log_axis

if TYPE_CHECKING:
    import altair as alt

_WIDTH, _HEIGHT = 340, 260
_LINE = 16.0  # pixels from one label to the next
_MARGIN = 16.0  # pixels from the plot to the labels


def trade_off_figure(
    title: str, points: Sequence[tuple[str, Number, Number]], prior_utility: Number | None = None
) -> Figure:
    """Draw one mark for each API or setting: its leakage upwards, its utility to the right.

    The names stand beside the plot, each with a line to its mark, so that marks which coincide can be read.

    Parameters
    ----------
    title
        Of the figure.
    points
        Name, leakage and utility of each.
    prior_utility
        What is reached without any observation, as a grey line; None draws none and shows only the part of
        the scales where the marks are.

    Examples
    --------
    >>> trade_off_figure("APIs", [("cookies", 1000, 1), ("topics", 66.36, 0.95)], 0.3).title
    'APIs'
    """
    import altair as alt

    utilities, leakages = ([float(point[i]) for point in points] for i in (2, 1))
    left, right = (0.0, 1.0) if prior_utility is not None else _around(utilities, most=1.0)
    dimension, shape = _upwards([1.0, *leakages] if prior_utility is not None else leakages)
    low, high = map(shape, dimension["scale"].domain)
    x = alt.X(
        "utility:Q",
        title="utility (probability to reach the goal)",
        scale=alt.Scale(domain=[left, right], nice=False),
        axis=alt.Axis(tickCount=8),
    )
    y = alt.Y("leakage:Q", title="leakage (factor on the probability of re-identification)", **dimension)
    edge = right + (right - left) * _MARGIN / _WIDTH
    down = [_HEIGHT * (high - shape(leakage)) / (high - low) for leakage in leakages]
    heights = [high - (high - low) * place / _HEIGHT for place in label_heights(down, _HEIGHT, _LINE)]
    rows = [
        {"name": name, "utility": use, "leakage": leak, "edge": edge, "height": _back(shape, height)}
        for (name, _, _), use, leak, height in zip(points, utilities, leakages, heights, strict=True)
    ]
    layers = _marks(rows, x, y)
    if prior_utility is not None:
        nothing = alt.Chart(alt.InlineData(values=[{"utility": float(prior_utility)}]))
        layers.insert(0, nothing.mark_rule(color=GREY, strokeDash=[4, 4]).encode(x))
    return Figure.of(title, alt.layer(*layers).properties(width=_WIDTH, height=_HEIGHT))


def _around(values: Sequence[float], most: float = inf) -> tuple[float, float]:
    """Return round ends of a scale, within 0 and ``most``, that has all values inside."""
    span = max(max(values) - min(values), max(values) / 20)
    step = 10.0 ** floor(log10(span)) / 2
    low, high = floor(min(values) / step - 0.2) * step, ceil(max(values) / step + 0.2) * step
    return max(low, 0.0), min(high, most)


def _upwards(leakages: Sequence[float]) -> tuple[dict[str, Any], Callable[[float], float]]:
    """Return scale and axis of the leakage, logarithmic if it covers a decade, and the scale's function."""
    import altair as alt

    if max(leakages) >= 10 * min(leakages):
        return log_axis(min(leakages), max(leakages)), log
    scale = alt.Scale(domain=list(_around(leakages)), nice=False, zero=False)
    return {"scale": scale, "axis": alt.Axis(tickCount=8)}, float


def _back(shape: Callable[[float], float], value: float) -> float:
    return exp(value) if shape is log else value


def _marks(rows: list[dict[str, Any]], x: "alt.X", y: "alt.Y") -> list["alt.Chart"]:
    """Return the lines to the names, the marks and the names."""
    import altair as alt

    names = [row["name"] for row in rows]
    colours, shapes = (list(islice(cycle(style), len(rows))) for style in (PALETTE, SHAPES))
    base = alt.Chart(alt.InlineData(values=rows))
    lines = base.mark_rule(color="#bbbbbb", strokeWidth=1).encode(x, y, alt.X2("edge"), alt.Y2("height"))
    marks = base.mark_point(size=130, strokeWidth=2.5, opacity=1).encode(
        x,
        y,
        color=alt.Color("name:N", scale=alt.Scale(domain=names, range=colours), legend=None),
        shape=alt.Shape("name:N", scale=alt.Scale(domain=names, range=shapes), legend=None),
    )
    text = base.mark_text(align="left", dx=4, fontSize=12, color="#222222").encode(
        alt.X("edge:Q"), alt.Y("height:Q"), text="name:N"
    )
    return [lines, marks, text]
