"""APIs that release noisy histograms: aggregatable reports, Private Aggregation, IPA, W3C Attribution.

All are measured in the worst case, a batch of one: the whole contribution goes to one key, or there is none.
That a report exists at all reveals something too: it is an API of its own.
"""

from abc import abstractmethod
from collections.abc import Hashable
from dataclasses import dataclass, replace
from math import exp, inf
from typing import ClassVar, final

import numpy as np

from quiff.apis.base import SANDBOX_ENDED, Limit, Unit, parameter
from quiff.apis.encodings import Event, OfConversions
from quiff.apis.mechanisms import CellLaws, Laws, Mechanism, OneHot
from quiff.apis.ranges import Flag, Number, Share, Whole
from quiff.core.gain import Gain, bayes_gain, predicate_gain
from quiff.core.labels import Labels, as_labels
from quiff.errors import ParameterError
from quiff.measures.noise import laplace
from quiff.theory.browser_apis import excluded, included
from quiff.theory.mechanisms import Forms, geometric_keys, laplace_keys

_SERVICE = "privacysandbox/aggregation-service at 5208655 (27 June 2025)"
_W3C = "w3c/attribution at 9fab4e8 (14 May 2026), api.bs"
_LISTED = 10_000  # keys up to which all secrets are listed
_CELLS = 4_096  # into which Laplace noise is cut
_MODEL = "a range of the model; patcg-individual-drafts/ipa at 53a7a8f sets none"
_OTHERS = "a range of the model; w3c/attribution at 9fab4e8 sets none"
_BATCH = (
    "A batch of one person, the worst case: other people in the batch add uncertainty.",
    "The whole contribution goes to the key of the first conversion's kind, in alphabetical order, modulo "
    "the number of keys.",
)


class NoisyHistogram(OfConversions):
    """What the APIs with noisy histograms share: the secret is the key that is contributed to, or None."""

    epsilon: float
    keys: int
    sees = "a noisy histogram"
    _formula: ClassVar[str]

    @abstractmethod
    def _forms(self) -> Forms:
        """Return the closed forms for which key, or none."""

    @abstractmethod
    def _laws(self) -> CellLaws:
        """Return the law of a key's value without and with the contribution."""

    def space(self) -> Labels | None:
        """Return None (no contribution) and all keys, if these are few enough to list."""
        return as_labels([None, *range(self.keys)]) if self.keys <= _LISTED else None

    def encode(self, events: tuple[Event, ...]) -> Hashable:
        """Return the key of the first conversion."""
        return events[0].kind % self.keys if events else None

    @property
    def mechanism(self) -> OneHot:
        """Noise on every key, whose columns are never written out; two keys are twice as far apart as one."""
        formulas = (
            self._formula,
            "epsilon for one key or none, twice that for one key or another",
            "e to that",
            "1 - E[log2(1 + 1/ratio)], of one key or none",
        )
        assumes = "the whole contribution goes to one of the keys, or to none"
        return OneHot(self.keys, self._place, self._laws, self._forms, formulas, assumes)

    def _place(self, key: Hashable) -> int:
        if key is not None and (not isinstance(key, int) or not 0 <= key < self.keys):
            raise ParameterError(
                what="the key", value=key, allowed=f"one of the {self.keys}, which are numbered from 0"
            )
        return -1 if key is None else key

    def goals(self, secrets: object) -> dict[str, Gain]:
        """Return which key was contributed to, and whether any was."""
        named = as_labels(secrets)
        goals = {"key": bayes_gain(named)}
        return (
            goals
            if self.keys > 2
            else goals | {"contributed": predicate_gain(named, lambda x: x is not None)}
        )


@dataclass(frozen=True)
class _Geometric(NoisyHistogram):
    """With the two-sided geometric noise of the aggregation service."""

    epsilon: float = parameter(10, Number(0, 64, above=True, source=_SERVICE), "of the noise of a job")
    keys: int = parameter(
        100, Whole(1, 2**128, source=_SERVICE), "keys that the job declares (chosen by the caller)"
    )

    _value = 65_536
    _formula = "E[max(1, max over keys of a^(L-2z))], a = e^(-epsilon/L), L = 65536"

    def _forms(self) -> Forms:
        return geometric_keys(self.keys, float(self.epsilon), self._value)

    def _laws(self) -> CellLaws:
        # Beyond 0 and L all values have the same likelihood ratio, so that they may be one output.
        step = float(self.epsilon) / self._value
        base = np.exp(-step * np.arange(self._value + 1)) / (1 + exp(-step))
        base[1:-1] *= -np.expm1(-step)
        return CellLaws(base, base[::-1], as_labels(range(self._value + 1)))


