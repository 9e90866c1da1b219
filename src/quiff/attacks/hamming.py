"""Carey and others: the nearest user by a Hamming distance whose weights are likelihoods."""

from dataclasses import dataclass
from typing import ClassVar, Literal, Self, final

import numpy as np

from quiff.apis.topics import TopicsAPI
from quiff.attacks.base import Attack, Paper, Sighting
from quiff.attacks.ranking import ItemSets, Queries, ranked_best
from quiff.core.numbers import Array
from quiff.people.population import Population
from quiff.theory.parameters import Real, check_probability, check_sizes, check_whole

_STEPS = 2**32  # of a weight, so that sums of weights are exact and equal ones are equal
_LEAST = 1e-300


def hamming_weights(frequency: Array, n_topics: int, top_s: int, noise: Real) -> tuple[Array, Array]:
    """Return the weights of topics that match and of topics that do not.

    With q = r/m, p = (1-r)/s + q, and pi = (f - q)/(p - q) the share of users who have a topic that is
    shown with frequency f:

        match    = -ln(q + (p-q) p pi/(q + (p-q) pi))
        mismatch = -ln(q + (p-q) (s-1) pi/(s - pi))

    These are the logarithms of the probability that a user shows the topic, given that the user showed it on
    the other site in the same epoch, or showed another one. Estimates pi outside 0 and 1 are moved there.

    >>> match, mismatch = hamming_weights(np.array([0.05]), 349, 5, 0.05)
    >>> round(float(match[0]), 4), round(float(mismatch[0]), 4)
    (1.6621, 3.1644)
    """
    m, s = check_sizes(n_topics, top_s)
    q = float(check_probability("noise", noise)) / m
    d = (1 - float(noise)) / s
    share = np.clip((frequency - q) / d, 0, 1) if d > 0 else np.zeros_like(frequency)
    genuine = np.divide((q + d) * share, q + d * share, out=np.zeros_like(share), where=share > 0)
    match, mismatch = q + d * genuine, q + d * (s - 1) * share / np.maximum(s - share, _LEAST)
    return -np.log(np.maximum(match, _LEAST)), -np.log(np.maximum(mismatch, _LEAST))


@final
@dataclass(frozen=True)
class Carey(Attack):
    """The nearest user of the other site, by an asymmetric weighted Hamming distance.

    The distance of a target to a user is a sum over epochs: the match weight of the target's topic if the
    user has shown the same topic in this epoch, else its mismatch weight. Frequencies of topics are those of
    all that the target's site has seen. Those who are equally near share the guess. The published setting:
    a topic for each epoch and site.

    Parameters
    ----------
    top_s
        s, the size of a set.
    noise
        r, the probability of a random topic.

    Examples
    --------
    >>> from quiff.browser.reports import Reports
    >>> by_epoch = [[[0, 1, 0], [3, 3, 2]], [[1, 1, 0], [2, 3, 2]]]
    >>> reports = Reports(["Alice", "Bob"], range(2), ["Art", "Music", "News", "Sports"], by_epoch)
    >>> known, query = (Sighting.of(reports, site, 3) for site in (0, 1))
    >>> Carey(top_s=2).tied(known, query, np.array([0, 1])).tolist()
    [1, 1]
    """

    top_s: int = 5
    noise: Real = 0.05

    name: ClassVar[str] = "carey"
    paper: ClassVar[Paper] = Paper(
        "CJ Carey and others",
        "Measuring Re-identification Risk",
        "Proc. ACM Manag. Data 1(2), 2023",
        "10.1145/3589294",
    )
    counts: ClassVar[Literal["unique", "ties"]] = "ties"

    def __post_init__(self) -> None:
        object.__setattr__(self, "top_s", check_whole("top_s", self.top_s, 1))
        object.__setattr__(self, "noise", check_probability("noise", self.noise))

    @classmethod
    def against(cls, api: TopicsAPI, population: Population | None) -> Self:  # noqa: ARG003 - not needed
        return cls(api.top_s, api.noise)

    def tied(self, known: Sighting, query: Sighting, targets: Array) -> Array:
        m, columns = known.topics.size, known.codes.shape[1]
        seen = query.codes[query.codes >= 0]
        frequency = np.bincount(seen, minlength=m) / max(seen.shape[0], 1)
        match, mismatch = hamming_weights(frequency, m, self.top_s, self.noise)
        worth = np.rint((mismatch - match) * _STEPS).astype(np.int64)
        candidates = ItemSets.from_rows(_by_epoch(known.codes, m), m * columns)
        # A match is worth what it saves over a mismatch: the nearest user has the largest sum.
        queries = Queries.counted(_by_epoch(query.codes[targets], m), np.tile(worth, columns))
        return ranked_best(candidates, queries, targets)


def _by_epoch(codes: Array, n_topics: int) -> Array:
    """Return codes for pairs of epoch and topic; -1 stays."""
    epochs = np.arange(codes.shape[1], dtype=np.int32)
    return np.where(codes < 0, -1, codes + n_topics * epochs)
