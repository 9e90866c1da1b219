"""The verdicts for people to read: errata first, by reason; then matches, by place; then what needs data."""

from collections.abc import Callable, Iterable, Iterator

from quiff.papers.check import PaperCheck
from quiff.papers.items import Judged, shown_value


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
