"""Every labelled equation and formal result, on random cases: what is printed beside an explicit channel.

Each function has two sides: what the print gives, and what quiff measures on the channel. All numbers are
fractions, so that equal means equal; an inequality is compared with True.
"""

import math
from collections.abc import Callable, Hashable, Iterable, Sequence
from fractions import Fraction
from functools import cache, partial
from inspect import signature
from itertools import chain, combinations, product
from math import comb
from random import Random
from typing import Any

from quiff.core.channel import Channel
from quiff.core.compose import external_choice, internal_choice, kronecker, parallel
from quiff.core.gain import Gain, bayes_gain, membership_gain, predicate_gain
from quiff.core.prior import Prior
from quiff.measures.capacity import bayes_capacity, max_case_capacity
from quiff.measures.privacy import epsilon
from quiff.measures.vulnerability import dalenius_leakage, leakage, posterior_vulnerability, vulnerability
from quiff.papers.items import Reading
from quiff.papers.recompute import iba_gains, report_channel

CASES = 40
X, Y = ("x1", "x2", "x3"), ("y1", "y2", "y3")


class Draw(Random):
    """Random probabilities, channels and sets, in fractions."""

    def shares(self, n: int, least: int = 0) -> list[Fraction]:
        """Return n fractions that sum to 1, all positive if `least` is 1."""
        weights = [self.randint(least, 5) for _ in range(n)]
        weights[self.randrange(n)] += 1
        return [Fraction(weight, sum(weights)) for weight in weights]

    def prior(self, labels: Iterable[Hashable] = X) -> Prior:
        """Return a prior on the labels."""
        names = list(labels)
        return Prior(dict(zip(names, self.shares(len(names), 1), strict=True)))

    def channel(
        self, inputs: Sequence[Hashable] = X, outputs: Sequence[Hashable] = Y, least: int = 0
    ) -> Channel:
        """Return a channel with any rows, without zeros if `least` is 1."""
        return Channel([self.shares(len(outputs), least) for _ in inputs], inputs, outputs)

    def gain(self, inputs: Sequence[Hashable] = X) -> Gain:
        """Return a gain of two to four actions, one of which is worth something everywhere."""
        rows = [[self.randint(0, 3) for _ in inputs] for _ in range(self.randint(1, 3))]
        return Gain([*rows, [1] * len(inputs)], range(len(rows) + 1), inputs)

    def noise(self, least: int = 0) -> Fraction:
        """Return a number from 0 to 1, not 0 if `least` is 1."""
        return Fraction(self.randint(least, 10), 10)

    def sets(self, least: int = 1) -> tuple[tuple[frozenset[str], ...], tuple[str, ...]]:
        """Return different sets of the same size, and the topics from which they are drawn."""
        topics = tuple("abcdef"[: self.randint(3, 6)])
        s = self.randint(1, min(3, len(topics) - (least > 1)))
        every = list(map(frozenset, combinations(topics, s)))
        return tuple(self.sample(every, min(len(every), self.randint(least, 4)))), topics


@cache
def tried(id_: str) -> tuple[Reading]:
    """Try one equation on random cases, up to the first where the two sides differ.

    >>> tried("eq-leakage")[0].computed
    'holds in 40 random cases'
    >>> tried("eq-cookies-posterior")[0].agrees
    False
    """
    draw, sides = EQUATIONS[id_]
    for number in range(CASES):
        drawn = draw(Draw(f"{id_} {number}"))
        printed, own = sides(*drawn)
        if printed != own:
            named = zip(signature(sides).parameters, drawn, strict=False)
            case = ", ".join(f"{name}={value}" for name, value in named if isinstance(value, int | Fraction))
            return (Reading(f"{own}, where the equation gives {printed}, for {case}", agrees=False),)
    return (Reading(f"holds in {CASES} random cases", agrees=True),)


def _entries(C: Channel) -> dict[Any, Any]:
    rows = zip(C.inputs, C.to_numpy().tolist(), strict=True)
    return {(x, y): entry for x, row in rows for y, entry in zip(C.outputs, row, strict=True)}


def _close(ratio: Fraction, C: Channel) -> bool:
    return math.isclose(math.log(ratio), epsilon(C), abs_tol=1e-12)


