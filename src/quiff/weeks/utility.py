"""What a receiver learns from the observations of several epochs, when sets are stable."""

from fractions import Fraction
from functools import reduce
from itertools import product
from math import lcm
from typing import Any

import numpy as np

from quiff.core.counting.ranked import best_sum
from quiff.core.counting.work import in_slices
from quiff.core.gain import Gain
from quiff.core.numbers import Array, Number, as_number
from quiff.errors import ParameterError, SizeError
from quiff.people.weights import summed
from quiff.weeks.estimate import split_holders
from quiff.weeks.sequences import Sequences

MOST_NAMING = 3
_ROOM = 2**62


def names_an_output(sequences: Sequences, gain: Gain, which: Array) -> bool:
    """Tell whether a gain on secrets, which users have, is that of naming an output of the user's set."""
    members = gain.members
    if not sequences.stable or members is None or members.shape[1] != sequences.per_row:
        return False
    actions, outputs = np.sort(members, axis=1)[which].reshape(-1), sequences.sets[0].reshape(-1)
    place = np.full(gain.actions.size, -1, dtype=np.int64)
    place[actions] = outputs
    used = place[place >= 0]
    return bool((place[actions] == outputs).all()) and np.unique(used).shape[0] == used.shape[0]


def reconstruction(sequences: Sequences, epochs: int) -> Number:
    """Return the probability to guess a user's whole set after E <= 4 epochs, sets being stable.

    sum_y max_sigma pi(sigma) prod_e C[sigma,y_e], with the population's prior pi on sets: the Bayes
    vulnerability of the set (paper, Sec. 4.2.1, for more than one epoch). E = 0 is without any
    observation.
    """
    _check_stable(sequences)
    codes, weights = _sets_with_weights(sequences)
    if epochs == 0:
        return _divided(weights.max() if sequences.exact else float(weights.max()), weights)
    sizes = [sequences.width] * epochs
    best = best_sum([codes] * epochs, sizes, weights, sequences.inside, sequences.outside)
    return _divided(best, weights)


def naming_gain(sequences: Sequences, epochs: int) -> Number:
    """Return the probability to name an output of the user's set after E <= 3 epochs, sets being stable.

    V = sum_y max_t sum_S q^(E-|S|) d^|S| f({t} + y_S), with d = p - q and f(A) the share of users whose set
    has all topics of A: the IBA vulnerability (paper, Sec. 4.2.2, for more than one epoch). E = 0 is the
    probability without any observation.
    """
    _check_stable(sequences)
    if not 0 <= epochs <= MOST_NAMING:
        raise ParameterError(
            f"the IBA gain is exact for up to {MOST_NAMING} epochs, not for {epochs!r}",
            what="epochs",
            value=epochs,
            allowed=f"at most {MOST_NAMING}",
        )
    codes, weights = _sets_with_weights(sequences)
    if weights.dtype == object:
        weights = weights.astype(np.float64)
    powers, below = _powers(sequences, epochs, weights)
    seen = np.bincount(codes.reshape(-1), minlength=sequences.width) > 0
    placed, spare = (np.cumsum(seen) - 1)[codes], int((~seen).sum())
    total = _naming(placed, weights, powers, int(seen.sum()), spare, epochs)
    exact = powers.dtype != np.float64
    return _divided(Fraction(total, below) if exact else float(total), weights)


def _naming(codes: Array, weights: Array, powers: Array, m: int, spare: int, epochs: int) -> Any:
    """Return the sum over tuples of the best score, spare topics included.

    The score of t after the outputs y is sum_S q^(E-|S|) d^|S| f({t} + y_S). An output that nobody has says
    nothing: one more topic with no users stands for all of them.
    """
    wide, shares = m + (spare > 0), [1] * m + [spare] * (spare > 0)
    weights = weights.astype(powers.dtype)  # in the numbers of the scores
    pairs = counted_together(codes, weights, wide, 2)
    alone = powers[0] * pairs.diagonal()
    if epochs == 0:
        return pairs.diagonal().max().item()
    if epochs == 1:
        return sum(n * (alone + powers[1] * pairs[a]).max().item() for a, n in enumerate(shares))
    triples = counted_together(codes, weights, wide, 3)
    total: Any = 0
    if epochs == 2:
        for a, n in enumerate(shares):  # b, a is scored as a, b is
            scores = alone + powers[1] * (pairs[a] + pairs[a:]) + powers[2] * triples[a, a:]
            twice = [n, *(2 * k for k in shares[a + 1 :])]
            total += n * sum(k * score for k, score in zip(twice, scores.max(axis=1).tolist(), strict=True))
        return total
    holders = split_holders(codes, wide)

    def scored(a: int) -> Array:
        return best_topics(a, codes[holders[a]], weights[holders[a]], pairs, triples, powers)

    for a, best in enumerate(in_slices(scored, range(wide))):
        total += _over_orders(best, a, shares)
    return total


