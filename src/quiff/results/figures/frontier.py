"""What privacy a utility must cost: the frontier that no mechanism can pass, for some sizes of sets."""

from math import isfinite, log
from typing import TYPE_CHECKING, Any

from quiff.results.figures.figure import Figure
from quiff.results.figures.limits import sizes_to_show
from quiff.results.figures.style import GREY, line_styles, log_axis
from quiff.results.numbers import shown
from quiff.theory.design import Design, Measure, least_capacity, max_case_at_utility
from quiff.theory.parameters import Real, check_whole

if TYPE_CHECKING:
    import altair as alt

_STEPS = 200
_X = "utility u (probability that a report is genuine)"
_NAMES: dict[Measure, str] = {
    "capacity": "capacity",
    "epsilon": "epsilon",
    "max_case": "max-case capacity",
    "utility": "utility",
}


def frontier_figure(
    n_topics: int, measure: Measure, target: Real, designs: tuple[Design, ...], sizes: tuple[int, ...] = ()
) -> Figure:
    """Draw the least capacity and epsilon at each utility, for some s, with a target and its designs.

    A line is the frontier for one size of the sets, met by the Topics API at some noise; below it
    there is nothing. The target is grey, and dots are those of the designs whose line is drawn;
    ``sizes`` are drawn besides the usual ones.

    Raises
    ------
    ParameterError
        If ``n_topics < 2``.

    Examples
    --------
    >>> frontier_figure(469, "capacity", 66.36, (Design.of(469, 7, 0.05),)).title
    'Privacy against utility: 469 topics (grey: capacity 66.36; dots: what meets it)'
    """
    import altair as alt

    m = check_whole("n_topics", n_topics, 2)
    drawn = sizes_to_show(m, *sizes)
    names = [str(s) for s in drawn]
    points = [point for s in drawn for point in _frontier(m, s)]
    highest = max(point["epsilon"] or 0 for point in points)  # a budget beyond it stays out of sight
    curves = alt.InlineData(values=points)
    dots = alt.InlineData(values=[_dot(design, highest) for design in designs if design.top_s in drawn])
    left, right = _rules(measure, float(target))
    linear = {"scale": alt.Scale(domain=[0, highest])}
    panels = [
        _panel(curves, dots, left, names, "capacity", "Bayes capacity (factor, log scale)", log_axis(1, m)),
        _panel(curves, dots, right, names, "epsilon", "epsilon (nats)", linear),
    ]
    title = (
        f"Privacy against utility: {m} topics (grey: {_NAMES[measure]} {shown(target)}; dots: what meets it)"
    )
    return Figure.of(title, alt.hconcat(*panels, spacing=40))


def _frontier(m: int, s: int) -> list[dict[str, Any]]:
    """Return the points of one line; epsilon starts where a constant report ends, at u = s/m."""
    first = s / m
    utilities = sorted({first, *(step / _STEPS for step in range(1, _STEPS + 1)), 0.998, 0.999})
    return [
        {
            "s": str(s),
            "utility": u,
            "capacity": float(least_capacity(m, s, u)),
            "epsilon": log(max_case_at_utility(m, s, u)) if first < u < 1 else 0.0 if u <= first else None,
        }
        for u in utilities
    ]


def _dot(design: Design, highest: float) -> dict[str, Any]:
    """Return a design's place in both panels; an epsilon that the panel does not reach is left out."""
    return {
        "s": str(design.top_s),
        "utility": float(design.utility),
        "capacity": float(design.bayes_capacity),
        "epsilon": design.epsilon if design.epsilon <= highest else None,
    }


def _rules(measure: Measure, target: float) -> tuple[list["alt.Chart"], list["alt.Chart"]]:
    """Return the target as a grey line in the panels that have its axis: capacity, epsilon."""
    if not isfinite(target):
        return [], []
    if measure == "utility":
        return [_rule("utility", target)], [_rule("utility", target)]
    if measure == "capacity":
        return [_rule("capacity", target)], []
    return [], [_rule("epsilon", log(target) if measure == "max_case" else target)]


def _rule(field: str, value: float) -> "alt.Chart":
    import altair as alt

    place = alt.X("utility:Q") if field == "utility" else alt.Y(f"{field}:Q")
    chart = alt.Chart(alt.InlineData(values=[{field: value}]))
    rule: alt.Chart = chart.mark_rule(color=GREY, strokeWidth=1.5, clip=True).encode(place)
    return rule


def _panel(
    curves: "alt.InlineData",
    dots: "alt.InlineData",
    rules: list["alt.Chart"],
    names: list[str],
    field: str,
    title: str,
    dimension: dict[str, Any],
) -> "alt.LayerChart | alt.FacetChart":
    import altair as alt

    x = alt.X("utility:Q", title=_X, scale=alt.Scale(domain=[0, 1]))
    y = alt.Y(f"{field}:Q", title=title, **dimension)
    styles = line_styles("s", "topics in a set (s)", names)
    lines = alt.Chart(curves).mark_line(clip=True).encode(x, y, **styles)
    met = alt.Chart(dots).mark_point(filled=True, size=70, opacity=1, color="black").encode(x, y)
    return alt.layer(*rules, lines, met).properties(width=330, height=280)
