"""Statements and equations in words, each decided by a computation on a channel or a closed form."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations
from math import comb

from quiff import theory
from quiff.core.channel import Channel
from quiff.core.compose import external_choice, internal_choice, kronecker, parallel
from quiff.core.gain import membership_gain
from quiff.core.numbers import Number
from quiff.core.prior import Prior
from quiff.measures.capacity import bayes_capacity, max_case_capacity
from quiff.measures.differential_privacy import epsilon
from quiff.measures.leakage import leakage
from quiff.measures.vulnerability import posterior_vulnerability
from quiff.papers.example import (
    DISTINCT,
    M_OCCURRING,
    NOISE,
    SETS,
    TOPICS,
    M,
    N,
    S,
    iba_gains,
    report_channel,
)
from quiff.papers.items import Check
from quiff.papers.verdict import Statement

_AB, _AC, _DE = (frozenset(pair) for pair in ("ab", "ac", "de"))
_LETTERS = tuple("abcde")
_PAIRS = tuple(map(frozenset, combinations(_LETTERS, 2)))
_COMPLETE = Channel.deterministic(SETS, DISTINCT) @ report_channel()


def _printed_histories(contexts: int) -> int:
    return sum(comb(contexts, h) for h in range(2, contexts + 1))


def _cookies_posterior() -> tuple[bool, str]:
    cases = [(users, c) for users in (1, 2, 3, 10, 100) for c in (2, 3, 5)]
    holds = all(Fraction(_printed_histories(c), n) == theory.cookies_posterior(n, c) for n, c in cases)
    return holds, "min(N, 2^c - c - 1)/N"


def _cookies_leakage() -> tuple[bool, str]:
    cases = [(users, c) for users in (1, 2, 3, 10, 100) for c in (2, 3, 5)]
    holds = all(_printed_histories(c) == theory.cookies_leakage(n, c) for n, c in cases)
    return holds, "the sum is 2^c - c - 1, and the leakage min(N, 2^c - c - 1)"


def _lift() -> tuple[bool, str]:
    """Take the maximum over the printed side condition, and the capacity itself, where there are zeros."""
    C = report_channel(noise=Fraction(0))
    columns = list(zip(*C.to_numpy().tolist(), strict=True))
    printed = max(x / y for column in columns for x in column for y in column if y > 0)
    true = max_case_capacity(C)
    return printed == true, f"{true} without noise, where the printed condition gives {printed}"


def _bound_is_probability() -> tuple[bool, str]:
    printed, right = Fraction(comb(M, S), N), theory.generalization_posterior_bound(M, S, N)
    return printed == right, f"min(1, C(m,s)/N), which is {right} for the example, not {printed}"


def _columns() -> tuple[bool, str]:
    columns = _COMPLETE.outputs.size
    return columns == M_OCCURRING, f"C_T has m={columns} columns; m'={M_OCCURRING} topics are in some set"


def _epsilon_scope() -> tuple[bool, str]:
    """Compare the formula with the channel where all users have the same set, s = m."""
    sets = {"Alice": _AB, "Bob": _AB}
    p, q = theory.inside_probability(2, 2, NOISE), theory.outside_probability(2, NOISE)
    own, formula = epsilon(Channel.membership(sets, list("ab"), p, q)), theory.epsilon(2, 2, NOISE)
    return own == formula, f"at s=m the channel has epsilon {own:g}, the formula {formula:.5g}"


def _random_generalization() -> tuple[bool, str]:
    """Break one user's tie between {a, b} and {a, c} at random, and compare with the equality."""
    random_set = Channel([[Fraction(1, 2)] * 2], ["Alice"], [_AB, _AC])
    C = random_set @ report_channel((_AB, _AC), _LETTERS)
    own, formula = leakage(Prior.uniform(["Alice"]), C), theory.topics_leakage(5, 2, NOISE, 3)
    bounded = own <= theory.bayes_capacity(5, 2, NOISE)
    return own == formula and bounded, (
        f"{float(own):g}, not {float(formula):g}, for a user with a tie;"
        f" the upper bound {'holds' if bounded else 'fails'}"
    )


def _iba_cases(noise: Fraction) -> Iterator[tuple[Number, Number]]:
    for sets in list(combinations(_PAIRS, 3))[::24]:  # a spread: it has to be quick
        for weights in ((1, 1, 1), (1, 2, 3)):
            yield iba_gains(Prior.from_counts(dict(zip(sets, weights, strict=True))), sets, _LETTERS, noise)


def _iba_bounds() -> tuple[bool, str]:
    cases = list(_iba_cases(NOISE))
    holds = all(
        theory.iba_lower(NOISE) <= after <= theory.iba_upper(NOISE, before) for before, after in cases
    )
    return holds, f"both bounds hold for all of {len(cases)} priors on sets of two of five topics"


