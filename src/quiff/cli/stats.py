"""``quiff stats`` and ``domain``: what a table holds, and the registrable domain of a URL."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from quiff.cli.outputs import guarded
from quiff.cli.pipeline import Rules
from quiff.cli.shown import Listed
from quiff.cli.terminal import echo
from quiff.commands import NewFile, command
from quiff.errors import ParameterError
from quiff.io import StrPath
from quiff.logs.domains import find_domains
from quiff.results.table import Table

if TYPE_CHECKING:
    from quiff.logs.read import LogFormat
    from quiff.logs.suffixes import Suffixes


@command("stats", group="log")
def describe_table(
    con: Any,
    tables: Sequence[StrPath],
    *,
    form: "LogFormat",
    time_format: str | None = None,
    figure: Annotated[Path | None, NewFile(".svg", ".png", ".html")] = None,
    digits: int = 3,
) -> Listed:
    """Describe a table of any stage, as the paper's tables do.

    TABLE is a Treated, Reduced, Experimental or profiles table, a folder that has one, or the files of a
    log, read as by quiff treat, or a pipe. The figure shows how many users have how many records.

    Parameters
    ----------
    time_format
        How times are written, as for quiff treat.
    figure
        Also write a figure: .svg, .png or .html.
    digits
        Significant digits of computed numbers.

    Examples
    --------
    $ quiff stats treated
    """
    from quiff.logs.stats import describe
    from quiff.studies.dataset_statistics import DatasetStatistics

    statistics = DatasetStatistics(describe(con, tables, form, time_format))
    if figure is not None:
        statistics.figure().write(figure, **guarded(figure))
        echo(f"Wrote {figure}", err=True)
    return Listed(statistics.to_dict(), "\n\n".join(table.to_text() for table in statistics.tables()))


@command("domain", group="log")
def print_domains(
    *urls: str,
    suffixes: "Suffixes | None" = None,
    rules: Rules = "correct",
) -> Listed:
    """Print the registrable domain of each URL, or why it has none.

    A URL "-" stands for the lines of the standard input. The reasons are no-host, ip-address, no-suffix (a
    single name such as localhost), bare-suffix (a public suffix itself, such as com or co.uk) and bad-label
    (a name with other characters than letters, digits and inner hyphens).

    Parameters
    ----------
    rules
        How a host gets its domain: by the suffix list's own algorithm, in small letters as in the DNS; or
        as the paper did, with letters as they are, and suffixes such as gov.br as domains.

    Examples
    --------
    $ quiff domain http://www.example.co.uk/page www.gov.br
    """
    lines = [line for url in urls for line in (_input_lines() if url == "-" else [url])]
    for url in lines:
        if not url.isascii() and any("\ud800" <= letter <= "\udfff" for letter in url):
            raise ParameterError(f"the URL {url!r} is not in UTF-8", what="the URL", value=url)
    rows = [(url, *place) for url, place in zip(lines, find_domains(lines, suffixes, rules), strict=True)]
    names = ("url", "domain", "reason")
    cells = tuple((url, domain or "-", reason or "") for url, domain, reason in rows)
    facts = [dict(zip(names, row, strict=True)) for row in rows]
    return Listed(facts, Table("Registrable domains", names, cells).to_text())


def _input_lines() -> list[str]:
    text = sys.stdin.buffer.read().decode("utf-8", "surrogateescape")
    return [line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")] if text else []
