"""TFRecord files of topics, in the encoding of Protocol Buffers, thousands of records at a time.

A record is its length (8 bytes), a checksum of the length (4), so many bytes, and their checksum (4). The
bytes are a message ``tf.train.Example``: fields one after another, each a number that says which field and
how long it is, and what is in it. Numbers are written seven bits a byte, the lowest first. Messages within
messages are read level by level, those of all records at once.
"""

from struct import Struct
from typing import NamedTuple

import numpy as np

from quiff.core.numbers import Array

CUT, DAMAGED, MALFORMED, UNLIKE, LARGE, TWICE, LONG = range(1, 8)  # what can be wrong with a record
_POLYNOMIAL = 0x82F63B78  # of CRC-32C, its bits reversed
_MASK, _WORD = 0xA282EAD8, 0xFFFFFFFF
_LARGEST = 65_535  # the largest number of a topic
_LONGEST = 2**20  # bytes of a record
_LENGTH = Struct("<q")
_BEFORE, _AFTER = b"epoch_", b"_topics"


class Spans(NamedTuple):
    """Parts of the bytes: where each begins and ends, and to which of the parts before it belongs."""

    owner: Array
    begin: Array
    end: Array

    def where(self, chosen: Array | slice) -> "Spans":
        """Return those that are chosen."""
        return Spans(self.owner[chosen], self.begin[chosen], self.end[chosen])

    def within(self, owner: Array) -> "Spans":
        """Return the same parts by the owners of their owners."""
        return self._replace(owner=owner[self.owner])


def find_records(data: Array) -> tuple[Spans, int]:
    """Return where the contents of records are, and what is wrong after the last of them, 0 if nothing."""
    bytes_, at, end, begins, ends = memoryview(data.data), 0, data.shape[0], [], []
    while at < end:
        length = _LENGTH.unpack_from(bytes_, at)[0] if at + 16 <= end else -1
        wrong = CUT if length < 0 or length > end - at - 16 else LONG if length > _LONGEST else 0
        if wrong:
            break
        begins.append(at + 12)
        at += 16 + length
        ends.append(at - 4)
    else:
        wrong = 0
    found = np.array(begins, dtype=np.int64), np.array(ends, dtype=np.int64)
    return Spans(np.arange(len(begins)), *found), wrong


def damaged(data: Array, records: Spans) -> Array:
    """Tell which records have another checksum than is written beside them or beside their length."""
    at_length = records._replace(begin=records.begin - 12, end=records.begin - 4)
    of_length = checksums(data, at_length) != _words(data, at_length.end)
    return np.asarray(of_length | (checksums(data, records) != _words(data, records.end)))


def checksums(data: Array, spans: Spans) -> Array:
    """Return the masked CRC-32C of the bytes of each span.

    >>> data = np.frombuffer(b"123456789", dtype=np.uint8)
    >>> hex(checksums(data, Spans(np.zeros(1), np.zeros(1, dtype=np.int64), np.full(1, 9)))[0])
    '0xc78ab0e5'
    """
    table = np.arange(256, dtype=np.int64)
    for _ in range(8):
        table = np.where(table & 1, (table >> 1) ^ _POLYNOMIAL, table >> 1)
    lengths = spans.end - spans.begin
    order = np.argsort(
        -lengths, kind="stable"
    )  # the longest first: who still has a byte comes before the rest
    begin, still = spans.begin[order], np.cumsum(np.bincount(lengths)[::-1])[::-1]
    crc = np.full(lengths.shape[0], _WORD, dtype=np.int64)
    for place in range(int(lengths.max(initial=0))):
        n = still[place + 1]
        crc[:n] = table[(crc[:n] ^ data[begin[:n] + place]) & 0xFF] ^ (crc[:n] >> 8)
    crc ^= _WORD
    masked = np.empty_like(crc)
    masked[order] = (((crc >> 15) | (crc << 17)) + _MASK) & _WORD
    return masked


