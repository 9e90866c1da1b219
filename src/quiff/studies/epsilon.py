"""The question what an epsilon means: for a guess, for the best attack, and after many observations."""

from collections.abc import Iterator, Sequence
from typing import Any

from quiff.apis.base import Api, check_observations, checked_api
from quiff.errors import ParameterError
from quiff.results.result import Provenance, Result
from quiff.results.rows import Row
from quiff.results.views.epsilon import epsilon_views
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


def explain_epsilon(
    epsilon: float | None = None,
    *apis: Api,
    secrets: int = 1_000_000,
    observations: Sequence[int] = (2, 10, 100),
    delta: float = 1e-6,
) -> Result:
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
    chosen = tuple(map(checked_api, apis))
    own = {
        api.spec: {limit.quantity: limit.value for limit in api.limits() if not limit.stage} for api in chosen
    }
    if epsilon is None:
        epsilon = next(
            (float(own[api.spec]["epsilon"]) for api in chosen if "epsilon" in own[api.spec]), None
        )
        if epsilon is None:
            raise ParameterError("epsilon is missing, and no API has one from its parameters alone; give it")
    e = float(check_number("epsilon", epsilon, 0, float("inf")))
    n = check_whole("secrets", secrets, 2)
    times = sorted({check_observations(count) for count in observations})
    check_number("delta", delta, 0, 1)
    rows = (*_bounds(e, n, times, delta), *_of_apis(chosen, own))
    return Result(
        rows=rows,
        facts={"epsilon": e, "secrets": n, "delta": delta},
        provenance=Provenance(
            f"quiff.explain_epsilon({', '.join([repr(epsilon), *map(repr, chosen)])})",
            parameters={api.spec: api.parameters() for api in chosen},
            sources=tuple(dict.fromkeys(api.source for api in chosen if api.source)),
        ),
        **epsilon_views(e, n, times, delta, chosen, own),
    )


def _bounds(e: float, n: int, times: Sequence[int], delta: float) -> Iterator[Row]:
    def row(quantity: str, value: float, prior: str = "", goal: str = "", count: int = 1) -> Row:
        return Row("", None, "", goal, prior, count, quantity, value, method="formula", scope="all")

    for one_in in dict.fromkeys((10, 1000, n)):
        yield row("largest_posterior", posterior_bound(1 / one_in, e), f"1 in {one_in}")
    yield row("told_apart", guess_bound(2, e), "uniform", "secret")
    yield row("detection", detection_bound(_FALSE_ALARMS, e), goal="secret")
    yield row("bayes_capacity", capacity_bound(e))
    yield row("bayes_capacity", capacity_bound(e, n), goal=f"{n} secrets")
    yield row("shannon_capacity_bits", shannon_bound(e))
    for k in dict.fromkeys((2, n)):
        yield row("truth", guess_bound(k, e), goal=f"{k} answers")
    for count in times:
        yield row("epsilon", e * count, count=count)
        yield row("composed_epsilon", composed_epsilon_bound(e, count, delta), count=count)


def _of_apis(apis: tuple[Api, ...], own: dict[str, dict[str, Any]]) -> Iterator[Row]:
    for api in apis:
        for quantity, value in own[api.spec].items():
            yield Row(api.spec, api.unit, "", "", "", 1, quantity, value, method="formula", scope="all")
