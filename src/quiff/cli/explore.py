"""``quiff explore``: a local page to think with."""

import signal
import threading
from contextlib import suppress
from pathlib import Path

import click

from quiff.cli.options import (
    missing_option,
    stored_top_option,
    weights_option,
)
from quiff.cli.signals import Ending
from quiff.cli.terminal import echo
from quiff.errors import QuiffError


@click.command("explore")
@click.argument("profiles", type=click.Path(path_type=Path), metavar="[PROFILES]", required=False)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8349,
    show_default=True,
    metavar="P",
    help="The port; the next free one if it is in use, any if it is 0.",
)
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    metavar="ADDRESS",
    help="Where to serve. Beyond this machine, the link has a secret token; traffic is not encrypted.",
)
@click.option("--no-browser", is_flag=True, help="Only print the link.")
@stored_top_option
@weights_option
@missing_option
def command(
    profiles: Path | None,
    port: int,
    host: str,
    no_browser: bool,
    top: int | None,
    weights: str | None,
    missing: str,
) -> None:
    """Open a local page with sliders to think with.

    It shows what a design does to privacy and to use. Three views: designs by closed forms, a population
    measured (synthetic, or that of PROFILES, which stays on this machine), and the paper checked line by
    line. Ctrl-C ends it, with exit status 0.

    Example: quiff explore profiles.parquet --no-browser
    """
    from quiff.results.figures.renderer import vega_bundle

    def prepare() -> None:
        with suppress(QuiffError):  # told when the page asks for it; at the end it does not matter
            vega_bundle()

    threading.Thread(target=prepare, daemon=True).start()  # takes a second, while the page is opened
    from quiff.web.serve import find_place, serve

    given = None
    if profiles is not None:
        from quiff.populations.population import Population
        from quiff.web.people import Profiles

        population = Population.read(profiles, top=top, weights=weights, missing=missing)
        given = Profiles(profiles.name, population)
    place = find_place(host, port)
    if place.wanted not in (0, place.access.port):
        echo(f"Port {place.wanted} is in use; this is port {place.access.port}.", err=True)

    def ready() -> None:
        echo(f"The explorer is at {place.link} (Ctrl-C ends it)")
        if not no_browser:
            threading.Thread(target=click.launch, args=(place.link,), daemon=True).start()

    click.get_current_context().meta[Ending.KEY].expect(signal.SIGINT, "The explorer has ended.")
    serve(place, given, ready)
