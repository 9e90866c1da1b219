"""``quiff treat``: from a log to the Treated table."""

from pathlib import Path
from typing import Any

import click

from quiff.cli.options import PATH, least, one_of, option
from quiff.cli.outputs import OutputFolder, Writing, forced
from quiff.cli.pipeline import (
    csv_option,
    domain_options,
    engine_options,
    log_form,
    log_options,
    told,
    working,
    write_csv,
)
from quiff.cli.terminal import echo
from quiff.safe_text import rows_are_shown

_SEED_NOTE = "The pseudonyms come from the seed and so can be found out: for tests only."
_OUTPUTS = {"treated.parquet": False, "domains.parquet": False}


@click.command("treat", cls=Writing)
@click.argument("logs", nargs=-1, required=True, type=PATH, metavar="LOG...")
@option("--out", "DIR", "Where tables go.", OutputFolder(_OUTPUTS), required=True)
@log_options
@domain_options
@option("--max-bad-lines", "N", "Give up above N malformed lines.", least(0), 1000)
@one_of(
    "--coarse-times",
    "Cut times to the day or hour (UTC), so that visits are harder to find again elsewhere.",
    "day", "hour",
)  # fmt: skip
@option(
    "--min-kept",
    "SHARE",
    "Give up if less than this share of the rows that have a URL is kept.",
    click.FloatRange(0, 1),
    0.5,
)
@option("--conversions", "FILE", "What these users did after an advertisement: conversions.parquet.", PATH)
@option("--seed", "K", "Repeatable pseudonyms, which are not secret: for tests.", least(0))
@csv_option
@engine_options
def command(
    logs: tuple[Path, ...], out: Path, suffixes: Any, csv_file: Path | None, as_json: bool, **options: Any
) -> None:
    """Turn a search log into visits: who, when, and which domain.

    Users become pseudonyms, and URLs registrable domains: http://www.example.co.uk/page is a visit to
    example.co.uk. LOG is a text file with tabs, commas, semicolons or bars (|), or in JSON lines, compressed
    by gzip or not; a pipe; or a Parquet file. Every row that is left out is counted by reason. DuckDB keeps
    to 1.2 GB and uses the disk beyond, unless --memory-limit says otherwise.

    Times are 2026-03-02 08:10:00 or 2026-03-02T08:10:00, with decimals or not, with a zone (Z, UTC, +02:00,
    +0200, +02) or without, which is UTC; Unix seconds or milliseconds, of which a file has one unit, that of
    most of its times; in Parquet also times, days and numbers as such. All become UTC.

    Example: quiff treat log/*.txt.gz --out treated
    """
    from quiff.history.treat import DEFAULT_MEMORY_LIMIT, treat

    form = log_form(options)
    rules, max_bad_lines, seed = map(options.pop, ("rules", "max_bad_lines", "seed"))
    more = ("time_format", "coarse_times", "min_kept", "conversions")
    of_times = {name: options.pop(name) for name in more}
    usual = DEFAULT_MEMORY_LIMIT if options["engine"] == "duckdb" else None
    with working(**options, usual=usual) as (con, steps):
        result = treat(
            con, logs, out, form=form, suffixes=suffixes, rules=rules, max_bad_lines=max_bad_lines,
            **of_times, show_rows=rows_are_shown(), seed=seed, force=forced(), steps=steps,
        )  # fmt: skip
        write_csv(con, out, "treated", csv_file)
    echo(told("Treated", result, steps, as_json))
    if not as_json:
        for line in result.bad_lines:
            echo(f"malformed: {line}")
        if result.seeded:
            echo(_SEED_NOTE)
