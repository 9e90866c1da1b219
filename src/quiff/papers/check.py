"""The study: every item of the paper with its verdict."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from quiff.errors import counted
from quiff.papers import counting, data_sets, example, experiments, limits, statements
from quiff.papers.items import ROWS, Item, Judged, Verdict, shown_value
from quiff.papers.published import read_tables
from quiff.papers.verdict import judge
from quiff.results.table import Table
from quiff.results.tabled import OneTable

_PARTS = (example, statements, data_sets, experiments, counting, limits)
_CHECKS = {id_: check for part in _PARTS for id_, check in part.CHECKS.items()}
_DATA = {**data_sets.DATA, **experiments.DATA}
ITEMS = tuple(Item(**row, check=_CHECKS.get(row["id"]), data=_DATA.get(row["id"])) for row in ROWS)


@dataclass(frozen=True)
class PaperCheck(OneTable):
    """All items of the paper with their verdicts."""

    items: tuple[Judged, ...]

    @property
    def counts(self) -> dict[Verdict, int]:
        """Number of items by verdict."""
        found = Counter(item.verdict for item in self.items)
        return {verdict: found[verdict] for verdict in get_args(Verdict)}

    def __getitem__(self, id: str) -> Judged:  # noqa: A002 - the field's name
        return next(item for item in self.items if item.id == id)

    def by_verdict(self, verdict: Verdict) -> tuple[Judged, ...]:
        """Return the items with one verdict."""
        return tuple(item for item in self.items if item.verdict == verdict)

    def table(self) -> Table:
        """Return every item with what is printed, what was computed, and the verdict."""
        columns = ("id", "where", "printed", "computed", "verdict", "note")
        rows = tuple(
            (item.id, item.where, item.printed, shown_value(item), item.verdict, item.note)
            for item in self.items
        )
        return Table("Every item of the paper that was checked", columns, rows)

    def sentences(self) -> list[str]:
        """Return how many items have each verdict."""
        match, erratum, open_ = (self.counts[verdict] for verdict in get_args(Verdict))
        return [
            f"Of {counted(len(self.items), 'printed item')}, {match} {'is' if match == 1 else 'are'} as "
            f"computed, {erratum} {'is' if erratum == 1 else 'are'} not, and {open_} "
            f"{'needs' if open_ == 1 else 'need'} data."
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return the items and the counts, for JSON."""
        return {"items": self.items, "counts": self.counts}


def check_paper(data: Path | None = None) -> PaperCheck:
    """Recompute what the paper prints, and compare.

    Parameters
    ----------
    data
        A folder with the authors' published tables, for the items that need them; without it, these stay
        open.

    Raises
    ------
    QuiffError
        If the folder holds none of the tables, or one of them cannot be read.

    Examples
    --------
    >>> paper = check_paper()
    >>> paper["theoretical-google-m349-s5-capacity"].verdict
    'match'
    >>> float(paper["theoretical-google-m629-s5-capacity"].computed)
    89.16
    """
    read = None if data is None else read_tables(data)
    return PaperCheck(tuple(judge(item, read) for item in ITEMS))


def as_text(paper: PaperCheck) -> str:
    """Return all items as text, the counts by verdict last.

    >>> from quiff.papers.check import check_paper
    >>> as_text(check_paper()).splitlines()[0]
    'Errata: what is printed, what is right, where'
    """
    parts = [
        "Errata: what is printed, what is right, where",
        *_groups(
            paper.by_verdict("erratum"),
            lambda item: item.note,
            lambda item: (item.printed, shown_value(item), item.where, item.id),
        ),
        "Matches: what is printed, what was computed",
        *_groups(
            paper.by_verdict("match"),
            lambda item: item.where,
            lambda item: (item.printed, shown_value(item), item.id),
        ),
        "Needs data: what would compute it, what is printed, where",
        *_groups(
            paper.by_verdict("needs-data"),
            lambda item: item.note,
            lambda item: (item.printed, item.where, item.id),
        ),
        ", ".join(f"{count} {verdict}" for verdict, count in paper.counts.items()),
    ]
    return "\n\n".join(parts)


def _groups(
    items: Iterable[Judged], key: Callable[[Judged], str], cells: Callable[[Judged], tuple[str, ...]]
) -> Iterator[str]:
    """Yield a text per group: its key, and its items in aligned columns below."""
    groups: dict[str, list[tuple[str, ...]]] = {}
    for item in items:
        groups.setdefault(key(item), []).append(cells(item))
    for title, rows in groups.items():
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = ("  ".join(map(str.ljust, row, widths)).rstrip() for row in rows)
        yield "\n".join([f"  {title}", *(f"    {line}" for line in lines)])
