"""Lists in the cells of the authors' published tables, read as data: nothing is ever evaluated."""

import re

from quiff.errors import QuiffError

__all__ = ["parse_history", "parse_topics"]

_STRING = r"""'([^'\\]*)'|"([^"\\]*)\""""
_TIME = re.compile(r"\d{4}-\d\d-\d\d")
_VISIT = re.compile(
    rf"""\s*\(\s*(?:{_STRING})\s*,\s*(?:Timestamp\()?\s*(?:{_STRING})\s*\)?\s*\)\s*(,|\]\s*$)"""
)
_TOPIC = re.compile(rf"""\s*(?:{_STRING}|([\w/&. -]+?))\s*(,|$)""")
_BRACKETS = {"[": "]", "(": ")", "{": "}"}


def parse_history(text: str) -> list[str]:
    """Return the visited domains of a browsing history, a list of pairs of domain and time.

    Raises
    ------
    QuiffError
        If the text is no such list.

    Examples
    --------
    >>> parse_history("[('a.com', '2006-03-01 07:17:12'), ('b.org', '2006-03-02 00:00:00')]")
    ['a.com', 'b.org']
    >>> parse_history("__import__('os')")
    Traceback (most recent call last):
    quiff.errors.QuiffError: "__import__('os')" is no list of pairs ('domain', 'time')
    """
    stripped = text.strip()
    if stripped == "[]":
        return []
    domains, position = [], 1
    while stripped.startswith("["):
        visit = _VISIT.match(stripped, position)
        if visit is None:
            break
        first = visit[1] if visit[1] is not None else visit[2]
        second = visit[3] if visit[3] is not None else visit[4]
        domains.append(second if _TIME.match(first) else first)
        if visit[5] != ",":
            return domains
        position = visit.end()
    raise QuiffError(f"{_shortened(text)!r} is no list of pairs ('domain', 'time')")


def parse_topics(text: str) -> tuple[str, ...]:
    """Return the topics of a cell, quoted or not, with or without brackets; an empty one has none.

    Raises
    ------
    QuiffError
        If the text is no list of topics.

    Examples
    --------
    >>> parse_topics("['NEWS', 'REL']"), parse_topics("'1','2'"), parse_topics("''"), parse_topics("")
    (('NEWS', 'REL'), ('1', '2'), (), ())
    """
    inner = text.strip()
    if inner[:1] in _BRACKETS:
        if not inner.endswith(_BRACKETS[inner[0]]):
            raise QuiffError(f"{_shortened(text)!r} is no list of topics, such as ['NEWS', 'REL']")
        inner = inner[1:-1].strip()
    topics, position = [], 0
    while position < len(inner):
        topic = _TOPIC.match(inner, position)
        if topic is None:
            raise QuiffError(f"{_shortened(text)!r} is no list of topics, such as ['NEWS', 'REL']")
        topics.append(next(group for group in topic.groups() if group is not None))
        position = topic.end()
    return tuple(topic for topic in topics if topic)


def _shortened(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "..."
