"""The figures of the designs: privacy against utility, and the settings of equal capacity."""

from math import isfinite, log
from typing import TYPE_CHECKING, Any, TypeAlias

from quiff.results.figures.figure import Figure
from quiff.results.figures.style import PALETTE
from quiff.results.numbers import shown
from quiff.theory.design import Design, least_capacity, max_case_at_utility, noise_for_capacity
from quiff.web.queries import BOUNDS, Setting

if TYPE_CHECKING:
    import altair as alt

Rows: TypeAlias = list[dict[str, Any]]

FIGURES = ("capacity", "epsilon", "settings")
"""The names of the figures."""

_NAMES = ("first", "second")
_STEPS = 60  # of the utility, along a frontier
_UTILITY = "utility (chance that a report is genuine)"
_AXES = {
    "capacity": "Bayes capacity (factor, log scale)",
    "epsilon": "epsilon (nats)",
    "settings": "noise r",
}
_TITLES = {
    "capacity": "Average case against utility",
    "epsilon": "Worst case against utility",
    "settings": "Settings of equal capacity",
}


def plane_data(settings: tuple[Setting, ...]) -> dict[str, Rows]:
    """Return what the figures show: the frontiers, the curves of equal capacity, and the designs.

    A frontier is the least capacity and epsilon of any mechanism at a utility u, for the sizes m and s of
    a design: ``max(1, m u/s)`` and ``ln(u (m-s)/((1-u) s))``. A curve of equal capacity joins, for the
    taxonomy of each design, the settings (s, r) with the capacity L of the first design:
    ``r = (m - s L)/(m - s)``, for s <= m/L (paper, Sec. 4.1.2, solved for r).

    Examples
    --------
    >>> data = plane_data((Setting(349, 5, 0.05),))
    >>> [(row["s"], round(row["r"], 3)) for row in data["equal"]]
    [(1, 0.812), (2, 0.623), (3, 0.433), (4, 0.242), (5, 0.05)]
    """
    designs = [Design.of(x.n_topics, x.top_s, x.noise) for x in settings]
    limit = float(designs[0].bayes_capacity)
    named = list(zip(_NAMES, designs, strict=False))
    return {
        "frontiers": [row for name, design in named for row in _frontier(name, design)],
        "equal": [
            row
            for name, design in named
            if (name == _NAMES[0] or design.n_topics != designs[0].n_topics)
            for row in _equal(name, design.n_topics, limit)
        ],
        "designs": [_place(name, design) for name, design in named],
    }


def _frontier(name: str, design: Design) -> Rows:
    m, s = design.n_topics, design.top_s
    if s == m:
        return []
    least = s / m
    utilities = [least + (1 - least) * step / _STEPS for step in range(_STEPS)]
    return [
        {
            "design": name,
            "utility": u,
            "capacity": float(least_capacity(m, s, u)),
            "epsilon": max(0.0, log(max_case_at_utility(m, s, u))),
        }
        for u in [*utilities, 0.995, 0.999]
        if u >= least
    ] + [{"design": name, "utility": 1.0, "capacity": m / s, "epsilon": None}]


def _equal(name: str, m: int, limit: float) -> Rows:
    """Return the settings of a taxonomy with the given capacity; larger sets leak less without any noise."""
    most = min(m - 1, BOUNDS["top"][1], int(m / limit + 1e-9))
    sizes = range(1, most + 1)
    return [
        _place(name, Design.of(m, s, min(1.0, max(0.0, float(noise_for_capacity(m, s, limit))))))
        for s in sizes
    ]


def _place(name: str, design: Design) -> dict[str, Any]:
    epsilon = float(design.epsilon)
    return {
        "design": name,
        "m": design.n_topics,
        "s": design.top_s,
        "r": float(design.noise),
        "utility": float(design.utility),
        "capacity": float(design.bayes_capacity),
        "epsilon": epsilon if isfinite(epsilon) else None,
    }


