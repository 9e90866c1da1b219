"""The first topics with their estimates, and the chance to find them against the number of users."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from quiff.errors import counted
from quiff.results.figures.figure import Figure
from quiff.results.figures.style import PALETTE, log_axis, panel_title, point_styles

if TYPE_CHECKING:
    import altair as alt

    from quiff.results.popularity import GrowthPoint, TopicPopularity

_MOST_TOPICS = 15


def popularity_figure(
    topics: Sequence["TopicPopularity"], growth: Sequence["GrowthPoint"], n_users: int, top: int
) -> Figure:
    """Draw the shares of the first topics, true and estimated, and the chance to find them from N users.

    Parameters
    ----------
    topics
        The topics, the most popular first.
    growth
        The chances for some numbers of users.
    n_users
        How many users there are in all.
    top
        How many topics are to be found in order.

    Examples
    --------
    >>> from quiff import Population
    >>> from quiff.studies.popularity import popularity
    >>> popularity(Population.synthetic(50, seed=1), simulations=10).figure().title
    'How popular topics are, as reports of 50 users tell'
    """
    import altair as alt

    shares = _shares(topics[:_MOST_TOPICS], n_users).properties(
        title=panel_title(
            "Shares of the first topics: the truth (line), and one estimate with its 95 % interval (dot)"
        )
    )
    chances = _chances(growth, top).properties(
        title=panel_title("Chance to find the first topics from N users (simulated, 95 % intervals)")
    )
    chart = alt.vconcat(shares, chances, spacing=36).resolve_scale(
        color="independent", shape="independent", x="independent"
    )
    return Figure.of(f"How popular topics are, as reports of {counted(n_users, 'user')} tell", chart)


def _shares(topics: Sequence["TopicPopularity"], n_users: int) -> "alt.LayerChart | alt.FacetChart":
    import altair as alt

    rows = []
    for t in topics:
        estimate, low, high = t.estimate.shares(n_users)
        rows.append({"topic": str(t.topic), "truth": t.share, "estimate": estimate, "low": low, "high": high})
    base = alt.Chart(alt.InlineData(values=rows)).encode(
        alt.X("topic:N", title="topic", sort=None, axis=alt.Axis(labelAngle=-35, labelLimit=140))
    )
    y = alt.Y("low:Q", title="share of the users", scale=alt.Scale(zero=True))
    bars = base.mark_rule(strokeWidth=2, color=PALETTE[0]).encode(y, alt.Y2("high:Q"))
    dots = base.mark_point(filled=True, size=30, opacity=1, color=PALETTE[0]).encode(alt.Y("estimate:Q"))
    truth = base.mark_tick(thickness=2, size=22, color="black").encode(alt.Y("truth:Q"))
    return alt.layer(bars, truth, dots).properties(width=620, height=200)


def _chances(growth: Sequence["GrowthPoint"], top: int) -> "alt.LayerChart | alt.FacetChart":
    import altair as alt

    names = ["the most popular topic is found", f"the first {top} are found in order"]
    bits = "another question: right of each user (the paper's figure)"
    rows: list[dict[str, Any]] = []
    for point in growth:
        for name, chance in zip(names, (point.first, point.in_order), strict=True):
            rows.append(
                {
                    "series": name,
                    "users": point.n_users,
                    "chance": chance.value,
                    "low": chance.low,
                    "high": chance.high,
                }
            )
        rows.append({"series": bits, "users": point.n_users, "chance": point.all_bits_right})
    styles = point_styles("series", None, [*names, bits])
    x = alt.X(
        "users:Q",
        title="users who report (N)",
        **log_axis(min(point.n_users for point in growth), max(point.n_users for point in growth)),
    )
    y = alt.Y("chance:Q", title="probability", scale=alt.Scale(domain=[0, 1]))
    base = alt.Chart(alt.InlineData(values=rows)).encode(x, color=styles["color"])
    bars = base.mark_rule(strokeWidth=1.5).encode(alt.Y("low:Q", title="probability"), alt.Y2("high:Q"))
    lines = base.mark_line(strokeWidth=1).encode(y)
    points = base.mark_point(filled=True, size=55, opacity=1).encode(y, shape=styles["shape"])
    return alt.layer(bars, lines, points).properties(width=620, height=260)
