"""The charts that all figures are made of: curves of series, marks by name, and bars by name.

Data are records. Those of curves name their line as ``series``; an interval is ``low`` and ``high``.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, final

from quiff.results.figures.style import GREY, PALETTE, line_styles, log_axis, panel_title, point_styles

Record = dict[str, Any]
_STEP = 20  # pixels for a name
_WIDE = 320  # pixels that the label of a name may take


@final
@dataclass(frozen=True)
class Axis:
    """A dimension: the field of the records that goes along it, what it is, and how it is divided.

    A ``log`` one reaches at least from `least` to `most`; a ``share`` goes from 0 to 1, in percent or, as a
    ``probability``, not; a ``count`` has whole numbers; a ``number`` begins at 0.
    """

    field: str
    title: str
    kind: Literal["log", "share", "probability", "count", "number"] = "number"
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
        if self.kind == "log":
            options = log_axis(min([*numbers, *ends]), max([*numbers, *ends]))
        elif self.kind == "count":
            whole = alt.Axis(tickMinStep=1, format="d")
            options = {"axis": whole, "scale": alt.Scale(nice=False, **domain)}
        elif self.kind in ("share", "probability"):
            percent = alt.Axis(format="%") if self.kind == "share" else alt.Axis()
            options = {"axis": percent, "scale": alt.Scale(domain=[0, 1])}
        encoding = alt.X if letter == "X" else alt.Y
        return encoding(f"{field or self.field}:Q", title=self.title, **options)


def curves(
    records: Sequence[Record],
    x: Axis,
    y: Axis,
    names: Sequence[str],
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

    Parameters
    ----------
    records
        The points of the lines, in the order in which they are joined.
    x, y
        The axes.
    names
        The series in their order; a single one has no legend.
    legend
        What the series are.
    points
        Whether points are marked, with shapes instead of dashes.
    step
        Whether lines go by steps, and how.
    dots
        Points that are marked in black, with their ``name`` if they have one.
    rule
        A grey line across: along which field, and where.
    bound
        A series that bounds the others: broad and grey, with its name beside it.
    title, size
        Of the chart.
    """
    import altair as alt

    across = x.encoded("X", [{x.field: each[x.field]} for each in records])  # intervals are along y
    up = y.encoded("Y", records)
    most = [each for each in records if each["series"] == bound]
    lined = [each for each in records if each["series"] != bound]
    base = alt.Chart(alt.InlineData(values=[{**each, "place": i} for i, each in enumerate(lined)]))
    styles = {} if len(names) < 2 else (point_styles if points else line_styles)("series", legend, names)
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
        layers.append(black.mark_point(filled=True, size=75, opacity=1, color="black"))
        if "name" in dots[0]:
            layers.append(black.mark_text(align="left", dx=8, dy=-6, fontSize=12).encode(alt.Text("name:N")))
    return _sized(alt.layer(*layers), title, size)


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
    last = alt.Chart(alt.InlineData(values=records[-1:])).encode(x, y, alt.Text("series:N"))
    return [
        base.mark_area(color="#999999", opacity=0.3).encode(alt.Y("low:Q"), alt.Y2("high:Q")),
        base.mark_line(color=GREY, strokeWidth=4, strokeDash=[8, 3]).encode(y),
        last.mark_text(align="right", dy=-12, fontSize=12, color="#555555"),
    ]


def marks(
    records: Sequence[Record],
    value: Axis,
    kinds: Sequence[str],
    *,
    joined: bool = False,
    apart: bool = False,
    bars: Sequence[Record] = (),
    rules: Sequence[float] = (),
    title: str = "",
    step: int = _STEP,
    width: int = 460,
) -> Any:
    """Return a line for each ``name`` with a mark for each ``kind``, and their intervals.

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
    bars
        Records that are drawn as bars, with a ``text`` above each.
    rules
        Where grey lines go down.
    title, step, width
        Of the chart: the pixels for a name, and across.
    """
    import altair as alt

    order = list(dict.fromkeys(each["name"] for each in (*records, *bars)))
    x = value.encoded("X", [*records, *bars])
    y = alt.Y(
        "name:N", sort=order, title=None, axis=alt.Axis(grid=not bars, labelLimit=_WIDE, labelPadding=8)
    )
    aside = {"yOffset": alt.YOffset("kind:N", sort=list(kinds))} if apart else {}
    layers: list[Any] = [
        alt.Chart(alt.InlineData(values=[{value.field: place}]))
        .mark_rule(color=GREY, strokeDash=[4, 4])
        .encode(alt.X(f"{value.field}:Q"))
        for place in rules
    ]
    if bars:
        data = alt.InlineData(values=[{**each, "from": 1} for each in bars])
        layers.append(alt.Chart(data).mark_bar(height=22, color=PALETTE[5]).encode(x, y, alt.X2("from")))
        text = alt.Chart(data).mark_text(align="left", baseline="bottom", dx=2, dy=-13, fontSize=12)
        layers.append(text.encode(y, alt.Text("text:N"), x=alt.XDatum(1)))
    ends = [each for each in records if each.get("low") is not None]
    if joined:
        by_name = {name: [each[value.field] for each in records if each["name"] == name] for name in order}
        ends = [{"name": name, "low": min(found), "high": max(found)} for name, found in by_name.items()]
    if ends:
        line = alt.Chart(alt.InlineData(values=ends)).mark_rule(color=GREY, strokeWidth=2)
        low = value.encoded("X", [*records, *bars], "low")
        layers.append(line.encode(low, y, alt.X2("high:Q"), **({} if joined else aside)))
    styles = point_styles("kind", None, kinds)
    for place, kind in enumerate(
        kinds if bars else [None]
    ):  # those of different sizes are seen where they meet
        shown = [each for each in records if kind in (None, each["kind"])]
        chart = alt.Chart(alt.InlineData(values=shown))
        point = chart.mark_point(filled=True, opacity=1, size=200 - 140 * place if bars else 100)
        layers += [point.encode(x, y, **aside, **styles)] if shown else []
    return _sized(alt.layer(*layers), title, (width, step * len(order) + _STEP))


def bars(records: Sequence[Record], axes: Sequence[Axis], *, rule: float | None = None) -> Any:
    """Return bars for each ``name`` along each axis, side by side; the rule is a grey line in the first."""
    import altair as alt

    data, order = alt.InlineData(values=list(records)), [each["name"] for each in records]
    panels: list[Any] = []
    for axis in axes:
        labels = alt.Axis() if axis is axes[0] else alt.Axis(labels=False, ticks=False)
        number = alt.Axis(format="~%" if axis.kind == "share" else "~g", tickCount=4, labelOverlap=True)
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
