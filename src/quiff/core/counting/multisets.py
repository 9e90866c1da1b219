"""The same sets in every factor, few topics: the best row of every tuple, whatever the number of factors."""

from collections.abc import Iterator
from itertools import combinations_with_replacement, islice
from math import comb, factorial
from typing import Any

import numpy as np

from quiff.core.numbers import Array

MOST_MULTISETS = 20
"""Up to this many factors, whose orders are counted in a machine word."""

_BLOCK = 2**24  # numbers looked at at a time


def best_over_multisets(codes: Array, width: int, weights: Array, p: Any, q: Any, factors: int) -> Any:
    """Return sum_y max_x weights[x] C[x,y] over all tuples y, for equal factors C with p inside, q outside.

    How well a row fits a tuple depends on how often each topic is in it, and not on their order. So it is a
    sum over the multisets of n topics that occur, each with its n!/prod a_t! orders, and, for the places of
    the other factors, over the topics that are in no set.

    >>> codes, weights = np.array([[0, 1], [1, 2]]), np.array([1, 1])
    >>> best_over_multisets(codes, 4, weights, 1, 0, 2)  # the tuples that lie in a set
    7
    """
    seen = np.flatnonzero(np.bincount(codes.reshape(-1), minlength=width))
    sets = np.searchsorted(seen, codes)
    has = np.zeros((sets.shape[0], seen.shape[0]), dtype=np.int8)
    np.put_along_axis(has, sets, 1, axis=1)
    spare, total = width - seen.shape[0], 0
    for n in range(factors + 1):
        worth = [p**k * q ** (n - k) for k in range(n + 1)]
        best: Any = 0
        for topics in _blocks(seen.shape[0], n, 1 + _BLOCK // (1 + n * sum(has.shape))):
            times = (topics[:, :, np.newaxis] == np.arange(seen.shape[0])).sum(axis=1)
            fits = has[:, topics].sum(axis=2, dtype=np.int64)
            orders = factorial(n) // np.array([factorial(k) for k in range(n + 1)])[times].prod(axis=1)
            if (weights == weights[0]).all():
                most, count = fits.max(axis=0), np.zeros(n + 1, dtype=object)
                np.add.at(count, most, orders.astype(object))
                best += weights[:1].tolist()[0] * sum(int(count[k]) * worth[k] for k in range(n + 1))
            else:
                values = weights[:, np.newaxis] * np.array(worth)[fits]
                best += (values.max(axis=0) * orders).sum()
        total += comb(factors, n) * spare ** (factors - n) * q ** (factors - n) * best
    return total


def _blocks(m: int, n: int, size: int) -> Iterator[Array]:
    """Yield the multisets of n of m topics in blocks, (multisets, n), each ascending."""
    every = combinations_with_replacement(range(m), n)
    while some := list(islice(every, size)):
        yield np.array(some, dtype=np.intp).reshape(len(some), n)
