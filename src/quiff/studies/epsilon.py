"""The question what an epsilon means: for a guess, for the best attack, and after many observations."""

from collections.abc import Iterator, Sequence
from math import exp, inf, log10
from typing import Any

from quiff.apis.base import Api, check_observations
from quiff.errors import ParameterError
from quiff.results.figures.charts import Axis, Point, Record, beside, curves, records
from quiff.results.layout import Chart, Layout, Pivot, Say, entry
from quiff.results.numbers import many, probability, rounded, said
from quiff.results.result import Result
from quiff.results.rows import CLOSED, Row, Rows, rows_of
from quiff.studies.study import Findings, distinct_apis, study
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
_FORMULAS = {
    "largest_posterior": "P/(P+(1-P)e^-eps)",
    "told_apart": "1/(1+e^-eps)",
    "detection": "1-e^-eps(1-a), e^eps a",
    "bayes_capacity": "e^eps",
    "bayes_capacity secrets": "N e^eps/(N-1+e^eps)",
    "shannon_capacity_bits": "eps tanh(eps/2)/ln 2",
    "truth answers": "e^eps/(k-1+e^eps)",
}


def _sentences(result: Result) -> Iterator[str]:
    e, rows = result.words["epsilon"], result.rows.where(api="")
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
    for spec, api in result.apis.items():
        if not list(result.rows.where(api=spec)):
            yield f"{api.title}: no closed form stands beside these bounds; see quiff measure."


def _of_api(rows: Rows, _: Result) -> dict[str, str]:
    """Say what the own capacity of an API says beside its epsilon."""
    strength, capacity = rows["epsilon"], rows["bayes_capacity"]
    limit = "has no bound" if capacity == inf else f"is {said(capacity or 0)}"
    if capacity is None:
        words = "no capacity is known from its parameters alone; measure it on people"
    elif strength is None:
        words = f"its Bayes capacity {limit}; no epsilon is known from its parameters alone"
    elif strength == inf:
        words = f"its epsilon is infinite, and its Bayes capacity {limit}"
    else:
        allowed = said(capacity_bound(float(strength)))
        own_epsilon = rounded(strength, 3)
        words = f"its epsilon of {own_epsilon} would allow a Bayes capacity of {allowed}; its own {limit}"
    return {"capacity": words}


def _whose(rows: Rows, _: Result) -> str:
    """Return what a bound is of: a prior, so many secrets or answers, or several observations."""
    row = rows.rows[0]
    if row.quantity in _OF:
        return _OF[row.quantity]
    if row.quantity == "epsilon":
        return many(row.observations, "observation")
    number, *noun = row.goal.split(" ")
    of = f"{said(int(number))} {noun[0]}" if noun else ""
    return f"1 in {said(int(row.prior[5:]))}" if row.prior.startswith("1 in") else of


def _formula(rows: Rows, _: Result) -> str:
    row = rows.rows[0]
    if rows["composed_epsilon"] is not None:
        return f"{said(rows['composed_epsilon'])} but for D"
    return _FORMULAS[f"{row.quantity} {row.goal.partition(' ')[2]}".strip()]


_WHAT = {"truth": "truth of a response"}
_OF = {"shannon_capacity_bits": "in bits", "detection": "1 % false alarms"}


def _lines(result: Result) -> list[Rows]:
    """Return the bounds, one by one; that of two answers is that of two secrets told apart."""
    groups = result.rows.where(api="").by("prior", "goal", "observations").values()
    lines = [
        Rows([row]) for rows in groups for row in rows if row.observations == 1 and row.goal != "2 answers"
    ]
    return [*lines, *(rows for rows in groups if rows.observations > 1)]


MEANING = Pivot(
    "At most, with epsilon {written}",
    records=_lines,
    columns={
        "what": lambda rows, result: _WHAT.get(rows.rows[0].quantity, entry(rows, "title", result)),
        "of": _whose,
        "at most": "value",
        "formula": _formula,
    },
    notes=("eps epsilon, P prior, a false alarms, N secrets, k answers, D {small}.",),
)
APIS = Pivot(
    "The APIs' own closed forms",
    by=("api",),
    columns={
        "epsilon": lambda rows, _: rows["epsilon"],
        "capacity by epsilon": lambda rows, _: (
            None if rows["epsilon"] is None else capacity_bound(float(rows["epsilon"]))
        ),
        "Bayes capacity": lambda rows, _: rows["bayes_capacity"],
        "Shannon bits": lambda rows, _: rows["shannon_capacity_bits"],
    },
    where=lambda row, _: row.api != "",
)


