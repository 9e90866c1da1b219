"""Protected Audience: what a won auction, its monitoring, and the status of an advertisement reveal."""

from dataclasses import dataclass
from math import comb, exp, inf, log
from typing import Any, final

import numpy as np

from quiff.apis.base import Limit, Unit, parameter
from quiff.apis.ranges import Attribute, Number, Share, Whole
from quiff.apis.specified import Encoded, limits_from
from quiff.core.channel import Channel
from quiff.core.composite_labels import ProductLabels
from quiff.core.gain import Gain, bayes_gain, predicate_gain
from quiff.core.kernels import DenseKernel, ProductKernel
from quiff.core.kernels.one_hot import OneHotKernel
from quiff.core.labels import Labels, as_labels
from quiff.mechanisms.response import randomised_response
from quiff.populations.histories import Histories
from quiff.populations.population import Population
from quiff.theory.mechanisms import randomised_response as response_forms
from quiff.theory.parameters import Real
from quiff.theory.protected_audience import monitoring, status_probability

_FLEDGE = (
    "WICG/turtledove at b40cae2 (12 May 2025), FLEDGE.md 5.2.1; chromium noiser_and_bucketer.cc at fa1391c"
)
_RANGES = {"modelling": 4096, "join_count": 16, "recency": 32}