class _Laplace(NoisyHistogram):
    """With Laplace noise, which is cut into cells; the channel carries the error of that."""

    _formula = "1 + integral of 1 - (1 - e^(-t/2) u^(-1/2)/2)^keys over u = 1 .. e^t"

    @property
    @abstractmethod
    def _shift(self) -> float:
        """t: the contribution divided by the scale of the noise."""

    def _forms(self) -> Forms:
        return laplace_keys(self.keys, self._shift)

    def _laws(self) -> CellLaws:
        C = laplace([0.0, self._shift], 1.0, cells=_CELLS)
        base, marked = C.to_numpy()
        return CellLaws(base, marked, C.outputs, C.slack)


@final
@dataclass(frozen=True)
class AggregatableReports(_Geometric):
    """Attribution Reporting, aggregatable reports: what one source's noisy totals reveal.

    A source may contribute 65,536 in all. Reports are encrypted; a service adds them up and releases, for
    declared keys, the sums with two-sided geometric noise. Whether a report exists at all is
    `AggregatableExistence`.

    Examples
    --------
    >>> round(AggregatableReports(keys=100).limits()[0].value, 3)
    99.776
    """

    name = "aggregatable"
    title = "Attribution Reporting, aggregatable reports"
    family = "attribution"
    ended = SANDBOX_ENDED
    source = (
        "WICG/attribution-reporting-api at 44a6da3 (28 August 2025), AGGREGATION_SERVICE_TEE.md; " + _SERVICE
    )
    unit = Unit("a click or a view")
    assumptions = _BATCH
    open_points = (
        "The budget is per source; an epsilon per device is not specified.",
        "Epsilon bounds adding or removing one source; which of two keys it contributed to has twice that.",
    )


@final
@dataclass(frozen=True)
class PrivateAggregation(_Geometric):
    """Private Aggregation: noisy histograms from Shared Storage or Protected Audience worklets.

    A calling site may contribute 2^16 in ten minutes and 2^20 in a day, for each of the two APIs. The noise
    is that of the aggregation service.

    Examples
    --------
    >>> round(PrivateAggregation(keys=2).limits()[0].value, 4)
    2.9864
    """

    title = "Private Aggregation"
    family = "shared storage and aggregation"
    ended = SANDBOX_ENDED
    source = "patcg-individual-drafts/private-aggregation-api at fc26ab5 (14 May 2025), README; " + _SERVICE
    unit = Unit("a browser", "one calling site and API", 10 / 1440)
    assumptions = _BATCH
    open_points = (
        "The specification leaves the budget's algorithm and both delays to implementations.",
        "Without a context id, whether a report exists reveals something too; that is not measured.",
    )

    def remarks(self) -> tuple[str, ...]:
        """Return what the two budgets allow in a day."""
        day = 16 * float(self.epsilon)
        return (
            f"In one day 16 windows of ten minutes fit into the daily budget: epsilon {day:g} for each of the"
            " two APIs.",
        )


@final
@dataclass(frozen=True)
class InteroperablePrivateAttribution(_Laplace):
    """Interoperable Private Attribution, as a parametric model: a capped sum for each breakdown key.

    Conversions are attributed to the last touch, capped for each person, and added up by breakdown key in a
    multi-party computation, which adds noise. The draft leaves the law of the noise, epsilon and the cap
    open; Laplace noise of scale cap/epsilon is assumed.

    Examples
    --------
    >>> round(InteroperablePrivateAttribution().limits()[0].value, 4)
    2.7175
    """

    epsilon: float = parameter(
        1, Number(0, 350, above=True, source=_MODEL), "of the noise (not set by the draft)"
    )
    keys: int = parameter(32, Whole(1, 2**64, source=_MODEL), "breakdown keys (chosen by the caller)")

    name = "ipa"
    title = "Interoperable Private Attribution (IPA)"
    family = "attribution"
    status = "ended"
    ended = "no longer pursued: patcg-individual-drafts/ipa at 53a7a8f, 15 April 2024"
    source = "patcg-individual-drafts/ipa at 53a7a8f (15 April 2024), an individual draft, no longer pursued"
    unit = Unit("a person", "one site", 7)
    assumptions = (*_BATCH, "The noise is Laplace of scale cap/epsilon; the draft does not say.")
    open_points = ("The law of the noise, epsilon, and the cap on a person's contribution.",)

    @property
    def _shift(self) -> float:
        return float(self.epsilon)


