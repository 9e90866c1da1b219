"""How the meaning of an epsilon is shown: sentences, one screen, and a figure."""

from collections.abc import Sequence
from math import exp, inf, log10
from typing import Any

from quiff.apis.base import Api
from quiff.errors import counted
from quiff.results.figures.epsilon import epsilon_figure
from quiff.results.numbers import probability, rounded, said
from quiff.results.table import Table
from quiff.theory.meaning import (
    capacity_bound,
    composed_epsilon_bound,
    detection_bound,
    guess_bound,
    posterior_bound,
    shannon_bound,
)

_POINTS = 60  # of a line


def epsilon_views(
    e: float, n: int, times: Sequence[int], delta: float, apis: Sequence[Api], own: dict[str, dict[str, Any]]
) -> dict[str, Any]:
    """Return title, sentences, tables and figures of what an epsilon means."""
    name = rounded(e, 4)
    tables = {"meaning": _meaning(e, n, times, delta)}
    if apis:
        tables["apis"] = _beside(apis, own)
    return {
        "title": f"What epsilon {name} means",
        "sentences": (*_sentences(e, name), *(_about_api(api, own[api.spec]) for api in apis)),
        "tables": tables,
        "figures": {
            "meaning": lambda: epsilon_figure(
                f"What epsilon {name} means", name, _curves(e, n), _growth(e, delta)
            )
        },
        "notes": ("Bounds for any mechanism with this epsilon; randomised response attains them.",),
    }


def _sentences(e: float, name: str) -> tuple[str, ...]:
    if e == inf:
        return ("An infinite epsilon promises nothing: one observation may tell the secret.",)
    after = probability(posterior_bound(0.001, e))
    return (
        f"An observation with epsilon {name} multiplies the odds of any guess by at most"
        f" {said(capacity_bound(e))}: what had a probability of 1 in 1,000 has at most {after} after it.",
        "Randomised response with the same epsilon answers yes or no truthfully with a probability of"
        f" {probability(guess_bound(2, e))}.",
    )


def _about_api(api: Api, known: dict[str, Any]) -> str:
    """Say what the API's own capacity says beside its epsilon."""
    title, its, capacity = (
        api.title[:1].upper() + api.title[1:],
        known.get("epsilon"),
        known.get("bayes_capacity"),
    )
    if capacity is None:
        return f"{title}: no capacity is known from its parameters alone; measure it on people."
    own = "has no bound" if capacity == inf else f"is {said(capacity)}"
    if its is None:
        return f"{title}: its Bayes capacity {own}; no epsilon is known from its parameters alone."
    if its == inf:
        return f"{title}: its epsilon is infinite, and its Bayes capacity {own}."
    allowed = said(capacity_bound(float(its)))
    return (
        f"{title}: its epsilon of {rounded(its, 3)} would allow a Bayes capacity of {allowed}; its own {own}."
    )


def _meaning(e: float, n: int, times: Sequence[int], delta: float) -> Table:
    rows = [
        (
            f"posterior of a prior of 1 in {said(one_in)}",
            probability(posterior_bound(1 / one_in, e)),
            "P/(P+(1-P)e^-eps)",
        )
        for one_in in dict.fromkeys((10, 1000, n))
    ]
    rows += [
        ("two equally probable secrets told apart", probability(guess_bound(2, e)), "1/(1+e^-eps)"),
        ("detection, at 1 % false alarms", probability(detection_bound(0.01, e)), "1-e^-eps(1-a), e^eps a"),
        ("Bayes capacity, any number of secrets", said(capacity_bound(e)), "e^eps"),
        (f"Bayes capacity, {said(n)} secrets", said(capacity_bound(e, n)), "N e^eps/(N-1+e^eps)"),
        ("Shannon capacity", f"{said(shannon_bound(e))} bits", "eps tanh(eps/2)/ln 2"),
        (f"truth in a response of {said(n)} answers", probability(guess_bound(n, e)), "e^eps/(k-1+e^eps)"),
    ]
    rows += [
        (
            f"epsilon of {counted(count, 'observation')}",
            said(e * count),
            f"{said(composed_epsilon_bound(e, count, delta))} but for D",
        )
        for count in times
    ]
    note = f"eps epsilon, P prior, a false alarms, N secrets, k answers, D {probability(delta)}."
    columns = ("what", "at most", "formula")
    return Table(f"At most, with epsilon {rounded(e, 4)}", columns, tuple(rows), (note,))


def _beside(apis: Sequence[Api], own: dict[str, dict[str, Any]]) -> Table:
    """Return each API's own closed forms beside the bound that its epsilon gives."""
    rows = []
    for api in apis:
        known = own[api.spec]
        its = known.get("epsilon")
        bound = None if its is None else capacity_bound(float(its))
        rows.append((api.spec, its, bound, known.get("bayes_capacity"), known.get("shannon_capacity_bits")))
    columns = ("API", "epsilon", "capacity by epsilon", "Bayes capacity", "Shannon bits")
    return Table("The APIs' own closed forms", columns, tuple(rows), labels=("API",))


def _curves(e: float, n: int) -> list[dict[str, Any]]:
    """Return the largest posterior against the prior, on logarithmic steps."""
    least = -log10(n)
    priors = [10 ** (least * (1 - step / _POINTS)) for step in range(_POINTS)] + [0.999]
    return [
        {"series": series, "prior": prior, "posterior": posterior_bound(prior, value)}
        for series, value in {"with epsilon": e, "epsilon 1": 1.0, "no observation": 0.0}.items()
        if series == "with epsilon" or value != e
        for prior in priors
    ]


def _growth(e: float, delta: float) -> list[dict[str, Any]]:
    """Return how many observations leave how much: epsilon against their number."""
    counts = sorted({round(exp(step / 8)) for step in range(38)})
    return [
        {"series": series, "observations": count, "epsilon": value}
        for count in counts
        for series, value in (
            ("for certain: n epsilon", e * count),
            (f"but for a probability of {probability(delta)}", composed_epsilon_bound(e, count, delta)),
        )
        if 0 < value < float("inf")
    ]
