"""What the W3C Attribution API reveals: by one conversion, by many until budgets are spent, and by zeros."""

from collections.abc import Iterator, Sequence
from itertools import product
from math import exp, inf, log
from typing import Any

from quiff.apis.noisy_histogram import W3CAttribution
from quiff.attribution.spending import budgets_of, released_in_a_week, told_by_zeros
from quiff.core.kernels.one_hot import OneHotKernel
from quiff.errors import ParameterError, counted
from quiff.measures.capacity import bayes_capacity
from quiff.measures.noisy_histograms import repeated_capacity, shannon_estimate
from quiff.results.figures.charts import Axis, beside, curves
from quiff.results.figures.figure import Figure
from quiff.results.layout import Chart, Layout, Records
from quiff.results.numbers import probability, rounded, said
from quiff.results.result import Result
from quiff.results.rows import CLOSED, Between, Row, Rows, rows_of
from quiff.results.table import Table
from quiff.studies.study import Findings, study
from quiff.theory.parameters import check_number, check_whole

_LISTED = 4_096  # buckets up to which all of them are looked at
_EPSILONS, _BATCHES = (0.1, 1, 4, 10), (100, 1_000, 10_000, 100_000)
_ONE, _ELSEWHERE = "one conversion", "spent elsewhere"
_PEOPLE = 8e9
_LARGEST = 700.0  # whose exponential is a float


def _exp(x: float) -> float:
    return exp(x) if x < _LARGEST else inf


def _batches(result: Result) -> list[Rows]:
    """Return what one conversion reveals: alone in its batch, and among others where there are some."""
    return [result.rows.where(api=spec, stage=_ONE) for spec in result.apis]


def _weeks(result: Result) -> Records:
    """Return what an observer has after some weeks: how much at most by budgets, and how much it is."""
    entries = []
    for observer, weeks, released in result.words["weeks"]:
        rows = result.rows.where(stage=_after(observer, weeks))
        epsilon, capacity = float(rows["epsilon"] or 0), rows["bayes_capacity"] or 1
        most = min(_exp(epsilon), result.words["buckets"] + 1.0)
        entries.append(
            {"series": observer, "weeks": weeks, "released": released, "epsilon": epsilon}
            | {"capacity": capacity, "most": most}
        )
    return entries


def _after(observer: str, weeks: int) -> str:
    return f"{observer}, {weeks} weeks"


def _sentences(result: Result) -> Iterator[str]:
    e, shared = result.words["epsilon"], result.words["shared"]
    alone, *among = (rows["bayes_capacity"] for rows in _batches(result))
    yield (
        f"One conversion with epsilon {rounded(e, 4)}, alone in its batch, multiplies the probability of a"
        f" right guess by at most {said(alone or 1)}; e^epsilon is {said(_exp(e))}."
    )
    if among and among[0] is not None:
        yield f"Among the others of its batch, by at most {said(among[0])}; epsilon is the same."
    last = _weeks(result)[-1]
    yield (
        f"After {counted(last['weeks'], 'week')}, of {last['series']} {last['released']} a week get"
        f" something, which multiplies the probability by {said(last['capacity'])} (at most"
        f" {said(last['most'])})."
    )
    enough = log(_PEOPLE)
    word = "less" if shared < enough else "more"
    yield (
        f"A global budget of {rounded(shared, 4)} bounds an epoch's odds by e^{rounded(shared, 4)}: {word}"
        f" than singles out one of 8 billion people, for which {rounded(enough, 3)} is enough."
    )
    shared, capacity, _ = _zeros(result)[0]
    yield (
        f"Zeros tell of others: with a global budget of {rounded(shared, 4)}, a site that knows of its"
        f" impression learns by a factor of {said(capacity)} whether others spent it, which its own budget"
        " does not count."
    )


def _over_weeks(result: Result) -> Table:
    buckets = result.words["buckets"]
    return Table.of(
        "Bayes capacity after some weeks",
        _weeks(result),
        {
            "observer": "series",
            "weeks": "weeks",
            "a week": "released",
            "epsilon": lambda entry: entry["epsilon"],
            "capacity": lambda entry: entry["capacity"],
            "at most": "most",
            "guessed": lambda entry: probability(entry["capacity"] / (buckets + 1)),
        },
        notes=(
            "A week: conversions that release something. At most: by budgets. Guessed: the right one of"
            f" {buckets} buckets and none, at a uniform prior.",
        ),
    )


def _one_conversion(result: Result) -> Table:
    batches = _batches(result)
    quantities = ("bayes_capacity", "max_case_capacity", "epsilon", "shannon_capacity_bits")
    lines = [(name.replace("_", " "), *(rows[name] for rows in batches)) for name in quantities]
    lines = [line for line in lines if any(cell is not None for cell in line[1:])]
    lines.append(("e^epsilon", *(_exp(result.words["epsilon"]) for _ in batches)))
    columns = ("quantity", "alone in its batch", "among others")[: 1 + len(batches)]
    return Table("One conversion", columns, tuple(lines))


def _zeros(result: Result) -> list[tuple[float, Any, Any]]:
    """Return global budgets, and what zeros tell: capacity and epsilon."""
    groups = result.rows.where(goal=_ELSEWHERE).by("stage").values()
    budgets = result.words["global"]
    return [(g, rows["bayes_capacity"], rows["epsilon"]) for g, rows in zip(budgets, groups, strict=True)]


