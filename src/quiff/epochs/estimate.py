"""The leakage over many epochs, estimated with a confidence interval from sampled observations."""

from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from typing import Self, final

import numpy as np

from quiff.core.counting.subsets import Subsets
from quiff.core.counting.work import Progress, in_slices
from quiff.core.numbers import Array
from quiff.epochs.sequences import Profiles, Sequences

SAMPLES = 5_000
_DEVIATIONS = 2.170090377584560  # the two-sided 97 % quantile of the normal distribution
_SLICE = 100  # sequences between two moments to be interrupted


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
    progress: Progress | None = None,
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
    shares, fits = _sampled(sequences, profiles, 2, [seed, epochs], samples, progress)
    left = np.where(fits[:, -1] <= epochs - 2, shares[:, -1], 0.0)
    rest = Estimate.of_mean(left).times(scale)
    return Estimate(exact + rest.value, exact + rest.low, exact + rest.high)


def sampled_vulnerabilities(
    sequences: Sequences,
    epochs: int,
    seed: int = 0,
    *,
    samples: int = SAMPLES,
    progress: Progress | None = None,
) -> list[Estimate]:
    """Estimate V for 1, ..., E epochs from the same samples: any sets, any weights.

    V = E[max_x pi_x P(y|x) / sum_x pi_x P(y|x)], for a user and their observations drawn at random.
    """
    profiles = sequences.profiles(epochs)
    shares, _ = _sampled(sequences, profiles, 0, [seed], samples, progress)
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


def _sampled(
    sequences: Sequences,
    profiles: Profiles,
    least: int,
    seed: list[int],
    samples: int,
    progress: Progress | None,
) -> tuple[Array, Array]:
    """Return the best shares and fits of sampled observations after each epoch, (samples, epochs)."""
    from quiff.epochs.kernels import best_shares

    E = len(profiles.codes)
    observed = _draw(np.random.default_rng(seed), profiles, sequences, samples, least=least)
    tables = profiles.codes[:1] if sequences.stable else profiles.codes
    ends, members = _postings(tables, sequences.width)
    which = np.zeros(E, dtype=np.int64) if sequences.stable else np.arange(E)
    nothing = np.zeros(0)
    best = nothing if profiles.best is None else profiles.best.astype(np.float64)
    total = nothing if profiles.total is None else profiles.total
    first = (float(total.sum()), float(best.max())) if best.size else (float(profiles.size), 1.0)
    ratio = float(sequences.outside / sequences.inside)

    def measured(start: int) -> tuple[Array, Array]:
        return best_shares(
            ends, members, which, observed[start : start + _SLICE], profiles.size, best, total, first, ratio
        )

    found = list(in_slices(measured, range(0, samples, _SLICE), progress))
    return np.concatenate([shares for shares, _ in found]), np.concatenate([fits for _, fits in found])


def _postings(tables: tuple[Array, ...], width: int) -> tuple[Array, Array]:
    """Return for each table of sets who has each topic: all of them in a row, and where each topic ends."""
    ends = np.stack([np.cumsum(np.bincount(sets.reshape(-1), minlength=width)) for sets in tables])
    members = np.empty((len(tables), tables[0].size), dtype=np.int32)
    for row, sets in zip(members, tables, strict=True):
        row[:] = np.argsort(sets.reshape(-1), kind="stable") // sets.shape[1]
    return ends, members
