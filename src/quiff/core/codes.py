"""Sets of topics as arrays of codes: the positions of the topics in a list of all of them."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from quiff.core.distinct import smallest_index_type, sorted_rows
from quiff.core.labels import Labels
from quiff.core.numbers import Array, check_unmasked
from quiff.errors import LabelError, ShapeError


def as_codes(
    codes: object,
    shape: tuple[int, int | None] | tuple[int],
    n_codes: int,
    rows: Labels | None = None,
    what: str = "output",
) -> Array:
    """Check an array of whole numbers below `n_codes`; with `rows`, that no row has the same one twice."""
    check_unmasked(codes)
    array = np.asarray(codes)
    if array.dtype.kind not in "iu":
        raise ShapeError(f"codes must be an array of whole numbers, not of type {array.dtype}")
    if array.ndim != len(shape) or array.shape[0] != shape[0]:
        asked = f"{shape[0]} rows" if len(shape) == 2 else f"{shape[0]} entries"
        raise ShapeError(f"the array of codes has shape {array.shape}, but the labels ask for {asked}")
    if array.size and not (int(array.min()) >= 0 and int(array.max()) < n_codes):
        bad = int(array.min()) if array.min() < 0 else int(array.max())
        raise LabelError(f"the code {bad} does not number any of the {n_codes} {what}s (0 to {n_codes - 1})")
    array = array.astype(smallest_index_type(n_codes))
    if rows is not None:
        array = sorted_rows(array)
        again = array[:, 1:] == array[:, :-1]
        if again.any():
            first = int(np.argwhere(again)[0, 0])
            raise LabelError(f"the set of {rows[first]!r} has the same topic twice")
    return array


def sets_as_entries(
    sets: Mapping[Any, Iterable[Any]], topics: Labels, what: str = "output"
) -> tuple[Array, Array]:
    """Return where each set starts in one long array of codes, and that array, in the order given."""
    lengths, codes = [0], []
    for label, members in sets.items():
        if isinstance(members, str | bytes) or not isinstance(members, Iterable):
            raise LabelError(f"the set of {label!r} is {members!r}; give a set or a list of topics")
        found = [topics.position(topic, what) for topic in members]
        if len(set(found)) < len(found):
            raise LabelError(f"the set of {label!r} has the same topic twice")
        codes += found
        lengths.append(len(found))
    return np.cumsum(lengths), np.array(codes, dtype=smallest_index_type(topics.size))
