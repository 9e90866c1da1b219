"""Which text the model follows: the draft as it is meant, as it is written, or its reference code."""

from dataclasses import dataclass
from typing import Literal, TypeAlias, final

from quiff.errors import ParameterError

RuleName: TypeAlias = Literal[
    "draft", "draft-literal", "reference", "repaired",
    "attributed-epoch", "single-by-match", "two-roundings", "unset-global",
    "site-left-out", "by-intermediary", "epochs-1-day", "epochs-28-days",
]  # fmt: skip
"""The draft as it is meant, as it is written, its code, its repairs; or the draft but for one rule."""

AT = "w3c/attribution at 9fab4e8"


@final
@dataclass(frozen=True)
class Rules:
    """What is done where the draft's intent, its text and its code differ, and where proposals go on.

    The page docs/theory/attribution.md has the lines, and what was repaired later.

    Attributes
    ----------
    name
        ``draft``, ``draft-literal``, ``reference``, ``repaired``, or that of a variation.
    source, date
        The commit, issue or pull request that it follows, and its date.
    inferred
        Whether a part of it follows from a description only, whose text was not at hand.
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
    over_used
        What goes if the quota of an impression site is spent: the ``epoch``, or, as issue 374 wishes, only
        the impressions of that ``site``.
    budget_of
        Who has a budget: the conversion ``site``, or, as issue 310 sketches, the ``caller``, which is an
        intermediary where one asks.
    epoch_days
        How long an epoch is, if it is not what the configuration says (issue 386).

    Examples
    --------
    >>> DRAFT.one_rounding, REFERENCE.one_rounding, rules_named("draft-literal").quotas_are_stored
    (True, False, False)
    """

    name: str
    source: str = AT
    date: str = "2026-05-14"
    inferred: bool = False
    global_starts_full: bool = True
    quotas_are_stored: bool = True
    one_rounding: bool = True
    charged: Literal["matching", "attributed"] = "matching"
    single_by: Literal["window", "matched"] = "window"
    over_used: Literal["epoch", "site"] = "epoch"
    budget_of: Literal["site", "caller"] = "site"
    epoch_days: int | None = None


DRAFT = Rules("draft")
DRAFT_LITERAL = Rules("draft-literal", global_starts_full=False, quotas_are_stored=False, one_rounding=False)
REFERENCE = Rules("reference", f"{AT}, impl/src/backend.ts", global_starts_full=False, one_rounding=False)
# The text with two pull requests, by what is public of them; no repair of quotas was found.
REPAIRED = Rules(
    "repaired", "pull requests 461 and 466", "2026-07-30", inferred=True, quotas_are_stored=False
)
RULES = {rules.name: rules for rules in (DRAFT, DRAFT_LITERAL, REFERENCE, REPAIRED)}
# The draft but for one rule: for the budget checker, which finds what each of them is good for.
VARIATIONS = {
    rules.name: rules
    for rules in (
        Rules("attributed-epoch", "issue 75", "2025-01", charged="attributed"),
        Rules("single-by-match", "issue 398, declined", "2026-03-31", single_by="matched"),
        Rules("two-roundings", one_rounding=False),
        Rules("unset-global", global_starts_full=False),
        Rules("site-left-out", "issue 374, open", "2026-02-11", inferred=True, over_used="site"),
        Rules("by-intermediary", "issue 310, open", "2025-11-13", inferred=True, budget_of="caller"),
        Rules("epochs-1-day", "issue 386, open", "2026-03-03", inferred=True, epoch_days=1),
        Rules("epochs-28-days", "issue 386, open", "2026-03-03", inferred=True, epoch_days=28),
    )
}


def rules_named(name: str) -> Rules:
    """Return the rules, or the variation, of a name."""
    known = RULES | VARIATIONS
    if name not in known:
        raise ParameterError(what="the rules", value=name, allowed=f"one of {', '.join(known)}")
    return known[name]