# A prior, a channel and a gain: the definitions, as they are printed.


def _prior_gain(pi: Prior, g: Gain) -> Any:
    return max(sum(pi[x] * gain for x, gain in zip(X, row, strict=True)) for row in g.to_numpy().tolist())


def _posterior_gain(pi: Prior, C: Channel, g: Gain) -> Any:
    return sum(
        max(
            sum(pi[x] * C[x, y] * gain for x, gain in zip(X, row, strict=True))
            for row in g.to_numpy().tolist()
        )
        for y in Y
    )


_MEASURED: dict[str, Callable[..., tuple[Any, Any]]] = {
    "eq-prior-vulnerability": lambda pi, _, g: (_prior_gain(pi, g), vulnerability(pi, g)),
    "eq-posterior-vulnerability": lambda pi, C, g: (
        _posterior_gain(pi, C, g),
        posterior_vulnerability(pi, C, g),
    ),
    "eq-leakage": lambda pi, C, g: (_posterior_gain(pi, C, g) / _prior_gain(pi, g), leakage(pi, C, g)),
    "eq-bayes-vulnerability-initial": lambda pi, *_: (max(pi[x] for x in X), vulnerability(pi)),
    "eq-bayes-vulnerability-final": lambda pi, C, _: (
        sum(max(pi[x] * C[x, y] for x in X) for y in Y),
        posterior_vulnerability(pi, C),
    ),
    "eq-bayes-capacity": lambda pi, C, g: (
        (most := sum(max(C[x, y] for x in X) for y in Y), True),
        (leakage(Prior.uniform(X), C), leakage(pi, C, g) <= most),
    ),
}
_POSITIVE: dict[str, Callable[..., tuple[Any, Any]]] = {  # channels without zeros, as the text has it
    "eq-lift-capacity-epsilon": lambda C: (
        (ratio := max(C[x, y] / C[x2, y] for y in Y for x in X for x2 in X), True),
        (max_case_capacity(C), _close(ratio, C)),
    ),
    "eq-epsilon-differential-privacy": lambda C: (
        max(
            sum(one[y] for y in event) / sum(two[y] for y in event)
            for event in chain.from_iterable(combinations(range(len(Y)), k) for k in (1, 2, 3))
            for one, two in product(C.to_numpy().tolist(), repeat=2)
        ),
        max_case_capacity(C),
    ),
}


# Two channels, on the same secret or on two.
_COMPOSED: dict[str, Callable[..., tuple[Any, Any]]] = {
    "eq-internal-choice": lambda C, D, r, *_: (
        {
            xy: (1 - r) * first.get(xy, 0) + r * second.get(xy, 0)  # no column: never shown
            for first, second in [(_entries(C), _entries(D))]
            for xy in product(X, Y)
        },
        _entries(internal_choice(C, D, r)),
    ),
    "eq-external-choice": lambda C, D, r, *_: (
        {(x, (0, y)): (1 - r) * p for (x, y), p in _entries(C).items()}
        | {(x, (1, y)): r * p for (x, y), p in _entries(D).items()},
        _entries(external_choice(C, D, r)),
    ),
    "eq-parallel-composition": lambda C, D, *_: (
        {(x, (y, z)): C[x, y] * D[x, z] for x, y, z in product(X, C.outputs, D.outputs)},
        _entries(parallel(C, D)),
    ),
    "lem-internal-choice-lower-bound": lambda C, D, r, pi, g: (
        posterior_vulnerability(pi, internal_choice(C, D, r), g)
        >= max((1 - r) * posterior_vulnerability(pi, C, g), r * posterior_vulnerability(pi, D, g)),
        True,
    ),
}
_APART: dict[str, Callable[..., tuple[Any, Any]]] = {
    "eq-kronecker-product": lambda C, D: (
        {
            ((x, u), (y, v)): p * q
            for ((x, y), p), ((u, v), q) in product(_entries(C).items(), _entries(D).items())
        },
        _entries(kronecker(C, D)),
    ),
    "thm-kronecker-capacity": lambda C, D: (
        bayes_capacity(C) * bayes_capacity(D),
        bayes_capacity(kronecker(C, D)),
    ),
    "cor-kronecker-vulnerability": lambda C, D: (_uniform(C) * _uniform(D), _uniform(kronecker(C, D))),
}


