"""Re-identified users against epochs with the bound on top, and how many users are left for a target."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from quiff.errors import counted
from quiff.results.figures.figure import Figure
from quiff.results.figures.style import GREY, PALETTE, log_axis, point_styles

if TYPE_CHECKING:
    import altair as alt

_BOUND = "bound on every attack"


def comparison_figure(
    points: Sequence[tuple[str, int, float, float, float]],
    bounds: Sequence[tuple[int, float, float, float]],
    names: Sequence[str],
    n_users: int,
    unit: str = "epochs",
) -> Figure:
    """Draw the share of users that each attack re-identifies against epochs, or other observations.

    Parameters
    ----------
    points
        Attack, epochs, share, and the ends of its interval.
    bounds
        Epochs, bound, and the ends of its interval.
    names
        The attacks, in the order of the legend.
    n_users, unit
        For the title, and the axis.

    Examples
    --------
    >>> comparison_figure([("carey", 1, 0.1, 0.0, 0.2)], [(1, 0.5, 0.5, 0.5)], ["carey"], 100).title
    'Users re-identified as epochs go by: 100 users'
    """
    import altair as alt

    fields = ("series", "epochs", "share", "low", "high")
    rows: list[dict[str, Any]] = [dict(zip(fields, point, strict=True)) for point in points]
    limit: list[dict[str, Any]] = [dict(zip(fields, (_BOUND, *bound), strict=True)) for bound in bounds]
    x = alt.X("epochs:Q", title=unit, axis=alt.Axis(tickMinStep=1, format="d"), scale=alt.Scale(nice=False))
    y = alt.Y("share:Q", title="share of users", axis=alt.Axis(format="%"), scale=alt.Scale(domain=[0, 1]))
    styles = point_styles("series", None, names)
    styles["shape"].legend = styles["color"].legend = alt.Legend(
        title=None, orient="right", direction="vertical"
    )
    base = alt.Chart(alt.InlineData(values=rows)).encode(x, color=styles["color"])
    bars = base.mark_rule(strokeWidth=1.5).encode(alt.Y("low:Q"), alt.Y2("high:Q"))
    lines = base.mark_line(strokeWidth=1.5).encode(y)
    marks = base.mark_point(filled=True, size=60, opacity=1).encode(y, shape=styles["shape"])
    chart = alt.layer(*_limit(limit, x, y), bars, lines, marks).properties(width=520, height=340)
    return Figure.of(f"Users re-identified as {unit} go by: {counted(n_users, 'user')}", chart)


def _limit(rows: list[dict[str, Any]], x: "alt.X", y: "alt.Y") -> list["alt.Chart"]:
    """Return the bound as a broad grey line with its name."""
    import altair as alt

    base = alt.Chart(alt.InlineData(values=rows)).encode(x)
    band = base.mark_area(color="#999999", opacity=0.3).encode(alt.Y("low:Q"), alt.Y2("high:Q"))
    line = base.mark_line(color=GREY, strokeWidth=4, strokeDash=[8, 3]).encode(y)
    last = alt.Chart(alt.InlineData(values=rows[-1:])).encode(x, y, alt.Text("series:N"))
    name = last.mark_text(align="right", dy=-12, fontSize=12, color="#555555")
    return [band, line, name]


def groups_figure(tied: Sequence[int], name: str, n_users: int, epochs: int) -> Figure:
    """Draw for how many targets at most k users are left, the right one among them.

    Parameters
    ----------
    tied
        For each target how many are left; 0 if the right one is not among them.
    name, n_users, epochs
        For the title.

    Examples
    --------
    >>> groups_figure([1, 1, 0, 3], "carey", 100, 5).title
    'carey after 5 epochs: among how many of 100 users a target is left'
    """
    import altair as alt

    sizes = sorted(k for k in tied if k > 0)
    steps = {k: place for place, k in enumerate(sizes, start=1)}
    found = [{"k": 1, "share": steps.get(1, 0) / len(tied)}]
    found += [{"k": k, "share": place / len(tied)} for k, place in steps.items() if k > 1]
    found.append({"k": n_users, "share": len(sizes) / len(tied)})
    chart = (
        alt.Chart(alt.InlineData(values=found))
        .mark_line(interpolate="step-after", color=PALETTE[0])
        .encode(
            alt.X("k:Q", title="users left (k)", **log_axis(1, n_users)),
            alt.Y(
                "share:Q",
                title="targets with at most k left",
                axis=alt.Axis(format="%"),
                scale=alt.Scale(domain=[0, 1]),
            ),
        )
        .properties(width=460, height=280)
    )
    after, users = counted(epochs, "epoch"), counted(n_users, "user")
    return Figure.of(f"{name} after {after}: among how many of {users} a target is left", chart)
