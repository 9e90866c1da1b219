"""Functions compiled to machine code, once: numba, with its cache where there is a place for one.

Only the files with such functions import this one, and they are imported when something is to be counted.
"""

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numba
from numba.core import event

LOGGER = "quiff.compiled"
"""The logger that is told when a loop is being compiled, which takes a second."""

_Function = TypeVar("_Function", bound=Callable[..., Any])


def compiled(function: _Function) -> _Function:
    """Compile a function when it is first called, and keep the machine code for the next process.

    It runs without Python's global lock, so that threads may share the work. Numba refuses to keep code
    where neither the folder of the source nor the home can be written; then it compiles in every process.

    >>> @compiled
    ... def twice(number):
    ...     return 2 * number
    >>> twice(21)
    42
    """
    made: Any
    try:
        made = numba.njit(cache=True, nogil=True)(function)
    except RuntimeError:  # no place for the cache
        made = numba.njit(nogil=True)(function)
    return made  # type: ignore[no-any-return]  # it is called as the function is


def kept_in(function: Callable[..., Any]) -> Path | None:
    """Return the folder in which the machine code of a compiled function is kept, if there is one."""
    path = getattr(function, "stats").cache_path  # noqa: B009  # numba's, which mypy cannot see
    return None if path is None else Path(path)


class _Telling(event.Listener):
    """Tells the logger which loop is being compiled; inner ones go with theirs."""

    def on_start(self, event: Any) -> None:
        logging.getLogger(LOGGER).info("%s", event.data["dispatcher"].py_func.__name__)

    def on_end(self, event: Any) -> None:
        pass


event.register("numba:compile", _Telling())  # type: ignore[no-untyped-call]
