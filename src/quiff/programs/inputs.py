"""The secrets that a program is run on: plain values, or records with attributes."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

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
        codes = np.array([places.setdefault(_key(value), len(places)) for value in values], dtype=np.int64)
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

    def split(self, rows: Array | None) -> list[tuple[int, Array | None]]:
        """Return the values that some secrets have (None: all of them), and who has each."""
        codes = self.codes if rows is None else self.codes[rows]
        order = np.argsort(codes, kind="stable")
        ordered = codes[order]
        starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
        if starts.shape[0] == 1:
            return [(int(ordered[0]), rows)]
        who = order if rows is None else rows[order]
        return list(zip(ordered[starts].tolist(), np.split(who, starts[1:]), strict=True))

    def can_draw(self, expand: Expand) -> bool:
        """Tell whether a draw over each of the values can stay sealed."""
        return self.options(expand) is not None

    def options(self, expand: Expand) -> list[tuple[Any, ...]] | None:
        """Return the options of a draw over each value, or None if they are not all there and plain."""
        known: dict[Any, Any] = self._options
        if expand not in known:
            known[expand] = self._made(expand)
        made: list[tuple[Any, ...]] | None = known[expand]
        return made

    @cached_property
    def _options(self) -> dict[Any, Any]:
        return {}

    def _made(self, expand: Expand) -> list[tuple[Any, ...]] | None:
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

    def column(self, name: str) -> Column:
        """Return an attribute by its name."""
        return self.columns[name]

    @classmethod
    def given(cls, secrets: object) -> tuple["Secrets", Labels, Array]:
        """Return the distinct secrets of a mapping from label to value, or of a list of values.

        With them come the labels, and for each label which secret is its own. Values that are all mappings
        are records.
        """
        if isinstance(secrets, Mapping):
            labels, values = as_labels(secrets, "secret"), list(secrets.values())
        elif isinstance(secrets, str | bytes) or not hasattr(secrets, "__iter__"):
            raise LabelError(
                f"secrets are {secrets!r}; give people, a mapping from label to value, or a list"
            )
        else:
            values = [frozenset(value) if isinstance(value, set) else value for value in secrets]
            labels = as_labels(values, "secret")
        if not values:
            raise LabelError("there is no secret; give at least one")
        if not all(isinstance(value, Mapping) for value in values):
            column = Column.of([frozenset(v) if isinstance(v, set) else v for v in values])
            size = len(column.values)
            return (
                cls({WHOLE: Column.of_distinct(column.values)}, size, whole=True),
                labels,
                column.codes,
            )
        names = list(values[0])
        if any(list(value) != names for value in values):
            raise LabelError(f"the records of secrets must all have the attributes {names}, in this order")
        columns = {name: Column.of([value[name] for value in values]) for name in names}
        return cls(columns, len(values)), labels, np.arange(len(values))


@final
class Record:
    """A secret as a program sees it: attributes to read, and nothing else."""

    __slots__ = ("_read",)

    def __init__(self, read: Callable[[str], Any]) -> None:
        self._read = read

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return self._read(name)

    __hash__ = None  # type: ignore[assignment]


def _key(value: Any) -> Hashable:
    """Return what makes a value different from others; 1, True and 1.0 are three values."""
    try:
        hash(value)
    except TypeError:
        return (id(value),)
    return _typed(value)


def _typed(value: Any) -> Hashable:
    if type(value) is tuple:
        return (tuple, tuple(map(_typed, value)))
    return (type(value), value)
