"""Topics on Android: one shared random topic for a device and week, outside of the top five."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Self, final

from quiff.apis.base import Api, Limit, Naming, Unit, fitted, parameter
from quiff.apis.ranges import Share, Whole
from quiff.apis.specified import limits_from
from quiff.apis.taxonomy import assumed_topics
from quiff.apis.topics import TopicsAPI, placed
from quiff.core.channel import Channel
from quiff.core.gain import Gain
from quiff.core.labels import Labels
from quiff.errors import ParameterError
from quiff.populations.histories import Histories
from quiff.populations.population import Population
from quiff.populations.sets import as_set_labels
from quiff.theory.android_topics import android_topics
from quiff.theory.parameters import Real

_SPEC = "AOSP AdServices, EpochManager, msft-mirror-aosp at 2acaee8 (7 May 2024)"


@final
@dataclass(frozen=True)
class AndroidTopics(Api):
    """The Topics API of Android: a topic of the device's top five, or with probability r a 6th.

    A caller sees one of the device's top five topics, all equally probable, or with probability r a sixth
    one. Unlike on the web, the sixth is drawn once for a device and week, from the topics outside of the top
    five, and every caller may get it: of two different topics in two apps at least one is real.

    Examples
    --------
    >>> float(AndroidTopics(n_topics=446).limits()[0].value)
    84.74
    """

    n_topics: int = parameter(
        446, Whole(2, note="349 in taxonomy v1, 446 in v2", source=_SPEC), "topics of the taxonomy"
    )
    top_s: int = parameter(
        5, Whole(1, "n_topics", note="fewer than all of them", source=_SPEC), "topics in a device's set"
    )
    noise: Real = parameter(0.05, Share(), "probability of the random topic")
    taxonomy: Labels | None = fitted()

    name = "android_topics"
    title = "Topics API of Android"
    family = "interests"
    status = "retired"
    source = _SPEC
    sees = "a topic"
    unit = Unit("a device", "one app", 7)
    needs = ("topics",)
    stage_titles = MappingProxyType({"generalization": "whole topic set", "android_topics": "one topic"})
    assumptions = ("One caller alone: what callers learn by comparing is not part of one observation.",)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.top_s >= self.n_topics:
            raise ParameterError(
                f"top_s must be between 1 and {self.n_topics - 1}, below n_topics, since the random topic is"
                f" another one, not {self.top_s} ({_SPEC})"
            )

    @property
    def _web(self) -> TopicsAPI:
        return TopicsAPI(self.n_topics, self.top_s, self.noise, taxonomy=self.taxonomy)

    @property
    def _shares(self) -> tuple[Real, Real]:
        """The probabilities p = (1-r)/s inside of the set, q = r/(m-s) outside."""
        return (1 - self.noise) / self.top_s, self.noise / (self.n_topics - self.top_s)

    def fit(self, people: Population | Histories) -> Self:
        """Settle the names of the topics."""
        return self if self.taxonomy is not None else replace(self, taxonomy=self._web.fit(people).taxonomy)

    def space(self) -> Labels | None:
        """Return all sets, if they are few enough to list."""
        return self._web.space()

    def secret(self, people: Population | Histories) -> Channel:
        """Return the channel from users to their sets."""
        return self._web.secret(people)

    def observe(self, secrets: object) -> Channel:
        """Return the membership channel with p and q."""
        sets = as_set_labels(secrets)
        self._web.check_size(sets.codes.shape[1])
        if self.taxonomy is None:
            raise ParameterError("the topics of the taxonomy are not known yet; take api.fit(people)")
        p, q = self._shares
        codes = placed(sets, self.taxonomy)
        return Channel.membership_from_codes(sets, codes, self.taxonomy, inside=p, outside=q)

    def stages(self, secrets: object) -> dict[str, Channel]:
        """Return the channels to the whole set, and to the observed topic."""
        sets = as_set_labels(secrets)
        return {"generalization": Channel.identity(sets), self.name: self.observe(sets)}

    def warnings(self, people: Population) -> tuple[str, ...]:
        """Say that 446 topics are assumed where topics are words, and what fewer would change."""
        return assumed_topics(people, self, "Android's second taxonomy")

    def goals(self, secrets: object) -> Mapping[str, Gain]:
        """Return the goal of naming a topic of the set."""
        return self._web.goals(secrets)

    def outputs_naming(self, attribute: str, value: Hashable, stage: str) -> tuple[Hashable, ...]:
        """Return the topic itself, where one topic is seen."""
        return (value,) if attribute == "topics" and stage == self.name else ()

    def naming(self, attribute: str) -> Naming | None:
        """Return p and q."""
        return Naming(*self._shares, self.n_topics) if attribute == "topics" else None

    def limits(self) -> tuple[Limit, ...]:
        """Return the closed forms of the membership channel."""
        return limits_from(
            android_topics(self.n_topics, self.top_s, self.noise),
            {
                "bayes_capacity": "m max((1-r)/s, r/(m-s))",
                "epsilon": "ln ((1-r)/s)/(r/(m-s))",
                "max_case_capacity": "((1-r)/s)/(r/(m-s))",
                "shannon_capacity_bits": "log2 m - (1-r) log2 s - r log2(m-s) - h(r)",
            },
            self.source,
        )
