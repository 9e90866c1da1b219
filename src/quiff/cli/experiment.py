"""``quiff experiment``: from visits to browsing histories."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from quiff.cli.outputs import OutputFolder, Writing, forced
from quiff.cli.pipeline import (
    connected,
    csv_option,
    engine_options,
    recorded,
    told,
    write_csv,
)
from quiff.cli.terminal import echo


@click.command("experiment", cls=Writing)
@click.argument("history", type=click.Path(path_type=Path), metavar="HISTORY")
@click.option(
    "--out",
    required=True,
    type=OutputFolder({"experimental.parquet": False}),
    metavar="DIR",
    help="Where the table goes.",
)
@click.option(
    "--max-visits",
    type=click.IntRange(min=2),
    default=10_000,
    show_default=True,
    metavar="N",
    help="Users with more visits are outliers.",
)
@csv_option
@engine_options
def command(
    history: Path, out: Path, max_visits: int, csv_file: Path | None, as_json: bool, **options: Any
) -> None:
    """Gather the visits of each user, without outliers.

    Users of one domain only are left out too. HISTORY is a Treated or Reduced table, or the folder that
    has it.

    Example: quiff experiment reduced --out experimental
    """
    from quiff.history.experiment import experiment

    with connected(**options) as con, recorded() as steps:
        force = forced()
        result = experiment(con, history, out, max_visits=max_visits, force=force, steps=steps)
        write_csv(con, out, "experimental", csv_file)
    echo(told("Experimental", asdict(result), steps, as_json))
