"""Bits of a word, compiled."""

from typing import Any

import numpy as np

from quiff.core.compiled import compiled

__all__ = ["count_bits"]

_FIVES, _THREES = np.uint64(0x5555555555555555), np.uint64(0x3333333333333333)
_NIBBLES, _ONES = np.uint64(0x0F0F0F0F0F0F0F0F), np.uint64(0x0101010101010101)
_1, _2, _4, _56 = np.uint64(1), np.uint64(2), np.uint64(4), np.uint64(56)


@compiled
def count_bits(word: Any) -> Any:
    """Return how many bits of a word are set; the form that compilers turn into one instruction.

    Examples
    --------
    >>> int(count_bits(np.uint64(0b1011)))
    3
    """
    word = word - ((word >> _1) & _FIVES)
    word = (word & _THREES) + ((word >> _2) & _THREES)
    word = (word + (word >> _4)) & _NIBBLES
    return np.int64((word * _ONES) >> _56)
