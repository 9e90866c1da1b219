"""One API or two from closed forms: a sentence, the numbers, their difference, pictures, and studies."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, partial
from math import exp, inf, isfinite, log, log10
from typing import TYPE_CHECKING, Any, final

from quiff.errors import QuiffError
from quiff.report.page import Section
from quiff.results.numbers import plain, probability, rounded, said, shown
from quiff.results.quantities import Quantity
from quiff.results.table import Table
from quiff.studies import QUANTITIES
from quiff.web.offers import Offers
from quiff.web.pictures import PICTURES, Picture, Point, capacities, swept
from quiff.web.queries import BOUNDS, Query
from quiff.web.shown import table_to_dict

if TYPE_CHECKING:
    from quiff.apis.base import Api, Limit
    from quiff.results.result import Result
    from quiff.theory.parameters import Real

_NAMES = ("first", "second")
_LONG = 1e9  # from here on a number is read by its power of ten
_LARGE = 3  # numbers that are shown large; the others stand in a table
_TITLES = {
    "bayes_capacity": "",
    "epsilon": "",
    "genuine_probability": "what is observed is genuine",
    "posterior_over_time": "",
    "posterior": "re-identified, one observation",
    "max_case_capacity": "",
    "min_capacity_bits": "",
    "shannon_capacity_bits": "",
    "iba_lower": "an advertiser is right, at least",
    "iba_upper": "an advertiser is right, at most",
}
_PERIODS = {7.0: "week", 1.0: "day"}
_GUESSES = tuple(10 ** (k / 10 - 6) for k in range(61))  # probabilities of a right guess, from 1 in a million


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
        from quiff.apis.topics import further_forms

        try:
            forms = further_forms(self.api, n_users=self.n_users)
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
        n = min(1, observations) if self.api.redraws == "nothing" else observations
        if n and not isfinite(self.capacity):
            return 1.0
        factor = n * log(self.capacity) if n else 0.0
        return exp(min(0.0, factor - log(self.n_users)))

    def guessed(self, before: float) -> float | None:
        """Return the most that any guess is right with after an observation, min(1, capacity P)."""
        return None if self.capacity is None else float(min(1, self.capacity * before))

    def sentence(self, name: str, observations: int, after: str) -> str:
        """Say what the closed forms say of a design; `after` is how long the observations take."""
        capacity = self.capacity
        if capacity is None:
            return f"{name}: nothing is known from its parameters alone; measure it on people."
        one, many = self.reidentified(1), self.reidentified(observations)
        if one is None or many is None:
            return (
                f"{name}: one observation ({self.api.sees}) multiplies the probability of any guess about"
                f" the secret by at most {said(capacity)}. Its receiver knows already who the person is."
            )
        if capacity == 1:
            return f"{name}: one observation ({self.api.sees}) says nothing about who the person is."
        factor = f"at most {said(capacity)}" if isfinite(capacity) else "as much as there are people"
        over = f", and after {after} to at most {probability(many)}" if 1 > many > one else ""
        over = f"; after {after} this bound is 100 %, and promises nothing" if one < 1 <= many else over
        return (
            f"{name}: one observation ({self.api.sees}) multiplies the probability of re-identification by"
            f" {factor}; among {self.n_users:,} people, from {probability(Fraction(1, self.n_users))} to"
            f" {probability(one)}{over}."
        )


@final
@dataclass(frozen=True)
class DesignAnswer:
    """The closed forms of one API, and of a second one beside it."""

    designs: tuple[Design, ...]
    query: Query
    offers: Offers

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
        return cls(tuple(Design(api, query.n_users) for api in query.apis), query, offers)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """What the designs are called: their titles, with a letter if there are two."""
        titles = tuple(design.api.title for design in self.designs)
        return titles if len(titles) == 1 else (f"A, {titles[0]}", f"B, {titles[1]}")

    @cached_property
    def period(self) -> str:
        """What passes from one observation to the next: a week or a day, if it is the same for all.

        Where the first visit shows several, observations are no weeks.
        """
        asked = {api.unit.days if api.shown_at_first == 1 else None for api in self._redrawn}
        return _PERIODS.get(asked.pop() or 0.0, "observation") if len(asked) == 1 else "observation"

    @property
    def month(self) -> int | None:
        """How many observations a month of 28 days brings, if it is the same for all."""
        from quiff.apis.base import in_a_month

        asked = {in_a_month(api) for api in self._redrawn}
        return asked.pop() if len(asked) == 1 else None

    @property
    def _redrawn(self) -> "list[Api]":
        return [design.api for design in self.designs if design.api.redraws != "nothing"]

    def _after(self, n: int) -> str:
        return f"{n} {self.period}{'s' if n > 1 else ''}"

    def to_dict(self) -> dict[str, Any]:
        """Return sentences, the numbers that matter, all of them, and the pictures."""
        large, others = self._split
        remarks = (remark for design in self.designs for remark in _remarks(design.api))
        n = self.query.observations
        return {
            "specs": [design.api.spec for design in self.designs],
            "names": self.names,
            "period": self.period,
            "month": self.month,
            "sentences": [
                design.sentence(name, n, self._after(n))
                for design, name in zip(self.designs, self.names, strict=True)
            ],
            "numbers": [_number(*each) for each in large],
            "remarks": list(dict.fromkeys(remarks)),
            "table": table_to_dict(self._quiet(others), rows=None),
            "formulas": table_to_dict(self._formulas(), rows=None),
            "limits": [
                {"stage": stage, "quantity": quantity, "value": plain(limit.value)}
                for (stage, quantity), limit in self.designs[0].limits.items()
            ],
            "pictures": {name: vars(self.picture(name)) for name in self._shown},
        }

    @cached_property
    def _split(self) -> tuple[list[Any], list[Any]]:
        """The numbers to show large, and the others."""
        found = [each for each in self._numbers() if any(value is not None for value in each[3])]
        return found[:_LARGE], found[_LARGE:]

    def _numbers(self) -> Iterator[tuple[str, str, Quantity, list[Any]]]:
        """Yield the numbers in the order of what people ask for: key, title, what it is, and values."""
        reached = replace(
            QUANTITIES["posterior"],
            formula="min(1, capacity^n / N)",
            meaning="the most that any observer can re-identify a user with, if all N are equally probable",
        )
        n = self.query.observations
        for key, title in _TITLES.items():
            if key in ("posterior", "posterior_over_time"):
                title = title or f"re-identified after {self._after(n)}, at most"
                if key == "posterior" or n > 1:
                    times = 1 if key == "posterior" else n
                    yield key, title, reached, [design.reidentified(times) for design in self.designs]
            else:
                about = QUANTITIES[key]
                yield key, title or about.title, about, [design.known(key) for design in self.designs]

    def _quiet(self, others: list[tuple[str, str, Quantity, list[Any]]]) -> Table:
        """Return the numbers that are not shown large, and those of earlier stages."""
        rows = [(title, *_texts(about, values), about.meaning) for _, title, about, values in others]
        staged = {key: None for design in self.designs for key in design.limits if key[0]}
        for stage, quantity in staged:
            found = [design.limits.get((stage, quantity)) for design in self.designs]
            about = QUANTITIES[quantity]
            of = next(d.api for d, limit in zip(self.designs, found, strict=True) if limit is not None)
            title = f"{about.title}: {of.stage_title(stage)}"
            values = [None if limit is None else limit.value for limit in found]
            rows.append((title, *_texts(about, values), about.meaning))
        beside = ("difference",) if len(self.designs) > 1 else ()
        return Table("More numbers", ("number", *self.names, *beside, "what it is"), tuple(rows))

    def _formulas(self) -> Table:
        """Return how the closed forms are computed, and what they rest on."""
        whole = self.table()
        kept = [whole.columns.index(name) for name in ("quantity", "formula", "source", "assumes")]
        rows = tuple(dict.fromkeys(tuple(row[place] for place in kept) for row in whole.rows))
        return Table("Formulas", ("number", "formula", "source", "assumes"), rows)

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
        from quiff.studies.design import meet_budget
        from quiff.studies.theory import closed_forms

        for name, design in zip(_NAMES, self.designs, strict=False):
            api, among = design.api, {"n_users": design.n_users, "epochs": self.query.observations}
            studies: dict[str, Callable[[], Result]] = {
                "Closed forms": partial(closed_forms, api, **among),
                "Settings of equal capacity": partial(meet_budget, api, "capacity", design.capacity),
            }
            for title, study in studies.items():
                with suppress(QuiffError):  # there are none of this API
                    key = f"{name}-{title.split()[0].lower()}"
                    yield Section.of(key, f"{title}: {api.spec}", study())

    @property
    def pictures(self) -> tuple[str, ...]:
        """The names of the pictures that there are numbers for."""
        some = any(design.reidentified(1) is not None for design in self.designs)
        known = any(design.capacity is not None for design in self.designs)
        first = self.designs[0]
        numbers = any(each.is_number for each in self.offers.parameters(first.api))
        there = (some, known, numbers and first.capacity is not None)
        return tuple(name for name, is_there in zip(PICTURES, there, strict=True) if is_there)

    @property
    def _shown(self) -> list[str]:
        """The pictures that the page asked for: along a parameter takes longer than a slider waits."""
        return [name for name in self.pictures if name != "parameter" or self.query.along is not None]

    def picture(self, name: str) -> Picture:
        """Return one of the pictures."""
        if name == "parameter":
            return self._along()
        if name == "time":
            places: tuple[float, ...] = tuple(range(BOUNDS["observations"][1] + 1))
            now, value = float(self.query.observations), lambda design, x: design.reidentified(int(x))
            title, across = "Probability of re-identification, at most", f"{self.period}s"
        else:
            places, now, value = _GUESSES, self.query.prior, Design.guessed
            title, across = "Probability that a guess is right, at most", "before the observation"
        lines = tuple(_line(places, partial(value, design)) for design in self.designs)
        points = tuple(next(iter(_line((now,), partial(value, design))), None) for design in self.designs)
        upwards = "after the observation" if name == "guess" else "probability of re-identification"
        return Picture(title, across, upwards, self.names, lines, points, powers=name == "guess")

    def _along(self) -> Picture:
        first = self.designs[0].api
        parameter = swept(self.offers.parameters(first), self.query.along or "")
        lines: list[tuple[Point, ...]] = []
        points: list[Point | None] = []
        powers = False
        for design in self.designs:
            same = type(design.api) is type(first)
            line, wide = capacities(design.api, parameter) if same else ((), False)
            own, value = design.api.parameters().get(parameter.name), design.capacity
            known = same and isinstance(own, int | float | Fraction) and value is not None and isfinite(value)
            powers, point = powers or wide, (float(own or 0), float(value)) if known else None
            lines.append(line)
            points.append(point)
        title = f"Capacity along {parameter.label.lower()}"
        upwards = "capacity (a factor, at most)"
        return Picture(title, parameter.label, upwards, self.names, tuple(lines), tuple(points), powers)


def _line(places: tuple[float, ...], value: Callable[[float], float | None]) -> tuple[Point, ...]:
    return tuple((x, y) for x in places if (y := value(x)) is not None)


def _remarks(api: "Api") -> tuple[str, ...]:
    try:
        return api.remarks()
    except QuiffError:
        return ()


def _number(key: str, title: str, about: Quantity, values: list[Any]) -> dict[str, Any]:
    return {
        "key": key,
        "title": title,
        "value": plain(values[0]),
        "texts": [_read(about.unit, value) for value in values],
        **{name: getattr(about, name) for name in ("unit", "meaning", "formula", "source")},
    }


def _texts(about: Quantity, values: list[Any]) -> tuple[str, ...]:
    texts = [_read(about.unit, value) for value in values]
    return (*texts, difference(*values)) if len(values) > 1 else tuple(texts)


def _read(unit: str, value: Any) -> str:
    if value is None:
        return "not known"
    if value == inf:
        return "no limit"
    if unit == "probability":
        return probability(value)
    return said(value) if value < _LONG else f"10^{rounded(log10(int(value)), 3)}"


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
    return f"{'+' if change > 0 else '-'}{said(abs(change))}{share}"
