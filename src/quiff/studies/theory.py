"""The question what is known of APIs from their parameters alone: closed forms, behind ``quiff theory``."""

from collections.abc import Iterator
from math import isinf
from typing import Any

from quiff.apis.base import Api, Limit, all_limits
from quiff.apis.registry import DEFAULT
from quiff.apis.topics import further_forms
from quiff.results.figures.charts import Axis, Record, beside, curves
from quiff.results.figures.style import panel_title
from quiff.results.layout import Chart, Layout, Pivot
from quiff.results.numbers import capitalised, probability, said, shown
from quiff.results.quantities import QUANTITIES
from quiff.results.result import Result
from quiff.results.rows import CLOSED, Row, Rows, rows_of
from quiff.studies.study import Findings, distinct_apis, registered_api, study
from quiff.studies.words import described
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
_BY_QUANTITY = {form.quantity: form for form in FORMS.values()}
_SERIES = {
    "all_bits_right": "guess right who of the N has it (the paper's figure)",
    "best_count_right": "guess right how many have it",
    "prior_count_right": "the same without any observation",
}


def _sentences(result: Result) -> Iterator[str]:
    """Say what one observation can reveal at most, and what it means for one of many people."""
    for spec, api in result.apis.items():
        most = result.rows.where(api=spec, stage="")["bayes_capacity"]
        if most is None:
            yield f"{api.title}: no closed form is known of its parameters alone; see quiff measure."
        elif isinf(most):
            yield f"{api.title}: one observation ({api.sees}) can reveal anything, of however many people."
        else:
            example = "" if api.observer_knows_who else (
                "; that of re-identification among a million people from 1 in 1,000,000 to"
                f" {probability(min(1, most / _MILLION))}"
            )  # fmt: skip
            yield (
                f"{api.title}: one observation ({api.sees}) multiplies the probability of any guess by at"
                f" most {said(most)}{example}."
            )


def _limit(rows: Rows, result: Result) -> dict[str, str]:
    """Return the formula of a limit, and what it assumes."""
    row = rows.rows[0]
    texts: dict[str, str] = result.words["limits"].get(f"{row.api} {row.stage} {row.quantity}")
    return texts


def _assumed(stages: bool) -> Any:
    def notes(result: Result) -> list[str]:
        limits = [limit for key, limit in result.words["limits"].items() if ("  " not in key) is stages]
        return list(dict.fromkeys(f"Assumed: {limit['assumes']}." for limit in limits if limit["assumes"]))

    return notes


def _limits(title: str, stages: bool) -> Pivot:
    """Return the table of the limits of what is observed, or of the stages before, API by API."""
    return Pivot(
        title,
        by=("api", "stage", "quantity") if stages else ("api", "quantity"),
        columns={
            "limit": "value",
            "unit": "unit",
            "formula": lambda rows, result: _limit(rows, result)["formula"],
        },
        where=lambda row, result: (
            f"{row.api} {row.stage} {row.quantity}" in result.words["limits"] and bool(row.stage) is stages
        ),
        notes=(_assumed(stages),),
        group="observed" if stages else "API",
    )


def _section(title: str) -> Pivot:
    names = [name for name, form in _BY_QUANTITY.items() if form.section == title]
    return Pivot(
        title,
        by=("api", "quantity"),
        columns={"value": "value", "unit": "unit", "meaning": "meaning"},
        where=lambda row, result: (
            row.quantity in names and not row.stage and row.api in result.payload["forms"]
        ),
        group="API",
    )


def _settings(result: Result) -> Iterator[tuple[str, str, Any]]:
    for spec, forms in result.payload["forms"].items():
        for name, title in forms["titles"].items():
            yield capitalised(result.api_name(spec)), title, result.words["forms"][spec][name]


def _counted(result: Result) -> Iterator[tuple[Any, ...]]:
    for spec, points in result.payload["counting"].items():
        for point in points:
            yield capitalised(result.api_name(spec)), *point.values()


def _shares(result: Result) -> Iterator[str]:
    for spec, forms in result.words["forms"].items():
        yield (
            f"From {result.apis[spec].sees} of each; each user has the topic with probability"
            f" {shown(forms['share'])}, independently."
        )


COUNTING = Pivot(
    "Counting the users who have a topic: probabilities",
    records=_counted,
    columns={
        "API": 0,
        "users N": 1,
        "who has it, all right": (2, probability),
        "raw count right": (3, probability),
        "best guess right": (4, probability),
        "guess without any": (5, probability),
    },
    notes=(_shares,),
    group="API",
)


def _forms(result: Result) -> list[str]:
    """Return the APIs of the registry that have closed forms beyond limits, by spec."""
    return [spec for spec in result.payload["forms"] if registered_api(spec, result) is not None]


def _drawn(points: list[Record], result: Result, *parts: Any) -> Any:
    """Return some charts of the closed forms of each API, below each other."""
    panels = []
    for point in points:
        api = registered_api(point["spec"], result)
        forms = None if api is None else further_forms(api, **result.words["scenario"])
        panels += [] if forms is None else [part(forms) for part in parts]
    return panels[0] if len(panels) == 1 else beside(*panels, below=True)


