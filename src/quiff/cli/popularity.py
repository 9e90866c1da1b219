"""``quiff popularity``: what one observation of each user tells about how popular values are."""

from typing import TYPE_CHECKING

import click

from quiff.cli.options import option, seed_option
from quiff.cli.outputs import Writing
from quiff.cli.people import Asked, asks_for_people
from quiff.cli.progress import shown_progress
from quiff.cli.shown import shows_result

if TYPE_CHECKING:
    from quiff.results.result import Result


@click.command("popularity", cls=Writing)
@asks_for_people(takes=1.5)
@option("--of", "ATTRIBUTE", "Whose values are counted.  [default: what the API shows]")
@option("--first", "K", "Values to find in order.", int, 10)
@option("--simulations", "N", "How often outputs are drawn.", int, 1000)
@seed_option
@shows_result
def command(asked: Asked, of: str | None, first: int, simulations: int, seed: int) -> "Result":
    """Estimate how popular topics are, from one observation each.

    It also gives the probability of finding the most popular ones. PEOPLE is a file with the set of topics
    of each user, or other attributes. Every user shows one output, and the outputs are all that an analyst
    sees; the API must be one whose outputs name what users have. The figure shows the first values with their
    estimates, and the probabilities against the number of users.

    Example: quiff popularity profiles.parquet --noise 0.05 --first 10
    """
    from quiff.studies.popularity import popularity
    from quiff.theory.parameters import check_whole

    check_whole("first", first, 1)
    with shown_progress() as shown:
        with shown.steps.step("read people"):
            people = asked.people()
            api = asked.api(people)
        with shown.steps.step("simulate outputs"):
            return popularity(people, api, attribute=of, seed=seed, simulations=simulations, top=first)
