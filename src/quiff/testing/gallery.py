"""Example channels whose capacities are known by hand, exact; `quiff.testing.facts` has more."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

from quiff import mechanisms
from quiff.apis.program import program
from quiff.core.channel import Channel
from quiff.core.compose import repeat
from quiff.core.numbers import Number
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

    >>> from quiff import bayes_capacity
    >>> for example in gallery():
    ...     assert bayes_capacity(example.channel) == example.bayes_capacity
    """
    yield from _textbook_channels()
    yield from _membership_channels()
    yield from _programs()
    yield from _mechanisms()
    yield from _systems()


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
    yield Example("response among four", response, 4 * p, p / q, why)
    m, s, r = 5, 2, Fraction(1, 20)
    pairs = {(a, b): [a, b] for a in range(m) for b in range(a)}
    topics = Channel.membership(pairs, range(m), (1 - r) / s + r / m, r / m)
    capacity, worst = r + m * (1 - r) / s, 1 + m * (1 - r) / (r * s)
    why = "r + m(1-r)/s and 1 + m(1-r)/(rs)"
    yield Example("Topics API, all pairs of five", topics, capacity, worst, why)


def _programs() -> Iterator[Example]:
    one = Fraction(1)

    def example(
        name: str, secrets: object, capacity: int, worst: Number, why: str, more: str = ""
    ) -> Example:
        C = program(getattr(classics, name)).channel(secrets)
        return Example(name.replace("_", " ") + more, C, capacity * one, worst, why)

    words = list(map("".join, product("abc", repeat=4)))
    yield example("monty_hall", [0, 1, 2], 2, math.inf, "two doors may be opened; switching wins in 2 of 3")
    yield example("password_timing", words, 5, math.inf, "four places to stop at, or none")
    yield example("password_in_constant_time", words, 2, math.inf, "right or wrong")
    response = program(classics.warner).channel([False, True])
    yield Example("Warner", response, Fraction(3, 2), 3 * one, "2p and p/(1-p)")
    yield example("randomised_response", range(4), 2, 3 * one, "k p and p/q with q = (1-p)/(k-1)")
    yield example("dining_cryptographers", [0, 1, 2], 1, one, "fair coins hide who paid")
    others = [0, 1, 2, "somebody else"]
    why = "but not whether one of them did"
    yield example("dining_cryptographers", others, 2, math.inf, why, " and an outsider")
    biased = program(classics.dining_cryptographers)(bias=Fraction(1, 4)).channel([0, 1, 2])
    why = "3 - 8pq and (1-3pq)/pq for coins of bias p"
    yield Example("dining cryptographers, biased coins", biased, Fraction(3, 2), Fraction(7, 3), why)
    yield example("square_and_multiply", range(256), 256, math.inf, "every exponent has its own sequence")


def _mechanisms() -> Iterator[Example]:
    """Yield mechanisms with the ratio e^epsilon of 2 or 3, and what they are made for."""
    a = Fraction(1, 2)
    noisy = mechanisms.truncated_geometric(range(5), ratio=2)
    why = "(n(1-a) + 2a)/(1+a) with a = e^-epsilon, and e^(n-1)epsilon between the ends"
    yield Example("truncated geometric", noisy, (5 * (1 - a) + 2 * a) / (1 + a), Fraction(16), why)
    wide = mechanisms.geometric(range(5), ratio=2)
    yield Example("geometric", wide, Fraction(7, 3), Fraction(16), "to cut the ends loses nothing")
    chosen = mechanisms.subset_selection(range(4), 2, ratio=3)
    why = "k e^epsilon/(d e^epsilon + k - d) and e^epsilon"
    yield Example("subset selection", chosen, Fraction(3, 2), Fraction(3), why)
    bits = mechanisms.rappor(range(3), a)
    why = "a/b (1-(1-b)^k) + (1-a)/(1-b) (1-b)^k with a = 1-f/2 and b = f/2"
    yield Example("RAPPOR of three bits", bits, Fraction(15, 8), Fraction(9), why)
    p = Fraction(4, 5)
    again = repeat(Channel([[p, 1 - p], [1 - p, p]]), 3)
    why = "2(p^3 + 3p^2 q): the majority of three is right; (p/q)^3"
    yield Example("binary symmetric, three times", again, Fraction(224, 125), Fraction(64), why)


def _systems() -> Iterator[Example]:
    """Yield small systems of everyday."""
    one, e = Fraction(1), Fraction(1, 4)
    dice = Channel.deterministic({pair: sum(pair) for pair in product(range(1, 7), repeat=2)})
    yield Example("sum of two dice", dice, 11 * one, math.inf, "as many sums as there are")
    ballots = Channel.deterministic({votes: sum(votes) for votes in product((0, 1), repeat=3)})
    yield Example("election of three voters", ballots, 4 * one, math.inf, "the tally is 0, 1, 2 or 3")
    secrets = range(256)
    rare = Channel.deterministic({x: x if x % 8 == 0 else 1 for x in secrets})
    yield Example("all or nothing", rare, 33 * one, math.inf, "32 secrets are told, the rest is one output")
    low = Channel.deterministic({x: x % 4 for x in secrets})
    yield Example("two bits of eight", low, 4 * one, math.inf, "two bits: 2^2")
    lost = Channel.sparse({x: {x: 1 - e, "?": e} for x in "abc"}, outputs=[*"abc", "?"])
    yield Example("erasure of three", lost, 3 * (1 - e) + e, math.inf, "k(1-e) + e")
    # Crowds: 4 honest users and 1 spy; forwarding with 3/4. A spy sees who handed the message on.
    seen, other = Fraction(11, 40), Fraction(3, 40)
    rows = [[seen if x == y else other for y in range(4)] + [1 - seen - 3 * other] for x in range(4)]
    crowd = Channel(rows, outputs=[*range(4), "nobody"])
    why = "c/n (1 + r/(m(1-r))) on the diagonal, r = m f/n: 4 of these and 1/2 that no spy is met"
    yield Example("crowds", crowd, Fraction(8, 5), Fraction(11, 3), why)
