"""The leakage over many epochs, estimated with a confidence interval from sampled observations."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from math import sqrt
from typing import Self, final

import numpy as np

from quiff.core.counting.subsets import Subsets
from quiff.core.counting.work import in_slices, words_for
from quiff.core.numbers import Array
from quiff.weeks.sequences import Profiles, Sequences

SAMPLES = 5_000
_DEVIATIONS = 2.170090377584560  # the two-sided 97 % quantile of the normal distribution
_SLICE = 100  # sequences between two moments to be interrupted
_WORDS = 2**18  # looked at at a time
_NOTHING = 1e-18  # what is added to one without changing it


@final
@dataclass(frozen=True)
class Estimate:
    """An estimated number, with bounds between which it lies with a probability of 95 %."""

    value: float
    low: float
    high: float

    @classmethod
    def of_mean(cls, values: Array) -> Self:
        """Return the mean of independent numbers between 0 and 1, with an interval for the expectation.

        The interval is a normal one, of a mean to which two values of 0 and two of 1 are added, as Agresti
        and Coull do it, so that it is not too short where nearly all values are the same. With 1.96
        deviations it would hold the expectation in only 93 % of cases where few values are far from all
        others, on one side of them. With 2.17 it is 95 % or more for every distribution that was tried: those
        of the observations of small populations, and all of two values.
        """
        padded = np.concatenate([values, [0.0, 0.0, 1.0, 1.0]])
        half = _DEVIATIONS * float(padded.std(ddof=1)) / sqrt(padded.shape[0])
        mean, centre = float(values.mean()), float(padded.mean())
        return cls(mean, max(0.0, min(mean, centre - half)), min(1.0, max(mean, centre + half)))

    def times(self, factor: float) -> Self:
        """Return the estimate of so many times the number."""
        return type(self)(factor * self.value, factor * self.low, factor * self.high)


def mismatch_tail(sequences: Sequences, epochs: int) -> float:
    """Return P[Bin(E, q(m-s)) >= 2], the probability that two or more are outside of the user's set."""
    return float(_binomial(epochs, _mismatch(sequences))[2:].sum())


def certain_bracket(sequences: Sequences, epochs: int, subsets: Subsets) -> tuple[float, float]:
    """Return two numbers between which L surely lies, for stable sets and users who are equally likely.

    The tuples that the best user fits in all epochs, or in all but one, are counted exactly; what is left
    is at most D P[Bin(E, q(m-s)) >= 2], with D the number of distinct profiles.
    """
    # In fractions, for the counts alone are beyond all floats after some hundred epochs.
    E, p, q = epochs, Fraction(sequences.inside), Fraction(sequences.outside)
    every, but_one = subsets.fitted_tuples(E)
    exact = float(every * p**E + but_one * p ** (E - 1) * q)
    return exact, exact + sequences.distinct(1) * mismatch_tail(sequences, E)


def hybrid_leakage(
    sequences: Sequences,
    epochs: int,
    seed: int = 0,
    *,
    samples: int = SAMPLES,
    subsets: Subsets | None = None,
) -> Estimate:
    """Estimate L for stable sets: exact where the best user fits all observations but one, sampled elsewhere.

    What is left is D P2 E[1[K(y) <= E-2] max_x P(y|x) / sum_x P(y|x)] over the D distinct profiles, for y
    with at least two mismatches, which has the probability P2. So the exact part is a lower bound, and the
    exact part plus D P2 an upper one, for certain. The subsets, if they are given, are of up to s + 1.
    """
    profiles = sequences.profiles(epochs)
    if subsets is None:
        subsets = Subsets.of(profiles.codes[0], sequences.width, sequences.per_row + 1)
    exact, most = certain_bracket(sequences, epochs, subsets)
    scale = most - exact
    if scale == 0:  # without noise nothing is outside of the set
        return Estimate(exact, exact, exact)
    observed = _draw(np.random.default_rng([seed, epochs]), profiles, sequences, samples, least=2)
    shares, fits = best_shares(sequences, profiles, observed, [epochs])
    left = np.where(fits[:, 0] <= epochs - 2, shares[:, 0], 0.0)
    rest = Estimate.of_mean(left).times(scale)
    return Estimate(exact + rest.value, exact + rest.low, exact + rest.high)


