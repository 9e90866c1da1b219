"""Profiles from files: Parquet, or text with commas or tabs, in quiff's own form and in published ones.

A profile is a user and a set of topics, in one column (``topics``, or ``sTopics`` as published) or in columns
``t1``, ``t2`` and so on; a column ``epoch`` may tell several sets of a user apart. Whole columns are read at
once; nothing in a file is ever evaluated.
"""

import gzip
import io
import os
import re
import tarfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from quiff.core.numbers import Array
from quiff.errors import LabelError, QuiffError, ShapeError
from quiff.populations.literals import TOPIC_LIST

__all__ = ["Profiles", "read_profiles"]

_USERS = ("user", "RandID")
_TOPICS = ("topics", "sTopics")
_BLOCK = 1 << 26  # longer than any line
_MOST = 1 << 32  # bytes that an archive's file may have


@dataclass(frozen=True)
class Profiles:
    """What a file says: users, all topics, and the sets as positions in them, (epochs, users, s)."""

    users: Any
    topics: Any
    sets: Array


@dataclass(frozen=True)
class _Source:
    """A file's columns, and how to tell where one of its rows stands."""

    path: str
    table: Any
    first_line: int | None  # of the first row; None for Parquet, which has no lines

    def at(self, row: int) -> str:
        place = f"row {row + 1}" if self.first_line is None else f"line {row + self.first_line}"
        return f"{self.path!r}, {place}:"


def read_profiles(path: str | os.PathLike[str]) -> Profiles:
    """Read profiles from a file; its columns tell the form.

    Raises
    ------
    QuiffError
        If the file cannot be read, lacks columns, or has a user twice (in one epoch) or not in all epochs.
    ShapeError
        If sets have different sizes.
    """
    path = Path(path)
    if not path.exists():
        raise QuiffError(f"there is no file {str(path)!r}; quiff profile writes profiles")
    source = _parquet(path) if path.is_dir() or path.suffix == ".parquet" else _text(path)
    if source.table.num_rows == 0:
        raise QuiffError(f"{source.path!r} has no profile; give at least one user")
    values = _sets(source)
    users = _users(source)
    codes, topics = _encoded(values)
    codes = codes.reshape(source.table.num_rows, -1)
    if "epoch" in source.table.column_names:
        users, codes = _by_epoch(source, users, codes)
    else:
        _check_once(source, users)
    return Profiles(users, topics, codes)


def _parquet(path: Path) -> _Source:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        names = pq.ParquetDataset(path).schema.names
        table = pq.read_table(path, columns=_needed(str(path), names))
    except (pa.ArrowException, OSError) as error:
        raise QuiffError(f"cannot read {str(path)!r} as Parquet: {_first_line(error)}") from error
    return _Source(str(path), table.combine_chunks(), None)


def _text(path: Path) -> _Source:
    """Read a text file, in an archive or not; the first line names the columns."""
    import pyarrow as pa
    import pyarrow.csv as pc

    content = _content(path)
    try:
        content.decode()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise QuiffError(
            f"{str(path)!r}, line {line}: a byte is no UTF-8; convert the file, for example by iconv"
        ) from error
    if not content.strip():
        raise QuiffError(f"{str(path)!r} is empty; its first line must name its columns")
    head = content.split(b"\n", 1)[0].decode().rstrip("\r")
    tab = "\t" in head
    names = head.removeprefix("\ufeff").split("\t" if tab else ",")
    names = [name.strip().strip('"') for name in names]
    needed = _needed(str(path), names)
    numbers = [f"c{k}" for k in range(len(names))]
    chosen = {names[k]: numbers[k] for k in range(len(names)) if names[k] in needed}
    try:
        table = pc.read_csv(
            io.BytesIO(content),
            read_options=pc.ReadOptions(block_size=_BLOCK, skip_rows=1, column_names=numbers),
            parse_options=pc.ParseOptions(delimiter="\t" if tab else ",", quote_char=False if tab else '"'),
            convert_options=pc.ConvertOptions(
                include_columns=list(chosen.values()),
                column_types=dict.fromkeys(chosen.values(), pa.string()),
                strings_can_be_null=False,
            ),
        )
    except pa.ArrowException as error:
        raise QuiffError(_why(path, content, len(names), tab, error)) from error
    return _Source(str(path), table.rename_columns(list(chosen)).combine_chunks(), 2)


