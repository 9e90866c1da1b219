"""People to study: synthetic ones, or those of the command line."""

from collections.abc import Iterable
from dataclasses import dataclass
from inspect import Parameter, signature
from math import prod
from typing import Any, final

from quiff.apis.base import Api
from quiff.apis.registry import apis, default_apis
from quiff.apis.taxonomy import SIZE, shared_topics
from quiff.core.kernels.one_hot import OneHotKernel
from quiff.core.labels import as_labels
from quiff.core.limits import PROCESS, check_need
from quiff.errors import ParameterError, QuiffError
from quiff.people.population import Population
from quiff.report.studies import Question
from quiff.theory.taxonomies import TAXONOMY_SIZES
from quiff.web.queries import Query

_ATTACKED = 20_000  # users; beyond them the attacks take minutes
_FEW = 100  # users to see on what an API takes
_PER_NUMBER = 40  # bytes for each number of a law, measured
_MOST_SIZES = 40_000  # what synthetic people may be told of their sizes, multiplied


@final
@dataclass(frozen=True)
class Profiles:
    """The people of the command line, and a name to show."""

    name: str
    population: Population


def question(query: Query, profiles: Profiles | None) -> Question:
    """Return what a request asks: its people, and its APIs beside cookies."""
    if not query.from_file:
        people = synthetic_people(query.n, query.seed, query.apis)
    elif profiles is None:
        raise ParameterError(
            "source is 'file', but quiff explore was started without one; give it a file of people",
            what="source",
            value="file",
        )
    else:
        people = profiles.population
    if query.attacks and people.n_users > _ATTACKED:
        raise ParameterError(
            f"attacks are run here for up to {_ATTACKED} users, not {people.n_users};"
            " see quiff attack compare",
            what="people",
            value=people.n_users,
            allowed=f"at most {_ATTACKED} users",
        )
    beside = default_apis(people, query.apis[0])  # without an API of their own, of which nothing is asked
    cookies = () if people.merged else beside[:1]  # merged people cannot be told apart
    apis = {api.spec: api for api in (*cookies, *query.apis)}
    return Question(
        people,
        tuple(apis.values()),
        query.observations,
        query.attacks,
        query.seed,
        stability=query.stability,
    )


def check_size(query: Query) -> None:
    """Raise a SizeError if an API of a request would take more memory than the page may, before it is begun.

    How much it takes is seen on a few synthetic people: noise on every cell of a histogram takes the whole
    law of the noise for each of them.
    """
    for api in query.apis:
        if type(api) not in apis().values():  # an own one, which the study itself sees to
            continue
        try:
            kernel = api.channel(synthetic_people(_FEW, query.seed, [api])).kernel
        except QuiffError:  # told when they are measured
            continue
        if isinstance(kernel, OneHotKernel):
            needed = _PER_NUMBER * kernel.n_cells * kernel.base.shape[0]
            check_need(f"{api.spec!r}: on this page it takes about", PROCESS + needed)


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
    topics = shared_topics(chosen)
    if topics:
        sized[SIZE] = len(topics)
    if prod(sized.values()) > _MOST_SIZES:
        told = ", ".join(f"{name} {size}" for name, size in sized.items())
        raise ParameterError(f"synthetic people with {told} are too large for this page; take smaller ones")
    needed = {name for api in chosen for name in api.needs}
    attributes = [name for name in ("history", "conversions") if name in needed]
    people = Population.synthetic(users, seed, **sized, attributes=attributes)
    return people.replaced(topics=as_labels(topics, "topic")) if topics else people
