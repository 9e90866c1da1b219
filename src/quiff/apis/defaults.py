"""The APIs that are measured where none is named: third-party cookies and the Topics API."""

from collections.abc import Callable, Hashable
from dataclasses import MISSING

from quiff.apis.base import Api, parameters_of
from quiff.apis.cookies import Cookies
from quiff.apis.registry import apis
from quiff.apis.taxonomy import topics_for
from quiff.apis.topics import TopicsAPI
from quiff.populations.population import Population
from quiff.theory.parameters import Real

DEFAULT = TopicsAPI()
"""The API whose closed forms are shown where none is named."""


def default_apis(people: Population, topics: Api | None = None) -> tuple[Api, ...]:
    """Return cookies, by histories where these are known, and the Topics API with sets of the people's size.

    People without topic sets have cookies only, people who were merged to distinct sets Topics only; `topics`
    is taken instead of the latter's defaults.

    >>> [api.spec for api in default_apis(Population.from_sets({"Ann": {1, 2}, "Bob": {2, 3}}))]
    ['cookies', 'topics:top_s=2']
    """
    if topics is None and "topics" in people.attributes:
        topics = default_topics(people)
    shown = () if people.merged else (Cookies("history" if "history" in people.attributes else "user"),)
    return shown if topics is None else (*shown, topics)


def all_apis(people: Population | None = None) -> tuple[Api, ...]:
    """Return every API of the registry with its defaults; sets of topics are as large as the people's.

    One that has no defaults, as it is made for some people, is left out.

    >>> [api.spec for api in all_apis()[:2]]
    ['cookies', 'topics']
    """
    size = {} if people is None or "topics" not in people.attributes else {"top_s": people.top_s}
    made = []
    for kind in apis().values():
        own = parameters_of(kind)
        if all(each.default is not MISSING or each.default_factory is not MISSING for each in own):
            made.append(kind(**{each.name: size[each.name] for each in own if each.name in size}))
    return tuple(made)


def default_topics(
    people: Population,
    taxonomy: str | None = None,
    noise: Real = 0.05,
    *,
    at: Callable[[Hashable], str] | None = None,
) -> TopicsAPI:
    """Return the Topics API for the sets of some people: their size s, and a taxonomy that has their topics.

    Parameters
    ----------
    people
        The users and their sets.
    taxonomy
        The size of the taxonomy or its name, as in `TopicsAPI`; None is that of version 1.
    noise
        r.
    at
        Says in which set a topic stands, for a message; None counts the users.
    """
    return TopicsAPI(topics_for(people, taxonomy, at=at), people.top_s, noise)
