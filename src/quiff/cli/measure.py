"""``quiff measure``: what one observation of some APIs reveals about people, and what it is good for."""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

import click

from quiff.cli.options import flag, known_option, number, one_of, several
from quiff.cli.outputs import Writing
from quiff.cli.people import Asked, asks_for_people
from quiff.cli.progress import shown_progress
from quiff.cli.shown import shows_result

if TYPE_CHECKING:
    from quiff.apis.base import Api
    from quiff.populations.population import Population
    from quiff.results.result import Result


@click.command("measure", cls=Writing)
@asks_for_people(reduced=True)
@known_option
@several(
    "--goal goals",
    "ATTRIBUTE",
    "What a receiver wants to learn of the user. May be repeated.  [default: every attribute]",
)
@one_of(
    "--prior",
    "as-published adds the misaligned prior on sets of the published notebooks.",
    "correct", "as-published",
    default="correct",
)  # fmt: skip
@number("--threshold", "P", "Say how many users are re-identified with a probability above P.", "1/2")
@flag("--exposure", "Also list the outputs and values that expose most.")
@several(
    "--about",
    "ATTRIBUTE=VALUE",
    "Also say how much an observation says about having a value, as in topics=News. May be repeated.",
)
@shows_result
def command(
    asked: Asked,
    known: tuple[str, ...],
    goals: tuple[str, ...],
    prior: str,
    threshold: float | Fraction,
    exposure: bool,
    about: tuple[str, ...],
) -> "Result":
    """Measure what one observation reveals and what it is good for.

    PEOPLE is a file with the attributes of each user, such as the set of topics that quiff profile writes.
    Third-party cookies and the Topics API are measured, or what --api names. If the file says which topics
    were visited, figures are given with the topics that were filled in at random and without them. Without
    --histories, cookies are taken to tell all users apart. The figure shows what each stage leaks.

    Example: quiff measure profiles.parquet --api cookies --api topics:noise=1/10
    """
    from quiff.papers.as_published import misaligned_prior
    from quiff.populations.pairs import TooManySetsError
    from quiff.studies.measure import measure

    if known and (exposure or about):
        raise click.UsageError("--exposure and --about do not go with --known.")
    with shown_progress() as shown:
        with shown.steps.step("read people"):
            try:
                people = asked.people()
            except TooManySetsError as error:
                beyond = {"--known": known, "--exposure": exposure, "--about": about}
                beyond |= {"--prior": prior == "as-published"}
                return asked.from_pairs(error, beyond, threshold=threshold)
            fitting = asked.fitting(people, asked.apis(people))
        with shown.steps.step("measure"):
            priors = {"as-published": misaligned_prior(people)} if prior == "as-published" else None
            first, *others = (
                measure(
                    people if size is None else asked.people(size),
                    *chosen,
                    goals=goals or None,
                    known=known,
                    priors=priors,
                )
                for size, chosen in fitting.items()
                if chosen
            )
            for other in others:
                first = first.joined(f"sets of {(other.population or {})['set_size']}", other)
        with shown.steps.step("each user's risk"):
            for name, part in _further(people, fitting[None], known, threshold, exposure, about):
                first = first.joined(name, part)
    return first


def _further(
    people: "Population",
    apis: "list[Api]",
    known: tuple[str, ...],
    threshold: float | Fraction,
    exposure: bool,
    about: tuple[str, ...],
) -> "Iterator[tuple[str, Result]]":
    """Yield what the average hides: each user's risk, and what was asked for about outputs and values."""
    from quiff.studies.attributes import attribute_inference
    from quiff.studies.exposure import exposure as exposed
    from quiff.studies.over_time import other_occasions
    from quiff.studies.risk import user_risk

    if people.weights is None and not known:
        yield "", other_occasions(people, *apis)
    if any(not api.observer_knows_who for api in apis):
        yield "risk", replace(user_risk(people, *apis, known=known, threshold=threshold), aside=True)
    if exposure:
        for api in apis:
            yield f"exposure {api.spec}", exposed(people, api)
    for text in about:
        name, equals, written = text.partition("=")
        if not equals:
            raise click.BadParameter(
                f"{text!r} is no ATTRIBUTE=VALUE, as in country=BR.", param_hint="--about"
            )
        values = people.topics if name == "topics" else people.attribute(name).values
        value = next((label for label in values if str(label) == written), written)
        yield f"about {text}", attribute_inference(people, *apis, attribute=name, value=value)
