"""The APIs that the page offers, their parameters as controls, and what a request may say of them.

A request names an API of the registry or one that the command line gave. It never names a file.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

from quiff.apis.ranges import Control, Range, range_like, value_of
from quiff.errors import ParameterError, QuiffError
from quiff.results.numbers import plain
from quiff.web.queries import cut

if TYPE_CHECKING:
    from quiff.apis.base import Api

MOST = 10_000
"""The largest number that a request may give where a parameter has no largest value of its own."""

_WORDS = re.compile(r"[\dx. ]{1,120}", re.ASCII)  # no name of a file is asked for, nor opened
_NUMBER = re.compile(r"-?(\d{1,12}(\.\d{0,20})?|\.\d{1,20})(e-?\d{1,3})?|\d{1,9}/\d{1,9}", re.ASCII | re.I)


@final
@dataclass(frozen=True)
class Offer:
    """A parameter on the page: its name, what it means, its default as text, its range and its control."""

    name: str
    meaning: str
    default: str
    allowed: Range
    control: Control

    @property
    def is_number(self) -> bool:
        """Whether it is a number."""
        return self.control.kind in ("whole", "decimal")

    @property
    def label(self) -> str:
        """What the control is called for people.

        Examples
        --------
        >>> from quiff import api_from
        >>> Offers().parameters(api_from("ipa"))[0].label
        'Epsilon of the noise (not set by the draft)'
        """
        begins = self.meaning.split(" ")[0] in ("of", "that")
        text = f"{self.name.replace('_', ' ')} {self.meaning}" if begins else self.meaning
        return text[:1].upper() + text[1:]

    def read(self, text: str) -> Any:
        """Return the value that a text stands for, within the bounds."""
        control = self.control
        if text in control.names:
            return text
        if control.kind == "words" and not _WORDS.fullmatch(text):
            allowed = f"numbers with spaces between them, as in {control.example}"
            raise ParameterError(what=self.name, value=text, allowed=allowed)
        if control.kind == "choice":
            raise ParameterError(what=self.name, value=text, allowed=" or ".join(control.names))
        number = value_of(text) if _NUMBER.fullmatch(text) or control.kind == "switch" else text
        value = self.allowed.check(self.name, text if control.kind == "words" and " " in text else number)
        if self.is_number and not isinstance(control.most, float) and abs(value) > MOST:
            raise ParameterError(what=self.name, value=text, allowed=f"at most {MOST} on this page")
        return value


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
                    f"there is an API {made.name!r} already; give your own another name = ...",
                    what="api",
                    value=made.name,
                )
            self.apis[made.name] = made
        self._offers = {name: _offers(api, tuple(attributes)) for name, api in self.apis.items()}

    def settings(self) -> list[dict[str, object]]:
        """Return the APIs for the page: what they are, and how their parameters are set."""
        return [
            {
                "name": name,
                "title": api.title,
                "sees": api.sees,
                "status": api.status,
                "ended": api.ended,
                "source": api.source,
                "unit": str(api.unit),
                "needs": list(api.needs),
                "controls": [
                    {"name": offer.name, "label": offer.label, "default": offer.default}
                    | plain(offer.control)
                    for offer in self._offers[name]
                ],
            }
            for name, api in self.apis.items()
        ]

    def api(self, spec: str) -> "Api":
        """Return the API that a request names."""
        name, _, given = spec.partition(":")
        if name not in self.apis:
            listed = ", ".join(self.apis)
            raise ParameterError(
                f"there is no API {cut(name)!r} on this page; there are {listed}",
                what="api",
                value=cut(name),
                allowed=listed,
            )
        made, values = self.apis[name], {}
        offers = {offer.name: offer for offer in self._offers[name]}
        for part in given.split(",") if given else ():
            parameter, _, text = part.partition("=")
            if parameter not in offers:
                known = ", ".join(offers) or "none"
                raise ParameterError(
                    f"the API {name!r} has no parameter {cut(parameter)!r} on this page; there are {known}",
                    what="parameter",
                    value=cut(parameter),
                )
            if parameter in values:
                raise ParameterError(f"{parameter} is given twice; give it once")
            offer = offers[parameter]
            values[parameter] = made.parameters()[parameter] if text == offer.default else offer.read(text)
        try:
            return type(made)(**(made.parameters() | values)) if values else made
        except QuiffError:
            raise
        except (TypeError, ValueError, ArithmeticError) as error:  # of one's own class
            raise ParameterError(
                f"{cut(spec)!r} cannot be made: {error}", what="api", value=cut(spec)
            ) from error

    def parameters(self, api: "Api") -> list[Offer]:
        """Return the parameters of an API that the page can set."""
        return self._offers[api.name]


def _offers(api: "Api", attributes: tuple[str, ...]) -> list[Offer]:
    """Return the parameters that the page can set."""
    from quiff.apis.base import parameters_of

    values, offers = api.parameters(), []
    for each in parameters_of(type(api)):
        default = values[each.name]
        allowed: Range | None = each.metadata.get("range") or range_like(default, MOST)
        control = None if allowed is None else allowed.control(default, attributes)
        if allowed is not None and control is not None:
            meaning = each.metadata.get("meaning") or each.name.replace("_", " ")
            text = "" if default is None else str(default)
            offers.append(Offer(each.name, meaning, text, allowed, control))
    return offers
