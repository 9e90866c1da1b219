"""The APIs that are measured where none is named: third-party cookies and the Topics API."""

from collections.abc import Callable, Hashable

from quiff.apis.base import Api
from quiff.apis.cookies import Cookies
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

    Examples
    --------
    >>> [api.spec for api in default_apis(Population.from_sets({"Ann": {1, 2}, "Bob": {2, 3}}))]
    ['cookies', 'topics:top_s=2']
    """
    if topics is None and "topics" in people.attributes:
        topics = default_topics(people)
    shown = () if people.merged else (Cookies("history" if "history" in people.attributes else "user"),)
    return shown if topics is None else (*shown, topics)


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
