"""The leakage over a few epochs, exactly, by counting; and the worst case over any number."""

import math
from fractions import Fraction

import numpy as np

from quiff.core.counting.membership import MembershipProduct
from quiff.core.counting.multisets import best_over_multisets
from quiff.core.counting.work import MOST_CHANGING, MOST_STABLE, Progress
from quiff.core.limits import check_work
from quiff.core.numbers import Number, as_number, filled
from quiff.epochs.sequences import Sequences


def exact_vulnerability(sequences: Sequences, epochs: int, progress: Progress | None = None) -> Number:
    """Return V, the probability to re-identify the user after E epochs, by counting.

    E is at most 4, or 5 where sets are stable and users equally likely; with few topics and stable sets more.
    """
    profiles, sizes = sequences.profiles(epochs), (sequences.width,) * epochs
    stable, p, q = sequences.stable, sequences.inside, sequences.outside
    weights = filled(np.int64(1), profiles.size) if profiles.best is None else profiles.best
    total = sequences.n_users if sequences.weights is None else as_number(sequences.weights.sum())
    if stable and epochs > (MOST_STABLE if profiles.best is None else MOST_CHANGING):
        found = best_over_multisets(profiles.codes[0], sequences.width, weights, p, q, epochs)
    else:
        found = MembershipProduct(profiles.codes, sizes, p, q, stable).column_max_sum(weights, progress)
    best = as_number(found) / total
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
