"""The Bayes-optimal adversary who knows how sets are distributed, and links the users of two sites."""

from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import ClassVar, Literal, NamedTuple, Self, final

import numpy as np

from quiff.apis.topics import TopicsAPI
from quiff.attacks.base import Attack, Paper, Sighting, work_through
from quiff.attacks.bayes import BayesProfiles, codes_in_taxonomy, given_profiles
from quiff.attacks.ranking import ItemSets
from quiff.core.distinct import distinct_codes
from quiff.core.labels import Labels, same
from quiff.core.numbers import Array
from quiff.errors import ParameterError, SizeError
from quiff.populations.population import Population
from quiff.theory.parameters import Real, check_probability

_MOST_PAIRS = 2 * 10**8
_SLOW_PAIRS = 100 * _MOST_PAIRS  # a matter of minutes
_SLICE = 100


@final
@dataclass(frozen=True, eq=False)
class BayesLink(Attack):
    """Link a target's observations b to the user of the other site whose own, a, make them most probable.

    The adversary knows which share pi of the people has each set, but not who has which. Given a, a set S
    has probability P(S | a) = pi(S) P(a | S) / P(a), so that

        P(b | a) = sum_S P(S | a) P(b | S),    P(y | S) = p^k q^(E-k),

    with k how many topics of y lie in S. The user with the largest P(b | a) is the best guess if the sets
    of users are independent draws from pi; those who are equally probable share it. Sets are stable. The
    paper has the channels that this adversary makes use of, and does not link sites itself.

    Parameters
    ----------
    population
        The people whose sets make up pi: those that are attacked, or any others.
    noise
        r, the probability of a random topic.

    Examples
    --------
    >>> from quiff.browser.reports import Reports
    >>> people = Population.from_sets({"Alice": {"Art", "Music"}, "Bob": {"News", "Sports"}})
    >>> reports = Reports(people.users, range(2), people.topics, [[[0], [2]], [[1], [2]]])
    >>> known, query = (Sighting.of(reports, site, 1) for site in (0, 1))
    >>> BayesLink(people).tied(known, query, np.array([0, 1])).tolist()
    [1, 1]
    """

    population: Population
    noise: Real = 0.05

    name: ClassVar[str] = "bayes-link"
    paper: ClassVar[Paper] = BayesProfiles.paper
    counts: ClassVar[Literal["unique", "ties"]] = "ties"

    def __post_init__(self) -> None:
        object.__setattr__(self, "noise", check_probability("noise", self.noise))
        if self.population.n_epochs > 1:
            raise ParameterError(
                f"there are sets for {self.population.n_epochs} epochs, but linking is for stable sets; "
                "give profiles of one epoch, in Python by population.epoch(0)"
            )

    @classmethod
    def against(cls, api: TopicsAPI, population: Population | None) -> Self:
        return cls(given_profiles(cls, population), api.noise)

    @cached_property
    def _sets(self) -> tuple[Array, Array, Array]:
        """A user of each distinct set, each user's set, and how many users have each."""
        first, kind = distinct_codes(np.sort(self.population.codes, axis=1), self.population.topics.size)
        weights = self.population.counts
        users = np.bincount(kind) if weights is None else np.bincount(kind, weights)
        return first, kind, users.astype(np.float64)

    def tied(self, known: Sighting, query: Sighting, targets: Array) -> Array:
        """Return how many users are linked best to each target, the right one among them; else 0.

        Raises
        ------
        SizeError
            If too many sets may stand behind the observations: few of many users say little.
        """
        from quiff.attacks.link_kernels import rank_linked

        sets = self._prepared(known.topics, known.codes.shape[1])
        rows = np.sort(known.codes, axis=1)
        first, kind = distinct_codes(rows.astype(np.int64) + 1, known.topics.size + 1)
        mine = self._sets[1][first] if same(known.users, self.population.users) else None
        seen = _seen(np.ascontiguousarray(rows[first]), np.bincount(kind), sets, mine)
        own, wanted = kind[targets], np.sort(query.codes[targets], axis=1)
        tied = np.zeros(targets.shape[0], dtype=np.int64)

        def rank(part: slice) -> None:
            rank_linked(wanted[part], own[part], seen, sets, tied[part])

        work_through(rank, targets.shape[0], _SLICE)
        return tied

    def _prepared(self, topics: Labels, columns: int) -> "_Sets":
        first, _, users = self._sets
        codes = codes_in_taxonomy(self.population, topics)[0][first]
        holders = ItemSets.from_rows(codes, topics.size).holders
        q = float(self.noise) / topics.size
        p = (1 - float(self.noise)) / codes.shape[1] + q
        falls = (p / q if q else inf) ** -np.arange(columns + 1.0)
        return _Sets(codes, users, float(users.sum()), holders.starts, holders.items, falls)


class _Sets(NamedTuple):
    """The sets that there are, and how many users have each."""

    codes: Array
    users: Array
    n_users: float
    # The sets that have each topic.
    starts: Array
    holders: Array
    falls: Array  # lambda^0, lambda^-1, ...


class _Known(NamedTuple):
    """The different rows of reports of the site whose users are linked."""

    rows: Array
    times: Array  # how many users have each row
    n_users: int
    # How many reports a set fits that fits well, and at most the sum over sets of users times
    # lambda^(fits - most).
    mosts: Array
    totals: Array
    # For each topic the rows that have it, and in how many reports.
    starts: Array
    holders: Array
    reports: Array


def _seen(rows: Array, times: Array, sets: _Sets, mine: Array | None) -> _Known:
    """Bring rows into the form in which they are ranked; `mine` are their users' sets, if they are known.

    A user's own set fits nearly best after many reports, so that bounds on the best one are enough.
    """
    from scipy.sparse import coo_array

    from quiff.attacks.link_kernels import weigh_rows

    n_rows, columns = rows.shape
    there = rows >= 0
    cells = np.ones(there.sum(), dtype=np.int16), (np.nonzero(there)[0], rows[there])
    by_topic = coo_array(cells, (n_rows, sets.starts.shape[0] - 1)).tocsc()
    starts = by_topic.indptr.astype(np.int64)
    pairs = int(np.diff(starts) @ np.diff(sets.starts))
    mosts, totals = np.zeros(n_rows, dtype=np.int64), np.zeros(n_rows)
    many = pairs > _MOST_PAIRS
    most = _MOST_PAIRS if columns < 2 * sets.codes.shape[1] else inf if mine is not None else _SLOW_PAIRS
    if pairs > most:
        raise SizeError(
            f"{pairs:,} pairs of {n_rows:,} observations and {sets.users.shape[0]:,} sets have a topic in"
            f" common after {columns} epochs, more than {most:,}; take fewer users or more epochs"
        )
    if many and mine is not None:
        for topics in sets.codes[mine].T:
            mosts += (rows == topics[:, None]).sum(axis=1)
        totals = sets.users[mine]
    else:  # slow for the profiles of many other people: 9 s of CPU for 60,000
        work_through(lambda part: weigh_rows(rows[part], sets, mosts[part], totals[part]), n_rows, _SLICE)
    return _Known(rows, times, int(times.sum()), mosts, totals, starts, by_topic.indices, by_topic.data)
