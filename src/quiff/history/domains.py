"""From URLs to registrable domains: the name that somebody registered under a public suffix."""

from collections.abc import Sequence
from typing import Any

from quiff.history.hosts import with_host
from quiff.history.suffixes import Suffixes, packaged_suffixes

__all__ = ["REASONS", "domain_table", "find_domains"]

REASONS = ("no-host", "ip-address", "no-suffix", "bare-suffix", "bad-label")
"""Why a URL has no domain, as in :func:`domain_table`."""

_IPV4 = r"^(?:(?:[0-9]|[1-9][0-9]|1[0-9][0-9]|2[0-4][0-9]|25[0-5])(?:[.]|\z)){4}\z"
_LABEL = r"^-*[A-Za-z0-9][A-Za-z0-9-]*\z"


def domain_table(urls: Any, suffixes: Suffixes | None = None) -> Any:
    """Return the registrable domain of every URL, or the reason why it has none.

    The suffix of a host is the longest that the list has for it. Then, with the label before it (App. D.1):
    a suffix of several labels stands for itself where no label is before it, or one of only w's
    (``gov.br``, ``www.gov.br``); a label is made of letters, digits and hyphens, not of hyphens alone, and
    loses its outer hyphens. Letters keep their case, since the paper counts domains that way.

    Parameters
    ----------
    urls
        An Ibis table with a column ``url`` of strings. Each distinct host in it is looked at once.
    suffixes
        The rules; by default the packaged ones.

    Returns
    -------
    An Ibis table ``url, domain, reason``, one row for each row of `urls`, in any order. Either the domain or
    the reason is null. The reasons are ``no-host``; ``ip-address``; ``no-suffix``: the host ends in no
    public suffix; ``bare-suffix``: a suffix of one label and nothing, or only w's, before it; ``bad-label``:
    what is before the suffix is no label.

    Examples
    --------
    >>> import ibis
    >>> import pyarrow as pa
    >>> urls = ibis.memtable(pa.table({"url": ["http://a.b.example.co.uk/x", "www.gov.br", "www.br", "http://10.0.0.1"]}))
    >>> for row in domain_table(urls).order_by("url").to_pyarrow().to_pylist():
    ...     print(row["url"], row["domain"], row["reason"])
    http://10.0.0.1 None ip-address
    http://a.b.example.co.uk/x example.co.uk None
    www.br None bare-suffix
    www.gov.br gov.br None
    """
    suffixes = packaged_suffixes() if suffixes is None else suffixes
    located = with_host(urls)
    found = _with_suffix(located.select("host").distinct(), suffixes)
    return located.join(_judge(found), "host").select("url", "domain", "reason")


def find_domains(
    con: Any, urls: Sequence[str], suffixes: Suffixes | None = None
) -> list[dict[str, str | None]]:
    """Return ``url``, ``domain`` and ``reason`` of each URL in turn, as :func:`domain_table` has them.

    Parameters
    ----------
    con
        The engine, from :func:`quiff.history.engine.connect`.
    urls
        The URLs, in any number and order.
    suffixes
        The rules; by default the packaged ones.

    Examples
    --------
    >>> from quiff.history.engine import connect
    >>> find_domains(connect(), ["http://www.example.com", "com"])[1]
    {'url': 'com', 'domain': None, 'reason': 'bare-suffix'}
    """
    import ibis
    import pyarrow as pa

    distinct = pa.table({"url": pa.array(dict.fromkeys(urls), pa.string())})
    rows = con.to_pyarrow(domain_table(ibis.memtable(distinct), suffixes)).to_pylist()
    found = {row["url"]: row for row in rows}
    return [found[url] for url in urls]


def _with_suffix(hosts: Any, suffixes: Suffixes) -> Any:
    """Return ``host, size, name`` for each host.

    ``size`` is the number of labels of its suffix, 0 if it has none. ``name`` are the suffix and the label
    before it; it is empty if there is no label before it.
    """
    import ibis

    rules = suffixes.table()
    walked = hosts.mutate(folded=_small_letters(hosts.host, suffixes), on_list=ibis.literal(True), size=0)
    for level in range(1, max(map(_length, suffixes.endings)) + 1):
        walked = _one_label_further(walked, rules.filter(rules.length == level), level)
    names = [
        (walked.size == size, _last_labels(walked.host, size + 1)) for size in range(1, suffixes.depth + 1)
    ]
    return walked.select("host", "size", name=ibis.cases(*names, else_=""))


def _one_label_further(walked: Any, rules: Any, level: int) -> Any:
    """Look up the last labels of the hosts whose ending with one label less is on the list."""
    import ibis

    walked = walked.mutate(wanted=walked.on_list.ifelse(_last_labels(walked.folded, level), ibis.null(str)))
    joined = walked.left_join(rules, walked.wanted == rules.ending)
    says = ibis.ifelse(joined.ending == joined.folded, joined.alone, joined.beneath)
    decides = ibis.coalesce(says, 0) > 0
    return joined.select(
        "host",
        "folded",
        on_list=joined.ending.notnull(),
        size=decides.ifelse(says, joined.size),
    )


def _last_labels(host: Any, number: int) -> Any:
    """Return the last labels of a host, empty if it has fewer."""
    return host.re_extract(f"(?:[^.]*[.]){{{number - 1}}}[^.]*\\z", 0)


def _small_letters(text: Any, suffixes: Suffixes) -> Any:
    """Return the text in small letters as far as the rules have them, the same on every engine."""
    import ibis

    return ibis.ifelse(text.re_search(r"[^\x00-\x7f]"), text.translate(*suffixes.capitals), text.lower())


def _length(ending: str) -> int:
    return ending.count(".") + 1


def _judge(found: Any) -> Any:
    """Return ``host, domain, reason`` from ``host, size, name``."""
    import ibis

    found = found.mutate(label=found.name.re_extract("^[^.]*", 0))
    rest = found.name.substr(found.label.length() + 1)
    found = found.mutate(suffix=ibis.ifelse(found.name == "", found.host, rest))
    bare = found.label.re_search(r"^[Ww]*\z")
    reason = ibis.cases(
        (found.host == "", "no-host"),
        (found.host.contains(":"), "ip-address"),
        ((found.size == 0) & found.host.re_search(_IPV4), "ip-address"),
        (found.size == 0, "no-suffix"),
        (found.suffix.startswith("."), "bad-label"),  # a wildcard that stands for nothing
        (bare & (found.size == 1), "bare-suffix"),
        (~bare & ~found.label.re_search(_LABEL), "bad-label"),
    )
    outer_hyphen = found.label.startswith("-") | found.label.endswith("-")
    label = ibis.ifelse(outer_hyphen, found.label.re_replace(r"^-+|-+\z", ""), found.label)
    domain = ibis.ifelse(bare, found.suffix, label + "." + found.suffix)
    judged = found.select("host", domain=domain, reason=reason)
    return judged.mutate(domain=ibis.ifelse(judged.reason.isnull(), judged.domain, ibis.null(str)))
