"""How a number is distributed over users: mean, quantiles, histogram."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import numpy as np

from quiff.core.numbers import Array, Number, as_number, is_exact, product

ROUNDING = 1e-9
"""By how much of itself a float may be off a number that it stands for."""

QUANTILES = {"median": 0.5, "95": 0.95, "99": 0.99, "max": 1.0}
"""Those by which a distribution is described."""


@final
@dataclass(frozen=True, eq=False)
class Distribution:
    """A number for each user, or for each group of users who have the same, and what the group weighs.

    A quantile is the inverse of the distribution function: the least number that at least this share
    of the users do not exceed. So it is always some user's number, however users are grouped.

    Examples
    --------
    >>> risks = Distribution(np.array([0.5, 1.0, 0.25]), np.array([2, 1, 1]))
    >>> risks.mean, risks.quantile(0.5), risks.share_above(0.5)
    (0.5625, 0.5, 0.25)
    """

    values: Array
    weights: Array

    @property
    def mean(self) -> Number:
        """The mean over the users; to the last digit the same however users are ordered and grouped."""
        if is_exact(self.values):
            return as_number(product(self.values, self.weights).sum()) / as_number(self.weights.sum())
        values, weights = self._ordered
        firsts = np.flatnonzero(np.r_[True, values[1:] != values[:-1]])
        total = np.add.reduceat(weights, firsts)
        return float(values[firsts] @ total) / float(total.sum())

    @cached_property
    def _ordered(self) -> tuple[Array, Array]:
        """The values that some user has in ascending order, and what weighs each."""
        values, weights = self.values.astype(np.float64), self.weights.astype(np.float64)
        if weights[0] > 0 and (weights == weights[0]).all():  # faster: no order is needed
            return np.sort(values), weights
        some = np.flatnonzero(weights > 0)
        order = some[np.argsort(values[some], kind="stable")]
        return values[order], weights[order]

    @cached_property
    def _sorted(self) -> tuple[Array, Array]:
        """The values that some user has in ascending order, and the share of users up to each."""
        values, weights = self._ordered
        sums = np.cumsum(weights)
        return values, sums / sums[-1]

    def quantile(self, share: float) -> float:
        """Return the least value that at least this share of the users do not exceed."""
        values, up_to = self._sorted
        place = int(np.searchsorted(up_to, share * (1 - ROUNDING)))
        return float(values[min(place, values.shape[0] - 1)])

    def spread(self, threshold: Number) -> dict[str, Number]:
        """Return the mean, some quantiles, and the share of the users with more than a threshold."""
        quantiles = {name: self.quantile(share) for name, share in QUANTILES.items()}
        return {"mean": self.mean, **quantiles, "above": self.share_above(threshold)}

    def share_above(self, threshold: Number) -> float:
        """Return the share of the users with more than the threshold.

        Floats that are more than it by no more than rounding are not.
        """
        return float(self.weights[self.above(threshold)].sum() / self.weights.sum())

    def above(self, threshold: Number) -> Array:
        """Tell who has more than a threshold.

        Examples
        --------
        >>> Distribution(np.array([0.5, 0.5000000000000001, 0.51]), np.ones(3)).above(0.5).tolist()
        [False, False, True]
        """
        if is_exact(self.values) and not isinstance(threshold, float):
            return np.asarray(self.values > threshold)
        return np.asarray(self.values.astype(np.float64) > float(threshold) * (1 + ROUNDING))

    def histogram(self) -> list[tuple[float, float | None, float]]:
        """Return the shares of users by powers of ten: (from, below, share); the last one is those with 1.

        Floats that are less than a power of ten by no more than rounding count as it.

        Examples
        --------
        >>> Distribution(np.array([0.5, 1.0, 0.025]), np.array([1, 1, 2])).histogram()
        [(0.01, 0.1, 0.5), (0.1, 1.0, 0.25), (1.0, None, 0.25)]
        """
        values, up_to = self._sorted
        positive = values[values > 0]
        lowest = int(np.floor(np.log10(positive[0] * (1 + ROUNDING)))) if positive.size else 0
        edges = [float(f"1e{power}") for power in range(min(lowest, -1), 1)]
        edges = edges if positive.size == values.size else [0.0, *edges]
        starts = np.searchsorted(values, np.array(edges) * (1 - ROUNDING))
        sums = np.concatenate([[0.0], up_to])[[*starts.tolist(), values.shape[0]]]
        bins = zip(edges, [*edges[1:], None], np.diff(sums).tolist(), strict=True)
        return [(low, high, share) for low, high, share in bins]

    def at_least(self, most: int = 200) -> list[tuple[float, float]]:
        """Return points of the curve: a value, and the share of users with at least that much."""
        values, up_to = self._sorted
        first = np.flatnonzero(np.r_[True, values[1:] != values[:-1]])
        if first.shape[0] > most:
            first = first[np.linspace(0, first.shape[0] - 1, most).astype(np.intp)]
        shares = 1 - np.concatenate([[0.0], up_to])[first]
        return list(zip(values[first].tolist(), shares.tolist(), strict=True))

    def grouped(self, least: int, users: Array | None = None) -> "Distribution":
        """Return groups of at least so many users with neighbouring values, the largest first: each its mean.

        `users` says how many a value is of, by default what it weighs. Of the largest value, nobody can then
        tell one user's from that of the others in its group.

        Examples
        --------
        >>> risks = Distribution(np.array([1.0, 0.5, 0.25, 0.125]), np.array([1, 1, 1, 4])).grouped(2)
        >>> risks.values.tolist(), risks.weights.tolist()
        ([0.75, 0.15], [2.0, 5.0])
        """
        if least <= 1:
            return self
        values, weights = self.values.astype(np.float64), self.weights.astype(np.float64)
        distinct, place = np.unique(-values, return_inverse=True)
        many = np.bincount(place, self.weights.astype(np.float64) if users is None else users)
        starts, held = [0], 0.0
        for at, number in enumerate(many.tolist()):
            if held >= least * (1 - ROUNDING):
                starts.append(at)
                held = 0.0
            held += number
        if held < least * (1 - ROUNDING) and len(starts) > 1:
            starts.pop()
        mass = np.bincount(place, weights)
        sums = np.add.reduceat(np.stack([-distinct * mass, mass]), starts, axis=1)
        some = sums[1] > 0
        return Distribution(sums[0][some] / sums[1][some], sums[1][some])


def merged(groups: Sequence[tuple[Any, Any, Any]], least: float) -> list[tuple[Any, Any, Any]]:
    """Return groups (from, to, size) that are no smaller than some size: a smaller one goes with the next.

    >>> merged([(0, 1, 0.25), (1, 2, 0.01), (2, 3, 0.74), (3, None, 0)], 0.05)
    [(0, 1, 0.25), (1, 3, 0.75)]
    """
    large: list[tuple[Any, Any, Any]] = []
    for low, high, size in groups:
        if size > 0 and large and large[-1][2] < least * (1 - ROUNDING):
            large[-1] = (large[-1][0], high, large[-1][2] + size)
        elif size > 0:
            large.append((low, high, size))
    if len(large) > 1 and large[-1][2] < least * (1 - ROUNDING):
        (low, _, size), (_, high, more) = large[-2:]
        large[-2:] = [(low, high, size + more)]
    return large
