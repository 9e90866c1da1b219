"""The question how APIs compare: each with its unit, from parameters alone, and on people.

Numbers are grouped by what one observation is about, and never ranked across that.
"""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from math import inf, isinf, log2, log10
from typing import Any

from quiff.apis.base import Api, all_limits, checked_people, in_a_month
from quiff.apis.defaults import all_apis
from quiff.epochs.over_time import OverTime
from quiff.errors import ParameterError, QuiffError, SizeError, counted
from quiff.measures.shannon_capacity import shannon_capacity
from quiff.populations.population import Population
from quiff.results.figures.figure import Figure
from quiff.results.layout import Chart, Layout, Listing, Pivot, Records, Say
from quiff.results.numbers import amount, probability, said
from quiff.results.result import ApiWords, Result
from quiff.results.rows import CLOSED, Row, Rows, rows_of
from quiff.results.table import Table
from quiff.studies.measure import api_rows
from quiff.studies.questions import api_of, name_of
from quiff.studies.study import Findings, assumed, distinct_apis, names_of, study
from quiff.studies.words import capitalised, goal_title, many, people_words, users, visits

_RECORDS = ("history", "conversions")  # raw events, of which each API takes its own part
_FEW = 10_000  # numbers of a channel whose Shannon capacity is found by iteration
_ABOUT = "one observation is about"
_WIDE = 320  # pixels of a name
_LARGE = 10**7  # from here on a factor is read as a power of ten
_CROWD = 1_000_000  # people among whom one is re-identified, where nothing is known of any
_KINDS = {"min-capacity": "min_capacity_bits", "Shannon capacity": "shannon_capacity_bits"}


def factor(value: Any, digits: int | None = None) -> str:
    """Return a factor to be read: a power of ten if it is large."""
    return amount(value, digits) if value < _LARGE or isinf(value) else f"10^{said(log10(value), digits)}"


def _limits_of(spec: str, result: Result) -> Rows:
    """Return the closed forms of an API."""
    return result.rows.where(api=spec, scope="all")


def _once(spec: str, result: Result) -> Rows:
    """Return what one observation of an API reveals about these people."""
    return result.rows.where(api=spec, scope="people", observations=1)


def _month(spec: str, result: Result) -> Row | None:
    """Return the probability of re-identification by the observations of a month."""
    rows = result.rows.where(api=spec, quantity="posterior")
    return next((row for row in rows if row.observations > 1), None)


def _units(result: Result) -> dict[str, list[ApiWords]]:
    """Return the APIs by what one observation is about."""
    units: dict[str, list[ApiWords]] = {}
    for api in result.apis.values():
        units.setdefault(str(api.unit), []).append(api)
    return units


def _bits(value: Any) -> str:
    return "no limit" if isinf(value) else f"{said(value)} bits"


def _unit_sentences(result: Result) -> Iterator[str]:
    """Say what a unit reveals at most by each of its APIs, and that numbers compare within a unit only."""
    units = _units(result)
    if len(units) > 1:
        yield (
            f"{counted(len(result.apis), 'API')}, under {len(units)} headings that say what one observation"
            " is about, such as a click or a user's week. Numbers compare under one heading only."
        )
    for unit, apis in units.items():
        bits = {api.spec: _limits_of(api.spec, result)["min_capacity_bits"] for api in apis}
        listed = [
            f"{capitalised(result.api_name(spec))} {_bits(number)}"
            for spec, number in bits.items()
            if number is not None
        ]
        if len(listed) > 1:
            yield f"{capitalised(unit)} reveals at most: {', '.join(listed)}."


def _without_limit(result: Result) -> Iterator[str]:
    """Say what APIs reveal of the secrets that occur, where nothing is known of all that there can be."""
    for spec in result.apis:
        if _limits_of(spec, result)["bayes_capacity"] is not None:
            continue
        once, name = _once(spec, result), capitalised(result.api_name(spec))
        unknown = f"No limit is known from the parameters alone of {name}"
        capacity, epsilon = once["bayes_capacity"], once["epsilon"]
        if capacity is None or epsilon is None:
            yield f"{unknown}; measure it on people."
        else:
            yield (
                f"{unknown}; on the secrets of these people its capacity is {factor(capacity)}"
                f" ({_bits(log2(capacity))}), its epsilon {said(epsilon)}."
            )


