"""From visits to the Experimental table: a row for each user, with the browsing history (App. D.4)."""

import os
from dataclasses import dataclass
from typing import Any

from quiff.history.queries import empty_list, fetch_rows, scalar
from quiff.history.tables import Steps, Workspace, find_table, read_visits
from quiff.theory.parameters import check_whole

DEFAULT_MAX_VISITS = 10_000


@dataclass(frozen=True)
class Experimental:
    """What became of a table of visits."""

    # The visits in the Experimental table, its users, and the distinct domains in it.
    rows: int
    users: int
    domains: int
    # How many users were left out, and their visits, by reason: ``singleton`` for users of one domain only,
    # however often they visited it; ``outlier`` for users with too many visits.
    dropped_users: dict[str, int]
    dropped_rows: dict[str, int]


def experiment(
    con: Any,
    history: str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    max_visits: int = DEFAULT_MAX_VISITS,
    force: bool = False,
    steps: Steps | None = None,
) -> Experimental:
    """Write the Experimental table of a Treated or Reduced one.

    A history is the list of a user's visits in the order of time: time, domain and the domain's topics
    (none in a Treated table).

    `out` gets ``experimental.parquet``. Users with more visits than `max_visits` are outliers. An input is
    never replaced, whatever `force` is.
    """
    check_whole("max_visits", max_visits, 2)
    stages = ("treated", "reduced")
    path = find_table(history, stages)
    visits, stage = read_visits(con, path, stages)
    if stage == "treated":
        visits = visits.mutate(topics=empty_list(visits.domain))
    with Workspace(con, out, ["experimental.parquet"], steps=steps, force=force, inputs=[path]) as work:
        users, _ = work.keep("find singletons and outliers", _judged(visits, max_visits))
        kept = visits.semi_join(users.filter(users.reason.isnull()), "user")
        table, n_users = work.output("experimental.parquet", "write the Experimental table", _histories(kept))
        dropped = _dropped(con, users)
        n_rows = scalar(con, table.history.length().sum())
        domains = scalar(con, kept.domain.nunique())
    return Experimental(
        int(n_rows or 0),
        n_users,
        int(domains),
        {reason: users for reason, (users, _) in dropped.items()},
        {reason: rows for reason, (_, rows) in dropped.items()},
    )


def _judged(visits: Any, max_visits: int) -> Any:
    """Return ``user, visits, reason``; the reason is null for users that stay."""
    import ibis

    users = visits.group_by("user").agg(
        visits=visits.count(), first=visits.domain.min(), last=visits.domain.max()
    )
    reason = ibis.cases(
        (users["first"] == users["last"], "singleton"),
        (users.visits > max_visits, "outlier"),
        else_=ibis.null("string"),
    )
    return users.select("user", "visits", reason=reason)


def _histories(visits: Any) -> Any:
    import ibis

    visit = ibis.struct({"time": visits.time, "domain": visits.domain, "topics": visits.topics})
    return visits.group_by("user").agg(
        history=visit.collect().sort(), all_topics=visits.topics.collect().flatten().unique().sort()
    )


def _dropped(con: Any, users: Any) -> dict[str, tuple[int, int]]:
    gone = users.filter(users.reason.notnull())
    counts = fetch_rows(con, gone.group_by("reason").agg(users=gone.count(), rows=gone.visits.sum()))
    found = {row["reason"]: (int(row["users"]), int(row["rows"])) for row in counts}
    return {reason: found.get(reason, (0, 0)) for reason in ("singleton", "outlier")}
