"""``quiff report`` and ``explore``: one offline page on people, and a local page to think with."""

import shlex
import signal
import threading
from contextlib import suppress
from pathlib import Path
from textwrap import fill
from typing import Annotated, Any

import click

from quiff.cli.outputs import guarded
from quiff.cli.people import PeopleOverTime, Specs
from quiff.cli.progress import shown_progress
from quiff.cli.shown import WORDS
from quiff.cli.signals import Ending
from quiff.cli.terminal import echo
from quiff.commands import NewFile, command
from quiff.errors import QuiffError
from quiff.theory.parameters import check_whole


@command("report", group="people", memory=4.0)
def report(
    people: PeopleOverTime,
    api: Specs = (),
    *,
    out: Annotated[Path, NewFile(".html", ".htm")],
    yardstick: bool = True,
    observations: int = 4,
    attacks: bool = False,
    stability: float | None = None,
    list_users: bool = False,
    print_all: bool = False,
    seed: int = 0,
) -> None:
    """Write one offline page on people.

    It says what some APIs reveal about the users of PEOPLE: sentences, tables and figures. The page loads
    nothing, and can be sent and printed.

    Parameters
    ----------
    api
        [default: topics, if PEOPLE have any]
    out
        The page: an .html file.
    yardstick
        Do not measure third-party cookies beside the APIs.
    observations
        Study 1 to N observations; the Topics API brings one each week; 1 leaves out time.
    attacks
        Also run the published attacks on simulated observations.
    stability
        Also for interests that change: kept with this probability from one observation to the next.
    list_users
        List the users most at risk by their pseudonyms; else the page names nobody.
    print_all
        Unfold everything, so that it prints too.
    seed
        The random seed: the same seed, the same draws.

    Examples
    --------
    $ quiff report profiles.parquet --api topics:noise=0.1 --out report.html
    """
    from quiff.report.compose import Source, compose_report

    typed = shlex.join(["quiff", *click.get_current_context().meta[WORDS]])
    with shown_progress():
        population = people.population(over_time=True)
        page = compose_report(
            population, people.measured(population, yardstick), Source.file(people.people or Path(), [typed]),
            observations=observations, attacks=attacks, stability=stability, seed=seed,
            histories=people.histories, list_users=list_users, print_all=print_all,
        )  # fmt: skip
        page.write(out, **guarded(out))
    echo(f"{out}: {page.title}")
    for sentence in (*page.about, " ".join(page.headline)):
        echo(fill(sentence, 80, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False))


@command("explore", group="people")
def explore(
    people: PeopleOverTime | None = None,
    api: Specs = (),
    *,
    port: int = 8349,
    host: str = "127.0.0.1",
    browser: bool = True,
) -> None:
    """Open a local page with sliders to think with.

    It shows what an API reveals and what it is good for. Four views: any API or two by closed forms, people
    measured (synthetic, or those of PEOPLE, who stay on this machine), all APIs beside each other, and the
    paper checked line by line. With PEOPLE it opens on them. Ctrl-C ends it, with exit status 0.

    Parameters
    ----------
    api
        It is offered beside those of quiff.  [default: all of quiff's]
    port
        The port; the next free one if it is in use, any if it is 0.
    host
        Where to serve. Beyond this machine, the link has a secret token; traffic is not encrypted.
    browser
        Only print the link.

    Examples
    --------
    $ quiff explore profiles.parquet --no-browser
    """
    from quiff.web.serve import find_place, serve

    shown, offered = None, list[Any]()
    if people is not None and people.people is not None:
        from quiff.apis.registry import default_apis
        from quiff.web.people import Profiles

        shown = Profiles(people.people.name, people.population(over_time=True))
        with suppress(QuiffError):  # told when the page measures them
            offered += default_apis(shown.population)
    offered += people.named if people is not None else ()
    place = find_place(host, check_whole("port", port, 0, 65535))
    if place.wanted not in (0, place.access.port):
        echo(f"Port {place.wanted} is in use; this is port {place.access.port}.", err=True)

    def ready() -> None:
        echo(f"The explorer is at {place.link} (Ctrl-C ends it)")
        if browser:
            threading.Thread(target=click.launch, args=(place.link,), daemon=True).start()

    click.get_current_context().meta[Ending.KEY].expect(signal.SIGINT, "The explorer has ended.")
    serve(place, shown, ready, offered)
