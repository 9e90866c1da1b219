"""What APIs, their stages and values are called in tables, sentences and figures."""

from collections.abc import Mapping

from quiff.apis.base import Api


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


def stage_names(apis: Mapping[str, Api], stages: Mapping[str, list[str]]) -> dict[tuple[str, str], str]:
    """Return what to call each stage of each API: the API alone if it has but one.

    Examples
    --------
    >>> from quiff import api_from
    >>> apis = {spec: api_from(spec) for spec in ("cookies", "topics")}
    >>> list(stage_names(apis, {"cookies": ["cookies"], "topics": ["generalization", "topics"]}).values())
    ['third-party cookie', 'Topics API: whole topic set', 'Topics API: one topic']
    """
    names = api_names(apis)
    return {
        (spec, stage): names[spec] + (f": {apis[spec].stage_title(stage)}" if len(some) > 1 else "")
        for spec, some in stages.items()
        for stage in some
    }


def value_words(attribute: str) -> str:
    """Return what one value is called: a topic, or a value of a column.

    Examples
    --------
    >>> value_words("topics"), value_words("country")
    ('topic', 'value of country')
    """
    return "topic" if attribute == "topics" else f"value of {attribute}"
