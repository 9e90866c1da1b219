"""The theoretical limits: three tables, and the figures of the text that rest on them."""

from collections.abc import Iterator
from fractions import Fraction

from quiff import theory
from quiff.papers.items import Item, Value
from quiff.papers.settings import (
    CITIZEN_LAB,
    IAB,
    NATURAL_LANGUAGE,
    NOISE,
    NOISE_OVER_349,
    TOP_S,
    V1,
    V1_OCCURRING,
    V2,
    V2_HAS_469,
    closed_form,
    percent,
    sized,
)
from quiff.papers.verdict import Exactly, Rounded, Statement

_AOL, _GOOGLE, _WORST = "Tab. theoretical-aol", "Tab. theoretical-google", "Tab. theoretical-worst-case"
_TEXT, _DISCUSSION = "Sec. 5.4.1, text", "Sec. 6, text"

# What each row prints: scenario, m, capacity, epsilon, e^epsilon; and the taxonomy's true size.
GOOGLE_ROWS = (
    ("Google Topics API v1", "349", "66.36", "7.191", "1 327.2", V1),
    ("Google Topics API v2", "629", "119.56", "7.780", "2 391.2", V2),
    ("Google Natural Language v2", "1 091", "207.34", "8.330", "4 146.8", NATURAL_LANGUAGE),
    ("IAB Audience Taxonomy v1.1", "1 679", "319.06", "8.761", "6 381.2", IAB),
)
# m, r, s, average-case capacity, max-case capacity; and the taxonomy's true size.
WORST_CASE_ROWS = (
    ("349", "0.05", 5, "66.36", "1 327.20", V1),
    ("629", "0.05", 5, "119.56", "2 391.20", V2),
    ("629", "0.47", 5, "67.14", "142.86", V2),
    ("629", "0.37", 6, "66.42", "179.50", V2),
    ("629", "0.26", 7, "66.75", "256.75", V2),
    ("629", "0.15", 8, "66.98", "446.54", V2),
    ("629", "0.05", 9, "66.44", "1 328.89", V2),
)


def _capacity(n_topics: int, top_s: int = TOP_S) -> Value:
    return theory.bayes_capacity(n_topics, top_s, NOISE)


def _max_case(n_topics: int, top_s: int = TOP_S) -> Value:
    return theory.max_case_capacity(n_topics, top_s, NOISE)


def _epsilon(n_topics: int) -> Value:
    return theory.epsilon(n_topics, TOP_S, NOISE)


def _leakage(n_topics: int, occurring: int) -> Value:
    return theory.topics_leakage(n_topics, TOP_S, NOISE, occurring)


def _aol_table() -> Iterator[Item]:
    key, where = "theoretical-aol-citizen-lab", f"{_AOL}, Citizen Lab"
    yield sized(f"{key}-m", where, "31", CITIZEN_LAB)
    yield closed_form(f"{key}-capacity", where, "5.94", "capacity", CITIZEN_LAB)
    yield closed_form(f"{key}-epsilon", where, "4.777", "epsilon", CITIZEN_LAB)
    yield closed_form(f"{key}-max-case", where, "118.8", "max-case", CITIZEN_LAB)
    key, where = "theoretical-aol-google-v1", f"{_AOL}, Google v1"
    yield Item(f"{key}-m", where, "169", Exactly(lambda: V1_OCCURRING), "m', the topics that occur")
    yield Item(
        f"{key}-capacity", where, "32.16", Rounded(lambda: _leakage(V1, V1_OCCURRING)),
        "r + m'(1-r)/s at m'=169, the leakage",
    )  # fmt: skip
    yield closed_form(f"{key}-epsilon", where, "6.466", "epsilon", V1, why=NOISE_OVER_349)
    yield closed_form(f"{key}-max-case", where, "643.2", "max-case", V1, why=NOISE_OVER_349)


