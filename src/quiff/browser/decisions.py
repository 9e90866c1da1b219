"""Random draws that stay the same: every random choice of a browser follows from a key, an epoch and a site.

The specification draws h(label) = HMAC-SHA256(key, label, epoch time, site), cut to 64 bits, with a key of
the user. So a choice can be made anew at each call, and is always the same. For many users at once, the HMAC
picks a stream for label, epoch and site, and user number i takes the i-th output of SplitMix64 on this stream
(Steele, Lea and Flood, OOPSLA 2014): a counter-based generator, which needs no state.
"""

import hmac
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, TypeAlias, final

import numpy as np

from quiff.core.numbers import Array
from quiff.errors import ParameterError
from quiff.theory.parameters import Real, check_whole

# The specification's names of its decisions.
INDEX = "top-topic-index-decision"
NOISE = "random-or-top-topic-decision"
RANDOM = "random-topic-index-decision"
SWITCH = "epoch-switch-time-decision"
PHASE_OUT = "epoch-phase-out-time-decision"
# Not in the specification: who observed what is given there, and drawn here where it is not.
WITNESS = "witness-decision"

Decide: TypeAlias = Callable[[str, int, str], int]
BulkDecide: TypeAlias = Callable[[str, int, str, Array], Array]

_KEY_BYTES = 16
_FINE = 10**9  # steps of a noise that is no whole number of percents
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_FIRST, _SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)


@final
@dataclass(frozen=True)
class HmacDecisions:
    """The decisions of one browser.

    >>> decide = HmacDecisions(bytes(16))
    >>> decide(INDEX, 0, "news.tld") % 5, decide(INDEX, 0, "sports.tld") % 5
    (0, 3)
    """

    # The user's secret of 128 bits; by default a new one.
    key: bytes = field(default_factory=lambda: secrets.token_bytes(_KEY_BYTES), repr=False)

    def __post_init__(self) -> None:
        if len(self.key) != _KEY_BYTES:
            raise ParameterError(f"a browser's key has {_KEY_BYTES} bytes, not {len(self.key)}")

    def __call__(self, label: str, time: int, site: str) -> int:
        """Return the whole number below 2^64 that label, epoch time in seconds and site stand for."""
        # The specification leaves the bytes of a time open: here they are eight, of whole milliseconds.
        message = f"{label}|".encode() + (1000 * time).to_bytes(8, "big", signed=True) + site.encode()
        return int.from_bytes(hmac.digest(self.key, message, "sha256")[:8], "big")


@final
@dataclass(frozen=True)
class BulkDecisions:
    """The decisions of many browsers, by the users' numbers."""

    # The same seed gives the same decisions; None takes the operating system's randomness.
    seed: int | None = None
    _streams: HmacDecisions = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        seed = secrets.randbits(128) if self.seed is None else check_whole("seed", self.seed, 0)
        words = np.random.SeedSequence(seed).generate_state(_KEY_BYTES // 4)
        object.__setattr__(self, "_streams", HmacDecisions(words.astype("<u4").tobytes()))

    def __call__(self, label: str, epoch: int, site: str, users: Array) -> Array:
        """Return a whole number below 2^64 for each of the users, given by their numbers."""
        return splitmix64(self._streams(label, epoch, site), users)


def splitmix64(start: int, numbers: Array) -> Array:
    """Return outputs of SplitMix64 that starts from a 64-bit number, by their numbers, counted from 0.

    >>> splitmix64(1234567, np.arange(2)).tolist()
    [6457827717110365317, 3203168211198807973]
    """
    x = (numbers.astype(np.uint64) + np.uint64(1)) * _GOLDEN + np.uint64(start)
    x = (x ^ (x >> np.uint64(30))) * _FIRST
    x = (x ^ (x >> np.uint64(27))) * _SECOND
    return np.asarray(x ^ (x >> np.uint64(31)))


def is_noise(decision: Any, noise: Real) -> Any:
    """Tell whether a decision says to replace the topic: h mod 100 < 100 r.

    A noise that is no whole number of percents is rounded to a billionth.

    >>> [is_noise(h, 0.05) for h in (4, 5, 104, 199)]
    [True, False, True, False]
    """
    percents = 100 * Fraction(noise).limit_denominator(_FINE)
    steps, limit = (100, percents.numerator) if percents.denominator == 1 else (_FINE, round(noise * _FINE))
    if isinstance(decision, np.ndarray):
        return decision % np.uint64(steps) < np.uint64(limit)
    return decision % steps < limit
