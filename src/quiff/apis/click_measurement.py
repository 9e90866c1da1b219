"""Attribution without noise: Private Click Measurement, and AdAttributionKit's tiers."""

from collections.abc import Hashable
from dataclasses import dataclass
from itertools import product
from math import inf, log2
from typing import Any, Literal, final

from quiff.apis.base import Api, Limit, Unit, parameter
from quiff.apis.ranges import OneOf, Whole
from quiff.apis.specified import from_conversions
from quiff.core.channel import Channel
from quiff.core.gain import Gain, predicate_gain
from quiff.core.labels import Labels, as_labels
from quiff.populations.conversions import CONVERSIONS, Conversion, kinds_of
from quiff.populations.histories import Histories
from quiff.populations.population import Population
from quiff.theory.parameters import Real


def _deterministic_limits(outputs: int, formula: str, source: str) -> tuple[Limit, ...]:
    """Return the capacities of a map onto so many outputs."""
    several = outputs > 1
    found: dict[str, tuple[Real, str]] = {
        "bayes_capacity": (outputs, formula),
        "epsilon": (inf if several else 0.0, "inf: no noise" if several else "0: one output"),
        "max_case_capacity": (inf if several else 1, "inf" if several else "1"),
        "shannon_capacity_bits": (log2(outputs), "log2 of the outputs"),
    }
    return tuple(Limit(key, value, text, source) for key, (value, text) in found.items())


@final
@dataclass(frozen=True)
class PrivateClickMeasurement(Api):
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
    observer_knows_who = True
    redraws = "secret"
    needs = (CONVERSIONS,)
    assumptions = (
        "The click is on day 0 of the conversions; all have the same priority, so that the first one counts.",
        "Trigger data are the kinds of conversions, in alphabetical order, modulo 16.",
    )
    _days = 7
    _data = 16

    def space(self) -> Labels:
        """Return None (no report) and the 16 trigger data."""
        return as_labels([None, *range(self._data)])

    def secret(self, people: Population | Histories) -> Channel:
        """Return the channel from users to the trigger datum of their first conversion in 7 days."""
        kinds = kinds_of(people.channel(CONVERSIONS).outputs)

        def datum(events: tuple[Conversion, ...]) -> int | None:
            first = next((event for event in events if event.days <= self._days), None)
            return None if first is None else kinds[first.kind] % self._data

        return from_conversions(people, datum)

    def observe(self, secrets: object) -> Channel:
        """Return the identity on trigger data."""
        space = self.space()
        named = as_labels(secrets)
        return Channel.deterministic_from_codes(named, space.positions(list(named), "trigger datum"), space)

    def goals(self, secrets: object) -> dict[str, Gain]:
        """Return whether there was a conversion."""
        return {"converted": predicate_gain(as_labels(secrets), lambda datum: datum is not None)}

    def limits(self) -> tuple[Limit, ...]:
        """Return 16 trigger data or nothing."""
        return _deterministic_limits(self._data + 1, "16 + 1", self.source)


_ENDS = (2.0, 7.0, 35.0)
_FINE, _COARSE = 64, 3
Values = tuple[int, int, int, int]


@final
@dataclass(frozen=True)
class AdAttributionKit(Api):
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
    observer_knows_who = True
    redraws = "secret"
    needs = (CONVERSIONS,)
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

    def secret(self, people: Population | Histories) -> Channel:
        """Return the channel from users to the values that the app sets for their conversions."""
        return from_conversions(people, self._values)

    def _values(self, events: tuple[Conversion, ...]) -> Values:
        starts = (-inf, *_ENDS[:-1])
        within = [
            [event for event in events if start < event.days <= end]
            for start, end in zip(starts, _ENDS, strict=True)
        ]
        fine = min(_FINE - 1, round(sum(event.value for event in within[0])))
        first, second, third = (min(_COARSE - 1, len(each)) for each in within)
        return fine, self._third(fine) if self.coarse == "function" else first, second, third

    def observe(self, secrets: object) -> Channel:
        """Return the map to what the tier sends."""
        named, shown = as_labels(secrets), as_labels(dict.fromkeys(map(self._sent, self.space())))
        codes = shown.positions([self._sent(values) for values in named])
        return Channel.deterministic_from_codes(named, codes, shown)

    def _sent(self, values: Any) -> Hashable:
        fine, first, second, third = values
        return ((), (first, second, third), (fine, second, third), (fine, second, third))[self.tier]

    def goals(self, secrets: object) -> dict[str, Gain]:
        """Return the coarse value of the first window: which class of users it is."""
        return {"class": predicate_gain(as_labels(secrets), lambda values: values[1])}

    def limits(self) -> tuple[Limit, ...]:
        """Return the number of values that can be sent."""
        outputs = (1, _COARSE**3, _FINE * _COARSE**2, _FINE * _COARSE**2)[self.tier]
        formula = ("1", "3^3", "64 3^2", "64 3^2")[self.tier]
        return _deterministic_limits(outputs, formula, self.source)
