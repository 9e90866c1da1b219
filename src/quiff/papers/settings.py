"""The facts that the paper's figures rest on, and its closed forms as checks of one printed figure."""

from collections.abc import Callable
from fractions import Fraction

from quiff import theory
from quiff.papers.items import Item, Value
from quiff.papers.verdict import Exactly, Rounded
from quiff.theory.taxonomies import TAXONOMY_SIZES

V1, V2, NATURAL_LANGUAGE, IAB = (TAXONOMY_SIZES[name] for name in ("v1", "v2", "google-nl-v2", "iab-1.1"))
# Citizen Lab's taxonomy, all of which occurs in the AOL data, and the topics of v1 that do.
CITIZEN_LAB, V1_OCCURRING = 31, 169
TOP_S, NOISE = 5, Fraction(1, 20)

V2_HAS_469 = "Taxonomy v2 has 469 topics; 629 is only its highest id."
NOISE_OVER_349 = (
    "The random topic is drawn from all 349 topics of the taxonomy, not from the 169 that occur in the data."
)

# Each is looked up in `theory` when it is used, so that a check always runs the formula as it is.
_FORMULAS: dict[str, tuple[str, Callable[[int, int, Fraction], Value]]] = {
    "capacity": ("r + m(1-r)/s", lambda m, s, r: theory.bayes_capacity(m, s, r)),
    "epsilon": ("ln(1 + m(1-r)/(rs))", lambda m, s, r: theory.epsilon(m, s, r)),
    "max-case": ("1 + m(1-r)/(rs)", lambda m, s, r: theory.max_case_capacity(m, s, r)),
}


def percent(share: Value) -> Value:
    """Return a share in percent.

    >>> percent(Fraction(1, 20))
    Fraction(5, 1)
    """
    return 100 * share


def closed_form(
    id: str,  # noqa: A002 - the field's name
    where: str,
    printed: str,
    formula: str,
    n_topics: int,
    top_s: int = TOP_S,
    noise: Fraction = NOISE,
    why: str = "",
) -> Item:
    """Return the item of a figure that is one of the closed forms: capacity, epsilon or max-case.

    >>> closed_form("v1", "Tab. theoretical-google", "66.36", "capacity", 349).check.outcome("66.36").holds
    True
    """
    text, compute = _FORMULAS[formula]
    basis = f"{text} at m={n_topics}, s={top_s}, r={float(noise):g}"
    return Item(id, where, printed, Rounded(lambda: compute(n_topics, top_s, noise)), basis, why)


def sized(id: str, where: str, printed: str, n_topics: int, why: str = "") -> Item:  # noqa: A002
    """Return the item of a printed number of topics.

    >>> sized("v2", "Sec. 6", "629", V2).check.outcome("629").holds
    False
    """
    return Item(id, where, printed, Exactly(lambda: n_topics), "the number of topics", why)
