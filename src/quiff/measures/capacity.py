"""The most that a channel can leak, whatever the adversary knows and wants."""

import math
from collections.abc import Iterator

import numpy as np

from quiff.core.channel import Channel
from quiff.core.kernels import Kernel
from quiff.core.limits import check_work
from quiff.core.numbers import Array, Number, as_number, filled, logarithms, product, quotient
from quiff.errors import ParameterError, typed

_SURE = -660.0  # ln 1e-287: products above it are as exact as any
_LARGEST_LOG = 709.0


@typed
def bayes_capacity(C: Channel) -> Number:
    """Return sum_y max_x C[x,y], the average-case capacity (paper, eq. bayes-capacity).

    It is the Bayes leakage under the uniform prior, and no prior and no gain leaks more.

    Examples
    --------
    >>> from quiff import Channel, bayes_capacity
    >>> bayes_capacity(Channel([[0.75, 0.25], [0.25, 0.75]]))
    1.5
    """
    found = as_number(C.kernel.column_max_sum(filled(np.int64(1), C.inputs.size)))
    return max(found, 1.0) if isinstance(found, float) else found  # what is below 1 is rounding


@typed
def repeated_capacity_bound(C: Channel, n: int) -> float:
    """Return a bound on the Bayes capacity of n runs of any channel with as many outputs as C.

    It grows with a power of n, not exponentially: cap_1 = 1, cap_2 <= sqrt(pi n / 2) + 2/3 +
    sqrt(pi / 2n) / 12, and cap_b = cap_(b-1) + n / (b - 2) cap_(b-2) for b outputs.
    ``bayes_capacity(repeat(C, n))`` is the capacity itself, while it can be computed.

    Examples
    --------
    >>> from quiff import Channel, bayes_capacity, repeat, repeated_capacity_bound
    >>> C = Channel([[0.75, 0.25], [0.25, 0.75]])
    >>> bayes_capacity(repeat(C, 9)) <= repeated_capacity_bound(C, 9) <= 4.5
    True
    """
    if not isinstance(n, int | np.integer) or n < 1:
        raise ParameterError(what="the number of repetitions", value=n, allowed="1, 2, 3, ...")
    if C.outputs.size == 1:
        return 1.0
    before, bound = 1.0, math.sqrt(math.pi * n / 2) + 2 / 3 + math.sqrt(math.pi / (2 * n)) / 12
    for outputs in range(3, C.outputs.size + 1):
        before, bound = bound, bound + before * n / (outputs - 2)
    return bound


@typed
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
    known = kernel.log_ratio()
    known = log_ratio_of_tiny(kernel) if known is None else known
    if known is not None:
        return math.exp(times * known) if times * known < _LARGEST_LOG else math.inf
    ratios = [as_number(1 if C.exact else 1.0)]
    for most, least in column_extremes(kernel):
        if (least == 0).any():
            return math.inf
        ratios.append(as_number(quotient(most, least).max()))
    try:
        return max(ratios) ** times
    except OverflowError:
        return math.inf


def log_ratio_of_tiny(kernel: Kernel) -> float | None:
    """Return max ln C[x,y] / C[x',y] where columns are too many, or no float holds their numbers, else None.

    Two inputs and the outputs of each factor that tell them apart best are the worst together: the largest
    log ratio of a product is that of the pair of inputs with the largest sum over the factors.
    """
    leaves = kernel.leaves()
    if kernel.exact or len(leaves) == 1:
        return None
    few = kernel.n_columns <= kernel.n_rows * sum(leaf.n_columns for leaf in leaves)
    if few and sum(times * leaf.least_log() for leaf, times in leaves.items()) > _SURE:
        return None
    kernel, _ = kernel.merged()
    leaves = kernel.leaves()
    check_work(kernel.n_rows**2 * sum(leaf.n_columns for leaf in leaves))
    parts = [(*_distinct(log_entries(leaf.to_dense())), times) for leaf, times in leaves.items()]
    apart = (
        np.sum([times * farthest(logs, which[row])[which] for logs, which, times in parts], axis=0)
        for row in range(kernel.n_rows)
    )
    return max(float(ratios.max()) for ratios in apart)


def _distinct(logs: Array) -> tuple[Array, Array]:
    """Return the different rows, without their repeated columns, and which of them each row is."""
    rows, which = _first_of_each(logs)
    columns, _ = _first_of_each(np.ascontiguousarray(logs[rows].T))
    return logs[np.ix_(rows, columns)], which


def _first_of_each(rows: Array) -> tuple[Array, Array]:
    """Return the first of all equal rows, and which of these each row is; sorting would take longer."""
    places: dict[bytes, int] = {}
    which = np.array([places.setdefault(row.tobytes(), len(places)) for row in rows])
    return np.unique(which, return_index=True)[1], which


def log_entries(matrix: Array) -> Array:
    """Return the natural logarithm of each entry, minus infinity for 0."""
    logs = np.full(matrix.shape, -math.inf)
    logs[matrix > 0] = logarithms(matrix[matrix > 0])
    return logs


def farthest(logs: Array, row: int) -> Array:
    """Return max_y ln C[x,y] / C[x',y] of one row x, for every row x', over the outputs that x can have."""
    possible = logs[row] > -math.inf
    return np.asarray(np.max(logs[row, possible] - logs[:, possible], axis=1))


def column_extremes(kernel: Kernel) -> Iterator[tuple[Array, Array]]:
    """Yield the largest and the least entry of every column that is not all zero, part by part.

    Columns that are alike but for the order of outputs are one, which is their sum.
    """
    kernel, _ = kernel.merged()
    ones = filled(np.int64(1), kernel.n_rows)
    for head, leaf in kernel.slices(added=True):
        weights = ones if head is None else product(ones, head)
        most = leaf.column_max(weights)
        used = most > 0
        if used.any():
            yield most[used], leaf.column_min(weights)[used]