def _composed(draw: Draw) -> tuple[Any, ...]:
    C, D = draw.channel(outputs=("y1", "y2")), draw.channel(outputs=("y2", "y3"))
    return C, D, draw.noise(), draw.prior(), draw.gain()


def _uniform(C: Channel) -> Any:
    return posterior_vulnerability(Prior.uniform(C.inputs), C)


# Users with sets of topics, and what the stages of the API leak about them.


def _cookies(draw: Draw) -> tuple[int, int, Channel]:
    """Draw users of cookies, with as many different histories as there can be."""
    N, c = draw.randint(1, 12), draw.randint(2, 4)
    histories = [h for size in range(2, c + 1) for h in combinations(range(c), size)]
    return N, c, Channel.deterministic({x: histories[x % len(histories)] for x in range(N)})


def _stage(noise: Callable[[Draw], Fraction | None]) -> Callable[[Draw], tuple[Any, ...]]:
    """Return what draws N, m, m', s, r, and the channel from users to a topic or, without r, to a set."""

    def drawn(draw: Draw) -> tuple[Any, ...]:
        (sets, topics), r = draw.sets(), noise(draw)
        users = {x: draw.choice(sets) for x in range(draw.randint(1, 5))}
        seen = tuple(dict.fromkeys(users.values()))
        C = Channel.deterministic(users, seen)
        m, s, occurring = len(topics), len(seen[0]), len(frozenset[str]().union(*seen))
        return len(users), m, occurring, s, r, C if r is None else C @ report_channel(seen, topics, r)

    return drawn


def _leaks(printed: Callable[..., tuple[Any, Any]], what: str, N: int, *case: Any) -> tuple[Any, Any]:
    """Compare a leakage, or the posterior that it makes of 1/N, and whether it is within the bound."""
    (value, bound), C = printed(*case), case[-1]
    if what == "leakage":
        return (value, True), (own := leakage(Prior.uniform(C.inputs), C), own <= bound)
    return (Fraction(value) / N, True), (own := _uniform(C), own * N <= bound)


_LEAKAGES: dict[str, tuple[Callable[[Draw], Fraction | None], Callable[..., tuple[Any, Any]]]] = {
    "generalization": (lambda _: None, lambda m, _, s, __, C: (len(C.outputs), comb(m, s))),
    "bounded-noise": (
        lambda _: Fraction(0),
        lambda m, occurring, s, *_: (Fraction(occurring, s), Fraction(m, s)),
    ),
    "topics": (
        lambda draw: draw.noise(),
        lambda m, occurring, s, r, _: (r + occurring * (1 - r) / s, r + m * (1 - r) / s),
    ),
}
_MAX_CASE: dict[str, Callable[..., tuple[Any, Any]]] = {
    "eq-max-case-capacity": lambda m, s, r, C: (1 + m * (1 - r) / (r * s), max_case_capacity(C)),
    "eq-epsilon": lambda m, s, r, C: (True, _close(1 + m * (1 - r) / (r * s), C)),
}


def _different(draw: Draw) -> tuple[Any, ...]:
    (sets, topics), r = draw.sets(least=2), draw.noise(1)
    return len(topics), len(sets[0]), r, report_channel(sets, topics, r)


# What an advertiser learns: a topic of the set, and counts.
_NAMED: dict[str, Callable[..., tuple[Any, Any]]] = {
    "eq-model-topics-utility-channel": lambda sets, topics, r, _: (
        {(x, t): ((1 - r) / len(x) if t in x else 0) + r / len(topics) for x in sets for t in topics},
        _entries(report_channel(sets, topics, r)),
    ),
    "eq-iba-gain": lambda sets, topics, *_: (
        [[int(t in x) for x in sets] for t in topics],
        membership_gain({x: x for x in sets}, topics).to_numpy().tolist(),
    ),
    "thm-iba-gain-initial": lambda sets, topics, r, prior: (
        max(sum(prior[x] for x in sets if t in x) for t in topics),
        iba_gains(prior, sets, topics, r)[0],
    ),
    "thm-iba-gain-final-bounded-noise": lambda sets, topics, _, prior: (
        1,
        iba_gains(prior, sets, topics, Fraction(0))[1],
    ),
    "thm-iba-gain-final": lambda sets, topics, r, prior: (
        1 - r <= (gains := iba_gains(prior, sets, topics, r))[1] <= 1 - r + r * gains[0],
        True,
    ),
}


