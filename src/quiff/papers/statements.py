"""Statements in words, each decided by a computation on a channel or a closed form.

Where a cause names readings, a function returns what was computed under each of them, in their order.
"""

from collections.abc import Callable
from fractions import Fraction
from itertools import combinations, pairwise
from math import comb
from typing import TypeAlias

from quiff import theory
from quiff.core.channel import Channel
from quiff.core.compose import external_choice, internal_choice, kronecker, parallel
from quiff.core.gain import membership_gain
from quiff.core.prior import Prior
from quiff.measures.capacity import bayes_capacity
from quiff.measures.vulnerability import leakage, posterior_vulnerability
from quiff.papers.equations import CASES, Draw, tried
from quiff.papers.items import PRINTED, Reading, Value
from quiff.papers.recompute import DISTINCT, NOISE, SETS, TOP_S, TOPICS, iba_gains, report_channel
from quiff.papers.verdict import Interval, parse_number, rounds_to
from quiff.theory.taxonomies import TAXONOMY_SIZES

Readings: TypeAlias = tuple[Reading, ...]
_AB, _AC, _DE = (frozenset(pair) for pair in ("ab", "ac", "de"))
_LETTERS = tuple("abcde")
_COMPLETE = Channel.deterministic(SETS, DISTINCT) @ report_channel()
_TWICE, _USERS = parallel(_COMPLETE, _COMPLETE), Prior.uniform(SETS)
_V1 = TAXONOMY_SIZES["v1"]
_DATA_SETS = ("citizen-lab", "google-v1")


def _printed(id_: str) -> int:
    return int(parse_number(PRINTED[id_]))


# The topics that occur in each data set, as the table of its statistics prints them.
_CITIZEN_LAB, _OCCURRING = (_printed(f"experimental-{key}-topics") for key in _DATA_SETS)


def _capacity(m: int, s: int = TOP_S) -> Value:
    return theory.bayes_capacity(m, s, NOISE)


def _max_case(m: int, s: int = TOP_S) -> Value:
    return theory.max_case_capacity(m, s, NOISE)


def _every(claim: Callable[[Draw], bool]) -> Reading:
    """Return whether a claim holds in all of some random cases."""
    holds = all(claim(Draw(number)) for number in range(CASES))
    return Reading(f"holds in {CASES} random cases" if holds else "fails in a random case", holds)


def _joined(values: list[Value], style: str) -> str:
    return " and ".join(format(float(value), style) for value in values)


# The advertiser's gain.


def _reach_one() -> Readings:
    _, after = iba_gains(Prior.uniform((_AB, _AC)), (_AB, _AC), _LETTERS)

    def claim(draw: Draw) -> bool:
        (sets, topics), r = draw.sets(), draw.noise(1)
        before, gain = iba_gains(draw.prior(sets), sets, topics, r)
        return gain < 1 or before == 1

    return Reading(f"{float(after):g} at r=0.05 for the sets ab and ac", after < 1), _every(claim)


def _uniform_prior() -> Readings:
    sets = (_AB, _AC, _DE)
    before, after = iba_gains(Prior.uniform(sets), sets, _LETTERS)
    bound = theory.iba_upper(NOISE, before)

    def claim(draw: Draw) -> bool:
        topics, r = _LETTERS[: draw.randint(2, 5)], draw.noise()
        every = tuple(map(frozenset, combinations(topics, draw.randint(1, len(topics)))))
        prior, posterior = iba_gains(Prior.uniform(every), every, topics, r)
        return posterior == theory.iba_upper(r, prior)

    text = f"{float(after):.5f} against the bound {float(bound):.5f}, uniform on ab, ac, de"
    return Reading(text, after == bound), _every(claim)


def _genuine() -> Readings:
    row = report_channel((_AB,), _LETTERS).row(_AB)
    own = row["a"] + row["b"]
    return Reading(1 - NOISE, agrees=True), Reading(own, own == 1 - NOISE)


