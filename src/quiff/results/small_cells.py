"""Which cells of a table are about too few people to be shown, or would tell those that are not shown."""

from collections.abc import Iterable
from typing import TypeVar

_Cell = TypeVar("_Cell")


def left_out(users: Iterable[int], least: int) -> list[bool]:
    """Tell which cells of a table are left out: those of fewer users, and those by which these could be told.

    Who knows the sum of all cells has that of the ones left out. It must be of several cells, and of at least
    as many users as a cell that is shown; else the smallest cells that are left go too (complementary
    suppression: A. Hundepool et al., Statistical Disclosure Control, 2012, Sec. 4.2).

    Examples
    --------
    >>> left_out([20, 1, 9, 7], 5)
    [False, True, False, True]
    >>> left_out([20, 2, 3, 7], 5), left_out([20, 1, 1, 7], 5)
    ([False, True, True, False], [False, True, True, True])
    >>> left_out([20, 5, 0], 5)
    [False, False, True]
    """
    counts = list(users)
    out = [n < least for n in counts]
    rest = sorted((n, place) for place, n in enumerate(counts) if not out[place])
    for _, place in rest:
        hidden = [n for n, gone in zip(counts, out, strict=True) if gone and n > 0]
        if not hidden or (len(hidden) > 1 and sum(hidden) >= least):
            break
        out[place] = True
    return out


def large_cells(cells: Iterable[_Cell], users: Iterable[int], least: int) -> tuple[list[_Cell], int, str]:
    """Return the cells that are shown, how many are not, and words if some of these have enough users.

    Examples
    --------
    >>> large_cells("abcd", [20, 1, 9, 7], 5)
    (['a', 'c'], 2, ', or by which those could be told,')
    """
    counts = list(users)
    out = left_out(counts, least)
    telling = any(gone and n >= least for n, gone in zip(counts, out, strict=True))
    kept = [cell for cell, gone in zip(cells, out, strict=True) if not gone]
    return kept, sum(out), ", or by which those could be told," if telling else ""
