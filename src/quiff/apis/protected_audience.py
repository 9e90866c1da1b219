"""Protected Audience: what a won auction, its monitoring, and the status of an advertisement reveal."""

from collections.abc import Hashable
from dataclasses import dataclass
from math import exp
from typing import final

import numpy as np

from quiff.apis.base import SANDBOX_ENDED, Unit, parameter
from quiff.apis.encodings import Hashed, encoded
from quiff.apis.mechanisms import CellLaws, Laws, OneHot, Response, Responses
from quiff.apis.ranges import Attribute, Number, Share, Whole
from quiff.core.gain import Gain, bayes_gain, predicate_gain
from quiff.core.labels import Labels, as_labels
from quiff.theory.browser_apis import monitoring, status_probability

_FLEDGE = (
    "WICG/turtledove at b40cae2 (12 May 2025), FLEDGE.md 5.2.1; chromium noiser_and_bucketer.cc at fa1391c"
)
_RANGES = {"modelling": 4096, "join_count": 16, "recency": 32}


@final
@dataclass(frozen=True)
class WinSignals(Hashed):
    """Protected Audience, reportWin: three noisy signals to the buyer of each won auction.

    modelingSignals (0 to 4095, chosen by the buyer's bidding code), joinCount (16 buckets) and recency (32
    buckets) are each the truth with probability 0.99, else uniform over the range, truth included. The buyer
    gets all three with every auction that it wins.

    Parameters
    ----------
    truth
        The probability with which a signal is not drawn at random.
    attribute
        What of people the buyer's code is taken to put into modelingSignals, by a hash.

    Examples
    --------
    >>> round(WinSignals().limits()[1].value, 5)  # epsilon
    28.3424
    """

    truth: float = parameter(0.99, Share(source=_FLEDGE), "probability that a signal is not redrawn")
    attribute: str = parameter("topics", Attribute(), "what of people the buyer encodes")

    title = "Protected Audience, win signals"
    family = "auctions"
    ended = SANDBOX_ENDED
    source = _FLEDGE
    sees = "three noisy signals"
    unit = Unit("a won auction")
    assumptions = (
        "The buyer's code encodes the attribute in modelingSignals; the group was joined once, just now.",
        "URLs of reports (sendReportTo) are not bounded by these signals and are not modelled.",
    )
    open_points = ("The specification's text has a place-holder where the noise belongs.",)

    def encode(self, value: Hashable) -> Hashable:
        """Return the signals: the encoded attribute, joined once, just now."""
        return encoded(value, _RANGES["modelling"]), 0, 0

    @property
    def mechanism(self) -> Responses:
        """Three independent randomised responses, whose draws may be the truth too."""
        truths = [(n, self.truth + (1 - self.truth) / n) for n in _RANGES.values()]
        return Responses(tuple(Response.of_truth(as_labels(range(n)), p, "signal") for n, p in truths))

    def goals(self, secrets: object) -> dict[str, Gain]:
        """Return the label that a bidding model is trained with: the first bit of modelingSignals."""
        return {"label": predicate_gain(as_labels(secrets), lambda signals: signals[0] % 2)}


_MONITORING = "WICG/turtledove at b40cae2 (12 May 2025), real-time monitoring"
_BUCKETS = 1028


