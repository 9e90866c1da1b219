"""The question what some APIs can reveal at most about one of N people, behind the local page."""

from collections.abc import Iterator
from contextlib import suppress
from fractions import Fraction
from math import exp, isfinite, log
from typing import Any

from quiff.apis.base import Api, all_limits
from quiff.apis.topics import further_forms
from quiff.core.numbers import Number
from quiff.errors import QuiffError
from quiff.results.layout import Layout, Pivot
from quiff.results.numbers import many, probability, said, shown
from quiff.results.quantities import QUANTITIES
from quiff.results.result import Result
from quiff.results.rows import CLOSED, Row, Rows, rows_of
from quiff.results.table import Table
from quiff.studies.study import Findings, distinct_apis, study
from quiff.studies.words import heading
from quiff.theory.forms import FORMS

CHIEF = ("bayes_capacity", "epsilon", "genuine_probability", "max_case_capacity", "min_capacity_bits")
"""The numbers that people ask for first, in their order."""

_LARGE = 3
_TITLES = {
    "genuine_probability": "what is observed is genuine",
    "iba_lower": "an advertiser is right, at least",
    "iba_upper": "an advertiser is right, at most",
}
_PERIODS = {7.0: "week", 1.0: "day"}
_SHOWN = (*CHIEF, "posterior", "shannon_capacity_bits", "iba_lower", "iba_upper")


def capacity_of(api: Api) -> Any:
    """Return the Bayes capacity of what is observed; None if no closed form is known."""
    limits = (limit for limit in all_limits(api) if not limit.stage and limit.quantity == "bayes_capacity")
    return next((limit.value for limit in limits), None)


def reidentified(api: Api, capacity: Any, n: int, n_users: int) -> float | None:
    """Return the most that n observations re-identify one of N users with, min(1, capacity^n / N).

    Where nothing is drawn anew, more observations show the same once more.

    >>> from quiff import api_from
    >>> round(1 / reidentified(api_from("topics"), 66.36, 1, 1_000_000))
    15069
    """
    if capacity is None or api.observer_knows_who:
        return None
    n = min(1, n) if api.redraws == "nothing" else n
    if n and not isfinite(capacity):
        return 1.0
    return exp(min(0.0, (n * log(capacity) if n else 0.0) - log(n_users)))


def period_of(apis: tuple[Api, ...]) -> str:
    """Return what passes from one observation to the next: a week or a day, if it is the same for all.

    Where the first visit shows several, observations are no weeks.
    """
    units = {api.unit.days if api.shown_at_first == 1 else None for api in apis if api.redraws != "nothing"}
    return _PERIODS.get(units.pop() or 0.0, "observation") if len(units) == 1 else "observation"


def _sentences(result: Result) -> Iterator[str]:
    """Say what one observation can reveal at most, and several of one of N people."""
    n, users = result.words["observations"], result.words["n_users"]
    for spec, api in result.apis.items():
        rows = result.rows.where(api=spec, stage="")
        most, once = rows["bayes_capacity"], rows.where(observations=1)["posterior"]
        name = f"{api.title}: one observation ({api.sees})"
        if most is None:
            yield f"{api.title}: nothing is known from its parameters alone; measure it on people."
        elif once is None:
            yield (
                f"{name} multiplies the probability of any guess about the secret by at most {said(most)}."
                " Its receiver knows already who the person is."
            )
        elif most == 1:
            yield f"{name} says nothing about who the person is."
        else:
            factor = f"at most {said(most)}" if isfinite(most) else "as much as there are people"
            several, over = rows.where(observations=n)["posterior"] or once, ""
            if once < several:
                bound = (
                    f"to at most {probability(several)}"
                    if several < 1
                    else "this bound is 100 %, and promises nothing"
                )
                over = f"{', and' if several < 1 else ';'} after {many(n, result.words['period'])} {bound}"
            yield (
                f"{name} multiplies the probability of re-identification by {factor}; among {users:,} people,"
                f" from {probability(Fraction(1, users))} to {probability(once)}{over}."
            )


def difference(first: Any, second: Any, unit: str = "") -> str:
    """Return how the second number differs from the first: of probabilities in points, and in percent.

    Examples
    --------
    >>> difference(66.36, 89.16), difference(0.95, 0.95), difference(1.5, float("inf")), difference(1, None)
    ('+22.8 (+34.4 %)', 'the same', 'from finite to infinite', '')
    >>> difference(0.0275, 0.0353, "probability")
    '+0.78 points (+28.4 %)'
    """
    if first is None or second is None:
        return ""
    if first == second:
        return "the same"
    try:
        change, start = float(second) - float(first), float(first)
    except OverflowError:  # a fraction that no float can hold
        return f"from {shown(first)} to {shown(second)}"
    if not (isfinite(first) and isfinite(second)):
        return "from infinite to finite" if isfinite(second) else "from finite to infinite"
    share = f" ({100 * change / start:+.3g} %)" if start else ""
    points = unit == "probability"
    size = f"{said(abs(change) * (100 if points else 1))}{' points' if points else ''}"
    return f"{'+' if change > 0 else '-'}{size}{share}"


