"""The theoretical limits: three tables, and the figures of the text that rest on them."""

from fractions import Fraction

from quiff import theory
from quiff.papers.items import PRINTED, Check, Value
from quiff.papers.settings import (
    CITIZEN_LAB,
    IAB,
    NATURAL_LANGUAGE,
    NOISE,
    TOP_S,
    V1,
    V1_OCCURRING,
    V2,
    closed_form,
    percent,
    sized,
)
from quiff.papers.verdict import Exactly, Rounded, Statement

# The scenario of each row, m as it is printed, and the taxonomy's true size.
GOOGLE_ROWS = (
    ("Google Topics API v1", "349", V1),
    ("Google Topics API v2", "629", V2),
    ("Google Natural Language v2", "1091", NATURAL_LANGUAGE),
    ("IAB Audience Taxonomy v1.1", "1679", IAB),
)
# m, r and s as they are printed, and the taxonomy's true size.
WORST_CASE_ROWS = (
    ("349", "0.05", 5, V1),
    ("629", "0.05", 5, V2),
    ("629", "0.47", 5, V2),
    ("629", "0.37", 6, V2),
    ("629", "0.26", 7, V2),
    ("629", "0.15", 8, V2),
    ("629", "0.05", 9, V2),
)
_COLUMNS = {"capacity": "bayes_capacity", "epsilon": "epsilon", "max-case": "max_case_capacity"}


def google_row(m: str) -> str:
    """Return how the ids of a row of the table of taxonomies start."""
    return f"theoretical-google-m{m}-s5"


def worst_case_row(m: str, r: str, s: int) -> str:
    """Return how the ids of a row of the table of other parameters start."""
    return f"theoretical-worst-case-m{m}-r{r.replace('.', '')}-s{s}"


def _row(key: str, n_topics: int, top_s: int = TOP_S, noise: Fraction = NOISE) -> dict[str, Check]:
    """Return the checks of a row's cells, of those columns that its table has."""
    columns = {name: closed_form(formula, n_topics, top_s, noise) for name, formula in _COLUMNS.items()}
    cells: dict[str, Check] = {f"{key}-m": sized(n_topics)}
    cells |= {f"{key}-{name}": check for name, check in columns.items() if f"{key}-{name}" in PRINTED}
    return cells


def _capacity(n_topics: int, top_s: int = TOP_S) -> Value:
    return theory.bayes_capacity(n_topics, top_s, NOISE)


def _max_case(n_topics: int, top_s: int = TOP_S) -> Value:
    return theory.max_case_capacity(n_topics, top_s, NOISE)


def _epsilon(n_topics: int) -> Value:
    return theory.epsilon(n_topics, TOP_S, NOISE)


def _leakage(n_topics: int, occurring: int) -> Value:
    return theory.topics_leakage(n_topics, TOP_S, NOISE, occurring)


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


def _growth(n_topics: int) -> Rounded:
    return Rounded(lambda: percent(_capacity(n_topics) / _capacity(V1) - 1))


def _capacities_at_needed() -> str:
    s = theory.strict_top_s(V2, NOISE, "capacity", _capacity(V1))
    return f"capacities {float(_capacity(V2, s)):.2f} and {float(_max_case(V2, s)):.1f}"


CHECKS: dict[str, Check] = {
    "reach-capacity-privacy": Statement(_reaches_capacity),
    **_row("theoretical-aol-citizen-lab", CITIZEN_LAB),
    **_row("theoretical-aol-google-v1", V1),
    # The capacity that is printed for Google v1 is the leakage, from the topics that occur.
    "theoretical-aol-google-v1-m": sized(V1_OCCURRING),
    "theoretical-aol-google-v1-capacity": Rounded(lambda: _leakage(V1, V1_OCCURRING)),
    "limits-taxonomy-size": Statement(_sizes_occur),
    "limits-validate": Statement(_validates),
    "limits-text-google-v1-epsilon": closed_form("epsilon", V1),
    "limits-text-google-v1-max-case": closed_form("max_case_capacity", V1),
    "limits-times": closed_form("max_case_capacity", V1),
    "reach-capacity-limits": Statement(_reaches_capacity),
    "discussion-order-of-magnitude": Statement(_order_of_magnitude),
    "discussion-five-fold": Statement(_five_fold),
    "discussion-epsilon-increase": Rounded(lambda: percent(_epsilon(V1) / _epsilon(CITIZEN_LAB) - 1)),
    **{id_: check for _, m, size in GOOGLE_ROWS for id_, check in _row(google_row(m), size).items()},
    "discussion-v2-categories": sized(V2),
    "discussion-proportional": Statement(_proportional),
    "growth-v2": _growth(V2),
    "growth-natural-language": _growth(NATURAL_LANGUAGE),
    "growth-iab": _growth(IAB),
    "discussion-example-capacity": closed_form("bayes_capacity", V1),
    "discussion-example-max-case": closed_form("max_case_capacity", V1),
    "discussion-example-m-v2": sized(V2),
    "discussion-s-needed": Exactly(
        lambda: theory.strict_top_s(V2, NOISE, "capacity", _capacity(V1)), _capacities_at_needed
    ),
    "discussion-proportional-s": Statement(_proportional_sets),
    **{
        id_: check
        for m, r, s, size in WORST_CASE_ROWS
        for id_, check in _row(worst_case_row(m, r, s), size, s, Fraction(r)).items()
    },
    "reach-capacity-related-work": Statement(_reaches_capacity),
}