def sampled_vulnerabilities(
    sequences: Sequences, epochs: int, seed: int = 0, *, samples: int = SAMPLES
) -> list[Estimate]:
    """Estimate V for 1, ..., E epochs from the same samples: any sets, any weights.

    V = E[max_x pi_x P(y|x) / sum_x pi_x P(y|x)], for a user and their observations drawn at random.
    """
    profiles = sequences.profiles(epochs)
    observed = _draw(np.random.default_rng([seed]), profiles, sequences, samples, least=0)
    shares, _ = best_shares(sequences, profiles, observed, range(1, epochs + 1))
    # Equally likely users: the distinct profiles leak L, and V = L/N.
    scale = profiles.size / sequences.n_users if profiles.best is None else 1.0
    return [Estimate.of_mean(column).times(scale) for column in shares.T]


def _mismatch(sequences: Sequences) -> float:
    """Return the probability that an observation is outside of the user's set."""
    return float(sequences.outside * (sequences.width - sequences.per_row))


def _binomial(n: int, p: float) -> Array:
    """Return the distribution of the number of successes in n independent tries."""
    row = np.ones(1)
    for _ in range(n):
        row = np.append(row * (1 - p), 0.0) + np.append(0.0, row * p)
    return row


def _draw(rng: np.random.Generator, profiles: Profiles, sequences: Sequences, n: int, *, least: int) -> Array:
    """Draw users and their observations, (n, epochs), given that at least so many are outside of the set."""
    E, m, s = len(profiles.codes), sequences.width, sequences.per_row
    law = None if profiles.total is None else profiles.total / profiles.total.sum()
    drawn = rng.choice(profiles.size, size=n, p=law)
    outside = _binomial(E, _mismatch(sequences))[least:]
    how_many = least + rng.choice(E + 1 - least, size=n, p=outside / outside.sum())
    missed = rng.permuted(np.arange(E) < how_many[:, np.newaxis], axis=1)
    genuine = rng.integers(s, size=(n, E))
    other = rng.integers(m - s, size=(n, E)) if m > s else np.zeros((n, E), dtype=np.int64)
    observed = np.empty((n, E), dtype=np.int64)
    for epoch, codes in enumerate(profiles.codes):
        sets = codes[drawn].astype(np.int64)
        output = other[:, epoch]
        for place in range(s):  # ascending: each output of the set at or below moves it up by one
            output = output + (output >= sets[:, place])
        observed[:, epoch] = np.where(missed[:, epoch], output, sets[np.arange(n), genuine[:, epoch]])
    return observed


