"""Rows of small integers: sorted within, and equal ones found by packing each row into one machine word."""

from typing import Any

import numpy as np

from quiff.core.numbers import Array

_WORD = 2**63


def smallest_index_type(size: int) -> np.dtype[Any]:
    """Return the smallest unsigned type that can number `size` things.

    >>> smallest_index_type(256), smallest_index_type(349)
    (dtype('uint8'), dtype('uint16'))
    """
    return np.min_scalar_type(max(size - 1, 0))


def distinct_codes(codes: Array, radix: int) -> tuple[Array, Array]:
    """Return the index of one row of each kind, and for every row the number of its kind.

    Rows of codes in 0 .. radix-1 are read as numbers in base `radix`, as many digits at a time as fit 63
    bits; what does not fit is first replaced by the rank of what was read so far.

    >>> first, kind = distinct_codes(np.array([[3, 1], [0, 2], [3, 1]]), 4)
    >>> first.tolist(), kind.tolist()
    ([1, 0], [1, 0, 1])
    """
    rows, width = codes.shape
    kind = np.zeros(rows, dtype=np.int64)
    bound = 1  # every entry of kind is below it
    for column in range(width):
        if bound * radix >= _WORD:
            first, kind = _ranked(kind)
            bound = first.shape[0]
        kind = kind * radix + codes[:, column]
        bound *= radix
    return _ranked(kind)


def _ranked(values: Array) -> tuple[Array, Array]:
    """Return the index of one of each value, in order of the values, and the rank of every value."""
    order = np.argsort(values)
    ordered = values[order]
    new = np.r_[True, ordered[1:] != ordered[:-1]][: values.shape[0]]
    rank = np.empty(values.shape[0], dtype=np.int64)
    rank[order] = np.cumsum(new) - 1
    return order[new], rank
