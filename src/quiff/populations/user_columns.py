"""Users and their weights from the columns of a file."""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from quiff.core.numbers import Array
from quiff.errors import LabelError, ParameterError, QuiffError
from quiff.populations.form import GENUINE, Form
from quiff.safe_text import shape

_WHOLE = "^(0|-?[1-9][0-9]{0,17})$"
At: TypeAlias = Callable[[int], str]
"""Says where a row of a file stands, counted from 0."""

Column: TypeAlias = tuple[list[Any], Array]
"""Values of an attribute, and for each row the place of its own among them."""


def attribute_column(column: Any, text: bool) -> Column:
    """Return the values of a column; where all is `text`, one of whole numbers only becomes numbers."""
    import pyarrow as pa
    import pyarrow.compute as pc

    whole = pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], column.type)
    if pa.types.is_nested(whole.type):
        numbered: dict[Any, int] = {}
        codes = [numbered.setdefault(_hashable(cell), len(numbered)) for cell in whole.to_pylist()]
        return list(numbered), np.array(codes, dtype=np.int64)
    if text:
        whole = pc.if_else(pc.equal(whole, ""), None, whole)
        if pc.all(pc.match_substring_regex(whole, _WHOLE)).as_py():
            whole = whole.cast(pa.int64())
    encoded = whole if pa.types.is_dictionary(whole.type) else whole.dictionary_encode()
    values = [*encoded.dictionary.to_pylist(), None]
    return values, encoded.indices.fill_null(len(values) - 1).to_numpy(zero_copy_only=False)


def _hashable(cell: Any) -> Any:
    """Return a nested cell of Parquet as a tuple, of pairs if it has named parts."""
    if isinstance(cell, dict):
        return tuple((name, _hashable(part)) for name, part in cell.items())
    return tuple(map(_hashable, cell)) if isinstance(cell, list) else cell


def user_texts(form: Form, table: Any, at: At, before: int = 0) -> Any:
    """Return the users of a piece, after `before` rows, as an Arrow array of whole numbers or text."""
    import pyarrow as pa
    import pyarrow.compute as pc

    column = table[form.user].combine_chunks()
    if pa.types.is_integer(column.type) and not column.null_count:
        return column
    texts = column.cast(pa.string())
    row = pc.index(pc.fill_null(pc.equal(texts, ""), True), True).as_py()
    if row >= 0:
        raise QuiffError(f"{at(before + row)} {form.user} is empty; name every user")
    row = pc.index(pc.match_substring(texts, "\n"), True).as_py()
    if row >= 0:
        raise QuiffError(f"{at(before + row)} {form.user} goes over several lines; close its quotes on one")
    return texts


def users_of(form: Form, table: Any, at: At) -> Array:
    """Return the users: numbers where all are, else text; the rows' numbers where there is no such column."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if form.user is None:
        return np.arange(table.num_rows)
    texts = user_texts(form, table, at)
    if pa.types.is_integer(texts.type):
        return np.asarray(texts.to_numpy())
    if pc.all(pc.match_substring_regex(texts, _WHOLE)).as_py():
        return np.asarray(texts.cast(pa.int64()).to_numpy())
    return np.asarray(texts.to_numpy(zero_copy_only=False))


def check_once(users: Array, at: At) -> None:
    """Raise an error that tells the place of the first user who is there a second time."""
    _, firsts = np.unique(users, return_index=True)
    if len(firsts) < len(users):
        again = np.ones(len(users), dtype=bool)
        again[firsts] = False
        row = int(np.argmax(again))
        raise LabelError(twice(at(row)))


def twice(place: str) -> str:
    """Return the message for a user who is there a second time."""
    return (
        f"{place} the user of this row is there a second time;"
        " give each user one set, or tell them apart by a column epoch"
    )


def weights_of(form: Form, table: Any, at: At, before: int = 0) -> Array | None:
    """Return the weights of a piece: whole numbers where all are, else floats; None if not asked for."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if form.weights is None:
        return None
    column = table[form.weights].combine_chunks()
    if pa.types.is_floating(column.type) or pa.types.is_decimal(column.type):
        numbers = column.cast(pa.float64()).to_numpy(zero_copy_only=False)  # nulls become nan
    else:
        texts = pc.utf8_trim_whitespace(pc.fill_null(column.cast(pa.string()), ""))
        if pc.all(pc.match_substring_regex(texts, "^[+-]?[0-9]{1,18}$")).as_py():
            numbers = pc.replace_substring_regex(texts, r"^\+", "").cast(pa.int64()).to_numpy()
        else:
            numbers = _floats(texts.to_pylist())
    wrong = ~np.isfinite(numbers) | (numbers < 0)
    if wrong.any():
        row = int(np.argmax(wrong))
        raise ParameterError(
            f"{at(before + row)} the weight {form.weights} is {shape(column[row].as_py())},"
            " but must be a number that is not negative; put 0 for users who do not count"
        )
    return np.asarray(numbers)


def _floats(texts: list[str]) -> Array:
    """Read decimals; what is none becomes nan."""

    def number(text: str) -> float:
        try:
            return float(text)
        except ValueError:
            return float("nan")

    return np.array([number(text) for text in texts])


def genuine_of(table: Any, size: int, at: At, before: int = 0) -> Array | None:
    """Return how many topics of each set of a piece were visited; None if the piece does not say."""
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
