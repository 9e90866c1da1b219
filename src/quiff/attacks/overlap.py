"""Beugin and McDaniel: leave out what looks like noise, then take the user with the largest overlap."""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import ClassVar, Literal, Self, final

import numpy as np

from quiff.apis.topics import TopicsAPI
from quiff.attacks.base import Attack, Paper, Sighting, work_through
from quiff.attacks.ranking import ItemSets, Queries, ranked_best
from quiff.core.numbers import Array
from quiff.populations.population import Population
from quiff.theory.parameters import check_whole

_SLICE = 5000


@final
@dataclass(frozen=True)
class BeuginMcDaniel(Attack):
    """Both sites leave out noise; the candidates are those whose remaining topics overlap most.

    A topic is genuine if a call shows it twice; if it is shown at least three calls after the one that
    showed it first, which one epoch alone cannot cause; or if it is shown again after a call that did not
    show it. From the fourth call on this just says that the topic was shown at least twice. With `top_s`
    or more genuine topics all others are noise; with fewer, only those on a list of rare topics are.

    Success is that a single candidate remains, and the right one. The published setting: stable sets of 5
    out of 349 topics, noise .05, and a first call that shows three epochs.

    Parameters
    ----------
    top_s
        s, how many genuine topics suffice.
    rare_topics
        Topics that are noise as long as they are not known to be genuine. The paper takes those of at most
        10 among a million popular sites; none by default.

    Examples
    --------
    >>> from quiff.browser.reports import Reports
    >>> by_epoch = [[[0, 1, 0, 2], [3, 3, 3, 3]], [[1, 0, 1, 0], [2, 3, 2, 3]]]
    >>> reports = Reports(["Alice", "Bob"], range(2), ["Art", "Music", "News", "Sports"], by_epoch, earlier=2)
    >>> known, query = (Sighting.of(reports, site, 2) for site in (0, 1))
    >>> attack = BeuginMcDaniel(top_s=2, rare_topics=frozenset({"News"}))
    >>> attack.kept(known).items.tolist()
    [0, 1, 3]
    >>> attack.tied(known, query, np.array([0, 1])).tolist()
    [1, 1]
    """

    top_s: int = 5
    rare_topics: frozenset[Hashable] = frozenset()

    name: ClassVar[str] = "beugin-mcdaniel"
    paper: ClassVar[Paper] = Paper(
        "Y. Beugin and P. McDaniel",
        "Interest-disclosing Mechanisms for Advertising are Privacy-Exposing (not Preserving)",
        "PoPETs 2024(1)",
        "10.56553/popets-2024-0004",
    )
    counts: ClassVar[Literal["unique", "ties"]] = "unique"

    def __post_init__(self) -> None:
        object.__setattr__(self, "top_s", check_whole("top_s", self.top_s, 1))
        object.__setattr__(self, "rare_topics", frozenset(self.rare_topics))

    @classmethod
    def against(cls, api: TopicsAPI, population: Population | None) -> Self:  # noqa: ARG003 - not needed
        return cls(api.top_s)

    def kept(self, sighting: Sighting) -> ItemSets:
        """Return each user's topics that are not left out as noise."""
        return self._kept(sighting, sighting.codes)

    def tied(self, known: Sighting, query: Sighting, targets: Array) -> Array:
        kept = self._kept(query, query.codes[targets])
        queries = Queries(kept.starts, kept.items, np.ones(kept.items.shape[0], dtype=np.int64))
        left = ranked_best(self.kept(known), queries, targets)
        return np.where(np.diff(kept.starts) == 0, 0, left)  # without a topic nobody is a candidate

    def _kept(self, sighting: Sighting, codes: Array) -> ItemSets:
        from quiff.attacks.kernels import keep_genuine

        rare = np.zeros(sighting.topics.size, dtype=bool)
        rare[sighting.topics.positions(self.rare_topics, "topic")] = True
        codes = np.require(codes, requirements=["C", "W"])  # of one form, so that the loop is compiled once
        kept = np.empty(codes.shape, dtype=codes.dtype)

        def keep(part: slice) -> None:
            keep_genuine(codes[part], sighting.earlier, sighting.per_call, self.top_s, rare, kept[part])

        work_through(keep, codes.shape[0], _SLICE)
        return ItemSets.from_rows(kept, sighting.topics.size)
