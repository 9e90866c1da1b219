"""From a URL to its host, in expressions that both engines run.

A URL is split as Python's ``urllib.parse.urlparse`` does: the host stands in the network location, which
``//`` introduces, or else at the start of the path. So ``example.com:80`` has the scheme ``example.com``.
"""

from functools import cache
from typing import Any

# Every pattern keeps to what RE2 (DuckDB) and java.util.regex (Spark) read alike: no look-around, no class
# that depends on Unicode tables, \z for the end.
_PLAIN_PLACE = r"^[A-Za-z0-9.-]*[A-Za-z0-9-]\z"
_SCHEME = "(?:[A-Za-z][A-Za-z0-9+.-]*:)?"
_DOTS = "[.\u3002\uff0e\uff61]"
_BLANKS = "[\\x09-\\x0d\\x1c-\\x20\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]"
_REMOVED = r"[\x09\x0a\x0d\x0e\x0f\[\]]"
_NETWORK_LOCATION = f"^{_SCHEME}//([^/?#]*)"
_PATH = f"^{_SCHEME}(?://)?(?:(?:[A-Za-z0-9+.-]+:)?//)?([^?#]*)"
_IPV6 = r"^[0-9A-Fa-f]{0,4}:[0-9A-Fa-f.]*:[0-9A-Fa-f:.]*\z"


def split_part(text: Any, delimiter: str, place: Any) -> Any:
    """Return one part of a text between delimiters, empty if there is none.

    Places below 0 count from the end. Both engines know it by this name, and it is faster than a list of
    all parts.

    >>> import ibis
    >>> split_part(ibis.literal("a.b.c"), ".", -2).to_pyarrow().as_py()
    'b'
    """
    return _split_part()(text, delimiter, place)


def without_end(text: Any, signs: str) -> Any:
    r"""Take the signs of a class off the end of a text.

    A pattern such as ``[.]+\z`` would do it in a time that grows with the square of the length on Spark.

    >>> import ibis
    >>> without_end(ibis.literal("a..b.."), "[.]").to_pyarrow().as_py()
    'a..b'
    """
    return text.re_extract(f"^((?s:.*)[^{signs.removeprefix('[')})", 1).fill_null("")


@cache
def _split_part() -> Any:
    import ibis

    def split_part(text: str, delimiter: str, place: int) -> str:  # type: ignore[empty-body]
        """Stand for the engines' own function."""

    return ibis.udf.scalar.builtin(split_part)


def shortened(url: Any) -> Any:
    """Return what of a URL tells its host, so that there are fewer different ones; most logs have no more.

    Only what follows the third slash is taken off, and only if a small letter begins the host: it cannot be
    lost by cleaning then, and :func:`with_host` finds the same host.

    >>> import ibis
    >>> shortened(ibis.literal("https://example.com/x/y?z")).to_pyarrow().as_py()
    'http://example.com'
    """
    place = split_part(url, "/", 3)
    long = (url.like("http://%/%") | url.like("https://%/%")) & (place >= "a")
    return long.ifelse("http://" + place, url)


def with_host(urls: Any) -> Any:
    """Return an Ibis table with a column ``url``, and add the ``host`` of each, empty if there is none.

    Control characters and brackets that logs are known to hold, user names, ports, blanks around the host
    and dots behind it are removed; full-width dots become plain ones; letters keep their case. An IPv6
    address keeps its colons, and no other host has one. A null is read as an empty URL.

    >>> import ibis
    >>> import pyarrow as pa
    >>> urls = ibis.memtable(pa.table({"url": ["http://me@[www.Example.com]:80/x", "example.com/x", "http:///x"]}))
    >>> with_host(urls).host.to_pyarrow().to_pylist()
    ['www.Example.com', 'example.com', '']
    """
    import ibis

    kept = urls.columns
    # Most URLs begin with the host, or with http:// and the host. The others are `odd`, and all the work is
    # for them. One step a column: an expression that is used twice would be written out, and run, twice.
    given = urls.select(*kept, given=ibis.coalesce(urls.url, ""))
    url = given.given
    web = url.startswith("http://") | url.startswith("https://")
    looked = given.mutate(place=web.ifelse(split_part(url, "/", 3), split_part(url, "/", 1)))
    plain = looked.place.re_search(_PLAIN_PLACE) | (looked.given == "")
    odd = looked.mutate(odd=plain.ifelse(ibis.null("string"), _without_oddities(looked.given)))
    located = odd.mutate(authority=odd.odd.re_extract(_NETWORK_LOCATION, 1))
    found = (located.authority == "").ifelse(_start_of_path(located.odd), located.authority)
    located = located.select(*kept, "place", "odd", authority=found)
    host = located.odd.isnull().ifelse(located.place, _bare_host(located.authority))
    return located.select(*kept, host=host)


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
    host = without_end(without_end(host, _BLANKS), _DOTS).re_replace(_DOTS, ".")
    return ibis.ifelse(located.re_search(_IPV6), located, host)
