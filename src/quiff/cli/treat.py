"""``quiff treat``: from a log to the Treated table."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from quiff.cli.outputs import OutputFolder, Writing, forced
from quiff.cli.pipeline import (
    connected,
    csv_option,
    engine_options,
    log_form,
    log_options,
    recorded,
    rules_option,
    suffixes_option,
    told,
    write_csv,
)
from quiff.cli.terminal import echo

_SEED_NOTE = "The pseudonyms come from the seed and so can be found out: for tests only."


@click.command("treat", cls=Writing)
@click.argument("logs", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="LOG...")
@click.option(
    "--out",
    required=True,
    type=OutputFolder({"treated.parquet": False, "domains.parquet": False}),
    metavar="DIR",
    help="Where tables go.",
)
@log_options
@suffixes_option
@rules_option
@click.option(
    "--max-bad-lines",
    type=click.IntRange(min=0),
    default=1000,
    show_default=True,
    metavar="N",
    help="Give up above N malformed lines.",
)
@click.option(
    "--coarse-times",
    type=click.Choice(["day", "hour"]),
    help="Cut times to the day or hour (UTC), so that visits are harder to find again elsewhere.",
)
@click.option(
    "--min-kept",
    type=click.FloatRange(0, 1),
    default=0.5,
    show_default=True,
    metavar="SHARE",
    help="Give up if less than this share of the rows that have a URL is kept.",
)
@click.option("--show-rows", is_flag=True, help="Show three rows in full if too few are kept.")
@click.option("--seed", type=int, metavar="K", help="Repeatable pseudonyms, which are not secret: for tests.")
@csv_option
@engine_options
def command(
    logs: tuple[Path, ...], out: Path, suffixes: Any, csv_file: Path | None, as_json: bool, **options: Any
) -> None:
    """Turn a search log into visits: who, when, and which domain.

    Users become pseudonyms, and URLs registrable domains: http://www.example.co.uk/page is a visit to
    example.co.uk. LOG is a text file with tabs, commas, semicolons or bars (|), or in JSON lines, packed by
    gzip or not; a pipe; or a Parquet file. Every row that is left out is counted by reason. DuckDB keeps to
    1.2 GB and uses the disk beyond, unless --memory-limit says otherwise.

    Times are 2026-03-02 08:10:00 or 2026-03-02T08:10:00, with decimals or not, with a zone (Z, UTC, +02:00,
    +0200, +02) or without, which is UTC; Unix seconds or milliseconds, of which a file has one unit, that of
    most of its times; in Parquet also times, days and numbers as such. All become UTC.

    Example: quiff treat log/*.txt.gz --out treated
    """
    from quiff.history.treat import DEFAULT_MEMORY_LIMIT, treat

    form = log_form(options)
    rules, max_bad_lines, seed = map(options.pop, ("rules", "max_bad_lines", "seed"))
    of_times = {name: options.pop(name) for name in ("time_format", "coarse_times", "min_kept", "show_rows")}
    if options["engine"] == "duckdb":
        options["memory_limit"] = options["memory_limit"] or DEFAULT_MEMORY_LIMIT
    with connected(**options) as con, recorded() as steps:
        result = treat(
            con, logs, out, form=form, suffixes=suffixes, rules=rules, max_bad_lines=max_bad_lines,
            **of_times, seed=seed, force=forced(), steps=steps,
        )  # fmt: skip
        write_csv(con, out, "treated", csv_file)
    echo(told("Treated", asdict(result), steps, as_json))
    if not as_json:
        for line in result.bad_lines:
            echo(f"malformed: {line}")
        if result.seeded:
            echo(_SEED_NOTE)
