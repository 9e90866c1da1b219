"""Capacity and epsilon against the noise, for some sizes of the top sets."""

from math import isfinite
from typing import TYPE_CHECKING, Any

from quiff.errors import counted
from quiff.results.figures.figure import Figure
from quiff.results.figures.style import line_styles, log_axis
from quiff.results.numbers import shown
from quiff.theory.parameters import Real, check_probability, check_sizes
from quiff.theory.topics import bayes_capacity, epsilon

if TYPE_CHECKING:
    import altair as alt

_USUAL_SIZES = (1, 2, 5, 10, 20)
_STEPS = 200  # of the noise, from 0 to 1


def limits_figure(n_topics: int = 349, top_s: int = 5, noise: Real = 0.05) -> Figure:
    """Draw the Bayes capacity and epsilon of one report against the noise r, for some sizes s.

    The given parameters are marked by a point. Epsilon is infinite at r = 0 and leaves the picture there.

    Raises
    ------
    ParameterError
        If a parameter lies outside its range.

    Examples
    --------
    >>> limits_figure().title
    'Limits of one report: 349 topics, marked: sets of 5, noise 0.05'
    """
    title = (
        f"Limits of one report: {counted(n_topics, 'topic')}, marked: sets of {top_s}, noise {shown(noise)}"
    )
    return Figure.of(title, limits_chart(n_topics, top_s, noise))


def limits_chart(n_topics: int, top_s: int, noise: Real) -> "alt.HConcatChart":
    """Return the two panels of :func:`limits_figure` as an Altair chart.

    Raises
    ------
    ParameterError
        If a parameter lies outside its range.

    Examples
    --------
    >>> len(limits_chart(349, 5, 0.05).hconcat)
    2
    """
    import altair as alt

    m, s = check_sizes(n_topics, top_s)
    r = float(check_probability("noise", noise))
    sizes = sizes_to_show(m, s)
    names = [str(size) for size in sizes]
    grid = [step / _STEPS for step in range(_STEPS + 1)]
    curves = alt.InlineData(values=[_point(m, size, x) for size in sizes for x in grid])
    marked = alt.InlineData(values=[_point(m, s, r)])
    panels = [
        _panel(curves, marked, names, "capacity", "Bayes capacity (factor, log scale)", log_axis(1, m)),
        _panel(curves, marked, names, "epsilon", "epsilon (nats)", {"scale": alt.Scale(zero=True)}),
    ]
    return alt.hconcat(*panels, spacing=40)


def sizes_to_show(n_topics: int, *chosen: int) -> list[int]:
    """Return a few sizes of top sets that make a readable figure, the chosen ones among them.

    Examples
    --------
    >>> sizes_to_show(349, 7), sizes_to_show(4, 3)
    ([1, 2, 5, 7, 10, 20], [1, 2, 3])
    """
    wanted = sorted(set(chosen))
    usual = [size for size in _USUAL_SIZES if size < n_topics and size not in wanted]
    return sorted([*wanted, *usual[: 7 - len(wanted)]])


def _point(m: int, s: int, r: float) -> dict[str, Any]:
    """Return what the two panels show at one place; what is infinite is left out."""
    worst = epsilon(m, s, r)
    return {
        "s": str(s),
        "noise": r,
        "capacity": float(bayes_capacity(m, s, r)),
        "epsilon": worst if isfinite(worst) else None,
    }


def _panel(
    curves: "alt.InlineData",
    marked: "alt.InlineData",
    names: list[str],
    field: str,
    title: str,
    dimension: dict[str, Any],
) -> "alt.LayerChart | alt.FacetChart":
    import altair as alt

    x = alt.X("noise:Q", title="noise r (probability of a random topic)", scale=alt.Scale(domain=[0, 1]))
    y = alt.Y(f"{field}:Q", title=title, **dimension)
    styles = line_styles("s", "topics in a set (s)", names)
    lines = alt.Chart(curves).mark_line(clip=True).encode(x, y, **styles)
    here = alt.Chart(marked).mark_point(filled=True, size=90, opacity=1, color="black").encode(x, y)
    return alt.layer(lines, here).properties(width=330, height=280)
