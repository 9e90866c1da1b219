"""Classifications: the topics of domains, from the public lists or from a file of one's own."""

import csv
import io
import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import Any

import ibis
import pyarrow as pa
import pyarrow.compute as pc

from quiff.errors import ParameterError, QuiffError, cannot_read
from quiff.io import StrPath
from quiff.io.blocks import DAMAGES, damage, find_source, opened_lines
from quiff.logs.archives import read_files
from quiff.logs.domains import DomainRules, in_punycode
from quiff.logs.fetch import fetch
from quiff.logs.suffixes import Suffixes
from quiff.people.joined_topics import joined, joined_topic
from quiff.people.literals import parse_topics
from quiff.safe_text import column_names

# Old codes that one of the official lists still has, and the codes that replace them.
MERGED_CATEGORIES = MappingProxyType({"DEV": "ECON", "FEXP": "NEWS", "P2P": "FILE"})


def citizenlab_rows(path: Path) -> Iterator[tuple[str | None, str | None]]:
    """Yield URL and category, None where empty, of each row of all lists but the legends, as written."""
    for name, stream in read_files(path, "lists"):
        if name.endswith(".csv") and not name.startswith("00-LEGEND"):
            try:
                reader = csv.DictReader(io.TextIOWrapper(stream, encoding="utf-8", newline=""))
                if missing := sorted({"url", "category_code"} - set(reader.fieldnames or ())):
                    raise LookupError(f"it has no column {' and no column '.join(missing)}")
                for row in reader:
                    yield row["url"] or None, row["category_code"] or None
            except (csv.Error, UnicodeDecodeError, LookupError) as error:
                raise QuiffError(f"cannot read the list {name!r} in {str(path)!r}: {error}") from error


TESTING_KEY = "for testing only"
"""How the keys of the rows begin that Chrome's own tests need; they are no hosts."""


def host_of_key(key: str) -> str:
    """Return the most likely host of a key.

    Chrome replaces dots and hyphens alike, so a single space may have been a hyphen; it is taken for
    a dot. Spaces in a row must have been hyphens, since no label of a host is empty.

    >>> host_of_key("xn  72c0aarl7gxb5hqa7c4a co uk")
    'xn--72c0aarl7gxb5hqa7c4a.co.uk'
    """
    return re.sub(" {2,}", lambda run: "-" * len(run[0]), key).replace(" ", ".")


def chrome_table(path: Path) -> "pa.Table":
    """Return an override list as a table: key, the host as Chrome stores it; host; topics, maybe none."""
    rows = []
    try:
        with path.open(encoding="utf-8", newline="\n") as file:
            if next(file, "").rstrip("\r\n") != "domain\ttopics":
                raise QuiffError(f"{str(path)!r} does not begin with the columns domain and topics")
            for number, line in enumerate((line.rstrip("\r\n") for line in file), start=2):
                match = re.fullmatch(r"([^\t]+)(?:\t(\d{1,9}(?:,\d{1,9})*)?)?", line, re.ASCII)
                if match is None:
                    raise QuiffError(
                        f"line {number} of {str(path)!r} is {line[:80]!r}; a host, a tab and numbers with"
                        " commas are expected"
                    )
                topics = [int(topic) for topic in match[2].split(",")] if match[2] else []
                rows.append({"key": match[1], "host": host_of_key(match[1]), "topics": topics})
    except (OSError, UnicodeDecodeError) as error:
        raise cannot_read(path, str(error)) from error
    schema = pa.schema([("key", pa.string()), ("host", pa.string()), ("topics", pa.list_(pa.int64()))])
    return pa.Table.from_pylist(rows, schema)


@dataclass(frozen=True)
class Classification:
    """Domains and their topics."""

    name: str  # the name of the list, or the path of the file
    # An Ibis table: domain (each once), topics (a sorted list of strings, maybe empty). Chrome's lists have a
    # column key too, by which domains are looked up.
    table: Any
    notes: tuple[str, ...] = ()  # what was left out of the list, in sentences


def read_classification(
    name: StrPath, *, mirror: StrPath | None = None, suffixes: Suffixes | None = None, rules: str = "correct"
) -> Classification:
    """Return a classification by its name, or from a file with the columns ``domain`` and ``topics``.

    Citizen Lab's lists have URLs, which are turned into domains by the rules that logs are treated by.
    A file's domains are put in small letters and in Punycode, unless `rules` are as-published.
    Chrome's lists have keys of hosts, in which dots and hyphens are spaces: a domain is looked up by its key.
    Some have no topics: a domain that matches one of these is known to have none. Their two rows for
    testing are left out.
    """
    name = os.fspath(name)
    if name in CLASSIFICATIONS:
        return Classification(name, *CLASSIFICATIONS[name](fetch(name, mirror), suffixes, rules))
    if not Path(name).is_file():
        raise ParameterError(
            what="the classification",
            value=name,
            allowed=f"one of {', '.join(CLASSIFICATIONS)}, or a CSV file with the columns domain and topics",
        )
    return Classification(name, _from_file(Path(name), lowered=rules == "correct"))


