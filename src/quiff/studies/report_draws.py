"""Simulated reports: how often each topic is reported when every user of a population reports once."""

from dataclasses import dataclass
from functools import cached_property
from typing import final

import numpy as np

from quiff.apis.taxonomy import place_in_taxonomy
from quiff.apis.topics import TopicsAPI
from quiff.core.labels import Labels
from quiff.core.numbers import Array
from quiff.populations.population import Population

_MANY = 20  # users of one set from which on a multinomial draw for all of them is cheaper than one each


@final
@dataclass(frozen=True, eq=False)
class ReportDraws:
    """A population, prepared for drawing one report of each user many times.

    A genuine report is one of the user's s topics, each with probability 1/s. Noise replaces it with
    probability r, whatever it is: so of g genuine reports of a topic a binomial number remains, and the
    replaced ones spread evenly over the m topics.

    Attributes
    ----------
    topics
        All m topics of the taxonomy.
    alone
        The sets of users who draw one by one (users, s), as positions in `topics`.
    shared, holders
        Sets that many users have, and how many.
    noise
        r.

    Examples
    --------
    >>> people = Population.from_sets({"Alice": {"Music", "News"}, "Bob": {"Music", "Sports"}})
    >>> draws = ReportDraws.of(people, TopicsAPI(n_topics=5, top_s=2, noise=0.05))
    >>> draws.draw(np.random.default_rng(0)).sum()
    np.int64(2)
    """

    topics: Labels
    alone: Array
    shared: Array
    holders: Array
    noise: float

    @classmethod
    def of(cls, population: Population, api: TopicsAPI) -> "ReportDraws":
        """Prepare a population.

        Raises
        ------
        ParameterError
            If its sets are not of the API's size, or have more topics than the API's taxonomy.
        """
        api.check_size(population.top_s)
        sets, _ = population.distinct_sets()
        codes, topics = place_in_taxonomy(sets.codes, sets.topics, api.n_topics)
        counts = population.set_counts()
        many = counts >= _MANY
        alone = np.repeat(codes[~many], counts[~many], axis=0)
        small = alone.astype(np.min_scalar_type(api.n_topics))  # what fits the cache is drawn from fast
        return cls(topics, small, codes[many], counts[many], float(api.noise))

    @cached_property
    def _starts(self) -> Array:
        return np.arange(0, self.alone.size, self.alone.shape[1])

    @property
    def n_users(self) -> int:
        """How many users there are; N in formulas."""
        return len(self.alone) + int(self.holders.sum())

    def having(self) -> Array:
        """Return how many users have each of the m topics.

        Examples
        --------
        >>> people = Population.from_sets({"Alice": {"Music", "News"}, "Bob": {"Music", "Sports"}})
        >>> ReportDraws.of(people, TopicsAPI(n_topics=5, top_s=2)).having().tolist()
        [2, 1, 1, 0, 0]
        """
        m = self.topics.size
        shared = np.bincount(self.shared.reshape(-1), np.repeat(self.holders, self.shared.shape[1]), m)
        return np.bincount(self.alone.reshape(-1), minlength=m) + shared.astype(np.int64)

    def having_both(self, first: Array, second: Array) -> Array:
        """Return how many users have both topics of each pair, given as positions in `topics`."""
        both = np.zeros(len(first), dtype=np.int64)
        for topic in np.unique(first).tolist():
            pairs = first == topic
            own, with_it = self.alone[(self.alone == topic).any(axis=1)], (self.shared == topic).any(axis=1)
            some = ReportDraws(self.topics, own, self.shared[with_it], self.holders[with_it], self.noise)
            both[pairs] = some.having()[second[pairs]]
        return both

    def draw(self, rng: np.random.Generator) -> Array:
        """Return how many users report each of the m topics."""
        s, m = self.alone.shape[1], self.topics.size
        which = rng.integers(0, s, len(self.alone), dtype=np.min_scalar_type(s))
        genuine = np.bincount(self.alone.reshape(-1)[self._starts + which], minlength=m)
        if self.holders.size:
            split = rng.multinomial(self.holders, np.full(s, 1 / s))
            genuine += np.bincount(self.shared.reshape(-1), split.reshape(-1), m).astype(np.int64)
        kept = rng.binomial(genuine, 1 - self.noise)
        replaced = rng.multinomial(int(genuine.sum() - kept.sum()), np.full(m, 1 / m))
        return np.asarray(kept + replaced)
