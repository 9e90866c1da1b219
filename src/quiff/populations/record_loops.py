"""The compiled loops that read TFRecord files of topics, in the encoding of Protocol Buffers.

A record is its length (8 bytes), a checksum of the length (4), so many bytes, and their checksum (4). The
bytes are a message ``tf.train.Example``: fields one after another, each a number that says which field and
how long it is, and what is in it. Numbers are written seven bits a byte, the lowest first.
"""

from typing import Any

import numpy as np

from quiff.core.compiled import compiled
from quiff.core.numbers import Array

_POLYNOMIAL = 0x82F63B78  # of CRC-32C, its bits reversed
_MASK = 0xA282EAD8
_WORD = 0xFFFFFFFF
CUT, DAMAGED, MALFORMED, UNLIKE, LARGE, TWICE = 1, 2, 3, 4, 5, 6  # what can be wrong with a record
_LARGEST = 65_535  # the largest number of a topic


def checksum_table() -> Array:
    """Return what each byte adds to a checksum.

    >>> hex(checksum_table()[1])
    '0xf26b8303'
    """
    table = np.arange(256, dtype=np.int64)
    for _ in range(8):
        table = np.where(table & 1, (table >> 1) ^ _POLYNOMIAL, table >> 1)
    return table


@compiled
def checksum(data: Array, start: int, stop: int, table: Array) -> Any:
    """Return the masked CRC-32C of some bytes.

    >>> hex(checksum(np.frombuffer(b"123456789", dtype=np.uint8), 0, 9, checksum_table()))
    '0xc78ab0e5'
    """
    crc = np.int64(_WORD)
    for place in range(start, stop):
        crc = table[(crc ^ data[place]) & 0xFF] ^ (crc >> 8)
    crc ^= _WORD
    return (((crc >> 15) | (crc << 17)) + _MASK) & _WORD  # as written beside a record


@compiled
def whole_number(data: Array, at: int, size: int) -> Any:
    """Return a number of some bytes, the lowest first."""
    number = np.int64(0)
    for k in range(size):
        number |= np.int64(data[at + k]) << (8 * k)
    return number


@compiled
def count_records(data: Array) -> Any:
    """Return how many records there are, and what is wrong after the last of them, 0 if nothing."""
    at, n, end = 0, 0, data.shape[0]
    while at < end:
        length = whole_number(data, at, 8) if at + 16 <= end else -1
        if length < 0 or length > end - at - 16:
            return n, CUT
        at += 16 + int(length)
        n += 1
    return n, 0


@compiled
def short_number(data: Array, at: int, stop: int) -> Any:
    """Return a number of seven bits a byte and the place after it; -1 if there is none."""
    number, shift = np.int64(0), 0
    while at < stop and shift < 63:
        byte = np.int64(data[at])
        at += 1
        number |= (byte & 127) << shift
        if byte < 128:
            return number, at
        shift += 7
    return np.int64(-1), stop


@compiled
def next_field(data: Array, at: int, stop: int) -> Any:
    """Return the next field: its number, whether it has a length, where it begins, and where it ends.

    The number is -1 for what is no field.
    """
    key, at = short_number(data, at, stop)
    kind, length = key & 7, np.int64(-1)
    if key < 0:
        return -1, False, stop, stop
    if kind == 0:
        number, end = short_number(data, at, stop)
        return key >> 3 if number >= 0 else -1, False, at, end
    if kind == 1:
        length = np.int64(8)
    elif kind == 2:
        length, at = short_number(data, at, stop)
    elif kind == 5:
        length = np.int64(4)
    if length < 0 or length > stop - at:
        return -1, False, stop, stop
    return key >> 3, kind == 2, at, at + length


@compiled
def epoch_named(data: Array, start: int, stop: int, before: Array, after: Array) -> Any:
    """Return the number in a name such as ``epoch_12_topics``, -1 for other names."""
    digits = stop - start - before.shape[0] - after.shape[0]
    if not 0 < digits < 10:
        return -1
    first, number = start + before.shape[0], np.int64(0)
    for k in range(before.shape[0]):
        if data[start + k] != before[k]:
            return -1
    for k in range(after.shape[0]):
        if data[first + digits + k] != after[k]:
            return -1
    for k in range(digits):
        digit = np.int64(data[first + k]) - 48
        if not 0 <= digit <= 9:
            return -1
        number = 10 * number + digit
    return number


@compiled
def take_numbers(data: Array, start: int, stop: int, numbers: Array) -> int:
    """Write the whole numbers of a feature; return how many there are, below 0 what is wrong."""
    n, at = 0, start
    while at < stop:
        field, sized, inner, at = next_field(data, at, stop)
        if field < 0:
            return -MALFORMED
        if field != 3 or not sized:  # Int64List
            continue
        place, end = inner, at
        while place < end:
            field, sized, begin, place = next_field(data, place, end)
            if field < 0:
                return -MALFORMED
            while field == 1 and begin < place:  # packed in one field, or each in its own
                number, begin = short_number(data, begin, place)
                if number < 0 or number > _LARGEST:
                    return -LARGE
                if n == numbers.shape[0]:
                    return n + 1
                numbers[n] = number
                n += 1
    return n


@compiled
def take_example(data: Array, start: int, stop: int, before: Array, after: Array, sets: Array) -> int:
    """Write the topics of one user, (epochs, s); return 0, or what is wrong."""
    seen, example = 0, start
    named = np.uint64(0)  # a bit for each epoch
    while example < stop:
        field, sized, at, example = next_field(data, example, stop)
        if field < 0:
            return MALFORMED
        features = example if field == 1 and sized else at
        while at < features:
            field, sized, entry, at = next_field(data, at, features)
            if field < 0:
                return MALFORMED
            epoch, value, end = -1, 0, 0
            while field == 1 and sized and entry < at:
                part, long, inner, entry = next_field(data, entry, at)
                if part < 0:
                    return MALFORMED
                if part == 1 and long:
                    epoch = epoch_named(data, inner, entry, before, after)
                elif part == 2 and long:
                    value, end = inner, entry
            if epoch < 0:
                continue
            if epoch >= sets.shape[0]:
                return UNLIKE
            bit = np.uint64(1) << np.uint64(epoch)
            if named & bit:
                return TWICE
            named |= bit
            found = take_numbers(data, value, end, sets[epoch])
            if found != sets.shape[1]:
                return UNLIKE if found >= 0 else -found
            seen += 1
    return 0 if seen == sets.shape[0] else UNLIKE


@compiled
def take_records(
    data: Array, n: int, table: Array, before: Array, after: Array, sets: Array, first: int
) -> Any:
    """Write the topics of n users from a place on, (users, epochs, s); return how many, and what is wrong."""
    at = 0
    for user in range(n):
        length = whole_number(data, at, 8)
        start, stop = at + 12, at + 12 + length
        if checksum(data, at, at + 8, table) != whole_number(data, at + 8, 4):
            return user, DAMAGED
        if checksum(data, start, stop, table) != whole_number(data, stop, 4):
            return user, DAMAGED
        wrong = take_example(data, start, stop, before, after, sets[first + user])
        if wrong:
            return user, wrong
        at = stop + 4
    return n, 0