def _words(data: Array, at: Array) -> Array:
    """Return the numbers of four bytes at some places, the lowest first."""
    return sum((data[at + k].astype(np.int64) << 8 * k for k in range(4)), np.zeros(at.shape, dtype=np.int64))


def short_numbers(data: Array, at: Array, stop: Array) -> tuple[Array, Array]:
    """Return a number of seven bits a byte for each place, and the place after it; -1 if there is none."""
    number, after, left = np.zeros(at.shape, dtype=np.int64), at.copy(), np.arange(at.shape[0])
    for shift in range(0, 63, 7):
        inside = after[left] < stop[left]
        number[left[~inside]] = -1
        left = left[inside]
        byte = data[after[left]].astype(np.int64)
        number[left] |= (byte & 127) << shift
        after[left] += 1
        left = left[byte > 127]
        if not left.size:
            break
    number[left] = -1
    return number, np.where(number < 0, stop, after)


class Fields(NamedTuple):
    """The fields of messages, in their order: where they are, their numbers, whether they have a length."""

    spans: Spans
    number: Array
    sized: Array
    malformed: Array  # for each message, whether it is none


def read_fields(data: Array, messages: Spans) -> Fields:
    """Return the fields of messages."""
    at, malformed = messages.begin.copy(), np.zeros(messages.begin.shape, dtype=bool)
    left, parts = np.flatnonzero(at < messages.end), []
    while left.size:
        stop = messages.end[left]
        key, begin = short_numbers(data, at[left], stop)
        kind = np.where(key < 0, 7, key & 7)
        end = np.full(begin.shape, -1)
        plain, sized = kind == 0, kind == 2
        number, after = short_numbers(data, begin[plain], stop[plain])
        end[plain] = np.where(number < 0, -1, after)
        length, begin[sized] = short_numbers(data, begin[sized], stop[sized])
        end[sized] = np.where(length < 0, -1, begin[sized] + np.minimum(length, _LONGEST + 1))
        for width, fixed in ((8, kind == 1), (4, kind == 5)):
            end[fixed] = begin[fixed] + width
        good = (end >= 0) & (end <= stop)
        malformed[left[~good]] = True
        left, end = left[good], end[good]
        parts.append((left, begin[good], end, key[good] >> 3, sized[good]))
        at[left] = end
        left = left[end < messages.end[left]]
    nothing = (np.zeros(0, dtype=np.int64),) * 5
    columns = [np.concatenate(column) for column in zip(nothing, *parts, strict=True)]
    order = np.argsort(columns[0], kind="stable")
    owner, begin, end, number, with_length = (column[order] for column in columns)
    return Fields(Spans(owner, begin, end), number, with_length.astype(bool), malformed)


def epochs_named(data: Array, names: Spans) -> Array:
    """Return the numbers in names such as ``epoch_12_topics``, -1 for other names."""
    epochs = np.full(names.begin.shape, -1, dtype=np.int64)
    fixed = len(_BEFORE) + len(_AFTER)
    for digits in range(1, 10):
        some = np.flatnonzero(names.end - names.begin == fixed + digits)
        if some.size:
            text = data[names.begin[some, np.newaxis] + np.arange(fixed + digits)]
            number = text[:, len(_BEFORE) : -len(_AFTER)].astype(np.int64) - ord("0")
            fits = (text[:, : len(_BEFORE)] == list(_BEFORE)).all(axis=1)
            fits &= (text[:, -len(_AFTER) :] == list(_AFTER)).all(axis=1)
            fits &= ((number >= 0) & (number <= 9)).all(axis=1)
            epochs[some] = np.where(fits, number @ 10 ** np.arange(digits)[::-1], -1)
    return epochs


class Topics(NamedTuple):
    """The topics of records, in their order: whose, of which epoch, and what is wrong with each record."""

    record: Array
    epoch: Array
    topic: Array
    wrong: Array
    named: Array  # the records of all epochs that are named
    named_epochs: Array


