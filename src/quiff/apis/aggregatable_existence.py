"""Attribution Reporting, aggregatable reports: what it reveals that a report exists at all."""

from dataclasses import dataclass
from math import inf
from typing import final

import numpy as np

from quiff.apis.base import Api, Limit, Unit, parameter
from quiff.apis.ranges import Flag
from quiff.apis.specified import from_conversions, limits_from
from quiff.core.channel import Channel
from quiff.core.composite_labels import ProductLabels
from quiff.core.gain import Gain, predicate_gain
from quiff.core.kernels import DenseKernel
from quiff.core.kernels.one_hot import OneHotKernel
from quiff.core.labels import Labels, as_labels
from quiff.populations.conversions import CONVERSIONS
from quiff.populations.histories import Histories
from quiff.populations.population import Population
from quiff.theory.existence import excluded, included

_DAYS = 31
_RATES = {False: 0.05, True: 0.008}


@final
@dataclass(frozen=True)
class AggregatableExistence(Api):
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
    source = "WICG/attribution-reporting-api at 44a6da3 (28 August 2025), AGGREGATE.md and index.bs"
    sees = "which reports are sent"
    unit = Unit("a conversion")
    observer_knows_who = True
    redraws = "secret"
    needs = (CONVERSIONS,)
    assumptions = (
        "A user's first conversion is the trigger; it is attributed to a source of day 0, so that the days "
        "since are the source day.",
    )

    def space(self) -> Labels:
        """Return None (not attributed) and the source days, or only whether it was attributed."""
        return as_labels([None, *range(_DAYS)]) if self.source_time else as_labels([None, 0])

    def secret(self, people: Population | Histories) -> Channel:
        """Return the channel from users to the source day of their first conversion; None without one."""
        most = _DAYS - 1 if self.source_time else 0
        return from_conversions(people, lambda events: min(int(events[0].days), most) if events else None)

    def observe(self, secrets: object) -> Channel:
        """Return [[1, 0], [q, 1-q]], or 31 days, each with a report of its own."""
        named, q = as_labels(secrets), _RATES[self.source_time]
        places = self.space().positions(list(named), "source day") - 1
        if not self.source_time:
            laws = np.array([[1 - q, q], [0.0, 1.0]])
            return Channel.from_kernel(
                named, as_labels(["no report", "report"]), DenseKernel(laws[places + 1])
            )
        kernel = OneHotKernel(np.array([1 - q, q]), np.array([0.0, 1.0]), places, _DAYS)
        return Channel.from_kernel(named, ProductLabels((as_labels([0, 1]),) * _DAYS), kernel)

    def goals(self, secrets: object) -> dict[str, Gain]:
        """Return whether the trigger was attributed."""
        if self.source_time:
            return {}
        return {"attributed": predicate_gain(as_labels(secrets), lambda day: day is not None)}

    def limits(self) -> tuple[Limit, ...]:
        """Return the closed forms of a null report."""
        q = _RATES[self.source_time]
        forms = included(_DAYS, q) if self.source_time else excluded(q)
        capacity = "(1-q)^31 + (1-(1-q)^31)/q" if self.source_time else "2 - q"
        return limits_from(
            forms | {"epsilon": inf, "max_case_capacity": inf},
            {
                "bayes_capacity": capacity,
                "epsilon": "inf: without a report the trigger was not attributed",
                "max_case_capacity": "inf",
                "shannon_capacity_bits": "at the best prior of no attribution, found by search",
            },
            self.source,
        )
