"""``quiff experiment``: from visits to browsing histories."""

from pathlib import Path
from typing import Any

import click

from quiff.cli.options import PATH, least, option
from quiff.cli.outputs import OutputFolder, Writing, forced
from quiff.cli.pipeline import csv_option, engine_options, told, working, write_csv
from quiff.cli.terminal import echo


@click.command("experiment", cls=Writing)
@click.argument("history", type=PATH, metavar="HISTORY")
@option("--out", "DIR", "Where the table goes.", OutputFolder({"experimental.parquet": False}), required=True)
@option("--max-visits", "N", "Users with more visits are outliers.", least(2), 10_000)
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

    with working(**options) as (con, steps):
        result = experiment(con, history, out, max_visits=max_visits, force=forced(), steps=steps)
        write_csv(con, out, "experimental", csv_file)
    echo(told("Experimental", result, steps, as_json))
