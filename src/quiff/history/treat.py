"""From a log to the Treated table: users under pseudonyms, times, and registrable domains (App. D.1)."""

import os
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from quiff.errors import QuiffError
from quiff.history.domains import domain_table
from quiff.history.queries import fetch_rows, scalar
from quiff.history.read import BadLine, Log, LogFormat, read_log
from quiff.history.steps import Steps
from quiff.history.suffixes import Suffixes
from quiff.history.tables import Workspace

__all__ = ["DEFAULT_MAX_BAD_LINES", "Treated", "treat"]

DEFAULT_MAX_BAD_LINES = 1000
_TIME = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]{1,6})?$"
_CONTROL = r"[\x00-\x1f\x7f]"


@dataclass(frozen=True)
class Treated:
    """What became of a log.

    Attributes
    ----------
    rows_read
        The rows of the log; each is in the Treated table or in `dropped`.
    rows, users, domains
        The rows of the Treated table, and the distinct users and domains in it.
    dropped
        How many rows were left out, by reason.
    bad_lines
        The first malformed lines.
    seeded
        Whether the pseudonyms come from a seed, and so could be found out: only for tests.
    """

    rows_read: int
    rows: int
    users: int
    domains: int
    dropped: dict[str, int]
    bad_lines: tuple[BadLine, ...]
    seeded: bool


def treat(
    con: Any,
    paths: Sequence[str | os.PathLike[str]],
    out: str | os.PathLike[str],
    *,
    form: LogFormat | None = None,
    suffixes: Suffixes | None = None,
    max_bad_lines: int = DEFAULT_MAX_BAD_LINES,
    seed: int | None = None,
    steps: Steps | None = None,
) -> Treated:
    """Write the Treated table of a log, and its unique domains.

    Rows go that have no URL, no user, no time, or whose URL has no registrable domain. Control characters
    are taken out of user names, which are then replaced by numbers from 1 in an order that only a secret
    of this run tells: no table from old to new names is ever written.

    Parameters
    ----------
    con
        The engine, from :func:`quiff.history.engine.connect`.
    paths
        The files of the log, as in :func:`quiff.history.read.read_log`.
    out
        The folder for ``treated.parquet`` and ``domains.parquet``.
    form
        The columns of the log; None for those of the AOL search logs.
    suffixes
        The public suffixes; None for the packaged ones.
    max_bad_lines
        With more malformed lines than this, nothing is written.
    seed
        Makes the pseudonyms repeatable, for tests; None draws the secret from the operating system.
    steps
        Where to record steps and their times.

    Raises
    ------
    ParameterError
        If the log cannot be read or the tables cannot be written.
    QuiffError
        If there are too many malformed lines.
    """
    secret = secrets.token_hex(32) if seed is None else f"seed {seed}"
    log = read_log(con, paths, form or LogFormat(), most_bad=max_bad_lines)
    with Workspace(con, out, steps) as work:
        rows, n_lines = work.keep("read the lines of the log", _judged(log))
        left_out, bad_lines, dropped = _dropped_lines(con, rows, log, max_bad_lines)
        kept = rows.filter(rows.reason.isnull()).drop("reason")
        found = domain_table(kept.select("url").distinct(), suffixes)
        domains, _ = work.keep("find the domains of distinct URLs", found)
        names, n_names = work.keep("list the users", kept.select("user").distinct())
        users, n_named = work.keep("draw pseudonyms", _pseudonyms(names, secret))
        for reason, count in _dropped_rows(con, kept, domains, users, n_named < n_names).items():
            dropped[reason] = dropped.get(reason, 0) + count
        rows_out = _treated(kept, domains, users)
        treated, n_rows = work.output("treated.parquet", "write the Treated table", rows_out)
        unique = treated.select("domain").distinct()
        _, n_domains = work.output("domains.parquet", "write the unique domains", unique)
        n_users = int(scalar(con, treated.user.nunique()))
    n_read = n_lines - log.headers + left_out
    return Treated(n_read, n_rows, n_users, n_domains, dropped, bad_lines, seed is not None)


