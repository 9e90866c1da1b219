"""``quiff synth``: a made-up search log."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from quiff.cli.options import json_option

__all__ = ["command"]

_PATIENCE = 2.0  # seconds before progress is shown


@click.command("synth")
@click.option("--users", type=int, metavar="N", help="Users; each has 55 rows on average.")
@click.option("--rows", type=int, metavar="N", help="Rows, exactly.")
@click.option(
    "--out", type=click.Path(path_type=Path), required=True, metavar="DIR", help="The folder to make."
)
@click.option(
    "--seed", type=int, default=0, show_default=True, metavar="K", help="Another seed, another log."
)
@click.option("--force", is_flag=True, help="Replace a made-up log that is there.")
@json_option
def command(users: int | None, rows: int | None, out: Path, seed: int, force: bool, as_json: bool) -> None:
    """Write a made-up search log in AOL's format, and a classification of its domains.

    Users, visits, clicks and domains follow the published statistics of the AOL log; all words, domains and
    topics are fictional. DIR gets log-01.txt.gz and so on, and classification.csv. The same seed gives the
    same files. Give --users or --rows.

    Example: quiff synth --users 20000 --out log
    """
    if (users is None) == (rows is None):
        raise click.UsageError("Give exactly one of --users and --rows.")
    from quiff.history.synth import SyntheticLog, write_log
    from quiff.results.numbers import to_json

    log = SyntheticLog(users=users, rows=rows, seed=seed)
    with _progress(log.expected_rows) as report:
        written = write_log(log, out, replace=force, progress=report)
    if as_json:
        paths = {"files": list(map(str, written.files)), "classification": str(written.classification)}
        click.echo(to_json({**vars(written), **paths}))
    else:
        click.echo(
            f"{written.users} users, {written.rows} rows ({written.rows_without_url} without URL),"
            f" {written.domains} domains; {', '.join(path.name for path in written.files)} in {out}"
        )


@contextmanager
def _progress(total: float) -> Iterator[Callable[[int], None] | None]:
    """Yield what to tell the number of rows to; a bar shows them on a terminal if it takes long."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress

    bar = Progress(console=Console(stderr=True), transient=True)
    task = bar.add_task("rows", total=total)
    begin = time.monotonic()

    def report(rows: int) -> None:
        bar.update(task, completed=rows)
        if time.monotonic() - begin > _PATIENCE:
            bar.start()

    try:
        yield report
    finally:
        bar.stop()
