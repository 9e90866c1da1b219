"""``quiff epochs``: what several observations of one person reveal."""

from pathlib import Path

import click

from quiff.cli.bars import step_bars
from quiff.cli.options import figure_option, json_option, known_option, seed_option
from quiff.cli.outputs import Writing, guarded
from quiff.cli.people import Asked, asks_for_people
from quiff.cli.terminal import echo, on_terminal
from quiff.errors import ParameterError


@click.command("epochs", cls=Writing)
@asks_for_people(over_time=True)
@click.option(
    "--epochs", type=int, metavar="E", help="Measure 1 to E epochs, an observation each.  [default: 3]"
)
@click.option(
    "--observations", type=int, metavar="N", help="The same for APIs whose observations are single events."
)
@known_option
@seed_option
@click.option("--utility", is_flag=True, help="Also what a receiver learns, by up to 3 observations.")
@click.option("--exact", is_flag=True, help="Compute exactly as far as that goes, whatever it takes.")
@json_option
@figure_option
def command(
    asked: Asked,
    epochs: int | None,
    observations: int | None,
    known: tuple[str, ...],
    seed: int,
    utility: bool,
    exact: bool,
    as_json: bool,
    figure: Path | None,
) -> None:
    """Measure what several observations of one person reveal.

    An epoch is the time after which an API shows anew, a week for the Topics API. PEOPLE is a file with the
    set of topics of each user, or other attributes; with a column epoch, the values of each epoch are taken,
    without one they stay the same. Few observations are computed exactly, more are estimated with an interval
    of 95 %. The figure shows leakage against observations and how the risk is spread over users.

    On a terminal it first says how it will find the figures, and what time and memory that takes about. What
    would take very long, or more than 1 GiB, is not begun without --exact.

    Example: quiff epochs profiles.parquet --epochs 4
    """
    from quiff.studies.over_time import over_time, planned
    from quiff.theory.parameters import check_whole

    if epochs is not None and observations is not None:
        raise ParameterError("--epochs and --observations say the same; give one of the two")
    seed = check_whole("seed", seed, 0)
    name, given = ("observations", observations) if epochs is None else ("epochs", epochs)
    most = check_whole(name, 3 if given is None else given, 1)
    people = asked.people(over_time=True, seed=seed)
    api = asked.api(people)
    if on_terminal() and not known:
        echo("\n".join(planned(people, api, most, exact=exact, utility=utility)), err=True)
    with step_bars() as progress:
        found = over_time(
            people, api, most, exact=exact, utility=utility, known=known, seed=seed, progress=progress
        )
    if figure is not None:
        found.figure().write(figure, **guarded(figure))
    echo(found.to_json() if as_json else str(found))
