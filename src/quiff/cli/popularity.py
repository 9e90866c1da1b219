"""``quiff popularity``: what one observation of each user tells about how popular values are."""

from typing import TYPE_CHECKING

import click

from quiff.cli.options import seed_option
from quiff.cli.outputs import Writing
from quiff.cli.people import Asked, asks_for_people
from quiff.cli.pipeline import recorded
from quiff.cli.shown import shows_result

if TYPE_CHECKING:
    from quiff.results.result import Result


@click.command("popularity", cls=Writing)
@asks_for_people()
@click.option(
    "--of", "of", metavar="ATTRIBUTE", help="Whose values are counted.  [default: what the API shows]"
)
@click.option(
    "--first", type=int, default=10, show_default=True, metavar="K", help="Values to find in order."
)
@click.option(
    "--simulations",
    type=int,
    default=1000,
    show_default=True,
    metavar="N",
    help="How often outputs are drawn.",
)
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
    with recorded() as steps:
        with steps.step("read people"):
            people = asked.people()
            api = asked.api(people)
        with steps.step("simulate outputs"):
            return popularity(people, api, attribute=of, seed=seed, simulations=simulations, top=first)
