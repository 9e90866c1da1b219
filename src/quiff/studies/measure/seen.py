"""Browsing histories as cookies show them: whose are the same, and which sets come of them."""

import os
from dataclasses import dataclass

import numpy as np

from quiff.core.channel import Channel
from quiff.core.kernels import SparseKernel
from quiff.core.labels import Labels, as_labels, same
from quiff.core.numbers import Array, Number, as_number, filled, quotient
from quiff.core.prior import Prior
from quiff.core.sparse import SparseRows, fold_max
from quiff.errors import LabelError, ParameterError
from quiff.measures.vulnerability import posterior_vulnerability, vulnerability
from quiff.populations.histories import Histories
from quiff.populations.population import Population
from quiff.populations.weights import prior_of_weights, summed
from quiff.results.measurement.rows import HistoryCounts

_WITH_TIMES = "domains and times"
_IN_ORDER = "domains in order"
_AS_SETS = "set of domains"


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
    if population.merged:
        raise ParameterError(
            "a merged population has lost the names of its users, so that their histories cannot be found; "
            "leave the histories out, or in Python read it with merged=False"
        )
    if isinstance(histories, Histories):
        view = _AS_SETS if isinstance(histories.distinct[0], frozenset) else _IN_ORDER
        codes = {view: _of_population(population, histories.users, np.asarray(histories.which))}
    else:
        users, columns = _digests(histories)
        codes = {view: _of_population(population, users, ids) for view, ids in columns.items()}
    counts = tuple(_counted(view, which) for view, which in codes.items())
    return Seen(population, next(iter(codes.values())), counts)


def _of_population(population: Population, users: Labels, ids: Array) -> Array:
    """Return the numbers of the histories of the population's users, from 0 without gaps."""
    if not same(users, population.users):
        found = [users._find_any(user) for user in population.users]
        if None in found:
            others = found.count(None) - 1
            more = f", and {others} more {'has' if others == 1 else 'have'} none" if others else ""
            raise LabelError(
                f"user number {found.index(None) + 1} has no browsing history{more}; "
                "give the histories from which the profiles were made"
            )
        ids = ids[np.array(found, dtype=np.intp)]
    return np.unique(ids, return_inverse=True)[1]


def _counted(view: str, which: Array) -> HistoryCounts:
    users = np.bincount(which)
    return HistoryCounts(view, which.shape[0], users.shape[0], int(np.count_nonzero(users == 1)))


def _digests(path: str | os.PathLike[str]) -> tuple[Labels, dict[str, Array]]:
    """Return the users of an Experimental table, and a digest of each history for each way to look at it."""
    from quiff.history.engine import connect
    from quiff.history.queries import fetch_arrow
    from quiff.history.tables import find_table, read_table

    con = connect()
    try:
        table, _ = read_table(con, find_table(path, ("experimental",)), ("experimental",))
        domains = table.history.map(lambda visit: visit.domain)
        visits = table.history.map(lambda visit: visit.time.cast("string") + "\t" + visit.domain)
        columns = {_WITH_TIMES: visits, _IN_ORDER: domains, _AS_SETS: domains.unique().sort()}
        digests = {name: words.join("\n").hexdigest("sha256") for name, words in columns.items()}
        rows = fetch_arrow(con, table.select("user", **digests))
    finally:
        con.disconnect()
    if rows.num_rows == 0:
        raise ParameterError(f"{os.fspath(path)!r} has no browsing history; give a table with users")
    users = as_labels(rows["user"].to_numpy(), "user")
    codes = {view: rows[view].combine_chunks().dictionary_encode().indices for view in columns}
    return users, {view: column.to_numpy(zero_copy_only=False) for view, column in codes.items()}
