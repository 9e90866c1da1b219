"""Facts of the field with their values, and how quiff measures them: for teachers, and for tests."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

from quiff import mechanisms
from quiff.core.channel import Channel
from quiff.core.compose import parallel, repeat
from quiff.core.gain import Gain, Loss, predicate_gain, tries_gain
from quiff.core.metric import euclidean
from quiff.core.numbers import Number
from quiff.core.prior import Prior
from quiff.measures.capacity import bayes_capacity, shannon_capacity
from quiff.measures.optimal import least_loss
from quiff.measures.privacy import bayes_security, delta
from quiff.measures.vulnerability import (
    dalenius_leakage,
    guessing_entropy,
    leakage,
    mutual_information,
    posterior_vulnerability,
    vulnerability,
)
from quiff.testing.gallery import Example, gallery


@dataclass(frozen=True)
class Fact:
    """A number that is known, how to measure it, and why it is what it is."""

    name: str
    value: Number
    measured: Callable[[], Number]
    why: str


def facts() -> Iterator[Fact]:
    """Yield the facts.

    Examples
    --------
    >>> for fact in facts():
    ...     assert math.isclose(fact.measured(), fact.value, rel_tol=1e-9)
    """
    known = {example.name: example for example in gallery()}
    yield from _about_guesses(known)
    yield from _about_bits(known)
    yield from _about_privacy()


def _about_guesses(known: dict[str, Example]) -> Iterator[Fact]:
    doors = Prior.uniform(range(3))
    yield Fact(
        "switching doors",
        Fraction(2, 3),
        lambda: posterior_vulnerability(doors, known["monty hall"].channel),
        "the prize is behind the other shut door unless the first choice was right",
    )
    pins = Prior.uniform(range(10_000))
    yield Fact(
        "three tries at a PIN",
        Fraction(3, 10_000),
        lambda: vulnerability(pins, tries_gain(range(10_000), 3)),
        "3 of 10,000",
    )
    yield Fact(
        "the gain of the tiger",
        Fraction(7, 8),
        lambda: posterior_vulnerability(Prior.uniform(["left", "right"]), *_tiger()),
        "listen once, right with 7/8, and open; staying out is worth 1/2 (Alvim et al., Science of QIF)",
    )
    yield Fact(
        "parity of a die",
        Fraction(1, 2),
        lambda: vulnerability(Prior.uniform(range(1, 7)), predicate_gain(range(1, 7), lambda x: x % 2)),
        "three of six",
    )
    yield Fact(
        "guesses at a byte",
        Fraction(257, 2),
        lambda: guessing_entropy(Prior.uniform(range(256))),
        "(n+1)/2 on average",
    )
    skewed = Prior({"a": Fraction(9, 10), "b": Fraction(1, 10)})
    yield Fact(
        "a channel without Bayes leakage that is not constant",
        Fraction(1),
        lambda: leakage(skewed, Channel([[0.8, 0.2], [0.2, 0.8]], inputs=["a", "b"])),
        "the best guess is a whatever is seen: 9/10 1/5 > 1/10 4/5",
    )
    yield Fact(
        "the sum of two dice tells one of them",
        Fraction(11, 6),
        _sum_about_first,
        "sum over sums s of max_z P(z, s) = 11/36; times 6",
    )
    one, other = (Channel.deterministic({x: x[i] for x in product((0, 1), repeat=2)}) for i in (0, 1))
    yield Fact(
        "two bits, one each",
        Fraction(4),
        lambda: bayes_capacity(parallel(one, other)),
        "independent observations multiply: 2 times 2",
    )


def _about_bits(known: dict[str, Example]) -> Iterator[Fact]:
    bytes_ = Prior.uniform(range(256))
    yield Fact(
        "bits of all or nothing",
        1 + 7 / 8 * math.log2(8 / 7),
        lambda: mutual_information(bytes_, known["all or nothing"].channel),
        "fewer bits than two of eight tell, though guesses are right 8 times as often (Smith 2009)",
    )
    yield Fact(
        "bits of two of eight",
        2.0,
        lambda: mutual_information(bytes_, known["two bits of eight"].channel),
        "two bits",
    )
    yield Fact(
        "capacity of the binary symmetric channel",
        1 + 0.8 * math.log2(0.8) + 0.2 * math.log2(0.2),
        lambda: shannon_capacity(known["binary symmetric"].channel).value,
        "1 - h(1/5) (Shannon 1948)",
    )
    yield Fact(
        "capacity of the erasure channel",
        2 / 3,
        lambda: shannon_capacity(known["binary erasure"].channel).value,
        "1 - e",
    )
    yield Fact(
        "capacity of the Z channel",
        math.log2(5 / 4),
        lambda: shannon_capacity(Channel([[1, 0], [0.5, 0.5]])).value,
        "log2(1 + (1-e) e^(e/(1-e))) with e = 1/2",
    )
    yield Fact(
        "capacity of the noisy typewriter",
        math.log2(3),
        lambda: shannon_capacity(known["noisy typewriter"].channel).value,
        "every second key is told without noise: log2(n/2)",
    )


def _about_privacy() -> Iterator[Fact]:
    yield Fact(
        "delta of Warner's response",
        Fraction(1, 4),
        lambda: Fraction(delta(mechanisms.warner(truth=0.75), math.log(2))).limit_denominator(10**6),
        "p - e^epsilon q = 3/4 - 2/4",
    )
    yield Fact(
        "Bayes security of Warner's response",
        Fraction(1, 2),
        lambda: bayes_security(mechanisms.warner(ratio=3)),
        "1 - (p - q)",
    )
    yield Fact(
        "ten answers of Warner's",
        sum(Fraction(math.comb(10, j) * max(3 ** (10 - j), 3**j), 4**10) for j in range(11)),
        lambda: bayes_capacity(repeat(mechanisms.warner(ratio=3), 10)),
        "twice the probability that the majority of ten is right, ties shared",
    )
    floors = range(6)
    far = Loss.from_metric(euclidean, floors)
    yield Fact(
        "the least error on six floors",
        Fraction(547, 972),
        lambda: least_loss(Prior.uniform(floors), far, ratio=3, distance=euclidean).value,
        "no mechanism beats geometric noise that is interpreted best (Ghosh, Roughgarden, Sundararajan)",
    )
    yield Fact(
        "magnitude of two points",
        2 / (1 + math.exp(-1)),
        lambda: bayes_capacity(mechanisms.tight_constraints([0, 1], euclidean)),
        "2/(1 + e^-d): the capacity of tight constraints is the magnitude of the space (Leinster)",
    )


def _tiger() -> tuple[Channel, Gain]:
    """Return what is heard of a tiger behind one of two doors, and the gain of opening one, or none."""
    ear = Fraction(7, 8)
    listened = Channel([[ear, 1 - ear], [1 - ear, ear]], inputs=["left", "right"])
    half = Fraction(1, 2)
    gain = Gain([[0, 1], [1, 0], [half, half]], actions=["left", "right", "out"], inputs=["left", "right"])
    return listened, gain


def _sum_about_first() -> Number:
    """Return what the sum of two dice leaks about the first of them."""
    sums = Channel.deterministic({pair: sum(pair) for pair in product(range(1, 7), repeat=2)})
    joint = Prior({(pair[0], pair): Fraction(1, 36) for pair in product(range(1, 7), repeat=2)})
    return dalenius_leakage(joint, sums)
