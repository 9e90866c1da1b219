"""The worked example of the models: three users, five topics, sets of two, noise of 5 %.

Its channels are built here, and every figure that the paper states for it is checked.
"""

from fractions import Fraction
from math import comb

from quiff import theory
from quiff.core.channel import Channel
from quiff.core.compose import internal_choice
from quiff.core.gain import membership_gain
from quiff.core.numbers import Number
from quiff.core.prior import Prior
from quiff.measures.vulnerability import posterior_vulnerability, vulnerability
from quiff.papers.items import Check
from quiff.papers.settings import percent
from quiff.papers.verdict import Exactly, Rounded, Statement

TOPICS = ("Music", "News", "Sports", "Travel", "Ads")
SETS = {
    "Alice": frozenset({"Music", "News"}),
    "Bob": frozenset({"Sports", "Travel"}),
    "Carol": frozenset({"Music", "News"}),
}
DISTINCT = tuple(dict.fromkeys(SETS.values()))
OCCURRING = frozenset[str]().union(*DISTINCT)
NOISE = Fraction(1, 20)
M, M_OCCURRING, N, S, CONTEXTS = len(TOPICS), len(OCCURRING), len(SETS), 2, 5


def report_channel(
    sets: tuple[frozenset[str], ...] = DISTINCT, topics: tuple[str, ...] = TOPICS, noise: Fraction = NOISE
) -> Channel:
    """Return the channel from top-s sets to reported topics: bounded noise, or any topic with `noise`.

    >>> report_channel()[DISTINCT[0], "Ads"]
    Fraction(1, 100)
    """
    top_s = len(sets[0])
    bounded = Channel.membership({x: x for x in sets}, topics, Fraction(1, top_s), 0)
    random = Channel.constant([Fraction(1, len(topics))] * len(topics), sets, topics)
    return internal_choice(bounded, random, noise)


def iba_gains(
    prior: Prior,
    sets: tuple[frozenset[str], ...] = DISTINCT,
    topics: tuple[str, ...] = TOPICS,
    noise: Fraction = NOISE,
) -> tuple[Number, Number]:
    """Return the prior and the posterior IBA vulnerability by their definitions.

    >>> iba_gains(Prior.uniform(DISTINCT))
    (Fraction(1, 2), Fraction(39, 40))
    """
    naming = membership_gain({x: x for x in sets}, topics)
    report = report_channel(sets, topics, noise)
    return vulnerability(prior, naming), posterior_vulnerability(prior, report, naming)


_GENERALIZATION = Channel.deterministic(SETS, DISTINCT)
_BOUNDED_NOISE = Channel.membership({x: x for x in DISTINCT}, TOPICS, Fraction(1, S), 0)
_USERS_SETS = Prior.from_counts({DISTINCT[0]: 2, DISTINCT[1]: 1})
_UNIFORM_SETS = Prior.uniform(DISTINCT)


def _k_anonymity() -> Fraction:
    return Fraction(int(_GENERALIZATION.to_numpy().sum(axis=0).min()))


def _bound() -> Fraction:
    (count,) = {int((row > 0).sum()) for row in _BOUNDED_NOISE.to_numpy()}
    return Fraction(count)


def _greater_leakage() -> tuple[bool, str]:
    (before, after), (half, then) = iba_gains(_USERS_SETS), iba_gains(_UNIFORM_SETS)
    return then / half > after / before, f"{float(then / half):.4g} against {float(after / before):.4g}"


CHECKS: dict[str, Check] = {
    "example-genuine-chance": Rounded(lambda: percent(1 - NOISE)),
    "example-random-chance": Rounded(lambda: percent(NOISE)),
    "example-bounded-noise-entry": Rounded(lambda: percent(_BOUNDED_NOISE[DISTINCT[0], "News"])),
    "example-dp-entry": Rounded(lambda: percent(report_channel(noise=Fraction(1))[DISTINCT[0], "Ads"])),
    "example-topics": Exactly(lambda: M),
    "example-k": Exactly(_k_anonymity),
    "example-b": Exactly(_bound),
    "example-prior": Exactly(lambda: theory.prior_vulnerability(N)),
    "example-cookies-posterior": Exactly(lambda: theory.cookies_posterior(N, CONTEXTS)),
    "example-cookies-leakage": Exactly(lambda: theory.cookies_leakage(N, CONTEXTS)),
    "example-generalization-m": Exactly(lambda: M),
    "example-generalization-sets": Exactly(lambda: _GENERALIZATION.outputs.size),
    "example-generalization-posterior": Exactly(lambda: theory.generalization_posterior(len(DISTINCT), N)),
    "example-generalization-posterior-bound": Exactly(lambda: Fraction(comb(M, S), N)),
    "example-generalization-leakage": Exactly(lambda: theory.generalization_leakage(len(DISTINCT))),
    "example-generalization-leakage-bound": Exactly(lambda: comb(M, S)),
    "example-bounded-noise-m-occurring": Exactly(lambda: M_OCCURRING),
    "example-bounded-noise-m": Exactly(lambda: M),
    "example-bounded-noise-posterior": Exactly(lambda: theory.bounded_noise_posterior(M, S, M_OCCURRING, N)),
    "example-bounded-noise-posterior-bound": Exactly(lambda: theory.bounded_noise_posterior_bound(M, S, N)),
    "example-bounded-noise-leakage": Exactly(lambda: theory.bounded_noise_leakage(M, S, M_OCCURRING)),
    "example-bounded-noise-leakage-bound": Exactly(lambda: theory.bounded_noise_capacity(M, S)),
    "example-topics-api-m-occurring": Exactly(lambda: M_OCCURRING),
    "example-topics-api-m": Exactly(lambda: M),
    "example-topics-api-posterior": Rounded(lambda: theory.topics_posterior(M, S, NOISE, M_OCCURRING, N)),
    "example-topics-api-posterior-bound": Rounded(lambda: theory.topics_posterior_bound(M, S, NOISE, N)),
    "example-topics-api-leakage": Rounded(lambda: theory.topics_leakage(M, S, NOISE, M_OCCURRING)),
    "example-topics-api-leakage-bound": Rounded(lambda: theory.bayes_capacity(M, S, NOISE)),
    "example-max-case-m": Exactly(lambda: M),
    "example-epsilon": Rounded(lambda: theory.epsilon(M, S, NOISE)),
    "example-max-case-capacity": Exactly(lambda: theory.max_case_capacity(M, S, NOISE)),
    "iba-footnote-m-occurring": Exactly(lambda: M_OCCURRING),
    "iba-footnote-m": Exactly(lambda: M),
    "iba-footnote-prior": Rounded(lambda: iba_gains(_USERS_SETS)[0]),
    "iba-footnote-posterior": Rounded(lambda: iba_gains(_USERS_SETS)[1]),
    "iba-footnote-uniform-prior": Rounded(lambda: iba_gains(_UNIFORM_SETS)[0]),
    "iba-footnote-uniform-posterior": Rounded(lambda: iba_gains(_UNIFORM_SETS)[1]),
    "iba-footnote-greater-leakage": Statement(_greater_leakage),
}
