"""Outputs that name values: how often each is seen, and what that says of how popular values are."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from functools import cached_property
from math import sqrt
from typing import Any, final

import numpy as np

from quiff.core.kernels import Kernel
from quiff.core.numbers import Array, Number, as_number, constant_of
from quiff.measures.own_risk import marginal
from quiff.theory.popularity import (
    Naming,
    ahead,
    binomial_interval,
    bits_right,
    estimate_variance,
    estimated_users,
    needed_pairs,
    order_approximately,
    order_bounds,
    users_interval,
)

_MANY = 20  # users of one secret from which on a multinomial draw for all of them is cheaper than one each
_ROUNDING = 1e-12


@final
@dataclass(frozen=True, eq=False)
class NamedDraws:
    """People whose outputs name what they have: with probability p each value, with q another one.

    Where all other outputs have probability q, too, an output is genuine with probability k (p - q), for
    users with k values each, and otherwise any at all: so of g genuine outputs of a value a binomial number
    remains, and the others spread evenly. Else outputs are drawn from the channel row by row.
    """

    attribute: str  # whose values are named
    # The values that users have, and the column of the output that names each.
    values: list[Any]
    columns: Array
    kernel: Kernel  # the channel from distinct secrets to outputs
    # The columns that name what each secret has (secrets, k), and how many users have the secret.
    places: Array
    counts: Array
    naming: Naming  # p and q
    even: bool  # whether all outputs but those that stand for a user's values have probability q

    @property
    def n_users(self) -> int:
        """How many users there are; N in formulas."""
        return int(self.counts.sum())

    def having(self) -> Array:
        """Return how many users have the value that each output names; 0 for one that names none."""
        entry = np.repeat(self.counts, self.places.shape[1])
        return np.bincount(self.places.reshape(-1), entry, self.kernel.n_columns).astype(np.int64)

    def having_both(self, first: Array, second: Array) -> Array:
        """Return how many users have both values of each pair, given by the columns that name them."""
        both = np.zeros(len(first), dtype=np.int64)
        for column in np.unique(first).tolist():
            pairs, rows = first == column, (self.places == column).any(axis=1)
            some = replace(self, places=self.places[rows], counts=self.counts[rows])
            both[pairs] = some.having()[second[pairs]]
        return both

    def shares(self, having: Array) -> Array:
        """Return how probable each output is, of a user taken at random."""
        p, q = float(self.naming.inside), float(self.naming.outside)
        shares = having / self.n_users * (p - q) + q if self.even else marginal(self.kernel, self.counts)
        return np.asarray(shares / shares.sum(), dtype=np.float64)

    def draw(self, rng: np.random.Generator) -> Array:
        """Return how many users show each output."""
        m, k = self.kernel.n_columns, self.places.shape[1]
        if not self.even:
            return np.bincount(self.kernel.sample(self._rows, rng), minlength=m)
        alone, shared, counts = self._by_size
        which = rng.integers(0, k, len(alone), dtype=np.min_scalar_type(k))
        genuine = np.bincount(alone.reshape(-1)[self._starts + which], minlength=m)
        if counts.size:
            split = rng.multinomial(counts, np.full(k, 1 / k))
            genuine += np.bincount(shared.reshape(-1), split.reshape(-1), m).astype(np.int64)
        share = k * (float(self.naming.inside) - float(self.naming.outside))
        chosen = rng.binomial(genuine, 1.0 if share > 1 - _ROUNDING else share)
        replaced = rng.multinomial(int(genuine.sum() - chosen.sum()), np.full(m, 1 / m))
        return np.asarray(chosen + replaced)

    @cached_property
    def _by_size(self) -> tuple[Array, Array, Array]:
        """What users have who draw one by one; what many users have, and how many."""
        many = self.counts >= _MANY
        alone = np.repeat(self.places[~many], self.counts[~many], axis=0)
        small = alone.astype(np.min_scalar_type(self.kernel.n_columns))  # what fits the cache is drawn fast
        return small, self.places[many], self.counts[many]

    @cached_property
    def _starts(self) -> Array:
        alone, _, _ = self._by_size
        return np.arange(0, alone.size, alone.shape[1])

    @cached_property
    def _rows(self) -> Array:
        return np.repeat(np.arange(self.counts.shape[0]), self.counts)


def naming_at(kernel: Kernel, places: Array, named: Array) -> tuple[Naming, bool] | None:
    """Return p and q if all entries at the places are p, and all others in the named columns q."""
    sparse = kernel.as_sparse()
    if sparse is not None and sparse.entries.per_row == places.shape[1]:
        entries, rest = sparse.entries, sparse.background
        p, q = constant_of(entries.values), constant_of(rest)
        columns = np.sort(entries.columns.reshape(places.shape), axis=1)
        if p is not None and q is not None and p >= q and (columns == np.sort(places, axis=1)).all():
            return Naming(p, q), True
    inside: list[Any] = []
    outside: list[Any] = []
    for start, block in kernel.blocks():
        local = np.zeros(block.shape, dtype=bool)
        rows, slots = np.nonzero((places >= start) & (places < start + block.shape[1]))
        local[rows, places[rows, slots] - start] = True
        inside += _ends(block[local])
        outside += _ends(block[~local & np.isin(np.arange(start, start + block.shape[1]), named)])
    p, q = inside[0], outside[0] if outside else 0
    if max(inside) - min(inside) > _ROUNDING or (outside and max(outside) - min(outside) > _ROUNDING):
        return None
    return Naming(as_number(p), as_number(q)), False


def _ends(numbers: Array) -> list[Any]:
    return [numbers.min(), numbers.max()] if numbers.size else []


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
        estimate = Estimated.of(named[column], int(counts[column]), draws.naming, N)
        error = sqrt(estimate_variance(p, q, N, n)) / N
        values.append(
            Popular(
                estimate.value,
                n,
                error,
                (estimate.users, estimate.low, estimate.high),
                estimate.standard_error,
            )
        )
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
