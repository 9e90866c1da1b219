"""``quiff data``, ``apis`` and ``paper``: what there is, and what the paper prints."""

import inspect
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

from quiff.cli.kinds import at_option
from quiff.cli.outputs import forced, guarded
from quiff.cli.shown import Listed
from quiff.cli.terminal import echo
from quiff.commands import NewFolder, command
from quiff.io import check_target
from quiff.logs.registry import DATASETS, dataset
from quiff.results.columns import filled
from quiff.results.table import Table

if TYPE_CHECKING:
    from quiff.logs.registry import Dataset

DatasetName: TypeAlias = str
ApiText: TypeAlias = str
"""What `--api` takes; the type says what the shell completes."""
_FOLDED = ("licence", "citation")  # a path stays in one line, to be copied


@command("data list", group="more")
def list_data() -> Listed:
    """Show the data sets with size and licence.

    --json adds source, digest and citation.

    Examples
    --------
    $ quiff data list
    """
    entries = tuple(DATASETS.values())
    rows = tuple((entry.name, entry.title, _size(entry), entry.licence) for entry in entries)
    return Listed(entries, Table("Public data sets", ("name", "what", "size", "licence"), rows).to_text())


@command("data get", group="more")
def get_data(
    names: Sequence[DatasetName],
    *,
    mirror: Path | None = None,
    unpack: Annotated[Path | None, NewFolder(shared=True)] = None,
    time_limit: float = 3600.0,
) -> Listed:
    """Fetch data sets, and print where they are.

    Their licence, and how to cite them, are printed too. A name is one that quiff data list shows. For
    a record of several files, zenodo/FILE fetches one of them only.

    Parameters
    ----------
    mirror
        Take public data from this folder only, without a network. (The folder QUIFF_MIRROR, if that is
        set, is looked into before cache and network.)
    unpack
        Also unpack archives, each to DIR/NAME.
    time_limit
        Give a data set up after X seconds, however slowly it still comes.

    Examples
    --------
    $ quiff data get citizenlab chrome-1
    """
    for entry in (dataset(name.partition("/")[0]) for name in names):
        if unpack is not None and entry.is_archive:  # told before any work
            check_target(unpack / entry.name, **guarded(unpack / entry.name), folder=True)
    every = [_get(name, mirror, unpack, time_limit) for name in names]
    lines = []
    for facts in every:
        lines.append(f"{facts['name']}: {facts['path']}")
        for key, value in list(facts.items())[2:]:
            line = f"  {key}: {value}"
            lines.append(filled(line, "    ") if key in _FOLDED else line)
    return Listed(every, "\n".join(lines))


def _get(name: str, mirror: Path | None, unpack: Path | None, time_limit: float) -> dict[str, str]:
    from quiff.logs import archives
    from quiff.logs.fetch import fetch

    path = fetch(name, mirror, time_limit=time_limit)
    entry = dataset(name.partition("/")[0])
    facts = {"name": name, "path": str(path)}
    if unpack is not None and entry.is_archive:
        target = unpack / entry.name
        facts["unpacked"] = str(archives.unpack(path, target, entry.folder, force=forced()))
    return facts | {"licence": entry.licence, "citation": entry.citation}


def _size(entry: "Dataset") -> str:
    """Return a number of bytes for people; a record tells its own."""
    if entry.size is None:
        return "by hand" if entry.by_hand else "see record"
    return f"{entry.size / 1000:,.0f} kB"


@command("apis", group="parameters")
def list_apis(api: ApiText | None = None, /, *, digits: int = 3) -> Listed:
    """List the APIs that can be measured, or show one.

    One is shown with how it works, its parameters, limits and source, what is assumed, and what is open.
    Their names stand in --api of the other commands, with parameters as in topics:noise=0.1. Installed
    packages may add APIs; your own is FILE.py:NAME.

    Parameters
    ----------
    digits
        Significant digits of computed numbers.

    Examples
    --------
    $ quiff apis topics
    """
    from quiff.apis.described import ApiFacts
    from quiff.apis.registry import api_class, api_from, apis
    from quiff.studies.catalogue import api_tables, catalogue_table

    with at_option(None, "API"):
        one = None if api is None else {api: api_from(api) if ":" in api else api_class(api)}
    facts = [ApiFacts.of(key, entry) for key, entry in (one or apis()).items()]
    if api is None or one is None:
        return Listed({"apis": facts}, catalogue_table(apis()).to_text())
    own = inspect.getdoc(one[api]) if ":" in api else None  # its words are shown whole
    words = facts[0].mechanism if own is None else own.partition("\n\nParameters\n")[0]
    blocks = [filled(f"{facts[0].title}. {words}".strip())]
    blocks += [table.to_text() for table in api_tables(facts[0]).values()]
    return Listed({"apis": facts}, "\n\n".join(blocks))


@command("paper", group="more")
def print_paper(
    *,
    all_: bool = False,
    data: Path | None = None,
    mirror: Path | None = None,
    out: Annotated[Path | None, NewFolder()] = None,
) -> Listed:
    """Check the paper that quiff starts from, and what to correct.

    The paper is "The Privacy-Utility Trade-off in the Topics API" (CCS '24). Its equations are tried on
    random channels, and its figures computed anew from what it prints, from public lists where there is a
    copy, and from the authors' tables with --data. What differs is grouped by its cause, with all places
    that follow from it.

    Parameters
    ----------
    all_
        Every item, not only the points and their places.
    data
        The folder of the authors' published tables, for what needs them.
    mirror
        Take public data from this folder only.
    out
        Write the tables and the counting figure there.

    Examples
    --------
    $ quiff paper --all
    """
    from quiff.papers.check import check_paper
    from quiff.papers.tables import write_paper
    from quiff.papers.text import as_text

    paper = check_paper(data, mirror)
    if out is not None:
        files = write_paper(paper, out, **guarded(out))
        echo(f"{len(files)} files written to {out}", err=True)
    return Listed(paper.to_dict(), as_text(paper, every=all_))
