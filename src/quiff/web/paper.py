"""The items of the paper with their verdicts: errata first, and only those that are asked for."""

from functools import cache

from quiff.results.table import Table
from quiff.web.queries import VERDICTS, PaperQuery


def paper_table(query: PaperQuery) -> Table:
    """Return the items that have one of the verdicts and all of the words, errata first.

    Examples
    --------
    >>> found = paper_table(PaperQuery(("erratum", "match"), "theoretical-google 629"))
    >>> found.rows[0][0], found.rows[0][4]
    ('theoretical-google-m629-s5-m', 'erratum')
    """
    items, words = _items(), query.words.casefold().split()
    place = items.columns.index("verdict")
    rows = tuple(
        row
        for row in items.rows
        if row[place] in query.verdicts and all(word in " ".join(map(str, row)).casefold() for word in words)
    )
    return Table(items.title, items.columns, rows)


@cache
def _items() -> Table:
    """Return all items, errata first, then matches, then what needs data; each in the paper's order."""
    from quiff.papers.check import check_paper
    from quiff.papers.tables import paper_tables

    table = paper_tables(check_paper())["items"]
    place = table.columns.index("verdict")
    rows = tuple(sorted(table.rows, key=lambda row: VERDICTS.index(row[place])))
    return Table("The paper, line by line", table.columns, rows)
