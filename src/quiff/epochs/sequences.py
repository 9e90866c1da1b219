"""What an API reports on over several epochs: each user's sequence of sets, and how it is reported."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import final

import numpy as np

from quiff.apis.taxonomy import place_in_taxonomy
from quiff.apis.topics import TopicsAPI
from quiff.core.distinct import distinct_codes, sorted_rows
from quiff.core.numbers import Array, Number, as_number, as_numbers, is_exact
from quiff.core.sparse import fold_max
from quiff.errors import ParameterError
from quiff.populations.population import Population
from quiff.theory.parameters import Real, check_whole


@final
@dataclass(frozen=True, eq=False)
class Profiles:
    """The distinct sequences of sets over some epochs.

    Attributes
    ----------
    codes
        For each epoch the sets, (profiles, s). Stable sets are the same array in every epoch.
    best
        The largest weight of a user with each profile; None if all users are equally likely.
    total
        The weight of all users with each profile together; None if all users are equally likely.
    """

    codes: tuple[Array, ...]
    best: Array | None
    total: Array | None

    @property
    def size(self) -> int:
        """D, how many there are."""
        return int(self.codes[0].shape[0])


@final
@dataclass(frozen=True, eq=False)
class Sequences:
    """The sets of users over the epochs, and the chances p and q of a topic inside and outside of a set.

    Attributes
    ----------
    sets
        For each epoch the users' sets as positions in the taxonomy, ascending, (users, s). One epoch means
        that sets are stable: there may be any number of epochs.
    n_topics
        m, the size of the taxonomy.
    inside, outside
        p = (1-r)/s + r/m and q = r/m.
    weights
        How likely each user is, up to a factor; None if all are equally likely.
    counts
        How many users each row stands for, if they were merged; None if a row is a user.
    """

    sets: tuple[Array, ...]
    n_topics: int
    inside: Real
    outside: Real
    weights: Array | None = None
    counts: Array | None = None

    @classmethod
    def of(cls, population: Population, api: TopicsAPI) -> "Sequences":
        """Return the sequences of a population, as the Topics API reports on them.

        Examples
        --------
        >>> people = Population.from_sets({"Alice": {1, 2}, "Bob": {2, 3}})
        >>> found = Sequences.of(people, TopicsAPI(n_topics=5, top_s=2, noise=0.05))
        >>> found.stable, round(found.inside, 3), round(found.outside, 3)
        (True, 0.485, 0.01)

        Raises
        ------
        ParameterError
            If the sets are not of the size that the API has, or single users' weights are lost.
        """
        api.check_size(population.top_s)
        placed = (place_in_taxonomy(sets, population.topics, api.n_topics)[0] for sets in population.sets)
        anything = api.noise / api.n_topics
        if population.weights is not None:
            population.check_unmerged()
        return cls(
            tuple(sorted_rows(sets) for sets in placed),
            api.n_topics,
            (1 - api.noise) / api.top_s + anything,
            anything,
            None if population.weights is None else as_numbers(population.weights),
            population.counts,
        )

    @property
    def stable(self) -> bool:
        """Whether each user keeps one set."""
        return len(self.sets) == 1

    @property
    def n_users(self) -> int:
        """N, how many users there are."""
        return int(self.sets[0].shape[0] if self.counts is None else self.counts.sum())

    @property
    def top_s(self) -> int:
        """The size s of a set."""
        return int(self.sets[0].shape[1])

    @property
    def exact(self) -> bool:
        """Whether all numbers are exact."""
        return not isinstance(self.inside, float) and (self.weights is None or is_exact(self.weights))

    @cached_property
    def prior(self) -> Number:
        """The chance to name the user before any report."""
        if self.weights is None:
            return Fraction(1, self.n_users) if self.exact else 1 / self.n_users
        largest, total = self.weights.max(), self.weights.sum()
        return as_number(largest) / as_number(total)

    def limit(self, epochs: int) -> Number:
        """Return the leakage if sets were reported as they are: no number of reports leaks more.

        For users who are equally likely it is D, the number of distinct profiles.

        Examples
        --------
        >>> people = Population.from_array(range(3), [[0, 1], [2, 3], [0, 1]], topics=range(4))
        >>> Sequences.of(people, TopicsAPI(4, 2)).limit(1)
        2
        """
        profiles = self.profiles(epochs)
        if profiles.best is None or self.weights is None:
            return profiles.size
        return as_number(profiles.best.sum()) / as_number(self.weights.max())

    def over(self, epochs: int) -> tuple[Array, ...]:
        """Return the users' sets in each of the first epochs.

        Raises
        ------
        ParameterError
            If there are not that many epochs.
        """
        E = self._checked(epochs)
        return self.sets * E if self.stable else self.sets[:E]

    def profiles(self, epochs: int) -> Profiles:
        """Return the distinct sequences over the first epochs.

        Examples
        --------
        >>> people = Population.from_array(range(3), [[0, 1], [2, 3], [0, 1]], topics=range(4))
        >>> Sequences.of(people, TopicsAPI(4, 2)).profiles(2).size
        2
        """
        E = self._checked(epochs)
        first, kind = self.kinds(1 if self.stable else E)
        chosen = tuple(sets[first] for sets in self.sets[:E])
        codes = chosen * E if self.stable else chosen
        if self.weights is None:
            return Profiles(codes, None, None)
        total = np.bincount(kind, weights=self.weights.astype(np.float64), minlength=first.shape[0])
        return Profiles(codes, fold_max(self.weights, kind, first.shape[0]), total)

    def kinds(self, epochs: int) -> tuple[Array, Array]:
        """Return one user of each profile over the first epochs, and the number of every user's profile."""
        ids = np.stack([ids for ids, _ in self._ids[:epochs]], axis=1)
        return distinct_codes(ids, max(count for _, count in self._ids[:epochs]))

    def set_numbers(self, epochs: int) -> Array:
        """Return the number of every profile's set in each of the first epochs, (epochs, profiles)."""
        first, _ = self.kinds(epochs)
        return np.stack([ids[first] for ids, _ in self._ids[:epochs]])

    def _checked(self, epochs: int) -> int:
        E = check_whole("epochs", epochs, 1)
        if not self.stable and len(self.sets) < E:
            n = len(self.sets)
            raise ParameterError(f"there are sets for {n} epochs, but epochs is {E}; ask for {n} at most")
        return E

    @cached_property
    def _ids(self) -> list[tuple[Array, int]]:
        """The number of every user's set in each epoch, and how many different ones there are."""
        found = (distinct_codes(sets, self.n_topics) for sets in self.sets)
        return [(kind, first.shape[0]) for first, kind in found]
