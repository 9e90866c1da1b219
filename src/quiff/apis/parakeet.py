"""Microsoft's proposals: PARAKEET's anonymised requests, and Noisy Ranking's noisy embeddings.

MaCAW adds a two-party computation after the request of PARAKEET; no source states a parameter or a
distribution of what it reveals, so that it cannot be modelled.
"""

from collections.abc import Hashable
from dataclasses import dataclass
from math import log, sqrt
from typing import final

from quiff.apis.base import Unit, parameter
from quiff.apis.encodings import Hashed, encoded
from quiff.apis.mechanisms import Gaussian, Response
from quiff.apis.ranges import Attribute, Number, Share, Whole
from quiff.core.gain import Gain, predicate_gain
from quiff.core.labels import Labels, as_labels

_PPA = "WICG/privacy-preserving-ads at 238b224 (3 February 2025)"


@final
@dataclass(frozen=True)
class Parakeet(Hashed):
    """PARAKEET: an ad request with the nearest of K centroids of interests, or sometimes another one.

    An ad request carries the nearest of K centroids of interests with probability p, and each other one with
    (1-p)/(K-1). The source sets neither K nor p, nor how centroids are made; here an attribute of people is
    assigned to centroids by a hash.

    Examples
    --------
    >>> round(Parakeet().limits()[0].value, 6), round(Parakeet().limits()[1].value, 4)
    (90.0, 6.7923)
    """

    centroids: int = parameter(100, Whole(2, source=_PPA), "K (not set by the source)")
    truth: float = parameter(
        0.9, Share(source=_PPA), "probability of the nearest centroid (not set by the source)"
    )
    attribute: str = parameter("topics", Attribute(), "what of people makes their interests")

    title = "PARAKEET"
    family = "interests"
    ended = "archived: WICG/privacy-preserving-ads, 3 February 2025"
    source = _PPA + ", Parakeet.md"
    sees = "a centroid"
    unit = Unit("an ad request")
    assumptions = ("Centroids are assigned to values of the attribute by a hash.",)
    open_points = ("The number of centroids, the probability of the truth, and the length of epochs.",)

    def space(self) -> Labels:
        """Return all centroids."""
        return as_labels(range(self.centroids))

    def encode(self, value: Hashable) -> Hashable:
        """Return the nearest centroid."""
        return encoded(value, self.centroids)

    @property
    def mechanism(self) -> Response:
        """The truth with p, each other centroid with (1-p)/(K-1)."""
        return Response.of_truth(self.space(), self.truth, "centroid")

    def goals(self, secrets: object) -> dict[str, Gain]:
        """Return the centroid: by it the best advertisement is found."""
        return {"centroid": predicate_gain(as_labels(secrets), lambda centroid: centroid)}


@final
@dataclass(frozen=True)
class NoisyRanking(Hashed):
    """Noisy Ranking: an embedding of a user's interests, of norm at most 1, plus Gaussian noise.

    An embedding of the user's interests is sent to a buyer once a day, with Gaussian noise in every
    coordinate. Its sigma = sqrt(ln 1/delta)/(epsilon sqrt(ln n)) is that of a batch of n. Measured without
    the shuffling of the batch, whose proof the source defers. On people the embedding has one dimension, a
    point that stands for an attribute; the limits hold for any.

    Examples
    --------
    >>> NoisyRanking().sigma, round(NoisyRanking().limits()[0].value, 4)
    (0.1, 8.9788)
    """

    epsilon: float = parameter(10, Number(0, 1000, above=True, source=_PPA), "of the batch")
    delta: float = parameter(0.001, Number(0, 1, above=True, below=True, source=_PPA), "of the batch")
    batch: int = parameter(1000, Whole(2, source=_PPA), "users in a batch")
    dimension: int = parameter(1, Whole(1, 100_000, source=_PPA), "of the embedding (not set by the source)")
    attribute: str = parameter("topics", Attribute(), "what of people is embedded")

    title = "Noisy Ranking"
    family = "interests"
    ended = "archived: WICG/privacy-preserving-ads, 3 February 2025"
    source = _PPA + ", Noisy Ranking"
    sees = "a noisy embedding"
    unit = Unit("a user", "one buyer", 1)
    assumptions = ("The batch is not shuffled; the attribute is embedded by a hash, as a point of [-1, 1].",)
    open_points = ("The dimension, and the proof of what shuffling adds.",)
    _points = 33  # embeddings that an attribute may have on people

    @property
    def sigma(self) -> float:
        """The standard deviation of the noise in every coordinate."""
        return sqrt(log(1 / float(self.delta)) / log(self.batch)) / float(self.epsilon)

    def encode(self, value: Hashable) -> Hashable:
        """Return the embedding: one of some points between -1 and 1."""
        middle = self._points // 2
        return (encoded(value, self._points) - middle) / middle

    @property
    def mechanism(self) -> Gaussian:
        """Gaussian noise in every coordinate."""
        return Gaussian(self.sigma, self.dimension, "no shuffling")

    def goals(self, secrets: object) -> dict[str, Gain]:
        """Return the side of the embedding: the coarsest ranking."""
        return {"side": predicate_gain(as_labels(secrets), lambda x: x > 0)}
