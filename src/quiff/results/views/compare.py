"""How APIs are shown side by side: grouped by what one observation is about, never ranked across that."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import isinf, log2, log10
from typing import Any, final

from quiff.apis.base import Api
from quiff.errors import counted
from quiff.populations.population import Population
from quiff.results.figures.figure import Figure
from quiff.results.numbers import amount, probability, said
from quiff.results.rows import Row, Rows
from quiff.results.table import Table
from quiff.results.views.names import api_names, capitalised, goal_title, many, people_words, visits

_LIMITS = ("bayes_capacity", "min_capacity_bits", "shannon_capacity_bits", "epsilon", "max_case_capacity")
_ABOUT = "one observation is about"
_WIDE = 320  # pixels of a name
_LARGE = 10**7  # from here on a factor is read as a power of ten


@final
@dataclass(frozen=True)
class Compared:
    """What is known of one API: its rows, why it was not measured on people, and whether it was."""

    api: Api
    rows: tuple[Row, ...]
    reason: str
    measured: bool

    @property
    def drawn(self) -> bool:
        """Whether a number was estimated from what was drawn."""
        return any(row.method in ("monte-carlo", "hybrid") for row in self.rows)

    @property
    def limits(self) -> dict[str, Any]:
        """The closed forms over all secrets by quantity; None where there is none."""
        every = Rows(self.rows).where(scope="all")
        return {name: every[name] for name in _LIMITS}

    @property
    def once(self) -> Rows:
        """The numbers of one observation of these people."""
        return Rows(self.rows).where(scope="people", observations=1)

    @property
    def month(self) -> Row | None:
        """The probability of re-identification by the observations of a month, and how many these are."""
        return next((row for row in self.rows if row.quantity == "posterior" and row.observations > 1), None)

    @property
    def goals(self) -> list[Rows]:
        """What a receiver learns by one observation, goal by goal; the secret itself comes last."""
        reached = self.once.where(prior="population").by("goal")
        found = [some for some in reached.values() if some["goal_posterior"] is not None]
        return sorted(found, key=lambda some: some.rows[0].goal == "secret")


def comparison_views(compared: Sequence[Compared], people: Population | None) -> dict[str, Any]:
    """Return title, sentences, tables, figures and facts of APIs side by side."""
    titles = api_names({one.api.spec: one.api for one in compared})
    names = {spec: capitalised(title) for spec, title in titles.items()}
    tables = {
        "people": _people(compared, names),
        "limits": _limits(compared, names),
        "goals": _goals(compared, names),
        "missing": _missing(compared, names),
    }
    about = "" if people is None else f": {many(people.n_users, 'user')}"
    return {
        "title": f"{counted(len(compared), 'API')} side by side{about}",
        "heading": "" if people is None else people_words(people),
        "sentences": tuple(_sentences(compared, names, people)),
        "further": tuple(text for one in compared for text in _reidentified(one, names[one.api.spec])),
        "tables": {name: table for name, table in tables.items() if table.rows},
        "figures": {"capacity": lambda: _figure(compared, names, people)},
        "facts": {"apis": [_facts(one, people) for one in compared]},
    }


def _facts(one: Compared, people: Population | None) -> dict[str, Any]:
    api, month = one.api, one.month
    facts = {
        "api": api.spec,
        "title": api.title,
        "family": api.family,
        "status": api.status,
        "unit": api.unit,
        "sees": api.sees,
        "observer_knows_who": api.observer_knows_who,
        **one.limits,
        "source": api.source,
    }
    if people is None:
        return facts
    return facts | {
        "prior": one.once["prior"],
        "posterior": one.once["posterior"],
        "month_observations": None if month is None else month.observations,
        "month_posterior": None if month is None else month.value,
        "goals": [
            {"goal": some.rows[0].goal, "prior": some["goal_prior"], "posterior": some["goal_posterior"]}
            for some in one.goals
        ],
        "missing": one.reason or None,
    }


def _table(
    title: str, records: Sequence[Any], columns: dict[str, Callable[[Any], Any]], **other: Any
) -> Table:
    return Table.of(title, records, columns, group=_ABOUT, **other)


def _limits(compared: Sequence[Compared], names: dict[str, str]) -> Table:
    def limit(name: str) -> Callable[[Compared], Any]:
        return lambda one: one.limits[name]

    return _table(
        "Limits of one observation, for any people and any prior",
        compared,
        {
            _ABOUT: lambda one: capitalised(str(one.api.unit)),
            "API": lambda one: names[one.api.spec],
            "status": lambda one: one.api.status,
            "capacity": limit("bayes_capacity"),
            "bits": limit("min_capacity_bits"),
            "Shannon": limit("shannon_capacity_bits"),
            "epsilon": limit("epsilon"),
            "max-case": limit("max_case_capacity"),
        },
        styles={"capacity": factor, "max-case": factor},
        notes=(
            "capacity: by how much an observation multiplies the probability of any guess, at most; bits: "
            "its logarithm, min-capacity; Shannon: bits on average, at most the former where none is given; "
            "epsilon in nats; max-case: by how much the worst single output does.",
        ),
    )


def factor(value: Any, digits: int | None = None) -> str:
    """Return a factor to be read: a power of ten if it is large."""
    return amount(value, digits) if value < _LARGE or isinf(value) else f"10^{said(log10(value), digits)}"


def _people(compared: Sequence[Compared], names: dict[str, str]) -> Table:
    def learnt(quantity: str) -> Callable[[Compared], Any]:
        return lambda one: one.once.where(goal="secret", prior="population")[quantity]

    return _table(
        "On these people: probability of re-identification, and to guess the secret",
        [one for one in compared if one.measured],
        {
            _ABOUT: lambda one: capitalised(str(one.api.unit)),
            "API": lambda one: names[one.api.spec],
            "re-identified": lambda one: one.once["posterior"],
            "in a month": lambda one: None if one.month is None else one.month.value,
            "observations": lambda one: None if one.month is None else one.month.observations,
            "secret guessed": learnt("goal_posterior"),
            "without": learnt("goal_prior"),
        },
        styles=dict.fromkeys(("re-identified", "in a month", "secret guessed", "without"), probability),
        notes=(
            "Where nobody is re-identified, the observer already knows who it is: there it is what one event "
            "reveals of the secret, such as a conversion.",
            "A month is 28 days: as many visits as these have units. The first page view of Topics shows "
            "three observations, every later one adds one. Attributes stay the same in it.",
        ),
    )


def _goals(compared: Sequence[Compared], names: dict[str, str]) -> Table:
    pairs = [(one, some) for one in compared for some in one.goals if some.rows[0].goal != "secret"]
    return _table(
        "What one observation is good for: probability to guess right",
        pairs,
        {
            _ABOUT: lambda pair: capitalised(str(pair[0].api.unit)),
            "API": lambda pair: names[pair[0].api.spec],
            "guessed": lambda pair: goal_title(pair[1].rows[0].goal),
            "without": lambda pair: pair[1]["goal_prior"],
            "with": lambda pair: pair[1]["goal_posterior"],
        },
        styles=dict.fromkeys(("without", "with"), probability),
    )


def _missing(compared: Sequence[Compared], names: dict[str, str]) -> Table:
    left = [one for one in compared if one.reason]
    return Table.of(
        "Not measured on these people",
        left,
        {"API": lambda one: names[one.api.spec], "reason": lambda one: one.reason},
    )


def _sentences(
    compared: Sequence[Compared], names: dict[str, str], people: Population | None
) -> Iterator[str]:
    units: dict[str, list[Compared]] = {}
    for one in compared:
        units.setdefault(str(one.api.unit), []).append(one)
    if len(units) > 1:
        yield (
            f"{counted(len(compared), 'API')}, under {len(units)} headings that say what one observation is "
            "about, such as a click or a user's week. Numbers compare under one heading only."
        )
    for unit, group in units.items():
        known = [one for one in group if one.limits["min_capacity_bits"] is not None]
        if len(known) > 1:
            each = ", ".join(f"{names[o.api.spec]} {_bits(o.limits['min_capacity_bits'])}" for o in known)
            yield f"{capitalised(unit)} reveals at most: {each}."
    for one in compared:
        if one.limits["bayes_capacity"] is None:
            yield _without_limit(one, names[one.api.spec])
    if people is None:
        return
    knowing = [one for one in compared if one.measured and one.api.observer_knows_who]
    if knowing:
        yield (
            f"With {counted(len(knowing), 'API')} the observer already knows who it is: nobody is "
            "re-identified, and the table shows what one event reveals."
        )
    left = [names[one.api.spec] for one in compared if one.reason]
    if left:
        yield f"Not measured on these people: {', '.join(left)} (--all says why)."


def _bits(value: Any) -> str:
    return "no limit" if isinf(value) else f"{said(value)} bits"


def _without_limit(one: Compared, name: str) -> str:
    """Say what the API reveals of the secrets that occur, where nothing is known of all that there can be."""
    unknown = f"No limit is known from the parameters alone of {name}"
    capacity, epsilon = one.once["bayes_capacity"], one.once["epsilon"]
    if capacity is None or epsilon is None:
        return f"{unknown}; measure it on people."
    found = f"its capacity is {factor(capacity)} ({_bits(log2(capacity))}), its epsilon {said(epsilon)}"
    return f"{unknown}; on the secrets of these people {found}."


def _reidentified(one: Compared, name: str) -> Iterator[str]:
    month = one.month
    over = ""
    if month is not None:
        brought = visits(one.api, month.observations)
        number = many(month.observations, "observation")
        words = brought if brought.endswith(" observations") else f"{brought}, {number}"
        over = f", and by those of a month (28 days: {words}) with {probability(month.value)}"
        if month.low is not None and month.high is not None:
            sure = "95 % interval" if one.drawn else "outputs are cut into cells:"
            over += f" ({sure} {probability(month.low)} to {probability(month.high)})"
    yield from one.once.say(
        "{name}: one observation re-identifies a user with probability {posterior} ({prior} without){over}.",
        name=capitalised(name),
        over=over,
    )


def _figure(compared: Sequence[Compared], names: dict[str, str], people: Population | None) -> Figure:
    """Draw the capacities in bits, unit by unit; an unlimited one as far as people can be told apart."""
    import altair as alt

    from quiff.results.figures.style import point_styles

    kinds = ("min-capacity", "Shannon capacity")
    records: list[dict[str, Any]] = []
    for one in compared:
        for kind, quantity in zip(kinds, ("min_capacity_bits", "shannon_capacity_bits"), strict=True):
            bits = one.limits[quantity]
            if bits is not None and isinf(bits):
                bits = None if people is None else log2(people.n_users)
            if bits is not None:
                unit, name = str(one.api.unit), names[one.api.spec]
                records.append({"unit": unit, "name": name, "kind": kind, "bits": float(bits)})
    units = list(dict.fromkeys(each["unit"] for each in records))
    head = alt.Header(title=None, labelAnchor="start", labelOrient="top", labelFontSize=12, labelPadding=2)
    chart = (
        alt.Chart(alt.InlineData(values=records))
        .mark_point(filled=True, opacity=1)
        .encode(
            alt.X("bits:Q", title="bits"),
            alt.Y("name:N", title=None, axis=alt.Axis(grid=True, labelLimit=_WIDE)),
            # Where both are equal, the smaller one is seen on the larger.
            size=alt.Size("kind:N", scale=alt.Scale(domain=list(kinds), range=[180, 60]), legend=None),
            row=alt.Row("unit:N", sort=units, header=head, spacing=6),
            **point_styles("kind", None, kinds),
        )
        .properties(width=420, height=alt.Step(20))
        .resolve_scale(y="independent")
    )
    return Figure.of("Capacity of one observation, unit by unit", chart)
