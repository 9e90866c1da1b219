"""The taxonomies of the Topics API and the utility buckets of its roots, by name or from their files."""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from quiff.errors import ParameterError, QuiffError, cannot_read
from quiff.io import StrPath
from quiff.io.blocks import small_file
from quiff.theory.taxonomies import TAXONOMY_NUMBERS


@dataclass(frozen=True)
class Topic:
    """A topic of a taxonomy."""

    id: int  # its number; a later taxonomy keeps the numbers of the topics that it takes over
    name: str  # its path from the root, such as ``/Arts & Entertainment/Movies``
    parent: int | None  # the number of the topic above it, None for a root

    @property
    def depth(self) -> int:
        """The number of topics on the path from the root to this one, both included."""
        return self.name.count("/")


def read_taxonomy(path: Path) -> tuple[Topic, ...]:
    """Return the topics of a taxonomy, in the order of the file."""
    numbers: dict[str, int] = {}
    for where, number, name in _rows(path):
        if not re.fullmatch(r"[0-9]{1,9}", number) or not re.fullmatch(r"(/[^/]+)+", name):
            raise QuiffError(f"{where} has {number!r:.80} and {name!r:.80}; a number and a path are expected")
        if name in numbers:
            raise QuiffError(f"{where} has the topic {name!r:.80} a second time")
        numbers[name] = int(number)
    if len(set(numbers.values())) < len(numbers):
        raise QuiffError(f"{str(path)!r} gives one number to two topics")
    orphans = [name for name in numbers if name.count("/") > 1 and _above(name) not in numbers]
    if orphans:
        raise QuiffError(f"{str(path)!r} has the topic {orphans[0]!r:.80}, but none above it")
    return tuple(Topic(number, name, numbers.get(_above(name))) for name, number in numbers.items())


def read_utility_buckets(path: Path) -> dict[str, str]:
    """Return the bucket, such as High or Standard, of each root topic."""
    buckets: dict[str, str] = {}
    for where, root, bucket in _rows(path):
        if root in buckets:
            raise QuiffError(f"{where} has the topic {root!r:.80} a second time")
        buckets[root] = bucket
    return buckets


def _above(name: str) -> str:
    return name.rpartition("/")[0]


def _rows(path: Path) -> Iterator[tuple[str, str, str]]:
    """Yield place and both cells of each row of the file's Markdown table, without its two lines of head."""
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise cannot_read(path, str(error)) from error
    table = [(number, line.strip()) for number, line in enumerate(lines, start=1) if line.startswith("|")]
    if len(table) < 3:
        raise QuiffError(f"{str(path)!r} has no table of topics")
    for number, line in table[2:]:
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) != 2:
            raise QuiffError(
                what="the number of cells",
                value=len(cells),
                allowed="2",
                where=f"line {number} of {str(path)!r}",
            )
        yield f"line {number} of {str(path)!r}", cells[0], cells[1]


def taxonomy_topics(name: StrPath) -> tuple[str, ...]:
    """Return the topics of taxonomy v1 or v2, which are numbers, or those in a file, one a line."""
    name = os.fspath(name)
    if name in TAXONOMY_NUMBERS:
        return tuple(str(number) for number in sorted(TAXONOMY_NUMBERS[name]))
    try:
        lines = small_file(Path(name)).decode().splitlines()
    except (ParameterError, UnicodeDecodeError) as error:
        raise ParameterError(
            what="the taxonomy", value=name, allowed="v1, v2, or a file with one topic a line"
        ) from error
    topics = tuple(dict.fromkeys(line.strip() for line in lines if line.strip()))
    if not topics:
        raise ParameterError(f"the taxonomy {name!r} has no topic; give one a line")
    return topics
