"""From the Treated table to the Reduced one: visits to domains with known topics (App. D.2, D.3).

A classification knows the domains that it lists, and those under a listed one: the topics of ``gps.gov.uk``
are those of ``gov.uk``, its longest listed parent. The published figures rest on another rule, by mistake,
which can be repeated.
"""

from dataclasses import dataclass
from typing import Annotated, Any, Literal

import ibis
from ibis import _

from quiff.commands import NewFile, NewFolder, command
from quiff.errors import ParameterError
from quiff.io import StrPath
from quiff.logs.classifications import Classification
from quiff.logs.published import first_appearances
from quiff.logs.queries import distinct_entries, scalar
from quiff.logs.tables import Steps, find_table, publish, read_visits, workspace

_LONGEST_NAME = 253  # of a host, which has so many stretches that each can be looked up
_OTHER_SIGNS = r"[\\^$|?*+()\[\]{}]"  # that mean something in a pattern; no domain has them


def match_domains(domains: Any, classification: Any) -> Any:
    """Return the domains that are listed, or have three or more labels and are under a listed one.

    Each domain is there once. With a column ``key`` of the classification, as in Chrome's lists, a domain is
    listed if its key is: see :func:`key_of`. In the result ``domain, match, listed, topics``, ``match`` is
    full or partial, ``listed`` the domain whose topics they are; there may be none, where the classification
    says so.
    """
    if "key" in classification.columns:
        classification = _by_key(domains, classification)
    parents = _parents(_others(domains, classification))
    listed = classification.select(listed=classification.domain, topics=classification.topics)
    found = parents.inner_join(listed, parents.parent == listed.listed)
    nearest = ibis.row_number().over(group_by=found.domain, order_by=found.cut)
    partial = found.mutate(place=nearest).filter(lambda rows: rows.place == 0)
    full = domains.inner_join(classification, "domain").mutate(listed=_.domain)
    return _matched(full, "full").union(_matched(partial, "partial"))


def match_as_published(domains: Any, classification: Any) -> Any:
    """Return the matches by the rule behind the published figures, which is a mistake.

    A domain of three or more labels that is not listed counts as a partial match if a listed domain, read as
    a pattern in which a dot is any sign, occurs anywhere in it: ``t.me`` in ``hyde.tameside.sch.uk``. All
    partial matches get the topics of one domain: the full match with topics that comes last.

    It is assumed that the published code went through the domains in the order in which they first appear in
    the Treated table; a published table numbers its rows, in any other the time of the first visit stands in.

    `domains` has a column ``first``, the row or time where a domain appears first.
    """
    others = _others(domains, classification)
    others = others.filter(others.domain.length() <= _LONGEST_NAME)
    listed = classification.select(pattern=classification.domain)
    listed = listed.filter(~listed.pattern.re_search(_OTHER_SIGNS))
    listed = listed.mutate(start=listed.pattern.re_extract(r"^([^.]*)", 1))
    begun = others.mutate(begin=ibis.range(0, others.domain.length()).unnest())
    sized = begun.mutate(size=ibis.range(1, begun.domain.length() - begun.begin + 1).unnest())
    # Every stretch of each domain.
    pieces = sized.select("domain", "begin", piece=sized.domain.substr(sized.begin, sized["size"]))
    tried = pieces.inner_join(listed, pieces.piece == listed.start)
    # A dot of the pattern stands for any sign; all other signs of a domain stand for themselves.
    rest = tried.domain.substr(tried.begin, tried.pattern.length())
    hit = tried.filter(rest.re_search(ibis.literal("^") + tried.pattern + "$")).select("domain").distinct()
    full = domains.inner_join(classification, "domain").mutate(listed=_.domain)
    known = full.filter(full.topics.length() > 0)
    last = known.order_by([known["first"].desc(), known.domain.desc()]).limit(1)
    given = last.select(listed=last.domain, topics=last.topics)
    return _matched(full, "full").union(_matched(hit.cross_join(given), "partial"))


MATCHINGS = {"correct": match_domains, "as-published": match_as_published}  # the rules by name


