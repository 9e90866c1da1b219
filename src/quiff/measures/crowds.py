"""How many people are alone with a value, and in small crowds: of these people, and of crowds of other sizes.

Of a crowd as large as the table or smaller, what is expected is estimated without bias by all its subsets.
Of a larger one nobody can be sure: who is alone in the table may have a double outside of it. Intervals hold
with a probability of at least 95 % if the people of the table were drawn at random (McDiarmid's inequality).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import log, sqrt
from typing import Self, final

import numpy as np

from quiff.core.numbers import Array
from quiff.errors import ShapeError

LEVEL = 0.95


@final
@dataclass(frozen=True)
class Estimate:
    """A number, and an interval in which what is expected lies."""

    value: float
    low: float
    high: float

    @classmethod
    def within(cls, value: float, off: float, least: float, most: float) -> Self:
        """Return an estimate that is off by at most so much, between two ends that are certain."""
        return cls(value, max(least, value - off), min(most, value + off))


@final
class Crowd:
    """People by the value that a surface shows of each.

    Examples
    --------
    >>> crowd = Crowd([50, 30, 10, 5, 3, 1, 1])
    >>> crowd.people, crowd.values, crowd.alone, crowd.below(4), round(crowd.entropy, 9)
    (100, 7, 0.02, 0.05, 1.854022827)
    >>> sample = Crowd([5, 2, 1, 1, 1])
    >>> [round(sample.alone_among(m).value, 9) for m in (10, 5, 2)]
    [0.3, 0.430952381, 0.755555556]
    """

    def __init__(self, counts: Iterable[int]) -> None:
        sizes = np.asarray(counts if isinstance(counts, np.ndarray) else list(counts))
        if sizes.ndim != 1 or not sizes.size or sizes.dtype.kind not in "iu" or sizes.min() < 1:
            raise ShapeError(what="the counts", value=sizes.shape, allowed="whole numbers of at least 1")
        self._sizes, self._times = np.unique(sizes.astype(np.int64), return_counts=True)

    @classmethod
    def of_sizes(cls, times: Mapping[int, int]) -> Self:
        """Return people of whom so many values are held by so many each.

        >>> half = Crowd.of_sizes({500_000_000: 1, 1: 500_000_000})
        >>> half.values, half.alone, round(half.entropy, 8)
        (500000001, 0.5, 15.44867643)
        """
        crowd = cls(np.fromiter(times, dtype=np.int64))
        crowd._times = np.array([times[size] for size in crowd._sizes.tolist()])
        return crowd

    @cached_property
    def people(self) -> int:
        """How many people there are."""
        return int(self._sizes @ self._times)

    @property
    def values(self) -> int:
        """How many values occur: what an observation multiplies a guess by, with a uniform prior."""
        return int(self._times.sum())

    @property
    def alone(self) -> float:
        """The share of people whom nobody else has the value of."""
        return self.below(2)

    def below(self, k: int) -> float:
        """Return the share of people in crowds of fewer than k, themselves included."""
        small = self._sizes < k
        return float((self._sizes * self._times)[small].sum() / self.people)

    @property
    def entropy(self) -> float:
        """The entropy of the value of a person, in bits."""
        shares = self._sizes / self.people
        return float(-(self._times * shares * np.log2(shares)).sum())

    @property
    def corrected_entropy(self) -> float:
        """The entropy with what a sample hides on average added, (D - 1)/(2 n ln 2) (Miller 1955)."""
        return self.entropy + (self.values - 1) / (2 * self.people * log(2))

    def share(self, quantile: float) -> float:
        """Return the share of people who have the value of a person; of all people, a quantile of it."""
        held = np.cumsum(self._sizes * self._times) / self.people
        return float(self._sizes[np.searchsorted(held, quantile)] / self.people)

    # Crowds of other sizes

    def alone_among(self, m: int) -> Estimate:
        """Return the share of m people, drawn at random, who are alone.

        Up to n = `people` it is the mean over all subsets, sum of (c/n) C(n-c, m-1)/C(n-1, m-1); for m = n
        this is Good and Turing's f1/n. Beyond n that number is an upper bound in mean, and 0 the lower.
        """
        return self.below_among(m, 2)

    def below_among(self, m: int, k: int) -> Estimate:
        """Return the share of m people, drawn at random, who are in crowds of fewer than k."""
        n, off = self.people, (2 * k - 1) / 2 * self._deviation if k > 2 else self._deviation
        if m > n:
            return Estimate(0.0, 0.0, min(1.0, self.below(k) + off))
        if n == 1:
            return Estimate(1.0, 0.0, 1.0)
        from scipy.stats import hypergeom

        fits = hypergeom.cdf(k - 2, n - 1, self._sizes - 1, m - 1)
        return Estimate.within(float((self._sizes * self._times * fits).sum() / n), off, 0.0, 1.0)

    def values_among(self, m: int) -> Estimate:
        """Return how many values m people, drawn at random, have.

        Up to n it is sum of 1 - C(n-c, m)/C(n, m). Up to 2n it is what Good and Toulmin extrapolate; the
        interval is what is certain in mean: no fewer than there are, and no more that are new than f1/n.
        """
        n, off = self.people, self._deviation / 2
        if m <= n:
            from scipy.stats import hypergeom

            absent = hypergeom.pmf(0, n, self._sizes, m)
            return Estimate.within(float((self._times * (1 - absent)).sum()), m * off, 1.0, m)
        wider = sqrt(log(4 / (1 - LEVEL)) / log(2 / (1 - LEVEL)))  # for two estimates go into the upper end
        off *= wider
        most = self.values + n * off + (m - n) * min(1.0, self.alone + wider * self._deviation)
        value = self.values + self.new_values(m / n - 1) if m <= 2 * n else self.values
        least = max(1.0, self.values - n * off)
        return Estimate(min(max(value, least), most), least, min(float(m), most))

    def new_values(self, t: float) -> float:
        """Return how many new values t n more people bring, for t of at most 1: sum of (-1)^(j+1) t^j f_j.

        Good and Toulmin 1956; it is unstable near t = 1.

        >>> Crowd([5, 2, 1, 1, 1]).new_values(0.5)
        1.28125
        """
        return float(-(self._times * (-float(t)) ** self._sizes).sum())

    @property
    def least_values(self) -> float:
        """How many values there are at least, in mean, in any crowd: D + f1^2/(2 f2) (Chao 1984)."""
        once, twice = (int(self._times[self._sizes == j].sum()) for j in (1, 2))
        return self.values + (once**2 / (2 * twice) if twice else once * (once - 1) / 2)

    @property
    def _deviation(self) -> float:
        """By how much a mean of people alone is off at most: 2 exp(-n tau^2/2) = 1 - level."""
        return sqrt(2 * log(2 / (1 - LEVEL)) / self.people)


def alone_by_law(shares: Array, m: int) -> float:
    """Return the share of m people, drawn by a known law, who are alone: sum of p (1-p)^(m-1).

    >>> round(alone_by_law(np.array([0.5, 0.25, 0.125, 0.125]), 5), 10)
    0.2568969727
    """
    return float((shares * (1 - shares) ** (m - 1)).sum())


def values_by_law(shares: Array, m: int) -> float:
    """Return how many values m people, drawn by a known law, have: sum of 1 - (1-p)^m.

    >>> round(values_by_law(np.array([0.5, 0.25, 0.125, 0.125]), 5), 9)
    2.705627441
    """
    return float(-np.expm1(m * np.log1p(-shares[shares < 1])).sum() + (shares == 1).sum())


def below_by_law(shares: Array, m: int, k: int) -> float:
    """Return the share of m people, drawn by a known law, in crowds of fewer than k: sum of p P[Bin <= k-2].

    >>> round(below_by_law(np.array([0.5, 0.25, 0.125, 0.125]), 5, 3), 9)
    0.571105957
    """
    from scipy.stats import binom

    return float((shares * binom.cdf(k - 2, m - 1, shares)).sum())