def _curve_points(result: Result) -> list[Point]:
    """Return the largest posterior against the prior, on logarithmic steps."""
    e, least = result.words["epsilon"], -log10(result.words["secrets"])
    priors = [10 ** (least * (1 - step / _POINTS)) for step in range(_POINTS)] + [0.999]
    series = {"no observation": 0.0, "epsilon 1": 1.0, f"epsilon {result.words['written']}": e}
    return [
        Point(name, prior, posterior_bound(prior, value))
        for name, value in series.items()
        for prior in priors
    ]


def _growth_points(result: Result) -> list[Point]:
    """Return epsilon against the number of observations, for certain and but for a small probability."""
    e, delta = result.words["epsilon"], result.words["delta"]
    return [
        Point(series, count, value)
        for count in sorted({round(exp(step / 8)) for step in range(38)})
        for series, value in (
            ("for certain: n epsilon", e * count),
            (f"but for a probability of {probability(delta)}", composed_epsilon_bound(e, count, delta)),
        )
        if 0 < value < inf
    ]


def _drawn(points: list[Record], result: Result) -> Any:
    """Return the largest posterior, and epsilon against the number of observations."""
    across = Axis("x", "prior probability (log scale)", "log", points[0]["x"], 1)
    up = Axis("y", "largest posterior probability", "probability")
    panels = [curves(points, across, up, size=(330, 280))]
    growth = _growth_points(result)
    if growth:
        across = Axis("x", "observations (log scale)", "log", 1)
        up = Axis("y", "epsilon (nats, log scale)", "log")
        panels.append(curves(records(growth), across, up, size=(330, 280)))
    return beside(*panels)


_TITLE = "What epsilon {written} means"
LAYOUT = Layout(
    _TITLE,
    say={
        "meaning": _sentences,
        "apis": Say("{api}: {capacity}.", by=("api",), where=lambda row, _: row.api != "", words=_of_api),
    },
    tables={"meaning": MEANING, "apis": APIS},
    charts={"meaning": Chart(_TITLE, points=_curve_points, draw=_drawn)},
)


@study(LAYOUT, default=False, command="epsilon", group="parameters")
def explain_epsilon(
    epsilon: float | None = None,
    *apis: Api,
    secrets: int = 1_000_000,
    observations: Sequence[int] = (2, 10, 100),
    delta: float = 1e-6,
) -> Findings:
    """Say what an epsilon means: guesses, attacks, observations.

    It is the epsilon of local differential privacy for one observation. All are bounds for any mechanism, any
    prior and any attack, and randomised response attains them. The figure shows the largest posterior against
    the prior, and epsilon against observations.

    Parameters
    ----------
    epsilon
        The epsilon of one observation; by default that of the first API.
    apis
        Its own closed forms stand beside the bounds; without an epsilon, that of the first is meant.
        [default: none]
    secrets
        How many secrets there are: users, or values.
    observations
        How many observations of the same secret to look at.
    delta
        The probability with which a smaller epsilon after several observations may fail.

    Examples
    --------
    $ quiff epsilon 7.19 --api topics

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
            raise ParameterError(
                "epsilon is missing, and no API has one from its parameters alone; give one (quiff measure"
                " has that of an API on people)"
            )
    e = float(check_number("epsilon", epsilon, 0, inf))
    n = check_whole("secrets", secrets, 2)
    times = sorted({check_observations(count) for count in observations})
    check_number("delta", delta, 0, 1)
    return Findings(
        (*_bounds(e, n, times, delta), *rows),
        notes=("Bounds for any mechanism with this epsilon; randomised response attains them.",),
        words={"epsilon": e, "written": rounded(e, 4), "small": probability(delta)},
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
