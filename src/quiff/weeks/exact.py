"""The leakage over a few epochs, exactly, by counting; and the worst case over any number."""

import math
from fractions import Fraction

import numpy as np

from quiff.core.counting.membership import MembershipProduct
from quiff.core.counting.multisets import MOST_MULTISETS, best_over_multisets
from quiff.core.counting.work import MOST_COUNTED, counting_work, multiset_work
from quiff.core.limits import check_work
from quiff.core.numbers import Number, as_number, filled
from quiff.weeks.sequences import Sequences

_SLOW, _FRACTIONS = 4, 200  # so many times longer is a look at a number of a multiset, and at a fraction


def exact_work(sequences: Sequences, epochs: int) -> tuple[int, bool]:
    """Return about how many numbers are looked at to count, and whether multiset by multiset.

    That is possible where sets are stable, and less work where there are many epochs and few topics.
    """
    sizes, weighted = sequences.sizes(epochs), sequences.weights is not None
    tables = counting_work(sizes, weighted=weighted)
    if not sequences.stable or not MOST_COUNTED < epochs <= MOST_MULTISETS:
        return tables, False
    slow = _FRACTIONS if weighted and sequences.exact else _SLOW
    multisets = slow * multiset_work(sequences.distinct(1), sizes.occurring, epochs)
    return (multisets, True) if multisets < tables else (tables, False)


def exact_vulnerability(sequences: Sequences, epochs: int) -> Number:
    """Return V, the probability to re-identify the user after E epochs, by counting."""
    profiles, sizes = sequences.profiles(epochs), (sequences.width,) * epochs
    p, q = sequences.inside, sequences.outside
    weights = filled(np.int64(1), profiles.size) if profiles.best is None else profiles.best
    total = sequences.n_users if sequences.weights is None else as_number(sequences.weights.sum())
    if exact_work(sequences, epochs)[1]:
        most = best_over_multisets(profiles.codes[0], sequences.width, weights, p, q, epochs)
    else:
        most = MembershipProduct(profiles.codes, sizes, p, q).column_max_sum(weights)
    best = as_number(most) / total
    if sequences.exact:
        return best
    return min(max(float(best), float(sequences.prior)), 1.0)  # what is beyond is rounding


def differing_epochs(sequences: Sequences, epochs: int) -> int:
    """Return H, the largest number of epochs in which the sets of two users differ.

    Nearly always a pair is found at once that differs in every epoch in which anybody differs; if not, the
    search goes on with all pairs.
    """
    if sequences.stable:
        return epochs if sequences.distinct(1) > 1 else 0
    ids = sequences.set_numbers(epochs)
    most = int(np.count_nonzero(ids.max(axis=1)))
    found = 0
    for tried, row in enumerate(ids.T):
        found = max(found, int(np.count_nonzero(ids != row[:, np.newaxis], axis=0).max()))
        if found == most:
            return most
        if tried == 1000:
            check_work(ids.size * ids.shape[1])
    return found


def worst_case(sequences: Sequences, epochs: int) -> tuple[float, Number]:
    """Return epsilon and the max-case capacity of E epochs: H ln(p/q), and (p/q)^H.

    In an epoch in which two sets differ, each has a topic that the other has not; in the others the two
    users show the same. Without noise both are infinite as soon as two sets differ.
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