def _not_compared(result: Result) -> Iterator[str]:
    """Say of which APIs nobody is re-identified, and which are not measured."""
    missing = result.words["missing"]
    measured = [api for spec, api in result.apis.items() if result.population and spec not in missing]
    knowing = [api for api in measured if api.observer_knows_who]
    if knowing:
        yield (
            f"With {counted(len(knowing), 'API')} the observer already knows who it is: nobody is "
            "re-identified, and the table shows what one event reveals."
        )
    if missing:
        names = ", ".join(capitalised(result.api_name(spec)) for spec in missing)
        yield f"Not measured on these people: {names} (--all says why)."


def _over_a_month(rows: Rows, result: Result) -> dict[str, str]:
    api, month, over = api_of(rows, result), _month(rows.rows[0].api, result), ""
    if month is not None:
        brought, number = visits(api, month.observations), many(month.observations, "observation")
        words = brought if api.visit == "observation" else f"{brought}, {number}"
        over = f", and by those of a month (28 days: {words}) with {probability(month.value)}"
        if month.low is not None and month.high is not None:
            sure = (
                "95 % interval"
                if month.method in ("monte-carlo", "hybrid")
                else "outputs are cut into cells:"
            )
            over += f" ({sure} {probability(month.low)} to {probability(month.high)})"
    return {"name": name_of(rows, result), "over": over}


def _about(rows: Rows, result: Result) -> str:
    return capitalised(str(api_of(rows, result).unit))


def _api(rows: Rows, result: Result) -> str:
    return name_of(rows, result)


def _across(result: Result) -> Table | None:
    """Return what one observation and a month reveal about a person, to be read across units.

    On people it is measured; without them, and where they lack something, it is a bound on what becomes of
    1 in a million.
    """
    if len(_units(result)) < 2:
        return None
    lines = []
    for spec, api in result.apis.items():
        once, month = _once(spec, result)["posterior"], _month(spec, result)
        capacity = _limits_of(spec, result)["bayes_capacity"]
        times = 1 if api.redraws == "nothing" else api.month or 1
        cells = ["", ""]
        if api.observer_knows_who:
            cells = ["known already", "known already"]
        elif once is not None:
            cells = [probability(once), "" if month is None else probability(month.value)]
        elif capacity is not None:
            most = inf if isinf(capacity) or times * log10(capacity or 1) > 300 else capacity**times
            cells = [_at_most(capacity), _at_most(most) if api.month else ""]
        guess = "" if capacity is None else f"at most x {factor(capacity)}"
        lines.append((capitalised(result.api_name(spec)), str(api.unit), *cells, guess))
    among = "" if result.population else f", among {said(_CROWD)} people"
    return Table(
        f"A person who is observed once, and for a month{among}",
        ("API", _ABOUT, "re-identified by one", "in a month", "any guess about the secret"),
        tuple(lines),
        (
            "What is observed differs from line to line: read across, do not rank down. A month is 28 days."
            " 'At most' is a bound from the parameters, for a person who was 1 in 1,000,000 before.",
        ),
    )


def _at_most(capacity: Any) -> str:
    return f"at most {probability(min(1.0, capacity / _CROWD))}"


def _secret(quantity: str) -> Any:
    return lambda rows, _: rows.where(goal="secret", prior="population", observations=1)[quantity]


def _of_month(name: str) -> Any:
    return lambda rows, result: getattr(_month(rows.rows[0].api, result), name, None)


PEOPLE = Pivot(
    "On these people: probability of re-identification, and to guess the secret",
    by=("api",),
    columns={
        _ABOUT: _about,
        "API": _api,
        "re-identified": lambda rows, _: rows.where(observations=1)["posterior"],
        "in a month": _of_month("value"),
        "observations": _of_month("observations"),
        "secret guessed": _secret("goal_posterior"),
        "without": _secret("goal_prior"),
    },
    where={"scope": "people"},
    styles=dict.fromkeys(("re-identified", "in a month", "secret guessed", "without"), probability),
    notes=(
        "Where nobody is re-identified, the observer already knows who it is: there it is what one event "
        "reveals of the secret, such as a conversion.",
        "A month is 28 days: as many visits as these have units. The first page view of Topics shows "
        "three observations, every later one adds one. Attributes stay the same in it.",
    ),
    group=_ABOUT,
)


def _limit(quantity: str) -> Any:
    return lambda spec, result: _limits_of(spec, result)[quantity]


