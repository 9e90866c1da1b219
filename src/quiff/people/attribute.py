"""Attributes of people: columns of values, that is deterministic channels from users to values."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from numbers import Real
from typing import Any, final

import numpy as np

from quiff.core.channel import Channel
from quiff.core.distinct import distinct_codes
from quiff.core.labels import Labels, SetLabels, aligned, as_labels, own_names, same
from quiff.core.numbers import Array
from quiff.core.validate import as_codes
from quiff.errors import LabelError, ParameterError, ShapeError, counted

TOPICS, HISTORY = "topics", "history"  # the attributes that have a form of their own
_ALL = slice(None)


@final
@dataclass(frozen=True, eq=False, repr=False)
class Attribute:
    """What a column says of each user, for one epoch (it is stable) or for several.

    Examples
    --------
    >>> country = Attribute.of("country", ["AT", None, "AT"])
    >>> list(country.values), country.which.tolist()
    (['AT', None], [[0, 1, 0]])
    """

    name: str
    values: Labels  # the distinct values that occur; those that do not are left out
    which: Array  # the position of each user's value: (epochs, users), or (users,) for one epoch

    @classmethod
    def of(cls, name: str, values: Iterable[Any]) -> "Attribute":
        """Return the stable attribute with the value of each user, in their order.

        None, nan and empty text are one value, None. Where a truth value occurs beside an equal number, as
        True beside 1, all values are written as Python writes them, so that they stay apart.
        """
        return cls.of_codes(name, *numbered(name, values))

    @classmethod
    def of_codes(cls, name: str, values: Sequence[Any], which: Array) -> "Attribute":
        """Return the attribute with positions in a list of values, which may say the same thing twice."""
        distinct, places = _distinct(name, values)
        return cls(name, distinct, places[which])

    def __post_init__(self) -> None:
        values, which = as_labels(self.values, "value"), np.asarray(self.which)
        which = which[np.newaxis] if which.ndim == 1 else which
        if which.ndim != 2 or not which.size:
            raise ShapeError(
                what="the shape",
                value=which.shape,
                allowed="(users,) or (epochs, users)",
                where=f"the attribute {self.name!r}",
            )
        codes = as_codes(which.reshape(-1), (which.size,), values.size, what="value").astype(np.int64)
        used = np.bincount(codes, minlength=values.size) > 0
        if not used.all():
            values, codes = _taken(values, np.flatnonzero(used)), (np.cumsum(used) - 1)[codes]
        codes = codes.reshape(which.shape)
        codes.flags.writeable = False
        vars(self).update(values=values, which=codes)

    @property
    def n_epochs(self) -> int:
        """For how many epochs there are values; 1 means that they are stable."""
        return int(self.which.shape[0])

    @property
    def n_users(self) -> int:
        """For how many users there are values."""
        return int(self.which.shape[1])

    @property
    def changes(self) -> bool:
        """Whether users have a value for each of several epochs."""
        return self.n_epochs > 1

    def at(self, epochs: slice = _ALL, users: Any = _ALL) -> "Attribute":
        """Return the attribute in some epochs, if it changes, and of some users."""
        return Attribute(self.name, self.values, self.which[epochs if self.changes else _ALL][:, users])

    def check_for(self, name: str, n_users: int, n_epochs: int) -> None:
        """Raise an error unless there is a value for each of so many users and epochs."""
        if self.n_users != n_users:
            raise ShapeError(
                f"the attribute {name!r} has {counted(self.n_users, 'value')}, but there are"
                f" {counted(n_users, 'user')}; give one for each"
            )
        if self.n_epochs not in (1, n_epochs):
            raise ShapeError(
                f"the attribute {name!r} has {self.n_epochs} epochs, but others {n_epochs};"
                " give values for as many, or for one if they do not change"
            )

    def channel(self, users: object) -> Channel:
        """Return the channel that gives each user their value."""
        self.check_stable()
        return Channel.deterministic_from_codes(users, self.which[0], self.values)

    def check_stable(self) -> None:
        """Raise an error unless each user has one value."""
        if self.changes:
            raise ParameterError(
                f"the attribute {self.name!r} has {self.n_epochs} values for each user, one for each epoch,"
                " but only one can be used; give one epoch, or in Python choose an epoch by"
                " population.epoch(0)"
            )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Attribute):
            return NotImplemented
        return (
            self.name == other.name
            and np.array_equal(self.which, other.which)
            and same(self.values, other.values)
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        epochs = f" in each of {self.n_epochs} epochs" if self.changes else ""
        values, users = counted(self.values.size, "value"), counted(self.n_users, "user")
        return f"<Attribute {self.name!r}: {values} of {users}{epochs}>"


def records(attributes: Sequence[Attribute]) -> Attribute:
    """Return several stable attributes as one, whose values are the tuples that occur; one, as it is."""
    if len(attributes) == 1:
        return attributes[0]
    for attribute in attributes:
        attribute.check_stable()
    codes = np.stack([attribute.which[0] for attribute in attributes], axis=1)
    first, which = distinct_codes(codes, max(attribute.values.size for attribute in attributes))
    values = _RecordLabels(tuple(attribute.values for attribute in attributes), codes[first])
    return Attribute(", ".join(attribute.name for attribute in attributes), values, which)


def no_attribute(name: object, there: Sequence[str]) -> str:
    """Say that there is no such attribute, what there is, and how to get it."""
    listed = f", but {', '.join(map(repr, there))}" if there else ""
    start = f"these people have no attribute {name!r}{listed}"
    if name == HISTORY:
        return (
            f"{start}; attach browsing histories by people.with_histories(...), on the command line by"
            " --histories, or by --attribute history if the file has that column"
        )
    close = get_close_matches(str(name), there, 1)
    meant = f"; did you mean {close[0]!r}?" if close else ""
    return (
        f"{start}{meant or ';'} read a column by Population.read(file, attributes=({name!r},)), on the"
        f" command line by --attribute {name}"
    )


def attribute_of(name: str, values: object, users: Labels) -> Attribute:
    """Make an attribute of what `Population.with_attribute` takes."""
    if isinstance(values, Attribute):
        return Attribute(name, values.values, values.which)
    if isinstance(values, Channel):
        codes = values.codes
        if codes is None:
            raise ParameterError(
                f"the attribute {name!r} is a channel; give a deterministic one from the users"
            )
        order = aligned(users, values.inputs, "people", f"attribute {name!r}")
        return Attribute(name, values.outputs, codes[order])
    names = None if isinstance(values, Mapping) else own_names(values)
    if names is not None and all(user in names for user in users):
        listed = values if hasattr(values, "tolist") else values.to_numpy()  # type: ignore[attr-defined]
        values = dict(zip(names, listed.tolist(), strict=True))
    elif names is not None and not same(names, as_labels(range(users.size))):
        raise LabelError(
            f"the attribute {name!r} has no value for some users; name each in its index, or give a list in"
            " the order of the users"
        )
    if isinstance(values, Mapping):
        lost = sum(user not in values for user in users)
        if lost:
            raise LabelError(
                f"the attribute {name!r} has no value for {counted(lost, 'user')}; give each user one, None"
                " where it is not known"
            )
        values = [values[user] for user in users]
    return Attribute.of(name, values)  # type: ignore[arg-type]  # checked there


@final
class _RecordLabels(Labels):
    """Tuples of labels that occur together, as distinct rows of positions in lists of labels."""

    def __init__(self, parts: tuple[Labels, ...], codes: Array) -> None:
        self.parts, self.codes = parts, np.ascontiguousarray(codes, dtype=np.int64)
        self.size = int(self.codes.shape[0])

    def _label(self, position: int) -> tuple[Hashable, ...]:
        return tuple(part[int(code)] for part, code in zip(self.parts, self.codes[position], strict=True))

    def _same_as(self, other: Labels) -> bool:
        if isinstance(other, _RecordLabels) and self.parts == other.parts:
            return bool(np.array_equal(self.codes, other.codes))
        return super()._same_as(other)


def _taken(values: Labels, kept: Array) -> Labels:
    """Return the labels at some positions."""
    if isinstance(values, SetLabels):
        return SetLabels(values.codes[kept], values.topics)
    if isinstance(values, _RecordLabels):
        return _RecordLabels(values.parts, values.codes[kept])
    return as_labels([values[int(place)] for place in kept], "value")


def numbered(name: str, values: Iterable[Any]) -> tuple[list[Any], Array]:
    """Return the values of users without most repetitions, and for each user the place of theirs."""
    if isinstance(values, np.ndarray) and values.ndim == 1 and values.dtype.kind in "biuU":
        found, which = np.unique(values, return_inverse=True)
        return found.tolist(), which
    if isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable):
        raise LabelError(f"the attribute {name!r} is {values!r}; give a value for each user")
    places: dict[tuple[type, Any], int] = {}
    try:
        codes = [places.setdefault((type(value), value), len(places)) for value in values]
    except TypeError:
        raise LabelError(
            f"the attribute {name!r} has a value that is not hashable; use text, numbers,"
            " tuples or frozensets"
        ) from None
    return [value for _, value in places], np.array(codes, dtype=np.int64)


def _distinct(name: str, values: Sequence[Any]) -> tuple[Labels, Array]:
    """Return the distinct values in order, the missing one last, and where each of the given ones is."""
    plain = [_plain(value) for value in values]
    seen = {value for value in plain if value is not None}
    truths = [value for value in plain if isinstance(value, bool)]
    numbers = {value for value in plain if not isinstance(value, bool)}
    if any(truth in numbers for truth in truths):
        written: dict[Any, str] = {}
        plain = [v if v is None else written.setdefault((type(v) is bool, v), repr(v)) for v in plain]
        seen = {value for value in plain if value is not None}
    listed = [*sorted(seen, key=_place), *([None] if None in plain else [])]
    place = {value: position for position, value in enumerate(listed)}
    return as_labels(listed, f"value of {name}"), np.array([place[value] for value in plain], dtype=np.int64)


def _place(value: Any) -> tuple[str, Any]:
    """Return what values are sorted by: numbers and texts as such, others as they are written."""
    if isinstance(value, Real):
        return "", value
    if isinstance(value, str):
        return "str", value
    parts = sorted(map(repr, value)) if isinstance(value, frozenset) else value
    return type(value).__name__, repr(parts)


def _plain(value: Any) -> Hashable:
    """Return a value of Python's own type, and None for what is missing."""
    value = value.item() if isinstance(value, np.generic) else value
    try:
        return None if value is None or value == "" or value != value else value
    except TypeError:  # pandas.NA, of which nothing is true
        return None
