"""What a table of any stage holds: the figures of the paper's dataset tables (Sec. 5.1, App. D).

Sizes of histories are few different numbers, however many users there are: the engine counts users per
size, and all the rest is exact arithmetic on these counts, the same on every engine.
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import accumulate
from math import sqrt
from pathlib import Path
from typing import Any

import ibis

from quiff.errors import ParameterError, QuiffError
from quiff.io import StrPath
from quiff.io.blocks import DAMAGES, find_source, opened
from quiff.io.scratch import drop, make_temporary
from quiff.logs.published import is_published
from quiff.logs.queries import distinct_entries, fetch_rows, kept, scalar
from quiff.logs.read import Log, LogFormat, read_log
from quiff.logs.scan import scan_parquet
from quiff.logs.tables import STAGES, find_table, read_table, stage_of, unfolded
from quiff.logs.times import TimeFormat, with_times
from quiff.logs.treat import CONTROL

_MOST_VISITED = 10


@dataclass(frozen=True)
class Sizes:
    """How many records users have: least, quantiles by linear interpolation, most, mean, sample deviation."""

    min: int
    q25: float
    q50: float
    q75: float
    q95: float
    q99: float
    max: int
    mean: float
    deviation: float


@dataclass(frozen=True)
class Statistics:
    """The figures of one table; what a stage does not have is None or empty."""

    stage: str  # log, treated, reduced, experimental or profiles
    rows: int  # the number of records, and of distinct users, URLs, domains and topics
    users: int
    urls: int | None = None
    domains: int | None = None
    topics: int | None = None
    domains_by_labels: dict[int, int] | None = None  # how many domains have two labels, three, and so on
    sizes: Sizes | None = None  # how many records users have
    # How many users have each number of records, from the least number on.
    users_per_count: tuple[tuple[int, int], ...] = ()
    most_visited: tuple[tuple[str, int], ...] = ()  # the domains with most records, and how many these are
    visitors: tuple[int, ...] = ()  # how many users these domains have
    # The range of time; of a log, that of the times that can be read.
    first: str | None = None
    last: str | None = None
    distinct_sets: int | None = None  # how many different sets profiles have
    malformed: int | None = None  # how many lines of a log are malformed; they are not among its rows


def describe(
    con: Any, paths: Sequence[StrPath], form: LogFormat | None = None, time_format: str | None = None
) -> Statistics:
    """Return the figures of a table of any stage, or of the files of a log.

    That is a table, a folder with one, or the files of a log, by default with the columns of the AOL search
    logs; `time_format` is as in :func:`quiff.logs.treat.treat`.
    """
    times = None if time_format is None else TimeFormat(time_format)
    if _is_log(con, paths, form):
        scratch = make_temporary("log")
        try:
            with read_log(con, paths, form or LogFormat(), scratch) as log, kept(con, log.table) as (rows, n):
                return _log(con, replace(log.counted(n), table=rows), times)
        finally:
            drop(scratch)
    if len(paths) != 1:
        raise ParameterError(
            what="the number of tables", value=len(paths), allowed="1: describe them one by one"
        )
    table, stage = read_table(con, find_table(paths[0], STAGES), STAGES)
    if stage == "profiles":
        return _profiles(con, table)
    if stage == "experimental":
        found = _visits(con, unfolded(table), stage)
        # A published table has the topics of a user in one list, not by visit.
        return replace(found, topics=found.topics or distinct_entries(con, table.all_topics) or None)
    return _visits(con, table, stage)


def sizes_of_counts(counts: Sequence[tuple[int, int]]) -> Sizes:
    """Return the figures of sizes from how often each occurs, sizes in increasing order.

    >>> sizes = sizes_of_counts([(1, 2), (4, 1), (10, 1)])
    >>> sizes.q50, sizes.mean, sizes.max
    (2.5, 4.0, 10)
    """
    total = sum(users for _, users in counts)
    mean = Fraction(sum(size * users for size, users in counts), total)
    squares = sum(users * (size - mean) ** 2 for size, users in counts)
    deviation = sqrt(squares / (total - 1)) if total > 1 else 0.0
    ends = list(accumulate(users for _, users in counts))

    def quantile(percent: int) -> float:
        """Interpolate between the two nearest of all sizes in order; place 0 is the least."""
        place = Fraction(percent * (total - 1), 100)
        low = int(place)
        below, above = (counts[bisect_right(ends, min(k, total - 1))][0] for k in (low, low + 1))
        return float(below + (place - low) * (above - below))

    q25, q50, q75, q95, q99 = map(quantile, (25, 50, 75, 95, 99))
    return Sizes(counts[0][0], q25, q50, q75, q95, q99, counts[-1][0], float(mean), deviation)


def _is_log(con: Any, paths: Sequence[StrPath], form: LogFormat | None) -> bool:
    """Say if these are a log's files: pipes, text, or Parquet files that are no table of quiff's."""
    path = Path(paths[0])
    if path.is_fifo() or path.is_socket():
        return True
    if not path.is_file():
        return False
    if path.suffix != ".parquet":
        return not _has_published_columns(path)
    return form is not None and stage_of(scan_parquet(con, path).columns) is None


def _has_published_columns(path: Path) -> bool:
    try:
        with opened(find_source(path)) as file:
            return is_published(path) and b"RandID" in file.readline(1000).split(b",")
    except (QuiffError, *DAMAGES):  # whoever reads it as a log tells what is wrong
        return False


def _log(con: Any, log: Log, form: TimeFormat | None) -> Statistics:
    rows = log.table.filter(~log.table.malformed, ~log.is_header.fill_null(False))
    named = rows.mutate(user=rows.user.re_replace(CONTROL, ""))
    counts = _users_per_count(con, named.filter(named.user.notnull() & (named.user != "")))
    n_rows = int(scalar(con, rows.count()))
    n_headers = int(scalar(con, log.table.filter(log.is_header.fill_null(False)).count()))
    malformed = log.rejected + int(scalar(con, log.table.malformed.sum()) or 0)
    log.check(n_rows + malformed + n_headers)
    return Statistics(
        "log",
        n_rows,
        sum(users for _, users in counts),
        urls=int(scalar(con, rows.url.nunique())),
        sizes=sizes_of_counts(counts) if counts else None,
        users_per_count=counts,
        malformed=malformed,
        **_span(con, with_times(rows, ibis.literal(True), form)),
    )


def _visits(con: Any, visits: Any, stage: str) -> Statistics:
    counts = _users_per_count(con, visits)
    domains = visits.group_by("domain").agg(visits=visits.count(), users=visits.user.nunique())
    labels = domains.select(labels=domains.domain.re_split(r"[.]").length())
    by_labels = fetch_rows(con, labels.group_by("labels").agg(n=labels.count()).order_by("labels"))
    most = fetch_rows(con, domains.order_by([domains.visits.desc(), domains.domain]).limit(_MOST_VISITED))
    topics = distinct_entries(con, visits.topics) if "topics" in visits.columns else 0
    return Statistics(
        stage,
        sum(size * users for size, users in counts),
        sum(users for _, users in counts),
        domains=sum(row["n"] for row in by_labels),
        topics=topics or None,
        domains_by_labels={int(row["labels"]): int(row["n"]) for row in by_labels},
        sizes=sizes_of_counts(counts) if counts else None,
        users_per_count=counts,
        most_visited=tuple((row["domain"], int(row["visits"])) for row in most),
        visitors=tuple(int(row["users"]) for row in most),
        **_span(con, visits),
    )


def _span(con: Any, rows: Any) -> dict[str, Any]:
    """Return the first and the last time as text."""
    first, last = (time.cast("string") for time in (rows.time.min(), rows.time.max()))
    return fetch_rows(con, rows.agg(first=first, last=last))[0]


def _users_per_count(con: Any, rows: Any) -> tuple[tuple[int, int], ...]:
    users = rows.group_by("user").agg(records=rows.count())
    counts = users.group_by("records").agg(users=users.count()).order_by("records")
    return tuple((int(row["records"]), int(row["users"])) for row in fetch_rows(con, counts))


def _profiles(con: Any, table: Any) -> Statistics:
    return Statistics(
        "profiles",
        int(scalar(con, table.count())),
        int(scalar(con, table.user.nunique())),
        topics=distinct_entries(con, table.topics),
        distinct_sets=int(scalar(con, table.select("topics").distinct().count())),
    )
