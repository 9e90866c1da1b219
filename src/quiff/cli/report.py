"""``quiff report``: one offline page on a population."""

import shlex
import sys
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

import click

from quiff.cli.compare import ComparedSetting, compare_option, compared
from quiff.cli.options import (
    missing_option,
    noise_option,
    population_topics_option,
    read_population,
    stored_top_option,
    weights_option,
)
from quiff.cli.pipeline import recorded
from quiff.errors import ParameterError

if TYPE_CHECKING:
    from quiff.populations.population import Population

__all__ = ["command"]


@click.command("report")
@click.argument("profiles", type=click.Path(path_type=Path), metavar="PROFILES")
@click.option(
    "--out", required=True, type=click.Path(path_type=Path), metavar="FILE", help="The page: an .html file."
)
@population_topics_option
@missing_option
@stored_top_option
@noise_option
@weights_option
@click.option(
    "--histories",
    type=click.Path(path_type=Path),
    metavar="TABLE",
    help="The users' Experimental table: cookies are measured on it.",
)
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
@click.option("--seed", type=int, default=0, show_default=True, metavar="K", help="Of the simulations.")
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
    """Write one page that says what cookies and the Topics API leak about a population.

    The page holds tables, figures and what they say. It loads nothing, and can be sent and printed.

    Example: quiff report profiles.parquet --out report.html
    """
    _check_page(out)
    from quiff.apis.topics import TopicsAPI
    from quiff.report.compose import Source, compose_report

    with recorded() as steps:
        with steps.step("read profiles"):
            population, n_topics = read_population(
                profiles, taxonomy, top=top, weights=weights, missing=missing
            )
        settings = (
            compared(
                compare,
                population,
                lambda size: read_population(profiles, taxonomy, top=size, weights=weights, missing=missing)[
                    0
                ],
                taxonomy,
                noise,
            )
            if compare
            else None
        )
        page = compose_report(
            population,
            TopicsAPI(n_topics, population.top_s, noise),
            Source.file(profiles, [shlex.join(["quiff", *sys.argv[1:]])]),
            histories=histories,
            comparison=settings,
            over_time=_over_time(profiles, top, weights, missing),
            epochs=epochs,
            attacks=attacks,
            seed=seed,
            watch=steps.step,
        )
        page.write(out)
    click.echo(f"{out}: {page.title}")
    for headline in page.headlines:
        click.echo(f"  {headline.value} {headline.meaning}")


def _over_time(profiles: Path, top: int | None, weights: str | None, missing: str) -> "Population | None":
    """Return the users with the sets of each epoch, if the file has several."""
    from quiff.populations.population import Population

    population = Population.read(profiles, top=top, weights=weights, missing=missing)
    return population if population.n_epochs > 1 else None


def _check_page(out: Path) -> None:
    """Tell before any work that a page cannot be written, or would take the place of something else."""
    if out.suffix.lower() not in (".html", ".htm"):
        raise ParameterError(f"the page's file must end in .html, not {str(out)!r}")
    if not out.parent.is_dir():
        raise ParameterError(
            f"cannot write {str(out)!r}: there is no folder {str(out.parent)!r}; make it first"
        )
