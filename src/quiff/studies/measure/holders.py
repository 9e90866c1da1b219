"""Who holds which set: all that the averages over users need, once for a population.

Users with the same set have the same row in every channel of the Topics API. So the posterior Bayes
vulnerability V = sum_y max_x pi_x C[x,y] needs, of each set, only its most probable user.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from quiff.core.channel import Channel
from quiff.core.labels import SetLabels
from quiff.core.numbers import Array, Number, as_number
from quiff.core.prior import Prior
from quiff.core.sparse import fold_max
from quiff.errors import ParameterError
from quiff.measures.vulnerability import posterior_vulnerability
from quiff.populations.population import Population
from quiff.populations.weights import prior_of_weights


@dataclass(frozen=True)
class Holders:
    """The distinct sets of a population, and what matters of the users who have each.

    Attributes
    ----------
    sets, counts
        The distinct sets, and how many users have each.
    prior
        The probability of each set.
    foremost
        Each set in proportion to the probability of its most probable user.
    best_user
        V_1(pi): the probability of the most probable user of all.
    by_set
        The sum of the probabilities of each set's most probable user: the chance to name the user by the
        whole set.

    Examples
    --------
    >>> people = Population.from_sets({"Alice": {1, 2}, "Bob": {2, 3}, "Carol": {1, 2}})
    >>> holders = holders_of(people)
    >>> holders.best_user, holders.by_set, holders.unique_users, holders.anonymity
    (Fraction(1, 3), Fraction(2, 3), Fraction(1, 3), 1)
    """

    sets: SetLabels
    counts: Array
    prior: Prior
    foremost: Prior
    best_user: Number
    by_set: Number

    @property
    def n_users(self) -> int:
        """How many users there are."""
        return int(self.counts.sum())

    @property
    def unique_users(self) -> Fraction:
        """The share of users whose set nobody else has."""
        return Fraction(int(np.count_nonzero(self.counts == 1)), self.n_users)

    @property
    def anonymity(self) -> int:
        """The k of k-anonymity: every set has at least k users."""
        return int(self.counts.min())

    def named_by(self, C: Channel) -> Number:
        """Return the chance to name the user by a channel from sets: sum_y max_x pi_x C[x,y]."""
        return self.by_set * posterior_vulnerability(self.foremost, C)


def holders_of(population: Population) -> Holders:
    """Return the distinct sets of a population with one epoch, and who holds them.

    Raises
    ------
    ParameterError
        If the population is merged and weighted: then only the sum of the weights of a set is known.
    """
    sets, which = population.distinct_sets()
    counts, prior = population.set_counts(), population.set_prior()
    if population.weights is None:
        n_users = int(counts.sum())
        best, by_set = Fraction(1, n_users), Fraction(sets.size, n_users)
        return Holders(sets, counts, prior, Prior.uniform(sets), best, by_set)
    if population.merged:
        raise ParameterError(
            "a merged population has lost the weights of its single users; read it without weights, "
            "or in Python read it with merged=False"
        )
    weights, total = population.user_prior().weights_for(population.users, "population")
    heaviest = fold_max(weights, which, sets.size)
    return Holders(
        sets,
        counts,
        prior,
        prior_of_weights(sets, heaviest),
        as_number(heaviest.max(), total),
        as_number(heaviest.sum(), total),
    )
