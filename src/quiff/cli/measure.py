"""``quiff measure``, ``epochs`` and ``compare``: studies joined, and people that do not fit into memory."""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Literal

import click

from quiff.apis.base import Api
from quiff.apis.registry import all_apis
from quiff.cli.people import (
    ManyPeople,
    ManyPeopleOverTime,
    People,
    PeopleOverTime,
    Spec,
    Specs,
    parts_of,
    set_size,
)
from quiff.commands import command
from quiff.errors import ParameterError
from quiff.papers.as_published import misaligned_prior
from quiff.people.pairs import TooManySetsError
from quiff.people.population import Population
from quiff.results.result import Result
from quiff.studies.attributes import attribute_inference
from quiff.studies.compare import compare
from quiff.studies.exposure import exposure as exposed
from quiff.studies.measure import measure
from quiff.studies.over_time import other_occasions, over_time
from quiff.studies.risk import user_risk
from quiff.studies.stability import stability as estimate_stability
from quiff.theory.parameters import HALF, Real, check_whole


@command("measure", group="people")
def measure_people(
    people: ManyPeople,
    api: Specs = (),
    *,
    yardstick: bool = True,
    known: Iterable[str] = (),
    goals: Iterable[str] = (),
    prior: Literal["correct", "as-published"] = "correct",
    threshold: Real = HALF,
    exposure: bool = False,
    about: Iterable[str] = (),
) -> Result:
    """Measure what one observation reveals and what it is good for.

    If the file says which topics were visited, figures are given with the topics that were filled in at
    random and without them. Without --histories, cookies are taken to tell all users apart. The figure shows
    what each stage leaks.

    Parameters
    ----------
    api
        [default: topics, if PEOPLE have any]
    yardstick
        Do not measure third-party cookies beside the APIs.
    known
        What the adversary already knows of the user, such as country.
    goals
        An attribute that a receiver wants to learn of the user.  [default: every attribute]
    prior
        as-published adds the misaligned prior on sets of the published notebooks.
    threshold
        Say how many users are re-identified with a probability above X.  [default: 1/2]
    exposure
        Also list the outputs and values that expose most.
    about
        ATTRIBUTE=VALUE, as in topics=News: also say how much an observation says about having it.

    Examples
    --------
    $ quiff measure profiles.parquet --api topics:noise=1/10
    """
    if known and (exposure or about):
        raise click.UsageError("--exposure and --about do not go with --known.")
    try:
        population = people.population()
    except TooManySetsError as error:
        beyond = {"--known": known, "--exposure": exposure, "--about": about}
        beyond |= {"--prior": prior == "as-published"}
        return people.from_pairs(error, beyond, threshold=threshold)
    apis = people.measured(population, yardstick)
    groups = _by_size(population, apis)
    priors = {"as-published": misaligned_prior(population)} if prior == "as-published" else None
    results = [
        measure(
            population if size is None else people.population(size),
            *chosen,
            goals=tuple(goals) or None,
            known=tuple(known),
            priors=priors,
        )
        for size, chosen in groups.items()
        if chosen
    ]
    joined = results[0]
    for result in results[1:]:
        joined = joined.joined(f"sets of {(result.population or {})['set_size']}", result)
    for name, part in _further(population, groups[None], tuple(known), threshold, exposure, about):
        joined = joined.joined(name, part)
    return joined


def _by_size(people: Population, apis: tuple[Api, ...]) -> dict[int | None, list[Api]]:
    """Group APIs by the size of topic sets that they ask for; None is the people's own."""
    own = people.sets.shape[2] if "topics" in people.attributes else None
    groups: dict[int | None, list[Api]] = {None: []}
    for api in apis:
        size = set_size(api)
        groups.setdefault(None if size in (None, own) else size, []).append(api)
    return groups


def _further(
    people: Population,
    apis: list[Api],
    known: tuple[str, ...],
    threshold: Real,
    exposure: bool,
    about: Iterable[str],
) -> Iterator[tuple[str, Result]]:
    """Yield what the average hides: each user's risk, and what was asked for about outputs and values."""
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


