"""The pictures of designs: numbers along an axis, which the page draws itself and a file draws once more."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import isfinite
from typing import TYPE_CHECKING, Any, final

from quiff.errors import ParameterError, QuiffError
from quiff.web.offers import MOST, Offer

if TYPE_CHECKING:
    from quiff.apis.base import Api
    from quiff.results.figures.figure import Figure

PICTURES = ("time", "guess", "parameter")
"""The names of the pictures of designs that can be downloaded."""

_STEPS = 40  # of a parameter, along its range
_WIDE = 200  # the end of a range over its beginning, from which on it is shown in powers of ten
_FAR = {"whole": 2000.0, "decimal": 100.0}  # where the range of a parameter has no end of its own
_NEAR = 0.01

Point = tuple[float, float]


@final
@dataclass(frozen=True)
class Picture:
    """A line for each design, the point on it that is set, and what the axes show.

    Attributes
    ----------
    title, across, upwards
        What it shows, and the titles of its axes.
    names
        The designs.
    lines, points
        Their numbers, and where each is now; None if it has no number.
    powers
        Whether the axis across is in powers of ten.
    """

    title: str
    across: str
    upwards: str
    names: tuple[str, ...]
    lines: tuple[tuple[Point, ...], ...]
    points: tuple[Point | None, ...]
    powers: bool = False

    def figure(self) -> "Figure":
        """Return the picture for a file."""
        import altair as alt

        from quiff.results.figures.figure import Figure
        from quiff.results.figures.style import line_styles

        rows = [
            {"design": name, "x": x, "y": y}
            for name, line in zip(self.names, self.lines, strict=True)
            for x, y in line
        ]
        marks = [
            {"design": name, "x": point[0], "y": point[1]}
            for name, point in zip(self.names, self.points, strict=True)
            if point is not None
        ]
        across = alt.Scale(type="log") if self.powers else alt.Scale(zero=False, nice=False)
        x = alt.X("x:Q", title=self.across, scale=across, axis=alt.Axis(format="~g", tickCount=8))
        axis = alt.Axis(format="~g", tickCount=6)
        y = alt.Y("y:Q", title=self.upwards, scale=alt.Scale(type="log"), axis=axis)
        styles = line_styles("design", None, self.names)
        line: alt.Chart = alt.Chart(alt.InlineData(rows)).mark_line().encode(x, y, **styles)
        mark = alt.Chart(alt.InlineData(marks)).mark_point(filled=True, size=110, opacity=1)
        chart = alt.layer(line, mark.encode(x, y, styles["color"])).properties(width=520, height=300)
        return Figure.of(self.title, chart)


def swept(parameters: list[Offer], name: str) -> Offer:
    """Return the parameter to draw the capacity along; without a name, the first that fits.

    Examples
    --------
    >>> from quiff import api_from
    >>> from quiff.web.offers import Offers
    >>> parameters = Offers().parameters(api_from("parakeet"))
    >>> swept(parameters, "").name, swept(parameters, "centroids").name
    ('truth', 'centroids')
    """
    numbers = [each for each in parameters if each.is_number]
    if not name and numbers:
        ranged = (each for each in numbers if each.default and isinstance(each.control.most, float))
        return min(ranged, key=lambda each: each.control.kind != "decimal", default=numbers[0])
    for each in numbers:
        if each.name == name:
            return each
    listed = ", ".join(each.name for each in numbers) or "none"
    raise ParameterError(what="along", value=name, allowed=f"a parameter that is a number: {listed}")


def capacities(api: "Api", parameter: Offer) -> tuple[tuple[Point, ...], bool]:
    """Return the capacity of an API along the range of one parameter, and whether in powers of ten.

    Examples
    --------
    >>> from quiff import api_from
    >>> from quiff.web.offers import Offers
    >>> api = api_from("topics")
    >>> points, powers = capacities(api, swept(Offers().parameters(api), "noise"))
    >>> points[0], points[-1], powers
    ((0.0, 69.8), (1.0, 1.0), False)
    """
    control, values = parameter.control, api.parameters()
    most = values.get(control.most) if isinstance(control.most, str) else control.most
    far = _FAR[control.kind]
    own = values[parameter.name]
    now = float(own) if isinstance(own, int | float | Fraction) else 0.0
    high = float(most) if isinstance(most, int | float | Fraction) else max(far, min(2 * now, MOST))
    low = float(control.least) if control.least is not None else 0.0
    start = max(low, 1.0 if control.kind == "whole" else _NEAR)
    powers = high > _WIDE * start and high > 1
    grid = (
        start * (high / start) ** (step / _STEPS) if powers else low + (high - low) * step / _STEPS
        for step in range(_STEPS + 1)
    )
    places = (float(round(x)) if control.kind == "whole" else float(f"{x:.6g}") for x in grid)
    return tuple(_along(api, parameter, values, sorted(set(places)))), powers


def _along(api: "Api", parameter: Offer, values: dict[str, Any], places: list[float]) -> Iterator[Point]:
    for x in places:
        value = int(x) if parameter.control.kind == "whole" else x
        try:
            found = capacity_of(type(api)(**(values | {parameter.name: value})))
        except QuiffError:  # together with the other parameters this is not allowed
            continue
        if found is not None and isfinite(found):
            yield x, float(found)


def capacity_of(api: "Api") -> Any:
    """Return the Bayes capacity of what is observed; None if no closed form is known."""
    from quiff.apis.base import all_limits

    limits = (each for each in all_limits(api) if not each.stage and each.quantity == "bayes_capacity")
    return next((limit.value for limit in limits), None)