def best_shares(
    sequences: Sequences, profiles: Profiles, observed: Array, numbers: Sequence[int]
) -> tuple[Array, Array]:
    """Return for sequences of outputs the best profile's share and fit, (sequences, numbers of epochs).

    The share is max_x best[x] P(y|x) / sum_x total[x] P(y|x), P(y|x) being proportional to (p/q)^k with k the
    number of epochs in which the set of x has the output.
    """
    tables = profiles.codes[:1] if sequences.stable else profiles.codes
    holders = [split_holders(sets, sequences.width) for sets in tables]
    ratio = float(sequences.outside / sequences.inside)
    if profiles.best is None:
        step = max(1, _WORDS // words_for(profiles.size))
        looked_up = [_as_bits(one, profiles.size) for one in holders]

        def measured(start: int) -> tuple[Array, Array]:
            return _shares_by_bits(looked_up, observed[start : start + step], profiles.size, numbers, ratio)
    else:
        step = _SLICE

        def measured(start: int) -> tuple[Array, Array]:
            return _shares_by_lists(holders, observed[start : start + step], profiles, numbers, ratio)

    parts = list(in_slices(measured, range(0, observed.shape[0], step)))
    return np.concatenate([shares for shares, _ in parts]), np.concatenate([fits for _, fits in parts])


def split_holders(sets: Array, width: int) -> list[Array]:
    """Return who has each topic.

    >>> [holders.tolist() for holders in split_holders(np.array([[0, 2], [1, 2]]), 3)]
    [[0], [1], [0, 1]]
    """
    flat = sets.reshape(-1)
    ends = np.cumsum(np.bincount(flat, minlength=width))
    return np.split((np.argsort(flat, kind="stable") // sets.shape[1]).astype(np.int32), ends[:-1])


def _as_bits(holders: list[Array], size: int) -> Array:
    """Return who has each topic as the bits of words, (topics, words)."""
    bits = np.zeros((len(holders), 8 * words_for(size)), dtype=np.uint8)
    for row, users in zip(bits, holders, strict=True):
        has = np.zeros(size, dtype=bool)
        has[users] = True
        packed = np.packbits(has, bitorder="little")
        row[: packed.shape[0]] = packed
    return bits.view(np.uint64)


def _shares_by_bits(
    tables: list[Array], observed: Array, size: int, numbers: Sequence[int], ratio: float
) -> tuple[Array, Array]:
    """Add up who fits in planes of bits, so that the profiles with each fit can be counted: all weigh one."""
    planes: list[Array] = []
    shares, fits = np.zeros((2, observed.shape[0], len(numbers)))
    for epoch in range(numbers[-1]):
        carry = tables[epoch % len(tables)][observed[:, epoch]]
        for number, plane in enumerate(planes):
            planes[number], carry = plane ^ carry, plane & carry
        if (epoch + 1).bit_length() > len(planes):
            planes.append(carry)
        if epoch + 1 not in numbers:
            continue
        most, likely, others = np.zeros((3, observed.shape[0]))
        for k in range(epoch + 1, 0, -1):
            equal = reduce(np.bitwise_and, [p if k >> n & 1 else ~p for n, p in enumerate(planes)])
            count = np.bitwise_count(equal).sum(axis=1, dtype=np.int64)
            most = np.where((most == 0) & (count > 0), k, most)
            likely += np.where(most > 0, count * ratio ** np.maximum(most - k, 0), 0.0)
            others += count
            if most.min() >= k and size * ratio ** (most.min() - k + 1) < _NOTHING:
                break
        else:
            likely += (size - others) * ratio**most
        place = numbers.index(epoch + 1)
        shares[:, place], fits[:, place] = 1 / likely, most
    return shares, fits


def _shares_by_lists(
    tables: list[list[Array]], observed: Array, profiles: Profiles, numbers: Sequence[int], ratio: float
) -> tuple[Array, Array]:
    """Move those who fit one more up, and keep the mass and the largest weight of each fit."""
    assert profiles.best is not None and profiles.total is not None  # noqa: PT018, S101 - weights differ
    best, total, E = profiles.best.astype(np.float64), profiles.total, numbers[-1]
    shares, fits = np.zeros((2, observed.shape[0], len(numbers)))
    for row, outputs in enumerate(observed[:, :E]):
        fit = np.zeros(profiles.size, dtype=np.int32)
        mass, top = np.zeros((2, E + 1))
        mass[0], top[0], most = total.sum(), best.max(), 0
        for epoch, output in enumerate(outputs):
            users = tables[epoch % len(tables)][output]
            before, weights = fit[users], total[users]
            fit[users] = before + 1
            mass += np.bincount(before + 1, weights, E + 1) - np.bincount(before, weights, E + 1)
            np.maximum.at(top, before + 1, best[users])
            most = max(most, 1 + int(before.max(initial=-1)))
            if epoch + 1 in numbers:
                scale = ratio ** np.arange(most, -1.0, -1.0)
                place = numbers.index(epoch + 1)
                shares[row, place] = (top[: most + 1] * scale).max() / (mass[: most + 1] @ scale)
                fits[row, place] = most
    return shares, fits
