"""The APIs that the page offers, their parameters as controls, and what a request may say of them.

A request names an API of the registry or one that the command line gave. It never names a file.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal, final, get_args

from quiff.errors import ParameterError, QuiffError
from quiff.results.numbers import plain, shown
from quiff.web.queries import cut

if TYPE_CHECKING:
    from quiff.apis.base import Api

MOST = 10_000
"""The largest number that a request may give where a parameter has no largest value of its own."""

_RANGE = re.compile(r"(-?[\d.]+) (?:to (-?[\d.]+|\d+\^\d+|[A-Za-z_]\w*)|and more)", re.ASCII)
_ABOVE = re.compile(r"above (-?[\d.]+)(?: (?:at most|below) ([\d.]+))?", re.ASCII)
_NAME = re.compile(r"[\w.-]{1,40}", re.ASCII)
_WHOLE = re.compile(r"-?\d{1,12}", re.ASCII)
_WORDS = re.compile(r"[\dx. ]{1,120}", re.ASCII)  # no name of a file is asked for, nor opened
_ATTRIBUTES = ("topics", "history", "conversions")  # of synthetic people
_VAST = 1e6  # beyond it the end of a range is none for a slider
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
        A ``whole`` number, a ``decimal`` one, a ``switch``, a ``choice`` of names, or ``words``: numbers with
        spaces between them.
    least, most
        The ends of the range of a number; `most` may be the name of another parameter.
    names
        Names that may stand for a value.
    above
        Whether `least` itself is not allowed.
    example
        For words: what they look like.
    """

    name: str
    meaning: str
    default: str
    kind: Literal["whole", "decimal", "switch", "choice", "words"]
    least: float | None = None
    most: float | str | None = None
    names: tuple[str, ...] = ()
    above: bool = False
    example: str = ""

    @property
    def label(self) -> str:
        """What the control is called for people.

        Examples
        --------
        >>> Control("epsilon", "of the noise", "1", "decimal").label
        'Epsilon of the noise'
        """
        begins = self.meaning.split(" ")[0] in ("of", "that")
        text = f"{self.name.replace('_', ' ')} {self.meaning}" if begins else self.meaning
        return text[:1].upper() + text[1:]

    @classmethod
    def of(
        cls, name: str, default: object, allowed: str, meaning: str, hint: object = None
    ) -> "Control | None":
        """Return the control for a parameter; None if it is of a kind that the page cannot set.

        `allowed` says the range, and behind a semicolon what else is to be known of it; `hint` is the type.
        A default of None stands for what the API takes if nothing is given: an empty field.

        Examples
        --------
        >>> Control.of("noise", 0.05, "0 to 1", "probability of a random topic").most
        1.0
        >>> Control.of("size", 349, "1 and more, v1, v2 or occurring", "topics").names
        ('v1', 'v2', 'occurring')
        >>> Control.of("weights", {}, "", "weights by topic") is None
        True
        """
        said, _, beside = allowed.partition("; ")
        said = said.replace(", at most", " at most").replace(", below", " below")
        parts = [part for part in re.split(r", | or ", said) if part]
        ranges = [found for part in parts if (found := _RANGE.fullmatch(part) or _ABOVE.fullmatch(part))]
        names = tuple(part for part in parts if not _RANGE.fullmatch(part) and _NAME.fullmatch(part))
        if said == "any attribute" and isinstance(default, str):
            names = tuple(dict.fromkeys([default, *_ATTRIBUTES]))
        elif len(ranges) > 1 or len(ranges) + len(names) < len(parts):
            ranges, names = [], ()  # said in another way: the API itself checks
        least, most = (ranges[0][1], ranges[0][2]) if ranges else (None, None)
        made = cls(
            name,
            meaning or name.replace("_", " "),
            "" if default is None else _text(default),
            "decimal",
            None if least is None else float(least),
            _end(most),
            names,
            said.startswith("above"),
        )
        kinds = get_args(hint) or (hint,)
        if isinstance(default, bool):
            return replace(made, kind="switch", names=())
        if str in kinds and (said.startswith("such as ") or "their ends" in said):
            return replace(made, kind="words", example=beside or said.removeprefix("such as "))
        if isinstance(default, str):
            return replace(made, kind="whole" if ranges else "choice") if names else None
        if float in kinds or isinstance(default, float | Fraction):
            return made
        return replace(made, kind="whole") if isinstance(default, int) or int in kinds else None

    def among(self, attributes: tuple[str, ...]) -> "Control":
        """Return the control with more attributes to choose from, if it is one of attributes."""
        if self.kind != "choice" or not {*_ATTRIBUTES} <= {*self.names}:
            return self
        return replace(self, names=tuple(dict.fromkeys([*self.names, *attributes])))

    def read(self, text: str) -> Any:
        """Return the value that a text stands for, within the bounds."""
        if text in self.names:
            return text
        if self.kind == "words" and _WORDS.fullmatch(text):
            return int(text) if _WHOLE.fullmatch(text) else text
        if self.kind == "switch" and text in ("True", "False"):
            return text == "True"
        form = {"whole": _WHOLE, "decimal": _DECIMAL}.get(self.kind)
        low = -MOST if self.least is None else self.least
        high = self.most if isinstance(self.most, float) else MOST
        if form is not None and form.fullmatch(text) and not text.endswith("/0"):
            value = int(text) if _WHOLE.fullmatch(text) else Fraction(text) if "/" in text else float(text)
            if low <= value <= high and not (self.above and value == low):
                return value
        allowed = [f"a number between {shown(low)} and {shown(high)}"] if form is not None else []
        allowed = [f"a number above {shown(low)} and at most {shown(high)}"] if self.above else allowed
        allowed = [f"numbers with spaces between them, as in {self.example}"] if self.example else allowed
        listed = [*allowed, *(["True", "False"] if self.kind == "switch" else self.names)]
        raise ParameterError(what=self.name, value=text, allowed=f"{' or '.join(listed)}")


