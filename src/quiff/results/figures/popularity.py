"""The first values with their estimates, and the probability to find them against the number of users."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from quiff.errors import counted
from quiff.results.figures.figure import Figure
from quiff.results.figures.style import PALETTE, log_axis, panel_title, point_styles

if TYPE_CHECKING:
    import altair as alt

    from quiff.results.views.popularity import Growth, ValuePopularity

_MOST_VALUES = 15


def popularity_figure(
    values: Sequence["ValuePopularity"], growth: Sequence["Growth"], n_users: int, top: int, word: str
) -> Figure:
    """Draw the shares of the first values, true and estimated, and the probability to find them from N users.

    Parameters
    ----------
    values
        The values, the most popular first.
    growth
        The probabilities for some numbers of users.
    n_users
        How many users there are in all.
    top
        How many values are to be found in order.
    word
        What one is called, such as a topic.

    Examples
    --------
    >>> from quiff import Population, popularity
    >>> popularity(Population.synthetic(50, seed=1), simulations=10).figure().title
    'How popular each topic is, as outputs of 50 users tell'
    """
    import altair as alt

    shares = _shares(values[:_MOST_VALUES], n_users, word).properties(
        title=panel_title(
            "Shares of the most popular: the truth (line), and one estimate with its 95 % interval (dot)"
        )
    )
    found = _found(growth, top, word).properties(
        title=panel_title("Probability to find the most popular from N users (simulated, 95 % intervals)")
    )
    chart = alt.vconcat(shares, found, spacing=36).resolve_scale(
        color="independent", shape="independent", x="independent"
    )
    return Figure.of(f"How popular each {word} is, as outputs of {counted(n_users, 'user')} tell", chart)


def _shares(
    values: Sequence["ValuePopularity"], n_users: int, word: str
) -> "alt.LayerChart | alt.FacetChart":
    import altair as alt

    rows = []
    for one in values:
        estimate, low, high = one.estimate.shares(n_users)
        name, truth = str(one.value), one.share
        rows.append({"value": name, "truth": truth, "estimate": estimate, "low": low, "high": high})
    base = alt.Chart(alt.InlineData(values=rows)).encode(
        alt.X("value:N", title=word, sort=None, axis=alt.Axis(labelAngle=-35, labelLimit=140))
    )
    y = alt.Y("low:Q", title="share of the users", scale=alt.Scale(zero=True))
    bars = base.mark_rule(strokeWidth=2, color=PALETTE[0]).encode(y, alt.Y2("high:Q"))
    dots = base.mark_point(filled=True, size=30, opacity=1, color=PALETTE[0]).encode(alt.Y("estimate:Q"))
    truth = base.mark_tick(thickness=2, size=22, color="black").encode(alt.Y("truth:Q"))
    return alt.layer(bars, truth, dots).properties(width=620, height=200)


def _found(growth: Sequence["Growth"], top: int, word: str) -> "alt.LayerChart | alt.FacetChart":
    import altair as alt

    names = [f"the most popular {word} is found", f"the first {top} are found in order"]
    bits = "another question: right of each user (the paper's figure)"
    rows: list[dict[str, Any]] = []
    for point in growth:
        for name, found in zip(names, (point.first, point.in_order), strict=True):
            rows.append(
                {
                    "series": name,
                    "users": point.n_users,
                    "probability": found.value,
                    "low": found.low,
                    "high": found.high,
                }
            )
        rows.append({"series": bits, "users": point.n_users, "probability": point.all_bits_right})
    styles = point_styles("series", None, [*names, bits])
    x = alt.X(
        "users:Q",
        title="users who are seen (N)",
        **log_axis(min(point.n_users for point in growth), max(point.n_users for point in growth)),
    )
    y = alt.Y("probability:Q", title="probability", scale=alt.Scale(domain=[0, 1]))
    base = alt.Chart(alt.InlineData(values=rows)).encode(x, color=styles["color"])
    bars = base.mark_rule(strokeWidth=1.5).encode(alt.Y("low:Q", title="probability"), alt.Y2("high:Q"))
    lines = base.mark_line(strokeWidth=1).encode(y)
    points = base.mark_point(filled=True, size=55, opacity=1).encode(y, shape=styles["shape"])
    return alt.layer(bars, lines, points).properties(width=620, height=260)