@final
@dataclass(frozen=True)
class WinSignals(Encoded):
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
    >>> round(WinSignals().limits()[2].value, 5)  # epsilon
    28.3424
    """

    truth: float = parameter(0.99, Share(source=_FLEDGE), "probability that a signal is not redrawn")
    attribute: str = parameter("topics", Attribute(), "what of people the buyer encodes")

    title = "Protected Audience, win signals"
    family = "auctions"
    status = "retired"
    source = _FLEDGE
    sees = "three noisy signals"
    unit = Unit("a won auction")
    observer_knows_who = False
    redraws = "noise"
    assumptions = (
        "The buyer's code encodes the attribute in modelingSignals; the group was joined once, just now.",
        "URLs of reports (sendReportTo) are not bounded by these signals and are not modelled.",
    )
    open_points = ("The specification's text has a place-holder where the noise belongs.",)

    def _laws(self) -> list[tuple[int, Real]]:
        return [(n, self.truth + (1 - self.truth) / n) for n in _RANGES.values()]

    def secret(self, people: Population | Histories) -> Channel:
        """Return the channel from users to the signals: the encoded attribute, joined once, just now."""
        coded = self.numbered(people, _RANGES["modelling"])
        return coded @ Channel.deterministic({number: (number, 0, 0) for number in coded.outputs})

    def observe(self, secrets: object) -> Channel:
        """Return three independent randomised responses."""
        named = as_labels(secrets)
        codes = np.array([tuple(signals) for signals in named], dtype=np.intp).reshape(-1, len(_RANGES))  # type: ignore[arg-type]
        parts = [randomised_response(range(n), truth=p) for n, p in self._laws()]
        kernel = ProductKernel(
            [part.kernel.take_rows(column) for part, column in zip(parts, codes.T, strict=True)]
        )
        return Channel.from_kernel(named, ProductLabels(tuple(part.outputs for part in parts)), kernel)

    def goals(self, secrets: object) -> dict[str, Gain]:
        """Return the label that a bidding model is trained with: the first bit of modelingSignals."""
        return {"label": predicate_gain(as_labels(secrets), lambda signals: signals[0] % 2)}

    def limits(self) -> tuple[Limit, ...]:
        """Return the products over the three signals."""
        parts = [
            response_forms(n, ratio=p * (n - 1) / (1 - p)) if p < 1 else _sure(n) for n, p in self._laws()
        ]
        forms: dict[str, Real] = {
            "bayes_capacity": _product([part["bayes_capacity"] for part in parts]),
            "max_case_capacity": _product([part["max_case_capacity"] for part in parts]),
            "epsilon": sum(float(part["epsilon"]) for part in parts),
            "shannon_capacity_bits": sum(float(part["shannon_capacity_bits"]) for part in parts),
        }
        return limits_from(
            forms,
            {
                "bayes_capacity": "product of n p over the signals, p = truth + (1-truth)/n",
                "max_case_capacity": "product of p (n-1)/(1-p)",
                "epsilon": "sum of ln p (n-1)/(1-p)",
                "shannon_capacity_bits": "sum of the capacities of randomised response",
            },
            self.source,
        )


def _sure(n: int) -> dict[str, Real]:
    return {
        "bayes_capacity": n,
        "max_case_capacity": inf,
        "epsilon": inf,
        "shannon_capacity_bits": log(n) / log(2),
    }


def _product(values: list[Real]) -> Real:
    result: Real = values[0]
    for value in values[1:]:
        result = result * value
    return result


_MONITORING = "WICG/turtledove at b40cae2 (12 May 2025), real-time monitoring"
_BUCKETS = 1028


@final
@dataclass(frozen=True)
class RealTimeMonitoring(Encoded):
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
    status = "retired"
    source = _MONITORING
    sees = "a noisy vector of 1,028 bits"
    unit = Unit("an auction")
    observer_knows_who = False
    redraws = "noise"
    assumptions = (
        "The participant encodes the attribute as one of its 1,024 buckets; the other 4 are the browser's.",
    )
    _chosen = 1024

    def space(self) -> Labels:
        """Return None (nothing to report) and all buckets."""
        return as_labels([None, *range(_BUCKETS)])

    def secret(self, people: Population | Histories) -> Channel:
        """Return the channel from users to the bucket that stands for the attribute."""
        return self.numbered(people, self._chosen)

    def observe(self, secrets: object) -> Channel:
        """Return a vector of independent noisy bits, without its columns."""
        return self.over_time(as_labels(secrets), 1)

    def over_time(self, secrets: Labels, n: int) -> Channel:
        """Return how often each bit was set in n vectors, which tells as much as the vectors."""
        places = self.space().positions(list(secrets), "bucket") - 1
        flip = 1 / (1 + exp(float(self.epsilon) / 2))
        base = np.array([comb(n, k) * flip**k * (1 - flip) ** (n - k) for k in range(n + 1)])
        kernel = OneHotKernel(base, base[::-1], places, _BUCKETS)
        return Channel.from_kernel(secrets, ProductLabels((as_labels(range(n + 1)),) * _BUCKETS), kernel)

    def goals(self, secrets: object) -> dict[str, Gain]:
        """Return which bucket it is: what went wrong in the auction."""
        return {"bucket": bayes_gain(secrets)}

    def limits(self) -> tuple[Limit, ...]:
        """Return the closed forms of one-hot bits with symmetric noise."""
        return limits_from(
            monitoring(_BUCKETS, float(self.epsilon)),
            {
                "bayes_capacity": "e^(epsilon/2) (1 - (1-f)^n) + (1-f)^n, f = 1/(1 + e^(epsilon/2))",
                "epsilon": "epsilon",
                "max_case_capacity": "e^epsilon",
                "shannon_capacity_bits": "at equally probable buckets and the best probability of no report, "
                "a sum over the number of set bits",
            },
            self.source,
        )


_K_ANONYMITY = "WICG/turtledove at b40cae2 (12 May 2025), FLEDGE_k_anonymity_differential_privacy.md"


@final
@dataclass(frozen=True)
class KAnonymityStatus(Encoded):
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
    status = "retired"
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

    def secret(self, people: Population | Histories) -> Channel:
        """Return the channel from users to whether they joined."""
        coded = self.numbered(people, 2)
        return coded @ Channel.deterministic({number: bool(number) for number in coded.outputs})

    def _true(self, counted: int) -> float:
        return status_probability(self.others + counted - self.k, float(self.epsilon), float(self.bound))

    def observe(self, secrets: object) -> Channel:
        """Return the probability of a true status, with and without the user."""
        named = as_labels(secrets)
        laws = {joined: self._true(joined) for joined in (0, 1)}
        rows = [[laws[int(bool(joined))], 1 - laws[int(bool(joined))]] for joined in named]
        return Channel.from_kernel(named, as_labels(["shows", "does not show"]), DenseKernel(np.array(rows)))

    def goals(self, secrets: object) -> dict[str, Gain]:
        """Return whether the user joined."""
        return {"joined": predicate_gain(as_labels(secrets), _itself)}

    def limits(self) -> tuple[Limit, ...]:
        """Return what one step reveals of one browser."""
        before, after = self._true(0), self._true(1)
        worst = max(
            _ratio(after, before),
            _ratio(before, after),
            _ratio(1 - before, 1 - after),
            _ratio(1 - after, 1 - before),
        )
        forms: dict[str, Real] = {
            "bayes_capacity": 1 + after - before,
            "max_case_capacity": worst,
            "epsilon": log(worst) if worst < inf else inf,
        }
        return limits_from(
            forms,
            {
                "bayes_capacity": "1 + P(true | n+1) - P(true | n)",
                "max_case_capacity": "the largest ratio of the two probabilities",
                "epsilon": "its logarithm",
            },
            self.source,
        )


def _itself(secret: Any) -> Any:
    return secret


def _ratio(a: float, b: float) -> float:
    return 1.0 if a == b else inf if b == 0 else a / b
