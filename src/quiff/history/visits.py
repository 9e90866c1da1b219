"""The topics that users met, from any table that tells them: visits, histories, or published lists."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from quiff.errors import ParameterError
from quiff.history.classifications import Classification
from quiff.history.matching import match_domains
from quiff.history.published import is_published
from quiff.history.tables import Workspace, find_table, read_table, read_visits

_NO_TIMES = (
    "{path!r} does not say which visit had which topics, so that epochs cannot be told apart;"
    " leave --epoch-days out, or give the topics of domains by --with"
)
_STAGES = ("reduced", "experimental")


@dataclass(frozen=True)
class Source:
    """A table that topics come from, its stage, and what says the topics of domains if it does not."""

    path: Path
    table: Any
    stage: str
    classification: Classification | None


def find_source(
    con: Any,
    history: str | os.PathLike[str],
    *,
    classification: Classification | None = None,
    dated: bool = False,
) -> Source:
    """Return the table that topics come from.

    That is a Reduced or Experimental table, or with a classification, whose topics replace those in the
    table, also a Treated one. A published Experimental table has the topics of a user in one list, without
    times; each counts as often as it is named. `dated` asks for times.
    """
    stages = _STAGES if classification is None else ("treated", *_STAGES)
    path = find_table(history, stages)
    table, stage = read_visits(con, path, stages)
    if dated and classification is None and stage == "experimental" and is_published(path):
        raise ParameterError(_NO_TIMES.format(path=str(path)))
    return Source(path, table, stage, classification)


def met_topics(work: Workspace, source: Source) -> Any:
    """Return ``user, time, topics``: the topics that each visit stands for."""
    import ibis

    table = source.table
    if source.classification is not None:
        return _classified(work, _with_domains(table, source.stage), source.classification)
    if source.stage == "reduced":
        return table.select("user", "time", "topics")
    if is_published(source.path):
        return table.select("user", time=ibis.null("timestamp"), topics=table.all_topics)
    visits = table.select("user", visit=table.history.unnest())
    return visits.select("user", time=visits.visit["time"], topics=visits.visit["topics"])


def with_sets(con: Any, history: str | os.PathLike[str], profiles: Path) -> Any:
    """Return an Experimental table with the sets of its users, ``s_topics``, as it was published."""
    table, _ = read_table(con, find_table(history, ("experimental",)), ("experimental",))
    sets, _ = read_table(con, profiles, ("profiles",))
    found = table.inner_join(sets.select("user", s_topics=sets.topics), "user")
    return found.select("user", "history", "all_topics", "s_topics")


def _with_domains(table: Any, stage: str) -> Any:
    """Return ``user, time, domain`` of each visit."""
    if stage != "experimental":
        return table.select("user", "time", "domain")
    visits = table.select("user", visit=table.history.unnest())
    return visits.select("user", time=visits.visit["time"], domain=visits.visit["domain"])


def _classified(work: Workspace, visits: Any, classification: Classification) -> Any:
    listed, _ = work.keep("read the classification", classification.table)
    domains = visits.select("domain").distinct()
    matches, _ = work.keep("match the domains", match_domains(domains, listed))
    found = visits.inner_join(matches.select("domain", "topics"), "domain")
    return found.select("user", "time", "topics")
