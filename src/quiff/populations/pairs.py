"""People whose distinct topic sets do not fit into memory: how many users have each two topics."""

from dataclasses import dataclass
from typing import final

import numpy as np

from quiff.core.labels import Labels
from quiff.core.numbers import Array
from quiff.errors import SizeError
from quiff.populations.population import Population


@final
@dataclass(frozen=True, eq=False)
class PairCounts:
    """How many users have each topic, and each two of them; an engine counts them.

    Examples
    --------
    >>> from quiff.core.labels import as_labels
    >>> together = np.array([[3, 1, 2], [1, 1, 0], [2, 0, 2]])  # {a, b} once and {a, c} twice
    >>> pairs = PairCounts(3, 2, 1, 2, as_labels(["a", "b", "c"]), together)
    >>> [sorted(some) for some in pairs.stand_in().attribute("topics").values]
    [['a', 'b'], ['a', 'c'], ['b', 'c']]
    """

    users: int
    distinct: int  # how many different sets they have
    unique: int  # how many users have one that nobody else has
    set_size: int
    topics: Labels  # those that occur
    together: Array  # (topics, topics): how many users have both; on the diagonal, how many have the topic
    rarity: Array | None = None
    """Users by the sum of 1 / n_t over their topics t, n_t users having each: (3, groups).

    A row each: how many users a group has, the least of their sums, and the largest."""

    def stand_in(self) -> Population:
        """Return few people with all of these topics, for what depends only on which topics occur."""
        m = self.topics.size
        starts = np.arange(m if m > self.set_size else 1)
        sets = (starts[:, np.newaxis] + np.arange(self.set_size)) % m
        return Population.from_array(range(starts.size), sets, self.topics)


class TooManySetsError(SizeError):
    """The distinct sets of people do not fit; `pairs` has the users of each two topics, where known."""

    def __init__(self, message: str, pairs: PairCounts | None = None) -> None:
        super().__init__(message)
        self.pairs = pairs
