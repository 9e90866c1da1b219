"""How far a long computation is, for whoever watches; nothing is passed through functions."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeAlias

Progress: TypeAlias = Callable[[str, float], None]
"""Called with the name of a part and the share of it that is done; what it raises ends the computation."""

_WATCHER: ContextVar[Progress | None] = ContextVar("watcher", default=None)
_PART: ContextVar[str | None] = ContextVar("part", default=None)


@contextmanager
def watching(watcher: Progress | None) -> Iterator[None]:
    """Let a function be told how far studies are that are run inside; None tells nobody.

    Examples
    --------
    >>> parts = set()
    >>> with watching(lambda part, share: parts.add(part)):
    ...     tell("risk", 0.5)
    >>> parts
    {'risk'}
    """
    before = _WATCHER.set(watcher)
    try:
        yield
    finally:
        _WATCHER.reset(before)


def tell(part: str, share: float) -> None:
    """Tell whoever watches how much of a part is done."""
    watcher = _WATCHER.get()
    if watcher is not None:
        watcher(part, share)


@contextmanager
def part(name: str | None) -> Iterator[None]:
    """Let `advance` inside of it speak of this part of the work; of none if there is no name."""
    before = _PART.set(name)
    try:
        yield
    finally:
        _PART.reset(before)


def advance(share: float) -> None:
    """Tell whoever watches how much of the present part is done, if it has a name."""
    name = _PART.get()
    if name is not None:
        tell(name, share)
