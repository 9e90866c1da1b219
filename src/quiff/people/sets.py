"""Sets of topics as they come in, turned into checked arrays of codes.

The codes of a set are the positions of its topics in a list of all topics. Every check is made here, once,
and every message says whose set is wrong and says what to do about it.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from quiff.core.composite_labels import ProductLabels
from quiff.core.labels import Labels, SetLabels, as_labels
from quiff.core.numbers import Array, check_unmasked
from quiff.core.validate import as_codes, sets_as_entries
from quiff.errors import LabelError, ShapeError, counted
from quiff.people.joined_topics import check_topics, joined, joined_topic

# Whole numbers below this are counted rather than sorted to find the distinct ones.
_FEW = 2**20
_NOBODY = "there is no user; give at least one, with a set of topics"


def codes_of_sets(sets: Mapping[Any, Iterable[Any]], topics: object = None) -> tuple[Array, Labels]:
    """Return the codes (users, s) of a mapping from user to set, and all topics."""
    if not isinstance(sets, Mapping):
        raise LabelError(
            f"the sets are a {type(sets).__name__}; give a mapping from user to topics, or take"
            " Population.from_array for an array and Population.from_pandas for a frame"
        )
    if not sets:
        raise LabelError(_NOBODY)
    listed = {user: members(user, topics_of) for user, topics_of in sets.items()}
    seen = {topic for topics_of in listed.values() for topic in topics_of}
    if topics is None:
        check_topics(seen, "a set of topics")
    named = as_labels(in_order(seen) if topics is None else topics, "topic")
    unknown = {topic for topic in seen if topic not in named}
    if unknown:
        user, topic = next((u, t) for u, own in listed.items() for t in own if t in unknown)
        raise LabelError(
            f"the set of {user!r} has {topic!r}, which is not among the {counted(named.size, 'topic')}; "
            "add it to `topics`, or leave `topics` out to take those that occur"
        )
    sizes = np.array([len(topics_of) for topics_of in listed.values()], dtype=np.intp)
    _check_one_size(list(listed), sizes)
    _, codes = sets_as_entries(listed, named)
    return np.sort(codes.reshape(len(listed), -1), axis=1), named


def members(owner: Hashable, topics: Iterable[Any]) -> tuple[Hashable, ...]:
    """Return the topics of one set, or raise an error that names its owner."""
    if isinstance(topics, str | bytes) or not isinstance(topics, Iterable):
        raise LabelError(f"the set of {owner!r} is {topics!r}; give a set or a list of topics")
    listed = tuple(topics)
    try:
        counts = Counter(listed)
    except TypeError:
        raise LabelError(
            f"the set of {owner!r} has a topic that is not hashable; use names or numbers"
        ) from None
    if len(counts) < len(listed):
        twice = counts.most_common(1)[0][0]
        raise LabelError(f"the set of {owner!r} has the topic {twice!r} twice; name each topic once")
    return listed


def in_order(topics: Iterable[Any]) -> list[Hashable]:
    """Sort topics, so that nothing depends on how a set happens to be stored."""
    listed = list(topics)
    try:
        return sorted(listed)
    except TypeError:  # of different kinds
        return sorted(listed, key=repr)


def _check_one_size(users: Sequence[Hashable], sizes: Array) -> None:
    if sizes.size and (sizes != sizes[0]).any():
        odd = int(np.argmax(sizes != sizes[0]))
        raise ShapeError(
            f"the set of {users[odd]!r} has {counted(sizes[odd], 'topic')}, "
            f"but that of {users[0]!r} has {sizes[0]}; "
            "all sets must have the same size: fill up the short ones or cut the long ones"
        )


def as_set_labels(sets: object) -> SetLabels:
    """Make labels of distinct sets of topics, all of one size; what already is such comes back as it is."""
    if isinstance(sets, SetLabels):
        return sets
    if isinstance(sets, str | bytes | Mapping) or not isinstance(sets, Iterable):
        raise LabelError(f"{sets!r} is not a list of sets of topics")
    listed = list(sets)
    if not listed:
        raise LabelError("there is no set of topics; give at least one")
    codes, topics = codes_of_sets(dict(enumerate(listed)))
    return SetLabels.distinct(codes, topics)[0]


def codes_of_values(sets: object, users: Labels) -> tuple[Array, Labels]:
    """Return an array whose entries are the topics themselves as codes, and the topics that occur, sorted."""
    array = _rectangular(sets, users)
    if array.dtype.kind not in "iuU":
        raise ShapeError(
            f"the topics in an array must be whole numbers or strings, not of type {array.dtype}; "
            "for others use Population.from_sets"
        )
    if array.dtype.kind in "iu" and array.size and array.min() >= 0 and array.max() < _FEW:
        small = array.astype(np.intp)
        seen = np.flatnonzero(np.bincount(small.reshape(-1)))
        place = np.zeros(int(seen[-1]) + 1, dtype=np.intp)
        place[seen] = np.arange(seen.shape[0])
        return place[small], as_labels(seen, "topic")
    values, codes = np.unique(array, return_inverse=True)
    names = values.tolist()
    check_topics(names, "the array of topics")
    if array.shape[-1:] == (1,) and (several := joined_topic(names)) is not None:
        raise LabelError(f"the array of topics: {joined(several)}, or name all `topics` there are")
    return codes.reshape(array.shape), as_labels(values, "topic")


def checked_codes(sets: object, users: Labels, topics: Labels) -> Array:
    """Return codes as a read-only array (epochs, users, s) with each set sorted, after all checks."""
    array = _rectangular(sets, users)
    if array.ndim not in (2, 3) or array.shape[-2] != users.size:
        raise ShapeError(
            f"the array of sets has shape {array.shape}, but must have one row for each of the "
            f"{users.size} users: (users, s) or (epochs, users, s)"
        )
    array = array[np.newaxis] if array.ndim == 2 else array
    epochs, _, top_s = array.shape
    if not epochs or not top_s:
        raise ShapeError(f"the array of sets has shape {array.shape}; give at least one epoch and one topic")
    rows = users if epochs == 1 else ProductLabels((as_labels(range(epochs)), users))
    flat = array.reshape(-1, top_s)
    if flat.dtype.kind in "iu" and not 0 <= flat.min() <= flat.max() < topics.size:
        row, place = np.argwhere((flat < 0) | (flat >= topics.size))[0]
        raise LabelError(
            f"the set of {rows[int(row)]!r} has the code {flat[row, place]}, but the {topics.size} topics "
            f"have the codes 0 to {topics.size - 1}; give more topics, or leave `topics` out to take the "
            "numbers themselves as topics"
        )
    try:
        codes = as_codes(flat, (flat.shape[0], None), topics.size, rows)
    except LabelError as error:
        raise LabelError(f"{error}; name each topic once") from None
    codes = codes.reshape(array.shape)
    codes.flags.writeable = False
    return codes


def _rectangular(sets: object, users: Labels) -> Array:
    """Make an array of nested lists; rows of different lengths are an error that says whose."""
    if not users.size:
        raise LabelError(_NOBODY)
    check_unmasked(sets)
    try:
        return np.asarray(sets)
    except ValueError:
        rows = list(sets)  # type: ignore[call-overload]
        if len(rows) == users.size:  # one epoch
            _check_one_size(users, np.array([len(row) for row in rows]))
        raise ShapeError("the sets do not all have the same size; fill up the short ones") from None
