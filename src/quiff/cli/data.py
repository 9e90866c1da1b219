"""``quiff data``: the public data sets."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from quiff.cli.options import json_option, mirror_option, option
from quiff.cli.outputs import OutputFolder, Writing, forced, guarded
from quiff.cli.terminal import echo
from quiff.results.columns import filled

if TYPE_CHECKING:
    from quiff.history.registry import Dataset

_FOLDED = ("licence", "citation")  # a path stays in one line, to be copied


@click.group("data")
def command() -> None:
    """List and fetch the public data sets that quiff works with.

    quiff holds none of them: it fetches a data set from its source when you ask for it by name, checks
    that it is the pinned copy, and keeps it in a cache (the folder QUIFF_CACHE, if that is set).

    Example: quiff data get topics-v2
    """


@command.command("list")
@json_option
def list_command(as_json: bool) -> None:
    """Show the data sets with size and licence.

    --json adds source, digest and citation.

    Example: quiff data list
    """
    from quiff.history.registry import DATASETS
    from quiff.results.numbers import to_json
    from quiff.results.table import Table

    entries = tuple(DATASETS.values())
    if as_json:
        echo(to_json(entries))
        return
    rows = tuple((entry.name, entry.title, _size(entry), entry.licence) for entry in entries)
    echo(Table("Public data sets", ("name", "what", "size", "licence"), rows).to_text())


@command.command("get", cls=Writing)
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@mirror_option
@option("--unpack", "DIR", "Also unpack archives, each to DIR/NAME.", OutputFolder({}))
@option(
    "--time-limit",
    "SECONDS",
    "Give a data set up after so long, however slowly it still comes.",
    click.FloatRange(0, min_open=True),
    3600.0,
)
@json_option
def get_command(
    names: tuple[str, ...], mirror: Path | None, unpack: Path | None, time_limit: float, as_json: bool
) -> None:
    """Fetch data sets, and print where they are.

    Their licence, and how to cite them, are printed too. A name is one that `quiff data list` shows. For
    a record of several files, zenodo/FILE fetches one of them only.

    Example: quiff data get citizenlab chrome-1
    """
    from quiff.files import check_target
    from quiff.history.registry import dataset
    from quiff.results.numbers import to_json

    for entry in (dataset(name.partition("/")[0]) for name in names):
        if unpack is not None and entry.is_archive:  # told before any work
            check_target(unpack / entry.name, **guarded(unpack / entry.name), folder=True)
    found = [_get(name, mirror, unpack, time_limit) for name in names]
    if as_json:
        echo(to_json(found))
        return
    for facts in found:
        echo(f"{facts.pop('name')}: {facts.pop('path')}")
        for key, value in facts.items():
            echo(filled(f"  {key}: {value}", "    ") if key in _FOLDED else f"  {key}: {value}")


def _get(name: str, mirror: Path | None, unpack: Path | None, time_limit: float) -> dict[str, str]:
    from quiff.history import archives
    from quiff.history.fetch import fetch
    from quiff.history.registry import dataset

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
