"""Citizen Lab's test lists: URLs and the category that people gave them."""

import csv
import io
from collections.abc import Iterator
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from quiff.errors import QuiffError
from quiff.history.archives import read_files

if TYPE_CHECKING:
    import pyarrow as pa

# Old codes that one of the official lists still has, and the codes that replace them.
MERGED_CATEGORIES = MappingProxyType({"DEV": "ECON", "FEXP": "NEWS", "P2P": "FILE"})


def citizenlab_rows(path: Path) -> Iterator[tuple[str | None, str | None]]:
    """Yield URL and category of each row of all lists, as written; None stands for an empty cell.

    All lists count: the global one, those of countries and regions, and the official ones. The
    legends do not.
    """
    for name, stream in read_files(path, "lists"):
        if name.endswith(".csv") and not name.startswith("00-LEGEND"):
            text = io.TextIOWrapper(stream, encoding="utf-8", newline="")
            try:
                yield from _list_rows(csv.DictReader(text))
            except (csv.Error, UnicodeDecodeError, LookupError) as error:
                raise QuiffError(f"cannot read the list {name!r} in {str(path)!r}: {error}") from error


def citizenlab_table(path: Path) -> "pa.Table":
    """Return all rows as a table with the string columns url and category, in today's codes.

    Rows stay as they are otherwise, with nulls for empty cells, so that whoever drops some can count them.
    """
    import pyarrow as pa

    rows = [
        {"url": url, "category": MERGED_CATEGORIES.get(category or "", category)}
        for url, category in citizenlab_rows(path)
    ]
    return pa.Table.from_pylist(rows, pa.schema([("url", pa.string()), ("category", pa.string())]))


def _list_rows(reader: "csv.DictReader[str]") -> Iterator[tuple[str | None, str | None]]:
    missing = {"url", "category_code"} - set(reader.fieldnames or ())
    if missing:
        raise LookupError(f"it has no column {' and no column '.join(sorted(missing))}")
    for row in reader:
        yield row["url"] or None, row["category_code"] or None
