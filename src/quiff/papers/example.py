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
from quiff.papers.items import Item
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

FIVE_TOPICS = (
    "The figure's example has five topics of which four occur, so m=5 and m'=4,"
    " not the m=4 and m'=3 put into the formulas."
)
_CAPPED = "Three users have at most three different histories, so that the sum has to be capped at N=3."
_CUT_OFF = "2/3 rounds to 0.667: the printed figure is cut off, not rounded."

_FIGURE = "Sec. 3.2, Fig. topics-channels"
_COOKIES = "Sec. 4.1.1, example on third-party cookies"
_SETS = "Sec. 4.1.2, example on generalization"
_BOUNDED = "Sec. 4.1.2, example on bounded noise"
_COMPLETE = "Sec. 4.1.2, example on the complete pipeline"
_WORST = "Sec. 4.1.3, example on the max-case capacity"
_FOOTNOTE = "Sec. 4.2.2, footnote on the IBA gain"


def _k_anonymity() -> Fraction:
    return Fraction(int(_GENERALIZATION.to_numpy().sum(axis=0).min()))


def _bound() -> Fraction:
    (count,) = {int((row > 0).sum()) for row in _BOUNDED_NOISE.to_numpy()}
    return Fraction(count)


def _greater_leakage() -> tuple[bool, str]:
    (before, after), (half, then) = iba_gains(_USERS_SETS), iba_gains(_UNIFORM_SETS)
    return then / half > after / before, f"{float(then / half):.4g} against {float(after / before):.4g}"


