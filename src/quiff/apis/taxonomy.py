"""The taxonomy behind a channel that reports topics: its size, and its topics with a name and without."""

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from math import isinf
from typing import final

import numpy as np

from quiff.apis.base import Api, parameters_of
from quiff.core.labels import Labels, SetLabels, as_labels
from quiff.core.numbers import Array
from quiff.errors import LabelError, ParameterError, SizeError, counted
from quiff.people.population import Population
from quiff.safe_text import topic_shape
from quiff.theory.taxonomies import TAXONOMY_NUMBERS, TAXONOMY_SIZES, taxonomy_size

OCCURRING = "occurring"
"""The name for the taxonomy of just the topics that occur in a population."""

SIZE = "n_topics"
"""The name of the parameter that says how many topics there are."""

_MOST_TOPICS = 10**9


@final
@dataclass(frozen=True, order=True, repr=False)
class Unnamed:
    """A topic of which only the place in the taxonomy is known; messages and tables call it so."""

    place: int

    def __repr__(self) -> str:
        return f"unnamed {self.place}"


@final
class TaxonomyLabels(Labels):
    """Some topics by name, and as many unnamed ones as bring their number to `size`.

    >>> TaxonomyLabels(as_labels(["Music", "News"]), 4)
    Labels('Music', 'News', unnamed 2, unnamed 3; 4)
    """

    def __init__(self, known: Labels, size: int) -> None:
        if size > _MOST_TOPICS:
            raise SizeError(
                f"n_topics is {size}; people are measured for at most {_MOST_TOPICS} topics",
                what="n_topics",
                value=size,
            )
        self.known = known
        self.size = size

    def _label(self, position: int) -> Hashable:
        return self.known[position] if position < self.known.size else Unnamed(position)

    def _find(self, label: Hashable) -> int | None:
        if isinstance(label, Unnamed) and self.known.size <= label.place < self.size:
            return label.place
        return self.known._find_any(label)


def place_in_taxonomy(codes: Array, topics: Labels, n_topics: int) -> tuple[Array, Labels]:
    """Return sets of topics as codes into a taxonomy of m topics, and the m topics.

    The taxonomy is made of the given topics and of unnamed ones. If there are more topics than m, only
    those that occur keep their names.

    Parameters
    ----------
    codes
        An array of positions in `topics`.
    topics
        The topics that may be named.
    n_topics
        The size m of the taxonomy.

    Examples
    --------
    >>> codes, taxonomy = place_in_taxonomy(np.array([[0, 2]]), as_labels(["Art", "Music", "News"]), 2)
    >>> codes.tolist(), list(taxonomy)
    ([[0, 1]], ['Art', 'News'])

    Raises
    ------
    ParameterError
        If more than m topics occur.
    """
    if n_topics == topics.size:
        return codes, topics
    if n_topics > topics.size:
        return codes, TaxonomyLabels(topics, n_topics)
    occurring = np.flatnonzero(np.bincount(codes.reshape(-1), minlength=topics.size))
    if occurring.shape[0] > n_topics:
        raise ParameterError(
            what="n_topics",
            value=n_topics,
            allowed=f"at least {occurring.shape[0]}, since as many topics occur in the sets",
        )
    place = np.zeros(topics.size, dtype=np.intp)
    place[occurring] = np.arange(occurring.shape[0])
    named = as_labels([topics[int(code)] for code in occurring], "topic")
    return place[codes], TaxonomyLabels(named, n_topics)


def topics_for(
    population: Population, taxonomy: str | None = None, *, at: Callable[[Hashable], str] | None = None
) -> int:
    """Return the number m of topics for a population, after a look whether its topics are in the taxonomy.

    Parameters
    ----------
    population
        The users and their sets.
    taxonomy
        A whole number, which refuses no topic; a name such as ``v1``, which refuses topics that the
        taxonomy has not, where it numbers them, and otherwise only too many; or ``occurring``. None is
        ``v1`` for topics that are numbers, and just its size for topics that are words.
    at
        Says in which set a topic stands, for a message, such as by the line of a file. None counts the users.

    Examples
    --------
    >>> people = Population.from_sets({"Alice": {1, 400}, "Bob": {400, 629}})
    >>> topics_for(people, "v2"), topics_for(people, "31"), topics_for(people, "occurring")
    (469, 31, 3)
    >>> topics_for(people, "v1")
    Traceback (most recent call last):
    ...
    quiff.errors.LabelError: the set of user number 1 has the topic '400', which is not in the taxonomy v1; \
give a number of topics, 'occurring', or another of v1, v2, google-nl-v2, iab-1.1

    Raises
    ------
    LabelError
        If a topic is not in the named taxonomy.
    ParameterError
        If there is no such taxonomy, or more topics occur than it has.
    """
    if taxonomy == OCCURRING:
        return population.occurring.size
    known = TAXONOMY_NUMBERS.get("v1" if taxonomy is None else taxonomy)
    size = taxonomy_size("v1" if taxonomy is None else taxonomy)
    if known is not None and (taxonomy is not None or _all_numbers(population.occurring)):
        _check_in_taxonomy(population, taxonomy or "v1", known, at or partial(_set_with, population))
    if population.occurring.size > size:
        raise ParameterError(
            f"{population.occurring.size} topics occur, but the taxonomy "
            f"{'has only' if taxonomy is None else f'{taxonomy!r} has only'} {size}; give at least as many "
            f"topics, or {OCCURRING!r}",
            what="taxonomy",
            value=taxonomy,
        )
    return size


