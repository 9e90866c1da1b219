"""What follows from the topic sets of people, and of these alone."""

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from quiff.core.labels import Labels, SetLabels, as_labels
from quiff.core.numbers import Array
from quiff.core.prior import Prior
from quiff.errors import ParameterError, counted
from quiff.people.attribute import TOPICS, Attribute
from quiff.people.filling import Filled, Filling
from quiff.people.weights import prior_of_weights, summed


class TopicSets:
    """The part of a population that speaks of topic sets; the rest of it is declared here for types alone."""

    if TYPE_CHECKING:
        users: Labels
        topics: Labels
        sets: Array
        weights: Array | None
        counts: Array | None
        notes: tuple[str, ...]
        filling: Filling | None
        others: Mapping[str, Attribute]
        n_users: property
        n_epochs: property
        attribute: Callable[[str], Attribute]
        check_unmerged: Callable[[], None]
        replaced: Callable[..., Self]
    else:

        def __getattr__(self, name: str) -> Any:
            """Raise the one error of people without topic sets."""
            if name in ("topics", "sets"):
                raise ParameterError(
                    "these people have no topic sets; give a file with a column topics, or t1, t2 and so on,"
                    " or in Python take Population.from_sets"
                )
            return object.__getattribute__(self, name)

    @cached_property
    def _topic_attribute(self) -> Attribute:
        n_epochs, n_rows, top_s = self.sets.shape
        sets, which = SetLabels.distinct(self.sets.reshape(-1, top_s), self.topics)
        return Attribute(TOPICS, sets, which.reshape(n_epochs, n_rows))

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
        """
        return None if self.filling is None else self.filling.counted(self.sets, self.topics.size)

    def genuine(self) -> Self:
        """Return the users all of whose topics were visited, in every epoch: none was filled in at random."""
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
            sets, filling = self.sets[:, whole], filling.at((slice(None), whole))
            others = {name: attribute.at(users=whole) for name, attribute in self.others.items()}
            return self.replaced(
                users=users, sets=sets, weights=weights, notes=notes, filling=filling, others=others
            )
        if self.weights is not None:
            self.check_unmerged()
        counts = summed(np.where(whole, filling.users, 0), filling.rows, self.users.size)
        kept = np.flatnonzero(counts)
        sets, n = self.sets[:, kept], kept.shape[0]
        named = as_labels(range(n)) if self.n_epochs > 1 else SetLabels(sets[0], self.topics)
        sure = Filling.of(np.ones(sets.shape, dtype=bool), np.arange(n), counts[kept])
        return self.replaced(users=named, sets=sets, counts=counts[kept], notes=notes, filling=sure)

    @property
    def codes(self) -> Array:
        """The sets of the only epoch, (users, s)."""
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
        """Return the distinct sets, and for each user the position of theirs."""
        topics = self.attribute(TOPICS)
        topics.check_stable()
        return topics.values, topics.which[0]  # type: ignore[return-value]  # they are sets

    def set_counts(self) -> Array:
        """Return how many users have each of the distinct sets, in the order of `distinct_sets`."""
        sets, which = self.distinct_sets()
        if self.counts is not None:
            return summed(self.counts, which, sets.size)
        return np.bincount(which, minlength=sets.size)

    def set_prior(self) -> Prior:
        """Return how probable each distinct set is for a user taken at random, by weight if there are any.

        Examples
        --------
        >>> from quiff import Population
        >>> people = Population.from_sets({"Alice": {1, 2}, "Bob": {2, 3}, "Carol": {1, 2}})
        >>> people.set_prior()[frozenset({1, 2})]
        Fraction(2, 3)
        """
        sets, which = self.distinct_sets()
        if self.weights is None:
            return Prior.from_count_array(sets, self.set_counts())
        return prior_of_weights(sets, summed(self.weights, which, sets.size))
