"""The facts that the paper's figures rest on, and its closed forms as checks of one printed figure."""

from fractions import Fraction

from quiff import theory
from quiff.papers.items import Value
from quiff.papers.verdict import Exactly, Rounded
from quiff.theory.taxonomies import TAXONOMY_SIZES

V1, V2, NATURAL_LANGUAGE, IAB = (TAXONOMY_SIZES[name] for name in ("v1", "v2", "google-nl-v2", "iab-1.1"))
# Citizen Lab's taxonomy, all of which occurs in the AOL data, and the topics of v1 that do.
CITIZEN_LAB, V1_OCCURRING = 31, 169
TOP_S, NOISE = 5, Fraction(1, 20)


def percent(share: Value) -> Value:
    """Return a share in percent."""
    return 100 * share


def closed_form(formula: str, n_topics: int, top_s: int = TOP_S, noise: Fraction = NOISE) -> Rounded:
    """Return the check of a figure that is one of the closed forms of `theory`.

    >>> closed_form("bayes_capacity", 349).outcome("66.36").holds
    True
    """
    # Looked up when it is used, so that a check always runs the formula as it is.
    return Rounded(lambda: getattr(theory, formula)(n_topics, top_s, noise))


def sized(n_topics: int) -> Exactly:
    """Return the check of a printed number of topics."""
    return Exactly(lambda: n_topics)