def _refinement() -> Readings:
    """Forget which channel ran, and see which of the two choices is the safer one."""
    sets = (_AB, _AC, _DE)
    naming, prior = membership_gain({x: x for x in sets}, _LETTERS), Prior.uniform(sets)
    bounded, random = (report_channel(sets, _LETTERS, Fraction(r)) for r in (0, 1))
    inner, outer = (
        posterior_vulnerability(prior, choice(bounded, random, NOISE), naming)
        for choice in (internal_choice, external_choice)
    )

    def claim(draw: Draw) -> bool:
        C, D, r = draw.channel(), draw.channel(), draw.noise()
        inside, outside = internal_choice(C, D, r), external_choice(C, D, r)
        forget = Channel.deterministic({tagged: tagged[1] for tagged in outside.outputs}, inside.outputs)  # type: ignore[index]
        return bool(((outside @ forget).to_numpy() == inside.to_numpy()).all())

    text = f"the external choice gives the advertiser {float(outer):.5f}, the internal one {float(inner):.5f}"
    return Reading(text, outer <= inner), _every(claim)


def _lemma_words() -> Readings:
    """Mix a channel that tells all with one that tells nothing, half and half."""
    two, half = ["x1", "x2"], Fraction(1, 2)
    C, D = Channel.identity(two), Channel.constant([1, 0], two, two)
    own, one = (posterior_vulnerability(Prior.uniform(two), c) for c in (internal_choice(C, D, half), C))
    text = f"{own}, below the {one} of the identity mixed half and half with a constant channel"
    return Reading(text, own >= one), *tried("lem-internal-choice-lower-bound")


def _proof_variable() -> Readings:
    """Take the line of the proof literally, both t being the inner one, and with w for the action."""
    prior = Prior.from_counts({DISTINCT[0]: 2, DISTINCT[1]: 1})
    C, naming = report_channel(noise=Fraction(0)), membership_gain({x: x for x in DISTINCT}, TOPICS)
    literal = len(TOPICS) * max(sum(prior[x] * C[x, t] for x in DISTINCT if t in x) for t in TOPICS)
    right = posterior_vulnerability(prior, C, naming)
    return Reading(f"{literal} for the worked example", literal == 1), Reading(str(right), right == 1)


def _greater_leakage() -> Reading:
    priors = Prior.from_counts(dict(zip(DISTINCT, (2, 1), strict=True))), Prior.uniform(DISTINCT)
    users, uniform = (after / before for before, after in map(iba_gains, priors))
    return Reading(f"{float(uniform):.4g} against {float(users):.4g}", uniform > users)


# The channels.


def _columns() -> Readings:
    columns, occurring = _COMPLETE.outputs.size, len(frozenset[str]().union(*DISTINCT))
    told = f"C_T has m={columns} columns", f"m'={occurring} topics are in some set"
    return Reading(told[0], columns == occurring), Reading(told[1], agrees=True)


def _random_generalization() -> Readings:
    """Break one user's tie between {a, b} and {a, c} at random, and compare with the equality."""
    random_set = Channel([[Fraction(1, 2)] * 2], ["Alice"], [_AB, _AC])
    own = leakage(Prior.uniform(["Alice"]), random_set @ report_channel((_AB, _AC), _LETTERS))
    formula, bound = theory.topics_leakage(5, 2, NOISE, 3), theory.bayes_capacity(5, 2, NOISE)

    def claim(draw: Draw) -> bool:
        sets = tuple(draw.sample(list(map(frozenset, combinations(_LETTERS, 2))), 3))
        users = range(draw.randint(1, 4))
        C = draw.channel(users, sets) @ report_channel(sets, _LETTERS)
        return bool(leakage(Prior.uniform(users), C) <= bound)

    text = f"{float(own):g}, not {float(formula):g}, for one user with a tie"
    return Reading(text, own == formula), _every(claim)


