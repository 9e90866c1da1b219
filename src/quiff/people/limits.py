"""How much memory people that are read may take, and about how much they will."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from quiff.core.limits import check_limit, memory_allowed
from quiff.io.blocks import unreadable
from quiff.people.form import numbered_columns
from quiff.people.tfrecords import tfrecord_files

_GIB = 2**30
_PART = 4  # of the memory that is free, what one population may take
_UNKNOWN = 2 * _GIB  # where the system does not tell
_PER_ROW, _PER_TOPIC, _PER_TEXT, _PACKED = 100, 32, 8, 4  # bytes in memory, and for a byte of text: measured
_PER_RECORD = 2  # bytes in memory for a byte of TFRecords
_SETS = ("topics", "sTopics")
_PLAIN = (".csv", ".tsv", ".txt")  # text that is not packed
_limit: ContextVar[float | None] = ContextVar("reading_limit", default=None)


@contextmanager
def reading_limit(gib: Any) -> Iterator[None]:
    """Let `Population.read` take up to `gib` GiB for users inside a ``with`` block.

    Outside of one it is a quarter of the memory that is free. A file whose users need more is reduced to
    distinct sets with counts while it is read.

    Examples
    --------
    >>> with reading_limit(0.5):
    ...     allowed_bytes()
    536870912
    """
    check_limit(gib, "GiB for reading")
    token = _limit.set(gib)
    try:
        yield
    finally:
        _limit.reset(token)


def allowed_bytes() -> int:
    """Return how many bytes a population that is read may take."""
    chosen = _limit.get()
    allowed = int(chosen * _GIB) if chosen is not None else _free_bytes() // _PART
    return int(min(allowed, memory_allowed()))


def bytes_of_people(rows: int, size: int) -> int:
    """Return about what so many sets take in arrays."""
    return rows * (_PER_ROW + size * _PER_TOPIC)


def reading_bytes(path: Path, *, people: bool = True) -> int:
    """Return about what it takes to read a file of people, or of other rows, before it is read.

    Parquet tells how many rows and topics it has; of text and of TFRecords, the size counts.
    """
    if records := tfrecord_files(path):
        return _PER_RECORD * sum(file.stat().st_size for file in records)
    if path.suffix != ".parquet" and not path.is_dir():
        return path.stat().st_size * _PER_TEXT * (1 if path.suffix in _PLAIN else _PACKED)
    needed = 0
    for file in sorted(path.rglob("*.parquet")) if path.is_dir() else [path]:
        try:
            facts = pq.read_metadata(file)
        except (pa.ArrowException, OSError) as error:
            raise unreadable(file, error, " as Parquet") from error
        needed += facts.num_rows * _PER_ROW
        for group in map(facts.row_group, range(facts.num_row_groups)):
            columns = [group.column(place) for place in range(group.num_columns)] if people else []
            roots = [column.path_in_schema.partition(".")[0] for column in columns]
            topics = {*numbered_columns(roots), *_SETS}
            values = (c.num_values for c, root in zip(columns, roots, strict=True) if root in topics)
            needed += _PER_TOPIC * sum(values)
    return needed


def _free_bytes() -> int:
    """Return the memory that is free, as far as the system or the container tells."""
    try:
        free = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # not on every system
        return _UNKNOWN
    for line in _text("/proc/meminfo").splitlines():
        if line.startswith("MemAvailable:"):
            free = int(line.split()[1]) * 1024
    most = _text("/sys/fs/cgroup/memory.max").strip()
    return min(free, int(most)) if most.isdecimal() else free


def _text(path: str) -> str:
    try:
        return Path(path).read_text()
    except OSError:
        return ""
