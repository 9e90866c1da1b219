"""How well reports tell the number of users who have a topic: the paper's figure, and what it should show."""

from typing import TYPE_CHECKING, Any

from quiff.errors import counted
from quiff.results.figures.figure import Figure
from quiff.results.figures.style import log_axis, point_styles
from quiff.results.numbers import shown
from quiff.theory.counting import all_bits_right, best_count_right, prior_count_right
from quiff.theory.parameters import HALF, Real, check_whole

if TYPE_CHECKING:
    import altair as alt

_ALL_BITS = "guess right who of the N has it (the paper's figure)"
_BEST = "guess right how many have it"
_PRIOR = "the same without any report"
_SERIES = [_ALL_BITS, _BEST, _PRIOR]


def counting_figure(
    n_topics: int = 349, top_s: int = 5, noise: Real = 0.05, share: Real = HALF, most_users: int = 30
) -> Figure:
    """Draw the counting probabilities for 1 to ``most_users`` users who report once each.

    The left panel has the quantity of the paper's counting figure, on a logarithmic scale; the right
    one what an analyst who counts is interested in: a best guess of the count with and without
    the reports.

    Raises
    ------
    ParameterError
        If a parameter lies outside its range.

    Examples
    --------
    >>> counting_figure(n_topics=469).title
    'Counting who has a topic: 469 topics, sets of 5, noise 0.05'
    """
    title = f"Counting who has a topic: {counted(n_topics, 'topic')}, sets of {top_s}, noise {shown(noise)}"
    return Figure.of(title, counting_chart(n_topics, top_s, noise, share, most_users))


def counting_chart(
    n_topics: int, top_s: int, noise: Real, share: Real = HALF, most_users: int = 30
) -> "alt.HConcatChart":
    """Return the two panels of :func:`counting_figure` as an Altair chart.

    Raises
    ------
    ParameterError
        If a parameter lies outside its range.

    Examples
    --------
    >>> len(counting_chart(349, 5, 0.05).hconcat)
    2
    """
    import altair as alt

    most = check_whole("most_users", most_users, 1, 1000)
    rows = [row for N in range(1, most + 1) for row in _points(n_topics, top_s, noise, share, N)]
    least = min(row["probability"] for row in rows if row["probability"])
    return alt.hconcat(
        _panel(rows, _SERIES[:2], "probability (log scale)", log_axis(min(least, 0.1), 1)),
        _panel(rows, _SERIES[1:], "probability", {"scale": alt.Scale(zero=True)}),
        spacing=40,
    )


def _points(m: int, s: int, r: Real, a: Real, N: int) -> list[dict[str, Any]]:
    """Return the series at N users; a probability of 0 is left out, for it has no logarithm."""
    values = {
        _ALL_BITS: all_bits_right(m, s, float(r), N, a),
        _BEST: best_count_right(m, s, r, N, a),
        _PRIOR: prior_count_right(N, a),
    }
    return [{"series": name, "users": N, "probability": float(p) or None} for name, p in values.items()]


def _panel(
    rows: list[dict[str, Any]], series: list[str], title: str, dimension: dict[str, Any]
) -> "alt.LayerChart | alt.FacetChart":
    import altair as alt

    data = alt.InlineData(values=[row for row in rows if row["series"] in series])
    x = alt.X("users:Q", title="users who report (N)", axis=alt.Axis(tickMinStep=1, format="d"))
    y = alt.Y("probability:Q", title=title, **dimension)
    styles = point_styles("series", None, _SERIES)
    base = alt.Chart(data).encode(x, y, color=styles["color"])
    lines = base.mark_line(strokeWidth=1)
    points = base.mark_point(filled=True, size=50, opacity=1).encode(shape=styles["shape"])
    return alt.layer(lines, points).properties(width=330, height=280)
