"""Whether a target's own user has the best score: the step that most attacks share."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import NamedTuple, final

import numpy as np

from quiff.attacks.base import work_through
from quiff.core.numbers import Array


@final
@dataclass(frozen=True, eq=False)
class ItemSets:
    """The items of user i are ``items[starts[i] : starts[i + 1]]``, each below `n_items`, each once.

    >>> sets = ItemSets.from_rows(np.array([[2, 0, -1], [2, -1, -1]]), 3)
    >>> sets.starts.tolist(), sets.items.tolist()
    ([0, 2, 3], [2, 0, 2])
    >>> holders = sets.holders
    >>> holders.starts.tolist(), holders.items.tolist()
    ([0, 1, 1, 3], [0, 0, 1])
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
    def holders(self) -> "ItemSets":
        """For each item the users who have it, in their order."""
        from scipy.sparse import csr_array

        ones = np.ones(self.items.shape[0], dtype=np.int8)
        turned = csr_array((ones, self.items, self.starts), (self.size, self.n_items)).tocsc()
        return ItemSets(turned.indptr.astype(np.int64), turned.indices, self.size)

    @cached_property
    def bits(self) -> Array:
        """For each item the bits of the users who have it, 64 in a word, (items, words)."""
        from quiff.attacks.kernels import mark_users

        table = np.zeros((self.n_items, -(-self.size // 64)), dtype=np.uint64)
        mark_users(self.starts, self.items, table)
        return table

    def of(self, user: int) -> Array:
        """Return the items of one user."""
        return np.asarray(self.items[self.starts[user] : self.starts[user + 1]])


_MOST_WORDS = 2**24  # of a table of bits, 128 MiB
_MOST_WEIGHT = 2**10  # of one item, so that what is missing is counted fast
_SLICE = 1000  # queries, which take well below a second


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
    ranking = _ranking(candidates, queries)

    def rank(part: slice) -> None:
        some = queries._replace(starts=queries.starts[part.start : part.stop + 1])
        ranking(some, own[part], tied[part])

    work_through(rank, own.shape[0], _SLICE)
    return tied


def _ranking(candidates: ItemSets, queries: Queries) -> Callable[..., None]:
    """Return what ranks some queries: by bits if their table is small and weights are, else by lists."""
    from quiff.attacks.kernels import rank_by_bits, rank_by_lists

    words = candidates.n_items * -(-candidates.size // 64)
    lengths = np.bincount(candidates.items, minlength=candidates.n_items)
    if words <= _MOST_WORDS and queries.weights.max(initial=0) < _MOST_WEIGHT:
        return partial(rank_by_bits, candidates.bits, candidates.size, lengths)
    holders = candidates.holders
    return partial(rank_by_lists, candidates.starts, candidates.items, holders.starts, holders.items, lengths)