def _content(path: Path) -> bytes:
    """Return the bytes of a file, unpacked; a tar archive must hold one file."""
    try:
        if re.search(r"[.](tar|tgz)([.]\w+)?$", path.name):
            with tarfile.open(path) as archive:
                files = [member for member in archive.getmembers() if member.isfile()]
                if len(files) != 1 or files[0].size > _MOST:
                    raise QuiffError(f"{str(path)!r} has {len(files)} files; an archive of one is expected")
                stream = archive.extractfile(files[0])
                return stream.read() if stream else b""
        if path.suffix == ".gz":
            with gzip.open(path) as unpacked:
                content = unpacked.read(_MOST + 1)
            if len(content) > _MOST:
                raise QuiffError(f"{str(path)!r} unpacks to more than {_MOST} bytes; unpack and split it")
            return content
        return path.read_bytes()
    except (OSError, EOFError, tarfile.TarError) as error:
        raise QuiffError(f"cannot read {str(path)!r}: {_first_line(error)}") from error


def _first_line(error: BaseException) -> str:
    return (getattr(error, "strerror", None) or str(error).strip() or type(error).__name__).split("\n", 1)[0]


def _why(path: Path, content: bytes, fields: int, tab: bool, error: Exception) -> str:
    """Say which line has another number of fields; Arrow does not when it uses several threads."""
    import csv

    lines = content.decode().splitlines()
    rows = (line.split("\t") for line in lines) if tab else csv.reader(lines)
    for number, row in enumerate(rows, start=1):
        if row and len(row) != fields:
            return f"{str(path)!r}, line {number}: it has {len(row)} fields, but the first line {fields}"
    return f"cannot read {str(path)!r}: {_first_line(error)}"


def _needed(path: str, names: list[str]) -> list[str]:
    """Return the names of the columns that matter, or say which are missing."""
    numbered = _numbered(names)
    user = [name for name in _USERS if name in names][:1]
    topics = [name for name in reversed(_TOPICS) if name in names][:1] or numbered
    if not topics or not (user or numbered):
        raise QuiffError(
            f"{path!r} has the columns {', '.join(map(repr, names))}; profiles need user and topics"
            " (or t1, t2 and so on), or RandID and sTopics"
        )
    return [*user, *(["epoch"] if "epoch" in names else []), *topics]


def _numbered(names: list[str]) -> list[str]:
    found = [name for name in names if re.fullmatch(r"t[1-9][0-9]*", name)]
    return sorted(found, key=lambda name: int(name[1:]))


def _sets(source: _Source) -> Any:
    """Return the topics of all rows in a row, s each."""
    import pyarrow as pa
    import pyarrow.compute as pc

    table = source.table
    numbered = _numbered(table.column_names)
    if numbered and not set(_TOPICS) & set(table.column_names):
        columns = [table[name] for name in numbered]
        for name, column in zip(numbered, columns, strict=True):
            missing = pc.is_null(column) if column.type != pa.string() else pc.equal(column, "")
            row = pc.index(missing.combine_chunks(), True).as_py()
            if row >= 0:
                raise ShapeError(f"{source.at(row)} {name} is empty; all sets must have the same size")
        stacked = np.stack([column.to_numpy(zero_copy_only=False) for column in columns], axis=1)
        return pa.array(stacked.reshape(-1))
    column = table[next(name for name in _TOPICS if name in table.column_names)].combine_chunks()
    lists = column if pa.types.is_list(column.type) else _split(source, column)
    sizes = pc.fill_null(pc.list_value_length(lists), 0).to_numpy(zero_copy_only=False)
    if (sizes != sizes[0]).any() or not sizes[0]:
        row = int(np.argmax(sizes != sizes[0])) if sizes[0] else 0
        raise ShapeError(
            f"{source.at(row)} the set has {sizes[row]} topics, but the first one {sizes[0]};"
            " all sets must have the same size, at least 1: fill up the short ones or cut the long ones"
        )
    return lists.flatten()


def _split(source: _Source, column: Any) -> Any:
    """Split cells such as ``['News', 'Music']`` or ``News, Music``."""
    import pyarrow.compute as pc

    good = pc.match_substring_regex(column, TOPIC_LIST)
    row = pc.index(good, False).as_py()
    if row >= 0:
        cell = column[row].as_py()
        shown = cell if len(cell) <= 60 else cell[:57] + "..."
        raise QuiffError(f"{source.at(row)} {shown!r} is no list of topics, such as ['NEWS', 'REL']")
    bare = pc.replace_substring_regex(column, r"^\s*[\[({]?\s*|\s*,?\s*[\])}]?\s*$", "")
    quoted = pc.any(pc.match_substring_regex(bare, "['\"]")).as_py()
    between = r"""['"]\s*,\s*['"]""" if quoted else r"\s*,\s*"
    trimmed = pc.utf8_trim(bare, "'\" ")
    return pc.split_pattern_regex(pc.if_else(pc.equal(trimmed, ""), None, trimmed), between)


