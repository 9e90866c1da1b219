"""The view of the paper: what holds, the points with their places, and the items that are asked for."""

from functools import cache
from typing import TYPE_CHECKING, get_args

from quiff.report.page import render
from quiff.results.table import Table
from quiff.web.queries import PaperQuery

if TYPE_CHECKING:
    from quiff.papers.check import PaperCheck


def paper_answer(query: PaperQuery) -> dict[str, object]:
    """Return the table that is asked for with the sentences and the points, as JSON is made of.

    >>> paper_answer(PaperQuery(("wrong",), ""))["points"][0]["title"]
    "A taxonomy's highest number is taken for its size"
    """
    from quiff.papers.items import KINDS
    from quiff.papers.text import LETTERS, places

    points = [
        {
            "title": cause.title,
            "kind": KINDS[cause.kind],
            "told": [cause.says, f"What it changes: {cause.changes}"]
            + [f"{letter} {reading}" for letter, reading in zip(LETTERS, cause.readings, strict=False)]
            + [f"Source: {cause.source}."] * bool(cause.source),
            "places": [f"{where}: {'; '.join(found)}" for where, found in places(point).items()],
        }
        for point in _paper().points
        for cause in [point.cause]
    ]
    table = paper_table(query)
    return {
        "verdicts": [row[4] for row in table.rows],
        "html": render("fragment.html", table=table, most_rows=len(table.rows)),
        "sentences": _paper().sentences(),
        "points": points,
    }


def paper_table(query: PaperQuery) -> Table:
    """Return the items that have one of the verdicts and all of the words, those as printed first.

    Examples
    --------
    >>> found = paper_table(PaperQuery(("wrong", "match"), "theoretical-google 629"))
    >>> found.rows[0][0], found.rows[0][4]
    ('theoretical-google-m629-s5-m', 'wrong')
    """
    from quiff.papers.items import Verdict

    table, words = _paper().table(), query.words.casefold().split()
    place = table.columns.index("verdict")
    rows = (
        row
        for row in table.rows
        if row[place] in query.verdicts and all(word in " ".join(map(str, row)).casefold() for word in words)
    )
    in_order = sorted(rows, key=lambda row: get_args(Verdict).index(row[place]))
    return Table("The items of the paper", table.columns, tuple(in_order))


@cache
def _paper() -> "PaperCheck":
    from quiff.papers.check import check_paper

    return check_paper()
