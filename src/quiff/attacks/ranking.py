"""Whether a target's own user has the best score: the step that most attacks share."""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, final

import numpy as np

from quiff.attacks.base import work_through
from quiff.core.numbers import Array

_SLICE = 1000  # targets between two moments to be interrupted
_SMALL = np.iinfo(np.int16).max


@final
@dataclass(frozen=True, eq=False)
class ItemSets:
    """The items of user i are ``items[starts[i] : starts[i + 1]]``, each below `n_items`, each once.

    >>> sets = ItemSets.from_rows(np.array([[2, 0, -1], [2, -1, -1]]), 3)
    >>> sets.starts.tolist(), sets.items.tolist()
    ([0, 2, 3], [2, 0, 2])
    >>> [users.tolist() for users in sets.holders]
    [[0], [], [0, 1]]
    """

    starts: Array
    items: Array
    n_items: int

    @classmethod
    def from_rows(cls, rows: Array, n_items: int) -> "ItemSets":
        """Return the sets of a table, one row for each user; what is negative does not count."""
        there = rows >= 0
        starts = np.zeros(rows.shape[0] + 1, dtype=np.int64)
        np.cumsum(there.sum(axis=1), out=starts[1:])
        return cls(starts, rows[there].astype(np.int32), n_items)

    @property
    def size(self) -> int:
        """How many sets there are."""
        return int(self.starts.shape[0]) - 1

    @cached_property
    def holders(self) -> list[Array]:
        """For each item the users who have it, in their order."""
        users = np.repeat(np.arange(self.size, dtype=np.int32), np.diff(self.starts))
        ends = np.cumsum(np.bincount(self.items, minlength=self.n_items))
        return np.split(users[np.argsort(self.items, kind="stable")], ends[:-1])

    def of(self, user: int) -> Array:
        """Return the items of one user."""
        return np.asarray(self.items[self.starts[user] : self.starts[user + 1]])

    def scores(self, items: Array, weights: Array) -> Array:
        """Return for each user the sum of the weights of those items that are in the user's set."""
        scores = np.zeros(self.size, dtype=np.int16 if weights.sum() <= _SMALL else np.int64)
        for item, weight in zip(items.tolist(), weights.tolist(), strict=True):
            scores[self.holders[item]] += weight
        return scores


class Queries(NamedTuple):
    """What is known of each target: some items, each with a weight that is a positive whole number.

    >>> queries = Queries.counted(np.array([[2, 0, 2, -1]]))
    >>> queries.items.tolist(), queries.weights.tolist()
    ([0, 2], [1, 2])
    """

    starts: Array  # where each target's items start, and where the last ones end
    # The items of all targets, and their weights.
    items: Array
    weights: Array

    @classmethod
    def counted(cls, rows: Array, worth: Array | None = None) -> "Queries":
        """Return the items of a table, weighted by how often they are in their row, times their worth.

        What is negative, or worth nothing, does not count.
        """
        ordered = np.sort(rows, axis=1).astype(np.int64)
        first = np.ones(ordered.shape, dtype=bool)
        first[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
        places = np.flatnonzero(first)
        counts = np.diff(np.append(places, ordered.size))
        items = ordered.reshape(-1)[places]
        weights = counts if worth is None else counts * worth[np.maximum(items, 0)]
        row = places // ordered.shape[1]
        there = (items >= 0) & (weights > 0)
        starts = np.zeros(rows.shape[0] + 1, dtype=np.int64)
        np.cumsum(np.bincount(row[there], minlength=rows.shape[0]), out=starts[1:])
        return cls(starts, items[there].astype(np.int32), weights[there].astype(np.int64))


def ranked_best(candidates: ItemSets, queries: Queries, own: Array) -> Array:
    """Return for each target how many users have the best score, if their own is among them, else 0.

    A user's score is the sum of the weights of the target's items that are in the user's set.

    >>> candidates = ItemSets.from_rows(np.array([[0, 1], [1, 2], [2, 1]]), 3)
    >>> queries = Queries.counted(np.array([[0, 1, 1], [2, 1, 1], [0, 0, 0]]))
    >>> ranked_best(candidates, queries, np.array([0, 1, 2])).tolist()
    [1, 2, 0]
    """
    tied = np.zeros(own.shape[0], dtype=np.int64)
    candidates.holders  # noqa: B018 - made here, once for all threads

    def rank(part: slice) -> None:
        for target in range(*part.indices(own.shape[0])):
            known = slice(queries.starts[target], queries.starts[target + 1])
            scores = candidates.scores(queries.items[known], queries.weights[known])
            if scores[own[target]] == scores.max():
                tied[target] = np.count_nonzero(scores == scores[own[target]])

    work_through(rank, own.shape[0], _SLICE)
    return tied
