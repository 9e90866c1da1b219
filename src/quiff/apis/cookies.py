"""Third-party cookies: a name for every browser, so that nothing stays apart."""

from dataclasses import dataclass
from fractions import Fraction
from typing import final

import numpy as np

from quiff.apis.base import Api, browsing
from quiff.core.channel import Channel
from quiff.core.kernels import SparseKernel
from quiff.core.labels import Labels, as_labels
from quiff.core.numbers import filled
from quiff.core.sparse import SparseRows
from quiff.populations.histories import Histories
from quiff.populations.population import Population


@final
@dataclass(frozen=True)
class Cookies(Api):
    """Third-party cookies as a channel; they have no parameters (paper, Sec. 3.1).

    A third party is taken to see the whole browsing history under one unique identifier, uid. The
    identifiers are the numbers 0, 1, 2, ...

    Examples
    --------
    >>> from quiff.populations.population import Population
    >>> people = Population.from_sets({"Alice": {"Music", "News"}, "Carol": {"Music", "News"}})
    >>> Cookies().channel(people)
    Channel from 2 inputs to 2 outputs
           0  1
    Alice  1  0
    Carol  0  1
    """

    def unique_ids(self, histories: Population | Histories | Labels) -> Channel:
        """Return C_U, the identity channel from distinct browsing histories to unique identifiers.

        Parameters
        ----------
        histories
            The histories: of some users, of a population (everybody's own, named after the user), or the
            outputs of C_BH.
        """
        match histories:
            case Population():
                named = histories.users
            case Histories():
                named = histories.distinct
            case _:
                named = as_labels(histories, "history")
        return Channel.deterministic_from_codes(named, np.arange(named.size), range(named.size))

    def channel(self, population: Population | Histories) -> Channel:
        """Return C_C = C_BH C_U, from users to unique identifiers.

        With histories at hand, users who share one share its identifier; a population holds none, so that
        all users are told apart.
        """
        return browsing(population) @ self.unique_ids(population)

    def set_channel(self, population: Population) -> Channel:
        """Return the channel from distinct sets to unique identifiers: C[sigma, uid] = 1/holders of sigma.

        An identifier belongs to one user, and so to one set: the analyst who knows the user's history
        behind it learns the set for certain.
        """
        sets, which = population.distinct_sets()
        holders = np.bincount(which, minlength=sets.size)
        shares = np.array([Fraction(1, count) for count in range(1, int(holders.max()) + 1)], dtype=object)
        ids = np.argsort(which, kind="stable")  # the users, set by set
        starts = np.concatenate([[0], np.cumsum(holders)])
        rows = SparseRows(starts, ids, shares[holders[which[ids]] - 1], population.users.size)
        nothing = filled(Fraction(0), population.users.size)
        return Channel.from_kernel(sets, as_labels(range(population.users.size)), SparseKernel(nothing, rows))

    def stages(self, population: Population | Histories) -> dict[str, Channel]:
        """Return the one channel, `cookies`: C_C."""
        return {self.name: self.channel(population)}
