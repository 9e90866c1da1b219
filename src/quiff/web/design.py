"""One API or two from closed forms: every number, what it means, the difference, figures, and studies."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, partial
from math import exp, isfinite, log
from typing import TYPE_CHECKING, Any, final

from quiff.errors import QuiffError
from quiff.report.page import Section
from quiff.results.numbers import plain, probability, said, shown
from quiff.results.quantities import QUANTITIES, Quantity
from quiff.results.table import Table
from quiff.web.offers import Control, Offers
from quiff.web.queries import Query

if TYPE_CHECKING:
    from quiff.apis.base import Api, Limit
    from quiff.results.figures.figure import Figure
    from quiff.results.result import Result
    from quiff.theory.parameters import Real

FIGURES = ("observations", "parameter")
"""The names of the figures."""

_NAMES = ("first", "second")
_STEPS = 50  # of a parameter, along its range
_CARDS = {
    "bayes_capacity": "",
    "epsilon": "",
    "max_case_capacity": "",
    "min_capacity_bits": "",
    "genuine_probability": "what is observed is genuine",
    "iba_lower": "an advertiser is right, at least",
    "iba_upper": "an advertiser is right, at most",
}


@final
@dataclass(frozen=True)
class Design:
    """An API with the closed forms that are known of it, among N users."""

    api: "Api"
    n_users: int

    @cached_property
    def limits(self) -> dict[tuple[str, str], "Limit"]:
        """The closed forms, by stage and quantity; the last stage has no name."""
        from quiff.apis.base import all_limits

        return {(limit.stage, limit.quantity): limit for limit in all_limits(self.api)}

    @cached_property
    def _forms(self) -> "Mapping[str, Real]":
        try:
            forms = self.api.closed_forms(n_users=self.n_users)
        except QuiffError:  # none depends on users
            return {}
        return {} if forms is None else forms.values

    def known(self, quantity: str) -> "Real | None":
        """Return what is known of the last stage in closed form, or of what it is good for."""
        limit = self.limits.get(("", quantity))
        return self._forms.get(quantity) if limit is None else limit.value

    @property
    def capacity(self) -> Any:
        """The Bayes capacity; None if no closed form is known."""
        return self.known("bayes_capacity")

    def reidentified(self, observations: int) -> float | None:
        """Return the most that n observations re-identify a user with, min(1, capacity^n / N).

        Where nothing is drawn anew, more observations show the same once more.
        """
        if self.capacity is None or self.api.observer_knows_who:
            return None
        if not isfinite(self.capacity):
            return 1.0
        n = 1 if self.api.redraws == "nothing" else observations
        return min(1.0, exp(min(0.0, n * log(self.capacity) - log(self.n_users))))

    def sentence(self, title: str, observations: int) -> str:
        """Say what the closed forms say of an API, by what it is called."""
        capacity = self.capacity
        if capacity is None:
            return f"{title}: no closed form is known of its parameters alone; see the people."
        after, many = self.reidentified(1), self.reidentified(observations)
        if after is None or many is None:
            return (
                f"{title}: {self.api.sees} multiplies the probability of any guess about the secret by at"
                f" most {said(capacity)}. Whoever receives it knows already who the person is."
            )
        factor = said(capacity) if isfinite(capacity) else "as much as there are people"
        among = f"among {said(self.n_users)} people, from {probability(Fraction(1, self.n_users))} to "
        over = f", and by {observations} observations to {probability(many)}" if observations > 1 else ""
        return (
            f"{title}: {self.api.sees} multiplies the probability of re-identification by at most {factor}:"
            f" {among}{probability(after)}{over}."
        )


@final
@dataclass(frozen=True)
class DesignAnswer:
    """The closed forms of one API, and of a second one beside it."""

    designs: tuple[Design, ...]
    observations: int
    swept: Control | None  # the parameter of the first API along which the second figure goes

    @classmethod
    def of(cls, query: Query, offers: Offers) -> "DesignAnswer":
        """Evaluate the closed forms that a request asks for.

        Examples
        --------
        >>> from quiff.web.queries import read_design
        >>> offers = Offers()
        >>> query = read_design([("api", "topics"), ("api2", "topics:noise=0.1")], offers)
        >>> DesignAnswer.of(query, offers).table().rows[0][3]
        '-3.44 (-5.18 %)'
        """
        designs = tuple(Design(api, query.n_users) for api in query.apis)
        return cls(designs, query.observations, _swept(offers.controls(query.apis[0])))

    def to_dict(self) -> dict[str, Any]:
        """Return sentences, the numbers that matter, all of them, and the figures."""
        from quiff.results.views.names import api_names

        names = api_names({design.api.spec: design.api for design in self.designs})
        return {
            "specs": [design.api.spec for design in self.designs],
            "sentences": [
                design.sentence(name, self.observations)
                for design, name in zip(self.designs, names.values(), strict=True)
            ],
            "cards": list(self._cards()),
            "limits": [
                {"stage": stage, "quantity": quantity, "value": plain(limit.value)}
                for (stage, quantity), limit in self.designs[0].limits.items()
            ],
            "figures": {name: self.figure(name).spec for name in self.figures},
        }

    def _cards(self) -> Iterator[dict[str, Any]]:
        """Yield the numbers that matter, where there are any, with what they mean."""
        reached = replace(
            QUANTITIES["posterior"],
            formula="min(1, capacity^n / N)",
            meaning="the most that any observer can re-identify a user with, if all N are equally probable",
        )
        titles = {"posterior": ("re-identified, one observation", 1)}
        if self.observations > 1:
            many = f"re-identified, {self.observations} observations"
            titles["posterior_over_time"] = (many, self.observations)
        wanted: list[tuple[str, str, Quantity, list[Any]]]
        wanted = [(k, t, reached, [d.reidentified(n) for d in self.designs]) for k, (t, n) in titles.items()]
        for key, title in _CARDS.items():
            about = QUANTITIES[key]
            wanted.append((key, title or about.title, about, [d.known(key) for d in self.designs]))
        for key, title, about, values in wanted:
            if any(value is not None for value in values):
                yield {
                    "key": key,
                    "title": title,
                    "value": plain(values[0]),
                    "texts": ["" if value is None else _read(about.unit, value) for value in values],
                    **{name: getattr(about, name) for name in ("unit", "meaning", "formula", "source")},
                }

    def table(self) -> Table:
        """Return every closed form with the difference, its meaning, formula, source and assumptions."""
        beside = ("difference",) if len(self.designs) > 1 else ()
        columns = ("quantity", *(design.api.spec for design in self.designs), *beside)
        keys = dict.fromkeys(key for design in self.designs for key in design.limits)
        rows = []
        for stage, quantity in sorted(keys, key=lambda key: key[0] != ""):
            found = [design.limits.get((stage, quantity)) for design in self.designs]
            values = [None if limit is None else limit.value for limit in found]
            first, about = next(limit for limit in found if limit is not None), QUANTITIES[quantity]
            of = f": {self.designs[found.index(first)].api.stage_title(stage)}" if stage else ""
            bound = "<= " if first.bound == "at most" else ""
            numbers = (*values, difference(*values)) if beside else values
            words = (about.unit, about.meaning, bound + first.formula, first.source, first.assumes)
            rows.append((about.title + of, *numbers, *words))
        named = ("unit", "meaning", "formula", "source", "assumes")
        return Table("Closed forms", (*columns, *named), tuple(rows))

    def sections(self) -> Iterator[Section]:
        """Yield what the studies of each API say: its closed forms one by one, and settings as private."""
        from quiff.studies.closed_forms import closed_forms
        from quiff.studies.design import meet_budget

        for name, design in zip(_NAMES, self.designs, strict=False):
            api, among = design.api, {"n_users": design.n_users, "epochs": self.observations}
            studies: dict[str, Callable[[], Result]] = {
                "Closed forms": partial(closed_forms, api, **among),
                "Settings of equal capacity": partial(meet_budget, api, "capacity", design.capacity),
            }
            for title, study in studies.items():
                with suppress(QuiffError):  # there are none of this API
                    key = f"{name}-{title.split()[0].lower()}"
                    yield Section.of(key, f"{title}: {api.spec}", study())

    @property
    def figures(self) -> tuple[str, ...]:
        """The names of the figures that there are numbers for."""
        some = any(design.reidentified(1) is not None for design in self.designs)
        known = self.swept is not None and self.designs[0].capacity is not None
        return tuple(name for name, there in zip(FIGURES, (some, known), strict=True) if there)

    def figure(self, name: str) -> "Figure":
        """Draw one of the figures; its data sets keep their names, so that they can be replaced in place."""
        designs = dict(zip(_NAMES, self.designs, strict=False))
        if name == "observations":
            title, across, upwards, whole = (
                "Probability of re-identification, at most", "observations", "at most (log scale)", True,
            )  # fmt: skip
            steps = range(1, max(self.observations, 2) + 1)
            lines = [_dot(key, n, each.reidentified(n)) for key, each in designs.items() for n in steps]
            marks = [{**line} for line in lines if line["x"] == self.observations]
        else:
            assert self.swept is not None  # noqa: S101 - the caller has looked
            same = {key: d for key, d in designs.items() if type(d.api) is type(self.designs[0].api)}
            title, across = f"Capacity against {self.swept.name}", self.swept.meaning
            upwards, whole = "capacity (factor, log scale)", self.swept.kind == "whole"
            lines = [_dot(key, x, y) for key, each in same.items() for x, y in _sweep(each, self.swept)]
            marks = [
                _dot(key, each.api.parameters()[self.swept.name], each.capacity) for key, each in same.items()
            ]
        return _figure(title, across, upwards, lines, marks, whole)


def _dot(design: str, x: Any, y: Any) -> dict[str, Any]:
    return {
        "design": design,
        "x": x if isinstance(x, int) else float(x),
        "y": None if y is None else float(y),
    }


def _read(unit: str, value: Any) -> str:
    if not isfinite(value):
        return "no limit"
    return probability(value) if unit == "probability" else said(value)


def _swept(controls: list[Control]) -> Control | None:
    """Return the parameter to draw the capacity against: a number with both ends, a decimal one first."""
    numbers = [c for c in controls if c.kind in ("decimal", "whole") and c.default]
    ranged = [c for c in numbers if c.least is not None and c.most is not None]
    return min(ranged, key=lambda control: control.kind != "decimal", default=None)


def _sweep(design: Design, control: Control) -> Iterator[tuple[float, Any]]:
    """Yield the capacity of an API along the range of one parameter."""
    values = design.api.parameters()
    high = values.get(control.most) if isinstance(control.most, str) else control.most
    low = control.least
    if low is None or not isinstance(high, int | float | Fraction):
        return
    for step in range(_STEPS + 1):
        x: float = low + (float(high) - low) * step / _STEPS
        x = round(x) if control.kind == "whole" else x
        try:
            made = type(design.api)(**(values | {control.name: x}))
            value = Design(made, design.n_users).capacity
        except QuiffError:
            continue
        if value is not None and isfinite(value):
            yield x, value


def _figure(
    title: str,
    across: str,
    upwards: str,
    lines: list[dict[str, Any]],
    marks: list[dict[str, Any]],
    whole: bool,
) -> "Figure":
    import altair as alt

    from quiff.results.figures.figure import Figure
    from quiff.results.figures.style import PALETTE

    axis = alt.Axis(tickMinStep=1, format="d") if whole else alt.Axis()
    x = alt.X("x:Q", title=across, axis=axis, scale=alt.Scale(zero=False, nice=False))
    y = alt.Y("y:Q", title=upwards, scale=alt.Scale(type="log"), axis=alt.Axis(format="~g", tickCount=6))
    colour = alt.Color("design:N", scale=alt.Scale(domain=list(_NAMES), range=list(PALETTE[:2])), legend=None)
    shape = alt.Shape(
        "design:N", scale=alt.Scale(domain=list(_NAMES), range=["circle", "square"]), legend=None
    )
    tips = [alt.Tooltip("x:Q", title=across), alt.Tooltip("y:Q", title=upwards, format=".4~g")]
    line: alt.Chart = alt.Chart(alt.NamedData("lines")).mark_line().encode(x, y, colour)
    mark = alt.Chart(alt.NamedData("marks")).mark_point(filled=True, size=150, opacity=1)
    text = alt.Chart(alt.NamedData("marks")).mark_text(dy=-14, fontSize=13, color="#222222")
    chart = alt.layer(line, mark.encode(x, y, colour, shape, tooltip=tips), text.encode(x, y, text="named:N"))
    drawn = Figure.of(title, chart.properties(width=460, height=260))
    known = {"lines": lines, "marks": marks}.items()
    data = {
        name: [row for row in rows if row["y"] is not None and isfinite(row["y"])] for name, rows in known
    }
    places: dict[tuple[float, float], dict[str, Any]] = {}
    for row in data["marks"]:  # where two marks coincide, one of them names both
        first = places.setdefault((row["x"], row["y"]), row)
        row["named"], first["named"] = "", ", ".join(filter(None, (first.get("named"), row["design"])))
    return Figure(title, {**drawn.spec, "datasets": data})


def difference(first: Any, second: Any) -> str:
    """Return how the second number differs from the first, in its unit and in percent.

    Examples
    --------
    >>> difference(66.36, 89.16), difference(0.95, 0.95), difference(1.5, float("inf")), difference(1, None)
    ('+22.8 (+34.4 %)', 'the same', 'from finite to infinite', '')
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
    return f"{change:+.6g}{share}"
