"""What the W3C Attribution API reveals: by one conversion, by many until budgets are spent, and by zeros."""

from collections.abc import Iterator, Sequence
from math import log
from typing import Any

from quiff.apis.noisy_histogram import W3CAttribution
from quiff.attribution.spending import after_weeks, budgets_of, exponential, told_by_zeros
from quiff.core.kernels.one_hot import OneHotKernel
from quiff.errors import ParameterError
from quiff.measures.capacity import bayes_capacity, shannon_estimate
from quiff.results.figures.charts import Axis, Record, beside, curves
from quiff.results.layout import Chart, Layout, Pivot
from quiff.results.numbers import many, probability, rounded, said
from quiff.results.result import Result
from quiff.results.rows import CLOSED, Between, Row, rows_of
from quiff.studies.study import Findings, study
from quiff.theory.parameters import check_number, check_whole

_LISTED = 4_096  # buckets up to which all of them are looked at
_EPSILONS, _BATCHES = (0.1, 1, 4, 10), (100, 1_000, 10_000, 100_000)
_ONE, _ELSEWHERE = "one conversion", "spent elsewhere"
_PEOPLE = 8e9


def _sentences(result: Result) -> Iterator[str]:
    e, shared = result.words["epsilon"], result.words["shared"]
    alone, *among = (result.rows.where(api=spec, stage=_ONE)["bayes_capacity"] for spec in result.apis)
    yield (
        f"One conversion with epsilon {rounded(e, 4)}, alone in its batch, multiplies the probability of a"
        f" right guess by at most {said(alone or 1)}; e^epsilon is {said(exponential(e))}."
    )
    if among and among[0] is not None:
        yield f"Among the others of its batch, by at most {said(among[0])}; epsilon is the same."
    last = result.payload["weeks"][-1]
    yield (
        f"After {many(last['weeks'], 'week')}, of {last['observer']} {last['released']} a week get something,"
        f" which multiplies the probability by {said(last['capacity'])} (at most {said(last['most'])})."
    )
    enough = log(_PEOPLE)
    yield (
        f"A global budget of {rounded(shared, 4)} bounds an epoch's odds by e^{rounded(shared, 4)}:"
        f" {'less' if shared < enough else 'more'} than singles out one of 8 billion people, for which"
        f" {rounded(enough, 3)} is enough."
    )
    budget, capacity, _ = result.payload["zeros"][0]
    yield (
        f"Zeros tell of others: with a global budget of {rounded(budget, 4)}, a site that knows of its"
        f" impression learns by a factor of {said(capacity)} whether others spent it, which its own budget"
        " does not count."
    )


OVER_WEEKS = Pivot(
    "Bayes capacity after some weeks",
    records="weeks",
    columns={
        "observer": "observer",
        "weeks": "weeks",
        "a week": "released",
        "epsilon": ("epsilon", said),
        "capacity": "capacity",
        "at most": "most",
        "guessed": ("guessed", probability),
    },
    notes=(
        "A week: conversions that release something. At most: by budgets. Guessed: the right one of {buckets}"
        " buckets and none, at a uniform prior.",
    ),
)


def _one_conversion(result: Result) -> Iterator[tuple[Any, ...]]:
    """Yield what one conversion reveals: alone in its batch, and among others where there are some."""
    batches = [result.rows.where(api=spec, stage=_ONE) for spec in result.apis]
    for name in ("bayes_capacity", "max_case_capacity", "epsilon", "shannon_capacity_bits"):
        line = [rows[name] for rows in batches]
        if line != [None] * len(line):
            yield name.replace("_", " "), *line, None
    yield "e^epsilon", *(exponential(result.words["epsilon"]) for _ in batches), None


ONE_CONVERSION = Pivot(
    "One conversion",
    records=_one_conversion,
    columns={"quantity": 0, "alone in its batch": 1, "among others": 2},
)


SPENT_ELSEWHERE = Pivot(
    "What zeros tell of other sites",
    records="zeros",
    columns={"global budget": 0, "capacity": 1, "epsilon": 2},
    notes=(
        "The secret: on how many other sites a browser converted before. Each took twice its own budget.",
    ),
)


def _percent(share: Any, digits: int | None) -> str:
    return f"{said(100 * share, digits)} %"


UTILITY = Pivot(
    "How well a campaign is counted",
    records="errors",
    columns={
        "": lambda line, _: f"epsilon {line[0]:g}",
        **{f"batch of {size:,}": (place, _percent) for place, size in enumerate(_BATCHES, start=1)},
    },
    notes=(
        "Mean error as a share of a bucket's count, where {attributed} of the batch is attributed, evenly to"
        " {buckets} buckets: 2/epsilon divided by that count.",
    ),
)


def _drawn(points: list[Record], result: Result) -> Any:
    left = curves(
        points,
        Axis("weeks", "weeks", "count"),
        Axis("capacity", "Bayes capacity (log scale)", "log", 1.0, result.words["buckets"] + 1.0),
        points=True,
        size=(330, 280),
    )
    errors = [
        {"series": f"batch of {size:,}", "epsilon": x, "error": error}
        for x, *line in result.payload["errors"]
        for size, error in zip(_BATCHES, line, strict=True)
    ]
    right = curves(
        errors,
        Axis("epsilon", "epsilon (log scale)", "log"),
        Axis("error", "relative error of a count (log scale)", "log"),
        size=(330, 280),
    )
    return beside(left, right)


