"""From a URL to its registrable domain, by the Public Suffix List and the paper's own rules (App. D.1).

All of it is relational. The rules of the list are a table, in which a host's last labels are looked up: one,
then one more as long as some rule goes on from there. Most hosts are done with after two labels.
"""

from collections.abc import Iterable
from typing import Any

from quiff.history.hosts import split_part, with_host, without_end
from quiff.history.queries import fetch_rows
from quiff.history.suffixes import Suffixes, packaged_suffixes

__all__ = ["REASONS", "domain_table", "find_domains", "host_domains"]

REASONS = ("no-host", "ip-address", "no-suffix", "bare-suffix", "bad-label")
"""Why a URL has no domain."""

# Every pattern keeps to what RE2 (DuckDB) and java.util.regex (Spark) read alike.
_PLAIN = r"^[a-z0-9.-]*\z"
_BYTE = "(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])"
_IPV4 = rf"^{_BYTE}(?:[.]{_BYTE}){{3}}\z"
_ONLY_W = r"^[Ww]*\z"
_NO_LABEL = r"[^A-Za-z0-9-]|^-+\z"


def find_domains(con: Any, urls: Iterable[str], suffixes: Suffixes | None = None) -> list[dict[str, Any]]:
    """Return url, domain and reason of each URL in order; of the last two, one is None.

    Parameters
    ----------
    con
        The engine, from :func:`quiff.history.engine.connect`.
    urls
        The URLs.
    suffixes
        The public suffixes; None for the packaged ones.

    Examples
    --------
    >>> from quiff.history.engine import connect
    >>> rows = find_domains(connect(), ["http://a.name.co.uk:80/x", "www.gov.br", "www.br"])
    >>> [row["domain"] or row["reason"] for row in rows]
    ['name.co.uk', 'gov.br', 'bare-suffix']
    """
    import ibis
    import pyarrow as pa

    given = list(urls)
    if not given:
        return []
    table = ibis.memtable(pa.table({"url": pa.array(dict.fromkeys(given), pa.string())}))
    found = {row["url"]: row for row in fetch_rows(con, domain_table(table, suffixes))}
    return [dict(found[url]) for url in given]


def domain_table(urls: Any, suffixes: Suffixes | None = None) -> Any:
    """Return an Ibis table: url, its domain, and if it has none the reason.

    Only distinct hosts are looked at.

    Parameters
    ----------
    urls
        An Ibis table with a column ``url``.
    suffixes
        The public suffixes; None for the packaged ones.

    Examples
    --------
    >>> import ibis
    >>> import pyarrow as pa
    >>> urls = ibis.memtable(pa.table({"url": ["http://www.example.co.uk/x"]}))
    >>> domain_table(urls).to_pyarrow().to_pylist()
    [{'url': 'http://www.example.co.uk/x', 'domain': 'example.co.uk', 'reason': None}]
    """
    located = with_host(urls)
    found = host_domains(located.select("host").distinct(), suffixes)
    return located.inner_join(found, "host").select("url", "domain", "reason")


def host_domains(hosts: Any, suffixes: Suffixes | None = None) -> Any:
    r"""Return an Ibis table of hosts with their domain, and if one has none the reason.

    The suffix is the longest one that the list knows, the label is what stands before it up to the next dot.
    After App. D.1, a host is dropped if it

    - is an address (``ip-address``), or ends in no public suffix (``no-suffix``);
    - has no label, or one of only w's, before a suffix of one label (``bare-suffix``); before a longer one,
      that suffix is the domain;
    - has signs in its label that are neither letters, digits nor hyphens, or only hyphens (``bad-label``).

    Else its domain is the label without outer hyphens, a dot and the suffix. Letters keep their case.

    Parameters
    ----------
    hosts
        An Ibis table with a column ``host`` as from :func:`quiff.history.hosts.with_host`; others are kept.
    suffixes
        The public suffixes; None for the packaged ones.

    Examples
    --------
    >>> import ibis
    >>> import pyarrow as pa
    >>> hosts = ibis.memtable(pa.table({"host": ["-A-.gov.br", "www.gov.br", "www.br", "+.br"]}))
    >>> rows = host_domains(hosts, Suffixes.parse("br\ngov.br")).to_pyarrow().to_pylist()
    >>> {row["host"]: row["domain"] or row["reason"] for row in rows}
    {'-A-.gov.br': 'A.gov.br', 'www.gov.br': 'gov.br', 'www.br': 'bare-suffix', '+.br': 'bad-label'}
    """
    named = _with_label(_with_suffix_size(hosts, suffixes or packaged_suffixes()))
    looked = named.mutate(bare=_is_bare(named))
    judged = looked.mutate(reason=_reason(looked))
    return judged.select(*hosts.columns, "reason", domain=_domain(judged))


def _with_suffix_size(hosts: Any, suffixes: Suffixes) -> Any:
    """Add whether a host is plain (a-z, digits, hyphens, dots), and the size of its suffix in labels."""
    import ibis

    looked = hosts.mutate(plain=hosts.host.re_search(_PLAIN))
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
    return found.select(*hosts.columns, "plain", "size")


def _with_label(sized: Any) -> Any:
    """Add a host's last label, its suffix, and the label before it, which is empty if there is none."""
    import ibis

    host, size = sized.host, sized.size
    last = split_part(host, ".", -1)
    labels = host.re_split("[.]")
    suffix = ibis.cases(
        (size <= 1, last),
        (size == 2, split_part(host, ".", -2) + "." + last),  # most hosts need no list
        else_=labels[labels.length() - size :].join("."),
    )
    return sized.mutate(last=last, suffix=suffix, label=split_part(host, ".", (-1 - size).cast("int32")))


def _is_bare(named: Any) -> Any:
    """Say if there is no label but w's."""
    label = named.label
    maybe = (label == "") | label.startswith("w") | ~named.plain  # spares most hosts the pattern
    return maybe.ifelse(label.re_search(_ONLY_W), False)


def _reason(named: Any) -> Any:
    """Say why a host has no domain: null if it has one."""
    import ibis

    label, nothing = named.label, ibis.null("string")
    numeric = (named.last >= "0") & (named.last < ":")  # begins with a digit
    return ibis.cases(
        (named.host == "", "no-host"),
        (named.host.contains(":") | (numeric & named.host.re_search(_IPV4)), "ip-address"),
        (named.size == 0, "no-suffix"),
        (named.suffix.startswith("."), "bad-label"),
        (named.bare, (named.size == 1).ifelse("bare-suffix", nothing)),
        ((~named.plain | label.startswith("-")) & label.re_search(_NO_LABEL), "bad-label"),
        else_=nothing,
    )


def _domain(judged: Any) -> Any:
    import ibis

    label = judged.label
    hyphens = label.startswith("-") | label.endswith("-")
    stripped = hyphens.ifelse(without_end(label.re_replace("^-+", ""), "[-]"), label)
    return ibis.cases(
        (judged.reason.notnull(), ibis.null("string")),
        (judged.bare, judged.suffix),
        else_=stripped + "." + judged.suffix,
    )