@final
@dataclass(frozen=True)
class RealTimeMonitoring(Hashed):
    """Protected Audience, real-time monitoring: one of 1,028 buckets by RAPPOR, for every auction.

    Each participant gets a vector of bits, at most one of which is set, each flipped with probability
    1/(1 + e^(epsilon/2)). A vector is always sent.

    Examples
    --------
    >>> round(RealTimeMonitoring().limits()[0].value, 4)
    1.6487
    """

    epsilon: float = parameter(1, Number(0, 50, above=True, source=_MONITORING), "of RAPPOR")
    attribute: str = parameter("topics", Attribute(), "what of people the participant encodes")

    title = "Protected Audience, real-time monitoring"
    family = "auctions"
    ended = SANDBOX_ENDED
    source = _MONITORING
    sees = "a noisy vector of 1,028 bits"
    unit = Unit("an auction")
    assumptions = (
        "The participant encodes the attribute as one of its 1,024 buckets; the other 4 are the browser's.",
    )
    _chosen = 1024

    def space(self) -> Labels:
        """Return None (nothing to report) and all buckets."""
        return as_labels([None, *range(_BUCKETS)])

    def encode(self, value: Hashable) -> Hashable:
        """Return the bucket that stands for the attribute."""
        return encoded(value, self._chosen)

    @property
    def mechanism(self) -> OneHot:
        """A vector of independent noisy bits, without its columns."""
        flip = 1 / (1 + exp(float(self.epsilon) / 2))
        base, buckets = np.array([1 - flip, flip]), self.space()
        return OneHot(
            _BUCKETS,
            lambda bucket: int(buckets.position(bucket, "bucket")) - 1,
            lambda: CellLaws(base, base[::-1], as_labels([0, 1])),
            lambda: monitoring(_BUCKETS, float(self.epsilon)),
            (
                "e^(epsilon/2) (1 - (1-f)^n) + (1-f)^n, f = 1/(1 + e^(epsilon/2))",
                "epsilon",
                "e^epsilon",
                "at equally probable buckets and the best probability of no report, a sum over set bits",
            ),
        )

    def goals(self, secrets: object) -> dict[str, Gain]:
        """Return which bucket it is: what went wrong in the auction."""
        return {"bucket": bayes_gain(secrets)}


_K_ANONYMITY = "WICG/turtledove at b40cae2 (12 May 2025), FLEDGE_k_anonymity_differential_privacy.md"


@final
@dataclass(frozen=True)
class KAnonymityStatus(Hashed):
    """Protected Audience, k-anonymity: whether enough browsers joined, with noise; public, one step.

    The status is true if count + v >= k + u with two truncated Laplace draws. The secret is whether the user
    is counted, where `others` are.

    Examples
    --------
    >>> round(KAnonymityStatus().limits()[0].value, 4)  # 1 + .5 - .3248
    1.1752
    """

    k: int = parameter(50, Whole(1, source=_K_ANONYMITY), "browsers that are needed")
    others: int = parameter(49, Whole(0, source=_K_ANONYMITY), "other browsers that are counted")
    epsilon: float = parameter(
        0.75, Number(0, 100, above=True, source=_K_ANONYMITY), "of a draw (inferred from the note's numbers)"
    )
    bound: float = parameter(
        25, Number(0, 10_000, above=True, source=_K_ANONYMITY), "largest noise (inferred)"
    )
    attribute: str = parameter("topics", Attribute(), "what of people decides who joined")

    title = "Protected Audience, k-anonymity status"
    family = "auctions"
    ended = SANDBOX_ENDED
    source = _K_ANONYMITY
    sees = "whether an advertisement may show"
    unit = Unit("a browser", "one advertisement", 1 / 24)
    observer_knows_who = True
    redraws = "noise"
    assumptions = ("Who joined is decided by a hash of the attribute: about half of the people.",)
    open_points = (
        "The noise of a draw is inferred: 0.75 and 25 fit the note's numbers.",
        "The note's pseudo-code has the inequality reversed; its PDF has it right.",
    )

    def space(self) -> Labels:
        """Return whether the user is counted."""
        return as_labels([False, True])

    def encode(self, value: Hashable) -> Hashable:
        """Return whether the user joined."""
        return bool(encoded(value, 2))

    @property
    def mechanism(self) -> Laws:
        """The probability of a true status, with and without the user."""
        surplus, noise = self.others - self.k, (float(self.epsilon), float(self.bound))
        shows = {joined: status_probability(surplus + joined, *noise) for joined in (False, True)}
        return Laws({joined: [p, 1 - p] for joined, p in shows.items()}, ("shows", "does not show"))

    def goals(self, secrets: object) -> dict[str, Gain]:
        """Return whether the user joined."""
        return {"joined": predicate_gain(as_labels(secrets), lambda joined: joined)}
