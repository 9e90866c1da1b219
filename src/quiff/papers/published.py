"""Finding and reading the authors' published tables: CSV files, known by their columns, not their names.

A file with the columns RandID and Domain holds visits (with topics: of classified domains), one with RandID
and BrowsingHistory holds a user a row (with sTopics: and the top-s set), one with domain and topics is a
classification (with match: of the visited domains). Of the two classifications, Citizen Lab's topics are
words and Google's are numbers. Files are streamed, and every count is exact.
"""

import csv
from collections.abc import Callable, Iterator
from pathlib import Path

from quiff.errors import QuiffError
from quiff.papers.tallies import Classification, Histories, Matches, Tally, Visits
from quiff.populations.literals import parse_topics

_LONGEST_CELL = 1 << 28  # a browsing history is one cell; the csv module allows 128 KB unless told
_TALLIES: dict[str, Callable[[], Tally]] = {
    "treated": Visits,
    "reduced": Visits,
    "experimental": Histories,
    "classification": Classification,
    "matches": Matches,
}


def find_tables(folder: Path) -> dict[str, Path]:
    r"""Return the published tables in a folder, by short names such as reduced-google-v1.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "any-name.csv"
    ...     _ = path.write_text(",domain,topics\n0,a.com,'NEWS'\n")
    ...     list(find_tables(Path(folder)))
    ['classification-citizen-lab']
    """
    if not folder.is_dir():
        raise QuiffError(f"{str(folder)!r} is no folder; give the one with the authors' published tables")
    found: dict[str, Path] = {}
    for path in sorted(folder.glob("*.csv")):
        name = _name(path)
        if name is not None and name in found:
            raise QuiffError(f"{found[name].name!r} and {path.name!r} both hold the table {name}; keep one")
        if name is not None:
            found[name] = path
    if not found:
        raise QuiffError(
            f"{str(folder)!r} holds none of the published tables: CSV files with the columns"
            " RandID and Domain, RandID and BrowsingHistory, or domain and topics"
        )
    return found


def read_tables(folder: Path) -> dict[str, Tally]:
    """Read all published tables in a folder, by their short names.

    >>> read_tables(Path("/no/such/folder"))
    Traceback (most recent call last):
    quiff.errors.QuiffError: '/no/such/folder' is no folder; give the one with the authors' published tables
    """
    return {name: _read(path, _TALLIES[_first_word(name)]()) for name, path in find_tables(folder).items()}


def _first_word(name: str) -> str:
    return name.partition("-")[0]


def _name(path: Path) -> str | None:
    """Return the short name of the table in a file, None if it is not one of the published tables."""
    columns = next(_lines(path), (0, []))[1]
    kind = _kind(path, columns)
    if kind is None or not {"topics", "sTopics"} & set(columns):
        return kind
    return f"{kind}-google-v1" if _numbered(path, columns) else f"{kind}-citizen-lab"


def _kind(path: Path, columns: list[str]) -> str | None:
    if "BrowsingHistory" in columns:
        _require(path, columns, "RandID")
        if "AllTopics" in columns:
            _require(path, columns, "sTopics")
        return "experimental"
    if "RandID" in columns:
        _require(path, columns, "Domain")
        return "reduced" if "topics" in columns else "treated"
    if "domain" in columns and "match" in columns:
        _require(path, columns, "topics")
        return "matches"
    return "classification" if {"domain", "topics"} <= set(columns) else None


def _require(path: Path, columns: list[str], column: str) -> None:
    if column not in columns:
        names = ", ".join(filter(None, columns))
        raise QuiffError(f"the table {path.name!r} has no column {column!r}, only {names}")


def _numbered(path: Path, columns: list[str]) -> bool:
    """Tell whether the first topics of a table are numbers, as Google's are."""
    place = columns.index("sTopics" if "sTopics" in columns else "topics")
    for line, cells in _lines(path):
        if line > 1 and len(cells) > place:
            topics = parse_topics(cells[place])
            if topics:
                return all(topic.isdecimal() for topic in topics)
    return False


def _read(path: Path, tally: Tally) -> Tally:
    lines = _lines(path)
    columns = next(lines)[1]
    line = 0
    for line, cells in lines:
        if len(cells) != len(columns):
            raise QuiffError(
                f"line {line} of {path.name!r} has {len(cells)} cells for {len(columns)} columns"
            )
        try:
            tally.add(dict(zip(columns, cells, strict=True)))
        except QuiffError as error:
            raise QuiffError(f"line {line} of {path.name!r}: {error}") from None
    if not line:
        raise QuiffError(f"the table {path.name!r} has no rows")
    return tally


def _lines(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Yield the number and the cells of each line."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        reader = csv.reader(file)
        try:
            while (cells := _next_line(reader)) is not None:
                yield reader.line_num, cells
        except (csv.Error, UnicodeDecodeError) as error:
            raise QuiffError(
                f"{path.name!r} cannot be read as CSV after line {reader.line_num}: {error}"
            ) from None


def _next_line(reader: Iterator[list[str]]) -> list[str] | None:
    """Read a line with long cells; the limit is everybody's, so it is put back before anybody else reads."""
    before = csv.field_size_limit(_LONGEST_CELL)
    try:
        return next(reader, None)
    finally:
        csv.field_size_limit(before)
