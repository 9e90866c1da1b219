"""``quiff data``, ``apis`` and ``paper``: what there is, and what the paper prints."""

import inspect
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

from quiff.cli.kinds import at_option
from quiff.cli.outputs import forced, guarded
from quiff.cli.terminal import echo
from quiff.commands import NewFolder, command
from quiff.files import check_target
from quiff.history.registry import DATASETS, dataset
from quiff.results.columns import filled
from quiff.results.numbers import to_json
from quiff.results.table import Table

if TYPE_CHECKING:
    from quiff.history.registry import Dataset

DatasetName: TypeAlias = str
ApiText: TypeAlias = str
"""What `--api` takes; the type says what the shell completes."""
_FOLDED = ("licence", "citation")  # a path stays in one line, to be copied


@command("data list", group="more")
def list_data(*, json_: bool = False) -> None:
    """Show the data sets with size and licence.

    --json adds source, digest and citation.

    Parameters
    ----------
    json_
        Print JSON.

    Examples
    --------
    $ quiff data list
    """
    entries = tuple(DATASETS.values())
    if json_:
        echo(to_json(entries))
        return
    rows = tuple((entry.name, entry.title, _size(entry), entry.licence) for entry in entries)
    echo(Table("Public data sets", ("name", "what", "size", "licence"), rows).to_text())


@command("data get", group="more")
def get_data(
    names: Sequence[DatasetName],
    *,
    mirror: Path | None = None,
    unpack: Annotated[Path | None, NewFolder(shared=True)] = None,
    time_limit: float = 3600.0,
    json_: bool = False,
) -> None:
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
    json_
        Print JSON.

    Examples
    --------
    $ quiff data get citizenlab chrome-1
    """
    for entry in (dataset(name.partition("/")[0]) for name in names):
        if unpack is not None and entry.is_archive:  # told before any work
            check_target(unpack / entry.name, **guarded(unpack / entry.name), folder=True)
    every = [_get(name, mirror, unpack, time_limit) for name in names]
    if json_:
        echo(to_json(every))
        return
    for facts in every:
        echo(f"{facts.pop('name')}: {facts.pop('path')}")
        for key, value in facts.items():
            echo(filled(f"  {key}: {value}", "    ") if key in _FOLDED else f"  {key}: {value}")


def _get(name: str, mirror: Path | None, unpack: Path | None, time_limit: float) -> dict[str, str]:
    from quiff.history import archives
    from quiff.history.fetch import fetch

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
def list_apis(api: ApiText | None = None, /, *, digits: int = 3, json_: bool = False) -> None:
    """List the APIs that can be measured, or show one.

    One is shown with how it works, its parameters, limits and source, what is assumed, and what is open.
    Their names stand in --api of the other commands, with parameters as in topics:noise=0.1. Installed
    packages may add APIs; your own is FILE.py:NAME.

    Parameters
    ----------
    digits
        Significant digits of computed numbers.
    json_
        Print JSON.

    Examples
    --------
    $ quiff apis topics
    """
    from quiff.apis.described import ApiFacts
    from quiff.apis.registry import api_class, api_from, apis
    from quiff.studies.catalogue import api_tables, catalogue_table

    with at_option(None, "API"):
        one = None if api is None else {api: api_from(api) if ":" in api else api_class(api)}
    chosen = one or apis()
    if json_:
        echo(to_json({"apis": [ApiFacts.of(key, api) for key, api in chosen.items()]}))
    elif api is None:
        echo(catalogue_table(apis()).to_text())
    else:
        facts = ApiFacts.of(api, chosen[api])
        own = inspect.getdoc(chosen[api]) if ":" in api else None  # its words are shown whole
        words = facts.mechanism if own is None else own.partition("\n\nParameters\n")[0]
        sentence = filled(f"{facts.title}. {words}".strip())
        echo("\n\n".join([sentence, *(table.to_text() for table in api_tables(facts).values())]))


@command("paper", group="more")
def print_paper(
    *,
    all_: bool = False,
    data: Path | None = None,
    mirror: Path | None = None,
    out: Annotated[Path | None, NewFolder()] = None,
    json_: bool = False,
) -> None:
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
    json_
        Print JSON.

    Examples
    --------
    $ quiff paper --all
    """
    from quiff.papers.check import check_paper
    from quiff.papers.tables import write_paper
    from quiff.papers.text import as_text

    paper = check_paper(data, mirror)
    echo(to_json(paper.to_dict()) if json_ else as_text(paper, every=all_))
    if out is not None:
        files = write_paper(paper, out, **guarded(out))
        echo(f"{len(files)} files written to {out}", err=True)
