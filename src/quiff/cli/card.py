"""``quiff card``: what a web surface shows of people, on a card that prints."""

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import click

from quiff.cli.outputs import guarded
from quiff.cli.people import Spec, read_api
from quiff.cli.shown import WORDS
from quiff.commands import NewFile, command
from quiff.report.compose import Source
from quiff.report.single import single_page
from quiff.results.result import Result
from quiff.studies.card import card


@command("card", group="people")
def card_of(
    table: Path | None = None,
    /,
    api: Spec = (),
    *,
    columns: Sequence[str] = (),
    exposed: Sequence[str] = (),
    counts: str | None = None,
    marginals: bool = False,
    fake: float | None = None,
    crowd: int = 5,
    sizes: Sequence[int] = (),
    report: Annotated[Path | None, NewFile(".html", ".htm")] = None,
    memory_limit: str | None = None,
) -> Result:
    """Say who is alone with what a web surface shows.

    By how much it multiplies a guess who somebody is, what it adds to what is exposed, and what its entropy
    hides. TABLE has a row for each person or device, or for so many; a value is what its columns hold
    together. With --api, an API of the registry takes the place of the table.

    Parameters
    ----------
    table
        A file or a folder of people or devices.
    api
        An API of the registry instead of a table.
    columns
        A column that the surface shows; by default all but those of counts and of what is exposed.
    exposed
        A column that is exposed already: what does the surface add?
    counts
        The column that says how many people a row stands for.
    marginals
        TABLE has the columns column, value and count; a column a+b is a pair of two.
    fake
        How often a plausible false answer is given.
    crowd
        Below how many people a crowd is small.
    sizes
        A number of people to look at.  [default: 1,000 to a billion]
    report
        Also write the card as a page: an .html file.
    memory_limit
        Take no more memory than this, such as 2GB.

    Examples
    --------
    $ quiff card devices.csv --columns fonts --exposed browser --report card.html
    """
    options = {"sizes": tuple(sizes)} if sizes else {}
    result = card(
        table,
        api=read_api(api[0]) if api else None,
        columns=tuple(columns),
        exposed=tuple(exposed),
        counts=counts,
        marginals=marginals,
        fake=fake,
        crowd=crowd,
        **options,
    )
    if report is not None:
        typed = shlex.join(["quiff", *click.get_current_context().meta[WORDS]])
        source = Source(result.title, commands=(typed,)) if table is None else Source.file(table, [typed])
        single_page(result, source).write(report, **guarded(report))
    return result
