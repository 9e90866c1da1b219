"""Equal rows of small integers, found by packing each row into one machine word."""

import numpy as np

from quiff.core.numbers import Array

__all__ = ["distinct_codes"]

_WORD = 2**63


def distinct_codes(codes: Array, radix: int) -> tuple[Array, Array]:
    """Return the index of one row of each kind, and for every row the number of its kind.

    Rows of codes in 0 .. radix-1 are read as numbers in base `radix`, as many digits at a time as fit 63
    bits; what does not fit is first replaced by the rank of what was read so far.

    Examples
    --------
    >>> first, kind = distinct_codes(np.array([[3, 1], [0, 2], [3, 1]]), 4)
    >>> first.tolist(), kind.tolist()
    ([1, 0], [1, 0, 1])
    """
    rows, width = codes.shape
    kind = np.zeros(rows, dtype=np.int64)
    bound = 1  # every entry of kind is below it
    for column in range(width):
        if bound * radix >= _WORD:
            values, kind = np.unique(kind, return_inverse=True)
            bound = values.shape[0]
        kind = kind * radix + codes[:, column]
        bound *= radix
    _, first, kind = np.unique(kind, return_index=True, return_inverse=True)
    return first, kind