def _encoded(values: Any) -> tuple[Array, Any]:
    """Return positions and the sorted topics; topics that are all whole numbers become numbers."""
    import pyarrow as pa
    import pyarrow.compute as pc

    encoded = values.dictionary_encode()
    names = encoded.dictionary.to_numpy(zero_copy_only=False)
    if not pa.types.is_integer(encoded.dictionary.type):
        texts = encoded.dictionary.cast(pa.string())
        if pc.all(pc.match_substring_regex(texts, "^(0|[1-9][0-9]{0,17})$")).as_py():
            names = texts.cast(pa.int64()).to_numpy()
    order = np.argsort(names, kind="stable")
    place = np.empty(len(order), dtype=np.intp)
    place[order] = np.arange(len(order))
    return place[encoded.indices.to_numpy(zero_copy_only=False)], names[order].tolist()


def _users(source: _Source) -> Any:
    """Return the users: numbers where all are, else text; the rows' numbers where there is no such column."""
    import pyarrow as pa
    import pyarrow.compute as pc

    name = next((name for name in _USERS if name in source.table.column_names), None)
    if name is None:
        return np.arange(source.table.num_rows)
    column = source.table[name].combine_chunks()
    if pa.types.is_integer(column.type) and not column.null_count:
        return column.to_numpy()
    texts = column.cast(pa.string())
    row = pc.index(pc.fill_null(pc.equal(texts, ""), True), True).as_py()
    if row >= 0:
        raise QuiffError(f"{source.at(row)} {name} is empty; name every user")
    if pc.all(pc.match_substring_regex(texts, "^(0|-?[1-9][0-9]{0,17})$")).as_py():
        return texts.cast(pa.int64()).to_numpy()
    return texts.to_numpy(zero_copy_only=False)


def _check_once(source: _Source, users: Array) -> None:
    _, firsts = np.unique(users, return_index=True)
    if len(firsts) < len(users):
        again = np.ones(len(users), dtype=bool)
        again[firsts] = False
        row = int(np.argmax(again))
        raise LabelError(
            f"{source.at(row)} the user {users[row]!r} is there a second time;"
            " give each user one set, or tell them apart by a column epoch"
        )


def _epochs(source: _Source) -> Array:
    import pyarrow as pa
    import pyarrow.compute as pc

    texts = source.table["epoch"].combine_chunks().cast(pa.string())
    good = pc.fill_null(pc.match_substring_regex(texts, "^[0-9]{1,18}$"), False)
    row = pc.index(good, False).as_py()
    if row >= 0:
        raise QuiffError(f"{source.at(row)} the epoch is {texts[row].as_py()!r}, but must be a whole number")
    return np.asarray(texts.cast(pa.int64()).to_numpy())


def _by_epoch(source: _Source, users: Array, codes: Array) -> tuple[Array, Array]:
    """Arrange sets as (epochs, users, s), users in the order in which they come first."""
    epochs = _epochs(source)
    named, firsts, which = np.unique(users, return_index=True, return_inverse=True)
    order = np.argsort(firsts, kind="stable")
    place = np.empty(len(order), dtype=np.intp)
    place[order] = np.arange(len(order))
    numbers, when = np.unique(epochs, return_inverse=True)
    rows = np.full((len(numbers), len(named)), -1)
    rows[when, place[which]] = np.arange(len(users))
    if (rows >= 0).sum() < len(users):
        kept = np.zeros(len(users), dtype=bool)
        kept[rows[rows >= 0]] = True
        row = int(np.argmin(kept))
        raise LabelError(f"{source.at(row)} the user {users[row]!r} has two sets in epoch {epochs[row]}")
    if (rows < 0).any():
        epoch, user = np.argwhere(rows < 0)[0]
        raise LabelError(
            f"{source.path!r}: the user {named[order][user]!r} has no set in epoch {numbers[epoch]};"
            " give every user a set in every epoch"
        )
    return named[order], codes[rows]
