"""The public lists that the paper's figures rest on, counted where the mirror or the cache has a copy."""

from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from quiff.errors import QuiffError
from quiff.logs.fetch import local_copy
from quiff.papers.items import Value
from quiff.papers.verdict import parse_number, unit
from quiff.theory.taxonomies import TAXONOMY_SIZES, TAXONOMY_SOURCES

_COPIES = {"v1": "topics-v1", "v2": "topics-v2", "iab-1.1": "iab-audience"}


class NotAtHandError(QuiffError):
    """A list that would decide an item has no copy here."""


@dataclass
class Lists:
    """Public lists by name; without a copy a taxonomy has the size of its source, and others are missing."""

    mirror: Path | None = None
    counted: dict[str, str] = field(default_factory=dict)  # the sizes that were asked for, and where from
    _sizes: dict[str, int] = field(default_factory=dict)

    def number(self, text: str) -> Value | int | str:
        """Return the size of a taxonomy, or a printed number, of a percentage as a share; a word as it is.

        >>> Lists().number("v2"), Lists().number("20 percent"), Lists().number("0.05")
        (469, Fraction(1, 5), Fraction(1, 20))
        """
        if text in TAXONOMY_SIZES:
            return self._size(text)
        if text.isalpha():
            return text
        value = parse_number(text) / unit(text)
        return int(value) if value.denominator == 1 else value

    def _size(self, name: str) -> int:
        if name not in self._sizes:
            copy = local_copy(_COPIES[name], self.mirror) if name in _COPIES else None
            self.counted[name] = f"{'counted in' if copy else 'from'} {TAXONOMY_SOURCES[name]}"
            self._sizes[name] = TAXONOMY_SIZES[name] if copy is None else len(numbers(copy))
        return self._sizes[name]

    def _needed(self, name: str) -> Path:
        copy = local_copy(name, self.mirror)
        if copy is None:
            raise NotAtHandError(f"the list {name} is not at hand; `quiff data get {name}` fetches it")
        return copy

    def citizen_lab(self, what: str) -> int:
        """Return how many rows, URLs, categories or domains all of Citizen Lab's lists have.

        Old codes of categories are replaced by today's; domains are made by the paper's rules and suffixes.
        """
        path = self._needed("citizenlab")
        from quiff.logs.classifications import MERGED_CATEGORIES  # once there is something to read

        if what == "domains":
            return _citizen_lab_domains(path.parent, self._needed("psl"))
        rows = _citizen_lab(path)
        return {
            "rows": len(rows),
            "urls": len({url for url, _ in rows if url}),
            "categories": len({MERGED_CATEGORIES.get(code, code) for _, code in rows if code}),
        }[what]


@cache
def _citizen_lab(path: Path) -> list[tuple[str | None, str | None]]:
    from quiff.logs.classifications import citizenlab_rows

    return list(citizenlab_rows(path))


@cache
def _citizen_lab_domains(mirror: Path, suffixes: Path) -> int:
    from quiff.logs.classifications import read_classification
    from quiff.logs.engine import connect
    from quiff.logs.suffixes import Suffixes

    listed = Suffixes.read(suffixes)
    table = read_classification("citizenlab", mirror=mirror, suffixes=listed, rules="as-published").table
    return int(connect().to_pyarrow(table.count()).as_py())


def numbers(path: Path) -> set[int]:
    r"""Return the numbers of a taxonomy's entries, from a Markdown table or from tab-separated columns.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "list.tsv"
    ...     _ = path.write_text("\tUnique ID\tParent ID\n\t7\t\n\t9\t7\n")
    ...     sorted(numbers(path))
    [7, 9]
    """
    separator = "|" if path.suffix == ".md" else "\t"
    cells = (line.split(separator) for line in path.read_text(encoding="utf-8").splitlines())
    return {int(row[1]) for row in cells if len(row) > 1 and row[1].strip().isdecimal()}