def _compared(result: Result) -> Table:
    """Return the numbers of all APIs side by side, with the difference of two."""
    lines = list(result.rows.by("stage", "quantity", "observations").items())
    order = list(dict.fromkeys((*_SHOWN, *result.rows.values("quantity"))))
    lines.sort(key=lambda line: (line[0][0] != "", order.index(line[0][1])))
    columns: dict[str, Any] = {"number": lambda line: _title(line[1], result)}
    for spec in result.apis:
        columns[result.api_name(spec)] = lambda line, spec=spec: _text(line, spec)
    if len(result.apis) == 2:
        one, two = result.apis
        columns["difference"] = lambda line: difference(
            _value(line, one), _value(line, two), QUANTITIES[line[0][1]].unit
        )
    columns["what it is"] = lambda line: QUANTITIES[line[0][1]].meaning
    return Table.of("Numbers", lines, columns)


def _titled(quantity: str) -> str:
    return _TITLES.get(quantity, QUANTITIES[quantity].title)


def _title(rows: Rows, result: Result) -> str:
    row = rows.rows[0]
    stage = f": {result.apis[row.api].stage_title(row.stage)}" if row.stage else ""
    if row.quantity == "posterior":
        stage = f" after {many(row.observations, result.words['period'])}, at most"
    return f"{_titled(row.quantity)}{stage}"


def _value(line: tuple[Any, Rows], spec: str) -> Number | None:
    return line[1].where(api=spec)[line[0][1]]


def _text(line: tuple[Any, Rows], spec: str) -> str:
    value = _value(line, spec)
    return "not known" if value is None else QUANTITIES[line[0][1]].text(value)


def _about(key: str) -> Any:
    def cell(rows: Rows, result: Result) -> str | None:
        row = rows.rows[0]
        text: str | None = result.words["about"].get(f"{row.api} {row.stage} {row.quantity}", {}).get(key)
        return text

    return cell


def _lines(result: Result, alike: bool = True) -> list[Rows]:
    """Return each closed form of each API by itself, or of one of those that are alike but for parameters."""
    names = {api.name: spec for spec, api in reversed(list(result.apis.items()))}
    shown = list(result.apis) if alike else list(names.values())
    rows = (row for row in result.rows if row.quantity != "posterior" and row.api in shown)
    return list(Rows(rows).by("api", "stage", "quantity").values())


_API = {"API": lambda rows, result: result.api_name(rows.rows[0].api)}
_FORMULA = {name: _about(name) for name in ("formula", "source", "assumes")}
FORMULAS = Pivot(
    "Formulas",
    records=lambda result: _lines(result, alike=False),
    columns={**_API, "number": lambda rows, result: _title(rows, result), **_FORMULA},
    group="API",
)
CLOSED_FORMS = Pivot(
    "Closed forms",
    records=_lines,
    columns={
        **_API,
        "number": lambda rows, result: _title(rows, result),
        "value": "value",
        "unit": "unit",
        "meaning": "meaning",
        **_FORMULA,
    },
)


@study(
    Layout(
        "What one observation can reveal at most",
        say={"bounds": _sentences},
        tables={"numbers": _compared, "formulas": FORMULAS, "closed-forms": CLOSED_FORMS},
        heading=heading,
    ),
    default=False,
)
def bounds(*apis: Api, n_users: int = 1_000_000, observations: int = 4) -> Findings:
    """Bound from parameters alone what APIs reveal about one of N equally probable people.

    The closed forms are those of `closed_forms`; n observations re-identify with at most
    min(1, capacity^n / N).

    Parameters
    ----------
    apis
        The APIs.
    n_users
        N.
    observations
        n.

    Examples
    --------
    >>> from quiff import api_from
    >>> result = bounds(api_from("topics"), n_users=1_000_000, observations=2)
    >>> round(1 / result["topics", "posterior", 1]), round(1 / result["topics", "posterior", 2])
    (15069, 227)
    """
    chosen = distinct_apis(apis)
    rows: list[Row] = []
    about: dict[str, dict[str, str]] = {}
    remarks: list[str] = []
    for api in chosen:
        limits = sorted(all_limits(api), key=lambda limit: limit.stage != "")  # what is observed comes first
        forms = further_forms(api)
        for limit in limits:
            rows += rows_of(api, {limit.quantity: limit.value}, stage=limit.stage, **CLOSED)
            about[f"{api.spec} {limit.stage} {limit.quantity}"] = {
                "formula": limit.formula,
                "source": limit.source,
                "assumes": limit.assumes,
            }
        bounded = {limit.quantity for limit in limits if not limit.stage}
        further = {} if forms is None else {k: v for k, v in forms.values.items() if k in _SHOWN}
        for name in [name for name in further if name not in bounded]:
            rows += rows_of(api, {name: further[name]}, **CLOSED)
            about[f"{api.spec}  {name}"] = FORMS[name].about()
        for n in dict.fromkeys((1, observations)):
            most = reidentified(api, capacity_of(api), n, n_users)
            rows += rows_of(api, {"posterior": most}, goal="user", observations=n, **CLOSED)
        with suppress(QuiffError):  # a parameter is known with people only
            remarks += api.remarks()
    quantities = [row.quantity for row in rows if not row.stage]
    chief = [QUANTITIES[name] for name in CHIEF if name in quantities][:_LARGE]
    return Findings(
        rows,
        notes=tuple(dict.fromkeys(remarks)),
        words={
            "period": period_of(chosen),
            "chief": {
                entry.name: {"unit": entry.unit, "meaning": entry.meaning, "title": _titled(entry.name)}
                for entry in chief
            },
            "about": about,
        },
        apis=chosen,
    )
