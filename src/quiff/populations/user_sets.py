"""Users and their sets of topics, and what follows from them: distinct sets, how many have each, priors."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np

from quiff.core.labels import Labels, SetLabels, as_labels, same
from quiff.core.numbers import Array
from quiff.core.prior import Prior
from quiff.errors import ParameterError, counted
from quiff.populations.filling import Filled, Filling
from quiff.populations.sets import checked_codes
from quiff.populations.weights import checked_counts, checked_weights, prior_of_weights, summed
from quiff.theory.parameters import check_whole


@dataclass(frozen=True, eq=False, repr=False)
class UserSets:
    """What a population holds, checked once; the constructors are those of `quiff.Population`.

    Examples
    --------
    >>> from quiff import Population
    >>> people = Population.from_sets({"Alice": {1, 2}, "Bob": {2, 3}, "Carol": {1, 2}})
    >>> people.n_users, people.top_s, people.n_epochs
    (3, 2, 1)
    """

    users: Labels
    topics: Labels
    sets: Array
    weights: Array | None = None
    counts: Array | None = None
    notes: tuple[str, ...] = ()
    filling: Filling | None = None

    def __post_init__(self) -> None:
        users, topics = as_labels(self.users, "user"), as_labels(self.topics, "topic")
        object.__setattr__(self, "sets", checked_codes(self.sets, users, topics))
        object.__setattr__(self, "users", users)
        object.__setattr__(self, "topics", topics)
        object.__setattr__(self, "weights", checked_weights(self.weights, users))
        object.__setattr__(self, "counts", checked_counts(self.counts, users, self.n_epochs))
        if self.filling is not None:
            self.filling.check(self.sets)

    @property
    def n_epochs(self) -> int:
        """For how many epochs there are sets; 1 means that they are stable."""
        return int(self.sets.shape[0])

    @property
    def n_users(self) -> int:
        """How many users there are; N in formulas."""
        return self.users.size if self.counts is None else int(self.counts.sum())

    @property
    def merged(self) -> bool:
        """Whether the rows are distinct sets that stand for all their users."""
        return self.counts is not None

    @property
    def top_s(self) -> int:
        """The size s of every set."""
        return int(self.sets.shape[2])

    def epoch(self, number: int) -> Self:
        """Return the population of one epoch, counted from 0."""
        number = check_whole("the epoch", number, 0, self.n_epochs - 1)
        filling = None if self.filling is None else self.filling.epoch(number)
        return replace(self, sets=self.sets[number], filling=filling)

    def first_epochs(self, epochs: int) -> Self:
        """Return the population of the first epochs; of stable sets, itself."""
        if epochs >= self.n_epochs:
            return self
        filling = None if self.filling is None else self.filling.first(epochs)
        return replace(self, sets=self.sets[:epochs], filling=filling)

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
            return replace(self, users=users, sets=sets, weights=weights, notes=notes, filling=filling)
        if self.weights is not None:
            raise ParameterError(
                "a merged population has lost the weights of its single users; read it without weights, "
                "or in Python read it with merged=False"
            )
        counts = summed(np.where(whole, filling.users, 0), filling.rows, self.users.size)
        kept = np.flatnonzero(counts)
        named = SetLabels.distinct(self.codes[kept], self.topics)[0]  # in the same order
        n = kept.shape[0]
        sure = Filling(np.full(n, self.top_s), np.ones((1, n, self.top_s), bool), np.arange(n), counts[kept])
        return replace(self, users=named, sets=named.codes, counts=counts[kept], notes=notes, filling=sure)

    @property
    def codes(self) -> Array:
        """The sets of the only epoch, (users, s).

        Raises
        ------
        ParameterError
            If there are several epochs, and so no one set per user.
        """
        if self.n_epochs > 1:
            raise ParameterError(
                f"a user has {self.n_epochs} sets here, one for each epoch, but only one can be used; give "
                "profiles of one epoch, or in Python choose an epoch by population.epoch(0)"
            )
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
        return self._distinct

    @cached_property
    def _distinct(self) -> tuple[SetLabels, Array]:
        return SetLabels.distinct(self.codes, self.topics)

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

    def user_prior(self) -> Prior:
        """Return the prior on the users: uniform, or proportional to their weights.

        Raises
        ------
        ParameterError
            If the users were merged, so that none can be named.
        """
        if self.counts is not None:
            raise ParameterError(
                f"the {counted(self.n_users, 'user')} were merged into"
                f" {counted(self.users.size, 'distinct set')}, so that no user"
                " can be named; in Python take set_prior(), or read the file with merged=False"
            )
        return (
            Prior.uniform(self.users) if self.weights is None else prior_of_weights(self.users, self.weights)
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, UserSets):
            return NotImplemented
        return (
            same(self.users, other.users)
            and same(self.topics, other.topics)
            and np.array_equal(self.sets, other.sets)
            and _equal(self.weights, other.weights)
            and _equal(self.counts, other.counts)
            and (
                self.filling is other.filling
                or (self.filling is not None and self.filling.same(other.filling))
            )
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        epochs = f" in each of {self.n_epochs} epochs" if self.n_epochs > 1 else ""
        size = f"sets of {self.top_s} out of {counted(self.topics.size, 'topic')}"
        merged = f" merged into {counted(self.users.size, 'distinct set')}" if self.merged else ""
        weighted = ", weighted" if self.weights is not None else ""
        users = counted(self.n_users, "user")
        return f"<{type(self).__name__} of {users}{merged}: {size}{epochs}{weighted}>"


def _equal(one: Array | None, other: Array | None) -> bool:
    return one is other or (one is not None and other is not None and np.array_equal(one, other))
