"""From a URL to its host, in expressions that both engines run.

A URL is split as Python's ``urllib.parse.urlparse`` does: the host stands in the network location, which
``//`` introduces, or else at the start of the path. By the rules as published ``example.com:80`` so has the
scheme ``example.com``; else a number after the colon is a port.
"""

from typing import Any

import ibis

from quiff.logs import patterns


@ibis.udf.scalar.builtin  # type: ignore[untyped-decorator]
def split_part(text: str, delimiter: str, place: int) -> str:  # type: ignore[empty-body]
    """Return one part of a text between delimiters, if there is one; places below 0 count from the end.

    Both engines have a function of this name, and it is faster than a list of all parts.
    """


def without_end(text: Any, signs: str) -> Any:
    r"""Take the signs of a class off the end of a text.

    A pattern such as ``[.]+\z`` would do it in a time that grows with the square of the length on Spark.
    """
    return text.re_extract(f"^((?s:.*)[^{signs.removeprefix('[')})", 1).fill_null("")


def shortened(url: Any) -> Any:
    """Return what of a URL tells its host, so that there are fewer different ones; most logs have no more.

    Only what follows the third slash is taken off, and only if a small letter begins the host: it cannot be
    lost by cleaning then, and :func:`with_host` finds the same host.
    """
    place = split_part(url, "/", 3)
    long = (url.like("http://%/%") | url.like("https://%/%")) & (place >= "a")
    return long.ifelse("http://" + place, url)


def with_host(urls: Any, rules: str = "correct") -> Any:
    """Return an Ibis table with a column ``url``, and add the ``host`` of each, empty if there is none.

    Control characters and brackets that logs are known to hold, user names, ports, blanks around the host
    and dots behind it are removed; full-width dots become plain ones; letters keep their case. An IPv6
    address keeps its colons, and no other host has one. A null is read as an empty URL.

    >>> import pyarrow as pa
    >>> urls = ["http://me@[www.Example.com]:80/x", "example.com/x", "example.com:443", "http:///x"]
    >>> with_host(ibis.memtable(pa.table({"url": urls}))).host.to_pyarrow().to_pylist()
    ['www.Example.com', 'example.com', 'example.com', '']
    """
    kept = urls.columns
    # Most URLs begin with the host, or with http:// and the host. The others are `odd`, and all the work is
    # for them. One step a column: an expression that is used twice would be written out, and run, twice.
    given = urls.select(*kept, given=ibis.coalesce(urls.url, ""))
    url = given.given
    web = url.startswith("http://") | url.startswith("https://")
    looked = given.mutate(place=web.ifelse(split_part(url, "/", 3), split_part(url, "/", 1)))
    plain = looked.place.re_search(patterns.PLAIN_PLACE) | (looked.given == "")
    # Brackets and control characters go, and whatever is blank or control before the URL.
    cleaned = looked.given.re_replace(patterns.REMOVED, "").re_replace(patterns.BEFORE, "")
    odd = looked.mutate(odd=plain.ifelse(ibis.null("string"), cleaned))
    if rules == "correct":
        ported = odd.odd.re_search(patterns.HOST_AND_PORT)
        odd = odd.mutate(odd=ported.ifelse("//" + odd.odd, odd.odd))
    located = odd.mutate(authority=odd.odd.re_extract(patterns.NETWORK_LOCATION, 1))
    path = located.odd.re_extract(
        patterns.PATH, 1
    )  # up to its first slash, or without one to the first semicolon
    start = path.contains("/").ifelse(path.re_extract("^[^/]*", 0), path.re_extract("^[^;]*", 0))
    found = (located.authority == "").ifelse(start, located.authority)
    located = located.select(*kept, "place", "odd", authority=found)
    host = located.odd.isnull().ifelse(located.place, _bare_host(located.authority))
    return located.select(*kept, host=host)


def _bare_host(authority: Any) -> Any:
    """Take user name, port, blanks and last dots off an authority, and make all dots plain."""
    located = authority.re_replace(patterns.USER, "")
    host = located.re_replace(patterns.PORT, "").re_replace(f"^{patterns.BLANKS}+", "")
    host = without_end(without_end(host, patterns.BLANKS), patterns.DOTS).re_replace(patterns.DOTS, ".")
    return ibis.ifelse(located.re_search(patterns.IPV6), located, host)
