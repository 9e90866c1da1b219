"""What commands on logs ask for: an engine, the form of a log, lists of suffixes and topics."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

if TYPE_CHECKING:
    from quiff.logs.classifications import Classification
    from quiff.logs.read import LogFormat
    from quiff.logs.suffixes import Suffixes

_DELIMITERS = {"tab": "\t", "comma": ",", "semicolon": ";", "bar": "|"}
Rules: TypeAlias = Literal["correct", "as-published"]


def Engine(  # noqa: N802 - stands for a type on the command line
    engine: Literal["duckdb", "spark"] = "duckdb",
    master: str | None = None,
    memory_limit: str | None = None,
    show_rows: bool = False,
    usual: str | None = None,
    **_: Any,
) -> Any:
    """Return a connection to the engine.

    Parameters
    ----------
    engine
        What computes: DuckDB in this process, or Apache Spark.
    master
        Spark's master. On a cluster, whose accounts write too, the system decides who can read the tables;
        else their owner alone.  [default: this machine]
    memory_limit
        Take no more memory than this, such as 2GB: an engine uses the disk beyond, and what cannot is not
        begun.
    show_rows
        In errors, show cells and rows in full; else what they say of people is left out.
    """
    return connected(engine, master, usual=usual if engine == "duckdb" else None)


def LogForm(  # noqa: N802
    user: str = "AnonID",
    time: str = "QueryTime",
    url: str = "ClickURL",
    columns: str | None = None,
    delimiter: Literal["tab", "comma", "semicolon", "bar"] | None = None,
    quoted: bool | None = None,
    **_: Any,
) -> "LogFormat":
    """Return how a log is written.

    Parameters
    ----------
    user
        The column of the user.
    time
        The column of the time.
    url
        The column of the URL.
    columns
        All columns in order, with commas, if the first line does not name them.
    delimiter
        What stands between fields.  [default: as in the first line]
    quoted
        Fields may stand in double quotes.  [default: not with tabs]
    """
    from quiff.logs.read import LogFormat

    names = None if columns is None else tuple(name.strip() for name in columns.split(","))
    return LogFormat(user, time, url, _DELIMITERS.get(delimiter or ""), quoted, names)


def SuffixList(suffixes: str | None = None, **_: Any) -> "Suffixes | None":  # noqa: N802
    """Return a public suffix list; None stands for the installed one.

    Parameters
    ----------
    suffixes
        A public suffix list; psl is the pinned copy.  [default: the installed one]
    """
    from quiff.logs.fetch import fetch
    from quiff.logs.suffixes import Suffixes

    return None if suffixes is None else Suffixes.read(fetch("psl") if suffixes == "psl" else suffixes)


def TopicsOfDomains(  # noqa: N802
    classification: str,
    suffixes: str | None = None,
    rules: Rules = "correct",
    mirror: Path | None = None,
    **_: Any,
) -> "Classification":
    """Return the topics of domains.

    Parameters
    ----------
    classification
        The topics of domains: citizenlab, chrome-1, chrome-5, or a CSV file with the columns domain and
        topics.
    suffixes
        A public suffix list; psl is the pinned copy.  [default: the installed one]
    rules
        How a host gets its domain: by the suffix list's own algorithm, in small letters as in the DNS; or
        as the paper did, with letters as they are, and suffixes such as gov.br as domains.
    mirror
        Take public data from this folder only, without a network. (The folder QUIFF_MIRROR, if that is
        set, is looked into before cache and network.)
    """
    from quiff.logs.classifications import read_classification

    return read_classification(classification, mirror=mirror, suffixes=SuffixList(suffixes), rules=rules)


@contextmanager
def connected(
    engine: str, master: str | None = None, *, usual: str | None = None, share: float = 1
) -> Iterator[Any]:
    """Connect to an engine, which may use that share of --memory-limit; the rest is for what follows.

    Without a limit, `usual`.
    """
    from quiff.core.limits import PROCESS, memory_allowed
    from quiff.logs.engine import LEAST, connect

    allowed, limit = memory_allowed(), usual
    if allowed < inf and engine == "spark":
        limit = f"{allowed // 10**6:.0f}MB"
    elif allowed < inf:
        limit = f"{max(share * (allowed - PROCESS), LEAST) // 10**6:.0f}MB"
    handler = signal.getsignal(signal.SIGINT)
    con = connect(engine, memory_limit=limit, master=master)
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, handler)  # Spark has put its own in place
    try:
        yield con
    finally:
        con.disconnect()
