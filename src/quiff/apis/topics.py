"""The Topics API: a browser reports one topic of its top-s set, or now and then any topic at all."""

from collections.abc import Hashable
from dataclasses import dataclass
from fractions import Fraction
from typing import final

import numpy as np

from quiff.apis.base import Api, browsing, set_of_user
from quiff.apis.generalization import generalize
from quiff.apis.reports import report_from_random_sets, report_from_sets
from quiff.apis.taxonomy import place_in_taxonomy
from quiff.core.channel import Channel
from quiff.core.labels import Labels
from quiff.core.numbers import Array, filled
from quiff.errors import ParameterError, counted
from quiff.populations.histories import Histories
from quiff.populations.population import Population
from quiff.populations.sets import as_set_labels
from quiff.populations.top_set import TopSet
from quiff.theory.parameters import Real, check_probability, check_sizes, follow


@final
@dataclass(frozen=True)
class TopicsAPI(Api):
    """The parameters of the Topics API, and its channels (paper, Sec. 3.2).

    An exact `noise`, an int or a Fraction, makes all channels exact.

    Parameters
    ----------
    n_topics
        m >= 1, the size of the taxonomy. The channels have m columns: the topics of the population, and
        unnamed ones for the rest.
    top_s
        s, the size of a browser's set of top topics, between 1 and m.
    noise
        r, the probability of reporting a random topic of the taxonomy, between 0 and 1.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from quiff.populations.population import Population
    >>> api = TopicsAPI(n_topics=5, top_s=2, noise=Fraction(1, 20))
    >>> sets = {"Alice": {"Music", "News"}, "Bob": {"Sports", "Travel"}, "Carol": {"Music", "News"}}
    >>> api.channel(Population.from_sets(sets))
    Channel from 3 inputs to 5 outputs
           Music   News    Sports  Travel  unnamed 4
    Alice  97/200  97/200  1/100   1/100   1/100
    Bob    1/100   1/100   97/200  97/200  1/100
    Carol  97/200  97/200  1/100   1/100   1/100
    >>> TopicsAPI(top_s=350)
    Traceback (most recent call last):
    ...
    quiff.errors.ParameterError: top_s must be a whole number between 1 and 349, not 350

    Raises
    ------
    ParameterError
        If a parameter lies outside its range.
    """

    n_topics: int = 349
    top_s: int = 5
    noise: Real = 0.05

    def __post_init__(self) -> None:
        n_topics, top_s = check_sizes(self.n_topics, self.top_s)
        object.__setattr__(self, "n_topics", n_topics)
        object.__setattr__(self, "top_s", top_s)
        object.__setattr__(self, "noise", check_probability("noise", self.noise))

    def generalization(self, source: Population | Histories) -> Channel:
        """Return C_G, from browsing histories to top-s sets.

        The histories of a population are named after its users. From histories with ties at the cut, or
        too short for s topics, the channel is not deterministic.

        Raises
        ------
        SizeError
            If chance leaves too many possible sets to list; `channel` does not need the list.
        """
        if isinstance(source, Population):
            self.check_size(source.top_s)
            return set_of_user(source)
        return generalize(self._top_sets(source), source.topics)

    def bounded_noise(self, sets: object) -> Channel:
        """Return C_BN, from top-s sets to one topic of the set: 1/s if t is in sigma, else 0.

        Parameters
        ----------
        sets
            The sets: a population (its distinct ones), the outputs of C_G, or any list of sets.
        """
        return self._report(*self._sets(sets), *self._bounded)

    def random_topic(self, sets: object) -> Channel:
        """Return C_DP, from top-s sets to any topic of the taxonomy: 1/m everywhere."""
        labels, codes, topics = self._sets(sets)
        _, taxonomy = place_in_taxonomy(codes, topics, self.n_topics)
        row = filled(follow(Fraction(1, self.n_topics), self.noise), self.n_topics)
        return Channel.constant(np.array(row), inputs=labels, outputs=taxonomy)

    def report(self, sets: object) -> Channel:
        """Return C_BN (+)_r C_DP, from top-s sets to the topic that is reported.

        (1-r)/s + r/m if t is in sigma, else r/m (paper, eq. model-topics-utility-channel).
        """
        return self._report(*self._sets(sets), *self._complete)

    def set_channel(self, population: Population) -> Channel:
        """Return `report` on the distinct sets of a population: the channel of the utility analyses."""
        return self.report(population)

    def channel(self, population: Population | Histories) -> Channel:
        """Return C_T = C_BH C_G (C_BN (+)_r C_DP), from users to the topic that is reported.

        C_T[x,t] = (1-r) P[t in the set of x]/s + r/m, exactly, also where ties and filling up make the
        set a random one.
        """
        return self._users_to_topic(population, *self._complete)

    def stages(self, population: Population | Histories) -> dict[str, Channel]:
        """Return the channels from users to set, to a topic of the set, and to the reported topic."""
        return {
            "generalization": browsing(population) @ self.generalization(population),
            "bounded_noise": self._users_to_topic(population, *self._bounded),
            self.name: self.channel(population),
        }

    @property
    def _bounded(self) -> tuple[Real, Real]:
        """The shares of bounded noise: genuine 1/s, anything 0."""
        return follow(Fraction(1, self.top_s), self.noise), follow(Fraction(0), self.noise)

    @property
    def _complete(self) -> tuple[Real, Real]:
        """The shares of the complete API: genuine (1-r)/s, anything r/m."""
        return (1 - self.noise) / self.top_s, self.noise / self.n_topics

    def _users_to_topic(self, source: Population | Histories, genuine: Real, anything: Real) -> Channel:
        if isinstance(source, Population):
            self.check_size(source.top_s)
            return self._report(source.users, source.codes, source.topics, genuine, anything)
        tops = self._top_sets(source)
        report = report_from_random_sets(tops, source.topics, self.n_topics, genuine, anything)
        return browsing(source) @ report

    def _report(self, inputs: Labels, codes: Array, topics: Labels, genuine: Real, anything: Real) -> Channel:
        return report_from_sets(inputs, codes, topics, self.n_topics, genuine, anything)

    def _sets(self, sets: object) -> tuple[Labels, Array, Labels]:
        labels = sets.distinct_sets()[0] if isinstance(sets, Population) else as_set_labels(sets)
        self.check_size(labels.codes.shape[1])
        return labels, labels.codes, labels.topics

    def _top_sets(self, histories: Histories) -> dict[Hashable, TopSet]:
        return {
            history: histories.top_set(history, self.top_s)  # type: ignore[arg-type]  # histories are tuples
            for history in histories.distinct
        }

    def check_size(self, size: int) -> None:
        """Raise a ParameterError unless sets of this size are those of the API."""
        if size != self.top_s:
            raise ParameterError(
                f"top_s is {self.top_s}, but the sets have {counted(size, 'topic')}; "
                f"take top_s={size}, or sets of {self.top_s}"
            )
