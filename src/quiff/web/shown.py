"""Sections and tables as the page shows them: cells as text, figures as specifications."""

from typing import Any

from quiff.report.page import Section
from quiff.results.table import Table
from quiff.safe_text import visible

_ROWS = 12  # of a table on the page; the file has them all


def section_to_dict(section: Section) -> dict[str, Any]:
    """Return a section for the page: sentences, tables as text, and figures as specifications.

    Examples
    --------
    >>> section_to_dict(Section("people", "The people", ("Two of them.",)))
    {'key': 'people', 'title': 'The people', 'sentences': ['Two of them.'], 'figures': [], 'tables': []}
    """
    return {
        "key": section.key,
        "title": section.title,
        "sentences": list(map(visible, section.sentences)),
        "figures": [{"title": figure.title, "spec": figure.spec} for figure in section.figures],
        "tables": [table_to_dict(table) for table in section.tables],
    }


def table_to_dict(table: Table, rows: int | None = _ROWS) -> dict[str, Any]:
    """Return a table for the page, its cells as text, with at most so many rows; None is all.

    Examples
    --------
    >>> table_to_dict(Table("Halves", ("name", "half"), (("one", 0.5),)))["rows"]
    [['one', '0.5']]
    """
    cut = table if rows is None else table.head(rows)
    return {
        "title": visible(cut.title),
        "columns": list(map(visible, cut.columns)),
        "numeric": table.numeric(),
        "rows": [list(map(visible, row)) for row in cut.texts()],
        "notes": list(map(visible, cut.notes)),
    }