def _spent_elsewhere(result: Result) -> Table:
    note = "The secret: on how many other sites a browser converted before. Each took twice its own budget."
    columns = ("global budget", "capacity", "epsilon")
    return Table("What zeros tell of other sites", columns, tuple(_zeros(result)), (note,))


def _errors(result: Result) -> dict[tuple[float, int], float]:
    """Return the relative error of a count by epsilon and the size of the batch."""
    rows = result.rows.where(quantity="relative_error")
    return {key: float(row.value) for key, row in zip(product(_EPSILONS, _BATCHES), rows, strict=True)}


def _utility(result: Result) -> Table:
    errors, words = _errors(result), result.words
    return Table(
        "How well a campaign is counted",
        ("", *(f"batch of {size:,}" for size in _BATCHES)),
        tuple(
            (f"epsilon {x:g}", *(f"{said(100 * errors[x, size])} %" for size in _BATCHES)) for x in _EPSILONS
        ),
        (
            f"Mean error as a share of a bucket's count, where {probability(words['rate'])} of the batch is"
            f" attributed, evenly to {words['buckets']} buckets: 2/epsilon divided by that count.",
        ),
    )


def _figure(result: Result, points: Records) -> Figure:
    left = curves(
        [{name: point[name] for name in ("series", "weeks", "capacity")} for point in points],
        Axis("weeks", "weeks", "count"),
        Axis("capacity", "Bayes capacity (log scale)", "log", 1.0, result.words["buckets"] + 1.0),
        points=True,
        size=(330, 280),
    )
    right = curves(
        [
            {"series": f"batch of {size:,}", "epsilon": x, "error": error}
            for (x, size), error in _errors(result).items()
        ],
        Axis("epsilon", "epsilon (log scale)", "log"),
        Axis("error", "relative error of a count (log scale)", "log"),
        [f"batch of {size:,}" for size in _BATCHES],
        size=(330, 280),
    )
    return Figure.of("What is revealed, and how well it counts", beside(left, right))


LAYOUT = Layout(
    lambda result: f"What W3C Attribution reveals, with a budget of {rounded(result.words['epsilon'], 4)}",
    say={"leakage": _sentences},
    tables={
        "over weeks": _over_weeks,
        "one conversion": _one_conversion,
        "spent elsewhere": _spent_elsewhere,
        "utility": _utility,
    },
    charts={"leakage": Chart(_weeks, _figure)},
)


@study(LAYOUT)
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
    """Measure what the W3C Attribution API reveals about a browser profile, and how well it counts.

    The secret is the bucket of a profile's impressions, the same every week, or none. Every site asks so that
    one conversion of a single epoch spends its whole budget, which reveals most. How many conversions release
    something is found by playing them on the executable model.

    Parameters
    ----------
    epsilon
        A site's budget for an epoch, and the epsilon of a single conversion.
    buckets
        The histogram's size.
    others, rate
        How many others are in a batch, and the probability that one of them adds to a bucket, for each.
    sites
        How many sites collude.
    quota, shared
        The quota of the one impression site, and the global budget, as epsilon.
    weeks
        After how many weeks.

    Examples
    --------
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
        raise ParameterError("epsilon must be above 0")
    most, whole = (float(check_number(*pair, 0, 1e6)) for pair in (("quota", quota), ("shared", shared)))
    times = sorted({check_whole("weeks", number, 1, 520) for number in weeks})
    n_sites = check_whole("sites", sites, 1, 1_000)
    single = W3CAttribution(epsilon=e, keys=buckets)
    batch = W3CAttribution(epsilon=e, keys=buckets, others=others, rate=rate)
    apis = (single, batch) if others else (single,)
    rows = [row for api in apis for row in _of_one(api)]
    spent = []
    for observer, count in (("one site", 1), (f"{n_sites} colluding sites", n_sites)):
        released = released_in_a_week(budgets_of(e, most, whole), e, count)
        for number in times:
            spent.append([observer, number, released])
            rows += _of_many(single, _after(observer, number), released * number, e)
    zeros = [told_by_zeros(e, multiple) for multiple in (1, 2, 4, 8)]
    for budget, *numbers in zeros:
        told = dict(zip(("bayes_capacity", "epsilon"), numbers, strict=True))
        rows += rows_of(single, told, stage=f"global budget {budget:g}", goal=_ELSEWHERE, scope="all")
    for x, size in product(_EPSILONS, _BATCHES):
        error = {"relative_error": 2 / x / (size * rate / buckets)}
        rows += rows_of(single, error, stage=f"epsilon {x:g}, batch {size}", **CLOSED)
    return Findings(
        rows,
        notes=(
            "The secret is the bucket of a profile's impressions, the same every week, or none.",
            "Every conversion is one of a single epoch and spends its site's whole budget.",
            "The aggregation service adds Laplace noise; over weeks, batches hold this profile alone.",
        ),
        words={
            "epsilon": e,
            "buckets": buckets,
            "rate": rate,
            "shared": whole,
            "weeks": spent,
            "global": [budget for budget, *_ in zeros],
        },
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


def _of_many(api: W3CAttribution, stage: str, n: int, budget: float) -> Iterator[Row]:
    """Return what n conversions reveal: the epsilon of all impressions, and bounds of the capacity."""
    low, high = repeated_capacity(budget, n, api.keys) if n else (1.0, 1.0)
    numbers = {"epsilon": n * budget, "bayes_capacity": Between(low, low, high, "discretised")}
    return rows_of(api, numbers, stage=stage, observations=max(1, n), **CLOSED)
