"""How closed forms are shown: parameters, a table for each section, and two figures."""

from collections.abc import Sequence
from typing import Any

from quiff.apis.base import Api, Limit
from quiff.results.figures.limits import counting_figure, limits_figure, overview_figure
from quiff.results.numbers import said, shown
from quiff.results.quantities import QUANTITIES
from quiff.results.table import Table
from quiff.theory.forms import FORMS, ClosedForms

_COLUMNS = ("quantity", "value", "unit", "meaning")


def forms_views(found: Sequence[tuple[Api, tuple[Limit, ...], ClosedForms | None]]) -> dict[str, Any]:
    """Return title, sentences, tables and figures of the closed forms of some APIs."""
    tables: dict[str, Table] = {}
    figures: dict[str, Any] = {}
    for api, limits, forms in found:
        under = f"{api.spec} " if len(found) > 1 else ""
        beside = f"{api.title} ({api.spec}): " if len(found) > 1 else ""
        if forms is None:
            tables[f"{under}limits"] = _limits(api, limits)
            continue
        for name, table in _sections(api, forms).items():
            tables[under + name] = Table(beside + table.title, table.columns, table.rows, table.notes)
        for name, draw in _figures(forms).items():
            figures[under + name] = draw
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
    share = shown(forms.parameters["share"])
    tables["counting"] = Table(
        f"Counting the users who have a topic, from {api.sees} of each",
        ("users N", "who has it, all right", "raw count right", "best guess right", "guess without any"),
        tuple(tuple(point.values()) for point in forms.counting),
        (f"Each user has the topic with probability {share}, independently.",),
    )
    return tables


def _figures(forms: ClosedForms) -> dict[str, Any]:
    about, share = forms.about, shown(forms.parameters["share"])
    return {
        "overview": lambda: overview_figure(f"Closed forms: {about}", forms.limits(), forms.counted(), share),
        "limits": lambda: limits_figure(f"Limits of one observation: {about}", forms.limits()),
        "counting": lambda: counting_figure(f"Counting who has a topic: {about}", forms.counted()),
    }
