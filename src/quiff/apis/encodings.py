"""How a value of people becomes a secret: by a hash, as a caller encodes it, or from conversions."""

import hashlib
from abc import abstractmethod
from collections.abc import Callable, Hashable
from typing import Any, NamedTuple

from quiff.apis.mechanisms import ByMechanism
from quiff.core.channel import Channel
from quiff.core.labels import as_labels
from quiff.people.conversions import CONVERSIONS, conversions_of, kinds_of
from quiff.people.histories import Histories
from quiff.people.population import Population


def mapped(values: Channel, function: Callable[[Any], Hashable]) -> Channel:
    """Return the channel to a function of what a channel puts out; each output is looked at once."""
    secrets = [function(value) for value in values.outputs]
    outputs = as_labels(dict.fromkeys(secrets))
    codes = outputs.positions(secrets, "output")
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


class Encoded(ByMechanism):
    """An API whose secret is what becomes of a value of the attributes that it needs."""

    @abstractmethod
    def encode(self, value: Any) -> Hashable:
        """Return the secret that a value becomes."""

    def secret(self, people: Population | Histories) -> Channel:
        """Return the channel from users to what becomes of their values."""
        return mapped(people.channel(*self.needs), self.encode)


class Hashed(Encoded):
    """An API whose caller encodes an attribute of people, which is a parameter, by a hash."""

    attribute: str

    @property
    def needs(self) -> tuple[str, ...]:  # type: ignore[override]  # it depends on a parameter
        """The attribute that the caller encodes."""
        return (self.attribute,)


class Event(NamedTuple):
    """A conversion: after how many days, the number of its kind in alphabetical order, and its value."""

    days: float
    kind: int
    value: float


class OfConversions(ByMechanism):
    """An API whose secret is a function of a user's conversions.

    Its observer already knows whose click, view or install it is.
    """

    observer_knows_who = True
    redraws = "secret"
    needs = (CONVERSIONS,)

    @abstractmethod
    def encode(self, events: tuple[Event, ...]) -> Hashable:
        """Return the secret that conversions, in order of time, become."""

    def secret(self, people: Population | Histories) -> Channel:
        """Return the channel from users to what becomes of their conversions."""
        values = people.channel(CONVERSIONS)
        kinds = kinds_of(values.outputs)

        def encode(value: Any) -> Hashable:
            listed = conversions_of(value)
            return self.encode(tuple(Event(event.days, kinds[event.kind], event.value) for event in listed))

        return mapped(values, encode)
