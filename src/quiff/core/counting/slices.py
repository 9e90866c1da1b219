"""Long work in slices: on all cores, told to whom it concerns, and stopped within a slice."""

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeAlias, TypeVar

__all__ = ["Progress", "cores", "in_slices"]

Progress: TypeAlias = Callable[[float], None]
_Slice = TypeVar("_Slice")
_Result = TypeVar("_Result")


def cores() -> int:
    """Return how many threads work at the same time.

    Examples
    --------
    >>> 1 <= cores() <= 8
    True
    """
    return min(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1, 8)


def in_slices(
    work: Callable[[_Slice], _Result], slices: Iterable[_Slice], progress: Progress | None = None
) -> Iterator[_Result]:
    """Yield the results of the slices in their order, whichever is done first.

    Parameters
    ----------
    work
        What is done to a slice, without Python's global lock if it is to gain by threads.
    slices
        What to do it to.
    progress
        Called after each slice with the share that is done.

    Examples
    --------
    >>> list(in_slices(lambda n: n * n, range(4)))
    [0, 1, 4, 9]
    """
    listed = list(slices)
    pool = ThreadPoolExecutor(cores())
    try:
        # An interrupt arrives here, in the main thread: slices that have not started never will.
        for done, result in enumerate(pool.map(work, listed), start=1):
            if progress is not None:
                progress(done / len(listed))
            yield result
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
