"""Several topics that came in as one, because something else than a comma stands between them.

A text is several topics if all its parts are numbers. Where each cell is one text without quotes, the cells
together tell the rest: lists are made of the same parts in ever other orders and combinations, while most
names of a taxonomy have parts of their own, and what they share stays at its place. So `Books & Literature`
is one topic, and so is a path such as `/Arts & Entertainment/Music & Audio`.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable
from itertools import islice

from quiff.errors import QuiffError
from quiff.safe_text import shape

_NUMBER = "[+-]?[0-9]+(?:[.][0-9]+)?"
NUMBERS = rf"^\s*{_NUMBER}(?:[\s/;|]+{_NUMBER})+[\s/;|]*$"
"""The pattern of numbers with blanks, slashes, semicolons or bars between them, for engines too."""

_NUMBERS = re.compile(NUMBERS)
_BETWEEN = (" ", "/", ";", "|")
_TIGHT = re.compile(" ?([&/;|]) ?")  # blanks beside one of these part nothing
_MOST = 0.5  # the share of cells whose parts all recur: 0.46 in the taxonomies of Chrome and the IAB
_MOVED = 0.1  # the share of parts that recur at other places: 0.06 in those, split at blanks, and 0 in paths
_MOVED_ALIKE = 0.3  # the same, if all cells have as many parts, at least three; names of taxonomies do not
_SAMPLE = 20_000  # texts to look at


def several_numbers(topic: object) -> bool:
    """Say if a topic is several numbers.

    >>> several_numbers("1 2 3"), several_numbers("12"), several_numbers("Web 2.0")
    (True, False, False)
    """
    return isinstance(topic, str) and _NUMBERS.match(topic) is not None


def joined_topic(cells: Iterable[object]) -> str | None:
    """Return a cell that is several topics, given all distinct ones; None if each is one topic.

    >>> joined_topic(["News Music Art", "Art News Games", "Games Music News"])
    'News Music Art'
    >>> joined_topic(["Rock Music", "Folk Music", "Music Festivals", "Books & Literature"])
    """
    texts = list(islice((cell for cell in cells if isinstance(cell, str)), _SAMPLE))
    tight = [_TIGHT.sub(r"\1", " ".join(text.split())) for text in texts]
    for between in _BETWEEN:
        split = [tuple(filter(None, text.split(between))) for text in tight]
        several = [text for text, parts in zip(texts, split, strict=True) if len(parts) > 1]
        if len(several) > 1 and _are_lists(set(split)):
            return several[0]
    return None


def _are_lists(cells: Collection[tuple[str, ...]]) -> bool:
    """Say if cells, each in its parts, are lists: see the module's text."""
    times: dict[str, int] = defaultdict(int)
    places: dict[str, tuple[set[int], set[int]]] = defaultdict(lambda: (set(), set()))
    for cell in cells:
        for place, part in enumerate(cell):
            times[part] += 1
            places[part][0].add(place)
            places[part][1].add(place - len(cell))
    several = [cell for cell in cells if len(cell) > 1]
    parts = [part for cell in several for part in cell]
    moved = sum(times[part] > 1 and min(map(len, places[part])) > 1 for part in parts) / len(parts)
    recurring = sum(all(times[part] > 1 for part in cell) for cell in several) / len(several)
    alike = len(set(map(len, cells))) == 1 and len(several[0]) > 2
    return (recurring > _MOST and moved > _MOVED) or (alike and moved > _MOVED_ALIKE)


def check_topics(topics: Iterable[object], where: str) -> None:
    """Raise an error for the first of some topics that is several numbers."""
    wrong = next(filter(several_numbers, topics), None)
    if wrong is not None:
        raise QuiffError(joined(wrong), where=where)


def joined(topic: object) -> str:
    """Return the message for a text that is several topics."""
    return (
        f'{shape(topic)} seems to be several topics; put commas between them, as in "1, 2, 3" or'
        " ['News', 'Music'], or each in a column of its own: t1, t2 and so on; a name with blanks or slashes"
        " is one topic in brackets and quotes: ['Hip hop']"
    )