def assumed_topics(people: Population, api: Api, whose: str) -> tuple[str, ...]:
    """Return a warning if topics in words are taken for some of a published taxonomy: fewer of them occur.

    >>> from quiff.apis.topics import TopicsAPI
    >>> people = Population.from_sets({"Ann": {"Art", "News"}, "Bob": {"News", "Pets"}})
    >>> print(*assumed_topics(people, TopicsAPI(top_s=2), "Chrome's first taxonomy"))
    Topics API: 3 topics occur; 349 are assumed, Chrome's first taxonomy: at most 166, epsilon 8.11; with 3 \
they are 1.47 and 3.38; say n_topics (--api topics:n_topics=3 if there are no others).
    """
    taken, occurring = api.parameters()["n_topics"], people.occurring
    default = next(each.default for each in parameters_of(type(api)) if each.name == "n_topics")
    if taken != default or occurring.size >= default or _all_numbers(occurring):
        return ()
    n = occurring.size
    words = f"{api.title}: {counted(n, 'topic')} occur{'s' if n == 1 else ''}; {taken} are assumed, {whose}"
    most, worst = _limits(api)
    try:
        fewer = "; with {} they are {} and {}".format(n, *_limits(replace(api, n_topics=n)))  # type: ignore[type-var]
    except ParameterError:  # sets are drawn from more
        fewer = ""
    how = f"say n_topics (--api {api.name}:n_topics={n} if there are no others)"
    return (f"{words}: at most {most}, epsilon {worst}{fewer}; {how}.",)


def _limits(api: Api) -> tuple[str, str]:
    """Return the capacity and epsilon of one observation, to be read."""
    found = {limit.quantity: float(limit.value) for limit in api.limits() if not limit.stage}
    most, worst = (found[name] for name in ("bayes_capacity", "epsilon"))
    return f"{most:.3g}", "without limit" if isinf(worst) else f"{worst:.3g}"


def _all_numbers(topics: Labels) -> bool:
    return all(str(topic).isdecimal() for topic in topics)


def _check_in_taxonomy(
    population: Population, name: str, known: frozenset[int], at: Callable[[Hashable], str]
) -> None:
    unknown = [topic for topic in population.occurring if not _is_one_of(topic, known)]
    if unknown:
        raise LabelError(
            f"{at(unknown[0])} has the topic {topic_shape(unknown[0])}, which is not in the taxonomy {name};"
            f" give a number of topics, {OCCURRING!r}, or another of {', '.join(TAXONOMY_SIZES)}",
            what="taxonomy",
            value=name,
        )


def _set_with(population: Population, topic: Hashable) -> str:
    """Say whose set has a topic, the first one's."""
    _, users, _ = np.nonzero(population.sets == population.topics.position(topic))
    return f"the set of user number {int(users[0]) + 1}"


def _is_one_of(topic: Hashable, known: frozenset[int]) -> bool:
    """Tell whether a topic is one of the numbers, written as a number or as a word."""
    text = str(topic)
    return text.isdecimal() and int(text) in known


def shared_topics(apis: Iterable[Api]) -> list[int]:
    """Return the topics that the taxonomies of some APIs share, by their numbers; none if no size is said."""
    given = [api.parameters()[SIZE] for api in apis if SIZE in api.parameters()]
    sizes = [TAXONOMY_SIZES.get(each) if isinstance(each, str) else each for each in given]
    most = min((size for size in sizes if size is not None), default=0)
    named = [TAXONOMY_NUMBERS[each] for each in given if each in TAXONOMY_NUMBERS]
    shared = sorted(frozenset.intersection(*named)) if named else list(range(1, most + 1))
    return shared[:most]


def placed(sets: SetLabels, taxonomy: Labels) -> Array:
    """Return the sets as codes into the taxonomy."""
    known = taxonomy.known if isinstance(taxonomy, TaxonomyLabels) else taxonomy
    if sets.topics is known or sets.topics is taxonomy:
        return sets.codes
    seen = np.flatnonzero(np.bincount(sets.codes.reshape(-1), minlength=sets.topics.size))
    place = np.zeros(sets.topics.size, dtype=np.intp)
    place[seen] = taxonomy.positions([sets.topics[int(code)] for code in seen], "topic")
    return place[sets.codes]