@final
@dataclass(frozen=True)
class W3CAttribution(_Laplace):
    """The W3C's Attribution API (Level 1), one observation: the noisy histogram of one conversion.

    A conversion's value goes to the bucket of the attributed impression, or nowhere. Noise of scale
    2 max_value/epsilon is added to every bucket, so that one bucket or another is epsilon apart. Alone in a
    batch is the worst case; with `others`, each of them adds the same value to any bucket with the
    probability `rate`, independently. That changes no likelihood ratio far out in the noise: epsilon stays,
    and the capacity falls.

    Examples
    --------
    >>> round(W3CAttribution(keys=1).limits()[0].value, 4), round(W3CAttribution(keys=2).limits()[0].value, 4)
    (1.2212, 1.3666)
    >>> from quiff import bayes_capacity
    >>> round(bayes_capacity(W3CAttribution(keys=2, others=100).observe([None, 0, 1])), 2)
    1.18
    """

    epsilon: float = parameter(1, Number(0, 4294, above=True, source=_W3C), "that the conversion asks for")
    keys: int = parameter(20, Whole(1, 2**32, source=_W3C), "histogram size (chosen by the caller)")
    share: float = parameter(1, Number(0, 1, above=True, source=_W3C), "value divided by the largest value")
    others: int = parameter(0, Whole(0, 1_000, source=_OTHERS), "other people in the batch")
    rate: float = parameter(
        0.1, Share(source=_OTHERS), "probability that one of them adds to a bucket, for each"
    )

    name = "w3c_attribution"
    title = "W3C Attribution, one conversion"
    family = "attribution"
    status = "draft"
    source = _W3C + ", a working draft"
    unit = Unit("a browser profile", "one conversion site", 7)
    assumptions = (
        "Without others a batch of one person, the worst case; each of the others adds to a bucket with the"
        " probability rate, on their own.",
        *_BATCH[1:],
        "The aggregation service adds Laplace noise, as the draft expects.",
    )
    open_points = (
        "The mechanism is the aggregation service's choice; Laplace noise is expected.",
        "Budgets of sites, and what their exhaustion reveals, are not part of this single observation.",
    )

    @property
    def _shift(self) -> float:
        return float(self.epsilon) * float(self.share) / 2

    def _laws(self) -> CellLaws:
        """Return the laws of a bucket: that of k others' values is mixed by the probability of k."""
        if not self.others:
            return super()._laws()
        from scipy.stats import binom

        weights = binom.pmf(np.arange(self.others + 1), self.others, float(self.rate))
        C = laplace((self._shift * np.arange(self.others + 2)).tolist(), 1.0, cells=4 * _CELLS)
        rows = C.to_numpy()
        return CellLaws(weights @ rows[:-1], weights @ rows[1:], C.outputs, C.slack)

    def limits(self) -> tuple[Limit, ...]:
        """Return the closed forms of a batch of one; they bound a larger one, whose epsilon is the same."""
        if not self.others:
            return super().limits()
        return tuple(
            limit if limit.quantity in ("epsilon", "max_case_capacity") else replace(limit, bound="at most")
            for limit in super().limits()
        )


_EXISTENCE_DAYS = 31
_NULL_RATES = {False: 0.05, True: 0.008}


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
        return as_labels([None, *range(_EXISTENCE_DAYS)]) if self.source_time else as_labels([None, 0])

    def encode(self, events: tuple[Event, ...]) -> Hashable:
        """Return the source day of the first conversion; None without one."""
        most = _EXISTENCE_DAYS - 1 if self.source_time else 0
        return min(int(events[0].days), most) if events else None

    @property
    def mechanism(self) -> Mechanism:
        """[[1, 0], [q, 1-q]], or 31 days, each with a report of its own."""
        q = _NULL_RATES[self.source_time]
        if not self.source_time:
            shannon = excluded(q)["shannon_capacity_bits"]
            further = Limit("shannon_capacity_bits", shannon, "log2(1 + (1-q) q^(q/(1-q)))")
            rows: dict[Hashable, list[float]] = {None: [1 - q, q], 0: [0.0, 1.0]}
            return Laws(rows, ("no report", "report"), (further,))
        days = self.space()
        return OneHot(
            _EXISTENCE_DAYS,
            lambda day: int(days.position(day, "source day")) - 1,
            lambda: CellLaws(np.array([1 - q, q]), np.array([0.0, 1.0]), as_labels([0, 1])),
            lambda: included(_EXISTENCE_DAYS, q) | {"epsilon": inf, "max_case_capacity": inf},
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
