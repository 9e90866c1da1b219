"""The check as text of 80 columns: what holds, then the points with their places, and all items if asked."""

import re
from collections.abc import Iterator
from textwrap import fill

from quiff.papers.check import PaperCheck, Point
from quiff.papers.items import KINDS, Judged, computed, shown_value

_WIDTH = 80
LETTERS = ("(a)", "(b)", "(c)")
_LEGEND = "At each place: what is printed -> what was computed."
_MORE = "More: --all for every item, --data DIR for what needs the authors' files."
_TITLE = "The Privacy-Utility Trade-off in the Topics API (CCS '24), checked"


def as_text(paper: PaperCheck, *, every: bool = False) -> str:
    """Return the summary and the points; with `every`, all items after them.

    >>> from quiff.papers.check import check_paper
    >>> as_text(check_paper()).splitlines()[2][:11]
    'What holds:'
    """
    parts = [_TITLE, *map(_filled, paper.sentences()), _LEGEND, *_points(paper)]
    parts += _items(paper) if every else [_MORE]
    return "\n\n".join(parts)


def _filled(text: str, first: str = "", rest: str = "") -> str:
    """Break text into lines, but no number at the spaces between its thousands."""
    whole = re.sub(r"(?<=\d) (?=\d{3})", "\N{NO-BREAK SPACE}", text)
    lines = fill(whole, _WIDTH, initial_indent=first, subsequent_indent=rest, break_on_hyphens=False)
    return lines.replace("\N{NO-BREAK SPACE}", " ")


def _points(paper: PaperCheck) -> Iterator[str]:
    kind = ""
    for number, point in enumerate(paper.points, start=1):
        if point.cause.kind != kind:
            kind = point.cause.kind
            yield KINDS[kind].capitalize() + "\n" + "-" * len(KINDS[kind])
        yield "\n".join(_point(f"{number}. ", point))


def _point(number: str, point: Point) -> Iterator[str]:
    cause, space = point.cause, " " * len(number)
    yield _filled(number + cause.title, rest=space)
    told = [cause.says, f"What it changes: {cause.changes}"]
    if cause.readings:
        told.append("Readings: " + "; ".join(map("{} {}".format, LETTERS, cause.readings)) + ".")
    if cause.source:
        told.append(f"Source: {cause.source}.")
    yield from (_filled(text, space, space) for text in told)
    for where, found in places(point).items():
        yield _filled(f"{where}: {'; '.join(found)}", f"{space}- ", f"{space}  ")


def places(point: Point) -> dict[str, list[str]]:
    """Return what is printed and what was computed at each place of a point.

    >>> from quiff.papers.check import check_paper
    >>> places(check_paper().points[0])["Tab. theoretical-google, Google Topics API v2"]
    ['629 -> 469', '119.56 -> 89.16', '7.780 -> 7.4862', '2 391.2 -> 1 783.2']
    """
    found: dict[str, list[str]] = {}
    for item in point.places:
        found.setdefault(item.where, []).append(_found(item))
    return found


def _found(item: Judged) -> str:
    if item.computed is None:
        return item.printed
    printed = item.printed if item.printed[0].isdecimal() else f'"{item.printed}"'
    if not item.readings:
        return f"{printed} -> {shown_value(item.printed, item.computed)}"
    values = (shown_value(item.printed, reading.computed) for reading in item.readings)
    return f"{printed} -> " + ", ".join(map("{} {}".format, LETTERS, values))


def _items(paper: PaperCheck) -> Iterator[str]:
    titles = {"match": "As printed", **{kind: name.capitalize() for kind, name in KINDS.items()}}
    for verdict, title in {**titles, "cited": "Cited, not recomputed"}.items():
        items = [item for item in paper.items if item.verdict == verdict]
        if items:
            yield "\n".join([title, "-" * len(title), *map(_item, items)])


def _item(item: Judged) -> str:
    found = "" if item.computed is None else f" -> {computed(item)}"
    note = f": {item.note}" if item.note else ""
    text = f"{item.id}: {item.printed}{found} ({item.where}){note}"
    return _filled(text, rest="  ")
