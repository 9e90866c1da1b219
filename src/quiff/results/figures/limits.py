"""Capacity and epsilon in two panels, line by line; and how well observations count who has a topic."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from quiff.results.figures.figure import Figure
from quiff.results.figures.style import GREY, line_styles, log_axis, panel_title, point_styles
from quiff.theory.curves import Curves

if TYPE_CHECKING:
    import altair as alt

_SERIES = {
    "all_bits_right": "guess right who of the N has it (the paper's figure)",
    "best_count_right": "guess right how many have it",
    "prior_count_right": "the same without any observation",
}


def limits_figure(title: str, curves: Curves) -> Figure:
    """Draw capacity and epsilon against what the curves go along; what is marked is black, a target grey.

    Examples
    --------
    >>> from quiff.theory.curves import noise_curves
    >>> limits_figure("Limits", noise_curves(349, 5, 0.05)).title
    'Limits'
    """
    return Figure.of(title, limits_chart(curves))


def limits_chart(curves: Curves) -> "alt.HConcatChart":
    """Return the two panels as an Altair chart."""
    import altair as alt

    most, highest = curves.most
    scale = alt.Scale(zero=True) if highest is None else alt.Scale(domain=[0, highest])
    panels = [
        _panel(curves, "capacity", "Bayes capacity (factor, log scale)", log_axis(1, most)),
        _panel(curves, "epsilon", "epsilon (nats)", {"scale": scale}),
    ]
    return alt.hconcat(*panels, spacing=40)


def _panel(
    curves: Curves, field: str, title: str, dimension: dict[str, Any]
) -> "alt.LayerChart | alt.FacetChart":
    import altair as alt

    x = alt.X("x:Q", title=curves.x, scale=alt.Scale(domain=[0, 1]))
    y = alt.Y(f"{field}:Q", title=title, **dimension)
    styles = line_styles("series", curves.series, list(curves.names))
    lines = alt.Chart(alt.InlineData(values=list(curves.lines))).mark_line(clip=True).encode(x, y, **styles)
    dots = alt.Chart(alt.InlineData(values=list(curves.dots)))
    marks = dots.mark_point(filled=True, size=80, opacity=1, color="black").encode(x, y)
    rule = [] if curves.rule is None or curves.rule[0] not in ("x", field) else [_rule(*curves.rule)]
    return alt.layer(*rule, lines, marks).properties(width=330, height=280)


def _rule(field: str, value: float) -> "alt.Chart":
    import altair as alt

    place = alt.X("x:Q") if field == "x" else alt.Y(f"{field}:Q")
    chart = alt.Chart(alt.InlineData(values=[{field: value}]))
    rule: alt.Chart = chart.mark_rule(color=GREY, strokeWidth=1.5, clip=True).encode(place)
    return rule


def counting_figure(title: str, points: Iterable[dict[str, float]]) -> Figure:
    """Draw the probabilities to count who has a topic against the number of users.

    The left panel has the quantity of the paper's counting figure, on a logarithmic scale; the right one what
    an analyst who counts is interested in: a best guess of the count with and without the observations.

    Examples
    --------
    >>> from quiff.theory.curves import counting_points
    >>> counting_figure("Counting", counting_points(349, 5, 0.05, 0.5, range(1, 4))).title
    'Counting'
    """
    return Figure.of(title, counting_chart(points))


def counting_chart(points: Iterable[dict[str, float]]) -> "alt.HConcatChart":
    """Return the two panels as an Altair chart; a probability of 0 is left out, for it has no logarithm."""
    import altair as alt

    rows: list[dict[str, Any]] = [
        {"series": words, "users": point["n_users"], "probability": point[key] or None}
        for point in points
        for key, words in _SERIES.items()
    ]
    least = min(row["probability"] for row in rows if row["probability"])
    names = list(_SERIES.values())
    return alt.hconcat(
        _counted(rows, names[:2], "probability (log scale)", log_axis(min(least, 0.1), 1)),
        _counted(rows, names[1:], "probability", {"scale": alt.Scale(zero=True)}),
        spacing=40,
    )


def _counted(
    rows: list[dict[str, Any]], series: list[str], title: str, dimension: dict[str, Any]
) -> "alt.LayerChart | alt.FacetChart":
    import altair as alt

    data = alt.InlineData(values=[row for row in rows if row["series"] in series])
    x = alt.X("users:Q", title="users who are observed (N)", axis=alt.Axis(tickMinStep=1, format="d"))
    y = alt.Y("probability:Q", title=title, **dimension)
    styles = point_styles("series", None, list(_SERIES.values()))
    base = alt.Chart(data).encode(x, y, color=styles["color"])
    lines = base.mark_line(strokeWidth=1)
    points = base.mark_point(filled=True, size=50, opacity=1).encode(shape=styles["shape"])
    return alt.layer(lines, points).properties(width=330, height=280)


def overview_figure(title: str, curves: Curves, points: Iterable[dict[str, float]], share: str) -> Figure:
    """Draw the limits above the counting probabilities."""
    import altair as alt

    limits = limits_chart(curves).properties(
        title=panel_title("What one observation can give away at most (the dot: these parameters)")
    )
    counting = counting_chart(points).properties(
        title=panel_title(
            f"Probability to learn who has a topic, if each user has it with probability {share}"
        )
    )
    chart = alt.vconcat(limits, counting, spacing=36).resolve_scale(
        color="independent", shape="independent", strokeDash="independent"
    )
    return Figure.of(title, chart)
