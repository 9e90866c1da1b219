"""The odd lines that real logs have, each kind as rare as there or a little less so.

A pattern is filled in with ``{domain}``, ``{host}`` (www and the domain), the same in upper case, ``{label}``
(the domain's own label), ``{suffix}`` and ``{n}`` (a number from 1 to 254). IP addresses are those that are
set aside for documentation.
"""

from dataclasses import dataclass

import numpy as np

from quiff.core.numbers import Array


@dataclass(frozen=True)
class Odd:
    """A kind of odd value, how often one click or query in the log is such, and what it looks like."""

    kind: str
    rate: float
    patterns: tuple[str, ...]


ODD_URLS = (
    Odd("control character", 1e-7, ("http://www.{label}\x0e.{suffix}", "http://\x0f{host}")),
    Odd("brackets", 6e-7, ("http://[{host}]", "http://www.[{label}].{suffix}", "http://{host}]")),
    Odd("port", 1e-4, ("http://{host}:8080", "http://{domain}:80")),
    Odd("ip address", 5e-4, ("http://192.0.2.{n}", "http://198.51.100.{n}:8000", "203.0.113.{n}")),
    Odd("no scheme", 2e-4, ("{host}", "{domain}", "{host}/index.html", "//{host}")),
    Odd("upper case", 1e-4, ("HTTP://{host_upper}", "http://WWW.{domain}", "http://www.{domain_upper}")),
    Odd("quote", 2e-6, ('"http://{host}', 'http://{host}"', 'http://"{host}"')),
    Odd("suffix of one label", 5e-5, ("http://com", "http://br", "http://www.br", "http://ww.com")),
    Odd(
        "suffix of more labels",
        5e-5,
        ("http://gov.br", "http://www.gov.br", "http://co.uk", "http://wwww.k12.ca.us"),
    ),
    Odd(
        "unicode label",
        5e-5,
        ("http://www.bü{domain}", "http://{label}é.{suffix}", "http://www.例え{domain}"),
    ),
    Odd(
        "unicode suffix",
        2e-5,
        ("http://www.{label}.公司.cn", "http://www.{label}.xn--55qx5d.cn", "http://{label}.个人.hk"),
    ),
    Odd("unicode dot", 1e-5, ("http://www.{label}。{suffix}", "http://www．{label}．{suffix}")),
    Odd(
        "wildcard suffix",
        5e-5,
        (
            "http://www.{label}.gov.ck",
            "http://{label}.co.bd",
            "http://www.{label}.minato.kobe.jp",
            "http://co.ck",
        ),
    ),
    Odd("exception to a wildcard", 1e-5, ("http://www.ck", "http://shop.www.ck", "http://www.city.kobe.jp")),
    Odd(
        "former suffix",
        2e-5,
        (
            "http://www.{label}.co.yu",
            "http://{label}.bg.ac.yu",
            "http://www.{label}.or.tp",
            "http://{label}.an",
        ),
    ),
    Odd(
        "no suffix", 1e-4, ("http://localhost", "http://intranet/{label}", "http://www.{label}.local-example")
    ),
    Odd(
        "bad label",
        1e-4,
        ("http://+.gov.br", "http://-.gov.br", "http://my_{label}.com", "http://www.{label}%20.com"),
    ),
    Odd(
        "outer hyphens",
        1e-5,
        ("http://www.-{label}.com", "http://{label}-.{suffix}", "http://www.--{label}--.net"),
    ),
    Odd("path", 1e-4, ("http://{host}/", "http://{host}/a/b.html?q={n}#top", "http://{domain}?id={n}")),
    Odd("user name", 1e-6, ("http://user@{host}", "ftp://user:word@{domain}:21")),
    Odd("outer dots", 1e-5, ("http://{host}.", "http://.{domain}", "http://www..{domain}")),
    Odd("no host", 1e-6, ("http://", "http:///{host}", "http://.")),
)

ODD_QUERIES = (
    Odd("quote", 2e-4, ('"{query}', '{query}"', '{query} "{query}', '"{query}" "')),
    Odd("unicode query", 1e-4, ("{query} é", "ñ{query}", "例え {query}")),
    Odd("punctuation", 1e-4, ("-", "'{query}", "{query}\\", "{query}, {query}; {query}")),
)

# Odd lines that are there in any case are at most one in so many.
_ROOM = 100


def drawn_patterns(
    rng: np.random.Generator, kinds: tuple[Odd, ...], n_rows: int, all_of_them: bool
) -> tuple[Array, list[str]]:
    """Return which of some rows are odd, and the pattern of each.

    With `all_of_them`, each pattern is there once at least, unless that were more than one row in a hundred.

    >>> rows, patterns = drawn_patterns(np.random.default_rng(1), ODD_QUERIES, 5_000, True)
    >>> len(set(rows.tolist())) == len(patterns), '"{query}' in patterns
    (True, True)
    """
    patterns = [pattern for kind in kinds for pattern in kind.patterns]
    chosen = patterns if all_of_them and n_rows >= _ROOM * len(patterns) else []
    rates = [kind.rate for kind in kinds]
    for kind, times in zip(kinds, rng.poisson(np.multiply(rates, n_rows)).tolist(), strict=True):
        chosen = chosen + [kind.patterns[i] for i in rng.integers(len(kind.patterns), size=times)]
    chosen = chosen[:n_rows]
    return rng.choice(n_rows, len(chosen), replace=False), chosen


def filled_url(pattern: str, domain: str, number: int) -> str:
    """Return a pattern with its parts filled in.

    >>> filled_url("http://{host}:8080", "tubora-example.co.uk", 7)
    'http://www.tubora-example.co.uk:8080'
    """
    label, _, suffix = domain.partition(".")
    host = f"www.{domain}"
    return pattern.format(
        host=host,
        host_upper=host.upper(),
        domain=domain,
        domain_upper=domain.upper(),
        label=label,
        suffix=suffix,
        n=number,
    )
