"""How a conversion's value is divided: last-n-touch attribution with randomised rounding."""

from collections.abc import Callable, Iterable, Sequence
from math import floor, inf

from quiff.attribution.options import Conversion, Impression

Flip = Callable[[float], bool]  # True with the given probability


def fairly_allocate_credit(credit: Sequence[float], value: int, flip: Flip) -> list[int]:
    """Divide a value in proportion to credit into whole numbers: unbiased, exact in sum, each off by below 1.

    Examples
    --------
    >>> fairly_allocate_credit([2, 1, 1], 5, lambda p: 0.5 < p)
    [3, 1, 1]
    """
    total = 0.0
    for item in credit:  # one after the other, as the reference code does: Python's sum is more precise
        total += item
    if value * total == inf:  # only the proportions count
        return fairly_allocate_credit([item / max(credit) for item in credit], value, flip)
    rounded = [value * item / total for item in credit]  # 3, 4
    one = 0  # 5: idx1
    for n in range(1, len(rounded)):  # 6
        two = n  # 6.1: idx2
        part1 = rounded[one] - floor(rounded[one])  # 6.2
        part2 = rounded[two] - floor(rounded[two])  # 6.3
        if part1 == 0 and part2 == 0:  # 6.4
            continue
        up = part1 + part2 > 1
        change1, change2 = (1 - part1, 1 - part2) if up else (-part1, -part2)  # 6.5, 6.6
        both = change1 + change2
        p1 = change2 / both if both else 0.0  # 6.7: how probable it is that idx1 becomes whole
        if flip(p1):  # 6.8, 6.9
            change, one, two = change1, two, one
        else:  # 6.10
            change = change2
        rounded[two] += change  # 6.11
        rounded[one] -= change  # 6.12
    return [floor(item + 0.5) for item in rounded]  # 7


def last_n_touch(matched: Iterable[Impression], options: Conversion, flip: Flip) -> list[int]:
    """Return the histogram of some impressions: "fill a histogram with last-n-touch attribution"."""
    ordered = sorted(matched, key=_latest_first)  # 2; of equal ones, the first saved comes first
    last = ordered[: len(options.credit)]  # 3, 4
    credit = fairly_allocate_credit(options.credit[: len(last)], options.value, flip)  # 5, 6
    histogram = [0] * options.histogram_size  # 7
    for impression, value in zip(last, credit, strict=True):  # 8
        if impression.histogram_index < options.histogram_size:  # 8.4
            histogram[impression.histogram_index] += value
    return histogram


def _latest_first(impression: Impression) -> tuple[int, int]:
    return -impression.priority, -impression.timestamp
