"""Labels: the names of a prior's outcomes, of a channel's inputs and outputs, of a gain's actions.

A label is any hashable. Long lists of labels are lazy (a range, an array, sets of codes; tuples are in
`composite_labels`) and unique by construction or by sorting, so that they cost no dictionary until somebody
looks a label up.
"""

import math
import sys
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from numbers import Real
from typing import Any, final, overload

import numpy as np

from quiff.core.distinct import distinct_codes, smallest_index_type
from quiff.core.numbers import Array, check_unmasked
from quiff.errors import LabelError, QuiffError, ShapeError, SizeError, counted, how_many

_LONGEST = 200  # signs of a label in a message


class Labels(Sequence[Hashable], ABC):
    """A sequence of unique labels that knows where each one stands."""

    size: int
    """How many there are; unlike ``len`` it may exceed the machine's word."""

    @abstractmethod
    def _label(self, position: int) -> Hashable:
        """Return the label at a position in 0 .. size-1."""

    def _find(self, label: Hashable) -> int | None:
        """Return a label's position, or None."""
        return self._index.get(label)

    @cached_property
    def _index(self) -> dict[Hashable, int]:
        return {label: position for position, label in enumerate(self)}

    def _same_as(self, second: "Labels") -> bool:
        """Compare with as many labels, one by one; kinds that know a faster way have their own."""
        return all(left == right for left, right in zip(self, second, strict=True))

    def __len__(self) -> int:
        if self.size > sys.maxsize:
            raise SizeError(f"there are {counted(self.size, 'label')}, too many for len(); ask for .size")
        return self.size

    @overload
    def __getitem__(self, position: int) -> Hashable: ...
    @overload
    def __getitem__(self, position: slice) -> tuple[Hashable, ...]: ...
    def __getitem__(self, position: int | slice) -> Hashable | tuple[Hashable, ...]:
        if isinstance(position, slice):
            return tuple(self._label(i) for i in range(*position.indices(self.size)))
        if not -self.size <= position < self.size:
            raise IndexError(f"position {how_many(position)} of {counted(self.size, 'label')}")
        return self._label(position % self.size)

    def __iter__(self) -> Iterator[Hashable]:
        return (self._label(i) for i in range(self.size))

    def __contains__(self, label: object) -> bool:
        return self._find_any(label) is not None

    def __eq__(self, second: object) -> bool:
        return isinstance(second, Labels) and same(self, second)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        visible = ", ".join(map(repr, self[:6]))
        return f"Labels({visible}{', ...' if self.size > 6 else ''}; {how_many(self.size)})"

    def _find_any(self, label: object) -> int | None:
        try:
            return self._find(label)
        except TypeError:  # not hashable, so not a label of anything
            return None

    def position(self, label: Hashable, what: str = "label") -> int:
        """Return where a label stands, or raise a LabelError that quotes it."""
        result = self._find_any(label)
        if result is None:
            known = ", ".join(map(_cut, self[:5])) + (", ..." if self.size > 5 else "")
            raise LabelError(f"{_cut(label)} is not a known {what}; known are {known or 'none'}")
        return result

    def positions(self, labels: Iterable[Hashable], what: str = "label") -> Array:
        """Return where each of some labels stands."""
        if isinstance(labels, Labels) and same(self, labels):
            return np.arange(self.size)
        return np.fromiter((self.position(label, what) for label in labels), dtype=np.intp)


@final
class _ListedLabels(Labels):
    """Labels given one by one."""

    def __init__(self, labels: tuple[Hashable, ...]) -> None:
        self._labels = labels
        self.size = len(self._labels)

    def _label(self, position: int) -> Hashable:
        return self._labels[position]

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self._labels)


