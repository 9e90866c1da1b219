"""People whose distinct topic sets do not fit into memory: how many users have each two topics."""

from dataclasses import dataclass
from typing import final

import numpy as np

from quiff.core.labels import Labels
from quiff.core.numbers import Array, Number, as_number
from quiff.errors import SizeError
from quiff.measures.distribution import Distribution
from quiff.people.population import Population
from quiff.theory.parameters import Real


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

    def leakage(self, p: Real, q: Real, m: int) -> Number:
        """Return what one of m outputs leaks, each of probability p inside of a set and q outside."""
        return self.topics.size * p + (m - self.topics.size) * q

    def leakage_of_two(self, p: Real, q: Real, m: int) -> Number:
        """Return what two outputs leak: with T ordered pairs of topics that are in one set.

        T p^2 + (m^2 - (m - m')^2 - T) p q + (m - m')^2 q^2, m' being the topics that occur.
        """
        both, nowhere = int(np.count_nonzero(self.together)), (m - self.topics.size) ** 2
        return both * p**2 + (m**2 - nowhere - both) * p * q + nowhere * q**2

    def best_guess(self) -> Number:
        """Return the share of users who have the most frequent topic."""
        return as_number(int(self.together.diagonal().max()), self.users)

    def best_guess_after(self, p: Real, q: Real, m: int) -> Number:
        """Return the probability to name a topic of the user after one output, sum_y max_t P(t, y)."""
        counts = self.together.diagonal()
        if isinstance(p, float) or isinstance(q, float):
            best: list[Number] = [float((q * counts + (p - q) * row).max()) for row in self.together]
        else:
            pairs = (zip(counts.tolist(), row, strict=True) for row in self.together.tolist())
            best = [max(q * n + (p - q) * both for n, both in pair) for pair in pairs]
        return as_number(sum(best) + (m - self.topics.size) * q * int(counts.max()), self.users)

    def leaks(self, leakage: Number) -> dict[str, Number]:
        """Return the probability of re-identification without and with what leaks so much, by quantities."""
        prior, posterior = as_number(1, self.users), as_number(leakage, self.users)
        return {"prior": prior, "posterior": posterior, "leakage": leakage}

    def risks(self, p: Real, q: Real, m: int) -> tuple[Number, Distribution, Distribution]:
        """Return the largest posterior after one output, and two ends of the distribution of own risks.

        The risk of a user with the set S is p sum_{t in S} 1/n_t + (m - m') q/N.
        """
        assert self.rarity is not None  # noqa: S101 - whoever asks has looked
        users, *ends = self.rarity
        nobody, rarest = m - self.topics.size, int(self.together.diagonal().min())
        low, high = (Distribution(float(p) * end + float(nobody * q) / self.users, users) for end in ends)
        worst = p / (p * rarest + q * (self.users - rarest))
        return worst, low, high

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