def _named(draw: Draw) -> tuple[Any, ...]:
    sets, topics = draw.sets()
    return sets, topics, draw.noise(), draw.prior(sets)


def _counted(draw: Draw) -> tuple[Any, ...]:
    """Draw N, p and q of an API, and its channel when one topic is asked for: in the set, or not."""
    topics, s, r = tuple("abcdef"[: draw.randint(3, 6)]), draw.randint(1, 2), draw.noise()
    C = report_channel((frozenset(topics[:s]), frozenset(topics[1 : s + 1])), topics, r)
    asked = C @ Channel.deterministic({t: t == topics[0] for t in topics}, [True, False])
    q = r / len(topics)
    return draw.randint(1, 3), (1 - r) / s + q, q, Channel(asked.to_numpy(), [True, False], [True, False])


def _everybody(C: Channel, N: int) -> Channel:
    return C if N == 1 else kronecker(_everybody(C, N - 1), C)


_COUNTED: dict[str, Callable[..., tuple[Any, Any]]] = {
    "eq-counting-channel": lambda _, p, q, C: ([[p, 1 - p], [q, 1 - q]], C.to_numpy().tolist()),
    "eq-counting-binomial": lambda N, p, q, C: (
        sum(comb(N, n) * p**n * (1 - q) ** (N - n) for n in range(N + 1)),
        _uniform(_everybody(C, N)),
    ),
    "eq-counting-gain": lambda N, *_: (
        [[int(sum(bits) == count) for bits in product((1, 0), repeat=N)] for count in range(N, -1, -1)],
        predicate_gain(list(product((1, 0), repeat=N)), sum).to_numpy().tolist(),
    ),
}

EQUATIONS: dict[str, tuple[Callable[[Draw], tuple[Any, ...]], Callable[..., tuple[Any, Any]]]] = {
    "eq-dalenius-capacity": (
        lambda draw: (draw.prior(product(X[:2], X)), draw.channel(), draw.gain(X[:2])),
        lambda joint, C, g: (dalenius_leakage(joint, C, g) <= bayes_capacity(C), True),
    ),
    "eq-id-gain": (
        lambda draw: (draw.randint(1, 5),),
        lambda n: (
            [[int(w == x) for x in range(n)] for w in range(n)],
            bayes_gain(range(n)).to_numpy().tolist(),
        ),
    ),
    "eq-privacy-vulnerability-initial": (
        lambda draw: (draw.randint(1, 50),),
        lambda N: (Fraction(1, N), vulnerability(Prior.uniform(range(N)))),
    ),
    "eq-cookies-posterior": (
        _cookies,
        lambda N, c, C: (Fraction(sum(comb(c, h) for h in range(2, c + 1)), N), _uniform(C)),
    ),
    "eq-cookies-leakage": (
        _cookies,
        lambda N, c, C: (sum(comb(c, h) for h in range(2, c + 1)), leakage(Prior.uniform(range(N)), C)),
    ),
}
"""How to draw the cases of each equation, and its two sides."""

for _draw, _group in (
    (lambda draw: (draw.prior(), draw.channel(), draw.gain()), _MEASURED),
    (lambda draw: (draw.channel(least=1),), _POSITIVE),
    (_composed, _COMPOSED),
    (lambda draw: (draw.channel(), draw.channel(("u", "v"), ("s", "t"))), _APART),
    (_different, _MAX_CASE),
    (_named, _NAMED),
    (_counted, _COUNTED),
):
    EQUATIONS |= {id_: (_draw, sides) for id_, sides in _group.items()}
for _name, (_noise, _printed) in _LEAKAGES.items():
    for _what in ("posterior", "leakage"):
        EQUATIONS[f"eq-{_name}-{_what}"] = (_stage(_noise), partial(_leaks, _printed, _what))
