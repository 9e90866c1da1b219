"""``quiff epochs``: what several observations of one person reveal."""

from typing import TYPE_CHECKING

import click

from quiff.cli.options import flag, known_option, option, seed_option
from quiff.cli.outputs import Writing
from quiff.cli.people import Asked, asks_for_people
from quiff.cli.progress import shown_progress
from quiff.cli.shown import shows_result

if TYPE_CHECKING:
    from quiff.results.result import Result


@click.command("epochs", cls=Writing)
@asks_for_people(over_time=True, reduced=True)
@option("--epochs", "E", "Measure 1 to E epochs, an observation each.  [default: 3]", int)
@option("--observations", "N", "The same for APIs whose observations are single events.", int)
@known_option
@seed_option
@flag("--utility", "Also the utility: what a receiver learns, by up to 3 observations.")
@flag("--exact", "Compute exactly as far as that goes, whatever it takes.")
@shows_result
def command(
    asked: Asked,
    epochs: int | None,
    observations: int | None,
    known: tuple[str, ...],
    seed: int,
    utility: bool,
    exact: bool,
) -> "Result":
    """Measure what several observations of one person reveal.

    An epoch is the time after which an API shows anew, a week for the Topics API. PEOPLE is a file with the
    set of topics of each user, or other attributes; with a column epoch, the values of each epoch are taken,
    without one they stay the same. Few observations are computed exactly, more are estimated with an interval
    of 95 %. The figure shows leakage against observations and how the risk is spread over users.

    What would take very long, or more than 1 GiB, is estimated or not begun without --exact; the result says
    how its figures were found.

    Example: quiff epochs profiles.parquet --epochs 4
    """
    from quiff.populations.pairs import TooManySetsError
    from quiff.studies.over_time import over_time
    from quiff.theory.parameters import check_whole

    if epochs is not None and observations is not None:
        raise click.UsageError("--epochs and --observations say the same; give one of the two.")
    name, given = ("observations", observations) if epochs is None else ("epochs", epochs)
    most = check_whole(name, 3 if given is None else given, 1)
    try:
        people = asked.people(over_time=True, seed=seed)
    except TooManySetsError as error:
        return asked.from_pairs(error, {"--known": known, "--utility": utility}, observations=most)
    api = asked.api(people)
    with shown_progress():
        return over_time(people, api, most, exact=exact, utility=utility, known=known, seed=seed)
