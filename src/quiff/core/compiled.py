"""Functions compiled to machine code, once: numba, with its cache where there is a place for one.

Only the files with such functions import this one, and they are imported when something is to be counted.
"""

from collections.abc import Callable
from typing import Any, TypeVar

import numba

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
