"""Work on many users in parts: on all cores, and each of them soon over, so that an interrupt is answered."""

from collections.abc import Callable

from quiff.core.counting.work import cores, in_slices


def parts(n: int, most: int) -> list[slice]:
    """Return slices that cover n users: about one for each core, but none with more than so many users.

    >>> parts(5, 2)
    [slice(0, 2, None), slice(2, 4, None), slice(4, 6, None)]
    """
    size = max(min(most, -(-n // cores())), 1)
    return [slice(start, start + size) for start in range(0, n, size)]


def work_through(work: Callable[[slice], None], n: int, most: int) -> None:
    """Do some work, which leaves its results in place, on all parts of n users."""
    for _ in in_slices(work, parts(n, most)):
        pass
