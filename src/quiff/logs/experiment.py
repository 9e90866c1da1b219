"""From visits to the Experimental table: a row for each user, with the browsing history (App. D.4)."""

from dataclasses import dataclass
from typing import Annotated, Any

import ibis

from quiff.commands import NewFile, NewFolder, command
from quiff.io import StrPath
from quiff.logs.queries import empty_list, fetch_rows, scalar
from quiff.logs.tables import Steps, find_table, publish, read_visits, workspace
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


@command("experiment", group="log")
def experiment(
    con: Any,
    history: StrPath,
    out: Annotated[StrPath, NewFolder("experimental.parquet")],
    *,
    max_visits: int = DEFAULT_MAX_VISITS,
    csv: Annotated[StrPath, NewFile(".csv")] | None = None,
    force: bool = False,
    steps: Steps | None = None,
) -> Experimental:
    """Gather the visits of each user, without outliers.

    A history is the list of a user's visits in the order of time: time, domain and the domain's topics (none
    in a Treated table). Users of one domain only are left out too. HISTORY is a Treated or Reduced table, or
    the folder that has it. An input is never replaced.

    Parameters
    ----------
    con
        The engine, of `quiff.logs.engine.connect`.
    history
        The table.
    out
        The folder that gets experimental.parquet.
    max_visits
        Users with more visits are outliers.
    csv
        Also write the table in the form of the paper's published CSV files.
    force
        Whether outputs that are there are replaced.
    steps
        Is told of each step.

    Examples
    --------
    $ quiff experiment reduced --out experimental
    """
    check_whole("max_visits", max_visits, 2)
    stages = ("treated", "reduced")
    path = find_table(history, stages)
    visits, stage = read_visits(con, path, stages)
    if stage == "treated":
        visits = visits.mutate(topics=empty_list(visits.domain))
    with workspace(con, out, ["experimental.parquet"], steps=steps, force=force, inputs=[path]) as work:
        users, _ = work.keep("find singletons and outliers", _judged(visits, max_visits))
        staying = visits.semi_join(users.filter(users.reason.isnull()), "user")
        visit = ibis.struct({"time": staying.time, "domain": staying.domain, "topics": staying.topics})
        histories = staying.group_by("user").agg(
            history=visit.collect().sort(), all_topics=staying.topics.collect().flatten().unique().sort()
        )
        table, n_users = work.output("experimental.parquet", "write the Experimental table", histories)
        gone = users.filter(users.reason.notnull())
        counts = fetch_rows(con, gone.group_by("reason").agg(users=gone.count(), rows=gone.visits.sum()))
        n_rows, domains = scalar(con, table.history.length().sum()), scalar(con, staying.domain.nunique())
    publish(con, out, "experimental", csv, force, [path])
    none = {"singleton": 0, "outlier": 0}
    lost_users = none | {row["reason"]: int(row["users"]) for row in counts}
    lost_rows = none | {row["reason"]: int(row["rows"]) for row in counts}
    return Experimental(int(n_rows or 0), n_users, int(domains), lost_users, lost_rows)


def _judged(visits: Any, max_visits: int) -> Any:
    """Return ``user, visits, reason``; the reason is null for users that stay."""
    users = visits.group_by("user").agg(
        visits=visits.count(), first=visits.domain.min(), last=visits.domain.max()
    )
    reason = ibis.cases(
        (users["first"] == users["last"], "singleton"),
        (users.visits > max_visits, "outlier"),
        else_=ibis.null("string"),
    )
    return users.select("user", "visits", reason=reason)
