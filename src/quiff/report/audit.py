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
    first, *others = result.tables
    rest = {name: result.tables[name] for name in others}
    section = Section(
        "audit",
        "What the log tells",
        result.sentences[1:],
        tuple(draw() for draw in result.figures.values()),
        tuple(rest.values()),
    )
    return Page(
        result.title,
        result.warnings,
        result.sentences[0],
        result.tables[first],
        sections=(section,),
        facts=source.facts,
        commands=source.commands,
        assumptions=result.notes,
    )