def best_topics(
    first: int, codes: Array, weights: Array, pairs: Array, triples: Array, powers: Array
) -> Array:
    """Return for all b, c >= `first` the best joint score of a topic after the outputs first, b and c.

    The score of t is the sum over the users who have it of prod_e (q + d 1[y_e in the set]):
    q^3 f(t) + q^2 d (f(t,a) + f(t,b) + f(t,c)) + q d^2 (f(t,a,b) + f(t,a,c) + f(t,b,c)) + d^3 f(t,a,b,c),
    with f the weight of the users who have all of some topics; `powers` has q^3, q^2 d, q d^2 and d^3, and
    `codes` and `weights` are of those who have the first topic.
    """
    a, m = first, pairs.shape[0]
    best = np.zeros((m, m), dtype=powers.dtype)
    of_first = powers[1] * pairs + powers[2] * triples[a]  # by c and t
    holders = split_holders(codes, m)
    for b in range(a, m):
        near = powers[0] * pairs.diagonal() + powers[1] * (pairs[a] + pairs[b]) + powers[2] * triples[a, b]
        scores = of_first[b:] + powers[2] * triples[b, b:]
        scores += near
        if holders[b].size:  # who has a and b adds to the scores of their other topics
            sets, own = codes[holders[b]].astype(np.intp), powers[3] * weights[holders[b]]
            cells = sets[:, :, np.newaxis] * m + sets[:, np.newaxis, :]
            cells, own = cells.reshape(-1), np.repeat(own, sets.shape[1] ** 2)
            later = cells >= b * m
            np.add.at(scores.reshape(-1), cells[later] - b * m, own[later])
        best[b, b:] = scores.max(axis=1)
    return best


def counted_together(codes: Array, weights: Array, width: int, k: int) -> Array:
    """Return the weight of the users whose set has each k topics; the same topic again is no other.

    Sets are ascending, and so must be all topics but the last to be counted: no order says more than another.
    """
    counts, columns = np.zeros(width**k, dtype=weights.dtype), codes.T.astype(np.int64)
    for places in product(range(codes.shape[1]), repeat=k):
        if list(places[:-1]) == sorted(places[:-1]):
            cells = reduce(lambda cell, place: cell * width + columns[place], places[1:], columns[places[0]])
            np.add.at(counts, cells, weights)
    return counts.reshape((width,) * k)


def _over_orders(best: Array, a: int, shares: list[int]) -> Any:
    """Return the sum of the best scores of all triples whose least topic is a, in every order."""
    n = np.array(shares[a:], dtype=object if best.dtype != np.float64 else np.float64)
    part = best[a:, a:].astype(n.dtype)
    orders = np.triu(np.full(part.shape, 6), 1) + np.diag(np.full(n.shape[0], 3))
    orders[0, 1:] = 3
    orders[0, 0] = 1
    return ((orders * part) * np.multiply.outer(n, n)).sum() * n[0]


def _powers(sequences: Sequences, epochs: int, weights: Array) -> tuple[Array, int]:
    """Return q^(E-k) d^k for each k: floats, or whole numbers and what they are to be divided by."""
    q, d = sequences.outside, sequences.inside - sequences.outside
    if isinstance(q, float) or isinstance(d, float) or weights.dtype == np.float64:
        return np.array([float(q) ** (epochs - k) * float(d) ** k for k in range(epochs + 1)]), 1
    common = lcm(q.denominator, d.denominator)
    whole = [int(q * common) ** (epochs - k) * int(d * common) ** k for k in range(epochs + 1)]
    if 8 * max(whole) * int(weights.sum()) > _ROOM:
        raise SizeError(
            f"the exact IBA gain over {epochs} epochs has numbers beyond 2^62; give the noise as a decimal"
        )
    return np.array(whole, dtype=np.int64), common**epochs


def _sets_with_weights(sequences: Sequences) -> tuple[Array, Array]:
    """Return the distinct sets and the weight of all users who have each."""
    first, kind = sequences.kinds(1)
    n = first.shape[0]
    if sequences.weights is None:
        counts = np.ones(kind.shape[0], np.int64) if sequences.counts is None else sequences.counts
        return sequences.sets[0][first], np.bincount(kind, weights=counts, minlength=n).astype(np.int64)
    return sequences.sets[0][first], summed(sequences.weights, kind, n)


def _check_stable(sequences: Sequences) -> None:
    if not sequences.stable:
        raise ParameterError(
            f"the sets of this population change over {len(sequences.sets)} epochs, and there is no one set "
            "to learn; give profiles of one epoch, in Python by population.epoch(0)",
            what="people",
            value=len(sequences.sets),
            allowed="profiles of one epoch",
        )


def _divided(value: Any, weights: Array) -> Number:
    total = weights.sum()
    if isinstance(value, float) or weights.dtype == np.float64:
        return float(value) / float(total)
    return as_number(value) / (total if isinstance(total, Fraction) else int(total))
