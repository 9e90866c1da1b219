"""People to study: synthetic ones, or those of the command line."""

from collections.abc import Iterable
from dataclasses import dataclass
from inspect import Parameter, signature
from math import prod
from typing import Any, final

from quiff.apis.base import Api
from quiff.apis.defaults import default_apis
from quiff.errors import ParameterError
from quiff.populations.population import Population
from quiff.report.studies import Progress, Question
from quiff.theory.taxonomies import TAXONOMY_SIZES
from quiff.web.queries import Query

_ATTACKED = 20_000  # users; beyond them the attacks take minutes
_MOST_SIZES = 40_000  # what synthetic people may be told of their sizes, multiplied


@final
@dataclass(frozen=True)
class Profiles:
    """The people of the command line, and a name to show."""

    name: str
    population: Population


def question(query: Query, profiles: Profiles | None, progress: Progress) -> Question:
    """Return what a request asks: its people, and its APIs beside cookies."""
    if not query.from_file:
        people = synthetic_people(query.n, query.seed, query.apis)
    elif profiles is None:
        raise ParameterError(
            "source is 'file', but quiff explore was started without one; give it a file of people"
        )
    else:
        people = profiles.population
    if query.attacks and people.n_users > _ATTACKED:
        raise ParameterError(
            f"attacks are run here for up to {_ATTACKED} users, not {people.n_users};"
            " see quiff attack compare"
        )
    cookies = () if people.merged else default_apis(people)[:1]  # merged people cannot be told apart
    apis = {api.spec: api for api in (*cookies, *query.apis)}
    return Question(
        people, tuple(apis.values()), query.observations, query.attacks, query.seed, progress=progress
    )


def synthetic_people(users: int, seed: int, apis: Iterable[Api]) -> Population:
    """Return synthetic people with what APIs need, of the sizes that their parameters of the same names say.

    Examples
    --------
    >>> from quiff import api_from
    >>> synthetic_people(100, 0, [api_from("topics")])
    <Population of 100 users: sets of 5 out of 349 topics>
    """
    sized = {
        name: each.default
        for name, each in signature(Population.synthetic).parameters.items()
        if each.kind == Parameter.KEYWORD_ONLY and isinstance(each.default, int)
    }
    chosen = tuple(apis)
    for api in chosen:
        for name, value in api.parameters().items():
            size: Any = TAXONOMY_SIZES.get(value, value) if isinstance(value, str) else value
            if name in sized and isinstance(size, int):
                sized[name] = size
    if prod(sized.values()) > _MOST_SIZES:
        told = ", ".join(f"{name} {size}" for name, size in sized.items())
        raise ParameterError(f"synthetic people with {told} are too large for this page; take smaller ones")
    needed = {name for api in chosen for name in api.needs}
    attributes = [name for name in ("history", "conversions") if name in needed]
    return Population.synthetic(users, seed, **sized, attributes=attributes)
