"""How what the Attribution API reveals is shown: one conversion, many, what zeros tell, and errors."""

from collections.abc import Sequence
from math import exp, inf, log
from typing import Any

from quiff.apis.base import Api
from quiff.errors import counted
from quiff.results.figures.charts import Axis, beside, curves
from quiff.results.figures.figure import Figure
from quiff.results.numbers import probability, rounded, said
from quiff.results.rows import Row, Rows
from quiff.results.table import Table

_PEOPLE = 8e9
_LARGEST = 700.0  # whose exponential is a float


def leakage_views(
    e: float,
    rows: Sequence[Row],
    apis: Sequence[Api],
    spent: Sequence[Any],
    zeros: Sequence[tuple[float, float, float]],
    errors: Sequence[tuple[float, int, float]],
    rate: float,
    buckets: int,
    shared: float,
) -> dict[str, Any]:
    """Return title, sentences, tables and figures."""
    last = spent[-1]
    known = Rows(tuple(rows)).where(stage="one conversion")
    tables = {
        "over weeks": _weeks(spent, buckets),
        "one conversion": _one(known, apis, e),
        "spent elsewhere": _zeros(zeros),
        "utility": _errors(errors, rate, buckets),
    }
    return {
        "title": f"What W3C Attribution reveals, with a budget of {rounded(e, 4)}",
        "sentences": tuple(_sentences(known, apis, e, last, shared, zeros, buckets)),
        "tables": tables,
        "figures": {"leakage": lambda: _figure(spent, errors, buckets)},
        "facts": {
            "weeks": [each._asdict() for each in spent],
            "spent_elsewhere": [
                {"global": g, "bayes_capacity": b, "epsilon": apart} for g, b, apart in zeros
            ],
            "utility": [{"epsilon": x, "batch": n, "relative_error": error} for x, n, error in errors],
        },
        "notes": (
            "The secret is the bucket of a profile's impressions, the same every week, or none.",
            "Every conversion is one of a single epoch and spends its site's whole budget.",
            "The aggregation service adds Laplace noise; over weeks, batches hold this profile alone.",
        ),
    }


def _sentences(
    known: Rows,
    apis: Sequence[Api],
    e: float,
    last: Any,
    shared: float,
    zeros: Sequence[Any],
    buckets: int,
) -> list[str]:
    single = known.where(api=apis[0].spec)
    said_of = [
        f"One conversion with epsilon {rounded(e, 4)}, alone in its batch, multiplies the probability of a"
        f" right guess by at most {said(single['bayes_capacity'] or 1)}; e^epsilon is {said(_exp(e))}."
    ]
    if len(apis) > 1 and (inside := known.where(api=apis[1].spec)["bayes_capacity"]) is not None:
        said_of.append(f"Among the others of its batch, by at most {said(inside)}; epsilon is the same.")
    most = said(min(_exp(last.epsilon), buckets + 1.0))
    said_of.append(
        f"After {counted(last.weeks, 'week')}, of {last.observer} {last.released} a week get something, which"
        f" multiplies the probability by {said(last.low)} (at most {most})."
    )
    enough = log(_PEOPLE)
    word = "less" if shared < enough else "more"
    said_of.append(
        f"A global budget of {rounded(shared, 4)} bounds an epoch's odds by e^{rounded(shared, 4)}: {word}"
        f" than singles out one of 8 billion people, for which {rounded(enough, 3)} is enough."
    )
    g, b, _ = zeros[0]
    said_of.append(
        f"Zeros tell of others: with a global budget of {rounded(g, 4)}, a site that knows of its impression"
        f" learns by a factor of {said(b)} whether others spent it, which its own budget does not count."
    )
    return said_of


def _exp(x: float) -> float:
    return exp(x) if x < _LARGEST else inf


def _one(known: Rows, apis: Sequence[Api], e: float) -> Table:
    quantities = ("bayes_capacity", "max_case_capacity", "epsilon", "shannon_capacity_bits")
    rows = [
        (name.replace("_", " "), *(known.where(api=api.spec)[name] for api in apis)) for name in quantities
    ]
    rows = [row for row in rows if any(cell is not None for cell in row[1:])]
    rows.append(("e^epsilon", *(_exp(e) for _ in apis)))
    columns = ("quantity", "alone in its batch", "among others")[: 1 + len(apis)]
    return Table("One conversion", columns, tuple(rows))


def _weeks(spent: Sequence[Any], buckets: int) -> Table:
    rows = tuple(
        (
            each.observer,
            each.weeks,
            each.released,
            each.epsilon,
            each.low,
            min(_exp(each.epsilon), buckets + 1.0),
            probability(each.low / (buckets + 1)),
        )
        for each in spent
    )
    columns = ("observer", "weeks", "a week", "epsilon", "capacity", "at most", "guessed")
    note = (
        "A week: conversions that release something. At most: by budgets. Guessed: the right one of"
        f" {buckets} buckets and none, at a uniform prior."
    )
    return Table("Bayes capacity after some weeks", columns, rows, (note,))


def _zeros(zeros: Sequence[tuple[float, float, float]]) -> Table:
    note = "The secret: on how many other sites a browser converted before. Each took twice its own budget."
    return Table(
        "What zeros tell of other sites", ("global budget", "capacity", "epsilon"), tuple(zeros), (note,)
    )


def _errors(errors: Sequence[tuple[float, int, float]], rate: float, buckets: int) -> Table:
    sizes = list(dict.fromkeys(size for _, size, _ in errors))
    values = {(x, size): error for x, size, error in errors}
    rows = tuple(
        (f"epsilon {x:g}", *(f"{said(100 * values[x, size])} %" for size in sizes))
        for x in dict.fromkeys(x for x, _, _ in errors)
    )
    columns = ("", *(f"batch of {size:,}" for size in sizes))
    note = (
        f"Mean error as a share of a bucket's count, where {probability(rate)} of the batch is attributed,"
        f" evenly to {buckets} buckets: 2/epsilon divided by that count."
    )
    return Table("How well a campaign is counted", columns, rows, (note,))


def _figure(spent: Sequence[Any], errors: Sequence[tuple[float, int, float]], buckets: int) -> Figure:
    records = [{"series": each.observer, "weeks": each.weeks, "capacity": each.low} for each in spent]
    names = list(dict.fromkeys(each.observer for each in spent))
    week = Axis("weeks", "weeks", "count")
    capacity = Axis("capacity", "Bayes capacity (log scale)", "log", 1.0, buckets + 1.0)
    left = curves(records, week, capacity, names, points=True, size=(330, 280))
    points = [{"series": f"batch of {size:,}", "epsilon": x, "error": error} for x, size, error in errors]
    sizes = list(dict.fromkeys(str(each["series"]) for each in points))
    right = curves(
        points,
        Axis("epsilon", "epsilon (log scale)", "log"),
        Axis("error", "relative error of a count (log scale)", "log"),
        sizes,
        size=(330, 280),
    )
    return Figure.of("What is revealed, and how well it counts", beside(left, right))
