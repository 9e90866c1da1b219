"""What the commands of the data pipeline share: engine, columns of a log, and how a run is told."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, is_dataclass
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from quiff.cli.options import json_option, one_of, option, reading_options, with_options
from quiff.cli.outputs import OutputFile, add_input, guarded
from quiff.cli.progress import shown_progress
from quiff.history.engine import ENGINES

if TYPE_CHECKING:
    from quiff.history.lines import LogFormat
    from quiff.history.tables import Steps

_DELIMITERS = {"tab": "\t", "comma": ",", "semicolon": ";", "bar": "|"}

engine_options = with_options(
    one_of("--engine", "What computes: DuckDB in this process, or Apache Spark.", *ENGINES, default="duckdb"),
    reading_options,
    option(
        "--master",
        "URL",
        "Spark's master. On a cluster, whose accounts write too, the"
        " system decides who can read the tables; else their owner alone.  [default: this machine]",
    ),
    json_option,
)
log_options = with_options(
    option("--user", "COLUMN", "The user.", default="AnonID"),
    option("--time", "COLUMN", "The time.", default="QueryTime"),
    option("--url", "COLUMN", "The URL.", default="ClickURL"),
    option("--columns", "NAMES", "All columns in order, with commas, if the first line does not name them."),
    one_of("--delimiter", "What stands between fields.  [default: as in the first line]", *_DELIMITERS),
    click.option(
        "--quoted/--not-quoted",
        default=None,
        help="Fields may stand in double quotes.  [default: not with tabs]",
    ),
    option(
        "--time-format",
        "FORMAT",
        "How times are written, if otherwise than quiff treat --help says: as for strptime, with the"
        " codes %Y %y %m %b %B %d %H %I %p %M %S %f %z %a %A %F %T.",
    ),
)


def log_form(options: dict[str, Any]) -> "LogFormat":
    """Take the options that say how a log is written out of a command's, and return its form."""
    from quiff.history.lines import LogFormat

    user, time, url, delimiter, quoted = map(options.pop, ("user", "time", "url", "delimiter", "quoted"))
    columns = options.pop("columns")
    names = None if columns is None else tuple(name.strip() for name in columns.split(","))
    return LogFormat(user, time, url, _DELIMITERS.get(delimiter or ""), quoted, names)


def read_suffixes(ctx: click.Context, param: click.Parameter, name: str | None) -> Any:  # noqa: ARG001
    """Read the public suffix list that an option names; None stands for the installed one."""
    if name is None:
        return None
    add_input(ctx, name)
    from quiff.history.fetch import fetch
    from quiff.history.suffixes import Suffixes

    return Suffixes.read(fetch("psl") if name == "psl" else name)


domain_options = with_options(
    option(
        "--suffixes",
        "FILE",
        "A public suffix list; psl is the pinned copy.  [default: the installed one]",
        callback=read_suffixes,
    ),
    one_of(
        "--rules",
        "How a host gets its domain: by the suffix list's own algorithm, in small letters as in the DNS; or"
        " as the paper did, with letters as they are, and suffixes such as gov.br as domains.",
        "correct", "as-published",
        default="correct",
    ),
)  # fmt: skip
csv_option = option(
    "--csv csv_file",
    "FILE",
    "Also write the table in the form of the paper's published CSV files.",
    OutputFile(".csv"),
)


def write_csv(con: Any, folder: Path, stage: str, file: Path | None) -> None:
    """Write a table as CSV too, if the option says so."""
    if file is None:
        return
    from quiff.files import written
    from quiff.history.published import write_published
    from quiff.history.tables import read_table

    table, _ = read_table(con, written(folder / f"{stage}.parquet"), (stage,))
    write_published(con, table, stage, file, **guarded(file))


@contextmanager
def connected(
    engine: str, master: str | None = None, *, usual: str | None = None, share: float = 1
) -> Iterator[Any]:
    """Connect to the engine that the options name.

    It may use that share of --memory-limit; the rest is for what follows. Without a limit, `usual`.
    """
    from quiff.core.limits import PROCESS, memory_allowed
    from quiff.history.engine import LEAST, connect

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


@contextmanager
def working(**options: Any) -> Iterator[tuple[Any, "Steps"]]:
    """Connect to the engine that the options name, and show the steps; outputs get their names together."""
    from quiff.files import together

    with connected(**options) as con, shown_progress() as shown, together():
        yield con, shown.steps


def told(title: str, result: Any, steps: "Steps", as_json: bool) -> str:
    """Return the counts of a run as JSON, or as text with its steps.

    Examples
    --------
    >>> from quiff.history.tables import Steps
    >>> text = told("Reduced", {"rows": 3, "dropped": {"no-url": 1}}, Steps(), False)
    >>> print(text.split("Steps")[0].rstrip())
    Reduced
    rows             3
    dropped: no-url  1
    """
    from quiff.results.numbers import said, shown, to_json
    from quiff.results.table import Table

    result = asdict(result) if is_dataclass(result) and not isinstance(result, type) else result
    if as_json:
        done = [{"name": step.name, "rows": step.rows, "seconds": step.seconds} for step in steps.done]
        return to_json({**result, "steps": done})
    lines: list[tuple[str, str]] = []

    def read(value: Any) -> str:
        is_count = isinstance(value, int | float) and not isinstance(value, bool)
        return said(value) if is_count else shown(value)

    for name, value in result.items():
        label = name.replace("_", " ")
        if isinstance(value, dict):
            lines += [(f"{label}: {key}", read(count)) for key, count in value.items()]
        elif not isinstance(value, list | tuple):
            lines.append((label, read(value)))
    width = max(len(label) for label, _ in lines)
    rows = tuple((step.name, step.rows, round(step.seconds, 2)) for step in steps.done)
    table = Table("Steps", ("step", "rows", "seconds"), rows).to_text()
    return "\n".join([title, *(f"{label:<{width}}  {text}" for label, text in lines), "", table])
