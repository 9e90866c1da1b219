"""What a site sees in one call of the API, and what two sites make of one epoch."""

from fractions import Fraction
from itertools import combinations

import numpy as np

from quiff.core.numbers import Array, Number, as_number
from quiff.epochs.exact import exact_vulnerability
from quiff.epochs.sequences import Sequences
from quiff.errors import ParameterError

__all__ = ["EPOCHS_OF_A_CALL", "call_leakage", "linked_sites"]

EPOCHS_OF_A_CALL = 3
_CLOSE = 1e-9  # floats that are nearer to each other than this may be in the wrong order


def call_leakage(sequences: Sequences, in_order: Number | None = None) -> Number:
    """Return the leakage of one call: the topics of three epochs, sorted and each of them once.

    What is lost against the three reports in order is which of two topics came twice. It matters only for
    two topics that occur but that no set has together: the reports (a, a, b) and (a, b, b) have different
    best users, and one answer stands for both, L = L_3 - n (3 p^2 q - 3 p q^2) with n such pairs.

    Parameters
    ----------
    sequences
        Stable sets, of users who are equally likely.
    in_order
        L_3, the leakage of the three reports in order, if it is known.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from quiff import Population, TopicsAPI
    >>> people = Population.from_sets({"Alice": {0, 1}, "Bob": {2, 3}})
    >>> float(call_leakage(Sequences.of(people, TopicsAPI(5, 2, Fraction(1, 20)))))
    1.96881

    Raises
    ------
    ParameterError
        If sets change between epochs, or users are not equally likely.
    """
    _check_plain(sequences)
    p, q = sequences.inside, sequences.outside
    together = _together(sequences)
    occurring = int(np.count_nonzero(together.diagonal()))
    pairs = occurring * (occurring - 1) // 2 - int(np.count_nonzero(np.triu(together, 1)))
    if in_order is None:
        in_order = exact_vulnerability(sequences, EPOCHS_OF_A_CALL) / sequences.prior
    return as_number(in_order - pairs * (3 * p**2 * q - 3 * p * q**2))


def linked_sites(sequences: Sequences) -> Number:
    """Return by how much two sites' reports of one epoch raise the chance to link a user.

    The adversary has the report of every user at the first site, and one report at the second; the sites'
    draws are independent. With J(a,b) = q^2 + q d (f_a + f_b) + d^2 f_ab, d = p - q and f the share of users
    who have a topic or both, N V = sum_b max_a J(a,b)/P(a), over the topics a that can be reported. This is
    exact if each of them is reported at the first site, which many users make sure of, and an upper bound
    otherwise.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from quiff import Population, TopicsAPI
    >>> people = Population.from_sets({"Alice": {0, 1}, "Bob": {2, 3}})
    >>> linked_sites(Sequences.of(people, TopicsAPI(5, 2, Fraction(1, 20))))
    Fraction(757, 396)

    Raises
    ------
    ParameterError
        If sets change between epochs, or users are not equally likely.
    """
    _check_plain(sequences)
    q, d, N = sequences.outside, sequences.inside - sequences.outside, sequences.n_users
    together = _together(sequences)
    first = np.flatnonzero(together.diagonal()) if q == 0 else np.arange(sequences.n_topics)
    shares, small, step = together / N, float(q), float(d)
    alone = shares.diagonal()
    joint = small**2 + small * step * np.add.outer(alone[first], alone) + step**2 * shares[first]
    followed = joint / (small + step * alone[first])[:, np.newaxis]
    best = followed.max(axis=0)
    if not sequences.exact:
        return float(best.sum())

    def exactly(a: int, b: int) -> Fraction:
        of_a, of_b, of_both = (Fraction(int(together[pair]), N) for pair in ((a, a), (b, b), (a, b)))
        return Fraction((q * q + q * d * (of_a + of_b) + d * d * of_both) / (q + d * of_a))

    close = followed >= best * (1 - _CLOSE)  # fractions are needed only for those that may be the best
    return sum(
        (max(exactly(a, b) for a in first[close[:, b]].tolist()) for b in range(sequences.n_topics)),
        start=Fraction(0),
    )


def _together(sequences: Sequences) -> Array:
    """Return how many users have each two topics together; on the diagonal, how many have a topic."""
    codes, m = sequences.sets[0].astype(np.int64), sequences.n_topics
    table = np.zeros(m * m, dtype=np.int64)
    for i in range(codes.shape[1]):
        places = codes[:, i] * m + codes[:, i]
        table += np.bincount(places, weights=sequences.counts, minlength=m * m).astype(np.int64)
    for i, j in combinations(range(codes.shape[1]), 2):
        for one, other in ((i, j), (j, i)):
            places = codes[:, one] * m + codes[:, other]
            table += np.bincount(places, weights=sequences.counts, minlength=m * m).astype(np.int64)
    return table.reshape(m, m)


def _check_plain(sequences: Sequences) -> None:
    if not sequences.stable or sequences.weights is not None:
        raise ParameterError(
            "this is known for stable sets and equally likely users only; "
            "choose an epoch by population.epoch(0), and leave out weights"
        )
