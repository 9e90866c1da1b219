"""Outputs side by side: which expose most; and what is known before and after one."""

from collections.abc import Sequence

from quiff.errors import counted
from quiff.results.figures.figure import Figure
from quiff.results.figures.style import GREY, PALETTE, point_styles

_STEP = 20  # pixels for a row


def exposure_figure(outputs: Sequence[tuple[str, float, float, float]], guess: float, n_users: int) -> Figure:
    """Draw three bars for each output: re-identification by it, the users behind it, and their own risk.

    Parameters
    ----------
    outputs
        Name, probability of re-identification, mean own risk of the users behind it and their share, in the
        order to draw.
    guess
        The probability without an output; the grey line.
    n_users
        The number of users, for the title.

    Examples
    --------
    >>> exposure_figure([("Sports", 0.8, 0.6, 0.3), ("News", 0.4, 0.4, 1.0)], 0.3, 3).title
    'The outputs that expose most: 3 users'
    """
    import altair as alt

    fields = ("output", "probability", "risk", "share")
    data = alt.InlineData(values=[dict(zip(fields, output, strict=True)) for output in outputs])
    order = [output[0] for output in outputs]
    names = alt.Y("output:N", sort=order, title="output")
    bare = alt.Y("output:N", sort=order, title=None, axis=alt.Axis(labels=False, ticks=False))

    def panel(field: str, title: str, y: alt.Y, number: str) -> alt.Chart:
        x = alt.X(f"{field}:Q", title=title, axis=alt.Axis(format=number, tickCount=4, labelOverlap=True))
        bars = alt.Chart(data).mark_bar(color=PALETTE[0]).encode(x, y)
        chart: alt.Chart = bars.properties(width=200, height=_STEP * len(outputs))
        return chart

    line = alt.Chart(alt.InlineData(values=[{"probability": guess}])).mark_rule(color=GREY, strokeWidth=2)
    reidentified = panel("probability", "re-identified by the output", names, "~g")
    panels = [
        alt.layer(reidentified, line.encode(alt.X("probability:Q"))),
        panel("risk", "mean own risk of the users behind it", bare, "~g"),
        panel("share", "users behind it", bare, "~%"),
    ]
    title = f"The outputs that expose most: {counted(n_users, 'user')}"
    return Figure.of(title, alt.hconcat(*panels, spacing=24))


def change_figure(
    rows: Sequence[tuple[str, float, float]], names: tuple[str, str], across: str, title: str
) -> Figure:
    """Draw for each row a line from what is known before an output to what is known after.

    Parameters
    ----------
    rows
        Name, probability before and probability after of each, in the order to draw.
    names
        What the two marks are.
    across
        The name of the axis.
    title
        The title.

    Examples
    --------
    >>> change_figure([("News", 0.2, 0.9)], ("before", "after"), "probability", "Who has a topic").title
    'Who has a topic'
    """
    import altair as alt

    order = [name for name, _, _ in rows]
    lines = [{"row": name, "from": before, "to": after} for name, before, after in rows]
    marks = [
        {"row": name, "mark": mark, "value": value}
        for name, *pair in rows
        for mark, value in zip(names, pair, strict=True)
    ]
    y = alt.Y("row:N", sort=order, title=None, axis=alt.Axis(grid=True))
    x = alt.Scale(domain=[0, 1])
    line = (
        alt.Chart(alt.InlineData(values=lines))
        .mark_rule(color=GREY, strokeWidth=2)
        .encode(alt.X("from:Q", title=across, scale=x), alt.X2("to:Q"), y)
    )
    points = (
        alt.Chart(alt.InlineData(values=marks))
        .mark_point(filled=True, size=110, opacity=1)
        .encode(alt.X("value:Q", scale=x), y, **point_styles("mark", None, names))
    )
    return Figure.of(title, alt.layer(line, points).properties(width=460, height=_STEP * len(rows) + _STEP))