@final
class Offers:
    """The APIs on the page by name: those of the registry with their defaults, and those that were given.

    Parameters
    ----------
    given
        The APIs of the command line; their parameters are the defaults.
    attributes
        The attributes of the people of the command line, which a parameter may name too.

    Examples
    --------
    >>> Offers().api("topics:noise=0.1").spec
    'topics:noise=0.1'
    >>> Offers().api("/tmp/own.py:Own")
    Traceback (most recent call last):
    quiff.errors.ParameterError: there is no API '/tmp/own.py' on this page; there are cookies, topics, ...
    """

    def __init__(self, given: Iterable["Api"] = (), attributes: Iterable[str] = ()) -> None:
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
        self._controls = {name: _controls(api, tuple(attributes)) for name, api in self.apis.items()}

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
                "controls": [{**plain(control), "label": control.label} for control in self._controls[name]],
            }
            for name, api in self.apis.items()
        ]

    def api(self, spec: str) -> "Api":
        """Return the API that a request names."""
        name, _, given = spec.partition(":")
        if name not in self.apis:
            listed = ", ".join(self.apis)
            raise ParameterError(f"there is no API {cut(name)!r} on this page; there are {listed}")
        made, values = self.apis[name], {}
        controls = {control.name: control for control in self._controls[name]}
        for part in given.split(",") if given else ():
            parameter, _, text = part.partition("=")
            if parameter not in controls:
                known = ", ".join(controls) or "none"
                raise ParameterError(
                    f"the API {name!r} has no parameter {cut(parameter)!r} on this page; there are {known}"
                )
            if parameter in values:
                raise ParameterError(f"{parameter} is given twice; give it once")
            control = controls[parameter]
            values[parameter] = (
                made.parameters()[parameter] if text == control.default else control.read(text)
            )
        try:
            return type(made)(**(made.parameters() | values)) if values else made
        except QuiffError:
            raise
        except (TypeError, ValueError, ArithmeticError) as error:  # of one's own class
            raise ParameterError(f"{cut(spec)!r} cannot be made: {error}") from error

    def controls(self, api: "Api") -> list[Control]:
        """Return the controls of an API."""
        return self._controls[api.name]


def _controls(api: "Api", attributes: tuple[str, ...]) -> list[Control]:
    from quiff.apis.base import parameters_of

    values = api.parameters()
    made = (
        Control.of(
            each.name,
            values[each.name],
            each.metadata.get("allowed", ""),
            each.metadata.get("meaning", ""),
            each.type,
        )
        for each in parameters_of(type(api))
        if each.name in values
    )
    return [control.among(attributes) for control in made if control is not None]


def _end(most: str | None) -> float | str | None:
    """Return the end of a range; None where there is none, or one beyond what a slider could reach."""
    if most is None or most[0].isalpha():
        return most
    base, _, power = most.partition("^")
    end = float(base) ** (int(power) if power else 1)
    return end if end < _VAST else None


def _text(value: object) -> str:
    text = f"{value.numerator}/{value.denominator}" if isinstance(value, Fraction) else str(value)
    return text.removesuffix("/1") if isinstance(value, Fraction) else text
