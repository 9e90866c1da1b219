"""People grouped by a secret: how many have each, how probable it is, and its most probable person.

People with the same secret have the same row in every channel on secrets. So the posterior Bayes
vulnerability of the user, V = sum_y max_x pi_x C[x,y], needs of each secret only its most probable person.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import final

import numpy as np

from quiff.core.channel import Channel
from quiff.core.distinct import distinct_codes
from quiff.core.labels import Labels, as_labels, same
from quiff.core.numbers import Array, Number, as_number
from quiff.core.prior import Prior
from quiff.errors import LabelError, ParameterError, typed
from quiff.measures.vulnerability import posterior_vulnerability
from quiff.people.histories import Histories
from quiff.people.population import Population
from quiff.people.weights import prior_of_weights, summed

_OTHERS = (0, 1, 2, 10, 100, 1000)  # where groups of people by the number of others like them begin


@final
@dataclass(frozen=True, eq=False, repr=False)
class Groups:
    """People by their secret; the constructor is `grouped`.

    >>> people = Population.from_sets({"Alice": {1, 2}, "Bob": {2, 3}, "Carol": {1, 2}})
    >>> groups = grouped(people, people.channel("topics"))
    >>> groups.counts.tolist(), groups.best_user, groups.by_secret, groups.unique_users, groups.anonymity
    ([2, 1], Fraction(1, 3), Fraction(2, 3), Fraction(1, 3), 1)
    """

    people: Population | Histories
    secrets: Labels
    which: Array

    @cached_property
    def counts(self) -> Array:
        """How many people have each secret."""
        counts = self.people.counts
        if counts is None:
            return np.bincount(self.which, minlength=self.secrets.size)
        return summed(counts, self.which, self.secrets.size)

    def knowing(self, known: Channel) -> tuple["Groups", Array]:
        """Return people by their secret and what else is known of each, and the two numbers of each pair."""
        assert known.codes is not None  # noqa: S101 - attributes are maps
        pairs = np.stack([self.which, known.codes], axis=1)
        first, which = distinct_codes(pairs, int(pairs.max()) + 1)
        return Groups(self.people, as_labels(range(first.shape[0])), which), pairs[first]

    def by_others(self) -> list[tuple[int, int | None, int]]:
        """Return how many people share their secret with how many others: (from, to, people).

        >>> people = Population.from_sets({"Alice": {1, 2}, "Bob": {2, 3}, "Carol": {1, 2}})
        >>> grouped(people, people.channel("topics")).by_others()
        [(0, 0, 1), (1, 1, 2)]
        """
        groups: list[tuple[int, int | None, int]] = []
        for first, after in zip(_OTHERS, [*_OTHERS[1:], None], strict=True):
            here = (self.counts > first) & (after is None or self.counts <= after)
            size = int(self.counts[here].sum())
            if size:
                groups.append((first, None if after is None else after - 1, size))
        return groups

    @cached_property
    def prior(self) -> Prior:
        """How probable each secret is for a person taken at random, by weight if there are any."""
        weights = self.people.weights
        if weights is None:
            return Prior.from_count_array(self.secrets, self.counts)
        return prior_of_weights(self.secrets, summed(weights, self.which, self.secrets.size))

    @property
    def n_users(self) -> int:
        """How many people there are."""
        return self.people.n_users

    @property
    def unique_users(self) -> Fraction:
        """The share of people whose secret nobody else has."""
        return Fraction(int(np.count_nonzero(self.counts == 1)), self.n_users)

    @property
    def anonymity(self) -> int:
        """The k of k-anonymity: every secret that occurs has at least k people."""
        return int(self.counts[self.counts > 0].min())

    @cached_property
    def _heaviest(self) -> tuple[Array, int]:
        """The weight of the most probable person of each secret, and what to divide it by."""
        weights = self.people.weights
        if weights is None:
            return np.minimum(self.counts, 1), self.n_users
        self.people.check_unmerged()
        if weights.dtype.kind in "iu":  # faster as they are than as a prior holds large ones
            total = sum(weights.tolist())
        else:
            weights, total = self.people.user_prior().weights_for(self.people.users, "people")
        heaviest = np.zeros(self.secrets.size, dtype=weights.dtype)
        np.maximum.at(heaviest, self.which, weights)
        return heaviest, total

    @cached_property
    def foremost(self) -> Prior:
        """Each secret in proportion to the probability of its most probable person."""
        heaviest, _ = self._heaviest
        if self.people.weights is None and heaviest.all():
            return Prior.uniform(self.secrets)
        return prior_of_weights(self.secrets, heaviest)

    @property
    def best_user(self) -> Number:
        """V_1(pi), the probability of the most probable person of all."""
        heaviest, total = self._heaviest
        return as_number(heaviest.max(), total)

    @property
    def by_secret(self) -> Number:
        """The probability of re-identification by the whole secret, sum_x max_{u with x} pi_u."""
        heaviest, total = self._heaviest
        return as_number(sum(heaviest.tolist()) if heaviest.dtype.kind in "iu" else heaviest.sum(), total)

    def reidentified_by(self, C: Channel) -> Number:
        """Return the probability of re-identification by a channel on secrets: sum_y max_u pi_u C[x_u,y]."""
        return self.by_secret * posterior_vulnerability(self.foremost, C)


@typed
def grouped(people: Population | Histories, secret: Channel) -> Groups:
    """Group people by a deterministic secret, a channel from users such as ``people.channel("topics")``.

    Merged people can be grouped by a function of their topic sets; what needs the weight of a single person
    (`foremost`, `best_user`, `by_secret`) is a ParameterError for people who are merged and weighted.

    >>> people = Population.from_sets({"Ann": {"Art"}, "Bob": {"Art"}, "Cem": {"News"}})
    >>> grouped(people, people.channel("topics")).counts.tolist()
    [2, 1]
    """
    if not same(secret.inputs, people.users):
        raise LabelError("the secret is not a channel from these people; give one such as people.channel()")
    if secret.codes is None:
        raise ParameterError(
            "the secret is random, so that people cannot be grouped by it; give a channel with one secret for"
            " each user, such as people.channel() or Channel.deterministic"
        )
    return Groups(people, secret.outputs, secret.codes)
