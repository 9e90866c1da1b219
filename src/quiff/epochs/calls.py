"""What a site sees in one call of the API, and what two sites make of one epoch."""

from itertools import combinations
from typing import Any

import numpy as np

from quiff.core.numbers import Array, Number, as_number, quotient
from quiff.epochs.exact import stable_leakages
from quiff.epochs.sequences import Sequences
from quiff.errors import ParameterError

__all__ = ["EPOCHS_OF_A_CALL", "call_leakage", "linked_sites"]

EPOCHS_OF_A_CALL = 3


def call_leakage(sequences: Sequences) -> Number:
    """Return the leakage of one call: the topics of three epochs, sorted and each of them once.

    What is lost against the three reports in order is which of two topics came twice. It matters only for
    two topics that occur but that no set has together: the reports (a, a, b) and (a, b, b) have different
    best users, and one answer stands for both, L = L_3 - n (3 p^2 q - 3 p q^2) with n such pairs.

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
    return as_number(stable_leakages(sequences, EPOCHS_OF_A_CALL)[-1] - pairs * (3 * p**2 * q - 3 * p * q**2))


def linked_sites(sequences: Sequences) -> Number:
    """Return by how much two sites' reports of one epoch raise the chance to link a user.

    The adversary has the report of every user at the first site, and one report at the second; the sites'
    draws are independent. With J(a,b) = q^2 + q d (f_a + f_b) + d^2 f_ab, d = p - q and f the share of users
    who have a topic or both, N V = sum_b max_a J(a,b)/P(a). This is exact if every topic is reported at the
    first site, which many users make sure of, and an upper bound otherwise.

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
    q: Any = sequences.outside
    d: Any = sequences.inside - sequences.outside
    together = _together(sequences)
    shares = quotient(together if sequences.exact else together.astype(float), np.array(sequences.n_users))
    alone = shares.diagonal()
    joint = q * q + q * d * np.add.outer(alone, alone) + d * d * shares
    return as_number((joint / (q + d * alone)[:, np.newaxis]).max(axis=0).sum())


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