@final
class _RangeLabels(Labels):
    """The whole numbers of a range."""

    def __init__(self, numbers: range) -> None:
        self.numbers = numbers
        self.size = len(self.numbers)

    def _label(self, position: int) -> int:
        return self.numbers[position]

    def _find(self, label: Any) -> int | None:
        # A range finds a plain integer at once, but anything else only by looking at every number.
        if not isinstance(label, Real):
            return None
        try:
            total: Any = math.trunc(label)
        except (OverflowError, ValueError):  # infinite, or not a number
            return None
        return self.numbers.index(total) if total == label and total in self.numbers else None

    def _same_as(self, second: Labels) -> bool:
        return (
            self.numbers == second.numbers if isinstance(second, _RangeLabels) else super()._same_as(second)
        )


@final
class _ArrayLabels(Labels):
    """The entries of a one-dimensional array of integers or strings."""

    def __init__(self, array: Array) -> None:
        self.array = array
        self.size = int(self.array.shape[0])

    def _label(self, position: int) -> Hashable:
        label: Hashable = self.array[position].item()
        return label

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self.array.tolist())

    def _same_as(self, second: Labels) -> bool:
        if isinstance(second, _ArrayLabels):
            return bool(np.array_equal(self.array, second.array))
        return super()._same_as(second)


@final
class SetLabels(Labels):
    """Distinct sets of topics, held as an array of codes with one sorted row per set.

    >>> sets, which = SetLabels.distinct(np.array([[1, 0], [2, 1], [0, 1]]), as_labels(["a", "b", "c"]))
    >>> [sorted(labels) for labels in sets], which.tolist()
    ([['a', 'b'], ['b', 'c']], [0, 1, 0])
    """

    def __init__(self, codes: Array, topics: Labels) -> None:
        self.codes = codes.view()
        self.codes.flags.writeable = False
        self.topics, self.size = topics, int(codes.shape[0])

    @classmethod
    def distinct(cls, codes: Array, topics: Labels) -> tuple["SetLabels", Array]:
        """Return the distinct sets among the rows of `codes`, and for each row which of them it is."""
        rows = np.sort(codes.astype(smallest_index_type(topics.size)), axis=1)
        first, which = distinct_codes(rows, topics.size)
        return cls(rows[first], topics), which

    def _label(self, position: int) -> frozenset[Hashable]:
        return frozenset(self.topics[int(code)] for code in self.codes[position])

    def _find(self, label: Hashable) -> int | None:
        if not isinstance(label, frozenset) or len(label) != self.codes.shape[1]:
            return None
        codes = [self.topics._find_any(topic) for topic in label]
        if None in codes:
            return None
        return self._rows.get(np.sort(np.array(codes, dtype=self.codes.dtype)).tobytes())

    def _same_as(self, second: Labels) -> bool:
        if isinstance(second, SetLabels) and same(self.topics, second.topics):
            return bool(np.array_equal(self.codes, second.codes))
        return super()._same_as(second)

    @cached_property
    def _rows(self) -> dict[bytes, int]:
        return {row.tobytes(): position for position, row in enumerate(self.codes)}


def as_labels(source: object, what: str = "label") -> Labels:
    """Make labels of a range, an array, or any iterable of hashables.

    >>> as_labels(["Alice", "Bob", "Alice"])
    Traceback (most recent call last):
    ...
    quiff.errors.LabelError: the label 'Alice' is there twice; every label must be unique
    """
    if isinstance(source, Labels):
        return source
    if isinstance(source, range):
        return _RangeLabels(source)
    check_unmasked(source, LabelError)
    if isinstance(source, np.ndarray) and source.dtype.kind in "iuU":
        return _array_labels(source, what)
    if isinstance(source, str | bytes) or not isinstance(source, Iterable):
        raise LabelError(what=f"the {what}s", value=source, allowed="a list, a range or an array")
    listed = tuple(source)
    check_hashable(listed, what)
    unique = len(set(listed)) == len(listed)
    if not unique:
        raise _twice(next(label for label, count in Counter(listed).items() if count > 1), what)
    return _ListedLabels(listed)


def _array_labels(array: Array, what: str) -> Labels:
    if array.ndim != 1:
        raise ShapeError(
            what=f"the number of dimensions of an array of {what}s", value=array.ndim, allowed="1"
        )
    ordered = np.sort(array)
    again = ordered[1:] == ordered[:-1]
    if again.any():
        raise _twice(ordered[1:][again][0].item(), what)
    chosen = array.copy()
    chosen.flags.writeable = False
    return _ArrayLabels(chosen)