def read_topics(data: Array, records: Spans) -> Topics:
    """Read the whole numbers of the features ``epoch_0_topics`` and so on of each record."""
    wrong = np.zeros(records.begin.shape, dtype=np.int64)
    everything = np.arange(wrong.shape[0])

    def inner(messages: Spans, wanted: int) -> tuple[Spans, Fields]:
        """Return the sized fields of one number in messages, whose owners are records."""
        fields = read_fields(data, messages)
        wrong[messages.owner[fields.malformed]] = MALFORMED
        return fields.spans.where(fields.sized & (fields.number == wanted)), fields

    features, _ = inner(records._replace(owner=everything), 1)
    entries, _ = inner(features, 1)
    entries = entries.within(features.owner)
    parts = read_fields(data, entries)
    wrong[entries.owner[parts.malformed]] = MALFORMED
    keys = parts.spans.where(parts.sized & (parts.number == 1))
    values = parts.spans.where(parts.sized & (parts.number == 2))
    epoch, begin, end = (
        np.full(entries.owner.shape, -1),
        *np.zeros((2, entries.owner.shape[0]), dtype=np.int64),
    )
    epoch[keys.owner] = epochs_named(data, keys)
    begin[values.owner], end[values.owner] = values.begin, values.end
    named = np.flatnonzero(epoch >= 0)
    features = Spans(entries.owner[named], begin[named], end[named])
    lists, _ = inner(features, 3)
    listed = Spans(features.owner[lists.owner], lists.begin, lists.end)
    _, fields = inner(listed, 1)
    numbers = fields.spans.where(fields.number == 1)
    feature, topic = _listed(data, numbers.within(lists.owner))
    record = features.owner[feature]
    large = (topic < 0) | (topic > _LARGEST)
    wrong[record[large & (wrong[record] == 0)]] = LARGE
    return Topics(record, epoch[named][feature], topic, wrong, features.owner, epoch[named])


def _listed(data: Array, spans: Spans) -> tuple[Array, Array]:
    """Return the numbers that spans have one after the other, and whose they are."""
    at, left, parts = spans.begin.copy(), np.flatnonzero(spans.begin < spans.end), []
    while left.size:
        number, at[left] = short_numbers(data, at[left], spans.end[left])
        parts.append((left, number))
        left = left[at[left] < spans.end[left]]
    nothing = (np.zeros(0, dtype=np.int64),) * 2
    span, number = (np.concatenate(column) for column in zip(nothing, *parts, strict=True))
    order = np.argsort(span, kind="stable")
    return spans.owner[span[order]], number[order]


def read_sets(data: Array, records: Spans, epochs: int, top_s: int) -> tuple[Array, Array]:
    """Return the topics of records, (records, epochs, s), and what is wrong with each, 0 if nothing."""
    topics = read_topics(data, records)
    n, wrong = records.begin.shape[0], topics.wrong
    sets = np.zeros((n, epochs, top_s), dtype=np.uint16)
    inside = topics.named_epochs < epochs
    named = np.bincount(topics.named[inside] * epochs + topics.named_epochs[inside], minlength=n * epochs)
    fits = (named.reshape(n, epochs) == 1).all(axis=1)
    fits[topics.named[~inside]] = False
    twice = (named.reshape(n, epochs) > 1).any(axis=1)
    fits &= wrong == 0
    cell = topics.record * epochs + topics.epoch
    counted = fits[topics.record]
    counts = np.bincount(cell[counted], minlength=n * epochs)
    fits &= (counts.reshape(n, epochs) == top_s).all(axis=1)
    counted = fits[topics.record]
    order = np.argsort(cell[counted], kind="stable")
    sets[fits] = topics.topic[counted][order].reshape(-1, epochs, top_s)
    wrong = np.where((wrong == 0) & twice, TWICE, wrong)
    return sets, np.where((wrong == 0) & ~fits, UNLIKE, wrong)
