"""The Bayes-optimal adversary who knows how sets are distributed, and links the users of two sites."""

from dataclasses import dataclass
from math import inf
from typing import ClassVar, Literal, Self, final

import numpy as np

from quiff.apis.topics import TopicsAPI
from quiff.attacks.base import Attack, Paper, Sighting
from quiff.attacks.bayes import BayesProfiles, codes_in_taxonomy, given_profiles
from quiff.core.distinct import distinct_codes
from quiff.core.limits import work_allowed
from quiff.core.numbers import TIE, Array
from quiff.errors import ParameterError, SizeError
from quiff.people.population import Population
from quiff.theory.parameters import Real, check_probability

BLOCK = 2**20  # pairs of a set and a row of reports that are looked at at a time
_TARGETS = 1000  # at a time


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
                "give profiles of one epoch, in Python by population.epoch(0)",
                what="profiles",
                value=self.population.n_epochs,
                allowed="profiles of one epoch",
            )

    @classmethod
    def against(cls, api: TopicsAPI, population: Population | None) -> Self:
        return cls(given_profiles(cls, population), api.noise)

    def tied(self, known: Sighting, query: Sighting, targets: Array) -> Array:
        """Return how many users are linked best to each target, the right one among them; else 0.

        Raises
        ------
        SizeError
            If there are too many users and sets to look at each pair.
        """
        first, kind = distinct_codes(np.sort(self.population.codes, axis=1), self.population.topics.size)
        counts = self.population.counts
        users = np.bincount(kind) if counts is None else np.bincount(kind, counts)
        q = float(self.noise) / known.topics.size
        p = (1 - float(self.noise)) / self.population.top_s + q
        sets = _Sets(
            codes_in_taxonomy(self.population, known.topics)[0][first],
            users.astype(np.float64),
            (p / q if q else inf) ** -np.arange(known.codes.shape[1] + 1.0),
        )
        # Users of whom the site has seen the same are linked alike.
        rows = np.sort(known.codes, axis=1)
        first, kind = distinct_codes(rows.astype(np.int64) + 1, known.topics.size + 1)
        if first.shape[0] * sets.size > work_allowed():
            raise SizeError(
                f"{first.shape[0]:,} different observations and {sets.size:,} sets are too many to compare"
                " each with each; take fewer users"
            )
        reports, times = _report_counts(rows[first], known.topics.size), np.bincount(kind)
        tied = np.zeros(targets.shape[0], dtype=np.int64)
        for start in range(0, targets.shape[0], _TARGETS):
            some = targets[start : start + _TARGETS]
            queries = _report_counts(query.codes[some], known.topics.size)
            tied[start : start + _TARGETS] = sets.rank(reports, times, queries, kind[some])
        return tied


@dataclass(frozen=True, eq=False)
class _Sets:
    """The sets that there are, how many users have each, and lambda^0, lambda^-1, ... for lambda = p/q.

    A set is lambda times as probable for each report in it. Floats cannot hold lambda^fits for many reports,
    so that probabilities are relative to the set that fits best.
    """

    codes: Array
    users: Array
    falls: Array

    @property
    def size(self) -> int:
        return int(self.users.shape[0])

    def fits(self, reports: Array) -> Array:
        """Return how many reports of each row lie in each set, (sets, rows)."""
        return np.asarray(sum(reports[column] for column in self.codes.T))

    def relative(self, fits: Array) -> Array:
        """Return lambda^(fits - most) of each row, most being that of the set that fits best."""
        return np.asarray(self.falls[fits.max(axis=0) - fits])

    def posterior(self, reports: Array) -> Array:
        """Return P(S | a) for each row a of reports, (sets, rows)."""
        joint = self.users[:, np.newaxis] * self.relative(self.fits(reports))
        return np.asarray(joint / joint.sum(axis=0))

    def rank(self, reports: Array, times: Array, queries: Array, own: Array) -> Array:
        """Tell for each query how many users have the best score, if their own is one of them, else 0.

        The score is P(b | a) relative to the set that fits b best, sum_S P(S | a) lambda^(fits of b - most).
        Sets that fit the query well give a lower bound of every score, and an upper one with the most that
        all others can add. Who is certainly better than the own user ends it; who may be as good is looked at
        exactly.
        """
        from scipy.sparse import csr_array

        fits = self.fits(queries)
        relative, most = self.relative(fits), fits.max(axis=0)
        score = self._scores(reports, own, relative, np.arange(own.shape[0]))
        least = np.ones_like(most)
        for _ in range(int(most.max())):
            least += (least < most) & (2 * self.falls[most - least] <= score)
        rest = self.falls[np.maximum(most - least + 1, 0)]
        well = csr_array(np.where(fits >= least, relative, 0.0).T)
        better = np.zeros(own.shape[0], dtype=bool)
        close: list[tuple[Array, Array]] = []
        for start in range(0, reports.shape[1], step := max(1, BLOCK // self.size)):
            part = slice(start, start + step)
            low = well @ self.posterior(reports[:, part])  # (queries, rows)
            better |= (low * (1 - TIE) > score[:, np.newaxis]).any(axis=1)
            near = low + rest[:, np.newaxis] >= score[:, np.newaxis] * (1 - TIE)
            query, row = np.nonzero(near & ~better[:, np.newaxis])
            close.append((query, row + start))
        equal = np.zeros(own.shape[0], dtype=np.int64)
        queried, rows = (np.concatenate(parts) for parts in zip(*close, strict=True))
        looked_at = ~better[queried] & (rows != own[queried])
        queried, rows = queried[looked_at], rows[looked_at]
        other = self._scores(reports, rows, relative, queried)
        better[queried[other * (1 - TIE) > score[queried]]] = True
        as_good = other >= score[queried] * (1 - TIE)
        np.add.at(equal, queried[as_good], times[rows[as_good]])
        same = fits.min(axis=0) == most if self.falls[-1] < 1 else np.ones_like(better)
        return np.where(same, times.sum(), np.where(better, 0, equal + times[own]))

    def _scores(self, reports: Array, rows: Array, relative: Array, queried: Array) -> Array:
        """Return the scores of some pairs of a row of reports and a query."""
        scores = np.empty(rows.shape[0])
        step = max(1, BLOCK // self.size)
        for start in range(0, rows.shape[0], step):
            part = slice(start, start + step)
            posterior = self.posterior(reports[:, rows[part]])
            scores[part] = np.einsum("sp,sp->p", posterior, relative[:, queried[part]])
        return scores


def _report_counts(codes: Array, n_topics: int) -> Array:
    """Return how often each row has each topic, (topics, rows)."""
    rows, columns = np.nonzero(codes >= 0)
    counts = np.zeros((n_topics, codes.shape[0]), dtype=np.int16)
    np.add.at(counts, (codes[rows, columns], rows), 1)
    return counts
