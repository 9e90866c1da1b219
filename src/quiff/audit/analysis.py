"""What each part of a log tells, and by how much two parts differ."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from quiff.audit.bounds import Bounds, Interval, bounds
from quiff.audit.events import Event, likely_difference, likely_ratio, telling_events
from quiff.audit.log import Log
from quiff.audit.rules import Rule
from quiff.audit.sample import Sample, draw_sample
from quiff.core.gain import Gain


@final
@dataclass(frozen=True, eq=False)
class LogPart:
    """A part of a log: its rows, what bounds they give, and the outputs that tell two secrets apart best.

    `ratio` is that of the largest ratio of probabilities, `apart` of the largest difference; `miss` is the
    probability with which an interval may fail.
    """

    name: str
    sample: Sample
    bounds: Bounds
    ratio: Event | None
    apart: Event | None
    miss: float

    def numbers(self) -> dict[str, object]:
        """Return what it tells, by the names of quantities."""
        bound, apart = self.bounds, self.apart
        numbers: dict[str, object] = {
            "prior": bound.prior,
            "posterior": bound.posterior,
            "leakage": bound.leakage,
            "plug_in": bound.plug_in,
        }
        if apart is not None:
            value = min(1.0, 1 - apart.apart())
            numbers["bayes_security"] = Interval(value, 0.0, 1 - apart.apart_at_least(self.miss))
        if self.ratio is not None:
            least = self.ratio.epsilon_at_least(self.miss)
            numbers["epsilon_at_least"] = least, least, None
        return numbers


def of_part(
    name: str,
    log: Log,
    rules: Sequence[Rule],
    rng: np.random.Generator,
    *,
    level: float = 0.95,
    gain: Gain | None = None,
) -> LogPart:
    """Return what a log, or a part of one, tells by some rules; parameters as in `bounds`.

    Examples
    --------
    >>> from quiff.audit.rules import Frequentist
    >>> log, rng = Log.of(["a", "b"] * 500, [1, 2] * 500), np.random.default_rng(0)
    >>> of_part("all", log, [Frequentist()], rng).numbers()["posterior"].value
    1.0
    """
    sample = draw_sample(log, rng)
    bound = bounds(sample, rules, rng, level=level, gain=gain)
    ratio, apart = telling_events(sample, likely_ratio, likely_difference)
    return LogPart(name, sample, bound, ratio, apart, 1 - level)


def difference(before: Bounds, after: Bounds, level: float) -> Interval:
    """Return by how much the posterior vulnerabilities of two parts differ.

    Each of the two has half of the probability to fail.
    """
    first, second = (bound.posterior_at(1 - (1 - level) / 2) for bound in (before, after))
    return Interval(second.value - first.value, second.low - first.high, second.high - first.low)
