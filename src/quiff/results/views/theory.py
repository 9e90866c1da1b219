"""How closed forms are shown: parameters, a table for each section, and two figures."""

from collections.abc import Iterable, Sequence
from typing import Any

from quiff.apis.base import Api, Limit
from quiff.results.figures.charts import Axis, beside, curves
from quiff.results.figures.figure import Figure
from quiff.results.figures.style import panel_title
from quiff.results.numbers import said, shown
from quiff.results.quantities import QUANTITIES
from quiff.results.table import Table
from quiff.theory.curves import Curves
from quiff.theory.forms import FORMS, ClosedForms

_COLUMNS = ("quantity", "value", "unit", "meaning")
_SERIES = {
    "all_bits_right": "guess right who of the N has it (the paper's figure)",
    "best_count_right": "guess right how many have it",
    "prior_count_right": "the same without any observation",
}


def forms_views(found: Sequence[tuple[Api, tuple[Limit, ...], ClosedForms | None]]) -> dict[str, Any]:
    """Return title, sentences, tables and figures of the closed forms of some APIs."""
    tables: dict[str, Table] = {}
    figures: dict[str, Any] = {}
    several = len(found) > 1
    for api, limits, forms in found:
        under = f"{api.spec} " if several else ""
        parts = {"limits": _limits(api, limits)} if forms is None else _sections(api, forms)
        for name, table in parts.items():
            if not table.rows:
                continue
            beside = f"{api.title} ({api.spec}): " if several and forms is not None else ""
            tables[under + name] = Table(beside + table.title, table.columns, table.rows, table.notes)
        if forms is not None:
            figures |= {under + name: draw for name, draw in _figures(forms).items()}
    return {
        "title": f"Closed forms: {', '.join(api.spec for api, _, _ in found)}",
        "sentences": tuple(_sentence(api, limits) for api, limits, _ in found),
        "tables": tables,
        "figures": figures,
    }


def _sentence(api: Api, limits: tuple[Limit, ...]) -> str:
    most = next((limit for limit in limits if limit.quantity == "bayes_capacity" and not limit.stage), None)
    if most is None:
        return f"{api.title}: no closed form is known of its parameters alone; measure it on people."
    return (
        f"{api.title}: {api.sees} multiplies the probability of any guess by at most {said(most.value)}"
        f" ({most.formula})."
    )


def _limits(api: Api, limits: tuple[Limit, ...]) -> Table:
    rows = tuple(
        (
            api.stage_title(limit.stage or api.name),
            QUANTITIES[limit.quantity].title,
            limit.value,
            QUANTITIES[limit.quantity].unit,
            limit.formula,
        )
        for limit in limits
    )
    notes = tuple(dict.fromkeys(f"Assumed: {limit.assumes}." for limit in limits if limit.assumes))
    columns = ("stage", "quantity", "value", "unit", "formula")
    return Table(f"Limits of one observation: {api.title}", columns, rows, notes)


def _sections(api: Api, forms: ClosedForms) -> dict[str, Table]:
    given = tuple((forms.titles[name], value) for name, value in forms.parameters.items())
    tables = {"parameters": Table("Parameters", ("parameter", "value"), given)}
    titles = dict.fromkeys(FORMS[name].section for name in forms.values)
    for number, title in enumerate(titles, start=1):
        rows = tuple(
            (FORMS[name].name, value, FORMS[name].unit, FORMS[name].meaning)
            for name, value in forms.values.items()
            if FORMS[name].section == title
        )
        tables[f"section {number}"] = Table(title, _COLUMNS, rows)
    tables["counting"] = Table(
        f"Counting the users who have a topic, from {api.sees} of each",
        ("users N", "who has it, all right", "raw count right", "best guess right", "guess without any"),
        tuple(tuple(point.values()) for point in forms.counting()),
        (f"Each user has the topic with probability {shown(forms.parameters['share'])}, independently.",),
    )
    return tables


def _figures(forms: ClosedForms) -> dict[str, Any]:
    about, share = forms.about, shown(forms.parameters["share"])

    def overview() -> Figure:
        limits = limits_chart(forms.limits()).properties(
            title=panel_title("What one observation can give away at most (the dot: these parameters)")
        )
        learn = f"Probability to learn who has a topic, if each user has it with probability {share}"
        counting = _counting(forms.counted()).properties(title=panel_title(learn))
        return Figure.of(f"Closed forms: {about}", beside(limits, counting, below=True))

    return {
        "overview": overview,
        "limits": lambda: Figure.of(f"Limits of one observation: {about}", limits_chart(forms.limits())),
        "counting": lambda: Figure.of(f"Counting who has a topic: {about}", _counting(forms.counted())),
    }


def limits_chart(found: Curves) -> Any:
    """Return capacity and epsilon along something; what is marked is black, a target grey."""
    most, highest = found.most
    across = Axis("x", found.x, "probability")
    axes = (
        Axis("capacity", "Bayes capacity (factor, log scale)", "log", 1, most),
        Axis("epsilon", "epsilon (nats)", "number", 0 if highest else None, highest),
    )
    options: dict[str, Any] = {"legend": found.series, "dots": found.dots, "rule": found.rule}
    size = (330, 280)
    panels = [curves(found.lines, across, up, found.names, size=size, **options) for up in axes]
    return beside(*panels, shared=True)


def _counting(points: Iterable[dict[str, float]]) -> Any:
    """Return the quantity of the paper's counting figure, and what an analyst who counts is interested in.

    A probability of 0 is left out, for it has no logarithm.
    """
    rows: list[dict[str, Any]] = [
        {"series": words, "users": point["n_users"], "probability": point[key] or None}
        for point in points
        for key, words in _SERIES.items()
    ]
    names, across = list(_SERIES.values()), Axis("users", "users who are observed (N)", "count")
    axes = (
        (names[:2], Axis("probability", "probability (log scale)", "log", 0.1, 1)),
        (names[1:], Axis("probability", "probability")),
    )
    parts = [([row for row in rows if row["series"] in some], up) for some, up in axes]
    panels = [curves(some, across, up, names, points=True, size=(330, 280)) for some, up in parts]
    return beside(*panels, shared=True)
