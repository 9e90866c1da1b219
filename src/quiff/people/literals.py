"""Lists as Python writes them, in the cells of published tables: read as data, never evaluated."""

import re

from quiff.errors import QuiffError
from quiff.people.joined_topics import joined, several_numbers
from quiff.safe_text import shape

# No two parts of a pattern can take the same signs in two ways: engines that go back and try again, as those
# of Python and Java do, then take a time that grows with the length of a cell and no faster.
_SIGNS = "[A-Za-z0-9_./&-]+"
_BARE = f"{_SIGNS}(?: +{_SIGNS})*"
QUOTED = r"""'([^'\\\x1d-\x1f]*)'|"([^"\\\x1d-\x1f]*)["]"""
"""The pattern of a topic in quotes of either kind; what is left to mark the ends of topics is not in it."""


def _listed(word: str) -> str:
    """Return the pattern of words with commas between them, in brackets of any kind or in none."""
    words = rf"(?:(?:{word})\s*(?:,\s*(?:{word})\s*)*(?:,\s*)?)?"
    return rf"{words}|\[\s*{words}\]\s*|\(\s*{words}\)\s*|\{{\s*{words}\}}\s*"


TOPIC_LIST = rf"^\s*(?:{_listed(QUOTED.replace('(', '(?:'))}|{_listed(_BARE)})$"
"""The pattern of a cell of topics, all in quotes or none, for engines that read whole columns."""

_ONE = re.compile(rf"{QUOTED}|({_BARE})")
_LIST = re.compile(TOPIC_LIST)
_STRING = r"""(?:'([^'\\]*)'|"([^"\\]*)")"""
_VISIT = re.compile(rf"\s*\(\s*{_STRING}\s*,\s*(?:Timestamp\(\s*)?{_STRING}\s*(?:\)\s*)?\)\s*(,|$)")
_TIME = re.compile(r"\d{4}-\d{2}-\d{2}")


def parse_topics(text: str) -> tuple[str, ...]:
    """Return the topics of a cell, all in quotes or none, with brackets or without; it may be empty."""
    if not _LIST.search(text):
        raise QuiffError(no_topic_list(text))
    words = [word for parts in _ONE.findall(text) if (word := "".join(parts).strip())]
    numbers = next(filter(several_numbers, words), None)
    if numbers is not None:
        raise QuiffError(joined(numbers))
    return tuple(words)


def parse_history(text: str) -> list[tuple[str, str]]:
    """Return time and domain of each visit of a browsing history, a list of pairs in either order."""
    stripped = text.strip()
    wrong = QuiffError(f"{shape(text)} is no list of pairs ('domain', 'time')")
    if not (stripped.startswith("[") and stripped.endswith("]")):
        raise wrong
    inner, position, visits = stripped[1:-1].strip(), 0, []
    while position < len(inner):
        visit = _VISIT.match(inner, position)
        if visit is None:
            raise wrong
        one, two = visit[1] or visit[2] or "", visit[3] or visit[4] or ""
        visits.append((one, two) if _TIME.match(one) else (two, one))
        position = visit.end()
    return visits


def no_topic_list(text: str) -> str:
    """Return the message for a cell that is no list of topics."""
    if ";" in text or "|" in text:
        return joined(text)
    return f"{shape(text)} is no list of topics, such as ['NEWS', 'REL']; put all of them in quotes, or none"
