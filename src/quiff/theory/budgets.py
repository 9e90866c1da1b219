"""APIs without noise, limited by budgets: how many messages fit."""

from math import log2

from quiff.theory.parameters import check_number, check_whole


def messages(options: int, bits: float) -> int:
    """Return n^c, the sequences of c = floor(bits/log2 n) choices among n; 1 if there is nothing to choose.

    >>> messages(8, 12), messages(5, 12), messages(3, 12), messages(3, 6)
    (4096, 3125, 2187, 27)
    """
    n, budget = check_whole("options", options, 1), float(check_number("bits", bits, 0, 1 << 20))
    return 1 if n == 1 else int(n ** int(budget / log2(n) + 1e-9))