def key_of(domain: Any) -> Any:
    """Return the key of a domain in Chrome's lists: a space for each dot, hyphen, underscore and plus."""
    return domain.re_replace("[-_.+]", " ")


def _by_key(domains: Any, classification: Any) -> Any:
    """Return ``domain, topics`` of those domains, and domains above them, whose keys are listed."""
    parents = _parents(domains.select("domain"))
    known = domains.select("domain").union(parents.select(domain=parents.parent), distinct=True)
    found = known.mutate(key=key_of(known.domain)).inner_join(classification.select("key", "topics"), "key")
    return found.select("domain", "topics")


def _matched(found: Any, match: str) -> Any:
    return found.select(
        "domain", match=ibis.literal(match, "string"), listed=found.listed, topics=found.topics
    )


def _others(domains: Any, classification: Any) -> Any:
    """Return the domains that may match in part: not listed, and of three or more labels."""
    others = domains.anti_join(classification, "domain").select("domain")
    return others.filter(others.domain.re_search(r"[.].*[.]"))


def _parents(domains: Any) -> Any:
    """Return ``domain, cut, parent``: each parent of two or more labels, and how many labels it lacks."""
    split = domains.mutate(labels=domains.domain.re_split(r"[.]"))
    cut = split.mutate(cut=ibis.range(1, split.labels.length() - 1).unnest())
    parent = cut.labels[cut.cut : cut.labels.length()].join(".")
    return cut.select("domain", "cut", parent=parent)


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


@command("classify", group="log")
def classify(
    con: Any,
    treated: StrPath,
    classification: Classification,
    out: Annotated[StrPath, NewFolder("reduced.parquet", "matches.parquet")],
    *,
    matching: Literal["correct", "as-published"] = "correct",
    csv: Annotated[StrPath, NewFile(".csv")] | None = None,
    force: bool = False,
    steps: Steps | None = None,
) -> Reduced:
    """Keep the visits to domains whose topics are known.

    A classification lists them. A domain that is listed has the topics of its entry; a domain of three or
    more labels that is not has those of the longest listed domain that it is under. An input is never
    replaced.

    Parameters
    ----------
    con
        The engine, of `quiff.logs.engine.connect`.
    treated
        The Treated table, or the folder that has it.
    classification
        The topics of domains.
    out
        The folder that gets reduced.parquet and matches.parquet.
    matching
        How domains under a listed one get topics. as-published repeats a mistake, to compare figures: a
        listed domain may occur anywhere in the name, any character stands for its dots, and all such domains
        get the topics of the listed domain that is the last to appear in TREATED (by row in the published
        CSV, else by time of its first visit).
    csv
        Also write the table in the form of the paper's published CSV files.
    force
        Whether outputs that are there are replaced.
    steps
        Is told of each step.

    Examples
    --------
    $ quiff classify treated --classification log/classification.csv --out reduced
    """
    if matching not in MATCHINGS:
        raise ParameterError(what="the matching", value=matching, allowed=f"one of {', '.join(MATCHINGS)}")
    path = find_table(treated, ("treated",))
    visits, _ = read_visits(con, path, ("treated",))
    names = ("reduced.parquet", "matches.parquet")
    with workspace(con, out, names, steps=steps, force=force, inputs=[path]) as work:
        listed, _ = work.keep("read the classification", classification.table)
        domains, _ = work.keep("find the unique domains", first_appearances(con, path, visits))
        matched, _ = work.keep("match the domains", MATCHINGS[matching](domains, listed))
        useful = matched.filter(matched.topics.length() > 0)
        matches, n_domains = work.output("matches.parquet", "write the matches", useful)
        rows = visits.inner_join(matches.select("domain", "topics"), "domain")
        rows = rows.select("user", "time", "domain", "topics")
        reduced, n_rows = work.output("reduced.parquet", "write the Reduced table", rows)
        full = int(scalar(con, matches.filter(matches.match == "full").count()))
        reduced_counts = Reduced(
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
    publish(con, out, "reduced", csv, force, [path])
    return reduced_counts