def _longitudinal() -> Readings:
    U = report_channel()
    both = [(C.inputs.size, bayes_capacity(C)) for C in (parallel(U, U), kronecker(U, U))]
    told = [f"{inputs} inputs, capacity {float(capacity):g}" for inputs, capacity in both]
    return Reading(told[0], agrees=True), Reading(told[1], both[0] == both[1])


# Counting.


def _all_bits(n_users: int, m: int = _V1) -> Value:
    return theory.all_bits_right(m, TOP_S, NOISE, n_users)


def _caption() -> Reading:
    """Take the mean of A^n under the binomial distribution, and compare with what is plotted."""
    q = theory.outside_probability(_V1, NOISE)
    A = theory.inside_probability(_V1, TOP_S, NOISE) / q
    mean = sum(comb(2, n) * A**n * q**n * (1 - q) ** (2 - n) for n in range(3))
    text = f"E[A^n] is {float(mean):.5g} for N=2, the plotted point {float(_all_bits(2)):.6g}"
    return Reading(text, mean == _all_bits(2))


def _approaches_zero() -> Reading:
    points = [_all_bits(N) for N in range(2, 31)]
    falling = all(later < earlier for earlier, later in pairwise(points)) and points[-1] < Fraction(1, 10**6)
    return Reading(f"falls to {float(points[-1]):.6g} at N=30", falling)


# The limits, and what the text says of the experiments.


def _reaches_capacity() -> Readings:
    found = []
    for m in (_OCCURRING, _V1):
        bounded = theory.bounded_noise_leakage(m, TOP_S, _OCCURRING)
        full = theory.topics_leakage(m, TOP_S, NOISE, _OCCURRING)
        most = theory.bounded_noise_capacity(m, TOP_S), _capacity(m)
        text = f"{_joined([bounded, full], '.2f')} of {_joined([*most], '.2f')}"
        found.append(Reading(text, (bounded, full) == most))
    return tuple(found)


def _proportional() -> Readings:
    affine = 100 * (_capacity(629) / _capacity(_V1) - 1)
    twice = _capacity(2 * _V1) / _capacity(_V1)
    told = f"{float(affine):.2f}% from 349 to 629", f"twice the topics, {float(twice):.6g} times the capacity"
    return Reading(told[0], affine in rounds_to(PRINTED["growth-v2"])), Reading(told[1], twice == 2)


def _below_capacity() -> Reading:
    found = [_printed(f"privacy-{key}-generalization") for key in _DATA_SETS]
    users = [_printed(f"experimental-{key}-users") for key in _DATA_SETS]
    most = [
        theory.generalization_capacity(m, TOP_S, N) for m, N in zip((_CITIZEN_LAB, _V1), users, strict=True)
    ]
    pairs = list(zip(found, most, strict=True))
    return Reading(" and ".join(f"{sets} < {limit}" for sets, limit in pairs), all(a < b for a, b in pairs))


def _within_theorem() -> Reading:
    """Compare each printed posterior with the theorem's bounds at the printed prior, as intervals."""
    low, bounds = theory.iba_lower(NOISE), []
    for key in _DATA_SETS:
        prior, after = (rounds_to(PRINTED[f"utility-iba-{key}-{what}"]) for what in ("prior", "topics-api"))
        high = theory.iba_upper(NOISE, prior.high)
        bounds.append((after.meets(Interval(low, high)), f"{float(low):.3f} to {float(high):.3f}"))
    return Reading(" and ".join(text for _, text in bounds), all(holds for holds, _ in bounds))


def _within_capacities() -> Reading:
    most = dict(zip(_DATA_SETS, (_capacity(_CITIZEN_LAB), _capacity(_OCCURRING)), strict=True))
    found = {key: [PRINTED[f"leakage-{gain}-{key}"] for gain in ("bayes", "iba")] for key in _DATA_SETS}
    holds = all(parse_number(text) <= most[key] for key, texts in found.items() for text in texts)
    return Reading("; ".join(f"{', '.join(found[key])} of {float(most[key]):.2f}" for key in found), holds)


