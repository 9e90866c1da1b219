"""Which text the model follows: the draft as it is meant, as it is written, or its reference code."""

from dataclasses import dataclass
from typing import Literal, TypeAlias, final

from quiff.errors import ParameterError

RuleName: TypeAlias = Literal[
    "draft", "draft-literal", "reference",
    "attributed-epoch", "single-by-match", "two-roundings", "unset-global",
]  # fmt: skip
"""The draft as it is meant, as it is written, its reference code; or the draft but for one rule."""


@final
@dataclass(frozen=True)
class Rules:
    """What is done where the draft's intent, its text and its code differ.

    The page docs/theory/attribution.md has the lines, and what was repaired later.

    Attributes
    ----------
    name
        ``draft``, ``draft-literal``, ``reference``, or that of a variation.
    global_starts_full
        Whether the first charge of an epoch takes from the full global budget. In text and code the entry is
        not set before it is decremented, and what comes of that refuses no later charge.
    quotas_are_stored
        Whether charges to quotas are written where they are read. In the text they are not.
    one_rounding
        Whether a conversion of a single epoch releases the histogram that it was charged for. In text and
        code credit is rounded at random a second time.
    charged
        Epochs that are charged: all that hold ``matching`` impressions, or, as before the group's issue 75,
        only that of the ``attributed`` impression: the latest whose budget suffices.
    single_by
        What makes a conversion one of a single epoch: its lookback ``window``, or, as issue 398 suggested and
        the group declined, the ``matched`` impressions.

    Examples
    --------
    >>> DRAFT.one_rounding, REFERENCE.one_rounding, rules_named("draft-literal").quotas_are_stored
    (True, False, False)
    """

    name: str
    global_starts_full: bool = True
    quotas_are_stored: bool = True
    one_rounding: bool = True
    charged: Literal["matching", "attributed"] = "matching"
    single_by: Literal["window", "matched"] = "window"


DRAFT = Rules("draft")
DRAFT_LITERAL = Rules("draft-literal", global_starts_full=False, quotas_are_stored=False, one_rounding=False)
REFERENCE = Rules("reference", global_starts_full=False, one_rounding=False)
RULES = {rules.name: rules for rules in (DRAFT, DRAFT_LITERAL, REFERENCE)}
# The draft but for one rule: for the budget checker, which finds what each of them is good for.
VARIATIONS = {
    rules.name: rules
    for rules in (
        Rules("attributed-epoch", charged="attributed"),
        Rules("single-by-match", single_by="matched"),
        Rules("two-roundings", one_rounding=False),
        Rules("unset-global", global_starts_full=False),
    )
}


def rules_named(name: str) -> Rules:
    """Return the rules, or the variation, of a name."""
    known = RULES | VARIATIONS
    if name not in known:
        raise ParameterError(what="the rules", value=name, allowed=f"one of {', '.join(known)}")
    return known[name]
