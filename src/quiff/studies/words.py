"""What people, APIs, goals and numbers of observations are called in sentences, tables and figures."""

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import asdict
from typing import Any

from quiff.apis.base import MONTH, Api
from quiff.apis.described import ApiWords
from quiff.people.population import Population
from quiff.results.numbers import capitalised, many, said
from quiff.results.result import Result

_GOALS = {
    "topics": "a topic of the user",
    "secret": "the whole secret",
    "converted": "whether the user converted",
    "attributed": "whether a conversion is attributed",
    "joined": "whether the user is in the group",
}


def population_words(people: Population) -> dict[str, object]:
    """Return who was measured in counts, for JSON; what is not known is None."""
    counts: dict[str, Any] = {
        "users": people.n_users,
        "attributes": list(people.attributes),
        "synthetic": people.is_synthetic,
        "weighted": people.weights is not None,
        "filled": None,
    }
    if "topics" not in people.attributes:
        return counts
    filled = people.filled
    counts |= {
        "set_size": int(people.sets.shape[2]),
        "filled": filled and asdict(filled) | {"sentence": filled.sentence()},
        "filled_users": filled and filled.filled_users,
        "filled_topics": filled and filled.filled_share,
        "users_without_visits": filled and filled.without_visits,
        "unique_users_visited": filled and filled.unique_share,
    }
    if people.n_epochs > 1:  # sets of several epochs are not the same
        return counts
    sizes = people.set_counts()
    return counts | {
        "distinct_sets": int(sizes.shape[0]),
        "occurring_topics": people.occurring.size,
        "unique_users": int((sizes == 1).sum()) / people.n_users,
        "anonymity": int(sizes.min()),
    }


def shared_words(population: Mapping[str, Any] | None, apis: Iterable[Api]) -> dict[str, str]:
    """Return what every layout may put into words: who was measured, how users count, and the API."""
    words = {"api": "; ".join(dict.fromkeys(api.title for api in apis)), "among": ""}
    if population:
        many_users, weighted = population["users"], population["weighted"]
        words |= {
            "users": many(many_users, "user"),
            "people": f"{said(many_users)} {'person' if many_users == 1 else 'people'}"
            f"{' (synthetic)' if population['synthetic'] else ''}",
            "before": "as probable as their weights" if weighted else "equally probable",
            "of_users": "of the users by weight" if weighted else "of the users",
            "by_weight": "Users count as much as they weigh." if weighted else "",
        }
    return words


def heading(result: Result) -> str:
    """Return who was measured, and which APIs with which settings, in a line."""
    words = [result.words["people"]] if result.population else []
    words += map(described, result.apis.values())
    return (", " if len(words) == 2 and result.population else "; ").join(words)


def described(api: Api | ApiWords) -> str:
    """Return an API with its settings.

    Examples
    --------
    >>> from quiff import worked_example
    >>> described(worked_example()[1])
    'Topics API: 5 topics, top 2, noise 5 %'
    """
    return capitalised(api.title) + (f": {api.settings}" if api.settings else "")


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


def often(api: Api | ApiWords) -> str:
    """Return how often observations come: daily, weekly, or nothing."""
    return {1.0: "daily ", 7.0: "weekly "}.get(api.unit.days or 0.0, "")


def visits(api: Api | ApiWords, observations: int) -> str:
    """Return what brings so many observations in words: one page view, or several and how often they come.

    Examples
    --------
    >>> from quiff import api_from
    >>> visits(api_from("topics"), 1), visits(api_from("topics"), 3), visits(api_from("topics"), 6)
    ('one observation', 'one page view', '4 weekly page views')
    """
    later = observations - api.shown_at_first
    number, thing = (later + 1, api.visit) if later >= 0 else (observations, "observation")
    return f"one {thing}" if number == 1 else f"{said(number)} {often(api)}{thing}s"


def month_words(api: ApiWords) -> str:
    """Return what a month is of an API, in a sentence; empty if it brings no more than one observation.

    Examples
    --------
    >>> from quiff import api_from
    >>> month_words(ApiWords.of(api_from("topics")))
    'A month, 28 days, is 6 observations: 4 weekly page views, of which the first shows 3.'
    >>> month_words(ApiWords.of(api_from("floc"))), month_words(ApiWords.of(api_from("event_level")))
    ('A month, 28 days, is 4 observations.', '')
    """
    n, first = api.month or 1, api.shown_at_first
    by = f": {visits(api, n)}, of which the first shows {first}" if first > 1 else ""
    return f"A month, {MONTH} days, is {many(n, 'observation')}{by}." if n > 1 else ""
