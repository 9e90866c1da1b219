"""The distribution of risk over users: how many have at least a given risk, after each step."""

from collections.abc import Mapping, Sequence

from quiff.errors import counted
from quiff.results.figures.figure import Figure
from quiff.results.figures.style import line_styles, log_axis


def risk_figure(curves: Mapping[str, Sequence[tuple[float, float]]], n_users: int) -> Figure:
    """Draw the share of users whose own risk is at least a given one, a line for each step.

    A line that stands further to the right and higher is worse. A risk of 0 has no place on the
    logarithmic axis: such users are what a line lacks of 100 % at its left end.

    Parameters
    ----------
    curves
        For each step, risks in ascending order with the share of users who have at least as much.
    n_users
        The number of users, for the title.

    Examples
    --------
    >>> risk_figure({"cookies": [(1.0, 1.0)], "topics_api": [(0.01, 1.0), (0.02, 0.5)]}, 100).title
    'Chance of each user to be named: 100 users'
    """
    import altair as alt

    positive = {stage: [point for point in points if point[0] > 0] for stage, points in curves.items()}
    risks = [risk for points in positive.values() for risk, _ in points]
    x = log_axis(min(0.1, *risks, 1.0), 1.0)
    low = x["scale"].domain[0]
    values = [
        {"step": stage, "row": row, "risk": risk, "share": share}
        for stage, points in positive.items()
        if points
        for row, (risk, share) in enumerate([(low, points[0][1]), *points, (points[-1][0], 0.0)])
    ]
    across = alt.X("risk:Q", title="chance of the user to be named (log scale)", **x)
    up = alt.Y(
        "share:Q",
        title="users with at least this chance",
        scale=alt.Scale(domain=[0, 1]),
        axis=alt.Axis(format="%"),
    )
    chart = (
        alt.Chart(alt.InlineData(values=values))
        .mark_line(interpolate="step-before")
        .encode(across, up, **line_styles("step", "after the step", list(curves)), order=alt.Order("row:Q"))
        .properties(width=460, height=300)
    )
    return Figure.of(f"Chance of each user to be named: {counted(n_users, 'user')}", chart)
