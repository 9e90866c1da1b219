"""``quiff popularity``: what one report of each user tells about how popular topics are."""

from fractions import Fraction
from pathlib import Path

import click

from quiff.cli.options import (
    figure_option,
    json_option,
    missing_option,
    noise_option,
    population_topics_option,
    read_population,
    stored_top_option,
)
from quiff.cli.pipeline import recorded

__all__ = ["command"]


@click.command("popularity")
@click.argument("profiles", type=click.Path(path_type=Path), metavar="PROFILES")
@population_topics_option
@missing_option
@stored_top_option
@noise_option
@click.option("--epoch", type=int, metavar="K", help="The epoch, from 0, if there are several.  [default: 0]")
@click.option(
    "--first", type=int, default=10, show_default=True, metavar="K", help="Topics to find in order."
)
@click.option(
    "--simulations",
    type=int,
    default=1000,
    show_default=True,
    metavar="N",
    help="How often reports are drawn.",
)
@click.option("--seed", type=int, default=0, show_default=True, metavar="K", help="Of the simulations.")
@click.option(
    "--rows", type=click.IntRange(min=1), default=20, show_default=True, metavar="N", help="Topics to print."
)
@json_option
@figure_option
def command(
    profiles: Path,
    taxonomy: str | None,
    missing: str,
    top: int | None,
    noise: float | Fraction,
    epoch: int | None,
    first: int,
    simulations: int,
    seed: int,
    rows: int,
    as_json: bool,
    figure: Path | None,
) -> None:
    """Estimate how popular each topic is, and the chance to find the most popular ones.

    PROFILES is a file with the set of topics of each user. Every user reports one topic, and the reports are
    all that an analyst sees. The figure shows the first topics with their estimates, and the chances
    against the number of users.

    Example: quiff popularity profiles.parquet --noise 0.05 --first 10
    """
    from quiff.apis.topics import TopicsAPI
    from quiff.results.numbers import to_json
    from quiff.studies.popularity import popularity

    with recorded() as steps:
        with steps.step("read profiles"):
            population, n_topics = read_population(profiles, taxonomy, top=top, epoch=epoch, missing=missing)
        with steps.step("simulate reports"):
            api = TopicsAPI(n_topics, population.top_s, noise)
            found = popularity(population, api, seed=seed, simulations=simulations, top=first)
    if figure is not None:
        found.figure().write(figure)
    if as_json:
        click.echo(to_json(found.to_dict()))
        return
    topics, *others = found.tables()
    blocks = [topics.to_text(head=rows), *(table.to_text() for table in others)]
    click.echo("\n\n".join([*blocks, "\n".join(found.sentences())]))
