"""``quiff domain``: the registrable domain of a URL."""

import sys
from typing import TYPE_CHECKING, Any

import click

from quiff.cli.pipeline import connected, domain_options, engine_options
from quiff.cli.terminal import echo
from quiff.errors import ParameterError

if TYPE_CHECKING:
    from quiff.history.suffixes import Suffixes

_FEW = 10_000  # so many URLs are read before an engine has started


@click.command("domain")
@click.argument("urls", nargs=-1, required=True, metavar="URL...")
@domain_options
@engine_options
def command(
    urls: tuple[str, ...], suffixes: "Suffixes | None", rules: str, as_json: bool, **options: Any
) -> None:
    """Print the registrable domain of each URL, or why it has none.

    A URL "-" stands for the lines of the standard input. The reasons are no-host, ip-address, no-suffix (a
    single name such as localhost), bare-suffix (a public suffix itself, such as com or co.uk) and bad-label
    (a name with other characters than letters, digits and inner hyphens).

    Example: quiff domain http://www.example.co.uk/page www.gov.br
    """
    from quiff.results.numbers import to_json
    from quiff.results.table import Table

    rows = _found(_with_input(urls), suffixes, rules, options)
    if as_json:
        echo(to_json(rows))
    else:
        cells = tuple((row["url"], row["domain"] or "-", row["reason"] or "") for row in rows)
        echo(Table("Registrable domains", ("url", "domain", "reason"), cells).to_text())


def _found(urls: list[str], suffixes: "Suffixes | None", rules: str, options: dict[str, Any]) -> list[Any]:
    """Return url, domain and reason of each URL; only for many of them an engine starts."""
    if options["engine"] == "duckdb" and len(urls) <= _FEW:
        from quiff.history.plain import plain_domains

        return plain_domains(urls, suffixes, rules)
    from quiff.history.domains import find_domains

    with connected(**options) as con:
        return find_domains(con, urls, suffixes, rules)


def _with_input(urls: tuple[str, ...]) -> list[str]:
    """Put the lines of the standard input in the place of each ``-``."""
    found: list[str] = []
    for url in urls:
        found += _input_lines() if url == "-" else [url]
    for url in found:
        if not url.isascii() and any("\ud800" <= letter <= "\udfff" for letter in url):
            raise ParameterError(f"the URL {url!r} is not in UTF-8")
    return found


def _input_lines() -> list[str]:
    text = sys.stdin.buffer.read().decode("utf-8", "surrogateescape")
    return [line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")] if text else []
