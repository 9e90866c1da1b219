"""Attribution without noise: Private Click Measurement, and AdAttributionKit's tiers."""

from collections.abc import Hashable
from dataclasses import dataclass
from itertools import pairwise, product
from math import inf
from typing import Any, Literal, final

from quiff.apis.base import Unit, parameter
from quiff.apis.encodings import Event, OfConversions
from quiff.apis.mechanisms import Deterministic, Mechanism
from quiff.apis.ranges import OneOf, Whole
from quiff.core.gain import Gain, predicate_gain
from quiff.core.labels import Labels, as_labels


@final
@dataclass(frozen=True)
class PrivateClickMeasurement(OfConversions):
    """Private Click Measurement: four bits on the conversion that followed a click, or nothing.

    The trigger datum of one conversion within 7 days is reported to both sites a day or two later; of several
    it is the one with the highest priority. The 8 bits of the source are known to whoever showed the
    advertisement.

    Examples
    --------
    >>> PrivateClickMeasurement().limits()[0].value
    17
    """

    title = "Private Click Measurement"
    family = "attribution"
    status = "live"
    source = "privacycg/private-click-measurement at 58005e2 (20 April 2021), a community group draft"
    sees = "a trigger datum, or nothing"
    unit = Unit("a click")
    assumptions = (
        "The click is on day 0 of the conversions; all have the same priority, so that the first one counts.",
        "Trigger data are the kinds of conversions, in alphabetical order, modulo 16.",
    )
    _days = 7
    _data = 16

    def space(self) -> Labels:
        """Return None (no report) and the 16 trigger data."""
        return as_labels([None, *range(self._data)])

    def encode(self, events: tuple[Event, ...]) -> Hashable:
        """Return the trigger datum of the first conversion in 7 days."""
        return next((event.kind % self._data for event in events if event.days <= self._days), None)

    @property
    def mechanism(self) -> Mechanism:
        """Each trigger datum as it is, or nothing."""
        space = self.space()
        return Deterministic(
            space.size, "16 + 1", space, lambda data: space.positions(list(data), "trigger datum")
        )

    def goals(self, secrets: object) -> dict[str, Gain]:
        """Return whether there was a conversion."""
        return {"converted": predicate_gain(as_labels(secrets), lambda datum: datum is not None)}


_ENDS = (2.0, 7.0, 35.0)
_FINE, _COARSE = 64, 3


@final
@dataclass(frozen=True)
class AdAttributionKit(OfConversions):
    """Apple's AdAttributionKit (SKAdNetwork 4): conversion values of an install, coarser in smaller crowds.

    An app sets a fine value (0 to 63) and a coarse one (0 to 2) in the first of three windows, and coarse
    ones in the others. In tier 0 no value is sent, in tier 1 the coarse values, in tiers 2 and 3 the fine
    value of the first window and the coarse ones of the others; tier 3 adds the source app, which is not part
    of the secret. Apple keeps the sizes of crowds that lead to tiers secret, so that the tier is a parameter.

    Parameters
    ----------
    tier
        0 to 3.
    coarse
        Whether the coarse value of the first window is a ``function`` of the fine one (a third of the range
        each), or is set on its ``own``.

    Examples
    --------
    >>> [int(AdAttributionKit(tier).limits()[0].value) for tier in range(4)]
    [1, 27, 576, 576]
    """

    tier: int = parameter(
        3, Whole(0, 3, source="Apple's documentation"), "postback data tier (Apple keeps its rule secret)"
    )
    coarse: Literal["function", "own"] = parameter(
        "function", OneOf("function", "own"), "how the first coarse value is set"
    )

    title = "AdAttributionKit (SKAdNetwork 4)"
    family = "attribution"
    status = "live"
    source = "Apple's developer documentation of SKAdNetwork 4; tiers as described by Branch"
    sees = "conversion values"
    unit = Unit("an install")
    assumptions = (
        "The app sets the values: here the fine one is the rounded total value of the first window up to 63, "
        "and a coarse one the number of conversions in its window up to 2.",
        "The source identifier's digits, which depend on the crowd too, are not part of the secret.",
    )
    open_points = (
        "Which sizes of crowds lead to which tier, and to how many digits of the source identifier.",
    )

    def space(self) -> Labels:
        """Return all values: fine, and the coarse ones of three windows."""
        firsts = (
            [(fine, self._third(fine)) for fine in range(_FINE)]
            if self.coarse == "function"
            else list(product(range(_FINE), range(_COARSE)))
        )
        return as_labels([(*first, *rest) for first in firsts for rest in product(range(_COARSE), repeat=2)])

    @staticmethod
    def _third(fine: int) -> int:
        return fine * _COARSE // _FINE

    def encode(self, events: tuple[Event, ...]) -> Hashable:
        """Return the values that the app sets: fine, and coarse in each of three windows."""
        windows = [
            [event for event in events if start < event.days <= end]
            for start, end in pairwise((-inf, *_ENDS))
        ]
        fine = min(_FINE - 1, round(sum(event.value for event in windows[0])))
        first, second, third = (min(_COARSE - 1, len(window)) for window in windows)
        return fine, self._third(fine) if self.coarse == "function" else first, second, third

    @property
    def mechanism(self) -> Mechanism:
        """The map to what the tier sends."""
        sent = as_labels(dict.fromkeys(map(self._sent, self.space())))
        formula = ("1", "3^3", "64 3^2", "64 3^2")[self.tier]
        return Deterministic(sent.size, formula, sent, lambda x: sent.positions([self._sent(v) for v in x]))

    def _sent(self, values: Any) -> Hashable:
        fine, first, second, third = values
        return ((), (first, second, third), (fine, second, third), (fine, second, third))[self.tier]

    def goals(self, secrets: object) -> dict[str, Gain]:
        """Return the coarse value of the first window: which class of users it is."""
        return {"class": predicate_gain(as_labels(secrets), lambda values: values[1])}
