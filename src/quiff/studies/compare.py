"""The question how APIs compare: each with its unit, from parameters alone, and on people."""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any

from quiff.apis.base import Api, all_limits, checked_api, checked_people, in_a_month
from quiff.apis.defaults import all_apis
from quiff.errors import ParameterError, QuiffError, SizeError
from quiff.populations.population import Population
from quiff.results.result import Result
from quiff.results.rows import Row
from quiff.results.views.compare import Compared, comparison_views
from quiff.studies.checked import assumed, names_of
from quiff.studies.provenance import provenance, repeatable

_RECORDS = ("history", "conversions")  # raw events, of which each API takes its own part
_FEW = 10_000  # numbers of a channel whose Shannon capacity is found by iteration


@repeatable
def compare(
    *apis: Api | Population | None,
    people: Population | None = None,
    goals: str | Iterable[str] | None = None,
    seed: int = 0,
) -> Result:
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
    >>> [round(each["min_capacity_bits"], 2) for each in result.facts["apis"]]
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
    given = list(apis)
    if given and not isinstance(given[0], Api) and (given[0] is None or people is None):
        first = given.pop(0)
        people = people if first is None else checked_people(first)
    if people is not None:
        people = _one_epoch(checked_people(people))
    chosen = tuple(map(checked_api, given)) or all_apis(people)
    if len({api.spec for api in chosen}) < len(chosen):
        raise ParameterError("an API is there twice; name each once")
    wanted = _wanted(people, goals)
    compared = [_compared(api, people, wanted, seed) for api in chosen]
    compared.sort(key=lambda one: _first(chosen, one.api))
    taken = [words for one in compared if one.measured for words in one.api.assumptions]
    return Result(
        rows=tuple(row for one in compared for row in one.rows),
        notes=(*(people.notes if people is not None else ()), *dict.fromkeys(taken)),
        warnings=() if people is None else (*people.warnings, *assumed(people, chosen)),
        provenance=provenance(people, chosen, seed if any(one.drawn for one in compared) else None),
        **comparison_views(compared, people),
    )


def _one_epoch(people: Population) -> Population:
    """Return people in their first epoch."""
    if people.n_epochs == 1:
        return people
    note = f"There are {people.n_epochs} epochs; the first is compared, as if nothing changed in a month."
    first = people.epoch(0)
    return first.replaced(notes=(*first.notes, note))


def _first(apis: tuple[Api, ...], api: Api) -> int:
    """Return the place of the first API with the same unit: those of a unit stand together."""
    return next(place for place, each in enumerate(apis) if each.unit == api.unit)


def _wanted(people: Population | None, goals: str | Iterable[str] | None) -> list[str]:
    if people is None:
        return []
    if goals is None:
        return [name for name in people.attributes if name not in _RECORDS]
    for name in names_of(goals):
        people.attribute(name)
    return list(names_of(goals))


def _compared(api: Api, people: Population | None, goals: list[str], seed: int) -> Compared:
    """Return what is known of one API; why it is not measured, if it is not."""
    rows, reason = list(_limits(api)), ""
    if people is not None:
        try:
            found = list(_measured(people, api, goals, seed))
        except QuiffError as error:
            reason = str(error).rstrip(".")
        else:
            known = {row.quantity for row in found if row.scope == "all"}
            rows = [row for row in rows if row.quantity not in known] + found
    return Compared(api, tuple(rows), reason, people is not None and not reason)


def _limits(api: Api) -> Iterator[Row]:
    """Yield the closed forms of what is observed; a missing Shannon capacity by iteration, if it is small."""
    blank = Row(api.spec, api.unit, api.name, "", "", 1, "", 0, method="formula", scope="all")
    limits = [limit for limit in all_limits(api) if not limit.stage]
    for limit in limits:
        yield replace(blank, quantity=limit.quantity, value=limit.value)
    space = api.space() if limits else None
    if "shannon_capacity_bits" in [limit.quantity for limit in limits] or space is None:
        return
    with suppress(SizeError, ParameterError):
        C = api.observe(space)
        if C.inputs.size * C.outputs.size <= _FEW:
            from quiff.measures.shannon_capacity import shannon_capacity

            found = shannon_capacity(C)
            yield replace(blank, quantity="shannon_capacity_bits", value=found.value, method="exact")


def _measured(people: Population, api: Api, goals: list[str], seed: int) -> Iterator[Row]:
    """Yield the rows of the last stage on these people, and of the observations of a month."""
    from quiff.studies.measure import api_rows

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
        yield month if api.redraws == "nothing" else _after(people, ready, month, seed)


def _after(people: Population, api: Api, row: Row, seed: int) -> Row:
    """Return the row with what so many observations reveal."""
    from quiff.studies.figures_over_time import ordered, seen_of

    n = row.observations
    seen = seen_of(people, api, n, False, False, ())
    seen.check()
    (leakage, low, high, _, _), method = ordered(dict(seen.leakages(n, seed, lambda _: None)))[n]
    found: dict[str, Any] = {"value": leakage * seen.prior, "method": method}
    if method != "exact":
        found |= {"low": low * seen.prior, "high": high * seen.prior}
    return replace(row, **found)
