"""How tables are laid out as text: columns under each other within a width, heads of groups between lines."""

import re
from collections.abc import Iterator, Mapping
from contextvars import ContextVar
from itertools import zip_longest
from textwrap import TextWrapper, fill

WIDTH: ContextVar[int] = ContextVar("width", default=80)
"""Of text, in columns: that of most terminals, and where there is none."""

_BREAK = re.compile(r"(\s+)|(?<=\w[,:-])(?=\w)")  # where a cell may go on below, also within a spec


def filled(text: str, hanging: str = "") -> str:
    """Return text in lines that fit; a number keeps its percent sign. Further lines hang behind `hanging`.

    Examples
    --------
    >>> print(filled("The probability of re-identification by one observation of a topic is about 42 %."))
    The probability of re-identification by one observation of a topic is about
    42 %.
    """
    lines = text.replace(" %", "\N{NO-BREAK SPACE}%").split("\n")
    broken = "\n".join(
        fill(line, WIDTH.get(), subsequent_indent=hanging, break_on_hyphens=False) for line in lines
    )
    return broken.replace("\N{NO-BREAK SPACE}%", " %")


class _Cell(TextWrapper):
    wordsep_re = _BREAK


def columns(lines: list[list[str]], numeric: list[bool], heads: Mapping[int, str]) -> Iterator[str]:
    """Yield lines of cells under each other; where they are too wide, heads and then text go on below.

    The widest column that can be narrower becomes so, step by step. Where not even the words fit, each line
    becomes a list. Before some lines, by their place, stands the head of a group.
    """
    turned, width = list(zip(*lines, strict=True)), WIDTH.get()
    widths = [max(map(len, column)) for column in turned]
    words = [
        [max(map(len, filter(None, _BREAK.split(cell))), default=0) for cell in column] for column in turned
    ]
    tops = [max(parts[0], *map(len, column[1:]), 1) for column, parts in zip(turned, words, strict=True)]
    unbroken = [top if right else max(parts) for top, parts, right in zip(tops, words, numeric, strict=True)]
    for least in (tops, unbroken):
        while sum(widths) + 2 * (len(widths) - 1) > width:
            widest = max(range(len(widths)), key=lambda i: (widths[i] > least[i]) * widths[i])
            if widths[widest] <= least[widest]:
                break
            widths[widest] -= 1
    if sum(widths) + 2 * (len(widths) - 1) > width:
        yield from _lists(lines, heads)
        return
    for place, line in enumerate(lines):
        if place in heads:
            yield fill(heads[place], width)
        cells = [
            _Cell(room, subsequent_indent=_indent(cell) if room > 9 and not right else "").wrap(cell)
            if len(cell) > room
            else [cell]
            for cell, room, right in zip(line, widths, numeric, strict=True)
        ]
        for parts in zip_longest(*cells, fillvalue=""):
            yield "  ".join(
                part.rjust(room) if right else part.ljust(room)
                for part, room, right in zip(parts, widths, numeric, strict=True)
            ).rstrip()


def _indent(cell: str) -> str:
    return " " * (1 + len(cell) - len(cell.lstrip()))


def _lists(lines: list[list[str]], heads: Mapping[int, str]) -> Iterator[str]:
    """Yield each line as its first cell, with the others below by their heads."""
    (_, *names), *rows = lines
    for place, (first, *cells) in enumerate(rows, start=1):
        if place in heads:
            yield fill(heads[place], WIDTH.get())
        yield fill(first, WIDTH.get())
        for head, cell in zip(names, cells, strict=True):
            if cell:
                yield fill(f"{head}: {cell}", WIDTH.get(), initial_indent="  ", subsequent_indent="    ")
