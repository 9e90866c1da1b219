"""The Bayes-optimal adversary who knows how sets are distributed, and links the users of two sites."""

from dataclasses import dataclass
from functools import cached_property
from math import inf, log
from typing import ClassVar, Literal, NamedTuple, Self, final

import numpy as np

from quiff.apis.topics import TopicsAPI
from quiff.attacks.base import Attack, Paper, Sighting, parts, work_through
from quiff.attacks.bayes import BayesProfiles, codes_in_taxonomy, given_profiles
from quiff.attacks.ranking import ItemSets
from quiff.core.counting.work import in_slices
from quiff.core.distinct import distinct_codes
from quiff.core.labels import Labels
from quiff.core.numbers import Array
from quiff.errors import ParameterError, SizeError
from quiff.populations.population import Population
from quiff.theory.parameters import Real, check_probability

_LOST = 1e-10
_MOST_CELLS = 10**8
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
    def _sets(self) -> tuple[Array, Array]:
        first, kind = distinct_codes(np.sort(self.population.codes, axis=1), self.population.topics.size)
        weights = self.population.counts
        users = np.bincount(kind) if weights is None else np.bincount(kind, weights)
        return first, users.astype(np.float64)

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
        distinct, times = np.ascontiguousarray(rows[first]), np.bincount(kind)
        rows_known = _spread(distinct, times, sets)
        own, wanted = kind[targets], np.sort(query.codes[targets], axis=1)
        tied = np.zeros(targets.shape[0], dtype=np.int64)

        def rank(part: slice) -> None:
            rank_linked(wanted[part], own[part], rows_known, sets, _LOST, tied[part])

        work_through(rank, targets.shape[0], _SLICE)
        return tied

    def _prepared(self, topics: Labels, columns: int) -> "_Sets":
        first, users = self._sets
        codes = codes_in_taxonomy(self.population, topics)[0][first]
        holders = ItemSets.from_rows(codes, topics.size).holders
        q = float(self.noise) / topics.size
        p = (1 - float(self.noise)) / codes.shape[1] + q
        odds = p / q if q else inf
        # What fits worse than the best set by more than `cut` reports has less than _LOST of the posterior.
        cut = int(log(users.sum() / _LOST) / log(odds)) if odds > 1 else columns
        falls = odds ** -np.arange(columns + 1.0)
        return _Sets(codes, users, holders.starts, holders.items, falls, min(cut, columns))


class _Sets(NamedTuple):
    """The sets that there are, and how many users have each."""

    codes: Array
    users: Array
    # The sets that have each topic.
    starts: Array
    holders: Array
    falls: Array  # lambda^0, lambda^-1, ...
    cut: int  # by how many reports a set may fit worse than the best


class _Known(NamedTuple):
    """The different rows of reports of the site whose users are linked, and the sets behind them."""

    rows: Array
    times: Array  # how many users have each row
    totals: Array  # the sum over sets of users times lambda^(fits - most)
    mosts: Array  # how many reports the best set fits
    # For each set the rows that it may stand behind, and how many of their reports it fits.
    starts: Array
    behind: Array
    levels: Array


def _spread(rows: Array, times: Array, sets: _Sets) -> _Known:
    """Find the sets that may stand behind each row."""
    from scipy.sparse import csr_array

    from quiff.attacks.link_kernels import spread_over_sets

    totals, mosts = np.zeros(rows.shape[0]), np.zeros(rows.shape[0], dtype=np.int64)

    def spread(part: slice) -> tuple[Array, Array, Array]:
        cells: tuple[Array, Array, Array] = spread_over_sets(rows[part], sets, totals[part], mosts[part])
        return cells

    found, size = [], 0
    for part in in_slices(spread, parts(rows.shape[0], _SLICE)):
        found.append(part)
        size += part[1].shape[0]
        if size > _MOST_CELLS:
            raise SizeError(
                f"more than {_MOST_CELLS} pairs of {rows.shape[0]} different reports and "
                f"{sets.users.shape[0]} sets are plausible after {rows.shape[1]} epochs; take fewer users or "
                "more epochs"
            )
    lengths, which, levels = (np.concatenate(column) for column in zip(*found, strict=True))
    cells = csr_array((levels, which, np.r_[0, np.cumsum(lengths)]), (rows.shape[0], sets.users.shape[0]))
    by_set = cells.tocsc()
    starts = by_set.indptr.astype(np.int64)
    return _Known(rows, times, totals, mosts, starts, by_set.indices, by_set.data)