def _drawn_limits(forms: ClosedForms) -> Any:
    title = f"What one observation can give away at most (the dot: these parameters): {forms.about}"
    return limits_chart(forms.limits()).properties(title=panel_title(title))


def _drawn_counts(forms: ClosedForms) -> Any:
    """Return the quantity of the paper's counting figure, and what an analyst who counts is interested in.

    A probability of 0 is left out, for it has no logarithm.
    """
    rows: list[Record] = [
        {"series": words, "users": point["n_users"], "probability": point[key] or None}
        for point in forms.counted()
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
    share = shown(forms.parameters["share"])
    title = f"Probability to learn who has a topic, if each user has it with probability {share}"
    return beside(*panels, shared=True).properties(title=panel_title(title))


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


def _chart(title: str, *parts: Any) -> Chart:
    return Chart(
        title,
        records=_forms,
        points={"spec": lambda spec, _: spec},
        draw=lambda points, result: _drawn(points, result, *parts),
        without="only limits are known of these APIs",
    )


LAYOUT = Layout(
    lambda result: f"Closed forms: {', '.join(result.apis)}",
    say={"limits": _sentences},
    tables={
        "limits": _limits("Limits of one observation, for any people and any prior", stages=False),
        "parameters": Pivot(
            "Parameters", records=_settings, columns={"API": 0, "parameter": 1, "value": 2}, group="API"
        ),
        **{key: _section(title) for title, key in _SECTIONS.items()},
        "counting": COUNTING,
        "limits of stages": _limits("Limits of earlier stages", stages=True),
    },
    charts={
        "overview": _chart("Closed forms: {of}", _drawn_limits, _drawn_counts),
        "limits": _chart("Limits of one observation: {of}", _drawn_limits),
        "counting": _chart("Counting who has a topic: {of}", _drawn_counts),
    },
    heading=lambda result: "; ".join(map(described, result.apis.values())),
    about=lambda result: result.words["about"],
)


@study(LAYOUT, default=False, command="theory", group="parameters")
def closed_forms(
    *apis: Api,
    prior_success: Real = 0.01,
    occurring: int | None = None,
    distinct_sets: int | None = None,
    n_users: int | None = None,
    epochs: int | None = None,
    contexts: int | None = None,
    prior_gain: Real | None = None,
    share: Real | None = None,
) -> Findings:
    """Evaluate what an API reveals, from its parameters alone.

    Of every API these are the limits of one observation, and the bound on adversaries with side information.
    The Topics API knows more: cookies beside it, its stages, many epochs, utility and counting. Then the
    figure shows capacity and epsilon against the noise, and the probability that users are counted right.

    Parameters
    ----------
    apis
        [default: topics]
    prior_success
        The probability with which an adversary succeeds before an observation, at whatever goal.
    occurring
        Topics in the union of all sets.  [default: all]
    distinct_sets
        Different sets among the users.  [default: all that can be]
    n_users
        Users.  [default: 1000000]
    epochs
        Epochs observed.  [default: 3]
    contexts
        Sites with third-party cookies.  [default: 100]
    prior_gain
        The probability that an advertiser names a topic of the set beforehand.  [default: top_s / occurring,
        the least]
    share
        The probability that a user has the topic to be counted.  [default: 1/2]

    Examples
    --------
    $ quiff theory --api topics:n_topics=v2,top_s=7,noise=1/20

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
    every = {
        "occurring": occurring,
        "distinct_sets": distinct_sets,
        "n_users": n_users,
        "epochs": epochs,
        "contexts": contexts,
        "prior_gain": prior_gain,
        "share": share,
    }
    scenario = {name: value for name, value in every.items() if value is not None}
    limits = {api: all_limits(api, P) for api in chosen}
    forms = {api: further_forms(api, prior_success=P, **scenario) for api in chosen}
    known = {api.spec: some for api, some in forms.items() if some is not None}
    return Findings(
        (row for api in chosen for row in _rows(api, limits[api], forms[api])),
        words={
            "limits": {
                f"{api.spec} {limit.stage} {limit.quantity}": {
                    "formula": limit.formula,
                    "assumes": limit.assumes,
                }
                for api in chosen
                for limit in limits[api]
            },
            "forms": {spec: dict(some.parameters) for spec, some in known.items()},
            "of": "; ".join(some.about for some in known.values()),
            "scenario": {"prior_success": P, **scenario},
            "about": {
                **{limit.quantity: _about(limit) for api in chosen for limit in limits[api]},
                **{name: FORMS[name].about() for some in known.values() for name in some.values},
            },
        },
        payload={
            "forms": {
                spec: {"titles": dict(some.titles), "quantities": list(some.values)}
                for spec, some in known.items()
            },
            "counting": {spec: list(some.counting()) for spec, some in known.items()},
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
