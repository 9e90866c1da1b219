"""The page of an audit: what a log tells, the answer first."""

from quiff.report.compose import Source
from quiff.report.page import Page, Section
from quiff.results.result import Result


def audit_page(result: Result, source: Source) -> Page:
    """Return an audit as one page.

    Parameters
    ----------
    result
        That of :func:`quiff.audit`.
    source
        Where the log comes from.
    """
    tables = result.tables
    answer = next(key for key in ("bounds", "claim", "secrets") if key in tables)
    section = Section(
        "audit",
        "What the log tells",
        result.without(answer).sentences,
        tuple(draw() for draw in result.figures.values()),
        tuple(table for key, table in tables.items() if key != answer),
    )
    return Page(
        result.title,
        result.warnings,
        " ".join(result.showing(answer).sentences),
        tables[answer],
        sections=(section,),
        facts=source.facts,
        commands=source.commands,
        assumptions=result.notes,
    )
