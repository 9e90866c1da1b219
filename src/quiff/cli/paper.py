"""``quiff paper``: every printed figure of the paper that can be recomputed."""

from pathlib import Path

import click

from quiff.cli.options import json_option
from quiff.cli.outputs import OutputFolder, Writing, guarded
from quiff.cli.terminal import echo

_FOLDER = click.Path(path_type=Path)


@click.command("paper", cls=Writing)
@click.option(
    "--data", type=_FOLDER, metavar="DIR", help="The authors' published tables, for what needs them."
)
@click.option(
    "--out", type=OutputFolder(), metavar="DIR", help="Write the tables and the counting figure there."
)
@json_option
def command(data: Path | None, out: Path | None, as_json: bool) -> None:
    """Check every printed number of the paper.

    The paper is "The Privacy-Utility Trade-off in the Topics API" (CCS '24). Each number gets a verdict,
    match, erratum or needs-data, which is computed; what needs the AOL data says which command would
    compute it.

    Example: quiff paper --out tables
    """
    from quiff.papers.check import as_text, check_paper
    from quiff.results.numbers import to_json

    paper = check_paper(data)
    echo(to_json(paper.to_dict()) if as_json else as_text(paper))
    if out is not None:
        from quiff.papers.tables import write_paper

        written = write_paper(paper, out, **guarded(out))
        echo(f"{len(written)} files written to {out}", err=True)