def _twice(label: Hashable, what: str) -> QuiffError:
    return LabelError(f"the {what} {_cut(label)} is there twice; every {what} must be unique")


def check_hashable(labels: Iterable[Any], what: str) -> None:
    """Raise a LabelError that quotes the first label that cannot be one."""
    for label in labels:
        try:
            hash(label)
        except TypeError:
            raise LabelError(f"the {what} {label!r} is not hashable; use a frozenset or a tuple") from None


def same(first: Labels, second: Labels) -> bool:
    """Tell whether two lists hold the same labels in the same order."""
    if first is second:
        return True
    if first.size != second.size:
        return False
    return first._same_as(second)


def aligned(wanted: Labels, given: Labels, wanted_by: str, given_by: str) -> Array | slice:
    """Return where each of the wanted labels stands among the given ones: a slice if in the same places."""
    if same(wanted, given):
        return slice(None)
    if isinstance(wanted, _ArrayLabels) and isinstance(given, _ArrayLabels) and wanted.size == given.size:
        order = np.argsort(given.array)
        places = order[np.searchsorted(given.array, wanted.array, sorter=order) % given.size]
        if np.array_equal(given.array[places], wanted.array):
            return np.asarray(places)
    result = [given._find_any(label) for label in wanted]
    if None in result or wanted.size != given.size:
        _check_among(wanted, given, wanted_by, given_by)
        _check_among(given, wanted, given_by, wanted_by)
    return np.array(result, dtype=np.intp)


def by_label(values: Any, labels: Labels, owner: str, what: str) -> Any:
    """Return values in the order of labels, by the names that they bring along; others are in that order.

    Names are the keys of a mapping, the labels of a prior, or the index of a pandas Series or frame; but not
    the index 0, 1, 2, ... that pandas gives by itself, unless these are the labels.

    >>> by_label({"Bob": 1, "Alice": 2}, as_labels(["Alice", "Bob"]), "people", "weights")
    [2, 1]
    >>> by_label({"Bob": 1}, as_labels(["Alice"]), "people", "weights")
    Traceback (most recent call last):
    quiff.errors.LabelError: 'Alice': known to the people, but missing in the weights
    """
    names = own_names(values)
    if names is None:
        return values
    if isinstance(values, Mapping):
        order, listed = aligned(labels, names, owner, what), list(values.values())
        return listed if isinstance(order, slice) else [listed[place] for place in order]
    array = values.to_numpy()
    order = (
        index_order(names, labels, owner, what)
        if hasattr(values, "index")
        else aligned(labels, names, owner, what)
    )
    return array[order]


def own_names(values: object) -> Labels | None:
    """Return the names that values bring along, see `by_label`; None if they have none."""
    if isinstance(values, Mapping):
        return as_labels(values)
    if isinstance(names := getattr(values, "labels", None), Labels):  # of a prior
        return names
    index: Any = getattr(values, "index", None)
    return as_labels(index.tolist()) if hasattr(index, "tolist") else None


def index_order(names: Labels, labels: Labels, owner: str, what: str) -> Array | slice:
    """Return where each label stands in an index of pandas; a slice if it stands there, or without names."""
    plain = same(names, as_labels(range(names.size))) and any(label not in names for label in labels)
    return slice(None) if plain else aligned(labels, names, owner, what)


def _cut(label: Hashable) -> str:
    """Return how a label is written, but not much of a long one, such as a tuple of many."""
    try:
        text = repr(label)
    except ValueError:  # a whole number of more digits than Python writes
        text = "a number of thousands of digits"
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


def _check_among(labels: Labels, rest: Labels, owner: str, other_owner: str) -> None:
    missing = [label for label in labels if label not in rest]
    if missing:
        more = f" and {len(missing) - 3} more" if len(missing) > 3 else ""
        visible = ", ".join(map(_cut, missing[:3]))
        raise LabelError(f"{visible}{more}: known to the {owner}, but missing in the {other_owner}")
