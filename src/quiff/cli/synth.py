"""``quiff synth``: a synthetic search log."""

from pathlib import Path

import click

from quiff.cli.bars import step_bars
from quiff.cli.options import json_option, seed_option
from quiff.cli.outputs import OutputFolder, Writing, forced
from quiff.cli.terminal import echo
from quiff.errors import counted


@click.command("synth", cls=Writing)
@click.option("--users", type=int, metavar="N", help="Users; each has 55 rows on average.")
@click.option("--rows", type=int, metavar="N", help="Rows, exactly.")
@click.option("--out", type=OutputFolder(), required=True, metavar="DIR", help="The folder to make.")
@seed_option
@json_option
def command(users: int | None, rows: int | None, out: Path, seed: int, as_json: bool) -> None:
    """Write a synthetic search log, and the topics of its domains.

    The log has AOL's format. Users, visits, clicks and domains follow the published statistics of the AOL
    log; all words, domains and topics are fictional. DIR gets log-01.txt.gz and so on, and
    classification.csv. The same seed gives the same files. Give --users or --rows.

    Example: quiff synth --users 20000 --out log
    """
    if (users is None) == (rows is None):
        raise click.UsageError("Give exactly one of --users and --rows.")
    from quiff.history.synth import SyntheticLog, write_log
    from quiff.results.numbers import to_json

    log = SyntheticLog(users=users, rows=rows, seed=seed)
    with step_bars() as bars:
        progress = None if bars is None else lambda rows: bars("rows", rows / log.expected_rows)
        written = write_log(log, out, force=forced(), progress=progress)
    if as_json:
        paths = {"files": list(map(str, written.files)), "classification": str(written.classification)}
        echo(to_json({**vars(written), **paths}))
    else:
        echo(
            f"{counted(written.users, 'user')}, {counted(written.rows, 'row')}"
            f" ({written.rows_without_url} without URL), {counted(written.domains, 'domain')};"
            f" {', '.join(path.name for path in written.files)} in {out}"
        )
