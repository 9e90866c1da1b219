"""The page of an audit: what a log tells, the answer first."""

from quiff.report.compose import Source
from quiff.report.page import Block, Page, Section
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
    answer = next(key for key in ("bounds", "claim", "secrets") if key in result.tables)
    return Page(
        result.title,
        result.warnings,
        result.showing(answer).sentences,
        result.tables[answer],
        sections=(Section("audit", "What the log tells", (Block.of(result.without(answer)),)),),
        facts=source.facts,
        commands=source.commands,
        assumptions=result.notes,
    )
