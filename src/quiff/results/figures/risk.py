"""The distribution of risk over users: how many have at least a given risk, after each stage."""

from collections.abc import Mapping, Sequence

from quiff.errors import counted
from quiff.results.figures.figure import Figure
from quiff.results.figures.style import line_styles, log_axis


def risk_figure(curves: Mapping[str, Sequence[tuple[float, float]]], n_users: int) -> Figure:
    """Draw the share of users whose own risk is at least a given one, a line for each stage.

    A line that stands further to the right and higher is worse. A risk of 0 has no place on the
    logarithmic axis: such users are what a line lacks of 100 % at its left end.

    Parameters
    ----------
    curves
        For each stage, risks in ascending order with the share of users who have at least as much.
    n_users
        The number of users, for the title.

    Examples
    --------
    >>> risk_figure({"cookies": [(1.0, 1.0)], "topics": [(0.01, 1.0), (0.02, 0.5)]}, 100).title
    'Probability of each user to be re-identified: 100 users'
    """
    import altair as alt

    positive = {stage: [point for point in points if point[0] > 0] for stage, points in curves.items()}
    risks = [risk for points in positive.values() for risk, _ in points]
    x = log_axis(min(0.1, *risks, 1.0), 1.0)
    low = x["scale"].domain[0]
    values = [
        {"stage": stage, "row": row, "risk": risk, "share": share}
        for stage, points in positive.items()
        if points
        for row, (risk, share) in enumerate([(low, points[0][1]), *points, (points[-1][0], 0.0)])
    ]
    across = alt.X("risk:Q", title="probability of the user to be re-identified (log scale)", **x)
    up = alt.Y(
        "share:Q",
        title="users with at least this probability",
        scale=alt.Scale(domain=[0, 1]),
        axis=alt.Axis(format="%"),
    )
    chart = (
        alt.Chart(alt.InlineData(values=values))
        .mark_line(interpolate="step-before")
        .encode(across, up, **line_styles("stage", "seen", list(curves)), order=alt.Order("row:Q"))
        .properties(width=460, height=300)
    )
    return Figure.of(f"Probability of each user to be re-identified: {counted(n_users, 'user')}", chart)