def _judged(log: Log) -> Any:
    """Return user, time and url of each row, and why it goes; what goes leaves its reason only."""
    import ibis

    rows = log.table
    nothing = ibis.null("string")
    reasons = [
        (rows.malformed, "malformed"),
        (rows.url.isnull() | (rows.url == ""), "no-url"),
        (rows.user.isnull() | (rows.user == ""), "no-user"),
    ]
    if log.header is not None:
        user, when, url = log.header
        reasons.insert(1, ((rows.url == url) & (rows.time == when) & (rows.user == user), "header"))
    looked = rows.select("user", "url", "time", reason=ibis.cases(*reasons, else_=nothing))
    # Only times of rows that have stayed so far are read: that is the costly part.
    written = looked.reason.isnull() & looked.time.re_search(_TIME)
    time = written.ifelse(looked.time.try_cast("timestamp"), ibis.null("timestamp"))
    timed = looked.mutate(time=time)
    reason = (timed.reason.isnull() & timed.time.isnull()).ifelse("bad-time", timed.reason)
    stays = timed.time.notnull()
    return timed.select(
        "time", reason=reason, user=stays.ifelse(timed.user, nothing), url=stays.ifelse(timed.url, nothing)
    )


def _dropped_lines(
    con: Any, rows: Any, log: Log, most: int
) -> tuple[int, tuple[BadLine, ...], dict[str, int]]:
    """Return how many lines the engine left out, the first malformed ones, and all dropped rows by reason."""
    dropped = _count_by_reason(con, rows.filter(rows.reason.notnull()))
    again = dropped.pop("header", 0) - log.headers
    if again > 0:  # the files' own first lines are no rows; others like them are
        dropped["header"] = again
    bad = log.bad_lines()
    malformed = dropped.pop("malformed", 0) + bad.left_out
    if not malformed:
        return 0, (), dropped
    examples = bad.examples()
    if malformed > most:
        raise QuiffError(
            f"more than {most} lines are malformed, such as {'; '.join(map(str, examples))};"
            " mend the log, or allow for more by --max-bad-lines"
        )
    return bad.left_out, examples, {"malformed": malformed, **dropped}


def _count_by_reason(con: Any, rows: Any) -> dict[str, int]:
    counts = fetch_rows(con, rows.group_by("reason").agg(rows=rows.count()).order_by("reason"))
    return {row["reason"]: row["rows"] for row in counts}


def _pseudonyms(names: Any, secret: str) -> Any:
    """Return user, pseudonym: the place of the user's name in the order of keyed digests."""
    import ibis

    named = names.mutate(name=names.user.re_replace(_CONTROL, ""))
    named = named.filter(named.name != "")
    digested = named.mutate(digest=(ibis.literal(f"{secret}|") + named.name).hexdigest("sha256"))
    place = ibis.dense_rank().over(order_by=[digested.digest, digested.name])
    return digested.select("user", pseudonym=place + 1)


def _dropped_rows(con: Any, kept: Any, domains: Any, users: Any, nameless: bool) -> dict[str, int]:
    """Count the rows whose user or URL turned out to be none."""
    useless = domains.filter(domains.domain.isnull()).select("url", "reason")
    named = kept.semi_join(users, "user") if nameless else kept
    dropped = _count_by_reason(con, named.inner_join(useless, "url").select("reason"))
    if not nameless:
        return dropped
    return {"no-user": int(scalar(con, kept.anti_join(users, "user").count())), **dropped}


def _treated(kept: Any, domains: Any, users: Any) -> Any:
    useful = domains.filter(domains.domain.notnull()).select("url", "domain")
    rows = kept.inner_join(useful, "url").inner_join(users, "user")
    return rows.select(user=rows.pseudonym, time=rows.time, domain=rows.domain)
