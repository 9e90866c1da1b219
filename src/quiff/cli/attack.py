"""``quiff attack``: the published attacks on observations, and the bound on all of them."""

import sys
from collections.abc import Iterable
from pathlib import Path

import click

from quiff.apis.base import Api
from quiff.apis.registry import DEFAULT
from quiff.attacks.catalogue import ATTACKS, attack_named, check_attack
from quiff.browser.reports import Reports
from quiff.browser.simulation import simulate
from quiff.cli.people import Spec, Visitors, check_rows
from quiff.cli.shown import Listed
from quiff.commands import command
from quiff.people.population import Population
from quiff.results.numbers import plain
from quiff.results.result import Result
from quiff.results.table import Table
from quiff.studies.attack import attack, reidentify
from quiff.theory.parameters import check_whole


@command("attack list", group="people")
def list_attacks() -> Listed:
    """Show the attacks, what they count as success, and their papers.

    Examples
    --------
    $ quiff attack list
    """
    keys = ("name", "counts", "sites", "paper")
    data = [{key: plain(getattr(entry, key)) for key in keys} for entry in ATTACKS.values()]
    rows = tuple((entry.name, entry.counts, entry.sites, str(entry.paper)) for entry in ATTACKS.values())
    notes = ("unique: only the right user is left; ties: the probability of a right guess among those left.",)
    return Listed(data, Table("Attacks", keys, rows, notes).to_text())


@command("attack run", group="people")
def run_attack(
    name: str,
    people: Visitors | None = None,
    api: Spec = (),
    *,
    reports: Path | None = None,
    epochs: int | None = None,
    earlier: int | None = None,
    seed: int = 0,
    targets: str = "3000",
) -> Result:
    """Run one attack, on simulated observations or a file.

    NAME is one that quiff attack list shows. Observations of the users of PEOPLE are simulated. With
    PEOPLE the result also says how well noise is removed and, unless the observations are from a file,
    whose rules may be others, the bound on all attacks; the Bayes-optimal adversaries need PEOPLE. The
    figure shows among how many users targets are left.

    Parameters
    ----------
    api
        [default: topics]
    reports
        Observations that quiff simulate wrote, instead of new ones.
    epochs
        After how many calls.  [default: 30, or all in FILE]
    earlier
        Epochs before its own that a first call shows.  [default: 2, as specified]
    seed
        The random seed: the same seed, the same draws.
    targets
        How many targets to draw; all attacks everybody.

    Examples
    --------
    $ quiff attack run beugin-mcdaniel profiles.parquet --epochs 15 --seed 1
    """
    asked = people if people is not None and (people.people or people.rates) else None
    if asked is None and reports is None:
        raise click.UsageError("Give PEOPLE, or --reports, or both.")
    if reports is not None and earlier is not None:
        raise click.UsageError("--earlier does not go with --reports.")
    check_attack(name)
    calls, sample = 30 if epochs is None else epochs, _targets(targets)
    population: Population | None = None
    chosen: Api = people.named[-1] if people is not None and people.named else DEFAULT
    if asked is not None:
        population = asked.visitors(0 if reports is not None else calls, seed)
        chosen = asked.apis(population)[-1]
    if not isinstance(chosen, type(DEFAULT)):
        raise click.UsageError("attack run is about --api topics; for others use quiff attack compare.")
    adversary = attack_named(name, chosen, population)
    if reports is None and population is not None:
        shown = simulate(population, chosen, epochs=calls, seed=seed, earlier=earlier)
    else:
        shown = _read(reports or Path(), None if population is None else chosen.fit(population).taxonomy)
    rules = chosen if reports is None else None  # a file does not say by which rules and noise it was made
    return reidentify(
        shown, adversary, call=epochs, sample=sample, seed=seed, population=population, api=rules
    )


def _targets(text: str) -> int | None:
    """Return a number of targets, None for ``all``."""
    if text == "all":
        return None
    if not text.isdecimal() or not 0 < int(text) <= sys.maxsize:
        message = f"{text!r} is neither a whole number of at least 1 nor all."
        raise click.BadParameter(message, param_hint="'--targets'")
    return int(text)


def _read(file: Path, topics: object) -> Reports:
    """Read observations; text does not tell the taxonomy, and a topic of a profile need not be shown."""
    check_rows(file)
    if topics is None or file.suffix == ".parquet":
        return Reports.read(file)
    return Reports.read(file, topics=topics)


@command("attack compare", group="people")
def compare_attacks(
    people: Visitors | None = None,
    api: Spec = (),
    *,
    observations: int = 30,
    attacks: Iterable[str] = (),
    earlier: int | None = None,
    seeds: int = 3,
    seed: int = 0,
    targets: str = "1000",
) -> Result:
    """Run all attacks over time, beside the bound.

    Of the Topics API, observations of two sites are simulated, and the published attacks are run on them. Of
    any other --api, what one observer sees of each user is drawn at random, and the Bayes-optimal adversary
    guesses. PEOPLE have stable topic sets, or by epoch, or other attributes; --drift lets stable sets change.
    With --rates instead, users visit topics at random in each epoch.

    Parameters
    ----------
    api
        [default: topics, if PEOPLE have any, else cookies]
    observations
        Look after 1, 5, 10, ... N observations; an epoch of the Topics API brings one.
    attacks
        Only this one.
    earlier
        Epochs before its own that a first call shows.  [default: 2, as specified]
    seeds
        How many simulations.
    seed
        The random seed: the same seed, the same draws.
    targets
        How many targets to draw in each; all attacks everybody.

    Examples
    --------
    $ quiff attack compare profiles.parquet --observations 30 --seeds 3 --figure attacks.svg
    """
    sample = _targets(targets)
    check_whole("observations", observations, 1)
    if people is None:
        raise click.UsageError("Give one of PEOPLE and --rates.")
    population = people.visitors(observations + (2 if earlier is None else earlier), seed)
    chosen = people.apis(population)[-1]
    return attack(
        population, chosen, observations=observations, seeds=seeds, sample=sample,
        attacks=tuple(attacks) or None, earlier=earlier, seed=seed,
    )  # fmt: skip
