"""``quiff epochs``: what the reports of several epochs give away."""

from fractions import Fraction
from pathlib import Path

import click

from quiff.cli.bars import step_bars
from quiff.cli.options import (
    figure_option,
    json_option,
    missing_option,
    noise_option,
    population_topics_option,
    seed_option,
    stored_top_option,
    weights_option,
)
from quiff.cli.outputs import Writing, guarded
from quiff.cli.profiles import api_for
from quiff.cli.terminal import echo, on_terminal


@click.command("epochs", cls=Writing)
@click.argument("profiles", type=click.Path(path_type=Path), metavar="PROFILES")
@click.option("--epochs", type=int, default=3, show_default=True, metavar="E", help="Measure 1 to E epochs.")
@population_topics_option
@stored_top_option
@noise_option
@weights_option
@missing_option
@seed_option
@click.option(
    "--utility", is_flag=True, help="Also what an advertiser learns, over up to 3 epochs of stable sets."
)
@click.option(
    "--exact",
    is_flag=True,
    help="Count exactly as far as that goes, up to 5 epochs, whatever it takes.",
)
@json_option
@figure_option
def command(
    profiles: Path,
    epochs: int,
    taxonomy: str | None,
    top: int | None,
    noise: float | Fraction,
    weights: str | None,
    missing: str,
    seed: int,
    utility: bool,
    exact: bool,
    as_json: bool,
    figure: Path | None,
) -> None:
    """Measure what the reports of several epochs give away.

    An epoch is the time, a week by default, after which the browser has a new set of topics and reports anew.
    PROFILES is a file with the set of topics of each user; with a column epoch, the sets of each epoch are
    taken, without one sets stay the same. Few epochs are counted exactly, more are estimated with an
    interval of 95 %. The figure shows leakage against epochs and how the risk is spread over users. For
    stable sets there is also what one call of the API gives away, and how well two sites link a user.

    On a terminal it first says how it will find the figures, and what time and memory that takes about. What
    would take very long, or more than 1 GiB, is not begun without --exact.

    Example: quiff epochs profiles.parquet --epochs 4
    """
    from quiff.epochs.plan import plan_epochs
    from quiff.epochs.sequences import Sequences
    from quiff.populations.population import Population
    from quiff.results.numbers import to_json
    from quiff.studies.epochs import leakage_over_epochs
    from quiff.theory.parameters import check_whole

    seed = check_whole("seed", seed, 0)
    population = Population.read(profiles, top=top, weights=weights, missing=missing, seed=seed)
    api = api_for(population, taxonomy, noise, profiles, top)
    if on_terminal():
        plan = plan_epochs(Sequences.of(population, api), epochs, exact=exact, utility=utility)
        echo("\n".join(plan.explained()), err=True)
    with step_bars() as progress:
        found = leakage_over_epochs(
            population, api, epochs, seed=seed, exact=exact, utility=utility, progress=progress
        )
    if figure is not None:
        found.figure().write(figure, **guarded(figure))
    if as_json:
        echo(to_json(found.to_dict()))
    else:
        blocks = [*(table.to_text() for table in found.tables()), "\n".join(found.sentences())]
        echo("\n\n".join(blocks))
