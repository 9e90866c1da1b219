"""The paper's tables with the figures that were computed, and what is printed instead in the notes."""

import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from quiff import theory
from quiff.io import StrPath, whole_folder
from quiff.papers.check import PaperCheck
from quiff.papers.items import CAUSES, KINDS, Judged, Value
from quiff.papers.recompute import NOISE, TOP_S
from quiff.papers.verdict import parse_number
from quiff.results.table import Table
from quiff.theory.taxonomies import taxonomy_size

TABLES: dict[str, dict[str, Any]] = tomllib.loads(
    Path(__file__).with_name("tables.toml").read_text(encoding="utf-8")
)


def paper_tables(paper: PaperCheck) -> dict[str, Table]:
    """Return the paper's tables by name, and those of the points and of all items.

    >>> from quiff.papers.check import check_paper
    >>> print(paper_tables(check_paper())["theoretical-aol"].to_text())
    Theoretical limits for the experimental data sets
    row            m  capacity  epsilon  max-case
    Citizen Lab   31      5.94  4.77744     118.8
    Google v1    169     32.16  6.46646     643.2
    For Google's data m is 169 in the text and 349 in the notebook (stated
    assumption that the authors' own notebook does not make). With 349: 66.36,
    7.19083, 1,327.2.
    """
    made = {
        name: _limits(paper, **parts) if "topics" in parts else _table(paper, **parts)
        for name, parts in TABLES.items()
    }
    return {**made, "points": paper.points_table(), "items": paper.table()}


def _limits(
    paper: PaperCheck, title: str, rows: dict[str, str], columns: list[str], topics: list[str]
) -> Table:
    """Return the closed forms of each row for as many topics as occur: in the data, or else as printed."""
    known = {item.id: item for item in paper.items}
    sizes = [known[each] for each in topics]
    cells = [
        (name, *_at(int(_number(item.printed if item.computed is None else item.computed))))
        for name, item in zip(rows.values(), sizes, strict=True)
    ]
    cause, size = CAUSES["occurring"], taxonomy_size("v1")
    other = ", ".join(f"{float(value or 0):,.6g}" for value in _at(size)[1:])
    note = f"{cause.title} ({KINDS[cause.kind]}). With {size}: {other}."
    return Table(title, ("row", *columns), tuple(cells), (note,), digits=6)


def _at(m: int) -> tuple[Value | None, ...]:
    """Return m, the capacity, epsilon and the max-case capacity; without these if no set has five of m."""
    forms = (theory.bayes_capacity, theory.epsilon, theory.max_case_capacity)
    return m, *(form(m, TOP_S, NOISE) if m > TOP_S else None for form in forms)


def _number(value: Value | str) -> Value:
    return parse_number(value) if isinstance(value, str) else value


def _table(paper: PaperCheck, title: str, rows: dict[str, str], columns: list[str]) -> Table:
    """Return a table of items; a cell that is none, or that is open, stays blank."""
    known = {item.id: item for item in paper.items}
    found = {prefix: [known.get(_id(prefix, column)) for column in columns] for prefix in rows}
    cells = tuple((rows[prefix], *map(_cell, row)) for prefix, row in found.items())
    items = [item for row in found.values() for item in row if item is not None]
    notes = []
    for cause in CAUSES.values():
        printed = [item.printed for item in items if item.cause == cause.id and item.verdict == cause.kind]
        if printed and cause.kind != "needs-data":
            notes.append(f"{cause.title} ({KINDS[cause.kind]}). Printed: {', '.join(printed)}.")
    if any(item.verdict == "needs-data" for item in items):
        notes.append("Blank cells that the paper fills need the data: quiff paper --data DIR.")
    return Table(title, ("row", *columns), cells, tuple(notes), digits=6)


def _cell(item: Judged | None) -> Value | str | None:
    """Return what was computed, and what is printed where that is only cited."""
    if item is None:
        return None
    return parse_number(item.printed) if item.verdict == "cited" else item.computed


def _id(prefix: str, column: str) -> str:
    """Return the id of a cell; the domains of a reduced table are the matched ones."""
    matched = prefix.startswith("reduced-") and column == "domains"
    return prefix.replace("reduced", "matched-domains") if matched else f"{prefix}-{column}"


def write_paper(
    paper: PaperCheck, folder: Path, *, force: bool = False, inputs: Iterable[StrPath] = ()
) -> list[Path]:
    """Write the tables as Markdown, CSV and LaTeX, and the counting figure as SVG; return the files.

    >>> from tempfile import TemporaryDirectory
    >>> from quiff.papers.check import check_paper
    >>> with TemporaryDirectory() as folder:
    ...     len(write_paper(check_paper(), Path(folder)))
    31
    """
    from quiff.apis.topics import TopicsAPI
    from quiff.studies.theory import closed_forms

    with whole_folder(folder, force=force, inputs=inputs) as new:
        written = [
            table.write(new / f"{name}.{suffix}")
            for name, table in paper_tables(paper).items()
            for suffix in ("md", "csv", "tex")
        ]
        written.append(closed_forms(TopicsAPI(349)).figure("counting").write(new / "counting.svg"))
    return [folder / path.name for path in written]
