"""Example channels whose capacities are known by hand, exact."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

from quiff.core.channel import Channel
from quiff.core.numbers import Number
from quiff.programs.channel import program_channel
from quiff.testing import classics


@dataclass(frozen=True)
class Example:
    """A channel with its name, its two capacities, and why they are what they are."""

    name: str
    channel: Channel
    bayes_capacity: Number
    max_case_capacity: Number
    why: str


def gallery() -> Iterator[Example]:
    """Yield the example channels.

    Examples
    --------
    >>> from quiff import bayes_capacity
    >>> for example in gallery():
    ...     assert bayes_capacity(example.channel) == example.bayes_capacity
    """
    yield from _textbook_channels()
    yield from _membership_channels()
    yield from _programs()


def _textbook_channels() -> Iterator[Example]:
    one, half = Fraction(1), Fraction(1, 2)
    yield Example("identity", Channel.identity(list("abcd")), 4 * one, math.inf, "it tells all")
    yield Example("constant", Channel.constant([half, half], range(3)), one, one, "it tells nothing")
    p = Fraction(4, 5)
    symmetric = Channel([[p, 1 - p], [1 - p, p]])
    yield Example("binary symmetric", symmetric, 2 * p, p / (1 - p), "2p and p/(1-p) for p >= 1/2")
    e = Fraction(1, 3)
    erasure = Channel([[1 - e, e, 0], [0, e, 1 - e]], outputs=[0, "?", 1])
    yield Example("binary erasure", erasure, 2 - e, math.inf, "2(1-e) + e; a column mixes 0 and 1-e")
    yield Example("Z", Channel([[1, 0], [e, 1 - e]]), 2 - e, math.inf, "1 + (1-e)")
    letters = range(6)
    rows = [[half if y in (x, (x + 1) % 6) else 0 for y in letters] for x in letters]
    yield Example("noisy typewriter", Channel(rows), 3 * one, math.inf, "every key or its neighbour: n/2")


def _membership_channels() -> Iterator[Example]:
    p = Fraction(3, 5)
    q = (1 - p) / 3
    response = Channel.membership({x: [x] for x in range(4)}, range(4), p, q)
    why = "n p and p/q, Warner's protocol for n answers"
    yield Example("randomised response", response, 4 * p, p / q, why)
    m, s, r = 5, 2, Fraction(1, 20)
    pairs = {(a, b): [a, b] for a in range(m) for b in range(a)}
    topics = Channel.membership(pairs, range(m), (1 - r) / s + r / m, r / m)
    capacity, worst = r + m * (1 - r) / s, 1 + m * (1 - r) / (r * s)
    why = "r + m(1-r)/s and 1 + m(1-r)/(rs)"
    yield Example("Topics API, all pairs of five", topics, capacity, worst, why)


def _programs() -> Iterator[Example]:
    one = Fraction(1)

    def example(name: str, secrets: object, capacity: int, worst: Number, why: str) -> Example:
        C = program_channel(getattr(classics, name), secrets)
        return Example(name.replace("_", " "), C, capacity * one, worst, why)

    words = list(map("".join, product("abc", repeat=4)))
    yield example("monty_hall", [0, 1, 2], 2, math.inf, "two doors may be opened; switching wins in 2 of 3")
    yield example("password_timing", words, 5, math.inf, "four places to stop at, or none")
    yield example("password_in_constant_time", words, 2, math.inf, "right or wrong")
    response = program_channel(classics.warner, [False, True])
    yield Example("Warner", response, Fraction(3, 2), 3 * one, "2p and p/(1-p)")
    yield example("randomised_response", range(4), 2, 3 * one, "k p and p/q with q = (1-p)/(k-1)")
    yield example("dining_cryptographers", [0, 1, 2], 1, one, "fair coins hide who paid")
    others = [0, 1, 2, "somebody else"]
    yield example("dining_cryptographers", others, 2, math.inf, "but not whether one of them did")
    yield example("square_and_multiply", range(256), 256, math.inf, "every exponent has its own sequence")
