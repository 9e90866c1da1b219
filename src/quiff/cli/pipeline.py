"""What the commands of the data pipeline share: engine, columns of a log, steps and their progress."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from quiff.cli.options import json_option
from quiff.cli.outputs import OutputFile, add_input, guarded
from quiff.cli.terminal import on_terminal
from quiff.history.engine import ENGINES

if TYPE_CHECKING:
    from threading import Event

    from quiff.history.lines import LogFormat
    from quiff.history.tables import Step, Steps

_Command = TypeVar("_Command", bound=Callable[..., Any])
_REFRESH = 0.1  # seconds
_DELIMITERS = {"tab": "\t", "comma": ",", "semicolon": ";", "bar": "|"}


def engine_options(command: _Command) -> _Command:
    """Add the options that choose the engine."""
    for option in (
        json_option,
        click.option(
            "--master",
            metavar="URL",
            help="Spark's master. On a cluster, whose accounts write too, the"
            " system decides who can read the tables; else their owner alone.  [default: this machine]",
        ),
        click.option("--memory-limit", metavar="SIZE", help="What the engine may use, such as 2GB."),
        click.option(
            "--engine",
            type=click.Choice(ENGINES),
            default="duckdb",
            show_default=True,
            help="What computes: DuckDB in this process, or Apache Spark.",
        ),
    ):
        command = option(command)
    return command


def log_options(command: _Command) -> _Command:
    """Add the options that say how a log is written."""
    for option in (
        click.option(
            "--time-format",
            metavar="FORMAT",
            help="How times are written, if otherwise than quiff treat --help says: as for strptime, with the"
            " codes %Y %y %m %b %B %d %H %I %p %M %S %f %z %a %A %F %T.",
        ),
        click.option(
            "--quoted/--not-quoted",
            default=None,
            help="Fields may stand in double quotes.  [default: not with tabs]",
        ),
        click.option(
            "--delimiter",
            type=click.Choice(list(_DELIMITERS)),
            help="What stands between fields.  [default: as in the first line]",
        ),
        click.option(
            "--columns",
            metavar="NAMES",
            help="All columns in order, with commas, if the first line does not name them.",
        ),
        click.option("--url", default="ClickURL", show_default=True, metavar="COLUMN", help="The URL."),
        click.option("--time", default="QueryTime", show_default=True, metavar="COLUMN", help="The time."),
        click.option("--user", default="AnonID", show_default=True, metavar="COLUMN", help="The user."),
    ):
        command = option(command)
    return command


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


suffixes_option = click.option(
    "--suffixes",
    callback=read_suffixes,
    metavar="FILE",
    help="A public suffix list; psl is the pinned copy.  [default: the installed one]",
)


rules_option = click.option(
    "--rules",
    type=click.Choice(["correct", "as-published"]),
    default="correct",
    show_default=True,
    help="How a host gets its domain: by the suffix list's own algorithm, in small letters as in the DNS; or"
    " as the paper did, with letters as they are, and suffixes such as gov.br as domains.",
)


csv_option = click.option(
    "--csv",
    "csv_file",
    type=OutputFile(".csv"),
    metavar="FILE",
    help="Also write the table in the form of the paper's published CSV files.",
)


def write_csv(con: Any, folder: Path, stage: str, file: Path | None) -> None:
    """Write a table as CSV too, if the option says so."""
    if file is None:
        return
    from quiff.history.published import write_published
    from quiff.history.tables import read_table

    table, _ = read_table(con, folder / f"{stage}.parquet", (stage,))
    write_published(con, table, stage, file, **guarded(file))


@contextmanager
def connected(engine: str, memory_limit: str | None, master: str | None) -> Iterator[Any]:
    """Connect to the engine that the options name."""
    from quiff.history.engine import connect

    handler = signal.getsignal(signal.SIGINT)
    con = connect(engine, memory_limit=memory_limit, master=master)
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, handler)  # Spark has put its own in place
    try:
        yield con
    finally:
        con.disconnect()


@contextmanager
def recorded() -> Iterator["Steps"]:
    """Give a list of steps; on a terminal, show on stderr which one is at work, how far it is, for how long.

    A step of which the engine cannot tell how far it is has a bar that moves to and fro.
    """
    from quiff.history.tables import Steps

    if not on_terminal():
        yield Steps()
        return
    from threading import Event, Thread

    from rich.console import Console
    from rich.progress import (
        BarColumn,
        Progress,
        SpinnerColumn,
        TaskProgressColumn,
        TextColumn,
        TimeElapsedColumn,
    )

    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TaskProgressColumn())
    console = Console(stderr=True)
    with Progress(*columns, TimeElapsedColumn(), console=console, transient=True) as progress:
        shown, ended = _ShownSteps(progress), Event()
        follower = Thread(target=shown.follow, args=(ended,), daemon=True)
        follower.start()
        try:
            yield Steps(shown.watch)
        finally:
            ended.set()
            follower.join()


class _ShownSteps:
    """The steps of a run as tasks of a progress display."""

    def __init__(self, progress: Any) -> None:
        self._progress = progress
        self._running: tuple[Step, Any] | None = None

    def watch(self, step: "Step", done: bool) -> None:
        """Show the start or the end of a step."""
        if not done:
            self._running = step, self._progress.add_task(step.name, total=None)
        elif self._running:
            (_, task), self._running = self._running, None
            rows = "" if step.rows is None else f": {step.rows} rows"
            self._progress.update(task, description=step.name + rows, total=1, completed=1)
            self._progress.stop_task(task)

    def follow(self, ended: "Event") -> None:
        """Show how far the running step is, until the end; for a thread of its own."""
        while not ended.wait(_REFRESH):
            running = self._running
            if running is None or running[0].share is None:
                continue
            share = running[0].share()
            if share is not None and running is self._running:  # else it has ended meanwhile
                self._progress.update(running[1], total=1, completed=min(share, 1))


def steps_table(steps: "Steps") -> str:
    """Return the list of steps as text, with counts and times."""
    from quiff.results.table import Table

    rows = tuple((step.name, step.rows, round(step.seconds, 2)) for step in steps.done)
    return Table("Steps", ("step", "rows", "seconds"), rows).to_text()


def told(title: str, result: dict[str, Any], steps: "Steps", as_json: bool) -> str:
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
    from quiff.results.numbers import shown, to_json

    if as_json:
        done = [{"name": step.name, "rows": step.rows, "seconds": step.seconds} for step in steps.done]
        return to_json({**result, "steps": done})
    lines: list[tuple[str, str]] = []
    for name, value in result.items():
        label = name.replace("_", " ")
        if isinstance(value, dict):
            lines += [(f"{label}: {key}", shown(count)) for key, count in value.items()]
        elif not isinstance(value, list | tuple):
            lines.append((label, shown(value)))
    width = max(len(label) for label, _ in lines)
    return "\n".join([title, *(f"{label:<{width}}  {text}" for label, text in lines), "", steps_table(steps)])
