"""The values that a user's weight and fit can make, in order: what stands behind ranks."""

from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np

from quiff.core.numbers import Array, is_exact

__all__ = ["RankedValues"]


@dataclass(frozen=True, eq=False)
class RankedValues:
    """All values w p^k q^(E-k) for the weights w of some users and k = 0, ..., E, from the least up.

    Attributes
    ----------
    ranks
        The rank of each user's value when it fits in k factors, (E + 1, users).
    values
        The value of each rank, exact if the weights and p and q are.
    """

    ranks: Array
    values: Array

    @classmethod
    def of(cls, weights: Array, inside: Any, outside: Any, n_factors: int) -> "RankedValues":
        """Rank the values.

        Examples
        --------
        >>> found = RankedValues.of(np.array([1, 3]), Fraction(1, 2), Fraction(1, 4), 1)
        >>> found.ranks.tolist(), [str(value) for value in found.values]
        ([[0, 2], [1, 3]], ['1/4', '1/2', '3/4', '3/2'])
        """
        E = n_factors
        distinct, which = np.unique(weights, return_inverse=True)
        if not is_exact(weights) or isinstance(inside, float) or isinstance(outside, float):
            powers = np.array([float(inside) ** k * float(outside) ** (E - k) for k in range(E + 1)])
            values, ranks = _ranked(powers, distinct.astype(np.float64))
        else:  # whole numbers over a common denominator: fractions would take ten times as long
            (p, q), common = _whole([inside, outside])
            numerators, divisor = _whole(distinct.tolist())
            powers = np.array([p**k * q ** (E - k) for k in range(E + 1)], dtype=object)
            found, ranks = _ranked(powers, np.array(numerators, dtype=object))
            below = common**E * divisor
            values = np.array([Fraction(value, below) for value in found.tolist()], dtype=object)
        return cls(ranks[:, which.reshape(-1)], values)


def _ranked(powers: Array, weights: Array) -> tuple[Array, Array]:
    """Return the distinct products from the least up, and the rank of each."""
    table = np.multiply.outer(powers, weights)
    values, ranks = np.unique(table.reshape(-1), return_inverse=True)
    return values, ranks.reshape(table.shape).astype(np.int32)


def _whole(numbers: list[Any]) -> tuple[list[int], int]:
    """Return numerators over a common denominator, and the denominator."""
    fractions = [Fraction(number) for number in numbers]
    common = lcm(*(fraction.denominator for fraction in fractions))
    return [int(fraction * common) for fraction in fractions], common
