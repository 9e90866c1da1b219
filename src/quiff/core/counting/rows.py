"""The rows of a user's partial tuples in a table, compiled; see :mod:`quiff.core.counting.layout`."""

import numpy as np

from quiff.core.compiled import compiled
from quiff.core.numbers import Array

__all__ = ["room_for_rows", "user_rows"]


@compiled
def room_for_rows(lengths: Array) -> Array:
    """Return room for the rows that a user can have in a table."""
    n = 1
    for factor in range(1, lengths.shape[0] - 1):
        n *= lengths[factor]
    return np.zeros(n, dtype=np.int64)


@compiled
def user_rows(codes: Array, lengths: Array, radix: int, last: int, rest: int, x: int, rows: Array) -> int:
    """Give a number to each tuple in the product of a user's sets on the rest of a set of factors.

    The first factor is left out: the user has its output. The numbers go to `rows`; how many there are is
    returned.
    """
    rows[0] = 0
    n = 1
    for factor in range(1, last):
        if rest >> factor & 1:
            length = lengths[factor]
            for i in range(n - 1, -1, -1):  # from the end, so that nothing is overwritten that is needed
                before = rows[i] * radix
                for j in range(length):
                    rows[i * length + j] = before + codes[factor, x, j]
            n *= length
    return n
