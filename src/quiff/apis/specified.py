"""What APIs of the catalogue share: limits from closed forms, secrets from conversions, encodings."""

import hashlib
from collections.abc import Callable, Hashable, Mapping
from typing import Any

from quiff.apis.base import Api, Limit
from quiff.core.channel import Channel
from quiff.core.labels import as_labels
from quiff.populations.conversions import CONVERSIONS, Conversion, conversions_of
from quiff.populations.histories import Histories
from quiff.populations.population import Population
from quiff.theory.parameters import Real


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