def _google_table() -> Iterator[Item]:
    for name, m, capacity, epsilon, max_case, n_topics in GOOGLE_ROWS:
        key, where = f"theoretical-google-m{m.replace(' ', '')}-s5", f"{_GOOGLE}, {name}"
        why = V2_HAS_469 if m == "629" else ""
        yield sized(f"{key}-m", where, m, n_topics, why)
        yield closed_form(f"{key}-capacity", where, capacity, "capacity", n_topics, why=why)
        yield closed_form(f"{key}-epsilon", where, epsilon, "epsilon", n_topics, why=why)
        yield closed_form(f"{key}-max-case", where, max_case, "max-case", n_topics, why=why)


def _worst_case_table() -> Iterator[Item]:
    for m, r, s, capacity, max_case, n_topics in WORST_CASE_ROWS:
        key = f"theoretical-worst-case-m{m}-r{r.replace('.', '')}-s{s}"
        where, noise = f"{_WORST}, m={m}, r={r}, s={s}", Fraction(r)
        why = V2_HAS_469 if m == "629" else ""
        yield sized(f"{key}-m", where, m, n_topics, why)
        yield closed_form(f"{key}-capacity", where, capacity, "capacity", n_topics, s, noise, why)
        yield closed_form(f"{key}-max-case", where, max_case, "max-case", n_topics, s, noise, why)


def _reaches_capacity() -> tuple[bool, str]:
    cases = ((CITIZEN_LAB, CITIZEN_LAB), (V1, V1_OCCURRING))
    full = all(_leakage(m, occurring) == _capacity(m) for m, occurring in cases)
    bounded = all(
        theory.bounded_noise_leakage(m, TOP_S, occurring) == theory.bounded_noise_capacity(m, TOP_S)
        for m, occurring in cases
    )
    return full and bounded, (
        f"Google v1: {float(theory.bounded_noise_leakage(V1, TOP_S, V1_OCCURRING)):.2f} and"
        f" {float(_leakage(V1, V1_OCCURRING)):.2f}, below"
        f" {float(theory.bounded_noise_capacity(V1, TOP_S)):.2f} and {float(_capacity(V1)):.2f}"
    )


def _sizes_occur() -> tuple[bool, str]:
    return (
        V1_OCCURRING == V1,
        f"{CITIZEN_LAB} for Citizen Lab, but {V1} for Google v1, of which {V1_OCCURRING} occur",
    )


def _validates() -> tuple[bool, str]:
    first, second = _leakage(CITIZEN_LAB, CITIZEN_LAB), _leakage(V1, V1_OCCURRING)
    holds = _capacity(CITIZEN_LAB) == first and _capacity(V1_OCCURRING) == second
    return holds, f"{float(first):.2f} and {float(second):.2f}"


def _order_of_magnitude() -> tuple[bool, str]:
    ratios = [_max_case(m) / _capacity(m) for m in (CITIZEN_LAB, V1)]
    return min(ratios) >= 10, f"{' and '.join(f'{float(ratio):g}' for ratio in ratios)} times, 1/r"


def _five_fold() -> tuple[bool, str]:
    ratios = [_leakage(V1, V1_OCCURRING) / _capacity(CITIZEN_LAB), _capacity(V1) / _capacity(CITIZEN_LAB)]
    return min(ratios) > 5, f"{float(ratios[0]):.4g} with m'=169, {float(ratios[1]):.4g} with m=349"


def _proportional() -> tuple[bool, str]:
    ratios = [_capacity(2 * V1) / _capacity(V1), _max_case(2 * V1) / _max_case(V1)]
    return ratios == [
        2,
        2,
    ], f"twice the topics make {float(ratios[0]):.6g} and {float(ratios[1]):.6g} times as much"


def _proportional_sets() -> tuple[bool, str]:
    holds = _capacity(2 * V1, 2 * TOP_S) == _capacity(V1) and _max_case(2 * V1, 2 * TOP_S) == _max_case(V1)
    return holds, "given r, both capacities depend on m/s alone"


