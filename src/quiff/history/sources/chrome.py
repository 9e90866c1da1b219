"""Chrome's override lists: hosts whose topics people chose, for the browser's classifier."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from quiff.errors import QuiffError

if TYPE_CHECKING:
    import pyarrow as pa

TESTING_KEY = "for testing only"
"""How the keys of the rows begin that Chrome's own tests need; they are no hosts."""


@dataclass(frozen=True)
class Override:
    """A row of an override list."""

    key: str  # the host as Chrome stores it, with a space for each dot and hyphen
    host: str  # the host that the key stands for most likely
    topics: tuple[int, ...]  # the numbers of its topics in the list's taxonomy; there may be none


def host_of_key(key: str) -> str:
    """Return the most likely host of a key.

    Chrome replaces dots and hyphens alike, so a single space may have been a hyphen; it is taken for
    a dot. Spaces in a row must have been hyphens, since no label of a host is empty.

    >>> host_of_key("xn  72c0aarl7gxb5hqa7c4a co uk")
    'xn--72c0aarl7gxb5hqa7c4a.co.uk'
    """
    return re.sub(" {2,}", lambda run: "-" * len(run[0]), key).replace(" ", ".")


def chrome_rows(path: Path) -> Iterator[Override]:
    """Yield the rows of an override list, those without topics too."""
    try:
        with path.open(encoding="utf-8", newline="\n") as file:
            if next(file, "").rstrip("\r\n") != "domain\ttopics":
                raise QuiffError(f"{str(path)!r} does not begin with the columns domain and topics")
            for number, line in enumerate(file, start=2):
                yield _override(line.rstrip("\r\n"), f"line {number} of {str(path)!r}")
    except (OSError, UnicodeDecodeError) as error:
        raise QuiffError(f"cannot read {str(path)!r}: {error}") from error


def chrome_table(path: Path) -> "pa.Table":
    """Return an override list as a table with the columns key, host and topics (a list of numbers)."""
    import pyarrow as pa

    rows = [{"key": row.key, "host": row.host, "topics": row.topics} for row in chrome_rows(path)]
    schema = pa.schema([("key", pa.string()), ("host", pa.string()), ("topics", pa.list_(pa.int64()))])
    return pa.Table.from_pylist(rows, schema)


def _override(line: str, where: str) -> Override:
    found = re.fullmatch(r"([^\t]+)(?:\t(\d{1,9}(?:,\d{1,9})*)?)?", line, re.ASCII)
    if found is None:
        raise QuiffError(f"{where} is {line[:80]!r}; a host, a tab and numbers with commas are expected")
    key, topics = found.groups()
    return Override(key, host_of_key(key), tuple(map(int, topics.split(","))) if topics else ())
