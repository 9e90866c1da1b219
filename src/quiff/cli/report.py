"""``quiff report``: one offline page on people."""

import shlex
from pathlib import Path
from textwrap import fill

import click

from quiff.cli.options import flag, least, option, seed_option
from quiff.cli.outputs import OutputFile, Writing, guarded
from quiff.cli.people import Asked, asks_for_people
from quiff.cli.progress import shown_progress
from quiff.cli.shown import WORDS
from quiff.cli.terminal import echo


@click.command("report", cls=Writing)
@asks_for_people(over_time=True, takes=4.0)
@option("--out", "FILE", "The page: an .html file.", OutputFile(".html", ".htm"), required=True)
@option(
    "--epochs",
    "E",
    "Study 1 to E epochs, an observation (a page view of the Topics API) each; 1 leaves out time.",
    least(1),
    4,
)
@flag("--attacks", "Also run the published attacks on simulated observations.")
@flag("--list-users", "List the users most at risk by their pseudonyms; else the page names nobody.")
@flag("--print-all", "Unfold everything, so that it prints too.")
@seed_option
def command(
    asked: Asked, out: Path, epochs: int, attacks: bool, list_users: bool, print_all: bool, seed: int
) -> None:
    """Write one offline page on people.

    It says what some APIs, by default third-party cookies and the Topics API, reveal about the users of
    PEOPLE: sentences, tables and figures. The page loads nothing, and can be sent and printed.

    Example: quiff report profiles.parquet --api cookies --api topics:noise=0.1 --out report.html
    """
    from quiff.report.compose import Source, compose_report

    typed = shlex.join(["quiff", *click.get_current_context().meta[WORDS]])
    with shown_progress():
        people = asked.people(over_time=True)
        page = compose_report(
            people, asked.apis(people), Source.file(asked.file or Path(), [typed]), observations=epochs,
            attacks=attacks, seed=seed, histories=asked.histories, list_users=list_users,
            print_all=print_all,
        )  # fmt: skip
        page.write(out, **guarded(out))
    echo(f"{out}: {page.title}")
    for sentence in (*page.about, page.headline):
        echo(fill(sentence, 80, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False))