LAYOUT = Layout(
    "What W3C Attribution reveals, with a budget of {written}",
    say={"leakage": _sentences},
    tables={
        "over weeks": OVER_WEEKS,
        "one conversion": ONE_CONVERSION,
        "spent elsewhere": SPENT_ELSEWHERE,
        "utility": UTILITY,
    },
    charts={
        "leakage": Chart(
            "What is revealed, and how well it counts",
            records="weeks",
            points={"series": "observer", "weeks": "weeks", "capacity": "capacity"},
            draw=_drawn,
        )
    },
)


@study(LAYOUT, command="attribution reveal", group="parameters")
def attribution_leakage(
    epsilon: float = 1.0,
    *,
    buckets: int = 20,
    others: int = 100,
    rate: float = 0.1,
    sites: int = 10,
    quota: float = 4.0,
    shared: float = 8.0,
    weeks: Sequence[int] = (1, 2, 4, 8, 12),
) -> Findings:
    """Measure what conversions reveal, and how well they count.

    They go through the W3C Attribution API. One conversion, alone in its batch and among others; then one
    site, and several that collude, week by week until budgets are spent; what zeros tell of other sites; and
    the error of counts. The secret is the bucket of a profile's impressions, the same every week, or none.
    Every site asks so that one conversion of a single epoch spends its whole budget, which reveals most. How
    many conversions release something is found by playing them on the executable model.

    Parameters
    ----------
    epsilon
        A site's budget for an epoch, and what one conversion asks for.
    buckets
        The histogram's size.
    others
        Other people in the batch.
    rate
        The probability that one of them adds to a bucket, for each.
    sites
        How many sites collude.
    quota
        The quota of the one impression site, as epsilon.
    shared
        The global budget, as epsilon.
    weeks
        After how many weeks.

    Examples
    --------
    $ quiff attribution reveal --epsilon 10 --quota 1000 --shared 1000 --sites 100

    >>> result = attribution_leakage(1, buckets=1, others=0, weeks=[1])
    >>> round(result["w3c_attribution:keys=1", "bayes_capacity"], 4)
    1.2212

    Raises
    ------
    ParameterError
        If a parameter is out of range.
    """
    e = float(check_number("epsilon", epsilon, 0, 100))
    if e == 0:
        raise ParameterError(what="epsilon", value=epsilon, allowed="above 0")
    most, whole = (float(check_number(*pair, 0, 1e6)) for pair in (("quota", quota), ("shared", shared)))
    times = sorted({check_whole("weeks", number, 1, 520) for number in weeks})
    n_sites = check_whole("sites", sites, 1, 1_000)
    single = W3CAttribution(epsilon=e, keys=buckets)
    batch = W3CAttribution(epsilon=e, keys=buckets, others=others, rate=rate)
    apis = (single, batch) if others else (single,)
    rows = [row for api in apis for row in _of_one(api)]
    spent = list(after_weeks(budgets_of(e, most, whole), e, buckets, n_sites, times))
    for after in spent:
        capacity = Between(after.capacity, after.capacity, after.high, "discretised")
        numbers = {"epsilon": after.epsilon, "bayes_capacity": capacity}
        about = {"stage": f"{after.observer}, {after.weeks} weeks", **CLOSED}
        rows += rows_of(single, numbers, observations=max(1, after.released * after.weeks), **about)
    zeros = [told_by_zeros(e, multiple) for multiple in (1, 2, 4, 8)]
    for budget, capacity_of_zeros, epsilon_of_zeros in zeros:
        numbers = {"bayes_capacity": capacity_of_zeros, "epsilon": epsilon_of_zeros}
        rows += rows_of(single, numbers, stage=f"global budget {budget:g}", goal=_ELSEWHERE, scope="all")
    errors = [[x, *(2 / x / (size * rate / buckets) for size in _BATCHES)] for x in _EPSILONS]
    for x, *line in errors:
        for size, error in zip(_BATCHES, line, strict=True):
            rows += rows_of(single, {"relative_error": error}, stage=f"epsilon {x:g}, batch {size}", **CLOSED)
    return Findings(
        rows,
        notes=(
            "The secret is the bucket of a profile's impressions, the same every week, or none.",
            "Every conversion is one of a single epoch and spends its site's whole budget.",
            "The aggregation service adds Laplace noise; over weeks, batches hold this profile alone.",
        ),
        words={
            "epsilon": e,
            "written": rounded(e, 4),
            "attributed": probability(rate),
            "shared": whole,
        },
        payload={"weeks": spent, "zeros": zeros, "errors": errors},
        apis=apis,
    )


def _of_one(api: W3CAttribution) -> Iterator[Row]:
    """Yield closed forms; what is only bounded by them, numerically with the error of the cells."""
    for limit in api.limits():
        if limit.bound == "equal":
            yield from rows_of(api, {limit.quantity: limit.value}, stage=_ONE, **CLOSED)
    if api.keys > _LISTED:
        return
    C = api.observe([None, *range(api.keys)])
    if api.others:
        low = float(bayes_capacity(C))
        capacity = {"bayes_capacity": Between(low, low, low * C.slack, "discretised")}
        yield from rows_of(api, capacity, stage=_ONE, scope="all")
    if (api.others or api.keys > 1) and isinstance(C.kernel, OneHotKernel):
        bits, error = shannon_estimate(C.kernel)
        estimate = {"shannon_capacity_bits": Between(bits, bits - error, bits + error, "monte-carlo")}
        yield from rows_of(api, estimate, stage=_ONE, scope="all")
