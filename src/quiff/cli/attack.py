"""``quiff attack``: the published attacks on observations, and the bound on all of them."""

import sys
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

import click

from quiff.cli.options import (
    PATH,
    json_option,
    least,
    noise_option,
    option,
    population_topics_option,
    reading_options,
    seed_option,
    several,
)
from quiff.cli.outputs import Writing
from quiff.cli.people import Asked, asks_for_people, check_rows
from quiff.cli.progress import shown_progress
from quiff.cli.short_forms import closed_form_apis
from quiff.cli.shown import shows_result
from quiff.cli.terminal import echo

if TYPE_CHECKING:
    from quiff.browser.reports import Reports
    from quiff.results.result import Result


def _targets(text: object) -> int | None:
    """Return a number of targets, None for ``all``."""
    if text == "all":
        return None
    if not str(text).isdecimal() or not 0 < int(str(text)) <= sys.maxsize:
        raise click.BadParameter(f"{text!r} is neither a whole number of at least 1 nor all.")
    return int(str(text))


_earlier_option = option(
    "--earlier", "N", "Epochs before its own that a first call shows.  [default: 2, as specified]", int
)


@click.group("attack")
def command() -> None:
    """Run the published attacks on observations.

    They link the users of two sites by their topics. The bound beside them is the probability that the
    best adversary succeeds after as many observations: up to sampling error, no attack that matches each
    target alone exceeds it.

    Example: quiff attack compare profiles.parquet --epochs 30
    """


@command.command("list")
@json_option
def list_command(as_json: bool) -> None:
    """Show the attacks, what they count as success, and their papers.

    Example: quiff attack list
    """
    from quiff.attacks.catalogue import ATTACKS
    from quiff.results.numbers import plain, to_json
    from quiff.results.table import Table

    keys = ("name", "counts", "sites", "paper")
    if as_json:
        echo(to_json([{key: plain(getattr(each, key)) for key in keys} for each in ATTACKS.values()]))
        return
    rows = tuple((each.name, each.counts, each.sites, str(each.paper)) for each in ATTACKS.values())
    notes = ("unique: only the right user is left; ties: the probability of a right guess among those left.",)
    echo(Table("Attacks", keys, rows, notes).to_text())


@command.command("run", cls=Writing)
@click.argument("name", metavar="NAME")
@click.argument("profiles", type=PATH, metavar="[PEOPLE]", required=False)
@option("--reports file", "FILE", "Observations that quiff simulate wrote, instead of new ones.", PATH)
@option("--epochs", "E", "After how many calls.  [default: 30, or all in FILE]", int)
@population_topics_option
@noise_option
@_earlier_option
@seed_option
@option("--targets", "N", "How many targets to draw; all attacks everybody.", _targets, 3000)
@reading_options
@shows_result
def run_command(
    name: str,
    profiles: Path | None,
    file: Path | None,
    epochs: int | None,
    taxonomy: str | None,
    noise: float | Fraction,
    earlier: int | None,
    seed: int,
    targets: int | None,
) -> "Result":
    """Run one attack, on simulated observations or a file.

    NAME is one that quiff attack list shows. Observations of the users of PEOPLE are simulated. With
    PEOPLE the result also says how well noise is removed and, unless the observations are from a file,
    whose rules may be others, the bound on all attacks; the Bayes-optimal adversaries need PEOPLE. The
    figure shows among how many users targets are left.

    Example: quiff attack run beugin-mcdaniel profiles.parquet --epochs 15 --seed 1
    """
    from quiff.attacks.catalogue import attack_named, check_attack
    from quiff.browser.simulation import simulate
    from quiff.studies.attack import reidentify
    from quiff.theory.taxonomies import taxonomy_size

    if profiles is None and file is None:
        raise click.UsageError("Give PEOPLE, or --reports, or both.")
    if file is not None and earlier is not None:
        raise click.UsageError("--earlier does not go with --reports.")
    check_attack(name)
    asked = Asked(profiles, taxonomy=taxonomy, noise=noise)
    people = (
        None
        if profiles is None
        else asked.visitors(0 if file is not None else 30 if epochs is None else epochs, seed)
    )
    if people is not None:
        api = asked.api(people)
    else:  # as attackers know it who have no profiles: sets of five
        (api,) = closed_form_apis((), taxonomy_size(taxonomy or "v1"), None, noise)
    attack = attack_named(name, api, people)  # type: ignore[arg-type]  # the default API
    if file is None and people is not None:
        reports = simulate(people, api, epochs=30 if epochs is None else epochs, seed=seed, earlier=earlier)
    else:
        topics = None if people is None else api.fit(people).taxonomy  # type: ignore[attr-defined]
        reports = _read(file or Path(), topics)
    known = api if file is None else None  # a file does not say by which rules and noise it was made
    return reidentify(reports, attack, call=epochs, sample=targets, seed=seed, population=people, api=known)


def _read(file: Path, topics: object) -> "Reports":
    """Read observations; text does not tell the taxonomy, and a topic of a profile need not be shown."""
    from quiff.browser.reports import Reports

    check_rows(file)
    if topics is None or file.suffix == ".parquet":
        return Reports.read(file)
    return Reports.read(file, topics=topics)


@command.command("compare", cls=Writing)
@asks_for_people(over_time=True, drawn=True)
@option(
    "--epochs",
    "E",
    "Look after 1, 5, 10, ... E epochs, an observation (a page view of the Topics API) each.",
    least(1),
    30,
)
@several("--attack names", "NAME", "Only this one; may be repeated.")
@_earlier_option
@option("--seeds", "N", "How many simulations.", int, 3)
@seed_option
@option("--targets", "N", "How many targets to draw in each; all attacks everybody.", _targets, 1000)
@shows_result
def compare_command(
    asked: Asked,
    epochs: int,
    names: tuple[str, ...],
    earlier: int | None,
    seeds: int,
    seed: int,
    targets: int | None,
) -> "Result":
    """Run all attacks over time, beside the bound.

    Of the Topics API, observations of two sites are simulated, and the published attacks are run on them. Of
    any other --api, what one observer sees of each user is drawn at random, and the Bayes-optimal adversary
    guesses. PEOPLE is a file with the topic set of each user, stable or by epoch, or with other attributes;
    --drift lets stable sets change. With --rates instead, users visit topics at random in each epoch.

    Example: quiff attack compare profiles.parquet --epochs 30 --seeds 3 --figure attacks.svg
    """
    from quiff.studies.attack import attack

    people = asked.visitors(epochs + (2 if earlier is None else earlier), seed)
    with shown_progress():
        return attack(
            people, asked.api(people), observations=epochs, seeds=seeds, sample=targets,
            attacks=names or None, earlier=earlier, seed=seed,
        )  # fmt: skip
