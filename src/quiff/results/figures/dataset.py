"""How many records users have: the share of users with at least so many, in a table of any stage."""

from collections.abc import Sequence

from quiff.errors import counted
from quiff.results.figures.figure import Figure
from quiff.results.figures.style import PALETTE, log_axis


def records_figure(
    stage: str, users_per_count: Sequence[tuple[int, int]], marks: Sequence[tuple[str, float]] = ()
) -> Figure:
    """Draw the share of users that have at least so many records, on logarithmic axes.

    Parameters
    ----------
    stage
        The stage of the table, for the title.
    users_per_count
        How many users have each number of records, from the least number on.
    marks
        Names and numbers of records to mark on the curve, such as quantiles.

    Examples
    --------
    >>> records_figure("treated", [(1, 2), (4, 1), (10, 1)], [("median", 2.5)]).title
    'Records of 4 users (treated)'
    """
    import altair as alt

    total = left = sum(users for _, users in users_per_count)
    points = []
    for records, users in users_per_count:
        points.append({"records": records, "share": left / total})
        left -= users
    most = points[-1]["records"]
    x = alt.X("records:Q", title="records of a user (log scale)", **log_axis(1, most))
    y = alt.Y(
        "share:Q",
        title="share of users with at least so many (log scale)",
        **log_axis(points[-1]["share"], 1),
    )
    curve = alt.Chart(alt.InlineData(values=points)).mark_line(interpolate="step-before", color=PALETTE[0])
    named = [{"name": name, "records": records, "share": _share(points, records)} for name, records in marks]
    dots = alt.Chart(alt.InlineData(values=named)).encode(x, y)
    chart = alt.layer(
        curve.encode(x, y),
        dots.mark_point(filled=True, size=70, opacity=1, color="black"),
        dots.mark_text(align="left", dx=8, dy=-6, fontSize=12).encode(alt.Text("name:N")),
    )
    return Figure.of(
        f"Records of {counted(total, 'user')} ({stage})", chart.properties(width=480, height=300)
    )


def _share(points: Sequence[dict[str, float]], records: float) -> float:
    """Return the share of users with at least so many records, where the curve has it."""
    return next(point["share"] for point in points if point["records"] >= records)
