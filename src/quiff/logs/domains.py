"""From a URL to its registrable domain, by the Public Suffix List, or by the paper's own rules (App. D.1).

All of it is relational. The rules of the list are a table, in which a host's last labels are looked up: one,
then one more as long as some rule goes on from there. Most hosts are done with after two labels.
"""

from collections.abc import Iterable
from typing import Any

import ibis
import pyarrow as pa

from quiff.errors import ParameterError
from quiff.logs import patterns
from quiff.logs.hosts import split_part, with_host, without_end
from quiff.logs.queries import fetch_rows
from quiff.logs.suffixes import Suffixes, all_capitals, packaged_suffixes

RULES = ("correct", "as-published")
"""By which rules a host has a domain: those of the list's own algorithm, or the paper's."""


def find_domains(
    con: Any, urls: Iterable[str], suffixes: Suffixes | None = None, rules: str = "correct"
) -> list[dict[str, Any]]:
    """Return url, domain and reason of each URL in order; of the last two, one is None.

    >>> from quiff.logs.engine import connect
    >>> con, urls = connect(), ["http://a.Name.co.uk:80/x", "www.gov.br", "gov.br"]
    >>> [row["domain"] or row["reason"] for row in find_domains(con, urls)]
    ['name.co.uk', 'www.gov.br', 'bare-suffix']
    >>> [row["domain"] or row["reason"] for row in find_domains(con, urls, rules="as-published")]
    ['Name.co.uk', 'gov.br', 'gov.br']
    """
    given = list(urls)
    if not given:
        return []
    table = ibis.memtable(pa.table({"url": pa.array(dict.fromkeys(given), pa.string())}))
    found = {row["url"]: row for row in fetch_rows(con, domain_table(table, suffixes, rules))}
    return [dict(found[url]) for url in given]


def domain_table(urls: Any, suffixes: Suffixes | None = None, rules: str = "correct") -> Any:
    """Return an Ibis table: url, its domain, and if it has none the reason; of distinct hosts only once."""
    located = with_host(urls, rules)
    found = host_domains(located.select("host").distinct(), suffixes, rules)
    return located.inner_join(found, "host").select("url", "domain", "reason")


def host_domains(hosts: Any, suffixes: Suffixes | None = None, rules: str = "correct") -> Any:
    """Return an Ibis table of hosts with their domain, and if one has none the reason.

    The suffix is the longest one that the list knows; the label is what stands before it up to the next dot;
    the domain is both, with a dot between. Letters are lowered, as in the DNS. If the list knows no suffix,
    the last label is taken for one, as the list's own algorithm does, unless it is a number. A host has no
    domain if it

    - is an address (``ip-address``), or a single name that is no suffix (``no-suffix``);
    - is a suffix itself (``bare-suffix``);
    - has an empty label, or a domain with signs in it that are neither letters, digits nor inner hyphens
      (``bad-label``).

    By the rules as published (App. D.1), letters keep their case and only those of ASCII may be in a label.
    A host has no domain if it ends in no suffix of the list (``no-suffix``), or has no label, or one of only
    w's, before a suffix of one label (``bare-suffix``); before a longer one, that suffix is the domain. Outer
    hyphens are taken off a label; one of nothing else is bad.
    """
    if rules not in RULES:
        raise ParameterError(what="rules", value=rules, allowed=f"one of {', '.join(RULES)}")
    sized = _with_suffix_size(hosts, suffixes or packaged_suffixes())
    judged = _by_the_list(sized) if rules == "correct" else _as_published(sized)
    return judged.select(*hosts.columns, "reason", "domain")


