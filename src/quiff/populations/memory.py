"""How much memory the users of one file may take before they are merged into distinct sets."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any

from quiff.core.limits import check_limit

_GIB = 2**30
_PART = 4  # of the memory that is free, what one population may take
_UNKNOWN = 2 * _GIB  # where the system does not tell
_limit: ContextVar[float | None] = ContextVar("reading_limit", default=None)


@contextmanager
def reading_limit(gib: Any) -> Iterator[None]:
    """Let `Population.read` take up to `gib` GiB for users inside a ``with`` block.

    Outside of one it is a quarter of the memory that is free. A file whose users need more is reduced to
    distinct sets with counts while it is read.

    Examples
    --------
    >>> with reading_limit(0.5):
    ...     allowed_bytes()
    536870912

    Raises
    ------
    ParameterError
        If the limit is not a positive number.
    """
    check_limit(gib, "GiB for reading")
    token = _limit.set(gib)
    try:
        yield
    finally:
        _limit.reset(token)


def allowed_bytes() -> int:
    """Return how many bytes a population that is read may take."""
    chosen = _limit.get()
    return int(chosen * _GIB) if chosen is not None else _free_bytes() // _PART


def _free_bytes() -> int:
    """Return the memory that is free, as far as the system or the container tells."""
    try:
        free = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # not on every system
        return _UNKNOWN
    for line in _text("/proc/meminfo").splitlines():
        if line.startswith("MemAvailable:"):
            free = int(line.split()[1]) * 1024
    most = _text("/sys/fs/cgroup/memory.max").strip()
    return min(free, int(most)) if most.isdecimal() else free


def _text(path: str) -> str:
    try:
        return Path(path).read_text()
    except OSError:
        return ""
