"""The question what is known of APIs from their parameters alone: closed forms, behind ``quiff theory``."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from math import isinf
from typing import Any

from quiff.apis.base import Api, Limit, all_limits
from quiff.apis.defaults import DEFAULT
from quiff.results.figures.charts import Axis, beside, curves
from quiff.results.figures.figure import Figure
from quiff.results.figures.style import panel_title
from quiff.results.layout import Layout, Several
from quiff.results.numbers import probability, said, shown
from quiff.results.quantities import QUANTITIES
from quiff.results.result import Result
from quiff.results.rows import CLOSED, Row, rows_of
from quiff.results.table import Table
from quiff.studies.study import Findings, distinct_apis, registered_api, study
from quiff.studies.words import capitalised, described
from quiff.theory.curves import Curves
from quiff.theory.forms import FORMS, ClosedForms
from quiff.theory.parameters import Real, check_probability

_MILLION = 1_000_000
_SECTIONS = dict(
    zip(
        dict.fromkeys(form.section for form in FORMS.values()),
        ("cookies", "stages", "worst case", "many epochs", "advertiser"),
        strict=True,
    )
)
_SERIES = {
    "all_bits_right": "guess right who of the N has it (the paper's figure)",
    "best_count_right": "guess right how many have it",
    "prior_count_right": "the same without any observation",
}


def _sentences(result: Result) -> Iterator[str]:
    """Say what one observation can reveal at most, and what it means for one of many people."""
    for spec, api in result.apis.items():
        name, most = capitalised(api.title), result.rows.where(api=spec, stage="")["bayes_capacity"]
        if most is None:
            yield f"{name}: no closed form is known of its parameters alone; measure it on people."
        elif isinf(most):
            yield f"{name}: one observation ({api.sees}) can reveal anything, however many people there are."
        else:
            example = "" if api.observer_knows_who else (
                "; that of re-identification among a million people from 1 in 1,000,000 to"
                f" {probability(min(1, most / _MILLION))}"
            )  # fmt: skip
            yield (
                f"{name}: one observation ({api.sees}) multiplies the probability of any guess by at most"
                f" {said(most)}{example}."
            )


def _limits(title: str, of_stages: bool) -> Callable[[Result], Table]:
    """Return a table of the limits of what is observed, or of the stages before, API by API."""

    def table(result: Result) -> Table:
        limits = [limit for limit in result.words["limits"] if bool(limit["stage"]) is of_stages]
        quantities = [QUANTITIES[limit["quantity"]] for limit in limits]
        names = [
            result.apis[limit["api"]].stage_title(limit["stage"])
            if of_stages
            else described(result.apis[limit["api"]])
            for limit in limits
        ]
        several = [("stage" if of_stages else "API")] if len(set(names)) > 1 else []
        cells = []
        for name, quantity, limit in zip(names, quantities, limits, strict=True):
            rows = result.rows.where(api=limit["api"], stage=limit["stage"])
            line = (quantity.title, rows[quantity.name], quantity.unit, limit["formula"])
            cells.append((name, *line) if several else line)
        return Table(
            title,
            (*several, "quantity", "limit", "unit", "formula"),
            tuple(cells),
            tuple(dict.fromkeys(f"Assumed: {limit['assumes']}." for limit in limits if limit["assumes"])),
            styles={"limit": [quantity.text for quantity in quantities]},
            group="".join(several),
        )

    return table


def _view(spec: str, key: str, result: Result) -> str:
    """Return what a table or figure of an API is named by: the spec stands before it if there are several."""
    return f"{spec} {key}" if len(result.apis) > 1 else key


def _sections(result: Result) -> dict[str, Table]:
    """Return the closed forms of each API that has some beyond limits, a table for each section."""
    tables: dict[str, Table] = {}
    for spec, forms in result.payload["forms"].items():
        name = f"{result.apis[spec].title} ({spec}): " if len(result.apis) > 1 else ""
        for key, table in _sections_of(spec, forms, result).items():
            tables[_view(spec, key, result)] = replace(table, title=name + table.title)
    return tables


def _sections_of(spec: str, forms: Mapping[str, Any], result: Result) -> dict[str, Table]:
    parameters = result.words["forms"][spec]
    settings = tuple((title, parameters[name]) for name, title in forms["titles"].items())
    tables = {"parameters": Table("Parameters", ("parameter", "value"), settings)}
    values = result.rows.where(api=spec, stage="")
    for title, key in _SECTIONS.items():
        listed = [FORMS[name] for name in forms["quantities"] if FORMS[name].section == title]
        tables[key] = Table(
            title,
            ("quantity", "value", "unit", "meaning"),
            tuple((form.name, values[form.quantity], form.unit, form.meaning) for form in listed),
            styles={"value": [QUANTITIES[form.quantity].text for form in listed]},
        )
    columns = ("users N", "who has it, all right", "raw count right", "best guess right", "guess without any")
    tables["counting"] = Table(
        f"Counting the users who have a topic, from {result.apis[spec].sees} of each: probabilities",
        columns,
        tuple(tuple(point.values()) for point in result.payload["counting"][spec]),
        (f"Each user has the topic with probability {shown(parameters['share'])}, independently.",),
        styles=dict.fromkeys(columns[1:], probability),
    )
    return tables


def _figures(result: Result) -> dict[str, Callable[[], Figure]]:
    """Return the figures of the closed forms of each API of the registry."""
    draws: dict[str, Callable[[], Figure]] = {}
    for spec in result.payload["forms"]:
        api = registered_api(spec, result)
        forms = None if api is None else api.closed_forms(**result.words["scenario"])
        if forms is not None:
            drawn = {"overview": _overview, "limits": _drawn_limits, "counting": _drawn_counts}
            draws |= {_view(spec, key, result): partial(draw, forms) for key, draw in drawn.items()}
    return draws


def _overview(forms: ClosedForms) -> Figure:
    share = shown(forms.parameters["share"])
    limits = limits_chart(forms.limits()).properties(
        title=panel_title("What one observation can give away at most (the dot: these parameters)")
    )
    learn = f"Probability to learn who has a topic, if each user has it with probability {share}"
    counting = _counting(forms.counted()).properties(title=panel_title(learn))
    return Figure.of(f"Closed forms: {forms.about}", beside(limits, counting, below=True))


def _drawn_limits(forms: ClosedForms) -> Figure:
    return Figure.of(f"Limits of one observation: {forms.about}", limits_chart(forms.limits()))


def _drawn_counts(forms: ClosedForms) -> Figure:
    return Figure.of(f"Counting who has a topic: {forms.about}", _counting(forms.counted()))


def limits_chart(lines: Curves) -> Any:
    """Return capacity and epsilon along something; what is marked is black, a target grey."""
    most, highest = lines.most
    across = Axis("x", lines.x, "probability")
    axes = (
        Axis("capacity", "Bayes capacity (factor, log scale)", "log", 1, most),
        Axis("epsilon", "epsilon (nats)", "number", 0 if highest else None, highest),
    )
    options: dict[str, Any] = {"legend": lines.series, "dots": lines.dots, "rule": lines.rule}
    size = (330, 280)
    panels = [curves(lines.lines, across, up, lines.names, size=size, **options) for up in axes]
    return beside(*panels, shared=True)


def _counting(points: Iterable[Mapping[str, float]]) -> Any:
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
    panels = [
        curves(
            [row for row in rows if row["series"] in series], across, up, names, points=True, size=(330, 280)
        )
        for series, up in axes
    ]
    return beside(*panels, shared=True)


LAYOUT = Layout(
    lambda result: f"Closed forms: {', '.join(result.apis)}",
    say={"limits": _sentences},
    tables={
        "limits": _limits("Limits of one observation, for any people and any prior", of_stages=False),
        "sections": Several(_sections),
        "limits of stages": _limits("Limits of earlier stages", of_stages=True),
    },
    charts={"sections": Several(_figures)},
    heading=lambda result: "; ".join(map(described, result.apis.values())),
)


@study(LAYOUT, default=False)
def closed_forms(*apis: Api, prior_success: Real = 0.01, **scenario: Any) -> Findings:
    """Evaluate the closed forms of some APIs; no people are needed.

    Of every API these are the limits of one observation, and the bound on adversaries with side information.
    The Topics API knows more: cookies beside it, its stages, many epochs, utility and counting.

    Parameters
    ----------
    apis
        The APIs; by default the Topics API.
    prior_success
        The probability P with which an adversary succeeds before an observation, at whatever goal.
    **scenario
        For the Topics API: users, epochs, sites and more (see `quiff.theory.forms.Scenario.of`).

    Examples
    --------
    >>> forms = closed_forms()
    >>> round(forms["topics", "bayes_capacity"], 2), round(forms["topics", "epsilon"], 3)
    (66.36, 7.191)
    >>> from quiff import worked_example
    >>> closed_forms(worked_example()[1], occurring=4, n_users=3)["topics_posterior"]
    Fraction(13, 20)

    Raises
    ------
    ParameterError
        If a parameter lies outside its range, or an API has no use for it.
    """
    chosen = distinct_apis(apis) or (DEFAULT,)
    P = check_probability("prior_success", prior_success)
    limits = {api: all_limits(api, P) for api in chosen}
    own = {api: type(api).closed_forms is not Api.closed_forms for api in chosen}
    forms = {
        api: api.closed_forms(**({"prior_success": P} if own[api] else {}), **scenario) for api in chosen
    }
    last = {limit.quantity: limit for api in chosen for limit in limits[api]}
    return Findings(
        (row for api in chosen for row in _rows(api, limits[api], forms[api])),
        words={
            "limits": [
                {
                    "api": api.spec,
                    "stage": limit.stage,
                    "quantity": limit.quantity,
                    "formula": limit.formula,
                    "assumes": limit.assumes,
                }
                for api in chosen
                for limit in limits[api]
            ],
            "forms": {api.spec: dict(known.parameters) for api, known in forms.items() if known is not None},
            "scenario": {"prior_success": P, **scenario},
            "about": {
                **{name: _about(limit) for name, limit in last.items()},
                **{name: FORMS[name].about() for known in forms.values() if known for name in known.values},
            },
        },
        payload={
            "forms": {
                api.spec: {"titles": dict(known.titles), "quantities": list(known.values)}
                for api, known in forms.items()
                if known is not None
            },
            "counting": {
                api.spec: list(known.counting()) for api, known in forms.items() if known is not None
            },
        },
        apis=chosen,
    )


def _about(limit: Limit) -> dict[str, str]:
    quantity = QUANTITIES[limit.quantity]
    return {
        "unit": quantity.unit,
        "formula": limit.formula,
        "meaning": quantity.meaning,
        "source": limit.source,
        "assumes": limit.assumes or "nothing",
    }


def _rows(api: Api, limits: tuple[Limit, ...], forms: ClosedForms | None) -> Iterator[Row]:
    """Yield the closed forms, and the limits that are not among them."""
    values = {} if forms is None else forms.values
    yield from rows_of(api, values, **CLOSED)
    for limit in limits:
        if limit.stage or limit.quantity not in values:
            yield from rows_of(api, {limit.quantity: limit.value}, stage=limit.stage, **CLOSED)
