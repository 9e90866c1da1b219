"""``quiff stats``: what a table of any stage holds."""

from pathlib import Path
from typing import Any

import click

from quiff.cli.options import PATH, digits_option, figure_option
from quiff.cli.outputs import Writing
from quiff.cli.pipeline import connected, engine_options, log_form, log_options
from quiff.cli.shown import write_figure
from quiff.cli.terminal import echo


@click.command("stats", cls=Writing)
@click.argument("tables", nargs=-1, required=True, type=PATH, metavar="TABLE...")
@log_options
@figure_option
@digits_option
@engine_options
def command(tables: tuple[Path, ...], figure: Path | None, as_json: bool, **options: Any) -> None:
    """Describe a table of any stage, as the paper's tables do.

    TABLE is a Treated, Reduced, Experimental or profiles table, a folder that has one, or the files of a
    log, read as by quiff treat, or a pipe. The figure shows how many users have how many records.

    Example: quiff stats treated
    """
    from quiff.history.stats import describe
    from quiff.results.numbers import to_json
    from quiff.studies.dataset_statistics import DatasetStatistics

    form, time_format = log_form(options), options.pop("time_format")
    with connected(**options) as con:
        found = DatasetStatistics(describe(con, tables, form, time_format))
    if figure is not None:
        write_figure(found, figure)
    if as_json:
        echo(to_json(found.to_dict()))
    else:
        echo("\n\n".join(table.to_text() for table in found.tables()))
