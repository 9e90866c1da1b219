"""The leakage over a few epochs, exactly, by counting."""

from quiff.core.counting.work import MOST_CHANGING, Progress
from quiff.core.numbers import Number, as_number
from quiff.epochs.sequences import Sequences


def leakage_of_counts(counts: list[int], sequences: Sequences) -> Number:
    """Return L = sum_k N_k p^k q^(E-k), the leakage of E epochs when all users are equally likely.

    N_k is the number of tuples of topics that the best user fits in exactly k epochs.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from quiff import Population, TopicsAPI
    >>> people = Population.from_sets({"Alice": {0, 1}, "Bob": {2, 3}})
    >>> leakage_of_counts([1, 4], Sequences.of(people, TopicsAPI(5, 2, Fraction(1, 20))))
    Fraction(39, 20)
    """
    E = len(counts) - 1
    p, q = sequences.inside, sequences.outside
    found = as_number(sum(n * p**k * q ** (E - k) for k, n in enumerate(counts)))
    return max(found, 1.0) if isinstance(found, float) else found  # what is below 1 is rounding


def exact_vulnerability(sequences: Sequences, epochs: int, progress: Progress | None = None) -> Number:
    """Return V, the chance to name the user after E epochs, exactly.

    Parameters
    ----------
    sequences
        Users and sets.
    epochs
        E, at most 4; larger ones with stable sets are for `stable_leakages`.
    progress
        Called with the share that is done.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from quiff import Population, TopicsAPI
    >>> people = Population.from_sets({"Alice": {0, 1}, "Bob": {2, 3}})
    >>> exact_vulnerability(Sequences.of(people, TopicsAPI(5, 2, Fraction(1, 20))), 1)
    Fraction(39, 40)
    """
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
    """Return L for 1, ..., `most` epochs (at most 5) with stable sets and users who are equally likely.

    Examples
    --------
    >>> from quiff import Population, TopicsAPI
    >>> people = Population.from_sets({"Alice": {0, 1}, "Bob": {2, 3}})
    >>> found = stable_leakages(Sequences.of(people, TopicsAPI(5, 2, 0.05)), 5)
    >>> [round(leak, 4) for leak in found]
    [1.95, 1.9595, 1.9965, 1.9976, 1.9997]
    """
    from quiff.core.counting.bitmaps import match_counts
    from quiff.core.counting.subsets import stable_match_counts

    codes, m = sequences.profiles(1).codes[0], sequences.width
    if most < MOST_CHANGING:
        counts = [match_counts([codes] * E, [m] * E) for E in range(1, most + 1)]
    else:
        counts = stable_match_counts(codes, m, most, progress)[1:]
    return [leakage_of_counts(found, sequences) for found in counts]