def _citizenlab(path: Path, suffixes: Suffixes | None, rules: str) -> tuple[Any, ...]:
    located = DomainRules.of(suffixes, rules)
    topics_of: dict[str, set[str]] = {}
    for url, category in citizenlab_rows(path):
        domain = located.locate(url).domain if url and category else None
        if domain:
            topics_of.setdefault(domain, set()).add(MERGED_CATEGORIES.get(category or "", category or ""))
    return (_listed({domain: sorted(topics) for domain, topics in topics_of.items()}),)


def _listed(topics_of: dict[str, list[str]]) -> Any:
    schema = pa.schema([("domain", pa.string()), ("topics", pa.list_(pa.string()))])
    return ibis.memtable(pa.table([list(topics_of), list(topics_of.values())], schema=schema))


def _chrome(path: Path, *_: Any) -> tuple[Any, ...]:  # its keys are those of hosts in small letters
    listed = chrome_table(path)
    real = listed.filter(pc.invert(pc.starts_with(listed["key"], TESTING_KEY)))
    rows = ibis.memtable(real)
    table = rows.select("key", domain=rows.host, topics=rows.topics.cast("array<string>").unique().sort())
    left = listed.num_rows - real.num_rows
    return table, (f"{left} rows of the list are for testing only and were left out.",) if left else ()


CLASSIFICATIONS: dict[str, Callable[[Path, Suffixes | None, str], tuple[Any, ...]]] = {
    "citizenlab": _citizenlab,
    "chrome-1": _chrome,
    "chrome-5": _chrome,
}
"""The classifications that have a name; each gives a table and maybe notes."""


def _from_file(path: Path, *, lowered: bool) -> Any:
    """Read a classification in the published form, a domain and its topics a line."""
    topics_of: dict[str, list[str]] = {}
    bare: dict[str, str] = {}  # where each cell stands that is one text without quotes
    for line, domain, topics in _lines(path):
        where = f"{str(path)!r}, line {line}"
        if not domain or topics is None:
            raise QuiffError(
                "there is no domain or no topics; leave it out, or quote the topics", where=where
            )
        domain = in_punycode(domain.lower()) if lowered else domain
        if domain in topics_of:
            raise QuiffError(
                f"the domain {domain!r} is there again; give it once"
                + (", in capitals or not" if lowered else ""),
                where=where,
            )
        try:
            topics_of[domain] = sorted(set(parse_topics(topics)))
        except QuiffError as error:
            raise QuiffError(str(error), where=where) from None
        if len(topics_of[domain]) == 1 and not {"'", '"'} & {*topics}:
            bare.setdefault(topics_of[domain][0], where)
    if max(map(len, topics_of.values()), default=0) == 1 and (several := joined_topic(bare)) is not None:
        raise QuiffError(joined(several), where=bare[several])
    return _listed(topics_of)


def _lines(path: Path) -> Iterator[tuple[int, str | None, str | None]]:
    """Yield line, domain and topics of each row; a quote that is not closed is an error, not a long field."""
    line, source = 1, find_source(path)
    try:
        with io.TextIOWrapper(opened_lines(source), encoding="utf-8-sig", newline="") as file:
            reader = csv.reader(file, strict=True)
            names = next(reader, [])
            if not {"domain", "topics"} <= set(names):
                raise QuiffError(
                    f"the columns are {column_names(names, list(islice(reader, 20)))};"
                    " a classification needs domain and topics",
                    where=f"{str(path)!r}, line 1",
                )
            line = reader.line_num + 1
            for row in reader:
                if len(row) > len(names):
                    raise QuiffError(
                        f"it has {len(row)} fields, but the first line"
                        f" {len(names)}; put topics with commas between them in quotes",
                        where=f"{str(path)!r}, line {line}",
                    )
                if row:  # else the line is empty
                    cells = dict(zip(names, row, strict=False))
                    yield line, cells.get("domain"), cells.get("topics")
                line = reader.line_num + 1
    except csv.Error as error:
        raise QuiffError(
            f"it is no CSV, {error}; close all quotes", where=f"{str(path)!r}, line {line}"
        ) from error
    except UnicodeDecodeError as error:
        raise cannot_read(path, "it is no UTF-8; convert it, for example by iconv") from error
    except DAMAGES as error:
        raise damage(source, error) from error
