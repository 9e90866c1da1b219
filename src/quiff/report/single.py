"""The page of one study: the answer first, on a sheet that prints."""

from quiff.report.compose import Source
from quiff.report.page import Block, Page, Section
from quiff.results.result import Result


def single_page(result: Result, source: Source, *answers: str) -> Page:
    """Return a result as one page.

    Parameters
    ----------
    result
        That of a study, such as :func:`quiff.audit` or :func:`quiff.card`.
    source
        Where its data come from.
    answers
        Keys of tables; the first that is there stands on top, with the sentences of that key.
    """
    answer = next(key for key in (*answers, *result.tables) if key in result.tables)
    spoken = result.showing(answer).sentences
    rest = result.without(answer) if spoken else result.without(answer, *result.layout.say)
    block = (
        (Section(answer, "What else it tells", (Block.of(rest),)),) if rest.tables or rest.sentences else ()
    )
    return Page(
        result.title,
        result.warnings,
        spoken or result.sentences,
        result.tables[answer],
        sections=block,
        facts=source.facts,
        commands=source.commands,
        assumptions=result.notes,
    )
