"""People with topic sets: the distinct sets, how many have each, and which topics were visited."""

from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np

from quiff.core.labels import Labels, SetLabels, as_labels
from quiff.core.numbers import Array
from quiff.core.prior import Prior
from quiff.errors import ParameterError, counted
from quiff.populations.attribute import TOPICS
from quiff.populations.filling import Filled, Filling
from quiff.populations.people import People
from quiff.populations.weights import prior_of_weights, summed


@dataclass(frozen=True, eq=False, repr=False)
class UserSets(People):
    """What follows from topic sets; without them, every question is the same ParameterError."""

    @property
    def top_s(self) -> int:
        """The size s of every set."""
        return int(self.sets.shape[2])

    @cached_property
    def filled(self) -> Filled | None:
        """How many topics were filled in at random; None if that is not known.

        Examples
        --------
        >>> from quiff import Population
        >>> sets = {"Alice": {1, 2}, "Bob": {1, 3}}
        >>> Population.from_sets(sets, visited={"Alice": {1}, "Bob": {1, 3}}).filled.filled_users
        0.5
        >>> Population.from_sets(sets).filled is None
        True
        """
        return None if self.filling is None else self.filling.counted(self.sets, self.topics.size)

    def genuine(self) -> Self:
        """Return the users all of whose topics were visited, in every epoch: none was filled in at random.

        Examples
        --------
        >>> from quiff import Population
        >>> sets = {"Alice": {1, 2}, "Bob": {1, 3}}
        >>> Population.from_sets(sets, visited={"Alice": {1}, "Bob": {1, 3}}).genuine()
        <Population of 1 user: sets of 2 out of 3 topics>

        Raises
        ------
        ParameterError
            If it is not known which topics were visited, no user has visited topics only, or the population
            is merged and weighted: then only the sum of the weights of a set is known.
        """
        filling, filled = self.filling, self.filled
        if filling is None or filled is None:
            raise ParameterError(
                "it is not known which topics were visited and which were filled in at random; "
                "quiff profile records it"
            )
        if not filled.filled_sets:
            return self
        if not filled.genuine_users:
            raise ParameterError(
                "every user has topics that were filled in at random, so that none is left without them"
            )
        whole = filling.wholly_visited(self.top_s)
        left = counted(self.n_users - filled.genuine_users, "user")
        notes = (*self.notes, f"Left out: {left} with topics filled in at random.")
        if filling.rows is None or filling.users is None:
            users = as_labels([self.users[int(row)] for row in np.flatnonzero(whole)], "user")
            weights = None if self.weights is None else self.weights[whole]
            sets, filling = self.sets[:, whole], filling.among(whole)
            others = {name: attribute.among(whole) for name, attribute in self.others.items()}
            return self.replaced(
                users=users, sets=sets, weights=weights, notes=notes, filling=filling, others=others
            )
        if self.weights is not None:
            self.check_unmerged()
        counts = summed(np.where(whole, filling.users, 0), filling.rows, self.users.size)
        kept = np.flatnonzero(counts)
        named = SetLabels.distinct(self.codes[kept], self.topics)[0]  # in the same order
        n = kept.shape[0]
        sure = Filling(np.full(n, self.top_s), np.ones((1, n, self.top_s), bool), np.arange(n), counts[kept])
        return self.replaced(users=named, sets=named.codes, counts=counts[kept], notes=notes, filling=sure)

    @property
    def codes(self) -> Array:
        """The sets of the only epoch, (users, s).

        Raises
        ------
        ParameterError
            If there are several epochs, and so no one set per user.
        """
        if self.n_epochs > 1:
            self.attribute(TOPICS).check_stable()
        return np.asarray(self.sets[0])

    @cached_property
    def occurring(self) -> Labels:
        """The topics that occur in some set; m' in formulas is how many there are."""
        seen = np.flatnonzero(np.bincount(self.sets.reshape(-1), minlength=self.topics.size))
        if seen.shape[0] == self.topics.size:
            return self.topics
        return as_labels([self.topics[int(code)] for code in seen], "topic")

    def distinct_sets(self) -> tuple[SetLabels, Array]:
        """Return the distinct sets, and for each user the position of theirs.

        Examples
        --------
        >>> from quiff import Population
        >>> people = Population.from_sets({"Alice": {"Music", "News"}, "Carol": {"News", "Music"}})
        >>> sets, which = people.distinct_sets()
        >>> len(sets), which.tolist()
        (1, [0, 0])
        """
        topics = self.attribute(TOPICS)
        topics.check_stable()
        return topics.values, topics.which[0]  # type: ignore[return-value]  # they are sets

    def set_counts(self) -> Array:
        """Return how many users have each of the distinct sets, in the order of `distinct_sets`.

        Examples
        --------
        >>> from quiff import Population
        >>> Population.from_sets({"Alice": {1, 2}, "Bob": {2, 3}, "Carol": {1, 2}}).set_counts().tolist()
        [2, 1]
        """
        if self.counts is not None:
            return self.counts
        sets, which = self.distinct_sets()
        return np.bincount(which, minlength=sets.size)

    def set_prior(self) -> Prior:
        """Return how probable each distinct set is for a user taken at random, by weight if there are any.

        Examples
        --------
        >>> from quiff import Population
        >>> sets = {"Alice": {1, 2}, "Bob": {2, 3}, "Carol": {1, 2}}
        >>> Population.from_sets(sets).set_prior()[frozenset({1, 2})]
        Fraction(2, 3)
        >>> weighted = Population.from_sets(sets, weights={"Alice": 1, "Bob": 4, "Carol": 1})
        >>> weighted.set_prior()[frozenset({1, 2})]
        Fraction(1, 3)
        """
        sets, which = self.distinct_sets()
        if self.weights is None:
            return Prior.from_count_array(sets, self.set_counts())
        return prior_of_weights(sets, summed(self.weights, which, sets.size))
