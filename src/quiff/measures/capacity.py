"""The most that a channel can leak, whatever the adversary knows and wants."""

import math
from collections.abc import Iterator

import numpy as np

from quiff.core.channel import Channel
from quiff.core.kernels import Kernel
from quiff.core.numbers import Array, Number, as_number, filled, product, quotient

__all__ = ["bayes_capacity", "column_extremes", "max_case_capacity"]


def bayes_capacity(C: Channel) -> Number:
    """Return sum_y max_x C[x,y], the average-case capacity (paper, eq. bayes-capacity).

    It is the Bayes leakage under the uniform prior, and no prior and no gain leaks more.

    Examples
    --------
    >>> from quiff import Channel, bayes_capacity
    >>> bayes_capacity(Channel([[0.75, 0.25], [0.25, 0.75]]))
    1.5
    """
    return as_number(C.kernel.column_max_sum(filled(np.int64(1), C.inputs.size)))


def max_case_capacity(C: Channel) -> Number:
    """Return max C[x,y] / C[x',y], the max-case capacity e^epsilon (paper, eq. lift-capacity-epsilon).

    Infinite where a column has both a zero and a number that is not zero. Of ``repeat(C, n)`` it is the n-th
    power of that of C: the same two inputs and the same output are the worst every time.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from quiff import Channel, max_case_capacity
    >>> max_case_capacity(Channel([[Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 4), Fraction(3, 4)]]))
    Fraction(3, 1)
    >>> max_case_capacity(Channel.identity(["Alice", "Bob"]))
    inf
    """
    kernel, times = C.kernel.root()
    ratios = [as_number(1 if C.exact else 1.0)]
    for most, least in column_extremes(kernel):
        if (least == 0).any():
            return math.inf
        ratios.append(as_number(quotient(most, least).max()))
    try:
        return max(ratios) ** times
    except OverflowError:
        return math.inf


def column_extremes(kernel: Kernel) -> Iterator[tuple[Array, Array]]:
    """Yield the largest and the least entry of every column that is not all zero, part by part."""
    kernel, _ = kernel.merged()
    ones = filled(np.int64(1), kernel.n_rows)
    for head, leaf in kernel.slices():
        weights = ones if head is None else product(ones, head)
        most = leaf.column_max(weights)
        used = most > 0
        if used.any():
            yield most[used], leaf.column_min(weights)[used]
