"""The topics that users met, and in which epoch, from visits, histories or published lists."""

from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

import ibis

from quiff.errors import ParameterError, counted
from quiff.io import StrPath
from quiff.logs.classifications import Classification
from quiff.logs.classify import match_domains
from quiff.logs.published import is_published
from quiff.logs.queries import fetch_rows
from quiff.logs.tables import Workspace, find_table, read_table, read_visits, unfolded

_STAGES = ("reduced", "experimental")
_MOST = 10_000_000  # users times epochs
_MOST_IF_SPARSE = 200_000  # where most epochs have no visit at all, a date is wrong
_DAY = 86_400


def find_visits(
    con: Any, history: StrPath, *, classified: bool = False, dated: bool = False
) -> tuple[Path, Any]:
    """Return where the table lies that topics come from, and its visits: ``user, time, topics``.

    That is a Reduced or Experimental table. If visits are to be `classified`, the last column is ``domain``,
    and the table may also be a Treated one. A published Experimental table has the topics of a user in one
    list, without times; each counts as often as it is named. `dated` asks for times.
    """
    stages = ("treated", *_STAGES) if classified else _STAGES
    path = find_table(history, stages)
    table, stage = read_visits(con, path, stages)
    if stage == "experimental" and is_published(path) and not classified:
        if dated:
            raise ParameterError(
                f"{str(path)!r} does not say which visit had which topics, so that epochs cannot be told"
                " apart; leave --epoch-days out, or give the topics of domains by --with"
            )
        return path, table.select("user", time=ibis.null("timestamp"), topics=table.all_topics)
    visits = unfolded(table) if stage == "experimental" else table
    return path, visits.select("user", "time", "domain" if classified else "topics")


def with_topics(work: Workspace, visits: Any, classification: Classification) -> Any:
    """Return visits, ``user, time, domain``, with the topics of the domains in the place of these."""
    listed, _ = work.keep("read the classification", classification.table)
    domains = visits.select("domain").distinct()
    matches, _ = work.keep("match the domains", match_domains(domains, listed))
    topics_of_visits = visits.inner_join(matches.select("domain", "topics"), "domain")
    return topics_of_visits.select("user", "time", "topics")


def with_sets(con: Any, history: StrPath, profiles: Path) -> Any:
    """Return an Experimental table with the sets of its users, ``s_topics``, as it was published."""
    table, _ = read_table(con, find_table(history, ("experimental",)), ("experimental",))
    sets, _ = read_table(con, profiles, ("profiles",))
    histories = table.inner_join(sets.select("user", s_topics=sets.topics), "user")
    return histories.select("user", "history", "all_topics", "s_topics")


@dataclass(frozen=True)
class Epochs:
    """The epochs of visits."""

    number: Any  # of the epoch of each visit, as an expression
    count: int
    days_of_last: int  # from the beginning of the last epoch to the day of the last visit

    def coverage(self, days: int) -> tuple[str, ...]:
        """Return a sentence if the visits cover only a part of the last epoch."""
        if self.days_of_last >= days:
            return ()
        return (
            f"The visits cover {self.days_of_last} of the {counted(days, 'day')} of the last of"
            f" {counted(self.count, 'epoch')}, so that its sets rest on less than those of others.",
        )


def epochs_of(con: Any, visits: Any, epoch_days: int, most: int | None = None) -> Epochs:
    """Return the epochs of visits, counted from 0 on at midnight of the first day of all.

    More than `most` user-epochs are refused; None means 10 million, but 200 000 if in most epochs nobody has
    a visit.
    """
    seconds = visits.time.epoch_seconds().cast("int64")
    extent = visits.agg(first=seconds.min(), last=seconds.max(), users=visits.user.nunique())
    (bounds,) = fetch_rows(con, extent)
    length = epoch_days * _DAY
    start = 0 if bounds["first"] is None else int(bounds["first"]) // _DAY * _DAY
    span = 0 if bounds["last"] is None else int(bounds["last"]) - start
    epochs = 0 if bounds["last"] is None else span // length + 1
    number = ((seconds - start) // length).cast("int64")
    answer = Epochs(number, epochs, span % length // _DAY + 1)
    sets = bounds["users"] * epochs
    if sets <= (_MOST_IF_SPARSE if most is None else most):
        return answer
    dated = visits.select(epoch=number)
    counts = fetch_rows(con, dated.group_by("epoch").agg(visits=dated.count()).order_by("epoch"))
    if most is None:
        most = _MOST if 2 * len(counts) >= epochs else _MOST_IF_SPARSE
    if sets > most:
        raise ParameterError(
            f"{counted(bounds['users'], 'user')} in {counted(epochs, 'epoch')} of"
            f" {counted(epoch_days, 'day')} would need {sets:,} sets, more than {most:,}: the visits are from"
            f" {_date(start)} to {_date(int(bounds['last']))}"
            f"{_outlier(counts, start, length)}; leave such visits out of the log,"
            " choose longer epochs by --epoch-days, or allow for more by --max-user-epochs"
        )
    return answer


def _outlier(counts: list[dict[str, Any]], start: int, length: int) -> str:
    """Say which visits lie beyond the longest time without any, from their number by epoch."""
    places = [row["epoch"] for row in counts]
    gaps = [later - earlier for earlier, later in pairwise(places)]
    if not gaps or max(gaps) == 1:
        return ""
    cut = gaps.index(max(gaps)) + 1
    before, after = (sum(row["visits"] for row in part) for part in (counts[:cut], counts[cut:]))
    empty = counted(max(gaps) - 1, "epoch")
    if before < after:
        edge, few, word = places[cut - 1] + 1, before, "before"
    else:
        edge, few, word = places[cut], after, "from"
    day = _date(start + edge * length)
    return f", of which only {counted(few, 'visit')} {word} {day}, beyond {empty} without any"


def _date(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).date().isoformat()