def _growth(key: str, printed: str, n_topics: int, why: str = "") -> Item:
    check = Rounded(lambda: percent(_capacity(n_topics) / _capacity(V1) - 1))
    return Item(key, _DISCUSSION, printed, check, f"growth of the capacity from m=349 to m={n_topics}", why)


def _capacities_at_needed() -> str:
    s = theory.strict_top_s(V2, NOISE, "capacity", _capacity(V1))
    return f"capacities {float(_capacity(V2, s)):.2f} and {float(_max_case(V2, s)):.1f}"


_BELOW = "With the taxonomy's 349 topics the leakages of Google v1 stay below the capacities."
_EXAMPLE = "Sec. 6, worked example"

ITEMS = (
    Item(
        "reach-capacity-privacy", "Sec. 5.2, last sentence", "channels reach capacity",
        Statement(_reaches_capacity), "", _BELOW,
    ),
    *_aol_table(),
    Item(
        "limits-taxonomy-size", "Sec. 5.4, text", "size of a taxonomy = topics that occur",
        Statement(_sizes_occur),
        "", NOISE_OVER_349,
    ),
    Item(
        "limits-validate", _TEXT, "5.94 and 32.16 validate the last column", Statement(_validates),
        "capacities at m' against leakages",
    ),
    closed_form("limits-text-google-v1-epsilon", _TEXT, "6.466", "epsilon", V1, why=NOISE_OVER_349),
    closed_form("limits-text-google-v1-max-case", _TEXT, "643.2", "max-case", V1, why=NOISE_OVER_349),
    closed_form("limits-times", _TEXT, "643", "max-case", V1, why=NOISE_OVER_349),
    Item(
        "reach-capacity-limits", "Sec. 5.4.1, last sentence", "leakage reaches capacity for both datasets",
        Statement(_reaches_capacity), "", _BELOW,
    ),
    Item(
        "discussion-order-of-magnitude", _DISCUSSION, "worst case at least ten times the average",
        Statement(_order_of_magnitude), "max-case over average-case capacity",
    ),
    Item(
        "discussion-five-fold", _DISCUSSION, "more than five-fold capacity", Statement(_five_fold),
        "capacities of the two datasets",
    ),
    Item(
        "discussion-epsilon-increase", _DISCUSSION, "35%",
        Rounded(lambda: percent(_epsilon(V1) / _epsilon(CITIZEN_LAB) - 1)),
        "growth of epsilon from m=31 to m=349", NOISE_OVER_349,
    ),
    *_google_table(),
    sized("discussion-v2-categories", _DISCUSSION, "629", V2, V2_HAS_469),
    Item(
        "discussion-proportional", _DISCUSSION, "capacities directly proportional to m",
        Statement(_proportional), "",
        "Both capacities are affine in m: they have a constant term, r and 1.",
    ),
    _growth("growth-v2", "80.17%", V2, V2_HAS_469),
    _growth("growth-natural-language", "212.45%", NATURAL_LANGUAGE),
    _growth("growth-iab", "380.80%", IAB),
    closed_form("discussion-example-capacity", _EXAMPLE, "66.36", "capacity", V1),
    closed_form("discussion-example-max-case", _EXAMPLE, "1 327.20", "max-case", V1),
    sized("discussion-example-m-v2", _EXAMPLE, "629", V2, V2_HAS_469),
    Item(
        "discussion-s-needed", _EXAMPLE, "9",
        Exactly(lambda: theory.strict_top_s(V2, NOISE, "capacity", _capacity(V1)), _capacities_at_needed),
        "least s with r + m(1-r)/s <= 66.36",
        "For the 469 topics that taxonomy v2 has, s=7 is enough; even for 629, s=9 only comes nearest.",
    ),
    Item(
        "discussion-proportional-s", _EXAMPLE, "increases of s proportional to m",
        Statement(_proportional_sets),
        "doubling both",
    ),
    *_worst_case_table(),
    Item(
        "reach-capacity-related-work", "Sec. 7, on Jha et al.", "leakage reaches capacity on both datasets",
        Statement(_reaches_capacity), "", _BELOW,
    ),
)  # fmt: skip
