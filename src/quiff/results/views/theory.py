"""How closed forms are shown: parameters, a table for each section, and two figures."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from math import isinf
from typing import Any

from quiff.apis.base import Api, Limit
from quiff.results.figures.charts import Axis, beside, curves
from quiff.results.figures.figure import Figure
from quiff.results.figures.style import panel_title
from quiff.results.numbers import probability, said, shown
from quiff.results.quantities import QUANTITIES
from quiff.results.table import Table
from quiff.results.views.names import capitalised, described
from quiff.theory.curves import Curves
from quiff.theory.forms import FORMS, ClosedForms

_MILLION = 1_000_000
_SECTIONS = ("cookies", "stages", "worst case", "many epochs", "advertiser")  # those of the closed forms
_COLUMNS = ("quantity", "value", "unit", "meaning")
_SERIES = {
    "all_bits_right": "guess right who of the N has it (the paper's figure)",
    "best_count_right": "guess right how many have it",
    "prior_count_right": "the same without any observation",
}


def forms_views(found: Sequence[tuple[Api, tuple[Limit, ...], ClosedForms | None]]) -> dict[str, Any]:
    """Return title, sentences, tables and figures of the closed forms of some APIs."""
    title = "Limits of one observation, for any people and any prior"
    listed = [(api, limit) for api, limits, _ in found for limit in limits]
    last, before = ([pair for pair in listed if bool(pair[1].stage) is some] for some in (False, True))
    tables = {"limits": _limits(title, last)} if last else {}
    figures: dict[str, Any] = {}
    several = len(found) > 1
    for api, _, forms in found:
        if forms is None:
            continue
        under, beside = (f"{api.spec} ", f"{api.title} ({api.spec}): ") if several else ("", "")
        parts = _sections(api, forms)
        tables |= {under + name: replace(table, title=beside + table.title) for name, table in parts.items()}
        figures |= {under + name: draw for name, draw in _figures(forms).items()}
    if before:
        tables["limits of stages"] = _limits("Limits of earlier stages", before)
    return {
        "title": f"Closed forms: {', '.join(api.spec for api, _, _ in found)}",
        "heading": "; ".join(described(api) for api, _, _ in found),
        "sentences": tuple(text for api, limits, _ in found for text in _sentences(api, limits)),
        "tables": tables,
        "figures": figures,
    }


def _sentences(api: Api, limits: tuple[Limit, ...]) -> Iterator[str]:
    """Say what one observation can reveal at most, and what it means for one of many people."""
    name = capitalised(api.title)
    most = next((limit for limit in limits if limit.quantity == "bayes_capacity" and not limit.stage), None)
    if most is None:
        yield f"{name}: no closed form is known of its parameters alone; measure it on people."
    elif isinf(most.value):
        yield f"{name}: one observation ({api.sees}) can reveal anything, however many people there are."
    else:
        example = (
            "."
            if api.observer_knows_who
            else "; that of re-identification among a million people from 1 in 1,000,000 to"
            f" {probability(min(1, most.value / _MILLION))}."
        )
        yield (
            f"{name}: one observation ({api.sees}) multiplies the probability of any guess by at most"
            f" {said(most.value)}{example}"
        )


def _limits(title: str, found: Sequence[tuple[Api, Limit]]) -> Table:
    """Return limits of observations, API by API and stage by stage."""
    quantities = [QUANTITIES[limit.quantity] for _, limit in found]
    names = [api.stage_title(limit.stage) if limit.stage else described(api) for api, limit in found]
    head = "stage" if any(limit.stage for _, limit in found) else "API"
    several = len(set(names)) > 1
    return Table(
        title,
        (*([head] if several else []), "quantity", "limit", "unit", "formula"),
        tuple(
            (*([name] if several else []), quantity.title, limit.value, quantity.unit, limit.formula)
            for name, quantity, (_, limit) in zip(names, quantities, found, strict=True)
        ),
        tuple(dict.fromkeys(f"Assumed: {limit.assumes}." for _, limit in found if limit.assumes)),
        styles={"limit": [quantity.text for quantity in quantities]},
        group=head if several else "",
    )


def _sections(api: Api, forms: ClosedForms) -> dict[str, Table]:
    given = tuple((forms.titles[name], value) for name, value in forms.parameters.items())
    tables = {"parameters": Table("Parameters", ("parameter", "value"), given)}
    titles = dict.fromkeys(FORMS[name].section for name in forms.values)
    for key, title in zip(_SECTIONS, titles, strict=True):
        listed = [
            (FORMS[name], value) for name, value in forms.values.items() if FORMS[name].section == title
        ]
        texts = [QUANTITIES[form.quantity].text for form, _ in listed]
        rows = tuple((form.name, value, form.unit, form.meaning) for form, value in listed)
        tables[key] = Table(title, _COLUMNS, rows, styles={"value": texts})
    columns = ("users N", "who has it, all right", "raw count right", "best guess right", "guess without any")
    tables["counting"] = Table(
        f"Counting the users who have a topic, from {api.sees} of each: probabilities",
        columns,
        tuple(tuple(point.values()) for point in forms.counting()),
        (f"Each user has the topic with probability {shown(forms.parameters['share'])}, independently.",),
        styles=dict.fromkeys(columns[1:], probability),
    )
    return {name: table for name, table in tables.items() if table.rows}


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
