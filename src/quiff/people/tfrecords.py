"""People from TFRecord files, as in Google's release of synthetic Topics data, without TensorFlow.

T. Dick, A. Epasto, A. Javanmard, J. Karlin, A. Munoz Medina, V. Mirrokni, S. Vassilvitskii and P. Zhong,
"Differentially Private Synthetic Data Release for Topics API Outputs", KDD '25. The format is that of
google-research/google-research, folder topics_api_data_release, at commit 600df90 (22 July 2026): a record a
user, with the features ``epoch_0_topics``, ``epoch_1_topics`` and so on, five whole numbers each.

That release draws the five topics of a week one by one, so that one can come twice; a browser's are distinct.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from quiff.core.distinct import smallest_index_type
from quiff.core.numbers import Array
from quiff.errors import QuiffError, cannot_read, counted, setting
from quiff.io import StrPath, as_path
from quiff.people.filling import Filling
from quiff.people.tf_examples import (
    DAMAGED,
    MALFORMED,
    UNLIKE,
    Spans,
    damaged,
    find_records,
    read_sets,
    read_topics,
)

SUFFIX = ".tfrecord"
_MOST = 64  # epochs, and topics of a set
_SOME = 2**14  # records at a time
_WRONG = (
    "", "the file ends within it", "it is damaged: its checksum differs", "it is no tf.train.Example",
    "it has other epochs, or other numbers of topics, than the first", "a topic is no number up to 65535",
    "it names an epoch twice", "it is longer than a mebibyte",
)  # fmt: skip


def tfrecord_files(path: StrPath) -> list[Path]:
    """Return the files of TFRecords that a path names: itself, or those in the folder that it is.

    >>> tfrecord_files("profiles.parquet")
    []
    """
    path = as_path(path)
    if path.is_dir():
        return sorted(path.glob(f"*{SUFFIX}"))
    return [path] if path.suffix == SUFFIX else []


def read_tfrecords(files: Sequence[Path], missing: str, seed: int) -> dict[str, Any]:
    """Return the fields of the population; users are numbered from 0 in the order of files and records.

    `missing` says what becomes of users with a topic twice in an epoch: ``error``; ``drop`` leaves them out;
    ``fill`` puts a random one of the topics that occur in its place, marked as not visited.
    """
    sizes = []
    for file in files:  # one after the other, so that no two are in memory
        records, wrong = find_records(_bytes(file))
        sizes.append(records.begin.shape[0])
        if wrong:
            raise _wrong(file, sizes[-1], wrong)
    if not sum(sizes):
        raise QuiffError("there is no record; give at least one user", where=repr(str(files[0])))
    first = next(file for file, n in zip(files, sizes, strict=True) if n)
    sets = np.zeros((sum(sizes), *_shape(_bytes(first), first)), dtype=np.uint16)
    start = 0
    for file, n in zip(files, sizes, strict=True):
        data = _bytes(file)
        records, _ = find_records(data)
        for place in range(0, n, _SOME):
            some = records.where(slice(place, place + _SOME))
            rows = slice(start + place, start + min(place + _SOME, n))
            sets[rows] = _checked_sets(data, some, sets.shape[1:], file, place)
        start += n
    return _fields(sets, missing, seed)


def _checked_sets(data: Array, records: Spans, shape: tuple[int, ...], file: Path, before: int) -> Array:
    """Return the topics of some records, or say what is wrong with the first that is not as it should be."""
    sets, wrong = read_sets(data, records, *shape)
    wrong = np.where(damaged(data, records), DAMAGED, wrong)
    if wrong.any():
        first = int(np.argmax(wrong > 0))
        raise _wrong(file, before + first, int(wrong[first]))
    return sets


def _bytes(file: Path) -> Array:
    """Return a file's bytes, which need not fit into memory."""
    try:
        return np.memmap(file, np.uint8, "r") if file.stat().st_size else np.zeros(0, np.uint8)
    except OSError as error:
        raise cannot_read(file, error) from error


def _wrong(file: Path, before: int, wrong: int) -> QuiffError:
    return QuiffError(f"{str(file)!r}, record {before + 1}: {_WRONG[wrong]}")


def _shape(data: Array, file: Path) -> tuple[int, int]:
    """Return the epochs of the first record and the number of topics in each."""
    records = find_records(data)[0].where(slice(1))
    topics = read_topics(data, records)
    epochs = int(topics.named_epochs.max(initial=-1)) + 1
    counts = np.bincount(topics.epoch, minlength=1)
    top_s = int(counts[0])
    if 0 < epochs <= _MOST and 0 < top_s <= _MOST:
        wrong = int(read_sets(data, records, epochs, top_s)[1][0])
        if wrong != UNLIKE:
            if wrong:
                raise _wrong(file, 0, wrong)
            return epochs, top_s
    elif topics.wrong[0] == MALFORMED:
        raise _wrong(file, 0, MALFORMED)
    raise QuiffError(
        f"{str(file)!r}, record 1: it has no features epoch_0_topics, epoch_1_topics and so on, with as many"
        f" whole numbers in each, at most {_MOST}"
    )


def _fields(values: Array, missing: str, seed: int) -> dict[str, Any]:
    """Return the fields of people with some numbers as topics, (users, epochs, s)."""
    values.sort(axis=2)
    again = np.zeros(values.shape, dtype=bool)
    again[..., 1:] = values[..., 1:] == values[..., :-1]
    twice = again.any(axis=(1, 2))
    n_twice, filling = int(twice.sum()), None
    notes: tuple[str, ...] = ()
    if n_twice and missing == "error":
        raise QuiffError(
            f"{counted(n_twice, 'user')} of {len(values)} have a topic twice in an epoch; leave them out by"
            f" {setting('missing', 'drop')}, or put random topics there by {setting('missing', 'fill')}"
        )
    if n_twice and missing == "drop":
        values = values[~twice]
        notes = (f"{counted(n_twice, 'user')} with a topic twice in an epoch are left out.",)
        if not len(values):
            raise QuiffError(f"every user has a topic twice in an epoch; take {setting('missing', 'fill')}")
    topics = np.flatnonzero(np.bincount(values.reshape(-1)))
    place = np.zeros(topics[-1] + 1, dtype=smallest_index_type(topics.size))
    place[topics] = np.arange(topics.size)
    codes = place[values]
    if n_twice and missing == "fill":
        filling = Filling.of(np.moveaxis(_filled(codes, again, topics.size, seed), 1, 0))
    sets = np.ascontiguousarray(np.moveaxis(codes, 1, 0))
    fields = {"users": np.arange(len(values)), "topics": topics, "sets": sets, "weights": None}
    return fields | {"filling": filling, "notes": notes}


def _filled(codes: Array, again: Array, n_topics: int, seed: int) -> Array:
    """Put random topics in the place of those that are there again; return which topics were visited."""
    if codes.shape[2] > n_topics:
        raise QuiffError(
            what="the number of topics",
            value=n_topics,
            allowed=f"at least {codes.shape[2]}, the size of the sets",
        )
    rng, visited = np.random.default_rng(seed), ~again
    rows = np.argwhere(again.any(axis=2))
    while rows.size:
        user, epoch = rows.T
        some, old = codes[user, epoch], visited[user, epoch]
        some = np.where(old, some, rng.integers(n_topics, size=some.shape))
        order = np.argsort(some, axis=1)
        some, old = np.take_along_axis(some, order, 1), np.take_along_axis(old, order, 1)
        codes[user, epoch], visited[user, epoch] = some, old
        rows = rows[(some[:, 1:] == some[:, :-1]).any(axis=1)]
    return visited
