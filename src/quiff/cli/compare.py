"""``quiff compare``: all APIs side by side, unit by unit."""

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from quiff.cli.options import seed_option, several
from quiff.cli.outputs import Writing
from quiff.cli.people import Asked, asks_for_people
from quiff.cli.progress import shown_progress
from quiff.cli.short_forms import parts_of
from quiff.cli.shown import shows_result
from quiff.errors import ParameterError

if TYPE_CHECKING:
    from quiff.populations.population import Population
    from quiff.results.result import Result


@click.command("compare", cls=Writing)
@asks_for_people(optional=True, takes=3.5)
@several(
    "--goal goals",
    "ATTRIBUTE",
    "What a receiver wants to learn of the user. May be repeated.  [default: every attribute but history"
    " and conversions]",
)
@seed_option
@shows_result
def command(asked: Asked, goals: tuple[str, ...], seed: int) -> "Result":
    """Compare APIs, unit by unit.

    All APIs are compared, or those that --api names: what an observation can reveal at most, from their
    parameters alone. With PEOPLE also the probability of re-identification by one observation and by those of
    a month, or what one event reveals where the observer knows who it is, and what each is good for. An API
    that needs what the people do not have is listed with the reason. Numbers are grouped by what they are
    about, a click or a user's week, and never ranked across that. The figure shows the capacities.

    Example: quiff compare profiles.parquet --api topics --api floc --histories experimental
    """
    from quiff.studies.compare import compare

    if asked.file is None:
        return compare(*asked.named)
    with shown_progress() as shown:
        with shown.steps.step("read people"):
            people = _people(asked)
            named = asked.apis(people) if asked.specs else ()
        with shown.steps.step("compare"):
            return compare(*named, people=people, goals=goals or None, seed=seed)


def _people(asked: Asked) -> "Population":
    """Read the people with the columns that APIs need, as far as these are there."""
    from quiff.apis.defaults import all_apis

    apis = asked.named or all_apis()
    needed = dict.fromkeys(name for api in apis for part in parts_of(api) for name in part.needs)
    own = [name for name in needed if name not in ("topics", "history", *asked.attributes)]
    plain = replace(asked, specs=())
    try:
        return replace(plain, attributes=(*asked.attributes, *own)).people()
    except ParameterError:  # a column is not there, perhaps; else it is told again
        people = plain.people()
    for name in own:
        with suppress(ParameterError):
            column = replace(plain, attributes=(name,)).people().attribute(name)
            people = people.with_attribute(name, column)
    return people
