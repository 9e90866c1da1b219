"""``quiff popularity``: what one report of each user tells about how popular topics are."""

from fractions import Fraction
from pathlib import Path

import click

from quiff.cli.options import (
    epoch_option,
    figure_option,
    json_option,
    missing_option,
    noise_option,
    population_topics_option,
    seed_option,
    stored_top_option,
)
from quiff.cli.outputs import Writing, guarded
from quiff.cli.pipeline import recorded
from quiff.cli.profiles import api_for, one_epoch
from quiff.cli.terminal import echo


@click.command("popularity", cls=Writing)
@click.argument("profiles", type=click.Path(path_type=Path), metavar="PROFILES")
@population_topics_option
@missing_option
@stored_top_option
@noise_option
@epoch_option
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
@seed_option
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
    """Estimate how popular topics are, from one report each.

    It also gives the probability of finding the most popular ones. PROFILES is a file with the set of
    topics of each user. Every user reports one topic, and the reports are all that an analyst sees. The
    figure shows the first topics with their estimates, and the probabilities against the number of users.

    Example: quiff popularity profiles.parquet --noise 0.05 --first 10
    """
    from quiff.populations.population import Population
    from quiff.results.numbers import to_json
    from quiff.studies.popularity import popularity
    from quiff.theory.parameters import check_whole

    check_whole("first", first, 1)
    with recorded() as steps:
        with steps.step("read profiles"):
            population = one_epoch(Population.read(profiles, top=top, missing=missing), epoch, profiles)
            api = api_for(population, taxonomy, noise, profiles, top)
        with steps.step("simulate reports"):
            found = popularity(population, api, seed=seed, simulations=simulations, top=first)
    if figure is not None:
        found.figure().write(figure, **guarded(figure))
    if as_json:
        echo(to_json(found.to_dict()))
        return
    topics, *others = found.tables()
    blocks = [topics.to_text(head=rows), *(table.to_text() for table in others)]
    echo("\n\n".join([*blocks, "\n".join(found.sentences())]))
