"""``quiff synth``: a synthetic search log."""

from pathlib import Path

import click

from quiff.cli.options import json_option, option, seed_option
from quiff.cli.outputs import OutputFolder, Writing, forced
from quiff.cli.progress import shown_progress
from quiff.cli.terminal import echo


@click.command("synth", cls=Writing)
@option("--users", "N", "Users; each has 55 rows on average.", int)
@option("--rows", "N", "Rows, exactly.", int)
@option("--out", "DIR", "The folder to make.", OutputFolder(), required=True)
@seed_option
@json_option
def command(users: int | None, rows: int | None, out: Path, seed: int, as_json: bool) -> None:
    """Write a synthetic log, with topics and conversions.

    The log has AOL's format. Users, visits, clicks and domains follow the published statistics of the AOL
    log; all words, domains and topics are fictional. DIR gets log-01.txt.gz and so on, classification.csv,
    and conversions.parquet: what users did in the 30 days after an advertisement, which all see as the log
    begins, as user, time, site, kind and value. The same seed gives the same files. Give --users or --rows.

    Example: quiff synth --users 20000 --out log
    """
    if (users is None) == (rows is None):
        raise click.UsageError("Give exactly one of --users and --rows.")
    from quiff.history.synth import SyntheticLog, write_log
    from quiff.results.numbers import to_json
    from quiff.studies.words import many

    log = SyntheticLog(users=users, rows=rows, seed=seed)
    with shown_progress() as shown:
        tell = shown.tell
        progress = None if tell is None else lambda rows: tell("rows", rows / log.expected_rows)
        written = write_log(log, out, force=forced(), progress=progress)
    if as_json:
        paths = {name: str(getattr(written, name)) for name in ("classification", "conversions")}
        echo(to_json({**vars(written), "files": list(map(str, written.files)), **paths}))
    else:
        echo(
            f"{many(written.users, 'user')}, {many(written.rows, 'row')}"
            f" ({written.rows_without_url:,} without URL), {many(written.domains, 'domain')};"
            f" {', '.join(path.name for path in written.files)} in {out}"
        )
