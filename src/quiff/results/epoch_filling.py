"""What random filling does to the figures over many epochs: with filled topics, and without."""

from typing import TYPE_CHECKING, Any

from quiff.core.numbers import Number
from quiff.errors import counted
from quiff.populations.filling import Filled
from quiff.results.numbers import rounded, whole
from quiff.results.table import Table

if TYPE_CHECKING:
    from quiff.results.epochs import EpochsResult


def filling_table(found: "EpochsResult", filled: Filled) -> Table:
    """Return the leakage with filled topics beside that of the users without any."""
    genuine = found.genuine
    others: list[tuple[Number | None, Number | None]] = [(None, None)] * len(found.epochs)
    if genuine is not None:
        others = [(row.leakage, row.vulnerability) for row in genuine.epochs]
    return Table(
        "With filling, and genuine topics only",
        ("epochs", "leakage", "re-identified", "leakage, whole sets", "re-identified, whole sets"),
        tuple(
            (row.epochs, row.leakage, row.vulnerability, *other)
            for row, other in zip(found.epochs, others, strict=True)
        ),
        (
            filled.sentence(),
            f"First all {counted(found.users, 'user')}, with filled topics, as a browser has them; whole "
            f"sets: the {counted(filled.genuine_users, 'user')} without filled topics in any epoch.",
        ),
    )


def filling_sentences(found: "EpochsResult", filled: Filled) -> list[str]:
    """Say how much was filled in, and what the figures are without it."""
    said, genuine = [filled.sentence()], found.genuine
    if not filled.filled_sets:
        return said
    if filled.distinct_visited is not None:
        said.append(
            f"On visited topics alone there are {counted(filled.distinct_visited, 'different profile')}, "
            f"instead of {found.distinct_profiles}."
        )
    epochs = counted(found.epochs[-1].epochs, "epoch")
    if genuine is not None:
        alone, every = genuine.epochs[-1], found.epochs[-1]
        said.append(
            f"Among the {counted(genuine.users, 'user')} without filled topics, the reports of {epochs} "
            f"re-identify a user with probability {short(alone.vulnerability)} (leakage "
            f"{short(alone.leakage)}); among all, with filling, with {short(every.vulnerability)} (leakage "
            f"{short(every.leakage)})."
        )
    elif not filled.genuine_users:
        said.append(
            f"No user has visited topics only in {epochs}, so that there is no figure without filling."
        )
    return said


def filling_facts(filled: Filled, genuine: "EpochsResult | None") -> dict[str, Any]:
    """Return what was filled in, and the figures without it, by plain names, for JSON."""
    return {
        "filled_users": filled.filled_users,
        "filled_topics": filled.filled_share,
        "sets_without_visits": filled.without_visits,
        "genuine_users": filled.genuine_users,
        "distinct_visited_profiles": filled.distinct_visited,
        "unique_users_visited": filled.unique_share,
        "genuine": None
        if genuine is None
        else {
            "users": genuine.users,
            "distinct_profiles": genuine.distinct_profiles,
            "epochs": list(genuine.epochs),
            "risk": genuine.risk.to_dict(),
        },
    }


def short(number: Number) -> str:
    """Return four digits, and all digits of a whole part.

    Examples
    --------
    >>> short(0.123456), short(2486.3)
    ('0.1235', '2486')
    """
    return str(whole(number)) if number >= 1000 else rounded(number, 4)
