"""Which topics of the sets of a file were visited: told by ranked topic counts, or how many by a column."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from quiff.core.distinct import sorted_rows
from quiff.core.numbers import Array
from quiff.errors import QuiffError
from quiff.populations.form import GENUINE, RANKING
from quiff.populations.user_columns import At
from quiff.safe_text import shape


def genuine_of(table: Any, size: int, at: At, before: int = 0) -> Array | None:
    """Return how many topics of each set of a piece were visited; None if the piece does not say.

    Raises
    ------
    QuiffError
        If a number is none from 0 to the size of a set.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    if GENUINE not in table.column_names:
        return None
    texts = table[GENUINE].combine_chunks().cast(pa.string())
    good = pc.fill_null(pc.match_substring_regex(texts, "^[0-9]{1,9}$"), False)
    row = pc.index(good, False).as_py()
    numbers = None if row >= 0 else texts.cast(pa.int64()).to_numpy(zero_copy_only=False)
    if numbers is not None and (numbers > size).any():
        row = int(np.argmax(numbers > size))
    if row >= 0:
        raise QuiffError(
            f"{at(before + row)} the number of visited topics, {GENUINE}, is {shape(texts[row].as_py())}, but"
            f" must be a whole number from 0 to {size}; rename the column if it is something else"
        )
    return numbers


def visited_of(table: Any, codes: Array, numbers: Mapping[Any, int]) -> Array | None:
    """Return which topics of each set of a piece were visited; None if its ranking does not say it.

    Parameters
    ----------
    table
        The piece, with the column of ranked topic counts.
    codes
        The sets of the piece as numbers of topics, each in ascending order.
    numbers
        The number of each topic.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    if RANKING not in table.column_names or not table.num_rows:
        return None
    column = table[RANKING].combine_chunks()
    if isinstance(column, pa.ChunkedArray):
        column = pa.concat_arrays(column.chunks)
    n, size = codes.shape
    if not _counts_topics(column.type) or pc.min(pc.list_value_length(column).fill_null(0)).as_py() < size:
        return None
    entries = pc.list_slice(column, 0, size).flatten()
    encoded = pc.struct_field(entries, "topic").dictionary_encode()
    names = [name.strip() if isinstance(name, str) else name for name in encoded.dictionary.to_pylist()]
    places = np.array([numbers.get(name, -1) for name in names], dtype=np.int64)
    ranked = places[encoded.indices.fill_null(0).to_numpy(zero_copy_only=False)].reshape(n, size)
    visits = pc.struct_field(entries, "visits").fill_null(0).to_numpy(zero_copy_only=False)
    ordered = sorted_rows(2 * ranked + (visits.reshape(n, size) > 0))  # both in one number
    return np.asarray(ordered % 2 == 1) if np.array_equal(ordered // 2, codes) else None


def _counts_topics(kind: Any) -> bool:
    """Tell whether a column has lists of topics with their visits."""
    import pyarrow as pa

    if not (pa.types.is_list(kind) or pa.types.is_large_list(kind)):
        return False
    return bool(pa.types.is_struct(kind.value_type)) and {"topic", "visits"} <= {
        field.name for field in kind.value_type
    }
