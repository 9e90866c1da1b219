"""From a URL to its host, in expressions that both engines run.

A URL is split as Python's ``urllib.parse.urlparse`` does: the host stands in the network location, which
``//`` introduces, or else at the start of the path. So ``example.com:80`` has the scheme ``example.com``.
"""

from typing import Any

__all__ = ["with_host"]

# Every pattern keeps to what RE2 (DuckDB) and java.util.regex (Spark) read alike: no look-around, no class
# that depends on Unicode tables, \z for the end. Few groups and no choice how to match keep RE2 fast, so the
# odd cases are sorted out first and most URLs meet two short patterns.
_SCHEME = "(?:[A-Za-z][A-Za-z0-9+.-]*:)?"
_DOTS = "[.\u3002\uff0e\uff61]"
_BLANKS = "[\\x09-\\x0d\\x1c-\\x20\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]"
_ODD_URL = r"[\x00-\x20\[\]]"
_REMOVED = r"[\x09\x0a\x0d\x0e\x0f\[\]]"
_NETWORK_LOCATION = f"^{_SCHEME}//([^/?#]*)"
_PATH = f"^{_SCHEME}(?://)?(?:(?:[A-Za-z0-9+.-]+:)?//)?([^?#]*)"
_ODD_HOST = r"[^A-Za-z0-9.-]|[.]\z"
_IPV6 = r"^[0-9A-Fa-f]{0,4}:[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*\z"


def with_host(urls: Any) -> Any:
    """Return the column ``url`` of an Ibis table and the ``host`` of each; it is empty where there is none.

    Control characters and brackets that logs are known to hold, user names, ports, blanks around the host
    and dots behind it are removed; full-width dots become plain ones; letters keep their case. An IPv6
    address keeps its colons, and no other host has one. A null is read as an empty URL.

    Examples
    --------
    >>> import ibis
    >>> import pyarrow as pa
    >>> urls = ibis.memtable(pa.table({"url": ["http://me@[www.Example.com]:80/x", "example.com/x", "http:///x"]}))
    >>> with_host(urls).host.to_pyarrow().to_pylist()
    ['www.Example.com', 'example.com', '']
    """
    import ibis

    # One step a column: an expression that is used twice would be written out, and run, twice.
    known = urls.select("url", known=ibis.coalesce(urls.url, ""))
    odd = known.known.re_search(_ODD_URL)
    clean = known.select("url", clean=ibis.ifelse(odd, _without_oddities(known.known), known.known))
    located = clean.mutate(authority=clean.clean.re_extract(_NETWORK_LOCATION, 1))
    without = located.authority == ""
    located = located.select(
        "url", authority=ibis.ifelse(without, _start_of_path(located.clean), located.authority)
    )
    odd = located.authority.re_search(_ODD_HOST)
    return located.select("url", host=ibis.ifelse(odd, _bare_host(located.authority), located.authority))


def _without_oddities(url: Any) -> Any:
    """Remove brackets and control characters, and whatever is blank or control before the URL."""
    return url.re_replace(_REMOVED, "").re_replace(r"^[\x00-\x20]+", "")


def _start_of_path(url: Any) -> Any:
    """Return the path up to its first slash; without a slash, up to the first semicolon."""
    import ibis

    path = url.re_extract(_PATH, 1)
    return ibis.ifelse(path.contains("/"), path.re_extract("^[^/]*", 0), path.re_extract("^[^;]*", 0))


def _bare_host(authority: Any) -> Any:
    """Take user name, port, blanks and last dots off an authority, and make all dots plain."""
    import ibis

    located = authority.re_replace("^[^/]*@", "")
    host = located.re_replace(":[^/]*", "").re_replace(f"^{_BLANKS}+", "")
    host = host.re_replace(f"{_BLANKS}+\\z", "").re_replace(f"{_DOTS}+\\z", "").re_replace(_DOTS, ".")
    return ibis.ifelse(located.re_search(_IPV6), located, host)
