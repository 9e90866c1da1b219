"""The worst case over several epochs: epsilon and the max-case capacity."""

import math
from fractions import Fraction

import numpy as np

from quiff.core.limits import check_work
from quiff.core.numbers import Array, Number
from quiff.epochs.sequences import Sequences


def differing_epochs(sequences: Sequences, epochs: int) -> int:
    """Return H, the largest number of epochs in which the sets of two users differ.

    Nearly always a pair is found at once that differs in every epoch in which anybody differs; if not, the
    search goes on with all pairs.

    Examples
    --------
    >>> from quiff import Population, TopicsAPI
    >>> sets = [[[0, 1], [1, 2]], [[0, 1], [0, 1]]]  # in the second epoch both have the same set
    >>> people = Population.from_array(["Alice", "Bob"], sets, topics=range(3))
    >>> differing_epochs(Sequences.of(people, TopicsAPI(3, 2)), 2)
    1

    Raises
    ------
    SizeError
        If there are too many pairs to look at.
    """
    if sequences.stable:
        return epochs if sequences.profiles(1).size > 1 else 0
    ids = sequences.set_numbers(epochs)
    most = int(np.count_nonzero(ids.max(axis=1)))
    found = 0
    for tried, row in enumerate(ids.T):
        found = max(found, _most_differences(row, ids))
        if found == most:
            return most
        if tried == 1000:
            check_work(ids.size * ids.shape[1])
    return found


def _most_differences(row: Array, ids: Array) -> int:
    return int(np.count_nonzero(ids != row[:, np.newaxis], axis=0).max())


def worst_case(sequences: Sequences, epochs: int) -> tuple[float, Number]:
    """Return epsilon and the max-case capacity of E epochs: H ln(p/q), and (p/q)^H.

    In an epoch in which two sets differ, each has a topic that the other has not; in the others the two
    users report alike. Without noise both are infinite as soon as two sets differ.

    Examples
    --------
    >>> from quiff import Population, TopicsAPI
    >>> people = Population.from_sets({"Alice": {0, 1}, "Bob": {2, 3}})
    >>> worst_case(Sequences.of(people, TopicsAPI(5, 2, Fraction(1, 20))), 2)[1]
    Fraction(9409, 4)
    """
    H = differing_epochs(sequences, epochs)
    p, q = sequences.inside, sequences.outside
    if H == 0 or p == q:
        return 0.0, Fraction(1) if sequences.exact else 1.0
    if q == 0:
        return math.inf, math.inf
    ratio = p / q
    try:
        return H * math.log(ratio), ratio**H
    except OverflowError:
        return H * math.log(ratio), math.inf
