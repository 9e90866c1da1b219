"""One API or two from closed forms: what the study says, and the pictures with points to drag."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from math import isfinite
from typing import TYPE_CHECKING, final

from quiff.apis.base import in_a_month
from quiff.apis.topics import further_forms
from quiff.errors import ParameterError, QuiffError
from quiff.report.page import Block, Section, render
from quiff.results.figures.charts import Axis, curves
from quiff.results.figures.figure import Figure
from quiff.results.numbers import capitalised
from quiff.results.result import Result
from quiff.studies.bounds import bounds, capacity_of, period_of, reidentified
from quiff.studies.compare import compare
from quiff.studies.design import meet_budget
from quiff.studies.theory import closed_forms
from quiff.web.offers import MOST, Offer, Offers
from quiff.web.queries import BOUNDS, Query

if TYPE_CHECKING:
    from quiff.apis.base import Api

PICTURES = ("time", "guess", "parameter")
"""The names of the pictures of designs that can be downloaded."""

_STEPS = 40  # of a parameter, along its range
_WIDE = 200  # the end of a range over its beginning, from which on it is shown in powers of ten
_FAR = {"whole": 2000.0, "decimal": 100.0}  # where the range of a parameter has no end of its own
_NEAR = 0.01
_GUESSES = tuple(10 ** (k / 10 - 6) for k in range(61))  # probabilities of a right guess, from 1 in a million

Point = tuple[float, float]


@final
@dataclass(frozen=True)
class Picture:
    """A line for each design, the point on it that is set, and what the axes show."""

    title: str
    across: str
    upwards: str
    names: tuple[str, ...]
    lines: tuple[tuple[Point, ...], ...]
    points: tuple[Point | None, ...]
    powers: bool = False  # whether the axis across is in powers of ten

    def figure(self) -> Figure:
        """Return the picture for a file."""
        lines = zip(self.names, self.lines, strict=True)
        drawn = [{"series": name, "x": x, "y": y} for name, line in lines for x, y in line]
        dots = [{"series": "", "x": point[0], "y": point[1]} for point in self.points if point is not None]
        across = Axis("x", self.across, "log" if self.powers else "number")
        up = Axis("y", self.upwards, "log" if "factor" in self.upwards else "odds")
        return Figure.of(self.title, curves(drawn, across, up, self.names, dots=dots, size=(520, 300)))


def studied(query: Query) -> Result:
    """Return the bounds of the APIs of a request, named with a letter if there are two."""
    result = bounds(*query.apis, n_users=query.n_users, observations=query.observations)
    if len(query.apis) == 1:
        return result
    words = {
        spec: replace(api, title=f"{letter}, {result.api_name(spec)}")
        for letter, (spec, api) in zip("AB", result.apis.items(), strict=True)
    }
    return replace(result, apis=words)


def answer(query: Query, offers: Offers) -> dict[str, object]:
    """Return the result for the page, with its tables and the pictures that are asked for.

    Examples
    --------
    >>> from quiff.web.queries import read_design
    >>> offers = Offers()
    >>> answer(read_design([("api", "topics")], offers), offers)["sentences"][0].partition(";")[0]
    'Topics API: one observation (a topic) multiplies the probability of re-identification by at most 66.4'
    """
    result = studied(query)
    months = {in_a_month(api) for api in query.apis if api.redraws != "nothing"}
    pictures = [name for name in drawable(query, offers) if name != "parameter" or query.along is not None]
    return {
        **result.to_dict(),
        "month": months.pop() if len(months) == 1 else None,
        "tables": [
            render("fragment.html", table=table, most_rows=len(table.rows))
            for name, table in result.tables.items()
            if name != "closed-forms"
        ],
        "pictures": {name: vars(picture(name, query, offers)) for name in pictures},
    }


def sections(query: Query) -> Iterator[Section]:
    """Yield what the studies of each API say: its closed forms one by one, and settings as private."""
    for api in query.apis:
        forms = further_forms(api)
        among = {} if forms is None else {"n_users": query.n_users, "epochs": query.observations}
        studies: dict[str, Callable[[], Result]] = {
            "Closed forms": partial(closed_forms, api, **among),
            "Settings of equal capacity": partial(meet_budget, api, "capacity", capacity_of(api)),
        }
        for title, study in studies.items():
            try:
                block = Block.of(study())
            except QuiffError:  # there are none of this API
                continue
            key = f"{'first' if api is query.apis[0] else 'second'}-{title.split()[0].lower()}"
            yield Section(key, f"{title}: {api.called}", (block,))


def compared(query: Query, offers: Offers) -> tuple[Section, dict[str, str]]:
    """Return all APIs of the page beside each other, with those of the request, and their specs by name."""
    apis = {api.spec: api for api in (*query.apis, *offers.apis.values())}
    result = compare(*apis.values())
    names = {capitalised(result.api_name(spec)): spec for spec in result.apis}
    return Section("apis", "", (Block.of(result),)), names


def drawable(query: Query, offers: Offers) -> list[str]:
    """Return the names of the pictures that there are numbers for."""
    capacities = [capacity_of(api) for api in query.apis]
    known = [api for api, most in zip(query.apis, capacities, strict=True) if most is not None]
    some = any(not api.observer_knows_who for api in known)
    numbers = any(offer.is_number for offer in offers.parameters(query.apis[0]))
    there = (some, bool(known), numbers and capacities[0] is not None)
    return [name for name, is_there in zip(PICTURES, there, strict=True) if is_there]


def picture(name: str, query: Query, offers: Offers) -> Picture:
    """Return one of the pictures, with every design that has a number."""
    names = tuple(api.title for api in studied(query).apis.values())
    if name == "parameter":
        return _along(query, offers, names)
    capacities = [capacity_of(api) for api in query.apis]
    values: list[Callable[[float], float | None]] = []
    for api, most in zip(query.apis, capacities, strict=True):
        if name == "time":
            values.append(lambda x, api=api, most=most: reidentified(api, most, int(x), query.n_users))  # type: ignore[misc]
        else:
            values.append(lambda x, most=most: None if most is None else float(min(1, most * x)))  # type: ignore[misc]
    places: tuple[float, ...] = _GUESSES if name == "guess" else tuple(range(BOUNDS["observations"][1] + 1))
    now = query.prior if name == "guess" else float(query.observations)
    lines = tuple(tuple((x, y) for x in places if (y := value(x)) is not None) for value in values)
    points = tuple(None if (y := value(now)) is None else (now, y) for value in values)
    if name == "guess":
        title = "Probability that a guess is right after one observation, at most, by what it was before"
        axes = ("before the observation", "after the observation")
        return Picture(title, *axes, names, lines, points, powers=True)
    period = period_of(query.apis)
    title = f"Probability of re-identification, at most, by {period}"
    return Picture(title, f"{period}s", "probability of re-identification", names, lines, points)


def _along(query: Query, offers: Offers, names: tuple[str, ...]) -> Picture:
    """Return the capacities along a parameter of the first design, flat where a design does not have it.

    What has no limit multiplies by no more than there are people.
    """
    first = query.apis[0]
    parameter = swept(offers.parameters(first), query.along or "")
    line, powers = capacities_along(first, parameter)
    lines, points = [line], [_set(first, parameter, query.n_users)]
    for api in query.apis[1:]:
        point = _set(api, parameter, query.n_users)
        if type(api) is type(first):
            line, wide = capacities_along(api, parameter)
            powers = powers or wide
        elif point is not None:
            line, point = tuple((x, point[1]) for x, _ in lines[0]), (lines[0][0][0], point[1])
        else:
            line = ()
        lines.append(line)
        points.append(point)
    title = f"Capacity along {parameter.label.lower()}"
    upwards = "capacity (a factor, at most)"
    return Picture(title, parameter.label, upwards, names, tuple(lines), tuple(points), powers)


def _set(api: "Api", parameter: Offer, n_users: int) -> Point | None:
    """Return the value of a parameter that is set, with the capacity."""
    own, capacity = api.parameters().get(parameter.name), capacity_of(api)
    if capacity is None:
        return None
    return float(own) if isinstance(own, int | float | Fraction) else 0.0, float(min(capacity, n_users))


def swept(parameters: list[Offer], name: str) -> Offer:
    """Return the parameter to draw the capacity along; without a name, the first that fits.

    Examples
    --------
    >>> from quiff import api_from
    >>> parameters = Offers().parameters(api_from("parakeet"))
    >>> swept(parameters, "").name, swept(parameters, "centroids").name
    ('truth', 'centroids')
    """
    numbers = [offer for offer in parameters if offer.is_number]
    if not name and numbers:
        ranged = (offer for offer in numbers if offer.default and isinstance(offer.control.most, float))
        return min(ranged, key=lambda offer: offer.control.kind != "decimal", default=numbers[0])
    chosen = next((offer for offer in numbers if offer.name == name), None)
    if chosen is None:
        listed = ", ".join(offer.name for offer in numbers) or "none"
        raise ParameterError(what="along", value=name, allowed=f"a parameter that is a number: {listed}")
    return chosen


def capacities_along(api: "Api", parameter: Offer) -> tuple[tuple[Point, ...], bool]:
    """Return the capacity of an API along the range of one parameter, and whether in powers of ten.

    Examples
    --------
    >>> from quiff import api_from
    >>> api = api_from("topics")
    >>> points, powers = capacities_along(api, swept(Offers().parameters(api), "noise"))
    >>> points[0], points[-1], powers
    ((0.0, 69.8), (1.0, 1.0), False)
    """
    control, values = parameter.control, api.parameters()
    most = values.get(control.most) if isinstance(control.most, str) else control.most
    own = values[parameter.name]
    now = float(own) if isinstance(own, int | float | Fraction) else 0.0
    unbounded = max(_FAR[control.kind], min(2 * now, MOST))
    high = float(most) if isinstance(most, int | float | Fraction) else unbounded
    low = float(control.least) if control.least is not None else 0.0
    start = max(low, 1.0 if control.kind == "whole" else _NEAR)
    powers = high > _WIDE * start and high > 1
    points: dict[float, float] = {}
    for step in range(_STEPS + 1):
        x = start * (high / start) ** (step / _STEPS) if powers else low + (high - low) * step / _STEPS
        value: float = round(x) if control.kind == "whole" else float(f"{x:.6g}")
        try:
            capacity = capacity_of(type(api)(**(values | {parameter.name: value})))
        except QuiffError:  # together with the other parameters this is not allowed
            continue
        if capacity is not None and isfinite(capacity):
            points[float(value)] = float(capacity)
    return tuple(sorted(points.items())), powers
