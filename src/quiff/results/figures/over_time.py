"""Leakage against the number of observations, and the spread of the risk over users."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from quiff.core.numbers import Number
from quiff.results.figures.figure import Figure
from quiff.results.figures.style import PALETTE, line_styles, log_axis, panel_title

if TYPE_CHECKING:
    import altair as alt

_BOUND, _IDENTIFIER, _LIMIT = "bound from the parameters", "an identifier", "limit: the profiles themselves"
_LEAST_RISK = 1e-6  # below this the picture would be empty


def over_time_figure(
    name: str, figures: Sequence[Mapping[str, Any]], risks: Sequence[Mapping[str, Any]], prior: Number
) -> Figure:
    """Draw the leakage against the number of observations, with its limits, and the spread of the risk.

    Parameters
    ----------
    name
        What the API is called.
    figures
        By names: ``epochs`` for the number of observations, leakage, low, high, bound and limit.
    risks
        ``epochs``, and the ``quantiles`` of the risk that 0 %, 1 %, ..., 100 % of the users stay below or at.
    prior
        The probability of re-identification before; an identifier leaks one over it.

    Examples
    --------
    >>> one = {"epochs": 1, "leakage": 66.4, "low": 66.4, "high": 66.4, "bound": 66.4, "limit": 2e5}
    >>> over_time_figure("Topics API", [one], [{"epochs": 1, "quantiles": [0.0, 0.1]}], 4e-6).title
    'Topics API: what several observations reveal'
    """
    import altair as alt

    panels: list[alt.Chart | alt.LayerChart | alt.FacetChart] = [_leakages(name, figures, 1 / prior)]
    if risks:
        panels.append(_risks(risks))
    chart = alt.hconcat(*panels, spacing=44).resolve_scale(color="independent", strokeDash="independent")
    return Figure.of(f"{name}: what several observations reveal", chart)


def _leakages(
    name: str, figures: Sequence[Mapping[str, Any]], identifier: Number
) -> "alt.LayerChart | alt.FacetChart":
    import altair as alt

    series = (name, _BOUND, _IDENTIFIER, _LIMIT)
    values: list[dict[str, Any]] = []
    for figure in figures:
        numbers = (figure["leakage"], figure["bound"], identifier, figure["limit"])
        values += [
            {"observations": figure["epochs"], "series": one, "leakage": float(number)}
            for one, number in zip(series, numbers, strict=True)
        ]
    most = max(float(value["leakage"]) for value in values)
    x = alt.X(
        "observations:Q",
        title="observations",
        axis=alt.Axis(tickMinStep=1, format="d"),
        scale=alt.Scale(domain=[1, max(2, len(figures))]),
    )
    title = "leakage (factor of the probability of re-identification)"
    y = alt.Y("leakage:Q", title=title, **log_axis(1, most))
    styles = line_styles("series", None, series)
    legend = alt.Legend(title=None, symbolType="stroke", symbolSize=700, orient="bottom", columns=2)
    for encoding in styles.values():
        encoding.legend = legend
    lines = alt.Chart(alt.InlineData(values=values)).mark_line().encode(x, y, **styles)
    own = [value for value in values if value["series"] == name]
    points = alt.Chart(alt.InlineData(values=own)).encode(x, y)
    marks = points.mark_point(filled=True, size=45, color=PALETTE[0], opacity=1)
    bands = [
        {"observations": one["epochs"], "low": float(one["low"]), "high": float(one["high"])}
        for one in figures
    ]
    band = (
        alt.Chart(alt.InlineData(values=bands))
        .mark_area(color=PALETTE[0], opacity=0.25)
        .encode(x, alt.Y("low:Q", title=title, **log_axis(1, most)), alt.Y2("high:Q"))
    )
    return alt.layer(band, lines, marks).properties(
        width=400, height=300, title=panel_title("Leakage; the band is an interval of 95 %")
    )


def _risks(risks: Sequence[Mapping[str, Any]]) -> "alt.Chart | alt.FacetChart":
    import altair as alt

    names = [str(one["epochs"]) for one in risks]
    values: list[dict[str, Any]] = [
        {
            "observations": str(one["epochs"]),
            "share": place / (len(one["quantiles"]) - 1),
            "risk": max(risk, _LEAST_RISK),
        }
        for one in risks
        for place, risk in enumerate(one["quantiles"])
    ]
    least = min(value["risk"] for value in values)
    x = alt.X("share:Q", title="share of users", axis=alt.Axis(format="%"), scale=alt.Scale(domain=[0, 1]))
    y = alt.Y("risk:Q", title="probability of re-identification, at most", **log_axis(float(least), 1))
    chart: alt.Chart = alt.Chart(alt.InlineData(values=values)).mark_line()
    lines: alt.Chart = chart.encode(x, y, **line_styles("observations", "observations", names))
    return lines.properties(width=330, height=300, title=panel_title("How the risk is spread over users"))
