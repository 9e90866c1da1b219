"""Privacy by stage: what each stage leaks, and the most that it could."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, final

from quiff.core.numbers import Number
from quiff.errors import counted
from quiff.results.figures.figure import Figure
from quiff.results.figures.style import PALETTE, log_axis, point_styles
from quiff.results.numbers import shown

_ALL, _OCCURRING = "capacity, all secrets", "capacity, secrets that occur"


@final
@dataclass(frozen=True)
class StageMark:
    """A stage with its leakage and its capacities; the second one is None where both are the same."""

    stage: str
    leakage: Number
    capacity: Number
    capacity_occurring: Number | None


def stages_figure(stages: Sequence[StageMark], users: int) -> Figure:
    """Draw a bar for the leakage of each stage on a logarithmic scale, and marks for its capacities.

    Examples
    --------
    >>> marks = [StageMark("cookie", 1000, 1000, None), StageMark("one topic", 32.16, 66.36, 32.16)]
    >>> stages_figure(marks, 1000).title
    'What each stage reveals about who a user is: 1000 users'
    """
    import altair as alt

    names = [mark.stage for mark in stages]
    bars = [
        {"stage": name, "leakage": float(mark.leakage), "from": 1, "text": shown(mark.leakage)}
        for name, mark in zip(names, stages, strict=True)
    ]
    bounds = [bound for name, mark in zip(names, stages, strict=True) for bound in _bounds(name, mark)]
    most = float(max(max(mark.leakage, mark.capacity) for mark in stages))
    y = alt.Y("stage:N", sort=names, title=None, axis=alt.Axis(labelLimit=320, ticks=False, labelPadding=8))
    title = "leakage (factor on the probability of re-identification, log scale)"
    x = alt.X("leakage:Q", title=title, **log_axis(1, max(most, 10)))
    data = alt.InlineData(values=bars)
    leaks = alt.Chart(data).mark_bar(height=22, color=PALETTE[5]).encode(x, y, alt.X2("from"))
    values = (
        alt.Chart(data)
        .mark_text(align="left", baseline="bottom", dx=2, dy=-13, fontSize=12, color="#111111")
        .encode(y, alt.Text("text:N"), x=alt.XDatum(1))
    )
    kinds = [kind for kind in (_ALL, _OCCURRING) if any(bound["kind"] == kind for bound in bounds)]
    styles = point_styles("kind", None, kinds)
    marks = [
        alt.Chart(alt.InlineData(values=[bound for bound in bounds if bound["kind"] == kind]))
        .mark_point(filled=True, opacity=1, size=size)  # both are seen where they meet
        .encode(x, y, **styles)
        for kind, size in zip(kinds, (200, 60), strict=False)
    ]
    chart = alt.layer(leaks, *marks, values).properties(width=480, height=alt.Step(58))
    return Figure.of(f"What each stage reveals about who a user is: {counted(users, 'user')}", chart)


def _bounds(name: str, mark: StageMark) -> list[dict[str, Any]]:
    found = [{"stage": name, "leakage": float(mark.capacity), "kind": _ALL}]
    if mark.capacity_occurring is not None:
        found.append({"stage": name, "leakage": float(mark.capacity_occurring), "kind": _OCCURRING})
    return found
