"""Which values are popular, from how often outputs name them: estimates, and whether the first are found."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from math import sqrt
from typing import final

import numpy as np

from quiff.core.numbers import Array, Number
from quiff.measures.named_draws import NamedDraws
from quiff.theory.popularity import (
    Naming,
    binomial_interval,
    bits_right,
    estimate_variance,
    estimated_users,
    users_interval,
)
from quiff.theory.ranking import ahead, needed_pairs, order_approximately, order_bounds

Ends = tuple[Number, Number, Number]
"""A number, and the ends of its interval of 95 %."""


@final
@dataclass(frozen=True)
class Estimated:
    """How many users have a value, estimated from how many show it: unbiased, with error and interval."""

    value: int | str
    shown: int
    users: Number
    standard_error: float
    low: Number
    high: Number

    @classmethod
    def of(cls, value: Hashable, count: int, naming: Naming, N: int) -> "Estimated":
        """Estimate it from so many of N users who show the value."""
        p, q, _ = naming
        estimate = estimated_users(p, q, N, count)
        error = sqrt(estimate_variance(p, q, N, min(max(round(estimate), 0), N)))
        name = value if isinstance(value, int | str) else str(value)
        return cls(name, count, estimate, error, *users_interval(p, q, N, count))


@final
@dataclass(frozen=True)
class Popular:
    """How many users have a value, the standard error of their share, and an estimate from one draw."""

    value: int | str
    users: int
    standard_error: float
    estimate: Ends
    estimate_error: float


@final
@dataclass(frozen=True)
class Found:
    """The probability to find the first values in order when all users are seen once.

    The bounds `least` and `most` follow from the exact probabilities of pairs of values, and are equal if one
    pair decides; the approximation is by independent normal counts.
    """

    top: int
    simulated: Ends
    least: float
    most: float
    approximation: float


@final
@dataclass(frozen=True)
class Growth:
    """The same from users drawn with replacement: the first value, and the first ones in order.

    `all_bits_right` answers another question, that of the paper's counting figure: the probability to guess
    right of all users whether they have one value, if each has it with probability 1/2.
    """

    n_users: int
    first: Ends
    first_approximation: float
    in_order: Ends
    in_order_approximation: float
    all_bits_right: float


def popular_values(draws: NamedDraws, holders: Array, counts: Array) -> list[Popular]:
    """Return the values that some user has, the most popular first, with an estimate from these counts."""
    N, values = draws.n_users, []
    p, q, _ = draws.naming
    named = dict(zip(draws.columns.tolist(), draws.values, strict=True))
    for column in np.argsort(-holders, kind="stable").tolist():
        n = int(holders[column])
        if n == 0:
            break
        one = Estimated.of(named[column], int(counts[column]), draws.naming, N)
        error = sqrt(estimate_variance(p, q, N, n)) / N
        values.append(Popular(one.value, n, error, (one.users, one.low, one.high), one.standard_error))
    return values


def right_places(
    draw: Callable[[], Array], runs: int, holders: Array, places: int, rng: np.random.Generator
) -> Array:
    """Return for each run which of the first places have a value as popular as the place asks for."""
    wanted = np.sort(holders)[::-1][:places]
    hits = np.empty((runs, places), dtype=bool)
    for run in range(runs):
        shuffled = draw() + rng.random(holders.size)  # ranks values shown equally often at random
        hits[run] = holders[np.argsort(-shuffled)[:places]] == wanted
    return hits


def _simulated(hits: Array, places: int) -> Ends:
    """Return how often the first places were right, with Clopper and Pearson's 95 % interval."""
    right = int(hits[:, :places].all(axis=1).sum())
    return right / len(hits), *binomial_interval(right, len(hits))


def found_in_order(holders: Array, hits: Array, places: int, draws: NamedDraws) -> Found:
    """Return the probability to find the first places, in order, when all users are seen once."""
    p, q, N = float(draws.naming.inside), float(draws.naming.outside), draws.n_users
    first, second = needed_pairs(holders, places)
    both = draws.having_both(first, second)
    only_first, only_second = holders[first] - both, holders[second] - both
    neither = N - both - only_first - only_second
    right = ahead(
        np.broadcast_to([p, q, p, q], (len(first), 4)),
        np.broadcast_to([q, p, p, q], (len(first), 4)),
        np.stack([only_first, only_second, both, neither], axis=1),
    )
    means = holders * p + (N - holders) * q
    # Two such variances sum to that of the difference where equally many users have the two values, and
    # those who have one of them have the other neither more nor less often.
    variances = means - (p - q) ** 2 * holders * (1 - holders / N)
    least, most = order_bounds(holders, places, right)
    approximation = order_approximately(means, variances, holders, places)
    return Found(places, _simulated(hits, places), least, most, approximation)


def found_by_sample(
    holders: Array, draws: NamedDraws, N: int, places: int, runs: int, rng: np.random.Generator
) -> Growth:
    """Return the same from N users drawn with replacement: their counts are multinomial."""
    shares = draws.shares(holders)
    hits = right_places(lambda: np.asarray(rng.multinomial(N, shares)), runs, holders, places, rng)
    first, in_order = (order_approximately(N * shares, N * shares, holders, k) for k in (1, places))
    bits = float(bits_right(float(draws.naming.inside), float(draws.naming.outside), N))
    return Growth(N, _simulated(hits, 1), first, _simulated(hits, places), in_order, bits)


def sample_sizes(n_users: int) -> list[int]:
    """Return sizes of samples: 1, 2 and 5 times powers of ten from ten on, and all users.

    Examples
    --------
    >>> sample_sizes(300), sample_sizes(7)
    ([10, 20, 50, 100, 200, 300], [7])
    """
    powers = range(1, len(str(n_users)))
    sizes = [digit * 10**power for power in powers for digit in (1, 2, 5)]
    return [*(size for size in sizes if size < n_users), n_users]
