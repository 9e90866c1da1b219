"""From the Treated table to the Reduced one: visits to domains with known topics (App. D.2, D.3)."""

import os
from dataclasses import dataclass
from typing import Any

from quiff.errors import ParameterError
from quiff.history.classifications import Classification
from quiff.history.matching import MATCHINGS
from quiff.history.published import first_appearances
from quiff.history.queries import distinct_entries, scalar
from quiff.history.steps import Steps
from quiff.history.tables import Workspace, find_table, read_visits


@dataclass(frozen=True)
class Reduced:
    """What became of a Treated table."""

    # The rows of the Reduced table, and the distinct users, domains and topics in it.
    rows: int
    users: int
    domains: int
    topics: int
    # The domains that are listed themselves, and those under a listed one.
    full_matches: int
    partial_matches: int
    matches_without_topics: int  # the domains that match an entry which has no topics; they are left out
    dropped_rows: int  # the rows of the Treated table that are not in the Reduced one
    matching: str  # the rule: correct or as-published
    notes: tuple[str, ...] = ()  # what was left out of the classification, in sentences


def classify(
    con: Any,
    treated: str | os.PathLike[str],
    classification: Classification,
    out: str | os.PathLike[str],
    *,
    matching: str = "correct",
    force: bool = False,
    steps: Steps | None = None,
) -> Reduced:
    """Write the Reduced table of a Treated one, and the matches of its domains.

    `out` gets ``reduced.parquet`` and ``matches.parquet``. The matching as-published repeats a mistake that
    the published figures rest on. An input is never replaced, whatever `force` is.
    """
    if matching not in MATCHINGS:
        raise ParameterError(f"the matching is {matching!r}, but must be one of {', '.join(MATCHINGS)}")
    path = find_table(treated, ("treated",))
    visits, _ = read_visits(con, path, ("treated",))
    names = ("reduced.parquet", "matches.parquet")
    with Workspace(con, out, names, steps=steps, force=force, inputs=[path]) as work:
        listed, _ = work.keep("read the classification", classification.table)
        domains, _ = work.keep("find the unique domains", first_appearances(con, path, visits))
        matched, _ = work.keep("match the domains", MATCHINGS[matching](domains, listed))
        useful = matched.filter(matched.topics.length() > 0)
        matches, n_domains = work.output("matches.parquet", "write the matches", useful)
        rows = visits.inner_join(matches.select("domain", "topics"), "domain")
        rows = rows.select("user", "time", "domain", "topics")
        reduced, n_rows = work.output("reduced.parquet", "write the Reduced table", rows)
        full = int(scalar(con, matches.filter(matches.match == "full").count()))
        return Reduced(
            n_rows,
            int(scalar(con, reduced.user.nunique())),
            n_domains,
            distinct_entries(con, matches.topics),
            full,
            n_domains - full,
            int(scalar(con, matched.count())) - n_domains,
            int(scalar(con, visits.count())) - n_rows,
            matching,
            classification.notes,
        )
