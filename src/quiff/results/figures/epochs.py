"""Leakage against epochs, and the spread of the risk over users."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from quiff.core.numbers import Number
from quiff.errors import counted
from quiff.results.figures.figure import Figure
from quiff.results.figures.style import PALETTE, line_styles, log_axis, panel_title

if TYPE_CHECKING:
    import altair as alt

_TOPICS, _BOUND = "Topics API", "bound from the parameters"
_COOKIES, _LIMIT = "cookies", "limit: the profiles themselves"
_SERIES = (_TOPICS, _BOUND, _COOKIES, _LIMIT)
_LEAST_RISK = 1e-6  # below this the picture would be empty


def epochs_figure(
    rows: Sequence[tuple[int, Number, Number, Number, Number, Number]],
    risks: Sequence[tuple[int, Sequence[float]]],
    users: int,
    cookies: Number,
) -> Figure:
    """Draw the leakage against epochs, with its limits, beside the spread of the risk over users.

    Parameters
    ----------
    rows
        Epochs, leakage, low, high, the bound from the parameters, and the limit for many reports.
    risks
        Epochs, and the risks that 0 %, 1 %, ..., 100 % of the users stay below or at.
    users
        How many users there are.
    cookies
        The leakage of cookies.

    Examples
    --------
    >>> rows = [(1, 66.4, 66.4, 66.4, 66.4, 2e5), (2, 1831.0, 1831.0, 1831.0, 4403.6, 2e5)]
    >>> epochs_figure(rows, [(1, [0.0, 0.1]), (2, [0.1, 0.4])], 250_000, 250_000).title
    'What reports give away as epochs go by: 250000 users'
    """
    import altair as alt

    chart = alt.hconcat(_leakages(rows, cookies), _risks(risks), spacing=44).resolve_scale(
        color="independent", strokeDash="independent"
    )
    return Figure.of(f"What reports give away as epochs go by: {counted(users, 'user')}", chart)


def _leakages(
    rows: Sequence[tuple[int, Number, Number, Number, Number, Number]], cookies: Number
) -> "alt.LayerChart | alt.FacetChart":
    import altair as alt

    values: list[dict[str, Any]] = []
    for E, leakage, _, _, bound, limit in rows:
        numbers = (leakage, bound, cookies, limit)
        values += [
            {"epochs": E, "series": name, "leakage": float(number)}
            for name, number in zip(_SERIES, numbers, strict=True)
        ]
    most = max(float(value["leakage"]) for value in values)
    x = alt.X(
        "epochs:Q",
        title="epochs",
        axis=alt.Axis(tickMinStep=1, format="d"),
        scale=alt.Scale(domain=[1, max(2, len(rows))]),
    )
    title = "leakage (times more likely to name the user)"
    y = alt.Y("leakage:Q", title=title, **log_axis(1, most))
    styles = line_styles("series", None, _SERIES)
    legend = alt.Legend(title=None, symbolType="stroke", symbolSize=700, orient="bottom", columns=2)
    for encoding in styles.values():
        encoding.legend = legend
    lines = alt.Chart(alt.InlineData(values=values)).mark_line().encode(x, y, **styles)
    own = [value for value in values if value["series"] == _TOPICS]
    points = alt.Chart(alt.InlineData(values=own)).encode(x, y)
    marks = points.mark_point(filled=True, size=45, color=PALETTE[0], opacity=1)
    bands = [{"epochs": E, "low": float(low), "high": float(high)} for E, _, low, high, _, _ in rows]
    band = (
        alt.Chart(alt.InlineData(values=bands))
        .mark_area(color=PALETTE[0], opacity=0.25)
        .encode(x, alt.Y("low:Q", title=title, **log_axis(1, most)), alt.Y2("high:Q"))
    )
    return alt.layer(band, lines, marks).properties(
        width=400, height=300, title=panel_title("Leakage; the band is an interval of 95 %")
    )


def _risks(risks: Sequence[tuple[int, Sequence[float]]]) -> "alt.Chart | alt.FacetChart":
    import altair as alt

    names = [str(E) for E, _ in risks]
    values: list[dict[str, Any]] = [
        {"epochs": str(E), "share": place / (len(quantiles) - 1), "risk": max(risk, _LEAST_RISK)}
        for E, quantiles in risks
        for place, risk in enumerate(quantiles)
    ]
    least = min(value["risk"] for value in values)
    x = alt.X("share:Q", title="share of users", axis=alt.Axis(format="%"), scale=alt.Scale(domain=[0, 1]))
    y = alt.Y("risk:Q", title="chance to be named, at most", **log_axis(float(least), 1))
    chart: alt.Chart = alt.Chart(alt.InlineData(values=values)).mark_line()
    lines: alt.Chart = chart.encode(x, y, **line_styles("epochs", "epochs", names))
    return lines.properties(width=330, height=300, title=panel_title("How the risk is spread over users"))
