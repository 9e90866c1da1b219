"""The charts that all figures are made of: curves of series, marks by name, and bars by name.

Data are records. Those of curves name their line as ``series``; an interval is ``low`` and ``high``.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import exp, log
from typing import Any, Literal, final

from quiff.results.figures.labels import label_heights
from quiff.results.figures.style import (
    GREY,
    PALETTE,
    PERCENT,
    line_styles,
    log_axis,
    panel_title,
    point_styles,
)

Record = dict[str, Any]
_STEP = 20  # pixels for a name
_WIDE = 320  # pixels that the label of a name may take
_LINE = 15  # pixels from one label to the next
_SMALL = 0.05  # probabilities that are all below it are not seen beside 1
_ASIDE = 14  # pixels from the plot to its labels


@final
@dataclass(frozen=True)
class Point:
    """A point of a line, across and up, with the ends of an interval if it has one."""

    series: str
    x: float
    y: float
    low: float | None = None
    high: float | None = None


def records(points: Iterable[Point]) -> list[Record]:
    """Return points as data of a chart.

    Examples
    --------
    >>> records([Point("users", 1, 0.5)])
    [{'series': 'users', 'x': 1, 'y': 0.5}]
    """
    return [{key: value for key, value in vars(point).items() if value is not None} for point in points]


@final
@dataclass(frozen=True)
class Axis:
    """A dimension: the field of the records that goes along it, what it is, and how it is divided.

    A ``log`` one reaches at least from `least` to `most`; ``odds`` are probabilities on such a one; a
    ``share`` goes from 0 to 1, in percent or, as a ``probability``, not; a ``count`` has whole numbers; a
    ``number`` begins at 0.
    """

    field: str
    title: str
    kind: Literal["log", "odds", "share", "probability", "count", "number"] = "number"
    least: float | None = None
    most: float | None = None

    def encoded(self, letter: Literal["X", "Y"], records: Iterable[Record], field: str = "") -> Any:
        """Return the encoding of these records, of their field or of another beside it."""
        import altair as alt

        fields = (self.field, "low", "high")
        numbers = [float(x) for each in records for name in fields if (x := each.get(name)) is not None]
        ends = [end for end in (self.least, self.most) if end is not None]
        domain: dict[str, Any] = {"domain": ends} if ends[1:] else {}
        options: dict[str, Any] = {"scale": alt.Scale(zero=True, **domain)}
        if self.kind in ("log", "odds"):
            options = log_axis(min([*numbers, *ends]), max([*numbers, *ends]), odds=self.kind == "odds")
        elif self.kind == "count":
            whole = alt.Axis(tickMinStep=1, format="d")
            options = {"axis": whole, "scale": alt.Scale(nice=False, **domain)}
        elif self.kind in ("share", "probability"):
            percent = alt.Axis(labelExpr=PERCENT, tickCount=5) if self.kind == "share" else alt.Axis()
            options = {"axis": percent, "scale": alt.Scale(domain=[0, 1])}
        encoding = alt.X if letter == "X" else alt.Y
        return encoding(f"{field or self.field}:Q", title=self.title, **options)

    def apart(self, values: Sequence[float], records: Iterable[Record], pixels: float) -> list[float]:
        """Return values near the given ones that are a line of text apart, on the axis of these records."""
        logarithmic = self.kind in ("log", "odds")
        shape, back = (log, exp) if logarithmic else (float, float)
        known = (each.get(self.field) for each in records)
        ends = [float(end) for end in (*known, self.least, self.most) if end is not None]
        low = min(map(shape, ends)) if logarithmic else 0.0
        high = 1.0 if self.kind in ("share", "probability") else max(map(shape, ends))
        size = (high - low) or 1.0
        heights = label_heights([pixels * (high - shape(one)) / size for one in values], pixels, _LINE)
        return [back(high - size * height / pixels) for height in heights]


def probabilities(field: str, title: str, records: Iterable[Record]) -> Axis:
    """Return an axis of probabilities: from 0 to 100 %, or of odds where all of them are small.

    Examples
    --------
    >>> probabilities("p", "risk", [{"p": 0.5}]).kind, probabilities("p", "risk", [{"p": 0.001}]).kind
    ('share', 'odds')
    """
    small = max((float(each[field]) for each in records), default=1.0) < _SMALL
    return Axis(field, f"{title} (log scale)" if small else title, "odds" if small else "share")


def curves(
    records: Sequence[Record],
    x: Axis,
    y: Axis,
    names: Sequence[str] | None = None,
    *,
    legend: str | None = None,
    points: bool = False,
    step: Literal["step-before", "step-after"] | None = None,
    dots: Sequence[Record] = (),
    rule: tuple[str, float] | None = None,
    bound: str | None = None,
    title: str = "",
    size: tuple[int, int] = (460, 300),
) -> Any:
    """Return a line for each series, with intervals where they are known.

    The names of several series stand beside the ends of their lines, unless a legend says what they are.

    Parameters
    ----------
    records
        The points of the lines, in the order in which they are joined.
    x, y
        The axes.
    names
        The series in their order, by default that of the records; a single one is not named.
    legend
        What the series are, if a legend is to name them.
    points
        Whether points are marked, with shapes instead of dashes.
    step
        Whether lines go by steps, and how.
    dots
        Points that are marked in black, with their ``name`` if they have one; or as circles of an ``area``.
    rule
        A grey line across: along which field, and where.
    bound
        A series that bounds the others: broad and grey, named as they are.
    title, size
        Of the chart.
    """
    import altair as alt

    names = list(dict.fromkeys(each["series"] for each in records)) if names is None else names
    across = x.encoded("X", [{x.field: each[x.field]} for each in records])  # intervals are along y
    up = y.encoded("Y", records)
    most = [each for each in records if each["series"] == bound]
    lined = [each for each in records if each["series"] != bound]
    base = alt.Chart(alt.InlineData(values=[{**each, "place": i} for i, each in enumerate(lined)]))
    make, named = point_styles if points else line_styles, legend is None and step is None
    styles = {} if len(names) < 2 else make("series", legend, names, legend=not named)
    shape = styles.pop("shape", None)
    plain: dict[str, Any] = {} if styles else {"color": PALETTE[0]}
    layers = _across(rule, x, y) + _bound(most, across, up)
    if any("low" in each for each in lined):
        ends = base.transform_filter("isValid(datum.low)").encode(
            across, y.encoded("Y", records, "low"), alt.Y2("high:Q")
        )
        colour = {"color": styles["color"]} if styles else {}
        layers.append(
            (ends.mark_rule(strokeWidth=1.5) if points else ends.mark_area(fillOpacity=0.25, **plain)).encode(
                **colour
            )
        )
    steps: dict[str, Any] = plain | ({"interpolate": step} if step else {})
    line = base.mark_line(clip=not points, strokeWidth=1.5 if points else 2, **steps)
    layers.append(line.encode(across, up, order=alt.Order("place:Q"), **styles))
    if points:
        marks = base.mark_point(filled=True, size=55, opacity=1, **plain).encode(across, up, **styles)
        layers.append(marks.encode(shape=shape) if shape is not None else marks)
    if dots:
        black = alt.Chart(alt.InlineData(values=list(dots))).encode(across, up)
        if "area" in dots[0]:
            percent = alt.Legend(labelExpr=PERCENT)
            area = alt.Size(
                "area:Q", title="probability", scale=alt.Scale(domain=[0, 1], range=[0, 400]), legend=percent
            )
            layers.append(black.mark_circle(color=PALETTE[1], opacity=0.5).encode(area))
        else:
            layers.append(black.mark_point(filled=True, size=75, opacity=1, color="black"))
        if "name" in dots[0]:
            layers.append(black.mark_text(align="left", dx=8, dy=-6, fontSize=12).encode(alt.Text("name:N")))
    if named and (styles or most):
        layers += _names(records, x, y, size, styles.get("color"))
    return _sized(alt.layer(*layers), title, size)


def _names(records: Sequence[Record], x: Axis, y: Axis, size: tuple[int, int], colour: Any) -> list[Any]:
    """Return the names of the lines to the right of their ends, each with a thin line to it."""
    import altair as alt

    last = {each["series"]: each for each in records if each[y.field] is not None}
    places = y.apart([float(each[y.field]) for each in last.values()], records, size[1])
    data = [{**each, "at": place} for each, place in zip(last.values(), places, strict=True)]
    base = alt.Chart(alt.InlineData(values=data))
    at = {"x": alt.value(size[0] + _ASIDE), "y": alt.Y("at:Q")}
    lines = base.mark_rule(strokeWidth=1, opacity=0.6, color=GREY).encode(
        alt.X(f"{x.field}:Q"), alt.Y(f"{y.field}:Q"), alt.Y2("at:Q"), x2=alt.value(size[0] + _ASIDE - 2)
    )
    text = base.mark_text(align="left", fontSize=12, color="#222222").encode(**at, text="series:N")
    return [lines if colour is None else lines.encode(color=colour), text]


def _across(rule: tuple[str, float] | None, x: Axis, y: Axis) -> list[Any]:
    """Return a grey line, if it is along one of the axes."""
    import altair as alt

    if rule is None or rule[0] not in (x.field, y.field):
        return []
    place = (alt.X if rule[0] == x.field else alt.Y)(f"{rule[0]}:Q")
    chart = alt.Chart(alt.InlineData(values=[{rule[0]: rule[1]}]))
    return [chart.mark_rule(color=GREY, strokeWidth=1.5, clip=True).encode(place)]


def _bound(records: list[Record], x: Any, y: Any) -> list[Any]:
    import altair as alt

    if not records:
        return []
    base = alt.Chart(alt.InlineData(values=records)).encode(x)
    return [
        base.mark_area(color="#999999", opacity=0.3).encode(alt.Y("low:Q"), alt.Y2("high:Q")),
        base.mark_line(color=GREY, strokeWidth=5, opacity=0.5).encode(y),
    ]


def marks(
    records: Sequence[Record],
    value: Axis,
    kinds: Sequence[str],
    *,
    joined: bool = False,
    apart: bool = False,
    rules: Sequence[float] = (),
    title: str = "",
    step: int = _STEP,
    width: int = 460,
) -> Any:
    """Return a line for each ``name`` with a mark for each ``kind``, and their intervals.

    Where marks meet, the smaller one is seen on the larger. A ``text`` of a mark stands above it.

    Parameters
    ----------
    records
        The marks, in the order in which names are drawn.
    value
        The axis.
    kinds
        The kinds of marks in their order.
    joined
        Whether the marks of a name are joined.
    apart
        Whether they stand below each other.
    rules
        Where grey lines go down.
    title, step, width
        Of the chart: the pixels for a name, and across.
    """
    import altair as alt

    order = list(dict.fromkeys(each["name"] for each in records))
    x = value.encoded("X", records)
    y = alt.Y("name:N", sort=order, title=None, axis=alt.Axis(grid=True, labelLimit=_WIDE, labelPadding=8))
    aside = {"yOffset": alt.YOffset("kind:N", sort=list(kinds))} if apart else {}
    layers: list[Any] = [
        alt.Chart(alt.InlineData(values=[{value.field: place}]))
        .mark_rule(color=GREY, strokeDash=[4, 4])
        .encode(alt.X(f"{value.field}:Q"))
        for place in rules
    ]
    ends = [each for each in records if each.get("low") is not None]
    if joined:
        by_name = {name: [each[value.field] for each in records if each["name"] == name] for name in order}
        ends = [{"name": name, "low": min(found), "high": max(found)} for name, found in by_name.items()]
    if ends:
        line = alt.Chart(alt.InlineData(values=ends)).mark_rule(color=GREY, strokeWidth=2)
        low = value.encoded("X", records, "low")
        layers.append(line.encode(low, y, alt.X2("high:Q"), **({} if joined else aside)))
    styles = point_styles("kind", None, kinds)
    for place, kind in enumerate(kinds):
        shown = [each for each in records if each["kind"] == kind]
        size = 100 if apart else max(220 * 0.4**place, 35)
        point = alt.Chart(alt.InlineData(values=shown)).mark_point(filled=True, opacity=1, size=size)
        layers += [point.encode(x, y, **aside, **styles)] if shown else []
    texts = [each for each in records if each.get("text")]
    if texts:
        above = alt.Chart(alt.InlineData(values=texts)).mark_text(dy=-15, fontSize=12, color="#222222")
        layers.append(above.encode(x, y, alt.Text("text:N")))
    return _sized(alt.layer(*layers), title, (width, step * len(order) + _STEP))


def bars(records: Sequence[Record], axes: Sequence[Axis], *, rule: float | None = None) -> Any:
    """Return bars for each ``name`` along each axis, side by side; the rule is a grey line in the first."""
    import altair as alt

    data, order = alt.InlineData(values=list(records)), [each["name"] for each in records]
    panels: list[Any] = []
    for axis in axes:
        labels = alt.Axis() if axis is axes[0] else alt.Axis(labels=False, ticks=False)
        form: dict[str, Any] = {"labelExpr": PERCENT} if axis.kind == "share" else {"format": "~g"}
        number = alt.Axis(**form, tickCount=4, labelOverlap=True)
        chart = alt.Chart(data).mark_bar(color=PALETTE[0]).encode(
            alt.X(f"{axis.field}:Q", title=axis.title, axis=number),
            alt.Y("name:N", sort=order, title=None, axis=labels),
        )  # fmt: skip
        line = [] if rule is None or axis is not axes[0] else _across((axis.field, rule), axis, axis)
        panels.append(alt.layer(chart, *line).properties(width=200, height=_STEP * len(order)))
    return alt.hconcat(*panels, spacing=24)


def _sized(chart: Any, title: str, size: tuple[int, int]) -> Any:
    named = {"title": panel_title(title)} if title else {}
    return chart.properties(width=size[0], height=size[1], **named)


def beside(*panels: Any, below: bool = False, shared: bool = False) -> Any:
    """Return charts side by side, or below each other, with one shared legend or one for each."""
    import altair as alt

    together = alt.vconcat if below else alt.hconcat
    legends: dict[str, Any] = {} if shared else dict.fromkeys(("color", "shape", "strokeDash"), "independent")
    return together(*panels, spacing=40).resolve_scale(**legends)
