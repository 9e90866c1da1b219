"""What APIs, their stages, goals and values are called in tables, sentences and figures."""

from collections.abc import Hashable, Iterable, Mapping

from quiff.apis.base import MONTH, Api, in_a_month
from quiff.populations.population import Population
from quiff.results.numbers import said

_GOALS = {
    "topics": "a topic of the user",
    "secret": "the whole secret",
    "converted": "whether the user converted",
    "attributed": "whether a conversion is attributed",
    "joined": "whether the user is in the group",
}


def api_names(apis: Mapping[str, Api]) -> dict[str, str]:
    """Return the title of each API by its spec; the spec itself where two have the same title.

    Examples
    --------
    >>> from quiff import api_from
    >>> api_names({spec: api_from(spec) for spec in ("cookies", "topics")})
    {'cookies': 'third-party cookie', 'topics': 'Topics API'}
    >>> list(api_names({spec: api_from(spec) for spec in ("topics", "topics:noise=0.1")}).values())
    ['topics', 'topics:noise=0.1']
    """
    titles = [api.title for api in apis.values()]
    return {spec: spec if titles.count(api.title) > 1 else api.title for spec, api in apis.items()}


def heading(people: Population, apis: Iterable[Api]) -> str:
    """Return who was measured, and which APIs with which settings, in a line.

    Examples
    --------
    >>> from quiff import worked_example
    >>> people, api = worked_example()
    >>> heading(people, [api])
    '3 people, Topics API: 5 topics, top 2, noise 5 %'
    """
    words = [people_words(people), *map(described, apis)]
    return (", " if len(words) == 2 else "; ").join(words)


def described(api: Api) -> str:
    """Return an API with its settings."""
    return capitalised(api.title) + (f": {api.settings}" if api.settings else "")


def people_words(people: Population) -> str:
    """Return how many people there are, and that they are synthetic where they are."""
    who = "person" if people.n_users == 1 else "people"
    return f"{said(people.n_users)} {who}{' (synthetic)' if people.is_synthetic else ''}"


def stage_names(apis: Mapping[str, Api], stages: Iterable[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """Return what to call each stage of each API, given by its spec: with the spec where two share a name.

    Examples
    --------
    >>> from quiff import api_from
    >>> apis = {spec: api_from(spec) for spec in ("cookies", "topics", "topics:noise=0.1")}
    >>> stages = [("cookies", "cookies"), ("topics", "topics"), ("topics:noise=0.1", "topics")]
    >>> list(stage_names(apis, stages).values())
    ['third-party cookie', 'one topic (topics)', 'one topic (topics:noise=0.1)']
    """
    titles = {key: apis[key[0]].stage_title(key[1]) for key in stages}
    listed = list(titles.values())
    return {key: f"{title} ({key[0]})" if listed.count(title) > 1 else title for key, title in titles.items()}


def goal_title(goal: str) -> str:
    """Return what a goal is, for people.

    Examples
    --------
    >>> goal_title("topics"), goal_title("secret"), goal_title("country")
    ('a topic of the user', 'the whole secret', "the user's country")
    """
    return _GOALS.get(goal) or (goal if ":" in goal else f"the user's {goal}")


def goal_of_value(attribute: str, value: Hashable) -> str:
    """Return the goal to guess whether the user has a value, as rows name it: ``country: BR``."""
    return f"{attribute}: {value}"


def value_words(attribute: str) -> str:
    """Return what one value is called: a topic, or a value of a column.

    Examples
    --------
    >>> value_words("topics"), value_words("country")
    ('topic', 'value of country')
    """
    return "topic" if attribute == "topics" else f"value of {attribute}"


def capitalised(text: str) -> str:
    """Return text as it stands at the beginning of a sentence; a spec stays as it is.

    Examples
    --------
    >>> capitalised("third-party cookie"), capitalised("topics:noise=0.1")
    ('Third-party cookie', 'topics:noise=0.1')
    """
    return text if ":" in text.partition(" ")[0] else text[:1].upper() + text[1:]


def visits(api: Api, observations: int) -> str:
    """Return what brings so many observations in words: one page view, or several and how often they come.

    Examples
    --------
    >>> from quiff import api_from
    >>> visits(api_from("topics"), 1), visits(api_from("topics"), 3), visits(api_from("topics"), 6)
    ('one observation', 'one page view', '4 weekly page views')
    """
    later = observations - api.shown_at_first
    number, thing = (later + 1, api.visit) if later >= 0 else (observations, "observation")
    if number == 1:
        return f"one {thing}"
    often = {1.0: "daily ", 7.0: "weekly "}.get(api.unit.days or 0.0, "")
    return f"{said(number)} {often}{thing}s"


def month_words(api: Api) -> str:
    """Return what a month is of an API, in a sentence; empty if it brings no more than one observation.

    Examples
    --------
    >>> from quiff import api_from
    >>> month_words(api_from("topics"))
    'A month, 28 days, is 6 observations: 4 weekly page views, of which the first shows 3.'
    >>> month_words(api_from("floc")), month_words(api_from("event_level"))
    ('A month, 28 days, is 4 observations.', '')
    """
    n, first = in_a_month(api) or 1, api.shown_at_first
    by = f": {visits(api, n)}, of which the first shows {first}" if first > 1 else ""
    return f"A month, {MONTH} days, is {many(n, 'observation')}{by}." if n > 1 else ""


def many(number: int, thing: str) -> str:
    """Return a number of things in words, thousands with a comma.

    Examples
    --------
    >>> many(1, "user"), many(5893, "user")
    ('1 user', '5,893 users')
    """
    return f"{said(number)} {thing}{'' if number == 1 else 's'}"
