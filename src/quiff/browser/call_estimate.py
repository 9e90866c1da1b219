"""What one call gives away where it cannot be counted: an estimate from drawn calls, with its interval.

Some places of a user's top set may be empty: the topic is blocked, or there was none. The browser then
returns nothing for the epoch if it picks such a place, and how often it does so tells users apart, too.
"""

import numpy as np

from quiff.apis.calls import view_probability
from quiff.core.distinct import distinct_codes, sorted_rows
from quiff.core.numbers import Array
from quiff.epochs.estimate import Estimate
from quiff.theory.parameters import Real, check_whole


def estimate_call_leakage(
    codes: Array, n_topics: int, noise: Real, per_call: int = 3, samples: int = 2000, seed: int | None = None
) -> Estimate:
    """Return an estimate of N V, the leakage of one call about who the user is.

    V is the mean, over users and what a call shows of them, of the largest posterior probability
    max_x P[A | x] / sum_x P[A | x]. Users and calls are drawn; the posteriors are exact.

    `codes` are stable top sets (users, s) of numbers below m, -1 for an empty place, which gets no noise:
    that comes after the filter. A call shows up to 3 epochs.

    >>> found = estimate_call_leakage(np.array([[0, 1], [2, 3]]), 5, 0.05, per_call=1, seed=1)
    >>> abs(found.value - 1.95) < 0.05  # the exact leakage
    True
    """
    rng = np.random.default_rng(None if seed is None else check_whole("seed", seed, 0))
    samples = check_whole("samples", samples, 2)
    n_users, top_s = codes.shape
    # distinct sets with counts; -1 is moved to m, which is no topic
    rows = sorted_rows(np.where(codes < 0, n_topics, codes).astype(np.int64))
    first, which = distinct_codes(rows, n_topics + 1)
    rows, counts = rows[first], np.bincount(which)
    posterior = _Posterior(rows, counts, n_topics, _probabilities(n_topics, top_s, noise, per_call))
    views = _views(rng, codes, n_topics, noise, per_call, samples)
    shares = np.array([posterior.largest(view) for view in views])
    found = Estimate.of_mean(shares).times(n_users)
    return Estimate(max(found.value, 1.0), max(found.low, 1.0), max(found.high, 1.0))  # no leakage is less


class _Posterior:
    """The sets by topic, so that a view costs only a look at those who have one of its topics."""

    def __init__(self, rows: Array, counts: Array, n_topics: int, probabilities: Array) -> None:
        self.counts, self.probabilities = counts, probabilities
        self.full = (rows < n_topics).sum(axis=1)
        order = np.argsort(rows.reshape(-1), kind="stable")
        ends = np.cumsum(np.bincount(rows.reshape(-1), minlength=n_topics + 1))
        self.owners = np.split(order // rows.shape[1], ends[:-1])[:n_topics]
        self.users_by_full = np.bincount(self.full, weights=counts, minlength=probabilities.shape[2])
        self.inside = np.zeros(rows.shape[0], dtype=np.int8)

    def largest(self, view: list[int]) -> float:
        """Return max_x P[A | x] / sum_x P[A | x]."""
        strangers = self.probabilities[len(view), 0]  # by the number of full places
        total, best = self.users_by_full @ strangers, strangers[self.users_by_full > 0].max()
        if not view:
            return float(best / total)
        having = np.concatenate([self.owners[topic] for topic in view])
        for topic in view:
            self.inside[self.owners[topic]] += 1
        inside, full = self.inside[having], self.full[having]
        self.inside[having] = 0
        if not having.shape[0]:
            return float(best / total)
        given = self.probabilities[len(view), inside, full]
        # who has j topics of the view is there j times
        total += (self.counts[having] * (given - strangers[full]) / inside).sum()
        return float(max(best, given.max()) / total)


def _probabilities(n_topics: int, top_s: int, noise: Real, per_call: int) -> Array:
    """Return P[A | x] by the size of A, how many of A are in the set, and how many places are full."""
    table = np.zeros((per_call + 1, per_call + 1, top_s + 1))
    for full in range(top_s + 1):
        anything = full / top_s * float(noise) / n_topics
        inside = (1 - float(noise)) / top_s + anything
        for size in range(per_call + 1):
            for own in range(min(size, full) + 1):
                topics: list[Real] = [*[inside] * own, *[anything] * (size - own)]
                table[size, own, full] = view_probability(topics, 1 - full / top_s, per_call)
    return table


def _views(
    rng: np.random.Generator, codes: Array, n_topics: int, noise: Real, per_call: int, samples: int
) -> list[list[int]]:
    """Draw users and what a call shows of each."""
    shape = (samples, per_call)
    users = rng.integers(codes.shape[0], size=samples)
    picked = codes[users[:, None], rng.integers(codes.shape[1], size=shape)]
    noisy = rng.random(shape) < float(noise)
    shown = np.where((picked >= 0) & noisy, rng.integers(n_topics, size=shape), picked)
    return [sorted(set(row) - {-1}) for row in shown.tolist()]