LIMITS = Listing(
    "Limits of one observation, for any people and any prior",
    lambda result: result.apis,
    {
        _ABOUT: lambda spec, result: capitalised(str(result.apis[spec].unit)),
        "API": lambda spec, result: capitalised(result.api_name(spec)),
        "status": lambda spec, result: result.apis[spec].status,
        "capacity": (_limit("bayes_capacity"), factor),
        "bits": _limit("min_capacity_bits"),
        "Shannon": _limit("shannon_capacity_bits"),
        "epsilon": _limit("epsilon"),
        "max-case": (_limit("max_case_capacity"), factor),
    },
    notes=(
        "capacity: by how much an observation multiplies the probability of any guess, at most; bits: its"
        " logarithm, min-capacity; Shannon: bits on average, at most the former where none is given; epsilon"
        " in nats; max-case: by how much the worst single output does.",
    ),
    group=_ABOUT,
)
GOALS = Pivot(
    "What one observation is good for: probability to guess right",
    by=("api", "goal"),
    columns={
        _ABOUT: _about,
        "API": _api,
        "guessed": lambda rows, _: goal_title(rows.rows[0].goal),
        "without": "goal_prior",
        "with": "goal_posterior",
    },
    where=lambda row, _: row.goal != "secret" and row.observations == 1 and row.prior == "population",
    styles=dict.fromkeys(("without", "with"), probability),
    group=_ABOUT,
)


MISSING = Listing(
    "Not measured on these people",
    lambda result: result.words["missing"].items(),
    {"API": lambda pair, result: capitalised(result.api_name(pair[0])), "reason": lambda pair, _: pair[1]},
)


def _capacity_points(result: Result) -> Records:
    """Return the capacities in bits, unit by unit; an unlimited one as far as people can be told apart."""
    points: list[dict[str, Any]] = []
    for spec, api in result.apis.items():
        for kind, quantity in _KINDS.items():
            bits = _limits_of(spec, result)[quantity]
            if bits is not None and isinf(bits):
                bits = log2(result.population["users"]) if result.population else None
            if bits is not None:
                name = capitalised(result.api_name(spec))
                points.append({"unit": str(api.unit), "name": name, "kind": kind, "bits": float(bits)})
    return points


def _capacities(_: Result, points: Records) -> Figure:
    import altair as alt

    from quiff.results.figures.style import point_styles

    units = list(dict.fromkeys(point["unit"] for point in points))
    head = alt.Header(title=None, labelAnchor="start", labelOrient="top", labelFontSize=12, labelPadding=2)
    chart = (
        alt.Chart(alt.InlineData(values=list(points)))
        .mark_point(filled=True, opacity=1)
        .encode(
            alt.X("bits:Q", title="bits"),
            alt.Y("name:N", title=None, axis=alt.Axis(grid=True, labelLimit=_WIDE)),
            # Where both are equal, the smaller one is seen on the larger.
            size=alt.Size("kind:N", scale=alt.Scale(domain=list(_KINDS), range=[180, 60]), legend=None),
            row=alt.Row("unit:N", sort=units, header=head, spacing=6),
            **point_styles("kind", None, tuple(_KINDS)),
        )
        .properties(width=420, height=alt.Step(20))
        .resolve_scale(y="independent")
    )
    return Figure.of("Capacity of one observation, unit by unit", chart)


def _title(result: Result) -> str:
    about = f": {users(result)}" if result.population else ""
    return f"{counted(len(result.apis), 'API')} side by side{about}"


LAYOUT = Layout(
    _title,
    say={"units": _unit_sentences, "without limit": _without_limit, "not compared": _not_compared},
    further={
        "re-identified": Say(
            "{name}: one observation re-identifies a user with probability {posterior} ({prior} without)"
            "{over}.",
            by=("api",),
            where={"scope": "people", "observations": 1},
            words=_over_a_month,
        )
    },
    tables={
        "people": PEOPLE,
        "limits": LIMITS,
        "across": _across,
        "goals": GOALS,
        "missing": MISSING,
    },
    charts={"capacity": Chart(_capacity_points, _capacities)},
    heading=lambda result: people_words(result) if result.population else "",
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
    wanted = _wanted(people, goals)
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


def _wanted(people: Population | None, goals: str | Iterable[str] | None) -> list[str]:
    if people is None:
        return []
    if goals is None:
        return [name for name in people.attributes if name not in _RECORDS]
    for name in names_of(goals):
        people.attribute(name)
    return list(names_of(goals))


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