def _capacities() -> list[Value]:
    return [_capacity(_CITIZEN_LAB), _capacity(_OCCURRING)]


def _ratios() -> list[Value]:
    return [_capacity(m) / _capacity(_CITIZEN_LAB) for m in (_OCCURRING, _V1)]


def _least() -> list[Value]:
    return [theory.genuine_probability(m, TOP_S, NOISE) for m in (_CITIZEN_LAB, _V1)]


STATEMENTS: dict[str, Callable[[], Reading | Readings]] = {
    "iba-reach-one": _reach_one,
    "iba-upper-bound-uniform": _uniform_prior,
    "iba-genuine-probability": _genuine,
    "iba-footnote-greater-leakage": _greater_leakage,
    "proof-refinement-direction": _refinement,
    "lemma-words": _lemma_words,
    "proof-bounded-noise-variable": _proof_variable,
    "eq-topics-api-columns": _columns,
    "discussion-random-generalization": _random_generalization,
    "longitudinal-letters": lambda: Reading(
        "5 topics, so m=5", ", ".join(t[0] for t in TOPICS) == PRINTED["longitudinal-letters"]
    ),
    "longitudinal-privacy-shape": lambda: Reading(
        f"3 users to {_TWICE.outputs.size} pairs of topics; leakage {float(leakage(_USERS, _TWICE)):g}",
        _TWICE.outputs.size == len(TOPICS) ** 2,
    ),
    "longitudinal-utility-inputs": _longitudinal,
    "counting-figure-caption": _caption,
    "counting-figure-overlap": lambda: Reading(
        "equal for every N from 2 to 30, whatever m is",
        all(_all_bits(N, 349) == _all_bits(N, 469) == _all_bits(N, 629) for N in range(2, 31)),
    ),
    "counting-figure-limit": _approaches_zero,
    "reach-capacity-privacy": _reaches_capacity,
    "reach-capacity-limits": _reaches_capacity,
    "reach-capacity-related-work": _reaches_capacity,
    "limits-taxonomy-size": lambda: (
        Reading(f"{_OCCURRING} topics", agrees=True),
        Reading(f"{_V1} topics", _OCCURRING == _V1),
    ),
    "limits-validate": lambda: Reading(
        _joined(_capacities(), ".2f"),
        all(
            value in rounds_to(PRINTED[f"privacy-{key}-topics-api"])
            for key, value in zip(_DATA_SETS, _capacities(), strict=True)
        ),
    ),
    "discussion-order-of-magnitude": lambda: Reading(
        f"{1 / NOISE} times, 1/r",
        all(_max_case(m) / _capacity(m) == 1 / NOISE >= 10 for m in (_CITIZEN_LAB, _V1)),
    ),
    "discussion-five-fold": lambda: Reading(
        f"{_joined(_ratios(), '.4g')} times, with m=169 and with m=349", min(_ratios()) > 5
    ),
    "discussion-proportional": _proportional,
    "discussion-proportional-s": lambda: Reading(
        "given r, both capacities depend on m/s alone",
        all(figure(2 * _V1, 2 * TOP_S) == figure(_V1) for figure in (_capacity, _max_case)),
    ),
    "discussion-filling": lambda: (
        Reading(f"{float(_capacity(_OCCURRING)):.2f}", agrees=True),
        Reading(f"{float(_capacity(_V1)):.2f}", _OCCURRING == _V1),
    ),
    "generalization-below-capacity": _below_capacity,
    "utility-iba-above": lambda: Reading(
        f"at least {_joined(_least(), '.5f')}", min(_least()) > Fraction(95, 100)
    ),
    "utility-iba-within-theorem": _within_theorem,
    "leakage-within-capacities": _within_capacities,
}
