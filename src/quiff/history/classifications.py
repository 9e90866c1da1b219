"""Classifications: the topics of domains, from the public lists or from a file of one's own."""

import csv
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from quiff.errors import ParameterError, QuiffError
from quiff.history.domains import domain_table
from quiff.history.fetch import fetch
from quiff.history.sources.chrome import chrome_table
from quiff.history.sources.citizenlab import citizenlab_table
from quiff.history.suffixes import Suffixes
from quiff.populations.literals import parse_topics

__all__ = ["CLASSIFICATIONS", "Classification", "read_classification"]


@dataclass(frozen=True)
class Classification:
    """Domains and their topics.

    Attributes
    ----------
    name
        The name of the list, or the path of the file.
    table
        An Ibis table: domain (each once), topics (a sorted list of strings, maybe empty).
    """

    name: str
    table: Any


def read_classification(
    name: str | os.PathLike[str],
    *,
    mirror: str | os.PathLike[str] | None = None,
    suffixes: Suffixes | None = None,
) -> Classification:
    """Return a classification by its name, or from a file with the columns ``domain`` and ``topics``.

    Citizen Lab's lists have URLs, which are turned into domains by the rules that logs are treated by.
    Chrome's lists have hosts, of which some have no topics: a domain that matches one of these is known to
    have none.

    Raises
    ------
    ParameterError
        If there is neither a list nor a file of that name.
    QuiffError
        If the file cannot be read.
    """
    name = os.fspath(name)
    if name in CLASSIFICATIONS:
        return Classification(name, CLASSIFICATIONS[name](fetch(name, mirror), suffixes))
    if not Path(name).is_file():
        raise ParameterError(
            f"there is no classification {name!r}; give one of {', '.join(CLASSIFICATIONS)},"
            " or a CSV file with the columns domain and topics"
        )
    return Classification(name, _from_file(Path(name)))


def _citizenlab(path: Path, suffixes: Suffixes | None) -> Any:
    import ibis

    rows = ibis.memtable(citizenlab_table(path))
    rows = rows.filter(rows.url.notnull(), rows.category.notnull())
    domains = domain_table(rows.select("url").distinct(), suffixes)
    found = rows.inner_join(domains.filter(domains.domain.notnull()), "url")
    return found.group_by("domain").agg(topics=found.category.collect().unique().sort())


def _chrome(path: Path, suffixes: Suffixes | None) -> Any:  # noqa: ARG001 - one signature for all
    import ibis

    rows = ibis.memtable(chrome_table(path))
    listed = rows.group_by(domain=rows.host).agg(topics=rows.topics.cast("array<string>").collect())
    return listed.select("domain", topics=listed.topics.flatten().unique().sort())


CLASSIFICATIONS: dict[str, Callable[[Path, Suffixes | None], Any]] = {
    "citizenlab": _citizenlab,
    "chrome-1": _chrome,
    "chrome-5": _chrome,
}
"""The classifications that have a name."""


def _from_file(path: Path) -> Any:
    """Read a classification in the published form, a domain and its topics a line."""
    import ibis
    import pyarrow as pa

    topics_of: dict[str, list[str]] = {}
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file)
            if not {"domain", "topics"} <= set(reader.fieldnames or ()):
                raise QuiffError(
                    f"{str(path)!r} has the columns {reader.fieldnames};"
                    " a classification needs domain and topics"
                )
            for row in reader:
                where = f"line {reader.line_num} of {str(path)!r}"
                if not row["domain"] or row["topics"] is None:
                    raise QuiffError(f"{where} has no domain or no topics; leave it out, or quote the topics")
                if row["domain"] in topics_of:
                    raise QuiffError(f"{where} has the domain {row['domain']!r} again; give it once")
                topics_of[row["domain"]] = sorted(set(parse_topics(row["topics"])))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise QuiffError(f"cannot read {str(path)!r}: {error}") from error
    schema = pa.schema([("domain", pa.string()), ("topics", pa.list_(pa.string()))])
    columns = [list(topics_of), list(topics_of.values())]
    return ibis.memtable(pa.table(columns, schema=schema))