ITEMS = (
    Item("example-genuine-chance", _FIGURE, "95%", Rounded(lambda: percent(1 - NOISE)), "1 - r"),
    Item("example-random-chance", _FIGURE, "5%", Rounded(lambda: percent(NOISE)), "r"),
    Item(
        "example-bounded-noise-entry", _FIGURE, "50 percent",
        Rounded(lambda: percent(_BOUNDED_NOISE[DISTINCT[0], "News"])), "1/s",
    ),
    Item(
        "example-dp-entry", _FIGURE, "20 percent",
        Rounded(lambda: percent(report_channel(noise=Fraction(1))[DISTINCT[0], "Ads"])), "1/m",
    ),
    Item("example-topics", _FIGURE, "5", Exactly(lambda: M), "the number of topics"),
    Item("example-k", f"{_FIGURE}, k of its k-anonymity", "1", Exactly(_k_anonymity), "least column sum"),
    Item("example-b", f"{_FIGURE}, B of its bounded noise", "2", Exactly(_bound), "entries > 0 in a row"),
    Item(
        "example-prior", "Sec. 4.1, example on the prior", "1/3",
        Exactly(lambda: theory.prior_vulnerability(N)), "1/N",
    ),
    Item(
        "example-cookies-posterior", _COOKIES, "26/3", Exactly(lambda: theory.cookies_posterior(N, CONTEXTS)),
        "min(N, 2^c - c - 1)/N", _CAPPED,
    ),
    Item(
        "example-cookies-leakage", _COOKIES, "26", Exactly(lambda: theory.cookies_leakage(N, CONTEXTS)),
        "min(N, 2^c - c - 1)", _CAPPED,
    ),
    Item("example-generalization-m", _SETS, "4", Exactly(lambda: M), "m", FIVE_TOPICS),
    Item(
        "example-generalization-sets", _SETS, "2", Exactly(lambda: _GENERALIZATION.outputs.size),
        "columns of C_BH C_G",
    ),
    Item(
        "example-generalization-posterior", _SETS, "2/3",
        Exactly(lambda: theory.generalization_posterior(len(DISTINCT), N)), "|Sigma|/N",
    ),
    Item(
        "example-generalization-posterior-bound", _SETS, "3", Exactly(lambda: Fraction(comb(M, S), N)),
        "C(m,s)/N",
        "With the figure's five topics the bound is C(5,2)/3 = 10/3, which as a probability is capped at 1.",
    ),
    Item(
        "example-generalization-leakage", _SETS, "2",
        Exactly(lambda: theory.generalization_leakage(len(DISTINCT))), "|Sigma|",
    ),
    Item(
        "example-generalization-leakage-bound", _SETS, "6", Exactly(lambda: comb(M, S)), "C(m,s)",
        FIVE_TOPICS,
    ),
    Item("example-bounded-noise-m-occurring", _BOUNDED, "3", Exactly(lambda: M_OCCURRING), "m'", FIVE_TOPICS),
    Item("example-bounded-noise-m", _BOUNDED, "4", Exactly(lambda: M), "m", FIVE_TOPICS),
    Item(
        "example-bounded-noise-posterior", _BOUNDED, "1/2",
        Exactly(lambda: theory.bounded_noise_posterior(M, S, M_OCCURRING, N)), "m'/(sN)", FIVE_TOPICS,
    ),
    Item(
        "example-bounded-noise-posterior-bound", _BOUNDED, "2/3",
        Exactly(lambda: theory.bounded_noise_posterior_bound(M, S, N)), "m/(sN)", FIVE_TOPICS,
    ),
    Item(
        "example-bounded-noise-leakage", _BOUNDED, "3/2",
        Exactly(lambda: theory.bounded_noise_leakage(M, S, M_OCCURRING)), "m'/s", FIVE_TOPICS,
    ),
    Item(
        "example-bounded-noise-leakage-bound", _BOUNDED, "2",
        Exactly(lambda: theory.bounded_noise_capacity(M, S)), "m/s", FIVE_TOPICS,
    ),
    Item("example-topics-api-m-occurring", _COMPLETE, "3", Exactly(lambda: M_OCCURRING), "m'", FIVE_TOPICS),
    Item("example-topics-api-m", _COMPLETE, "4", Exactly(lambda: M), "m", FIVE_TOPICS),
    Item(
        "example-topics-api-posterior", _COMPLETE, "0.65",
        Rounded(lambda: theory.topics_posterior(M, S, NOISE, M_OCCURRING, N)),
        "(r + m'(1-r)/s)/N at m'=4, as the figure has it",
    ),
    Item(
        "example-topics-api-posterior-bound", _COMPLETE, "0.81",
        Rounded(lambda: theory.topics_posterior_bound(M, S, NOISE, N)),
        "(r + m(1-r)/s)/N at m=5, as the figure has it",
    ),
    Item(
        "example-topics-api-leakage", _COMPLETE, "1.95",
        Rounded(lambda: theory.topics_leakage(M, S, NOISE, M_OCCURRING)),
        "r + m'(1-r)/s at m'=4, as the figure has it",
    ),
    Item(
        "example-topics-api-leakage-bound", _COMPLETE, "2.43",
        Rounded(lambda: theory.bayes_capacity(M, S, NOISE)),
        "r + m(1-r)/s at m=5, as the figure has it; a tie, rounded up",
    ),
    Item("example-max-case-m", _WORST, "4", Exactly(lambda: M), "m", FIVE_TOPICS),
    Item(
        "example-epsilon", _WORST, "3.6636", Rounded(lambda: theory.epsilon(M, S, NOISE)),
        "ln(1 + m(1-r)/(rs))", FIVE_TOPICS,
    ),
    Item(
        "example-max-case-capacity", _WORST, "39", Exactly(lambda: theory.max_case_capacity(M, S, NOISE)),
        "1 + m(1-r)/(rs)", FIVE_TOPICS,
    ),
    Item("iba-footnote-m-occurring", _FOOTNOTE, "3", Exactly(lambda: M_OCCURRING), "m'", FIVE_TOPICS),
    Item("iba-footnote-m", _FOOTNOTE, "4", Exactly(lambda: M), "m", FIVE_TOPICS),
    Item(
        "iba-footnote-prior", _FOOTNOTE, "0.666", Rounded(lambda: iba_gains(_USERS_SETS)[0]),
        "share of the most popular topic", _CUT_OFF,
    ),
    Item(
        "iba-footnote-posterior", _FOOTNOTE, "0.977", Rounded(lambda: iba_gains(_USERS_SETS)[1]),
        "by the definition, on the channel with five topics",
    ),
    Item(
        "iba-footnote-uniform-prior", _FOOTNOTE, "0.5", Rounded(lambda: iba_gains(_UNIFORM_SETS)[0]),
        "share of the most popular topic",
    ),
    Item(
        "iba-footnote-uniform-posterior", _FOOTNOTE, "0.975", Rounded(lambda: iba_gains(_UNIFORM_SETS)[1]),
        "by the definition, on the channel with five topics",
    ),
    Item(
        "iba-footnote-greater-leakage", _FOOTNOTE, "more leakage under the uniform prior",
        Statement(_greater_leakage), "posterior over prior, for both priors",
    ),
)  # fmt: skip
