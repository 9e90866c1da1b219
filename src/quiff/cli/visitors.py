"""Whose reports are simulated: profiles, visit rates, and interests that drift."""

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from quiff.cli.options import read_number

if TYPE_CHECKING:
    from quiff.apis.base import Api
    from quiff.browser.rates import VisitRates
    from quiff.cli.people import Asked
    from quiff.populations.population import Population

_Command = TypeVar("_Command", bound=Callable[..., Any])


def visitor_options(command: _Command) -> _Command:
    """Add the options that make users of visit rates, and let interests drift."""
    for option in (
        click.option(
            "--how",
            type=click.Choice(["draw", "cross"]),
            default="draw",
            show_default=True,
            help="Draw them, or cross over pairs of them.",
        ),
        click.option("--users", type=int, metavar="N", help="Make N users of those with rates."),
        click.option(
            "--rates",
            metavar="FILE",
            help="Visit rates instead of PROFILES; visit-rates is the public data set.",
        ),
        click.option(
            "--drift",
            callback=read_number,
            metavar="P",
            help="Probability per epoch that a topic is replaced.",
        ),
    ):
        command = option(command)
    return command


def visitors(
    asked: "Asked | None",
    needed: int,
    *,
    rates: str | None,
    users: int | None,
    how: str,
    drift: float | Fraction | None,
    top: int | None = None,
    seed: int | None = None,
) -> "Population":
    """Return the users, of profiles or of visit rates, with `needed` epochs of sets where these change."""
    from quiff.browser.drifting import drift as drifting
    from quiff.browser.rates import profiles_from_rates
    from quiff.populations.population import Population

    visits = read_rates(rates, users, how, seed)
    if (visits is None) == (asked is None):
        raise click.UsageError("Give one of PROFILES and --rates.")
    if visits is not None:
        population = profiles_from_rates(visits, needed, 5 if top is None else top, seed)
    elif asked is not None:
        if users is not None:
            raise click.UsageError("--users does not go with PROFILES.")
        population = Population.read(asked.file, top=top, attributes=asked.columns, merged=False)
        population = asked.with_histories(population)
    return population if drift is None else drifting(population, needed, drift, seed)


def asked_of(file: Path | None, **options: Any) -> "Asked | None":
    """Return what a command asks about a file, by its options; None if there is no file."""
    from quiff.cli.people import Asked

    return None if file is None else Asked(file, **options)


def visitors_api(
    people: "Population", asked: "Asked | None", taxonomy: str | None, noise: float | Fraction | None
) -> "Api":
    """Return the one API of a command: that of ``--api``, or what the short forms stand for."""
    from quiff.cli.short_forms import default_topics_api

    if asked is not None:
        return asked.api(people)
    return default_topics_api(people, taxonomy, 0.05 if noise is None else noise)


def read_rates(rates: str | None, users: int | None, how: str, seed: int | None) -> "VisitRates | None":
    """Return visit rates, of as many users as are asked for; None if none are named."""
    from quiff.browser.rates import enlarge, visit_rates

    if rates is None:
        return None
    found = visit_rates(None if rates == "visit-rates" else rates)
    return found if users is None else enlarge(found, users, how, seed)  # type: ignore[arg-type]  # a choice
