"""``quiff measure``: what one observation of some APIs reveals about people, and what it is good for."""

from typing import TYPE_CHECKING

import click

from quiff.cli.outputs import Writing
from quiff.cli.people import Asked, asks_for_people
from quiff.cli.pipeline import recorded
from quiff.cli.shown import shows_result

if TYPE_CHECKING:
    from quiff.results.result import Result


@click.command("measure", cls=Writing)
@asks_for_people()
@click.option(
    "--known",
    multiple=True,
    metavar="ATTRIBUTE",
    help="What the adversary already knows of the user, such as country (see --attribute). May be repeated.",
)
@click.option(
    "--goal",
    "goals",
    multiple=True,
    metavar="ATTRIBUTE",
    help="What a receiver wants to learn of the user. May be repeated.  [default: every attribute]",
)
@click.option(
    "--prior",
    type=click.Choice(["correct", "as-published"]),
    default="correct",
    show_default=True,
    help="as-published adds the misaligned prior on sets of the published notebooks.",
)
@shows_result
def command(asked: Asked, known: tuple[str, ...], goals: tuple[str, ...], prior: str) -> "Result":
    """Measure what one observation reveals, and what it is good for.

    PEOPLE is a file with the attributes of each user, such as the set of topics that quiff profile writes.
    Third-party cookies and the Topics API are measured, or what --api names. If the file says which topics
    were visited, figures are given with the topics that were filled in at random and without them. Without
    --histories, cookies are taken to tell all users apart. The figure shows what each stage leaks.

    Example: quiff measure profiles.parquet --api cookies --api topics:noise=1/10
    """
    from quiff.studies.as_published import misaligned_prior
    from quiff.studies.measure import measure

    with recorded() as steps:
        with steps.step("read people"):
            people = asked.people()
            apis = asked.apis(people)
        with steps.step("measure"):
            priors = {"as-published": misaligned_prior(people)} if prior == "as-published" else None
            results = [
                measure(
                    people if size is None else asked.people(size),
                    *chosen,
                    goals=goals or None,
                    known=known,
                    priors=priors,
                )
                for size, chosen in asked.fitting(people, apis).items()
                if chosen
            ]
    first, *others = results
    for other in others:
        first = first.joined(f"sets of {other.facts['population']['set_size']}", other)
    return first
