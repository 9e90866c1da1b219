"""``quiff paper``: what the paper prints beside what quiff computes."""

from pathlib import Path

import click

from quiff.cli.options import json_option, mirror_option
from quiff.cli.outputs import OutputFolder, Writing, guarded
from quiff.cli.terminal import echo

_FOLDER = click.Path(path_type=Path)


@click.command("paper", cls=Writing)
@click.option("--all", "every", is_flag=True, help="Every item, not only the points and their places.")
@click.option(
    "--data", type=_FOLDER, metavar="DIR", help="The authors' published tables, for what needs them."
)
@mirror_option
@click.option(
    "--out", type=OutputFolder(), metavar="DIR", help="Write the tables and the counting figure there."
)
@json_option
def command(every: bool, data: Path | None, mirror: Path | None, out: Path | None, as_json: bool) -> None:
    """Check the paper that quiff starts from, and what to correct.

    The paper is "The Privacy-Utility Trade-off in the Topics API" (CCS '24). Its equations are tried on
    random channels, and its figures computed anew from what it prints, from public lists where there is a
    copy, and from the authors' tables with --data. What differs is grouped by its cause, with all places
    that follow from it.

    Example: quiff paper --all
    """
    from quiff.papers.check import check_paper
    from quiff.papers.text import as_text
    from quiff.results.numbers import to_json

    paper = check_paper(data, mirror)
    echo(to_json(paper.to_dict()) if as_json else as_text(paper, every=every))
    if out is not None:
        from quiff.papers.tables import write_paper

        written = write_paper(paper, out, **guarded(out))
        echo(f"{len(written)} files written to {out}", err=True)
