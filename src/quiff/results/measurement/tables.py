"""The tables of a measurement."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from quiff.errors import counted
from quiff.results.measurement.filling import filling_table
from quiff.results.measurement.rows import Use
from quiff.results.table import Table

if TYPE_CHECKING:
    from quiff.results.measurement.measurement import Measurement

CHANNELS = {
    "cookies": "C_BH C_U",
    "generalization": "C_BH C_G",
    "bounded_noise": "C_BH C_G C_BN",
    "topics_api": "C_T",
}
"""The channel from users of each step, as the paper writes it."""

HISTORIES = ("cookies", "generalization")
"""The steps whose channels for utility start at browsing histories; the others start at sets."""

SECRETS_TO = {
    "cookies": "C_U",
    "generalization": "C_G",
    "bounded_noise": "C_BN",
    "topics_api": "C_BN (+)_r C_DP",
}
"""The channel from the analyst's secrets of each step, as the paper writes it."""

_BASES = {
    "taxonomy": "by formula, all topics of the taxonomy (m)",
    "occurring": "by formula, only the topics that occur (m')",
    "channel": "this population's own channel",
}
_GOALS = {
    "bayes": "Utility: the chance to name the whole secret (Bayes)",
    "iba": "Utility: the chance to name a topic of the user's set (IBA)",
}


def tables(found: "Measurement") -> dict[str, Table]:
    """Return the tables by short names."""
    named = {
        "counts": _counts(found),
        "privacy": _privacy(found),
        "utility-bayes": _utility(found, "bayes", found.utility),
        "utility-iba": _utility(found, "iba", found.utility),
        "limits": _limits(found),
    }
    if found.filled is not None and found.filled.filled_sets:
        named["filling"] = filling_table(found, found.filled)
    if found.aligned_utility:
        named["priors"] = _priors(found)
    if found.histories:
        named["histories"] = _histories(found)
    return named


def prior_on_users(found: "Measurement") -> str:
    """Return in words how probable users are beforehand."""
    if found.weighted:
        return "users are as probable beforehand as their weights say"
    return "all users are equally likely beforehand"


def _counts(found: "Measurement") -> Table:
    filled = found.filled
    shares = (
        ()
        if filled is None
        else (
            ("share of users with topics filled in at random", filled.filled_users),
            ("share of topics that were filled in", filled.filled_share),
        )
    )
    rows = (
        ("users (N)", found.users),
        ("different sets", found.distinct_sets),
        ("topics of the taxonomy (m)", found.setting.n_topics),
        ("topics that occur (m')", found.occurring_topics),
        ("topics in a set (s)", found.setting.top_s),
        ("probability of a random topic (r)", found.setting.noise),
        ("share of users with a set of their own", found.unique_users),
        ("users of the rarest set (k-anonymity)", found.anonymity),
        *shares,
    )
    return Table("Population and parameters", ("what", "value"), rows, found.notes)


def _privacy(found: "Measurement") -> Table:
    m, m1 = found.setting.n_topics, found.occurring_topics
    both = m1 < m
    columns = ("step", "channel", "prior", "posterior", "leakage", f"capacity (m={m})", "reached")
    rows = tuple(
        (
            *(row.stage, CHANNELS[row.stage], row.prior, row.posterior, row.leakage),
            *(row.capacity, row.reaches),
            *((row.capacity_occurring, row.reaches_occurring) if both else ()),
        )
        for row in found.privacy
    )
    counts = found.histories[0] if found.histories else None
    cookies = (
        "No histories were given: cookies are taken to tell all users apart."
        if counts is None
        else f"Cookies show histories ({counts.view}): {counts.distinct} differ, and {counts.unique} of "
        f"{counts.users} users have one that nobody else has."
    )
    bound = "with all m topics or with the m' that occur." if both else "with m topics."
    return Table(
        "Privacy: the chance to name the user",
        columns + ((f"capacity (m'={m1})", "reached (m')") if both else ()),
        rows,
        (
            f"{prior_on_users(found).capitalize()}; leakage is posterior over prior.",
            cookies,
            f"Capacity is the most that the step can leak by its parameters, {bound}",
        ),
    )


