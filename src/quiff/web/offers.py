"""The APIs that the page offers, their parameters as controls, and what a request may say of them.

A request names an API of the registry or one that the command line gave. It never names a file.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal, final

from quiff.errors import ParameterError, QuiffError
from quiff.results.numbers import plain, shown

if TYPE_CHECKING:
    from quiff.apis.base import Api

MOST = 10_000
"""The largest number that a request may give where a parameter has no largest value of its own."""

_RANGE = re.compile(r"(-?[\d.]+) (?:to (-?[\d.]+|[A-Za-z_]\w*)|and more)", re.ASCII)
_NAME = re.compile(r"[\w.-]{1,40}", re.ASCII)
_WHOLE = re.compile(r"-?\d{1,12}", re.ASCII)
_DECIMAL = re.compile(r"-?(\d{1,9}(\.\d{0,20})?|\.\d{1,20})(e-?\d{1,3})?|\d{1,9}/\d{1,9}", re.ASCII | re.I)


@final
@dataclass(frozen=True)
class Control:
    """How a parameter is set on the page: its name, what it means, its default and the values it may have.

    Attributes
    ----------
    name, meaning, default
        As the API declares them; the default as text.
    kind
        A ``whole`` number, a ``decimal`` one, a ``switch`` or a ``choice`` of names.
    least, most
        The ends of the range of a number; `most` may be the name of another parameter.
    names
        Names that may stand for a value.
    """

    name: str
    meaning: str
    default: str
    kind: Literal["whole", "decimal", "switch", "choice"]
    least: float | None = None
    most: float | str | None = None
    names: tuple[str, ...] = ()

    @classmethod
    def of(cls, name: str, default: object, allowed: str, meaning: str) -> "Control | None":
        """Return the control for a parameter; None if it is of a kind that the page cannot set.

        Examples
        --------
        >>> Control.of("noise", 0.05, "0 to 1", "probability of a random topic").most
        1.0
        >>> Control.of("size", 349, "1 and more, v1, v2 or occurring", "topics").names
        ('v1', 'v2', 'occurring')
        >>> Control.of("weights", {}, "", "weights by topic") is None
        True
        """
        parts = [part for part in re.split(r", | or ", allowed) if part]
        ranges = [found for part in parts if (found := _RANGE.fullmatch(part))]
        names = tuple(part for part in parts if not _RANGE.fullmatch(part) and _NAME.fullmatch(part))
        if len(ranges) > 1 or len(ranges) + len(names) < len(parts):
            ranges, names = [], ()  # said in another way: the API itself checks
        least, most = (ranges[0][1], ranges[0][2]) if ranges else (None, None)
        made = cls(
            name,
            meaning or name.replace("_", " "),
            _text(default),
            "decimal",
            None if least is None else float(least),
            most if most is None or most[0].isalpha() else float(most),
            names,
        )
        if isinstance(default, bool):
            return replace(made, kind="switch")
        if isinstance(default, int):
            return replace(made, kind="whole")
        if isinstance(default, str):
            return replace(made, kind="whole" if ranges else "choice") if names else None
        return made if isinstance(default, float | Fraction) else None

    def read(self, text: str) -> Any:
        """Return the value that a text stands for, within the bounds.

        Raises
        ------
        ParameterError
            If it is no such value; the message says what is.
        """
        if text in self.names:
            return text
        if self.kind == "switch" and text in ("True", "False"):
            return text == "True"
        form = {"whole": _WHOLE, "decimal": _DECIMAL}.get(self.kind)
        low = -MOST if self.least is None else self.least
        high = self.most if isinstance(self.most, float) else MOST
        if form is not None and form.fullmatch(text) and not text.endswith("/0"):
            value = int(text) if self.kind == "whole" else Fraction(text) if "/" in text else float(text)
            if low <= value <= high:
                return value
        allowed = [f"a number between {shown(low)} and {shown(high)}"] if form is not None else []
        listed = [*allowed, *(["True", "False"] if self.kind == "switch" else self.names)]
        raise ParameterError(f"{self.name} must be {' or '.join(listed)}, not {text!r}")


@final
class Offers:
    """The APIs on the page by name: those of the registry with their defaults, and those that were given.

    Parameters
    ----------
    given
        The APIs of the command line; their parameters are the defaults.

    Examples
    --------
    >>> Offers().api("topics:noise=0.1").spec
    'topics:noise=0.1'
    >>> Offers().api("/tmp/own.py:Own")
    Traceback (most recent call last):
    quiff.errors.ParameterError: there is no API '/tmp/own.py' on this page; there are cookies, topics

    Raises
    ------
    ParameterError
        If two APIs have the same name.
    """

    def __init__(self, given: Iterable["Api"] = ()) -> None:
        from quiff.apis.registry import apis

        self.apis: dict[str, Api] = {}
        for name, api in apis().items():
            try:
                self.apis[name] = api()
            except TypeError:  # a parameter has no default, and no control could set it
                continue
        for made in given:
            there = self.apis.get(made.name)
            if there is not None and type(there) is not type(made):
                raise ParameterError(
                    f"there is an API {made.name!r} already; give your own another name = ..."
                )
            self.apis[made.name] = made
        self._controls = {name: _controls(api) for name, api in self.apis.items()}

    def settings(self) -> list[dict[str, Any]]:
        """Return the APIs for the page: what they are, and how their parameters are set."""
        return [
            {
                "name": name,
                "title": api.title,
                "sees": api.sees,
                "status": api.status,
                "source": api.source,
                "unit": str(api.unit),
                "needs": list(api.needs),
                "controls": [plain(control) for control in self._controls[name]],
            }
            for name, api in self.apis.items()
        ]

    def api(self, spec: str) -> "Api":
        """Return the API that a request names.

        Raises
        ------
        ParameterError
            If it is none of those on the page, or a value is out of its bounds.
        """
        name, _, given = spec.partition(":")
        if name not in self.apis:
            listed = ", ".join(self.apis)
            raise ParameterError(f"there is no API {_cut(name)!r} on this page; there are {listed}")
        made, values = self.apis[name], {}
        controls = {control.name: control for control in self._controls[name]}
        for part in given.split(",") if given else ():
            parameter, _, text = part.partition("=")
            if parameter not in controls:
                known = ", ".join(controls) or "none"
                raise ParameterError(
                    f"the API {name!r} has no parameter {_cut(parameter)!r} on this page; there are {known}"
                )
            if parameter in values:
                raise ParameterError(f"{parameter} is given twice; give it once")
            values[parameter] = controls[parameter].read(text)
        try:
            return type(made)(**(made.parameters() | values)) if values else made
        except QuiffError:
            raise
        except (TypeError, ValueError, ArithmeticError) as error:  # of one's own class
            raise ParameterError(f"{_cut(spec)!r} cannot be made: {error}") from error

    def controls(self, api: "Api") -> list[Control]:
        """Return the controls of an API."""
        return self._controls[api.name]


def _controls(api: "Api") -> list[Control]:
    from quiff.apis.base import parameters_of

    values = api.parameters()
    made = (
        Control.of(
            each.name,
            values[each.name],
            each.metadata.get("allowed", ""),
            each.metadata.get("meaning", ""),
        )
        for each in parameters_of(type(api))
        if each.name in values
    )
    return [control for control in made if control is not None]


def _text(value: object) -> str:
    return f"{value.numerator}/{value.denominator}" if isinstance(value, Fraction) else str(value)


def _cut(text: str, longest: int = 40) -> str:
    return text if len(text) <= longest else text[:longest] + "..."
