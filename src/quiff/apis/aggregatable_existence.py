"""Attribution Reporting, aggregatable reports: what it reveals that a report exists at all."""

from collections.abc import Hashable
from dataclasses import dataclass
from math import inf
from typing import final

import numpy as np

from quiff.apis.base import SANDBOX_ENDED, Limit, Unit, parameter
from quiff.apis.encodings import Event, OfConversions
from quiff.apis.mechanisms import CellLaws, Laws, Mechanism, OneHot
from quiff.apis.ranges import Flag
from quiff.core.gain import Gain, predicate_gain
from quiff.core.labels import Labels, as_labels
from quiff.theory.existence import excluded, included

_DAYS = 31
_RATES = {False: 0.05, True: 0.008}


@final
@dataclass(frozen=True)
class AggregatableExistence(OfConversions):
    """Which triggers send an aggregatable report: real ones, and null reports at random.

    Without the source's registration time an attributed trigger sends one report, and another one a null
    report with probability 0.05. With it, the true source day sends a report and each other of 31 days does
    so with probability 0.008. A trigger context id always sends one report, and reveals nothing.

    Examples
    --------
    >>> AggregatableExistence().limits()[0].value
    1.95
    """

    source_time: bool = parameter(False, Flag(), "whether reports state the source's day")

    title = "Attribution Reporting, existence of aggregatable reports"
    family = "attribution"
    status = "retired"
    ended = SANDBOX_ENDED
    source = "WICG/attribution-reporting-api at 44a6da3 (28 August 2025), AGGREGATE.md and index.bs"
    sees = "which reports are sent"
    unit = Unit("a conversion")
    assumptions = (
        "A user's first conversion is the trigger; it is attributed to a source of day 0, so that the days "
        "since are the source day.",
    )

    def space(self) -> Labels:
        """Return None (not attributed) and the source days, or only whether it was attributed."""
        return as_labels([None, *range(_DAYS)]) if self.source_time else as_labels([None, 0])

    def encode(self, events: tuple[Event, ...]) -> Hashable:
        """Return the source day of the first conversion; None without one."""
        most = _DAYS - 1 if self.source_time else 0
        return min(int(events[0].days), most) if events else None

    @property
    def mechanism(self) -> Mechanism:
        """[[1, 0], [q, 1-q]], or 31 days, each with a report of its own."""
        q = _RATES[self.source_time]
        if not self.source_time:
            shannon = excluded(q)["shannon_capacity_bits"]
            further = Limit("shannon_capacity_bits", shannon, "log2(1 + (1-q) q^(q/(1-q)))")
            rows: dict[Hashable, list[float]] = {None: [1 - q, q], 0: [0.0, 1.0]}
            return Laws(rows, ("no report", "report"), (further,))
        days = self.space()
        return OneHot(
            _DAYS,
            lambda day: int(days.position(day, "source day")) - 1,
            lambda: CellLaws(np.array([1 - q, q]), np.array([0.0, 1.0]), as_labels([0, 1])),
            lambda: included(_DAYS, q) | {"epsilon": inf, "max_case_capacity": inf},
            (
                "(1-q)^31 + (1-(1-q)^31)/q",
                "inf: without a report the trigger was not attributed",
                "inf",
                "at the best prior of no attribution, found by search",
            ),
        )

    def goals(self, secrets: object) -> dict[str, Gain]:
        """Return whether the trigger was attributed."""
        if self.source_time:
            return {}
        return {"attributed": predicate_gain(as_labels(secrets), lambda day: day is not None)}
