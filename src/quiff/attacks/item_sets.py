"""Sets of small whole numbers, one for each user, packed into one array; and who has a given number."""

from dataclasses import dataclass
from functools import cached_property
from typing import final

import numpy as np

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
        """For each item the users who have it."""
        from quiff.attacks.kernels import turn_around

        starts = np.zeros(self.n_items + 1, dtype=np.int64)
        np.cumsum(np.bincount(self.items, minlength=self.n_items), out=starts[1:])
        users = np.empty(self.items.shape[0], dtype=np.int32)
        turn_around(self.starts, self.items, starts[:-1].copy(), users)
        return ItemSets(starts, users, self.size)

    def of(self, user: int) -> Array:
        """Return the items of one user."""
        return np.asarray(self.items[self.starts[user] : self.starts[user + 1]])
