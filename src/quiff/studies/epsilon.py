"""The question what an epsilon means: for a guess, for the best attack, and after many observations."""

from collections.abc import Iterator, Sequence
from math import exp, inf, log10
from typing import Any

from quiff.apis.base import Api, check_observations
from quiff.errors import ParameterError, counted
from quiff.results.figures.charts import Axis, beside, curves
from quiff.results.figures.figure import Figure
from quiff.results.layout import Chart, Layout, Pivot, Records
from quiff.results.numbers import probability, rounded, said
from quiff.results.result import Result
from quiff.results.rows import CLOSED, Row, Rows, rows_of
from quiff.results.table import Table
from quiff.studies.study import Findings, distinct_apis, study
from quiff.studies.words import capitalised
from quiff.theory.meaning import (
    capacity_bound,
    composed_epsilon_bound,
    detection_bound,
    guess_bound,
    posterior_bound,
    shannon_bound,
)
from quiff.theory.parameters import check_number, check_whole

_FALSE_ALARMS = 0.01
_POINTS = 60  # of a line


def _bound_rows(result: Result) -> Rows:
    """Return the bounds of the epsilon itself, without the closed forms of APIs."""
    return result.rows.where(api="")


def _sentences(result: Result) -> Iterator[str]:
    e, rows = result.words["epsilon"], _bound_rows(result)
    if e == inf:
        yield "An infinite epsilon promises nothing: one observation may tell the secret."
        return
    after = probability(rows.where(prior="1 in 1000")["largest_posterior"] or 0)
    yield (
        f"An observation with epsilon {rounded(e, 4)} multiplies the odds of any guess by at most"
        f" {said(rows['bayes_capacity'] or 0)}: what had a probability of 1 in 1,000 has at most {after}"
        " after it."
    )
    yield (
        "Randomised response with the same epsilon answers yes or no truthfully with a probability of"
        f" {probability(rows['told_apart'] or 0)}."
    )


def _of_apis(result: Result) -> Iterator[str]:
    """Say what the own capacity of each API says beside its epsilon."""
    for spec, api in result.apis.items():
        rows, title = result.rows.where(api=spec), capitalised(api.title)
        own, capacity = rows["epsilon"], rows["bayes_capacity"]
        if capacity is None:
            yield f"{title}: no capacity is known from its parameters alone; measure it on people."
            continue
        limit = "has no bound" if capacity == inf else f"is {said(capacity)}"
        if own is None:
            yield f"{title}: its Bayes capacity {limit}; no epsilon is known from its parameters alone."
        elif own == inf:
            yield f"{title}: its epsilon is infinite, and its Bayes capacity {limit}."
        else:
            yield (
                f"{title}: its epsilon of {rounded(own, 3)} would allow a Bayes capacity of"
                f" {said(capacity_bound(float(own)))}; its own {limit}."
            )


def _meaning(result: Result) -> Table:
    n, rows, delta = result.words["secrets"], _bound_rows(result), result.words["delta"]
    lines = [
        (
            f"posterior of a prior of 1 in {said(int(row.prior.removeprefix('1 in ')))}",
            probability(row.value),
            "P/(P+(1-P)e^-eps)",
        )
        for row in rows.where(quantity="largest_posterior")
    ]

    def text(quantity: str, write: Any, goal: str | None = None) -> str:
        chosen = rows if goal is None else rows.where(goal=goal)
        return str(write(chosen[quantity]))

    lines += [
        ("two equally probable secrets told apart", text("told_apart", probability), "1/(1+e^-eps)"),
        ("detection, at 1 % false alarms", text("detection", probability), "1-e^-eps(1-a), e^eps a"),
        ("Bayes capacity, any number of secrets", text("bayes_capacity", said), "e^eps"),
        (
            f"Bayes capacity, {said(n)} secrets",
            text("bayes_capacity", said, f"{n} secrets"),
            "N e^eps/(N-1+e^eps)",
        ),
        ("Shannon capacity", f"{text('shannon_capacity_bits', said)} bits", "eps tanh(eps/2)/ln 2"),
        (
            f"truth in a response of {said(n)} answers",
            text("truth", probability, f"{n} answers"),
            "e^eps/(k-1+e^eps)",
        ),
    ]
    lines += [
        (
            f"epsilon of {counted(count, 'observation')}",
            said(group["epsilon"] or 0),
            f"{said(group['composed_epsilon'] or 0)} but for D",
        )
        for (count,), group in rows.by("observations").items()
        if group["composed_epsilon"] is not None
    ]
    note = f"eps epsilon, P prior, a false alarms, N secrets, k answers, D {probability(delta)}."
    title = f"At most, with epsilon {rounded(result.words['epsilon'], 4)}"
    return Table(title, ("what", "at most", "formula"), tuple(lines), (note,))


def _allowed(rows: Rows, _: Result) -> float | None:
    own = rows["epsilon"]
    return None if own is None else capacity_bound(float(own))


APIS = Pivot(
    "The APIs' own closed forms",
    by=("api",),
    columns={
        "API": lambda rows, _: rows.rows[0].api,
        "epsilon": lambda rows, _: rows["epsilon"],
        "capacity by epsilon": _allowed,
        "Bayes capacity": lambda rows, _: rows["bayes_capacity"],
        "Shannon bits": lambda rows, _: rows["shannon_capacity_bits"],
    },
    where=lambda row, _: row.api != "",
    labels=("API",),
)


