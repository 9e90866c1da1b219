"""The steps of an API in words."""

_SEEN = {
    "cookies": "a third-party cookie",
    "generalization": "the whole set of topics",
    "bounded_noise": "one topic of the set",
    "topics_api": "one report of the Topics API",
}
_TITLES = {
    "cookies": "third-party cookies",
    "generalization": "whole set (generalization)",
    "bounded_noise": "one topic of the set (bounded noise)",
    "topics_api": "one report (the complete Topics API)",
}


def stage_seen(stage: str) -> str:
    """Return what an adversary sees after a step, for sentences.

    Examples
    --------
    >>> stage_seen("generalization"), stage_seen("two_topics")
    ('the whole set of topics', 'two topics')
    """
    return _SEEN.get(stage, stage.replace("_", " "))


def stage_title(stage: str) -> str:
    """Return the name of a step, for figures.

    Examples
    --------
    >>> stage_title("bounded_noise"), stage_title("two_topics")
    ('one topic of the set (bounded noise)', 'two topics')
    """
    return _TITLES.get(stage, stage.replace("_", " "))
