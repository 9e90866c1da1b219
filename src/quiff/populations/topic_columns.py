"""Sets of topics from the columns of a file, piece by piece: checked, and as numbers.

Topics get numbers in the order in which they come up, so that pieces agree; when all are known they get
their own order. Whole columns are worked on at once; nothing in a cell is ever evaluated.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from quiff.core.distinct import sorted_rows
from quiff.core.numbers import Array
from quiff.errors import LabelError, ParameterError, QuiffError, ShapeError, counted
from quiff.populations.form import RANKING, Form
from quiff.populations.literals import QUOTED, TOPIC_LIST, no_topic_list
from quiff.populations.user_columns import At
from quiff.safe_text import shape

_BETWEEN, _BEGIN, _END = "\x1d", "\x1e", "\x1f"
_TOP_REMEDY = "run quiff profile again with --top {top}"


class SetReader:
    """Reads the sets of one file; the first set tells the size of all, `at` where a row of all pieces is."""

    def __init__(self, form: Form, at: At) -> None:
        self._form = form
        self._at = at
        self._rows = 0  # of the pieces before
        self._size: int | None = None
        self._numbers: dict[Any, int] = {}

    def codes(self, table: Any) -> Array:
        """Return the sets of a piece as numbers of topics, (rows, s), each set in ascending order."""
        n = table.num_rows
        if self._form.numbered:
            encoded = self._stacked(table)
            numbers = self._numbered(encoded, lambda place: (place % n, self._form.topics[place // n]))
            codes = numbers.reshape(-1, n).T
        else:
            encoded, size = self._listed(table)
            numbers = self._numbered(encoded, lambda place: (place // size, "a topic"))
            codes = numbers.reshape(n, size)
        self._check_size(codes.shape[1])
        ordered = sorted_rows(codes)
        self._check_once(ordered)
        self._rows += n
        return ordered

    def topics(self) -> tuple[list[Any], Array]:
        """Return all topics in their order, and for each number the place of its topic.

        Topics that are all whole numbers become numbers.
        """
        names = list(self._numbers)
        if all(isinstance(name, str) and _is_whole(name) for name in names):
            names = [int(name) for name in names]
        order = sorted(range(len(names)), key=names.__getitem__)
        place = np.empty(len(order), dtype=np.int32)
        place[order] = np.arange(len(order))
        return [names[number] for number in order], place

    def visited(self, table: Any, codes: Array) -> Array | None:
        """Return which topics of a piece were visited, given its codes; None if the piece does not say."""
        return visited_of(table, codes, self._numbers)

    def rows_with(self, topic: Any, codes: Array) -> Array:
        """Return the rows of a piece, given by its codes, whose set has a topic as `topics` names it."""
        number = next((k for name, k in self._numbers.items() if str(name) == str(topic)), -1)
        return np.flatnonzero((codes == number).any(axis=1))

    def _stacked(self, table: Any) -> Any:
        """Return the columns of topics one below the other."""
        import pyarrow as pa

        columns = [_plain(table[name]) for name in self._form.topics]
        if len({column.type for column in columns}) > 1:
            columns = [column.cast(pa.string()) for column in columns]
        return pa.concat_arrays(columns).dictionary_encode()

    def _listed(self, table: Any) -> tuple[Any, int]:
        """Return the topics of all lists in a row, and how many a list has."""
        import pyarrow as pa
        import pyarrow.compute as pc

        column = _plain(table[self._form.topics[0]])
        if self._form.ranked:
            lists = self._ranked(column, self._form.top or 1)
        elif _is_list(column.type):
            lists = column
        else:
            lists = self._split(column.cast(pa.string()))
        sizes = pc.fill_null(pc.list_value_length(lists), 0).to_numpy(zero_copy_only=False)
        first = self._size or int(sizes[0])
        if (sizes != first).any() or not first:
            row = int(np.argmax(sizes != first)) if first else 0
            raise ShapeError(
                f"{self._at(self._rows + row)} the set has {counted(sizes[row], 'topic')}, but the first one"
                f" {first}; all sets must have the same size, at least 1: fill up the short ones or cut the"
                " long ones"
            )
        return _plain(lists.flatten()).dictionary_encode(), first

    def _ranked(self, column: Any, top: int) -> Any:
        """Return the heads of ranked topics, as long as the sets that were asked for."""
        import pyarrow as pa
        import pyarrow.compute as pc

        lengths = pc.fill_null(pc.list_value_length(column), 0).to_numpy(zero_copy_only=False)
        if (lengths < top).any():
            row = int(np.argmax(lengths < top))
            raise ParameterError(
                f"{self._at(self._rows + row)} the ranking has {counted(lengths[row], 'topic')}, too few for"
                f" sets of {top}; {_TOP_REMEDY.format(top=top)}, which fills short sets"
            )
        heads = pc.list_slice(column, 0, top)
        entries = heads.flatten()
        ranks = pc.struct_field(entries, "rank").to_numpy(zero_copy_only=False).reshape(-1, top)
        if (ranks != np.arange(1, top + 1)).any():
            row = int(np.argmax((ranks != np.arange(1, top + 1)).any(axis=1)))
            raise QuiffError(
                f"{self._at(self._rows + row)} the ranking is not in order; {_TOP_REMEDY.format(top=top)}"
            )
        starts = np.arange(0, len(entries) + 1, top, dtype=np.int32)
        return pa.ListArray.from_arrays(starts, pc.struct_field(entries, "topic"))

    def _split(self, column: Any) -> Any:
        """Split cells such as ``['News', 'Music']`` or ``News, Music``."""
        import pyarrow.compute as pc

        text = pc.fill_null(column, "")
        row = pc.index(pc.match_substring_regex(text, TOPIC_LIST), False).as_py()
        if row >= 0:
            raise QuiffError(f"{self._at(self._rows + row)} {no_topic_list(text[row].as_py())}")
        bare = pc.replace_substring_regex(text, r"^\s*[\[({]?\s*|\s*,?\s*[\])}]?\s*$", "")
        split = pc.replace_substring(bare, ",", _BETWEEN)
        quoted = pc.match_substring_regex(text, "['\"]")
        if pc.any(quoted).as_py():
            marked = pc.replace_substring_regex(text, QUOTED, rf"{_BEGIN}\1\2{_END}")
            inner = pc.replace_substring_regex(marked, f"^[^{_BEGIN}]*{_BEGIN}|{_END}[^{_END}]*$", "")
            between = pc.replace_substring_regex(inner, f"{_END}[^{_BEGIN}{_END}]*{_BEGIN}", _BETWEEN)
            split = pc.if_else(quoted, between, split)
        trimmed = pc.utf8_trim(split, " ")
        return pc.split_pattern(pc.if_else(pc.equal(trimmed, ""), None, trimmed), _BETWEEN)

    def _numbered(self, encoded: Any, owner: Callable[[int], tuple[int, str]]) -> Array:
        """Return the number of each topic; `owner` tells the row and the name of what is empty."""
        names = [name.strip() if isinstance(name, str) else name for name in encoded.dictionary.to_pylist()]
        places = encoded.indices
        empty = places.is_null().to_numpy(zero_copy_only=False)
        if "" in names:
            chosen = places.fill_null(0).to_numpy(zero_copy_only=False)
            empty = empty | np.isin(chosen, [k for k, name in enumerate(names) if name == ""])
        if empty.any():
            row, what = owner(int(np.argmax(empty)))
            raise ShapeError(
                f"{self._at(self._rows + row)} {what} is empty; all sets must have the same size"
            )
        split = [k for k, name in enumerate(names) if isinstance(name, str) and "\n" in name]
        if split:
            row, what = owner(int(np.argmax(np.isin(places.to_numpy(zero_copy_only=False), split))))
            raise QuiffError(
                f"{self._at(self._rows + row)} {what} goes over several lines; close its quotes on one"
            )
        numbers = [self._numbers.setdefault(name, len(self._numbers)) for name in names]
        return np.asarray(np.array(numbers, dtype=np.int32)[places.to_numpy(zero_copy_only=False)])

    def _check_size(self, size: int) -> None:
        if self._size is None and self._form.top not in (None, size):
            raise ParameterError(
                f"{self._at(0)} the set has {counted(size, 'topic')}, and there are no ranked topic counts to"
                f" take sets of {self._form.top} from; quiff profile stores them in its Parquet files, or"
                f" {_TOP_REMEDY.format(top=self._form.top)}"
            )
        self._size = size

    def _check_once(self, codes: Array) -> None:
        again = codes[:, 1:] == codes[:, :-1]
        if again.any():
            row, place = np.argwhere(again)[0]
            topic = list(self._numbers)[int(codes[row, place])]
            raise LabelError(
                f"{self._at(self._rows + int(row))} the set has the topic {shape(topic)} twice;"
                " name each topic once"
            )


def _plain(column: Any) -> Any:
    """Return a column in one piece, its values spelled out."""
    import pyarrow as pa

    whole = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    if isinstance(whole, pa.ChunkedArray):  # without any chunk
        whole = pa.concat_arrays(whole.chunks) if whole.num_chunks else pa.array([], whole.type)
    return whole.dictionary_decode() if pa.types.is_dictionary(whole.type) else whole


def _is_list(kind: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind))


def _is_whole(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= 18 and (text == "0" or text[0] != "0")


def visited_of(table: Any, codes: Array, numbers: Mapping[Any, int]) -> Array | None:
    """Return which topics of each set of a piece were visited; None if its ranking does not say it."""
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
