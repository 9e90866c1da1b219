"""Beugin and McDaniel: leave out what looks like noise, then take the user with the largest overlap."""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import ClassVar, Literal, Self, final

import numpy as np

from quiff.apis.topics import TopicsAPI
from quiff.attacks.base import Attack, Paper, Sighting
from quiff.attacks.ranking import ItemSets, Queries, ranked_best
from quiff.core.numbers import Array
from quiff.people.population import Population
from quiff.theory.parameters import check_whole


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
        rare = np.zeros(sighting.topics.size, dtype=bool)
        rare[sighting.topics.positions(self.rare_topics, "topic")] = True
        genuine = keep_genuine(codes, sighting.earlier, sighting.per_call, self.top_s, rare)
        return ItemSets.from_rows(genuine, sighting.topics.size)


def keep_genuine(codes: Array, earlier: int, per_call: int, enough: int, rare: Array) -> Array:
    """Return the topics that are taken for genuine where each is first seen, and -1 elsewhere.

    See `BeuginMcDaniel` for the rule.

    >>> keep_genuine(np.array([[0, 1, 0, 2]]), 2, 3, 1, np.zeros(3, dtype=bool)).tolist()
    [[0, -1, -1, -1]]
    """
    columns = codes.shape[1]
    order = np.argsort(codes, axis=1, kind="stable")  # by topic, then by time
    user = np.repeat(np.arange(codes.shape[0]), columns)
    column, topic = order.reshape(-1), np.take_along_axis(codes, order, axis=1).reshape(-1)
    there = topic >= 0
    user, column, topic = user[there], column[there], topic[there]
    kept = np.full(codes.shape, -1, dtype=codes.dtype)
    if not topic.size:
        return kept
    again = (user[1:] == user[:-1]) & (topic[1:] == topic[:-1])
    starts = np.flatnonzero(np.r_[True, ~again])
    ends = np.r_[starts[1:], topic.size] - 1
    irregular = np.r_[False, again & (np.diff(column) != per_call)]  # two calls showed it, not in succession
    sure = np.logical_or.reduceat(irregular, starts)
    # Always shown by successive calls: by how many of them?
    last_call = np.minimum(column[ends] - earlier + per_call - 1, columns - earlier - 1)
    lasting = last_call - np.maximum(column[starts] - earlier, 0) >= per_call
    sure |= (ends > starts) & lasting
    user, column, topic = user[starts], column[starts], topic[starts]
    few = np.bincount(user[sure], minlength=codes.shape[0]) < enough
    keep = sure | (few[user] & ~rare[topic])
    kept[user[keep], column[keep]] = topic[keep]
    return kept
