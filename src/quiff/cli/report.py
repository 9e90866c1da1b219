"""``quiff report``: one offline page on people."""

import shlex
import sys
from pathlib import Path

import click

from quiff.cli.bars import step_bars
from quiff.cli.options import seed_option
from quiff.cli.outputs import OutputFile, Writing, guarded
from quiff.cli.people import Asked, asks_for_people
from quiff.cli.terminal import echo


@click.command("report", cls=Writing)
@asks_for_people(over_time=True)
@click.option(
    "--out", required=True, type=OutputFile(".html", ".htm"), metavar="FILE", help="The page: an .html file."
)
@click.option(
    "--observations",
    "--epochs",
    type=click.IntRange(min=1),
    default=4,
    show_default=True,
    metavar="N",
    help="Up to how many observations of a person are studied; 1 leaves out what time adds.",
)
@click.option("--attacks", is_flag=True, help="Also run the published attacks on simulated observations.")
@seed_option
def command(asked: Asked, out: Path, observations: int, attacks: bool, seed: int) -> None:
    """Write one offline page on people.

    It says what some APIs, by default third-party cookies and the Topics API, reveal about the users of
    PEOPLE: sentences, tables and figures. The page loads nothing, and can be sent and printed.

    Example: quiff report profiles.parquet --api cookies --api topics:noise=0.1 --out report.html
    """
    from quiff.report.compose import Source, compose_report

    with step_bars() as progress:
        people = asked.people(over_time=True)
        page = compose_report(
            people,
            asked.apis(people),
            Source.file(asked.file, [shlex.join(["quiff", *sys.argv[1:]])]),
            observations=observations,
            attacks=attacks,
            seed=seed,
            progress=progress,
        )
        page.write(out, **guarded(out))
    echo(f"{out}: {page.title}")
    for sentence in (*page.about, page.headline):
        echo(f"  {sentence}")
