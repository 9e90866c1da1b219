"""The secrets that a program is run on: plain values, or records with attributes."""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NoReturn, final

import numpy as np

from quiff.core.labels import Labels, as_labels
from quiff.core.numbers import Array
from quiff.errors import LabelError, QuiffError
from quiff.programs.draws import Expand, listed
from quiff.programs.sealed import one_plain_type

WHOLE = ""
"""The name of a secret that is a value and has no attributes."""


@final
@dataclass(frozen=True, eq=False)
class Column:
    """An attribute: its distinct values, and for each secret the position of its own."""

    values: Sequence[Any]
    codes: Array

    @classmethod
    def of(cls, values: Sequence[Any]) -> "Column":
        """Return the column with a value for each secret; what is not hashable counts as different."""
        places: dict[Any, int] = {}
        keys = [distinct_key(value, place) for place, value in enumerate(values)]
        codes = np.array([places.setdefault(key, len(places)) for key in keys], dtype=np.int64)
        first = np.unique(codes, return_index=True)[1]
        return cls([values[int(i)] for i in first], codes)

    @classmethod
    def of_distinct(cls, values: Sequence[Any]) -> "Column":
        """Return the column of secrets that all have another value."""
        return cls(values, np.arange(len(values)))

    @cached_property
    def plain(self) -> bool:
        """Whether all values are of one plain type, so that they can stay sealed."""
        return one_plain_type(self.values) is not None

    @cached_property
    def hashable(self) -> bool:
        """Whether no value can be changed by a program; else it is given a copy."""
        return all(type(value).__hash__ is not None for value in self.values)

    @cached_property
    def _known_parts(self) -> dict[int, tuple[Array | None, list[tuple[int, Array | None]]]]:
        return {}

    def split(self, rows: Array | None) -> list[tuple[int, Array | None]]:
        """Return the values that some secrets have (None: all of them), and who has each; always the same."""
        if id(rows) not in self._known_parts:  # kept with its rows, so that no others get their id
            self._known_parts[id(rows)] = rows, self._split(rows)
        return self._known_parts[id(rows)][1]

    def _split(self, rows: Array | None) -> list[tuple[int, Array | None]]:
        codes = self.codes if rows is None else self.codes[rows]
        order = np.argsort(codes, kind="stable")
        ordered = codes[order]
        starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
        if starts.shape[0] == 1:
            return [(int(ordered[0]), rows)]
        who = order if rows is None else rows[order]
        return list(zip(ordered[starts].tolist(), np.split(who, starts[1:]), strict=True))

    @cached_property
    def _known_options(self) -> dict[Expand, list[tuple[Any, ...]] | None]:
        return {}

    def options(self, expand: Expand) -> list[tuple[Any, ...]] | None:
        """Return the options of a draw over each value, or None if they are not all there and plain."""
        if expand not in self._known_options:
            self._known_options[expand] = self._options(expand)
        return self._known_options[expand]

    def _options(self, expand: Expand) -> list[tuple[Any, ...]] | None:
        if one_plain_type(self.values) not in (tuple, frozenset):
            return None
        try:
            made = [expand(listed(value)) for value in self.values]
        except QuiffError:
            return None
        kinds = one_plain_type(option for options in made for option in options)
        return made if kinds is not None and all(made) else None


@final
class Secrets:
    """Distinct secrets as columns; `whole` if a secret is one value without attributes."""

    def __init__(self, columns: Mapping[str, Column], size: int, *, whole: bool = False) -> None:
        self.columns, self.size, self.whole = columns, size, whole

    @classmethod
    def given(cls, secrets: object) -> tuple["Secrets", Labels, Array]:
        """Return the distinct secrets of a mapping from labels or of a list, the labels, and which is whose.

        Values that are all mappings are records.
        """
        if isinstance(secrets, str | bytes) or not isinstance(secrets, Iterable):
            raise LabelError(
                f"secrets are {secrets!r}; give people, a mapping from label to value, or a list",
                what="secrets",
                value=secrets,
            )
        values = list(secrets.values() if isinstance(secrets, Mapping) else secrets)
        values = [frozenset(value) if isinstance(value, set) else value for value in values]
        labels = as_labels(secrets if isinstance(secrets, Mapping) else values, "secret")
        if not values:
            raise LabelError("there is no secret; give at least one")
        if not all(isinstance(value, Mapping) for value in values):
            column = Column.of(values)
            own = cls({WHOLE: Column.of_distinct(column.values)}, len(column.values), whole=True)
            return own, labels, column.codes
        names = list(values[0])
        if any(set(value) != set(names) for value in values):
            raise LabelError(f"the records of secrets must all have the attributes {', '.join(names)}")
        columns = {name: Column.of([value[name] for value in values]) for name in names}
        return cls(columns, len(values)), labels, np.arange(len(values))


@final
class Record:
    """A secret as a program sees it: attributes to read, and nothing else."""

    __slots__ = ("_read",)

    def __init__(self, read: Callable[[str], Any]) -> None:
        self._read = read

    @classmethod
    def of(cls, attributes: Mapping[str, Any]) -> "Record":
        """Return the record of a mapping from attributes to values."""

        def read(name: str) -> Any:
            if name not in attributes:
                raise LabelError(
                    f"the secret has no attribute {name!r}; it has {', '.join(attributes)}",
                    what="attribute",
                    value=name,
                    allowed=", ".join(attributes),
                )
            return attributes[name]

        return cls(read)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return self._read(name)

    def _refuse(self, *_: Any) -> NoReturn:
        raise LabelError("a secret of people is read by its attributes, such as user.topics")

    __getitem__ = __iter__ = __eq__ = __ne__ = _refuse
    __hash__ = None  # type: ignore[assignment]


def distinct_key(value: Any, place: int) -> Hashable:
    """Return what makes a value different from others; what is not hashable differs by its place.

    Python holds 1, True and 1.0 for equal, as well as 0.0 and -0.0; programs can tell them apart.
    """
    try:
        hash(value)
    except TypeError:
        return ("place", place)
    if type(value) in (tuple, frozenset):
        return (type(value), type(value)(distinct_key(part, place) for part in value))
    return (type(value), repr(value) if type(value) is float else value)