def _utility(found: "Measurement", gain: str, uses: tuple[Use, ...]) -> Table:
    columns = ("step", "channel", "secret", "prior", "posterior", "leakage")
    uniform = ("uniform prior", "uniform posterior", "uniform leakage")
    rows = tuple(
        (
            row.stage,
            SECRETS_TO[row.stage],
            "history" if row.stage in HISTORIES else "set",
            *_chances(row),
            *_chances(next(u for u in uses if _same_but(u, row))),
        )
        for row in uses
        if row.gain == gain and row.weighting == "population"
    )
    notes: tuple[str, ...] = (
        "Prior, posterior and leakage are under the population's own prior on secrets; uniform means the "
        "uniform prior on the different secrets.",
    )
    if found.prior == "as-published":
        notes += ("The population's prior on sets is misaligned, as in the published notebooks.",)
    if gain == "bayes" and not found.histories:
        notes += ("No histories were given: every user is taken to have a history of their own.",)
    if gain == "iba":
        notes += ("Who sees the history or the whole set can name a topic of it for certain.",)
    return Table(_GOALS[gain], columns + uniform, rows, notes)


def _limits(found: "Measurement") -> Table:
    columns = ("limits", "topics", "Bayes capacity", "epsilon", "max-case capacity")
    rows = tuple(
        (_BASES[row.basis], row.n_topics, row.bayes_capacity, row.epsilon, row.max_case_capacity)
        for row in found.limits
    )
    notes: tuple[str, ...] = (
        "Factors, and epsilon in nats. The Bayes capacity of the channel is its leakage with equally likely "
        "users.",
    )
    if found.occurring_topics < found.setting.n_topics:
        notes += ("With m' the formula of the Bayes capacity is that of this population's own channel.",)
        if found.distinct_sets > 1 and 0 < found.setting.noise < 1:
            notes += (
                "Those of epsilon and of the max-case capacity are too low with m': the random topic ranges "
                "over all m topics.",
            )
    if found.distinct_sets == 1:
        notes += ("The formulas of the worst case need two different sets; here all users share one.",)
    return Table("Limits of one report", columns, rows, notes)


def _priors(found: "Measurement") -> Table:
    """Return what the misaligned prior changes."""
    right = {(row.stage, row.gain): row for row in found.aligned_utility if row.weighting == "population"}
    rows = tuple(
        (row.stage, row.gain, name, value(row), value(right[row.stage, row.gain]))
        for row in found.utility
        if row.weighting == "population" and row.stage not in HISTORIES
        for name, value in _VALUES.items()
    )
    return Table(
        "Utility with the misaligned prior on sets, and with the right one",
        ("step", "gain", "what", "as published", "correct"),
        rows,
        (
            "As published, the k-th set in order of text has the probability of the k-th set in order of "
            "first appearance.",
        ),
    )


def _histories(found: "Measurement") -> Table:
    rows = tuple((row.view, row.distinct, row.unique, row.unique / row.users) for row in found.histories)
    return Table(
        f"Browsing histories of {counted(found.users, 'user')}",
        ("what counts of a visit", "different histories", "users with one of their own", "share"),
        rows,
        ("Cookies are measured by the first line.",),
    )


_VALUES: dict[str, Callable[[Use], object]] = {
    "prior": lambda row: row.prior,
    "posterior": lambda row: row.posterior,
    "leakage": lambda row: row.leakage,
}


def _chances(row: Use) -> tuple[object, ...]:
    return tuple(value(row) for value in _VALUES.values())


def _same_but(row: Use, other: Use) -> bool:
    return (row.stage, row.gain, row.weighting) == (other.stage, other.gain, "uniform")
