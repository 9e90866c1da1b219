"""The columns of a table of profiles: which ones matter, and what their cells say.

Topics get numbers in the order in which they come up, so that pieces of a table agree; when all are known
they get their own order. Whole columns are worked on at once; nothing in a cell is ever evaluated.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from quiff.core.numbers import Array
from quiff.errors import LabelError, ParameterError, QuiffError, ShapeError, counted
from quiff.people.attribute import TOPICS
from quiff.people.joined_topics import joined, joined_topic, several_numbers
from quiff.people.literals import QUOTED, TOPIC_LIST, no_topic_list
from quiff.safe_text import column_names, shape, topic_shape

# Columns that ``quiff profile`` stores: the ranked topic counts, and how many topics of a set were visited.
RANKING, GENUINE = "ranking", "genuine"

At: TypeAlias = Callable[[int], str]  # says where a row of a file stands, counted from 0
Column: TypeAlias = tuple[list[Any], Array]  # values of an attribute, and the place of each row's among them

_USERS = ("user", "RandID")
_LISTS = ("sTopics", TOPICS)
_SEVERAL_LINES = "goes over several lines; close its quotes on one"
_WHOLE = "^(0|-?[1-9][0-9]{0,17})$"
_BETWEEN, _BEGIN, _END = "\x1d", "\x1e", "\x1f"
_EMPTY, _SPLIT, _JOINED = -1, -2, -3  # in place of the number of a topic


@dataclass(frozen=True)
class Form:
    """The columns that matter."""

    user: str | None  # None if users are numbered by their rows
    topics: tuple[str, ...]  # one column of lists, or t1, t2 and so on; none if there are attributes only
    epoch: bool  # whether there is a column of this name
    weights: str | None
    top: int | None = None  # the size of the sets that was asked for; None takes that of the file
    genuine: bool = False  # whether a column says how many topics of these sets were visited
    counted: bool = False  # whether there are ranked topic counts, which say which topics were visited
    attributes: tuple[str, ...] = ()

    @property
    def numbered(self) -> bool:
        """Whether each topic of a set has a column of its own."""
        return not {*self.topics} & {*_LISTS, RANKING}

    @property
    def ranked(self) -> bool:
        """Whether sets are taken from ranked topic counts."""
        return self.topics == (RANKING,)

    @property
    def columns(self) -> list[str]:
        """All of these columns, each once; but ranked topic counts only if the sets are taken from them."""
        single = (self.user, "epoch" * self.epoch, self.weights, GENUINE * self.genuine)
        return list(dict.fromkeys([*filter(None, single), *self.topics, *self.attributes]))


def numbered_columns(names: Iterable[Any]) -> tuple[str, ...]:
    """Return the columns t1, t2 and so on, in this order."""
    own = (name for name in names if isinstance(name, str) and re.fullmatch("t[1-9][0-9]{0,8}", name))
    return tuple(sorted(own, key=lambda name: int(name[1:])))


def attribute_names(names: str | Iterable[str]) -> tuple[str, ...]:
    """Return the names of attributes, each once."""
    listed = tuple(dict.fromkeys([names] if isinstance(names, str) else names))
    wrong = next((name for name in listed if not isinstance(name, str) or not name or name == TOPICS), None)
    if wrong is not None:
        raise ParameterError(
            f"the attribute {wrong!r} needs another name, a text that is not {TOPICS!r}; rename its column"
        )
    return listed


def form_of(
    at: str,
    names: Sequence[str],
    below: Sequence[Sequence[str]] | None,
    *,
    top: int | None,
    weights: str | None,
    attributes: tuple[str, ...],
) -> Form:
    """Return the form of a file from the names of its columns.

    For messages, `at` says where they stand, and `below` are some rows, if the names may be one.
    """
    numbered = numbered_columns(names)
    listed = column_names(names, below)
    user = next((name for name in _USERS if name in names), None)
    lists = tuple(name for name in _LISTS if name in names)[:1]
    topics = (RANKING,) if top is not None and RANKING in names else lists or numbered
    if not (topics and (user or numbered)) and not attributes:
        raise QuiffError(
            f"the columns are {listed}; profiles need user and topics"
            " (or t1, t2 and so on), or RandID and sTopics",
            where=at,
        )
    if user and topics:  # the line does name columns, and is nobody's data
        listed = column_names(names)
    if weights is not None and weights not in names:
        raise ParameterError(f"there is no column {weights!r} of weights; the columns are {listed}", where=at)
    lost = next((name for name in attributes if name not in names), None)
    if lost is not None:
        raise ParameterError(
            f"there is no column {lost!r} for an attribute; the columns are {listed}", where=at
        )
    counts = RANKING in names and bool(topics)
    genuine = GENUINE in names and topics not in ((RANKING,), ())  # of the sets as they are stored
    form = Form(user, topics, "epoch" in names, weights, top, genuine, counts, attributes)
    if form.epoch and user is None:
        raise QuiffError("there is a column epoch, but none for the users; add a column user", where=at)
    twice = next((name for name in form.columns if list(names).count(name) > 1), None)
    if twice is not None:
        raise QuiffError(f"the column {twice!r} is there twice; name each column once", where=at)
    return form


class ColumnReader:
    """Reads the columns of one table piece by piece; `at` says where a row of all pieces stands."""

    def __init__(self, form: Form, at: At) -> None:
        self._form, self._at = form, at
        self._before = self._rows = 0  # rows of the pieces before, and of this one
        self._size: int | None = None  # of all sets, as the first one tells
        self._numbers: dict[Any, int] = {}
        self._bare: Any = None  # which cells of this piece are one text without quotes, if some are
        self._cells: dict[int, int] = {}  # the first row of each topic that is the whole of such a cell

    def take(self, table: Any) -> "ColumnReader":
        """Go on to the next piece."""
        self._before, self._rows, self._table = self._before + self._rows, table.num_rows, table
        return self

    def _check(self, wrong: Any, text: Callable[[int], str], error: type[QuiffError] = QuiffError) -> None:
        """Raise an error for the first row of this piece that is wrong; `text` says of a row what is."""
        rows = np.flatnonzero(wrong)
        if rows.size:
            raise error(text(int(rows[0])), where=self._at(self._before + int(rows[0])))

    def users(self) -> Any:
        """Return the users as an Arrow array of whole numbers or text; None if there is no such column."""
        name = self._form.user
        if name is None:
            return None
        column = _plain(self._table[name])
        if pa.types.is_integer(column.type) and not column.null_count:
            return column
        texts = column.cast(pa.string())
        self._check(pc.fill_null(pc.equal(texts, ""), True), lambda _: f"{name} is empty; name every user")
        self._check(pc.match_substring(texts, "\n"), lambda _: f"{name} {_SEVERAL_LINES}")
        return texts

    def epochs(self) -> Array | None:
        """Return the numbers of the epochs, if there are some."""
        text = "the epoch is {}, but must be a whole number"
        return self._whole_numbers("epoch", 10**18, text) if self._form.epoch else None

    def genuine(self) -> Array | None:
        """Return how many topics of each set were visited, if a column says so."""
        text = (
            f"the number of visited topics, {GENUINE}, is {{}}, but must be a whole number from 0 to"
            f" {self._size}; rename the column if it is something else"
        )
        return self._whole_numbers(GENUINE, self._size or 0, text) if self._form.genuine else None

    def _whole_numbers(self, name: str, most: int, text: str) -> Array:
        """Return a column of whole numbers from 0 to `most`; `text` says what is wrong with another cell."""
        texts = _plain(self._table[name]).cast(pa.string())
        good = pc.fill_null(pc.match_substring_regex(texts, "^[0-9]{1,18}$"), False)
        numbers = np.asarray(pc.if_else(good, texts, "-1").cast(pa.int64()))
        self._check((numbers < 0) | (numbers > most), lambda row: text.format(shape(texts[row].as_py())))
        return numbers

    def weights(self) -> Array | None:
        """Return the weights: whole numbers where all are, else floats; None if not asked for."""
        name = self._form.weights
        if name is None:
            return None
        column = _plain(self._table[name])
        if pa.types.is_floating(column.type) or pa.types.is_decimal(column.type):
            numbers = column.cast(pa.float64()).to_numpy(zero_copy_only=False)  # nulls become nan
        else:
            texts = pc.utf8_trim_whitespace(pc.fill_null(column.cast(pa.string()), ""))
            if pc.all(pc.match_substring_regex(texts, "^[+-]?[0-9]{1,18}$")).as_py():
                numbers = pc.replace_substring_regex(texts, r"^\+", "").cast(pa.int64()).to_numpy()
            else:
                numbers = np.array([_float(text) for text in texts.to_pylist()])
        self._check(
            ~np.isfinite(numbers) | (numbers < 0),
            lambda row: (
                f"the weight {name} is {shape(column[row].as_py())}, but must be a number that is"
                " not negative; put 0 for users who do not count"
            ),
            ParameterError,
        )
        return np.asarray(numbers)

    def codes(self) -> Array:
        """Return the sets as numbers of topics, (rows, s), each set in ascending order."""
        if self._form.numbered:
            codes = self._numbered(self._stacked().reshape(-1, self._rows).T)
        else:
            codes = self._numbered(self._listed().reshape(self._rows, -1))
        size = codes.shape[1]
        if size == 1 and self._bare is not None:
            rows = np.flatnonzero(self._bare)
            topics, first = np.unique(codes[rows, 0], return_index=True)
            for topic, row in zip(topics.tolist(), rows[first].tolist(), strict=True):
                self._cells.setdefault(topic, self._before + row)
        if self._size is None and self._form.top not in (None, size):
            raise ParameterError(
                f"the set has {counted(size, 'topic')}, and there are no ranked topic counts to"
                f" take sets of {self._form.top} from; quiff profile stores them in its Parquet files, or"
                f" {self._remedy}",
                where=self._at(0),
            )
        self._size, ordered, names = size, np.sort(codes, axis=1), list(self._numbers)
        again = ordered[:, 1:] == ordered[:, :-1]
        self._check(
            again.any(axis=1),
            lambda row: (
                f"the set has the topic {topic_shape(names[ordered[row, :-1][again[row]][0]])} twice;"
                " name each topic once"
            ),
            LabelError,
        )
        return ordered

    @property
    def _remedy(self) -> str:
        return f"run quiff profile again with --top {self._form.top}"

    def lists(self) -> Any:
        """Return the column of sets as lists of topics, split where they are text."""
        lists, self._bare = _plain(self._table[self._form.topics[0]]), None
        return lists if _is_list(lists.type) else self._split(lists.cast(pa.string()))

    def topics(self) -> tuple[list[Any], Array]:
        """Return all topics in their order, as numbers if all are whole, and the place of each number's.

        All pieces were read: whether each topic is one, and not several, is seen here.
        """
        names = list(self._numbers)
        several = joined_topic(names[topic] for topic in self._cells)
        if several is not None:
            raise QuiffError(joined(several), where=self._at(self._cells[self._numbers[several]]))
        return ordered_topics(names)

    def rows_with(self, topic: Any) -> Array:
        """Return the rows of this piece whose set has a topic as `topics` names it."""
        codes, names = self.codes(), list(map(str, self._numbers))
        return np.flatnonzero((codes == (names.index(str(topic)) if str(topic) in names else -1)).any(axis=1))

    def _numbered(self, cells: Array) -> Array:
        """Return the numbers of topics, (rows, s), given the places of their names in what was encoded."""
        known = self._numbers
        listed = (
            _EMPTY if name == "" else _wrong_name(name) or known.setdefault(name, len(known))
            for name in self._names
        )
        numbers = np.array([*listed, _EMPTY], dtype=np.int32)[cells]
        empty, split, several = (numbers == wrong for wrong in (_EMPTY, _SPLIT, _JOINED))
        self._check(
            empty.any(axis=1),
            lambda row: f"{self._cell(empty[row])} is empty; all sets must have the same size",
            ShapeError,
        )
        self._check(split.any(axis=1), lambda row: f"{self._cell(split[row])} {_SEVERAL_LINES}")
        self._check(several.any(axis=1), lambda row: joined(self._names[cells[row][several[row]][0]]))
        return numbers

    def _cell(self, wrong: Array) -> str:
        """Say which cell of a row is wrong."""
        return self._form.topics[int(np.argmax(wrong))] if self._form.numbered else "a topic"

    def _encoded(self, cells: Any) -> Array:
        """Keep the distinct cells as names, and return the place of each cell's, -1 for what is missing."""
        encoded = cells.dictionary_encode()
        names = encoded.dictionary.to_pylist()
        self._names = [name.strip() if isinstance(name, str) else name for name in names]
        return np.asarray(encoded.indices.fill_null(-1))

    def _stacked(self) -> Array:
        """Return the columns of topics one below the other."""
        columns = [_plain(self._table[name]) for name in self._form.topics]
        self._bare = np.ones(self._rows, dtype=bool)
        if len({column.type for column in columns}) > 1:
            columns = [column.cast(pa.string()) for column in columns]
        return self._encoded(pa.concat_arrays(columns))

    def _listed(self) -> Array:
        """Return the topics of all lists in a row."""
        if self._form.ranked:
            lists = self._heads(_plain(self._table[RANKING]), self._form.top or 1)
        else:
            lists = self.lists()
        sizes = np.asarray(pc.fill_null(pc.list_value_length(lists), 0))
        first = self._size or int(sizes[0])
        self._check(
            (sizes != first) | (first == 0),
            lambda row: (
                f"the set has {counted(sizes[row], 'topic')}, but the first one {first}; all sets"
                " must have the same size, at least 1: fill up the short ones or cut the long ones"
            ),
            ShapeError,
        )
        return self._encoded(_plain(lists.flatten()))

    def _heads(self, column: Any, top: int) -> Any:
        """Return the heads of ranked topics, as long as the sets that were asked for."""
        lengths = np.asarray(pc.fill_null(pc.list_value_length(column), 0))
        self._check(
            lengths < top,
            lambda row: (
                f"the ranking has {counted(lengths[row], 'topic')}, too few for sets of {top};"
                f" {self._remedy}, which fills short sets"
            ),
            ParameterError,
        )
        entries = pc.list_slice(column, 0, top).flatten()
        ranks = np.asarray(pc.struct_field(entries, "rank")).reshape(-1, top)
        self._check(
            (ranks != np.arange(1, top + 1)).any(axis=1),
            lambda _: f"the ranking is not in order; {self._remedy}",
        )
        starts = np.arange(0, len(entries) + 1, top, dtype=np.int32)
        return pa.ListArray.from_arrays(starts, pc.struct_field(entries, "topic"))

    def _split(self, column: Any) -> Any:
        """Split cells such as ``['News', 'Music']`` or ``News, Music``."""
        text = pc.fill_null(column, "")
        self._check(
            pc.invert(pc.match_substring_regex(text, TOPIC_LIST)),
            lambda row: no_topic_list(text[row].as_py()),
        )
        bare = pc.replace_substring_regex(text, r"^\s*[\[({]?\s*|\s*,?\s*[\])}]?\s*$", "")
        split = pc.replace_substring(bare, ",", _BETWEEN)
        quoted = pc.match_substring_regex(text, "['\"]")
        self._bare = ~np.asarray(quoted)
        if not self._bare.all():
            marked = pc.replace_substring_regex(text, QUOTED, rf"{_BEGIN}\1\2{_END}")
            inner = pc.replace_substring_regex(marked, f"^[^{_BEGIN}]*{_BEGIN}|{_END}[^{_END}]*$", "")
            between = pc.replace_substring_regex(inner, f"{_END}[^{_BEGIN}{_END}]*{_BEGIN}", _BETWEEN)
            split = pc.if_else(quoted, between, split)
        trimmed = pc.utf8_trim(split, " ")
        return pc.split_pattern(pc.if_else(pc.equal(trimmed, ""), None, trimmed), _BETWEEN)

    def visited(self, table: Any, codes: Array) -> Array | None:
        """Return which topics of a piece's sets were visited, given its codes; None if it does not say."""
        if RANKING not in table.column_names or not table.num_rows:
            return None
        column, (n, size) = _plain(table[RANKING]), codes.shape
        kind, shortest = column.type, pc.min(pc.list_value_length(column).fill_null(0)).as_py()
        named = {field.name for field in kind.value_type} if _is_list(kind, pa.types.is_struct) else set()
        if not {"topic", "visits"} <= named or shortest < size:
            return None
        entries = pc.list_slice(column, 0, size).flatten()
        ranked = self._encoded(pc.struct_field(entries, "topic")).reshape(n, size)
        places = np.array([*(self._numbers.get(name, -1) for name in self._names), -1], dtype=np.int64)
        visits = np.asarray(pc.struct_field(entries, "visits").fill_null(0)).reshape(n, size)
        ordered = np.sort(2 * places[ranked] + (visits > 0), axis=1)  # both in one number
        return np.asarray(ordered % 2 == 1) if np.array_equal(ordered // 2, codes) else None


def _wrong_name(name: Any) -> int:
    """Return what is wrong with a topic, in place of its number; 0 if nothing is."""
    return _SPLIT if "\n" in str(name) else _JOINED if several_numbers(name) else 0


def ordered_topics(names: list[Any]) -> tuple[list[Any], Array]:
    """Return topics in their order, as numbers if all are whole, and the place of each name there.

    >>> topics, place = ordered_topics(["12", "7"])
    >>> topics, place.tolist()
    ([7, 12], [1, 0])
    """
    if all(isinstance(name, str) and re.fullmatch("0|[1-9][0-9]{0,17}", name) for name in names):
        names = [int(name) for name in names]
    order = sorted(range(len(names)), key=names.__getitem__)
    place = np.empty(len(order), dtype=np.int32)
    place[order] = np.arange(len(order))
    return [names[number] for number in order], place


def attribute_column(column: Any, text: bool) -> Column:
    """Return the values of a column; where all is `text`, one of whole numbers only becomes numbers."""
    cells = _plain(column)
    if pa.types.is_nested(cells.type):
        places: dict[Any, int] = {}
        codes = [places.setdefault(_hashable(cell), len(places)) for cell in cells.to_pylist()]
        return list(places), np.array(codes, dtype=np.int64)
    cells = _as_numbers(pc.if_else(pc.equal(cells, ""), None, cells)) if text else cells
    encoded = cells.dictionary_encode()
    values = [*encoded.dictionary.to_pylist(), None]
    return values, np.asarray(encoded.indices.fill_null(len(values) - 1))


def labels_of(users: Any) -> Array:
    """Return the users of a whole table: numbers where all are, else text."""
    return np.asarray(users if pa.types.is_integer(users.type) else _as_numbers(users))


def _as_numbers(texts: Any) -> Any:
    """Return text as whole numbers, if all of it is."""
    whole = pc.all(pc.match_substring_regex(texts, _WHOLE)).as_py()
    return texts.cast(pa.int64()) if whole else texts


def _float(text: str) -> float:
    """Read a decimal; what is none becomes nan."""
    try:
        return float(text)
    except ValueError:
        return float("nan")


def _hashable(cell: Any) -> Any:
    """Return a nested cell of Parquet as a tuple, of pairs if it has named parts."""
    if isinstance(cell, dict):
        return tuple((name, _hashable(part)) for name, part in cell.items())
    return tuple(map(_hashable, cell)) if isinstance(cell, list) else cell


def _plain(column: Any) -> Any:
    """Return a column in one piece, its values spelled out."""
    column = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    return column.dictionary_decode() if pa.types.is_dictionary(column.type) else column


def _is_list(kind: Any, of: Callable[[Any], bool] = bool) -> bool:
    """Tell whether a column has lists, whose entries are of a type that fits."""
    types = (pa.types.is_list, pa.types.is_large_list, pa.types.is_fixed_size_list)
    return any(is_one(kind) for is_one in types) and of(kind.value_type)