def _curve_points(result: Result) -> Records:
    """Return the largest posterior against the prior, on logarithmic steps."""
    e, least = result.words["epsilon"], -log10(result.words["secrets"])
    priors = [10 ** (least * (1 - step / _POINTS)) for step in range(_POINTS)] + [0.999]
    return [
        {"series": series, "prior": prior, "posterior": posterior_bound(prior, value)}
        for series, value in {"with epsilon": e, "epsilon 1": 1.0, "no observation": 0.0}.items()
        if series == "with epsilon" or value != e
        for prior in priors
    ]


def _figure(result: Result, points: Records) -> Figure:
    """Draw the largest posterior, and how many observations leave how much: epsilon against their number."""
    e, delta = result.words["epsilon"], result.words["delta"]
    growth = [
        {"series": series, "observations": count, "epsilon": value}
        for count in sorted({round(exp(step / 8)) for step in range(38)})
        for series, value in (
            ("for certain: n epsilon", e * count),
            (f"but for a probability of {probability(delta)}", composed_epsilon_bound(e, count, delta)),
        )
        if 0 < value < inf
    ]
    least, drawn = points[0]["prior"], {"with epsilon": f"epsilon {rounded(e, 4)}"}
    lines = [point | {"series": drawn.get(point["series"], point["series"])} for point in points]
    panels = [
        curves(
            lines,
            Axis("prior", "prior probability (log scale)", "log", least, 1),
            Axis("posterior", "largest posterior probability", "probability"),
            size=(330, 280),
        )
    ]
    if growth:
        across = Axis("observations", "observations (log scale)", "log", 1)
        up = Axis("epsilon", "epsilon (nats, log scale)", "log")
        panels.append(curves(growth, across, up, size=(330, 280)))
    return Figure.of(_title(result), beside(*panels))


def _title(result: Result) -> str:
    return f"What epsilon {rounded(result.words['epsilon'], 4)} means"


LAYOUT = Layout(
    _title,
    say={"meaning": _sentences, "apis": _of_apis},
    tables={"meaning": _meaning, "apis": APIS},
    charts={"meaning": Chart(_curve_points, _figure)},
)


@study(LAYOUT, default=False)
def explain_epsilon(
    epsilon: float | None = None,
    *apis: Api,
    secrets: int = 1_000_000,
    observations: Sequence[int] = (2, 10, 100),
    delta: float = 1e-6,
) -> Findings:
    """Say what local differential privacy with some epsilon allows at most, and what some APIs do beside it.

    All are bounds for any mechanism, any prior and any attack, and randomised response attains them.

    Parameters
    ----------
    epsilon
        The epsilon of one observation; by default that of the first API.
    apis
        APIs whose own closed forms stand beside the bounds.
    secrets
        N, how many secrets there are: users, or values.
    observations
        How many observations of the same secret to look at.
    delta
        The probability with which a smaller epsilon after several observations may fail.

    Examples
    --------
    >>> from quiff import api_from, explain_epsilon
    >>> result = explain_epsilon(7.19, api_from("topics"))
    >>> round(result["largest_posterior", "1 in 1000"], 3), round(result["topics", "bayes_capacity"], 2)
    (0.57, 66.36)

    Raises
    ------
    ParameterError
        If epsilon is below 0, or not given and the API has none.
    """
    chosen = distinct_apis(apis)
    rows = [
        row
        for api in chosen
        for limit in api.limits()
        if not limit.stage
        for row in rows_of(api, {limit.quantity: limit.value}, **CLOSED)
    ]
    if epsilon is None:
        epsilon = next((float(row.value) for row in rows if row.quantity == "epsilon"), None)
        if epsilon is None:
            raise ParameterError("epsilon is missing, and no API has one from its parameters alone; give it")
    e = float(check_number("epsilon", epsilon, 0, inf))
    n = check_whole("secrets", secrets, 2)
    times = sorted({check_observations(count) for count in observations})
    check_number("delta", delta, 0, 1)
    return Findings(
        (*_bounds(e, n, times, delta), *rows),
        notes=("Bounds for any mechanism with this epsilon; randomised response attains them.",),
        words={"epsilon": e, "secrets": n, "delta": delta},
        apis=chosen,
    )


def _bounds(e: float, n: int, times: Sequence[int], delta: float) -> Iterator[Row]:
    for one_in in dict.fromkeys((10, 1000, n)):
        numbers = {"largest_posterior": posterior_bound(1 / one_in, e)}
        yield from rows_of(None, numbers, prior=f"1 in {one_in}", **CLOSED)
    yield from rows_of(None, {"told_apart": guess_bound(2, e)}, prior="uniform", goal="secret", **CLOSED)
    yield from rows_of(None, {"detection": detection_bound(_FALSE_ALARMS, e)}, goal="secret", **CLOSED)
    yield from rows_of(None, {"bayes_capacity": capacity_bound(e)}, **CLOSED)
    yield from rows_of(None, {"bayes_capacity": capacity_bound(e, n)}, goal=f"{n} secrets", **CLOSED)
    yield from rows_of(None, {"shannon_capacity_bits": shannon_bound(e)}, **CLOSED)
    for k in dict.fromkeys((2, n)):
        yield from rows_of(None, {"truth": guess_bound(k, e)}, goal=f"{k} answers", **CLOSED)
    for count in times:
        numbers = {"epsilon": e * count, "composed_epsilon": composed_epsilon_bound(e, count, delta)}
        yield from rows_of(None, numbers, observations=count, **CLOSED)