@command("epochs", group="people")
def people_over_time(
    people: ManyPeopleOverTime,
    api: Spec = (),
    *,
    observations: int = 3,
    known: Iterable[str] = (),
    stability: float | None = None,
    reference: int = 4,
    seed: int = 0,
    utility: bool = False,
    exact: bool = False,
) -> Result:
    """Measure what several observations of one person reveal.

    PEOPLE with a column epoch have the values of each epoch; without one they stay the same. Few observations
    are computed exactly, more are estimated with an interval of 95 %; the result says how. The figure shows
    leakage against observations and how the risk is spread over users.

    Parameters
    ----------
    api
        [default: topics, if PEOPLE have any, else cookies]
    observations
        Measure 1 to N observations; the Topics API brings one more each week.
    known
        What the adversary already knows of the user, such as country.
    seed
        The random seed: the same seed, the same draws.
    stability
        Also for interests that change: kept with this probability from one observation to the next, else
        drawn anew (see quiff stability).
    reference
        How many weeks before the first observation the observer of these knew everybody's interests.
    utility
        Also the utility: what a receiver learns, by up to 3 observations.
    exact
        Compute exactly as far as that goes, whatever it takes.

    Examples
    --------
    $ quiff epochs profiles.parquet --observations 4
    """
    most, known = check_whole("observations", observations, 1), tuple(known)
    try:
        population = people.population(over_time=True, seed=seed)
    except TooManySetsError as error:
        beyond = {"--known": known, "--utility": utility, "--stability": stability is not None}
        return people.from_pairs(error, beyond, observations=most)
    chosen = people.apis(population)[-1]
    return over_time(
        population,
        chosen,
        most,
        exact=exact,
        utility=utility,
        known=known,
        stability=stability,
        reference=reference,
        seed=seed,
    )


@command("stability", group="people")
def stability_of_people(people: PeopleOverTime, *, of: str | None = None) -> Result:
    """Estimate how stable people's interests are.

    PEOPLE have several weeks, in a column epoch. With what probability a topic, or a value, is kept from one
    week to the next beyond what recurs at random, with an interval of 95 %. Topics that were filled in change
    at random: users without any stand apart. quiff epochs --stability says what follows from it.

    Parameters
    ----------
    of
        The attribute whose stability is estimated.  [default: topics, if PEOPLE have any]

    Examples
    --------
    $ quiff stability weekly.csv
    """
    return estimate_stability(people.population(over_time=True), of)


@command("compare", group="parameters", memory=3.5)
def compare_apis(
    people: People | None = None, api: Specs = (), *, goals: Iterable[str] = (), seed: int = 0
) -> Result:
    """Compare APIs, unit by unit.

    What an observation can reveal at most, from the parameters of the APIs alone. With PEOPLE also the
    probability of re-identification by one observation and by those of a month, or what one event reveals
    where the observer knows who it is, and what each is good for. An API that needs what the people do not
    have is listed with the reason. Numbers are grouped by what they are about, a click or a user's week, and
    never ranked across that. The figure shows the capacities.

    Parameters
    ----------
    api
        [default: all]
    goals
        What a receiver wants to learn of the user.  [default: every attribute but history and conversions]
    seed
        The random seed: the same seed, the same draws.

    Examples
    --------
    $ quiff compare profiles.parquet --api topics --api floc --histories experimental
    """
    if people is None or people.people is None:
        return compare(*(people.named if people is not None else ()))
    population = _with_columns(people)
    apis = people.apis(population) if people.named else ()
    return compare(*apis, people=population, goals=tuple(goals) or None, seed=seed)


def _with_columns(asked: People) -> Population:
    """Read the people with the columns that APIs need, as far as these are there."""
    needed = dict.fromkeys(
        name for api in asked.named or all_apis() for part in parts_of(api) for name in part.needs
    )
    own = [name for name in needed if name not in ("topics", "history", *asked.attribute)]
    plain = replace(asked, typed={**asked.typed, "api": ()})
    size = asked.size
    try:
        return replace(plain, attribute=(*asked.attribute, *own)).population(size)
    except ParameterError:  # a column is not there, perhaps; else it is told again
        people = plain.population(size)
    for name in own:
        with suppress(ParameterError):
            column = replace(plain, attribute=(name,)).population(size).attribute(name)
            people = people.with_attribute(name, column)
    return people
