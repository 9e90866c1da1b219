"""The leakage over a few epochs, exactly, by counting; and the worst case over any number."""

import math
from fractions import Fraction

import numpy as np

from quiff.core.counting.work import MOST_CHANGING, Progress
from quiff.core.limits import check_work
from quiff.core.numbers import Array, Number, as_number
from quiff.epochs.sequences import Sequences


def leakage_of_counts(counts: list[int], sequences: Sequences) -> Number:
    """Return L = sum_k N_k p^k q^(E-k), the leakage of E epochs when all users are equally likely.

    N_k is the number of tuples of topics that the best user fits in exactly k epochs.
    """
    E = len(counts) - 1
    p, q = sequences.inside, sequences.outside
    found = as_number(sum(n * p**k * q ** (E - k) for k, n in enumerate(counts)))
    return max(found, 1.0) if isinstance(found, float) else found  # what is below 1 is rounding


def exact_vulnerability(sequences: Sequences, epochs: int, progress: Progress | None = None) -> Number:
    """Return V, the probability to re-identify the user after E <= 4 epochs, exactly."""
    from quiff.core.counting.bitmaps import best_sum, match_counts

    profiles, weights = sequences.profiles(epochs), sequences.weights
    sizes = [sequences.width] * epochs
    if profiles.best is None or weights is None:  # all users are equally likely
        counts = match_counts(profiles.codes, sizes, progress)
        return leakage_of_counts(counts, sequences) * sequences.prior
    best = best_sum(profiles.codes, sizes, profiles.best, sequences.inside, sequences.outside, progress)
    total = as_number(weights.sum())
    if sequences.exact:
        return as_number(best) / total
    return min(max(float(best) / float(total), float(sequences.prior)), 1.0)  # what is beyond is rounding


def stable_leakages(sequences: Sequences, most: int, progress: Progress | None = None) -> list[Number]:
    """Return L for 1, ..., `most` epochs (at most 5) with stable sets and users who are equally likely."""
    from quiff.core.counting.bitmaps import match_counts
    from quiff.core.counting.subsets import stable_match_counts

    codes, m = sequences.profiles(1).codes[0], sequences.width
    if most < MOST_CHANGING:
        counts = [match_counts([codes] * E, [m] * E) for E in range(1, most + 1)]
    else:
        counts = stable_match_counts(codes, m, most, progress)[1:]
    return [leakage_of_counts(found, sequences) for found in counts]


def differing_epochs(sequences: Sequences, epochs: int) -> int:
    """Return H, the largest number of epochs in which the sets of two users differ.

    Nearly always a pair is found at once that differs in every epoch in which anybody differs; if not, the
    search goes on with all pairs.
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
