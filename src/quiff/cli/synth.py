"""``quiff synth``: a synthetic search log."""

from pathlib import Path
from typing import Annotated

import click

from quiff.cli.outputs import forced
from quiff.cli.shown import Listed
from quiff.commands import NewFolder, command
from quiff.logs.synth import SyntheticLog, write_log
from quiff.progress import tell
from quiff.results.numbers import many


@command("synth", group="log")
def synth(
    *,
    out: Annotated[Path, NewFolder()],
    users: int | None = None,
    rows: int | None = None,
    seed: int = 0,
) -> Listed:
    """Write a synthetic log, with topics and conversions.

    The log has AOL's format. Users, visits, clicks and domains follow the published statistics of the AOL
    log; all words, domains and topics are fictional. DIR gets log-01.txt.gz and so on, classification.csv,
    and conversions.parquet: what users did in the 30 days after an advertisement, which all see as the log
    begins, as user, time, site, kind and value. The same seed gives the same files. Give --users or --rows.

    Parameters
    ----------
    out
        The folder to make.
    users
        Users; each has 55 rows on average.
    rows
        Rows, exactly.
    seed
        The random seed: the same seed, the same files.

    Examples
    --------
    $ quiff synth --users 20000 --out log
    """
    if (users is None) == (rows is None):
        raise click.UsageError("Give exactly one of --users and --rows.")
    log = SyntheticLog(users=users, rows=rows, seed=seed)
    written = write_log(log, out, force=forced(), progress=lambda n: tell("rows", n / log.expected_rows))
    paths = {name: str(getattr(written, name)) for name in ("classification", "conversions")}
    text = (
        f"{many(written.users, 'user')}, {many(written.rows, 'row')}"
        f" ({written.rows_without_url:,} without URL), {many(written.domains, 'domain')};"
        f" {', '.join(path.name for path in written.files)} in {out}"
    )
    return Listed({**vars(written), "files": list(map(str, written.files)), **paths}, text)
