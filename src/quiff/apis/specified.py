"""What APIs of the catalogue share: ranges with their source, limits, secrets from conversions."""

import hashlib
from collections.abc import Callable, Hashable, Mapping
from typing import Any

from quiff.apis.base import Api, Limit
from quiff.core.channel import Channel
from quiff.core.labels import as_labels
from quiff.errors import ParameterError
from quiff.populations.conversions import CONVERSIONS, Conversion, conversions_of
from quiff.populations.histories import Histories
from quiff.populations.population import Population
from quiff.theory.parameters import Real, check_number, check_whole

_NEAR = 1e-6


def whole(least: int, most: int | None, source: str) -> Callable[[str, Any], Any]:
    """Return a check for a whole number in the range that a source specifies.

    Examples
    --------
    >>> whole(1, 5, "index.bs")("windows", 6)
    Traceback (most recent call last):
    quiff.errors.ParameterError: windows must be a whole number between 1 and 5, not 6 (index.bs)
    """
    return _sourced(lambda name, value: check_whole(name, value, least, most), source)


def number(
    least: int, most: float, source: str, *, above: bool = False, below: bool = False
) -> Callable[[str, Any], Any]:
    """Return a check for a number in the range that a source specifies.

    The ends belong to it, unless it is `above` the one or `below` the other. What is nearer to an end that
    does not belong to it than 10^-6, the unit in which W3C Attribution counts, is not computed.

    Examples
    --------
    >>> number(0, 64, "the service", above=True)("epsilon", 0)
    Traceback (most recent call last):
    quiff.errors.ParameterError: epsilon must be above 0 and at most 64, not 0 (the service)
    """

    def check(name: str, value: Any) -> Real:
        try:
            found = check_number(name, value, least, most)
        except ParameterError:
            if not above and not below:
                raise
            found = -1
        near = (above and found - least < _NEAR) or (below and most - found < _NEAR)
        if found < least or near:
            start, end = "above" if above else "at least", "below" if below else "at most"
            told = f" (within {_NEAR:g} of an end nothing is computed)" if least < found < most else ""
            allowed = f"{start} {least} and {end} {most}"
            sentence = f"{name} must be {allowed}, not {value!r}{told}"
            raise ParameterError(sentence, what=name, value=value, allowed=allowed)
        return found

    return _sourced(check, source)


def one_of(*names: str) -> Callable[[str, Any], Any]:
    """Return a check for one of some names."""

    def check(name: str, value: Any) -> Any:
        if value not in names:
            raise ParameterError(what=name, value=value, allowed=f"{', '.join(names[:-1])} or {names[-1]}")
        return value

    return check


def check_attribute(name: str, value: object) -> str:
    """Return the name of an attribute of people as it is; anything else is an error."""
    if not isinstance(value, str) or not value:
        raise ParameterError(what=name, value=value, allowed="the name of an attribute of people")
    return value


def flag(name: str, value: object) -> bool:
    """Return a truth value as it is; anything else is an error."""
    if not isinstance(value, bool):
        raise ParameterError(what=name, value=value, allowed="True or False")
    return value


def _sourced(check: Callable[[str, Any], Any], source: str) -> Callable[[str, Any], Any]:
    def sourced(name: str, value: Any) -> Any:
        try:
            return check(name, value)
        except ParameterError as error:
            error.args = (f"{error} ({source})",)
            raise

    sourced.source = source  # type: ignore[attr-defined]  # shown beside the range
    return sourced


def limits_from(
    forms: Mapping[str, Real], formulas: Mapping[str, str], source: str, assumes: str = ""
) -> tuple[Limit, ...]:
    """Return closed forms by quantity as limits, those that have a formula."""
    return tuple(
        Limit(quantity, forms[quantity], formula, source, assumes)
        for quantity, formula in formulas.items()
        if quantity in forms
    )


def from_conversions(
    people: Population | Histories, secret: Callable[[tuple[Conversion, ...]], Hashable]
) -> Channel:
    """Return the channel from users to a function of their conversions.

    Examples
    --------
    >>> people = Population.from_sets({"Ann": {1}, "Bob": {2}}).with_attribute(CONVERSIONS, ["buy@2", None])
    >>> from_conversions(people, len)
    Channel from 2 inputs to 2 outputs
         1  0
    Ann  1  0
    Bob  0  1
    """
    return mapped(people.channel(CONVERSIONS), lambda value: secret(conversions_of(value)))


def mapped(values: Channel, function: Callable[[Any], Hashable]) -> Channel:
    """Return the channel to a function of what a channel puts out; each output is looked at once."""
    found = [function(value) for value in values.outputs]
    outputs = as_labels(dict.fromkeys(found))
    codes = outputs.positions(found, "output")
    return values @ Channel.deterministic_from_codes(values.outputs, codes, outputs)


def encoded(value: Hashable, n: int) -> int:
    """Return the number below n that a caller gives a value of an attribute: a stable hash of it.

    Examples
    --------
    >>> encoded(frozenset({1, 2}), 4096) == encoded(frozenset({2, 1}), 4096)
    True
    """
    ordered = sorted(map(repr, value)) if isinstance(value, frozenset) else repr(value)
    return int.from_bytes(hashlib.sha256(str(ordered).encode()).digest()[:16]) % n


class Encoded(Api):
    """What a caller encodes of an attribute of people, by a hash."""

    attribute: str

    @property
    def needs(self) -> tuple[str, ...]:  # type: ignore[override]  # it depends on a parameter
        """The attribute that the caller encodes."""
        return (self.attribute,)

    def numbered(self, people: Population | Histories, n: int) -> Channel:
        """Return the channel from users to the number below n that stands for their value."""
        return mapped(people.channel(self.attribute), lambda value: encoded(value, n))
