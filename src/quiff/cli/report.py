"""``quiff report``: one offline page on a population."""

import shlex
import sys
from fractions import Fraction
from pathlib import Path

import click

from quiff.cli.compare import ComparedSetting, compare_option, compared
from quiff.cli.options import (
    histories_option,
    missing_option,
    noise_option,
    population_topics_option,
    seed_option,
    stored_top_option,
    weights_option,
)
from quiff.cli.outputs import OutputFile, Writing, guarded
from quiff.cli.pipeline import recorded
from quiff.cli.profiles import api_for, one_epoch
from quiff.cli.terminal import echo


@click.command("report", cls=Writing)
@click.argument("profiles", type=click.Path(path_type=Path), metavar="PROFILES")
@click.option(
    "--out", required=True, type=OutputFile(".html", ".htm"), metavar="FILE", help="The page: an .html file."
)
@population_topics_option
@missing_option
@stored_top_option
@noise_option
@weights_option
@histories_option
@compare_option
@click.option(
    "--epochs",
    type=click.IntRange(min=0),
    default=4,
    show_default=True,
    metavar="E",
    help="Also measure the reports of up to E epochs together; 0 leaves this out.",
)
@click.option("--attacks", is_flag=True, help="Also run the published attacks on simulated reports.")
@seed_option
def command(
    profiles: Path,
    out: Path,
    taxonomy: str | None,
    missing: str,
    top: int | None,
    noise: float | Fraction,
    weights: str | None,
    histories: Path | None,
    compare: tuple[ComparedSetting, ...],
    epochs: int,
    attacks: bool,
    seed: int,
) -> None:
    """Write one offline page on a population.

    It says what cookies and the Topics API leak about the users of PROFILES. The page holds tables,
    figures and what they say. It loads nothing, and can be sent and printed.

    Example: quiff report profiles.parquet --out report.html
    """
    from quiff.populations.population import Population
    from quiff.report.compose import Source, compose_report

    def read(size: int | None) -> Population:
        return Population.read(profiles, top=size, weights=weights, missing=missing)

    def read_first(size: int) -> Population:
        return one_epoch(read(size), None, profiles)

    with recorded() as steps:
        with steps.step("read profiles"):
            over_time = read(top)
            population = one_epoch(over_time, None, profiles)
            api = api_for(population, taxonomy, noise, profiles, top)
        settings = compared(compare, population, api, read_first, taxonomy, profiles) if compare else None
        page = compose_report(
            population,
            api,
            Source.file(profiles, [shlex.join(["quiff", *sys.argv[1:]])]),
            histories=histories,
            comparison=settings,
            over_time=over_time,
            epochs=epochs,
            attacks=attacks,
            seed=seed,
            watch=steps.step,
        )
        page.write(out, **guarded(out))
    echo(f"{out}: {page.title}")
    for headline in page.headlines:
        echo(f"  {headline.value} {headline.meaning}")