def plane_figure(name: str, settings: tuple[Setting, ...]) -> Figure:
    """Draw one of the figures; its data sets keep their names, so that they can be replaced in place.

    Examples
    --------
    >>> figure = plane_figure("capacity", (Setting(349, 5, 0.05),))
    >>> figure.title
    'Average case against utility: 349 topics, sets of 5, noise 0.05'
    >>> sorted(figure.spec["datasets"])
    ['designs', 'equal', 'frontiers']
    """
    import altair as alt

    x, y = _dimensions(name)
    layers = [] if name == "settings" else [_lines("frontiers", x, y)]
    layers += [_lines("equal", x, y, dashed=True), _dots(x, y), *_marks(x, y)]
    chart = alt.layer(*layers).properties(width=420, height=300)
    said = " and ".join(
        f"{one.n_topics} topics, sets of {one.top_s}, noise {shown(one.noise)}" for one in settings
    )
    figure = Figure.of(f"{_TITLES[name]}: {said}", chart)
    data = plane_data(settings)
    used = ("equal", "designs") if name == "settings" else tuple(data)
    return Figure(figure.title, {**figure.spec, "datasets": {key: data[key] for key in used}})


def _dimensions(name: str) -> tuple["alt.X", "alt.Y"]:
    import altair as alt

    if name == "settings":
        whole = alt.Axis(tickMinStep=1, format="d")
        x = alt.X("s:Q", title="topics in a set s", axis=whole, scale=alt.Scale(zero=True, nice=True))
        return x, alt.Y("r:Q", title=_AXES[name], scale=alt.Scale(domain=[0, 1]))
    x = alt.X("utility:Q", title=_UTILITY, scale=alt.Scale(domain=[0, 1]))
    if name == "epsilon":
        return x, alt.Y("epsilon:Q", title=_AXES[name], scale=alt.Scale(zero=True))
    axis = alt.Axis(format="~r", tickCount=6)
    return x, alt.Y("capacity:Q", title=_AXES[name], scale=alt.Scale(type="log", nice=True), axis=axis)


def _colour() -> "alt.Color":
    import altair as alt

    scale = alt.Scale(domain=list(_NAMES), range=list(PALETTE[:2]))
    return alt.Color("design:N", scale=scale, legend=None)


def _lines(data: str, x: "alt.X", y: "alt.Y", *, dashed: bool = False) -> "alt.Chart":
    import altair as alt

    dash = [5, 4] if dashed else [1, 0]
    line = alt.Chart(alt.NamedData(data)).mark_line(clip=True, strokeDash=dash)
    chart: alt.Chart = line.encode(x, y, _colour())
    return chart


def _dots(x: "alt.X", y: "alt.Y") -> "alt.Chart":
    """Return the settings of equal capacity, which tell what they are when they are pointed at."""
    import altair as alt

    chart: alt.Chart = (
        alt.Chart(alt.NamedData("equal"))
        .mark_point(filled=True, size=28, opacity=1, clip=True)
        .encode(x, y, _colour(), tooltip=_tips())
    )
    return chart


def _marks(x: "alt.X", y: "alt.Y") -> list["alt.Chart"]:
    """Return the designs themselves, with their names."""
    import altair as alt

    shapes = alt.Scale(domain=list(_NAMES), range=["circle", "square"])
    base = alt.Chart(alt.NamedData("designs"))
    points = base.mark_point(filled=True, size=170, opacity=1, stroke="white", strokeWidth=1.5)
    names = base.mark_text(align="right", baseline="bottom", dx=-8, dy=-6, fontSize=13, color="#222222")
    return [
        points.encode(x, y, _colour(), alt.Shape("design:N", scale=shapes, legend=None), tooltip=_tips()),
        names.encode(x, y, text="design:N"),
    ]


def _tips() -> list["alt.Tooltip"]:
    import altair as alt

    exact = {"r": ".3~f", "utility": ".4~r", "capacity": ".5~r", "epsilon": ".4~r"}
    return [
        alt.Tooltip("m:Q", title="topics m"),
        alt.Tooltip("s:Q", title="set s"),
        *(alt.Tooltip(f"{field}:Q", format=form) for field, form in exact.items()),
    ]
