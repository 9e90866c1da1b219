"""The question how APIs compare: each with its unit, from parameters alone, and on people.

Numbers are grouped by what one observation is about, and never ranked across that.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from math import inf, isinf, log2, log10
from typing import Any

from quiff.apis.base import Api, all_limits, checked_people, in_a_month
from quiff.apis.registry import all_apis
from quiff.errors import ParameterError, QuiffError, SizeError
from quiff.measures.capacity import shannon_capacity
from quiff.people.population import Population
from quiff.results.figures.charts import Axis, marks
from quiff.results.layout import Cell, Chart, Get, Layout, Pivot
from quiff.results.numbers import amount, capitalised, many, probability, said
from quiff.results.result import Result
from quiff.results.rows import CLOSED, Row, Rows, rows_of
from quiff.results.table import Table
from quiff.studies.measure import api_rows
from quiff.studies.questions import GUESSED, api_of
from quiff.studies.study import Findings, assumed, distinct_apis, names_of, study
from quiff.studies.words import visits
from quiff.weeks.over_time import OverTime

_RECORDS = ("history", "conversions")  # raw events, of which each API takes its own part
_FEW = 10_000  # numbers of a channel whose Shannon capacity is found by iteration
_ABOUT = "one observation is about"
_LARGE = 10**7  # from here on a factor is read as a power of ten
_CROWD = 1_000_000  # people among whom one is re-identified, where nothing is known of any
_KINDS = {"min_capacity_bits": "min-capacity", "shannon_capacity_bits": "Shannon capacity"}


def factor(value: Any, digits: int | None = None) -> str:
    """Return a factor to be read: a power of ten if it is large."""
    return amount(value, digits) if value < _LARGE or isinf(value) else f"10^{said(log10(value), digits)}"


def _limit(spec: str, quantity: str, result: Result) -> Any:
    """Return a closed form of an API."""
    return result.rows.where(api=spec, scope="all")[quantity]


def _reidentified(spec: str, result: Result, month: bool) -> Row | None:
    """Return the probability of re-identification by one observation, or by those of a month."""
    rows = result.rows.where(api=spec, scope="people", quantity="posterior")
    return next((row for row in rows if (row.observations > 1) is month), None)


def _units(result: Result) -> dict[str, list[str]]:
    """Return the APIs by what one observation is about."""
    units: dict[str, list[str]] = {}
    for spec, api in result.apis.items():
        units.setdefault(str(api.unit), []).append(spec)
    return units


def _bits(value: Any) -> str:
    return "no limit" if isinf(value) else f"{said(value)} bits"


def _unit_sentences(result: Result) -> Iterator[str]:
    """Say what a unit reveals at most by each of its APIs, and that numbers compare within a unit only."""
    units = _units(result)
    if len(units) > 1:
        yield (
            f"{many(len(result.apis), 'API')}, under {len(units)} headings that say what one observation"
            " is about, such as a click or a user's week. Numbers compare under one heading only."
        )
    for unit, specs in units.items():
        bits = {spec: _limit(spec, "min_capacity_bits", result) for spec in specs}
        listed = [f"{result.api_name(spec)} {_bits(most)}" for spec, most in bits.items() if most is not None]
        if len(listed) > 1:
            yield f"{unit} reveals at most: {', '.join(map(capitalised, listed))}."


def _not_compared(result: Result) -> Iterator[str]:
    """Say of which APIs no limit is known, by which nobody is re-identified, and which are not measured."""
    missing = result.words["missing"]
    for spec in result.apis:
        if _limit(spec, "bayes_capacity", result) is None:
            once = result.rows.where(api=spec, scope="people", observations=1)
            capacity, epsilon = once["bayes_capacity"], once["epsilon"]
            known = "measure it on people" if capacity is None else (
                f"on the secrets of these people its capacity is {factor(capacity)}"
                f" ({_bits(log2(capacity))}), its epsilon {said(epsilon or 0)}"
            )  # fmt: skip
            name = capitalised(result.api_name(spec))
            yield f"No limit is known from the parameters alone of {name}; {known}."
    measured = [api for spec, api in result.apis.items() if result.population and spec not in missing]
    knowing = [api for api in measured if api.observer_knows_who]
    if knowing:
        yield (
            f"With {many(len(knowing), 'API')} the observer already knows who it is: nobody is re-identified,"
            " and what one event reveals of the secret is among what it is good for (--all)."
        )
    if missing:
        names = ", ".join(capitalised(result.api_name(spec)) for spec in missing)
        yield f"Not measured on these people: {names} (--all says why)."


def _history(result: Result) -> str:
    """Say which APIs are no longer alive."""
    past = [capitalised(result.api_name(spec)) for spec, api in result.apis.items() if api.shelf == "history"]
    listed = "; ".join(past)
    return (
        f"On the shelf of history, no longer pursued: {listed} (quiff apis says since when)." if past else ""
    )


def _revealed(month: bool) -> Get:
    """Return what says how probable re-identification is, or at most: then of 1 in a million."""

    def cell(spec: str, result: Result) -> Any:
        api, row = result.apis[spec], _reidentified(spec, result, month)
        capacity = _limit(spec, "bayes_capacity", result)
        if api.observer_knows_who:
            return "known already"
        if row is not None or _reidentified(spec, result, False) is not None:
            return None if row is None else row.value
        if capacity is None or (month and not api.month):
            return None
        times = api.month if month and api.redraws != "nothing" else 1
        most = inf if isinf(capacity) or times * log10(capacity) > log10(_CROWD) else capacity**times
        return f"at most {probability(min(1.0, most / _CROWD))}"

    return cell


def _months(result: Result) -> Iterator[str]:
    """Yield what a month is of each API, and between which ends its probability is."""
    for spec, api in result.apis.items():
        row = _reidentified(spec, result, month=True)
        if row is not None:
            brought, number = visits(api, row.observations), many(row.observations, "observation")
            words = brought if api.visit == "observation" else f"{brought}, {number}"
            ends = ""
            if row.low is not None and row.high is not None:
                cut = "outputs are cut into cells" if row.method == "discretised" else "95 % interval"
                ends = f" ({cut}: {probability(row.low)} to {probability(row.high)})"
            yield f"{result.api_name(spec)}: a month is {words}{ends}."


def _most(spec: str, result: Result) -> str | None:
    capacity = _limit(spec, "bayes_capacity", result)
    return None if capacity is None else f"{'' if isinf(capacity) else 'x '}{factor(capacity)}"


_API: Mapping[str, Cell] = {
    _ABOUT: lambda spec, result: capitalised(str(result.apis[spec].unit)),
    "API": lambda spec, result: capitalised(result.api_name(spec)),
}
ACROSS = Pivot(
    "A person who is observed once, and for a month: probability of re-identification",
    records=lambda result: result.apis,
    columns={
        **_API,
        "by one": (_revealed(month=False), probability),
        "in a month": (_revealed(month=True), probability),
        "any guess, at most": _most,
    },
    notes=(
        lambda result: (
            f"Among {result.words['people']}; users are {result.words['before']} before."
            if result.population
            else ""
        ),
        "What is observed differs from heading to heading: read across, do not rank down. 'At most' is"
        " a bound from the parameters, for a person who was 1 in 1,000,000 before; the last column, by how"
        " much any guess about the secret gets more probable.",
        "A month is 28 days: as many visits as these have units. Attributes stay the same in it.",
        _months,
    ),
    group=_ABOUT,
)


def _limit_cell(quantity: str) -> Get:
    return lambda spec, result: _limit(spec, quantity, result)


LIMITS = Pivot(
    "Limits of one observation, for any people and any prior",
    records=lambda result: result.apis,
    columns={
        **_API,
        "status": lambda spec, result: result.apis[spec].status,
        "capacity": (_limit_cell("bayes_capacity"), factor),
        "bits": _limit_cell("min_capacity_bits"),
        "Shannon": _limit_cell("shannon_capacity_bits"),
        "epsilon": _limit_cell("epsilon"),
        "max-case": (_limit_cell("max_case_capacity"), factor),
    },
    notes=(
        "capacity: by how much an observation multiplies the probability of any guess, at most; bits: its"
        " logarithm, min-capacity; Shannon: bits on average, at most the former where none is given; epsilon"
        " in nats; max-case: by how much the worst single output does.",
    ),
    group=_ABOUT,
)
GOALS = Pivot(
    "What one observation reveals, and is good for: probability to guess right",
    by=("api", "goal"),
    columns={_ABOUT: lambda rows, result: capitalised(str(api_of(rows, result).unit)), **GUESSED},
    where=lambda row, _: row.observations == 1 and row.prior == "population",
    group=_ABOUT,
)
MISSING = Pivot(
    "Not measured on these people",
    records=lambda result: result.words["missing"].items(),
    columns={"API": lambda pair, result: capitalised(result.api_name(pair[0])), "reason": 1},
)


def _first(result: Result) -> dict[str, Table]:
    """Return what is to be read across, and the limits, which come first where nobody is measured."""
    tables = {"across": ACROSS(result), "limits": LIMITS(result)}
    return tables if result.population else dict(reversed(tables.items()))


def _drawn_bits(rows: Rows, result: Result) -> Any:
    """Return a capacity in bits; an unlimited one is drawn as far as people can be told apart."""
    bits = rows.rows[0].value
    if isinf(bits):
        return log2(result.population["users"]) if result.population else None
    return bits


LAYOUT = Layout(
    lambda result: (
        f"{many(len(result.apis), 'API')} side by side"
        + (f": {result.words['users']}" if result.population else "")
    ),
    say={"units": _unit_sentences, "not compared": _not_compared},
    further={"history": _history},
    tables={"across": _first, "goals": GOALS, "missing": MISSING},
    charts={
        "capacity": Chart(
            "Capacity of one observation, unit by unit",
            by=("api", "quantity"),
            where={"scope": "all", "quantity": list(_KINDS)},
            points={
                "name": lambda rows, result: (
                    f"{result.api_name(rows.rows[0].api)} ({api_of(rows, result).unit})"
                ),
                "kind": lambda rows, _: _KINDS[rows.rows[0].quantity],
                "bits": _drawn_bits,
            },
            draw=lambda points, _: marks(points, Axis("bits", "bits"), tuple(_KINDS.values())),
            without="no capacity from the parameters alone is finite; give people",
        )
    },
    heading=lambda result: result.words["people"] if result.population else "",
)


@study(LAYOUT, default=False)
def compare(
    *apis: Api | Population | None,
    people: Population | None = None,
    goals: str | Iterable[str] | None = None,
    seed: int = 0,
) -> Findings:
    """Compare APIs: the limits of each, and on people what it reveals and what it is good for.

    An observation of one API is about a click, of another about a user's week: numbers are grouped by this
    unit, and none are ranked across units. Where the observer does not know who the user is, it is the
    probability of re-identification by one observation and, where the unit lasts some days, by those of a
    month of 28 days; elsewhere, what one event reveals of the secret. What cannot be measured on these
    people is listed with the reason.

    Parameters
    ----------
    apis
        What to compare; by default all APIs of the registry, with their default parameters. People may come
        first, as in `measure`.
    people
        The users and their attributes; without them the closed forms are compared.
    goals
        The attributes that a receiver wants to learn, for every API; by default all but the raw records
        ``history`` and ``conversions``. The goals of an API itself are always measured.
    seed
        Of estimates, where a month is too much to compute.

    Examples
    --------
    >>> from quiff import api_from, worked_example
    >>> result = compare(api_from("event_level"), api_from("aggregatable"))
    >>> [round(row.value, 2) for row in result.rows.where(quantity="min_capacity_bits")]
    [11.51, 6.64]
    >>> people, api = worked_example()
    >>> result = compare(people, api)
    >>> result[api.spec, "posterior"], round(float(result[api.spec, "posterior", 6]), 4)
    (Fraction(13, 20), 0.6666)

    Raises
    ------
    ParameterError
        If people or APIs are something else.
    """
    listed = list(apis)
    if listed and not isinstance(listed[0], Api) and (listed[0] is None or people is None):
        first = listed.pop(0)
        people = people if first is None else checked_people(first)
    if people is not None:
        people = _one_epoch(people)
    chosen = distinct_apis(listed) or all_apis(people)
    chosen = tuple(sorted(chosen, key=lambda api: [one.unit for one in chosen].index(api.unit)))
    named = () if goals is None else names_of(goals)
    wanted: list[str] = []
    if people is not None:
        for name in named:
            people.attribute(name)
        wanted = [name for name in named or people.attributes if name in named or name not in _RECORDS]
    rows: list[Row] = []
    missing: dict[str, str] = {}
    for api in chosen:
        compared, reason = _compared(api, people, wanted, seed)
        rows += compared
        missing |= {api.spec: reason} if reason else {}
    taken = dict.fromkeys(
        words for api in chosen if people is not None and api.spec not in missing for words in api.assumptions
    )
    return Findings(
        rows,
        notes=tuple(taken),
        warnings=() if people is None else (*people.warnings, *assumed(people, chosen)),
        words={"missing": missing},
        seed=seed if any(row.method in ("monte-carlo", "hybrid") for row in rows) else None,
        people=people,
        apis=chosen,
    )


def _one_epoch(people: Population) -> Population:
    """Return people in their first epoch."""
    if people.n_epochs == 1:
        return people
    note = f"There are {people.n_epochs} epochs; the first is compared, as if nothing changed in a month."
    first = people.epoch(0)
    return first.replaced(notes=(*first.notes, note))


def _compared(api: Api, people: Population | None, goals: list[str], seed: int) -> tuple[list[Row], str]:
    """Return the rows of one API, and why it is not measured, if it is not."""
    rows = list(_limits(api))
    if people is None:
        return rows, ""
    try:
        measured = list(_measured(people, api, goals, seed))
    except QuiffError as error:
        return rows, str(error).rstrip(".")
    limited = {row.quantity for row in measured if row.scope == "all"}
    return [row for row in rows if row.quantity not in limited] + measured, ""


def _limits(api: Api) -> Iterator[Row]:
    """Yield the closed forms of what is observed; a missing Shannon capacity by iteration, if it is small."""
    limits = [limit for limit in all_limits(api) if not limit.stage]
    for limit in limits:
        yield from rows_of(api, {limit.quantity: limit.value}, stage=api.name, **CLOSED)
    space = api.space() if limits else None
    if "shannon_capacity_bits" in [limit.quantity for limit in limits] or space is None:
        return
    with suppress(SizeError, ParameterError):
        C = api.observe(space)
        if C.inputs.size * C.outputs.size <= _FEW:
            bits = {"shannon_capacity_bits": shannon_capacity(C).value}
            yield from rows_of(api, bits, stage=api.name, scope="all")


def _measured(people: Population, api: Api, goals: list[str], seed: int) -> Iterator[Row]:
    """Yield the rows of the last stage on these people, and of the observations of a month."""
    ready = api.fit(people)
    rows = list(api_rows(people, api, goals, (), {}, ready))
    last = rows[-1].stage
    rows = [row for row in rows if row.stage == last and (row.scope == "all" or row.prior != "uniform")]
    yield from rows
    count = in_a_month(api)
    once = next((row for row in rows if row.quantity == "posterior"), None)
    if once is None or count is None or count < 2:
        return
    month = replace(once, observations=count)
    with suppress(SizeError):  # too much to be begun
        if api.redraws == "nothing":
            yield month
            return
        weeks = OverTime.of(people, ready)
        after, prior = weeks.estimates(count, seed)[-1], weeks.prior
        if after.method == "exact":
            yield replace(month, value=after.leakage * prior)
        else:
            low, high = after.low * prior, after.high * prior
            yield replace(month, value=after.leakage * prior, low=low, high=high, method=after.method)
