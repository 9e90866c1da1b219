"""Topics on Android: one shared random topic for a device and week, outside of the top five."""

from dataclasses import dataclass
from types import MappingProxyType
from typing import final

from quiff.apis.base import SANDBOX_ENDED, Unit, parameter
from quiff.apis.ranges import Share, Whole
from quiff.apis.topics import TopTopics
from quiff.theory.parameters import Real

_SPEC = "AOSP AdServices, EpochManager, msft-mirror-aosp at 2acaee8 (7 May 2024)"


@final
@dataclass(frozen=True)
class AndroidTopics(TopTopics):
    """The Topics API of Android: a topic of the device's top five, or with probability r a 6th.

    A caller sees one of the device's top five topics, all equally probable, or with probability r a sixth
    one. Unlike on the web, the sixth is drawn once for a device and week, from the topics outside of the top
    five, and every caller may get it: of two different topics in two apps at least one is real.

    Examples
    --------
    >>> round(float(AndroidTopics(n_topics=446).limits()[0].value), 9)
    84.74
    """

    n_topics: int = parameter(
        446, Whole(2, note="349 in taxonomy v1, 446 in v2", source=_SPEC), "topics of the taxonomy"
    )
    top_s: int = parameter(5, Whole(1, "n_topics", fewer=1, source=_SPEC), "topics in a device's set")
    noise: Real = parameter(0.05, Share(), "probability of the random topic")

    name = "android_topics"
    title = "Topics API of Android"
    family = "interests"
    ended = SANDBOX_ENDED
    source = _SPEC
    unit = Unit("a device", "one app", 7)
    stage_titles = MappingProxyType({"generalization": "whole topic set", "android_topics": "one topic"})
    assumptions = ("One caller alone: what callers learn by comparing is not part of one observation.",)
    _words = ("(1-r)/s", "r/(m-s)")
    _whose = "Android's second taxonomy"

    @property
    def probabilities(self) -> tuple[Real, Real]:
        """(1-r)/s for a topic of the set, and r/(m-s) for another one."""
        return (1 - self.noise) / self.top_s, self.noise / (self.n_topics - self.top_s)