def _by_the_list(sized: Any) -> Any:
    """Add reason and domain by the algorithm of publicsuffix.org."""
    foreign = ~sized.plain & sized.folded.re_search(patterns.NOT_ASCII)
    sized = sized.mutate(folded=foreign.ifelse(sized.folded.translate(*all_capitals()), sized.folded))
    listed = sized["size"] > 0
    last = split_part(sized.folded, ".", -1)
    unlisted = ~listed & sized.folded.contains(".") & ~last.re_search(patterns.NUMBER)
    assumed = listed.ifelse(sized["size"], unlisted.cast("int64"))
    named = _with_label(sized.mutate(size=assumed, name=sized.folded, listed=listed))
    named = named.mutate(domain=named.label + "." + named.suffix)
    name, hyphen = named.folded, named.domain.startswith("-") | named.domain.contains("-.")
    checked = named.listed.ifelse(named.label, named.domain)  # a suffix of the list is right
    odd = ~named.plain | hyphen | ~named.listed
    reason = ibis.cases(
        *_addresses(named),
        (name.startswith(".") | name.contains(".."), "bad-label"),
        (named["size"] == 0, "no-suffix"),
        (named.label == "", "bare-suffix"),
        (odd & checked.re_search(patterns.NO_NAME), "bad-label"),
        else_=ibis.null("string"),
    )
    judged = named.mutate(reason=reason)
    return judged.mutate(domain=judged.reason.isnull().ifelse(judged.domain, ibis.null("string")))


def _addresses(named: Any) -> list[tuple[Any, str]]:
    """Return what says that a host is none or an address, with the reasons."""
    numeric = (named.last >= "0") & (named.last < ":")  # begins with a digit
    return [
        (named.host == "", "no-host"),
        (named.host.contains(":") | (numeric & named.host.re_search(patterns.IPV4)), "ip-address"),
    ]


def _with_suffix_size(hosts: Any, suffixes: Suffixes) -> Any:
    """Add whether a host is plain (a-z, digits, hyphens, dots), its small letters, and its suffix's size."""
    looked = hosts.mutate(plain=hosts.host.re_search(patterns.PLAIN))
    # Folding letters is the costly part, and few hosts have any to fold.
    folded = looked.plain.ifelse(looked.host, looked.host.translate(*suffixes.capitals))
    found = looked.mutate(folded=folded, size=ibis.literal(0, "int64"))
    found = found.mutate(ending=split_part(found.folded, ".", -1))
    endings = suffixes.table()
    kept = [*hosts.columns, "plain", "folded"]
    for length in range(1, suffixes.longest + 1):
        # Two steps: Ibis cannot look a column up in the same step that computes it.
        met = found.left_join(endings, "ending").select(
            *kept, "size", "ending", "alone", "beneath", "goes_on"
        )
        said = (met.ending == met.folded).ifelse(met.alone, met.beneath)
        longer = split_part(met.folded, ".", -length - 1) + "." + met.ending
        found = met.select(
            *kept,
            size=(said > 0).ifelse(said, met.size),
            ending=met.goes_on.ifelse(longer, ibis.null("string")),
        )
    return found.select(*kept, "size")


def _with_label(sized: Any) -> Any:
    """Add a name's last label, its suffix, and the label before it, which is empty if there is none."""
    host, size = sized.name, sized["size"]
    last = split_part(host, ".", -1)
    labels = host.re_split("[.]")
    suffix = ibis.cases(
        (size <= 1, last),
        (size == 2, split_part(host, ".", -2) + "." + last),  # most hosts need no list
        else_=labels[labels.length() - size :].join("."),
    )
    return sized.mutate(last=last, suffix=suffix, label=split_part(host, ".", (-1 - size).cast("int32")))


def _as_published(sized: Any) -> Any:
    """Add reason and domain by the paper's own rules."""
    named = _with_label(sized.mutate(name=sized.host))
    label, nothing = named.label, ibis.null("string")
    maybe = (label == "") | label.startswith("w") | ~named.plain  # spares most hosts the pattern
    named = named.mutate(bare=maybe.ifelse(label.re_search(patterns.ONLY_W), False))  # no label but w's
    reason = ibis.cases(
        *_addresses(named),
        (named["size"] == 0, "no-suffix"),
        (named.suffix.startswith("."), "bad-label"),
        (named.bare, (named["size"] == 1).ifelse("bare-suffix", nothing)),
        (
            (~named.plain | named.label.startswith("-")) & named.label.re_search(patterns.NO_LABEL),
            "bad-label",
        ),
        else_=nothing,
    )
    judged = named.mutate(reason=reason)
    hyphens = judged.label.startswith("-") | judged.label.endswith("-")
    stripped = hyphens.ifelse(without_end(judged.label.re_replace("^-+", ""), "[-]"), judged.label)
    domain = judged.bare.ifelse(judged.suffix, stripped + "." + judged.suffix)
    return judged.mutate(domain=judged.reason.notnull().ifelse(nothing, domain))
