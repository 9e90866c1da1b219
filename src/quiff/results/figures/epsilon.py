"""What an epsilon allows: the largest posterior against the prior, and epsilon after many observations."""

from collections.abc import Sequence
from typing import Any

from quiff.results.figures.figure import Figure
from quiff.results.figures.style import line_styles, log_axis


def epsilon_figure(
    title: str, name: str, posteriors: Sequence[dict[str, Any]], growth: Sequence[dict[str, Any]]
) -> Figure:
    """Draw the two panels; `name` is the epsilon in words.

    Examples
    --------
    >>> posterior = {"series": "with epsilon", "prior": 0.1, "posterior": 0.2}
    >>> epsilon_figure("Epsilon 1", "1", [posterior], []).title
    'Epsilon 1'
    """
    import altair as alt

    said = {"with epsilon": f"epsilon {name}"}
    rows = [{**row, "series": said.get(row["series"], row["series"])} for row in posteriors]
    names = list(dict.fromkeys(row["series"] for row in rows))
    least = min(row["prior"] for row in rows)
    chart = alt.Chart(alt.InlineData(values=rows)).mark_line()
    panels = [
        chart.encode(
            alt.X("prior:Q", title="prior probability (log scale)", **log_axis(least, 1)),
            alt.Y("posterior:Q", title="largest posterior probability", scale=alt.Scale(domain=[0, 1])),
            **line_styles("series", None, names),
        ).properties(width=330, height=280)
    ]
    if growth:
        names = list(dict.fromkeys(row["series"] for row in growth))
        ends = [row["observations"] for row in growth]
        values = [row["epsilon"] for row in growth]
        panels.append(
            alt.Chart(alt.InlineData(values=list(growth)))
            .mark_line()
            .encode(
                alt.X("observations:Q", title="observations (log scale)", **log_axis(1, max(ends))),
                alt.Y("epsilon:Q", title="epsilon (nats, log scale)", **log_axis(min(values), max(values))),
                **line_styles("series", None, names),
            )
            .properties(width=330, height=280)
        )
    joined = alt.hconcat(*panels, spacing=40).resolve_scale(color="independent", strokeDash="independent")
    return Figure.of(title, joined)
