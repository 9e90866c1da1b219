"""Microsoft's proposals: PARAKEET's anonymised requests, and Noisy Ranking's noisy embeddings.

MaCAW adds a two-party computation after the request of PARAKEET; no source states a parameter or a
distribution of what it reveals, so that it cannot be modelled.
"""

from dataclasses import dataclass
from itertools import pairwise
from math import exp, inf, log, sqrt
from typing import Any, final

import numpy as np

from quiff.apis.base import Limit, Unit, parameter
from quiff.apis.ranges import Attribute, Number, Share, Whole
from quiff.apis.specified import Encoded, limits_from
from quiff.core.channel import Channel
from quiff.core.gain import Gain, predicate_gain
from quiff.core.labels import Labels, as_labels
from quiff.errors import ParameterError
from quiff.mechanisms.response import randomised_response
from quiff.populations.histories import Histories
from quiff.populations.population import Population
from quiff.theory.mechanisms import randomised_response as response_forms
from quiff.theory.noisy_histogram import gaussian_ball_bits
from quiff.theory.parameters import Real

_PPA = "WICG/privacy-preserving-ads at 238b224 (3 February 2025)"


@final
@dataclass(frozen=True)
class Parakeet(Encoded):
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
    status = "archived"
    source = _PPA + ", Parakeet.md"
    sees = "a centroid"
    unit = Unit("an ad request")
    redraws = "noise"
    assumptions = ("Centroids are assigned to values of the attribute by a hash.",)
    open_points = ("The number of centroids, the probability of the truth, and the length of epochs.",)

    def space(self) -> Labels:
        """Return all centroids."""
        return as_labels(range(self.centroids))

    def secret(self, people: Population | Histories) -> Channel:
        """Return the channel from users to their nearest centroid."""
        return self.numbered(people, self.centroids)

    def observe(self, secrets: object) -> Channel:
        """Return the truth with p, each other centroid with (1-p)/(K-1)."""
        named, C = as_labels(secrets), randomised_response(range(self.centroids), truth=self.truth)
        rows = C.inputs.positions(list(named), "centroid")
        return Channel.from_kernel(named, C.outputs, C.kernel.take_rows(rows))

    def goals(self, secrets: object) -> dict[str, Gain]:
        """Return the centroid: by it the best advertisement is found."""
        return {"centroid": predicate_gain(as_labels(secrets), _itself)}

    def limits(self) -> tuple[Limit, ...]:
        """Return the closed forms of randomised response with a given probability of the truth."""
        k, p = self.centroids, self.truth
        ratio = p * (k - 1) / (1 - p) if p < 1 else inf
        if not 1 <= ratio < inf:
            return ()  # a lie more probable than the truth, or no noise at all
        return limits_from(
            response_forms(k, ratio=ratio),
            {
                "bayes_capacity": "K p",
                "epsilon": "ln p (K-1)/(1-p)",
                "max_case_capacity": "p (K-1)/(1-p)",
                "shannon_capacity_bits": "log2 K - h(p) - (1-p) log2(K-1)",
            },
            self.source,
        )


_FINE = 2_000  # cells for each standard deviation
_FAR = 9  # standard deviations beyond which nothing is expected


@final
@dataclass(frozen=True)
class NoisyRanking(Encoded):
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
    status = "archived"
    source = _PPA + ", Noisy Ranking"
    sees = "a noisy embedding"
    unit = Unit("a user", "one buyer", 1)
    redraws = "noise"
    assumptions = ("The batch is not shuffled; the attribute is embedded by a hash, as a point of [-1, 1].",)
    open_points = ("The dimension, and the proof of what shuffling adds.",)
    _points = 33  # embeddings that an attribute may have on people

    @property
    def sigma(self) -> float:
        """The standard deviation of the noise in every coordinate."""
        return sqrt(log(1 / float(self.delta)) / log(self.batch)) / float(self.epsilon)

    def secret(self, people: Population | Histories) -> Channel:
        """Return the channel from users to their embedding."""
        numbers, middle = self.numbered(people, self._points), self._points // 2
        places: Any = numbers.outputs
        return numbers @ Channel.deterministic({place: (place - middle) / middle for place in places})

    def observe(self, secrets: object) -> Channel:
        """Return Gaussian noise in cells, with the error of that as `slack`."""
        return self.over_time(as_labels(secrets), 1)

    def over_time(self, secrets: Labels, n: int) -> Channel:
        """Return the mean of n noisy embeddings, of sigma/sqrt(n), which tells as much as all of them."""
        from scipy.special import ndtr

        if self.dimension > 1:
            raise ParameterError(
                "a noisy embedding of several dimensions has a closed form only; see limits(), or dimension=1"
            )
        points: list[Any] = list(secrets)
        if any(not isinstance(x, int | float) or not -1 <= x <= 1 for x in points):
            raise ParameterError("embeddings of one dimension are numbers between -1 and 1")
        s = self.sigma / sqrt(n)
        reach = 1 + _FAR * s
        cells = min(200_000, max(200, int(2 * reach / s * _FINE / 20)))
        edges = np.linspace(-reach, reach, cells + 1)
        below = ndtr((edges[1:-1] - np.array(points, dtype=np.float64).reshape(-1, 1)) / s)
        rows = np.diff(below, axis=1, prepend=0.0, append=1.0)
        # In a cell of width w a likelihood ratio of two points moves by a factor of at most e^(2 w/s^2).
        slack = exp(2 * (2 * reach / cells) / s**2)
        outputs = as_labels(list(pairwise(edges.tolist())))
        return Channel(rows, inputs=secrets, outputs=outputs).with_slack(slack)

    def goals(self, secrets: object) -> dict[str, Gain]:
        """Return the side of the embedding: the coarsest ranking."""
        return {"side": predicate_gain(as_labels(secrets), lambda x: x > 0)}

    def limits(self) -> tuple[Limit, ...]:
        """Return the capacity over all points of the ball; Gaussian noise has no pure epsilon."""
        bits = gaussian_ball_bits(self.dimension, self.sigma)
        forms: dict[str, Real] = {
            "bayes_capacity": 2.0**bits if bits < 1000 else inf,
            "epsilon": inf,
            "max_case_capacity": inf,
        }
        return limits_from(
            forms,
            {
                "bayes_capacity": "integral of the density of the nearest point of the ball",
                "epsilon": "inf: Gaussian noise has (epsilon, delta) only",
                "max_case_capacity": "inf",
            },
            self.source,
            "no shuffling",
        )


def _itself(secret: Any) -> Any:
    return secret
