"""Browsing histories as cookies show them: whose are the same, and which sets come of them."""

import os
from dataclasses import dataclass

import numpy as np

from quiff.core.channel import Channel
from quiff.core.kernels import SparseKernel
from quiff.core.labels import as_labels
from quiff.core.numbers import Array, Number, as_number, filled, quotient
from quiff.core.prior import Prior
from quiff.core.sparse import SparseRows, fold_max
from quiff.history.histories import AS_SETS, IN_ORDER, WITH_TIMES, StoredHistories, history_digests
from quiff.measures.vulnerability import posterior_vulnerability, vulnerability
from quiff.populations.histories import Histories
from quiff.populations.population import Population
from quiff.populations.weights import prior_of_weights, summed
from quiff.results.measurement.rows import HistoryCounts


@dataclass(frozen=True)
class Seen:
    """Which users of a population share a browsing history.

    Attributes
    ----------
    population
        The users and their sets.
    which
        For each user the number of their history, from 0.
    counts
        How many histories differ, by each way of looking at them; the first is that of `which`.

    Examples
    --------
    >>> people = Population.from_sets({"Alice": {1, 2}, "Bob": {2, 3}, "Carol": {1, 2}})
    >>> visits = {"Alice": ["a.tld"], "Bob": ["b.tld"], "Carol": ["a.tld"]}
    >>> seen = seen_histories(people, Histories.from_visits(visits, {}))
    >>> seen.named_by_cookie(), seen.counts[0].distinct, seen.counts[0].unique
    (Fraction(2, 3), 2, 1)
    """

    population: Population
    which: Array
    counts: tuple[HistoryCounts, ...]

    @property
    def n_histories(self) -> int:
        """How many histories differ."""
        return int(self.which.max()) + 1

    def cookies(self) -> Channel:
        """Return C_C = C_BH C_U: users who share a history share its identifier."""
        return Channel.deterministic_from_codes(self.population.users, self.which, range(self.n_histories))

    def named_by_cookie(self) -> Number:
        """Return the chance to name the user by the history: that of each history's most probable user."""
        weights, total = self._weights()
        return as_number(fold_max(weights, self.which, self.n_histories).sum(), total)

    def prior(self) -> Prior:
        """Return how probable each history is."""
        weights, _ = self._weights()
        return prior_of_weights(
            as_labels(range(self.n_histories)), summed(weights, self.which, self.n_histories)
        )

    def to_sets(self) -> Channel:
        """Return C_G: a history has each set as often as its users do.

        It is a map unless chance, at ties or in filling up, gave two users of one history different sets.
        """
        sets, of_user = self.population.distinct_sets()
        pairs, users = np.unique(self.which * np.int64(sets.size) + of_user, return_counts=True)
        histories, codes = np.divmod(pairs, sets.size)
        labels = as_labels(range(self.n_histories))
        if pairs.shape[0] == self.n_histories:
            return Channel.deterministic_from_codes(labels, codes, sets)
        shares = quotient(users, np.bincount(self.which)[histories])
        shape = (self.n_histories, sets.size)
        rows = SparseRows.from_entries(histories, codes, shares, shape)
        return Channel.from_kernel(labels, sets, SparseKernel(filled(np.int64(0), sets.size), rows))

    def reconstructed(self, prior: Prior) -> tuple[Number, Number]:
        """Return the chance to name the history before and after its set is seen."""
        return vulnerability(prior), posterior_vulnerability(prior, self.to_sets())

    def _weights(self) -> tuple[Array, int]:
        return self.population.user_prior().weights_for(self.population.users, "population")


def seen_histories(population: Population, histories: Seen | Histories | str | os.PathLike[str]) -> Seen:
    """Return which users share a history, of histories in memory or of an Experimental table.

    The table may have more users than the population; they are left out. What has been looked at already
    comes back as it is, so that several studies need one look.

    Raises
    ------
    ParameterError
        If there is no such table, or the population is merged and so has no users to look for.
    LabelError
        If a user of the population has no history.
    """
    if isinstance(histories, Seen):
        return histories
    population.check_unmerged()
    if isinstance(histories, Histories):
        views = {_view(histories): np.asarray(histories.which)}
    else:
        users, views = history_digests(histories)
        histories = Histories(users, users, np.arange(users.size), {}, ())  # for the users alone
    rows = histories.rows_of(population.users)
    codes = {view: np.unique(ids[rows], return_inverse=True)[1] for view, ids in views.items()}
    counts = tuple(_counted(view, which) for view, which in codes.items())
    return Seen(population, next(iter(codes.values())), counts)


def _view(histories: Histories) -> str:
    if isinstance(histories.distinct, StoredHistories):
        return WITH_TIMES
    return AS_SETS if isinstance(histories.distinct[0], frozenset) else IN_ORDER


def _counted(view: str, which: Array) -> HistoryCounts:
    users = np.bincount(which)
    return HistoryCounts(view, which.shape[0], users.shape[0], int(np.count_nonzero(users == 1)))
