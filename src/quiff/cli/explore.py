"""``quiff explore``: a local page to think with."""

import signal
import threading
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from quiff.cli.options import (
    PATH,
    api_option,
    attribute_option,
    flag,
    histories_option,
    missing_option,
    option,
    reading_options,
    stored_top_option,
    weights_option,
)
from quiff.cli.people import Asked
from quiff.cli.signals import Ending
from quiff.cli.terminal import echo
from quiff.errors import QuiffError

if TYPE_CHECKING:
    from quiff.apis.base import Api


@click.command("explore")
@click.argument("file", type=PATH, metavar="[PEOPLE]", required=False)
@api_option
@attribute_option
@option(
    "--port",
    "P",
    "The port; the next free one if it is in use, any if it is 0.",
    click.IntRange(0, 65535),
    8349,
)
@option(
    "--host",
    "ADDRESS",
    "Where to serve. Beyond this machine, the link has a secret token; traffic is not encrypted.",
    default="127.0.0.1",
)
@flag("--no-browser", "Only print the link.")
@stored_top_option
@weights_option
@missing_option
@histories_option
@reading_options
def command(
    file: Path | None, specs: tuple[str, ...], port: int, host: str, no_browser: bool, **options: Any
) -> None:
    """Open a local page with sliders to think with.

    It shows what an API reveals and what it is good for. Four views: any API or two by closed forms, people
    measured (synthetic, or those of PEOPLE, who stay on this machine), all APIs beside each other, and the
    paper checked line by line. With PEOPLE it opens on them.
    APIs of your own that --api names are offered beside those of quiff. Ctrl-C ends it, with exit status 0.

    Example: quiff explore profiles.parquet --no-browser
    """
    from quiff.web.serve import find_place, serve

    asked, given = Asked(file, specs, **options), None
    offered: list[Api] = []
    if file is not None:
        from quiff.apis.defaults import default_apis
        from quiff.web.people import Profiles

        given = Profiles(file.name, asked.people(over_time=True))
        with suppress(QuiffError):  # told when the page measures them
            offered += default_apis(given.population)
    offered += asked.named
    place = find_place(host, port)
    if place.wanted not in (0, place.access.port):
        echo(f"Port {place.wanted} is in use; this is port {place.access.port}.", err=True)

    def ready() -> None:
        echo(f"The explorer is at {place.link} (Ctrl-C ends it)")
        if not no_browser:
            threading.Thread(target=click.launch, args=(place.link,), daemon=True).start()

    click.get_current_context().meta[Ending.KEY].expect(signal.SIGINT, "The explorer has ended.")
    serve(place, given, ready, offered)