def _condition_on_noise() -> tuple[bool, str]:
    noises = (Fraction(1, 2), Fraction(3, 4), Fraction(1))
    fails = any(after < theory.iba_lower(r) for r in noises for _, after in _iba_cases(r))
    return fails, f"the bound {'fails for some of' if fails else 'also holds for'} r = 1/2, 3/4 and 1"


def _genuine() -> tuple[bool, str]:
    row = report_channel((_AB,), _LETTERS).row(_AB)
    own = row["a"] + row["b"]
    right = theory.genuine_probability(5, 2, NOISE)
    return own == 1 - NOISE, f"(1-r) + rs/m, in the example {float(own):g} = {float(right):g}"


def _only_without_noise() -> tuple[bool, str]:
    _, after = iba_gains(Prior.uniform((_AB, _AC)), (_AB, _AC), _LETTERS)
    return after < 1, f"{float(after):g} at r={float(NOISE):g} for the sets ab and ac"


def _uniform_reaches_bound() -> tuple[bool, str]:
    sets = (_AB, _AC, _DE)
    before, after = iba_gains(Prior.uniform(sets), sets, _LETTERS)
    bound = theory.iba_upper(NOISE, before)
    return after == bound, f"{float(after):.5f} against the bound {float(bound):.5f}, uniform on ab, ac, de"


def _refinement() -> tuple[bool, str]:
    """Forget which channel ran, and see which of the two choices is the safer one."""
    sets = (_AB, _AC, _DE)
    bounded, random = (report_channel(sets, _LETTERS, Fraction(r)) for r in (0, 1))
    inner, outer = internal_choice(bounded, random, NOISE), external_choice(bounded, random, NOISE)
    forget = Channel.deterministic({tagged: tagged[1] for tagged in outer.outputs}, inner.outputs)  # type: ignore[index]
    simulated = bool(((outer @ forget).to_numpy() == inner.to_numpy()).all())
    naming, prior = membership_gain({x: x for x in sets}, _LETTERS), Prior.uniform(sets)
    safer = posterior_vulnerability(prior, inner, naming) < posterior_vulnerability(prior, outer, naming)
    if simulated and safer:
        return False, "the internal choice is the external one with the tag forgotten: it is safer"
    return True, "the internal choice is not the safer one"


def _letters() -> tuple[bool, str]:
    initials = "".join(topic[0] for topic in TOPICS)
    return initials == "MNSTA", f"{len(TOPICS)} topics, {', '.join(initials)}: m=5 here too"


def _two_epochs() -> tuple[bool, str]:
    C = parallel(_COMPLETE, _COMPLETE)
    own = leakage(Prior.uniform(SETS), C)
    pairs = all(isinstance(y, tuple) and len(y) == 2 for y in C.outputs)
    holds = pairs and list(C.inputs) == list(SETS) and C.outputs.size == M**2
    return (
        holds,
        f"{C.inputs.size} users to {C.outputs.size} pairs of topics; leakage {float(own):g} over two epochs",
    )


def _pairs_of_sets() -> tuple[bool, str]:
    U = report_channel()
    text, figure = parallel(U, U), kronecker(U, U)
    same = text.inputs.size == figure.inputs.size and bayes_capacity(text) == bayes_capacity(figure)
    return same, (
        f"in parallel {text.inputs.size} sets (capacity {float(bayes_capacity(text)):g}),"
        f" as in the figure {figure.inputs.size} pairs of sets ({float(bayes_capacity(figure)):g})"
    )


CHECKS: dict[str, Check] = {
    "eq-lift-condition": Statement(_lift),
    "eq-cookies-posterior": Statement(_cookies_posterior),
    "eq-cookies-leakage": Statement(_cookies_leakage),
    "eq-generalization-bound-cap": Statement(_bound_is_probability),
    "eq-topics-api-columns": Statement(_columns),
    "eq-epsilon-scope": Statement(_epsilon_scope),
    "iba-theorem-bounds": Statement(_iba_bounds),
    "iba-genuine-probability": Statement(_genuine),
    "iba-reach-one": Statement(_only_without_noise),
    "iba-lower-bound-condition": Statement(_condition_on_noise),
    "iba-upper-bound-uniform": Statement(_uniform_reaches_bound),
    "proof-refinement-direction": Statement(_refinement),
    "discussion-random-generalization": Statement(_random_generalization),
    "longitudinal-letters": Statement(_letters),
    "longitudinal-privacy-shape": Statement(_two_epochs),
    "longitudinal-utility-inputs": Statement(_pairs_of_sets),
}
