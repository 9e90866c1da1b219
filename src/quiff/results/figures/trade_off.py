"""Privacy against utility: what an API gives away, and what an advertiser learns."""

from collections.abc import Sequence

from quiff.core.numbers import Number
from quiff.results.figures.figure import Figure
from quiff.results.figures.style import log_axis, point_styles

__all__ = ["trade_off_figure"]


def trade_off_figure(apis: Sequence[tuple[str, Number, Number]], prior_utility: Number, users: int) -> Figure:
    """Draw one mark for each API: its leakage upwards, its utility to the right.

    Parameters
    ----------
    apis
        Name, leakage and utility of each.
    prior_utility
        What is reached without any report; the grey line.
    users
        The number of users, for the title.

    Examples
    --------
    >>> trade_off_figure([("cookies", 1000, 1), ("topics_api", 66.36, 0.95)], 0.3, 1000).title
    'What APIs give away, and what they are good for: 1000 users'
    """
    import altair as alt

    names, leakages = [name for name, _, _ in apis], [float(leak) for _, leak, _ in apis]
    values = [{"api": name, "leakage": float(leak), "utility": float(use)} for name, leak, use in apis]
    x = alt.X(
        "utility:Q",
        title="utility (chance to name a topic of the user's set)",
        scale=alt.Scale(domain=[0, 1]),
    )
    y = alt.Y(
        "leakage:Q",
        title="leakage (chance to name the user, times more likely)",
        **log_axis(min(1.0, *leakages), max(leakages)),
    )
    styles = point_styles("api", "API", names)
    marks = alt.Chart(alt.InlineData(values=values)).mark_point(filled=True, size=160, opacity=1)
    nothing = alt.Chart(alt.InlineData(values=[{"utility": float(prior_utility)}])).mark_rule(
        color="#777777", strokeDash=[4, 4]
    )
    chart = alt.layer(nothing.encode(x), marks.encode(x, y, **styles)).properties(width=460, height=320)
    title = f"What APIs give away, and what they are good for: {users} users"
    return Figure.of(title, chart)
