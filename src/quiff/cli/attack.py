"""``quiff attack``: the published attacks on reports, and the bound on all of them."""

from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from quiff.cli.bars import step_bars
from quiff.cli.options import (
    api_option,
    attribute_option,
    figure_option,
    histories_option,
    json_option,
    noise_option,
    population_topics_option,
    seed_option,
    short_noise_option,
)
from quiff.cli.outputs import Writing, guarded
from quiff.cli.terminal import echo
from quiff.cli.visitors import asked_of, visitor_options, visitors, visitors_api

if TYPE_CHECKING:
    from quiff.browser.reports import Reports
    from quiff.populations.population import Population

_FILE = click.Path(path_type=Path)
_earlier_option = click.option(
    "--earlier",
    type=int,
    metavar="N",
    help="Epochs before its own that a first call shows.  [default: 2, as specified]",
)


@click.group("attack")
def command() -> None:
    """Run the published attacks on reports.

    They link the users of two sites by their topics. The bound beside them is the probability that the
    best adversary succeeds after as many reports: up to sampling error, no attack that matches each target
    alone exceeds it.

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

    attacks = tuple(ATTACKS.values())
    if as_json:
        keys = ("name", "counts", "sites", "paper")
        echo(to_json([{key: plain(getattr(attack, key)) for key in keys} for attack in attacks]))
        return
    rows = tuple((attack.name, attack.counts, attack.sites, str(attack.paper)) for attack in attacks)
    notes = ("unique: only the right user is left; ties: the probability of a right guess among those left.",)
    echo(Table("Attacks", ("name", "counts", "sites", "paper"), rows, notes).to_text())


@command.command("run", cls=Writing)
@click.argument("name", metavar="NAME")
@click.argument("profiles", type=_FILE, metavar="[PROFILES]", required=False)
@click.option(
    "--reports",
    "file",
    type=_FILE,
    metavar="FILE",
    help="Reports that quiff simulate wrote, instead of new ones.",
)
@click.option("--epochs", type=int, metavar="E", help="After how many calls.  [default: 30, or all in FILE]")
@population_topics_option
@noise_option
@_earlier_option
@seed_option
@click.option(
    "--sample",
    type=click.IntRange(min=0),
    default=3000,
    show_default=True,
    metavar="N",
    help="How many targets to draw; 0 attacks everybody.",
)
@json_option
@figure_option
def run_command(
    name: str,
    profiles: Path | None,
    file: Path | None,
    epochs: int | None,
    taxonomy: str | None,
    noise: float | Fraction,
    earlier: int | None,
    seed: int,
    sample: int,
    as_json: bool,
    figure: Path | None,
) -> None:
    """Run one attack, on simulated reports or a file.

    NAME is one that quiff attack list shows. Reports of the users of PROFILES are simulated. With
    PROFILES it is told how well noise is removed, and the bound on all attacks unless the reports are
    from a file, whose rules may be others; the Bayes-optimal adversaries need PROFILES. The figure shows
    among how many users targets are left.

    Example: quiff attack run beugin-mcdaniel profiles.parquet --epochs 15 --seed 1
    """
    from quiff.attacks.catalogue import attack_named, check_attack
    from quiff.populations.population import Population
    from quiff.results.numbers import to_json
    from quiff.studies.attacks import reidentify

    if profiles is None and file is None:
        raise click.UsageError("Give PROFILES, or --reports, or both.")
    if file is not None and earlier is not None:
        raise click.UsageError("--earlier does not go with --reports.")
    check_attack(name)
    population = None if profiles is None else Population.read(profiles, merged=False)
    api = _api(population, profiles, taxonomy, noise)
    attack = attack_named(name, api, population)
    reports = _reports(file, population, api, epochs, earlier, seed)
    found = reidentify(
        reports,
        attack,
        call=epochs,
        sample=sample or None,
        seed=seed,
        population=population,
        api=api if file is None else None,  # a file does not say by which rules and noise it was made
    )
    if figure is not None:
        found.figure().write(figure, **guarded(figure))
    echo(to_json(found.to_dict()) if as_json else next(iter(found.tables.values())).to_text())


@command.command("compare", cls=Writing)
@click.argument("profiles", type=_FILE, required=False, metavar="[PEOPLE]")
@api_option
@click.option(
    "--epochs",
    "--observations",
    "observations",
    type=int,
    default=30,
    show_default=True,
    metavar="E",
    help="Look after 1, 5, 10, ... E epochs, or other observations.",
)
@click.option("--attack", "names", multiple=True, metavar="NAME", help="Only this one; may be repeated.")
@population_topics_option
@short_noise_option
@_earlier_option
@click.option("--seeds", type=int, default=3, show_default=True, metavar="N", help="How many simulations.")
@seed_option
@click.option(
    "--sample",
    type=click.IntRange(min=0),
    default=1000,
    show_default=True,
    metavar="N",
    help="How many targets to draw in each; 0 attacks everybody.",
)
@attribute_option
@histories_option
@visitor_options
@json_option
@figure_option
def compare_command(
    profiles: Path | None,
    specs: tuple[str, ...],
    observations: int,
    names: tuple[str, ...],
    taxonomy: str | None,
    noise: float | Fraction | None,
    earlier: int | None,
    seeds: int,
    seed: int,
    sample: int,
    attributes: tuple[str, ...],
    histories: Path | None,
    as_json: bool,
    figure: Path | None,
    **people: Any,
) -> None:
    """Run all attacks against epochs, with the bound.

    Of the Topics API, observations of two sites are simulated, and the published attacks are run on them. Of
    any other --api, what one observer sees of each user is drawn at random, and the Bayes-optimal adversary
    guesses. PEOPLE is a file with the topic set of each user, stable or by epoch, or with other attributes;
    --drift lets stable sets change. With --rates instead, users visit topics at random in each epoch.

    Example: quiff attack compare profiles.parquet --epochs 30 --seeds 3 --figure attacks.svg
    """
    from quiff.results.numbers import to_json
    from quiff.studies.attacks import attack
    from quiff.theory.parameters import check_whole

    check_whole("epochs", observations, 1)
    needed = observations + (2 if earlier is None else earlier)
    asked = asked_of(
        profiles, specs=specs, taxonomy=taxonomy, noise=noise, attributes=attributes, histories=histories
    )
    population = visitors(asked, needed, seed=seed, **people)
    api = visitors_api(population, asked, taxonomy, noise)
    with step_bars() as progress:
        found = attack(
            population, api, observations=observations, seeds=seeds, sample=sample or None,
            attacks=names or None, earlier=earlier, seed=seed,
            progress=progress,
        )  # fmt: skip
    if figure is not None:
        found.figure().write(figure, **guarded(figure))
    if as_json:
        echo(to_json(found.to_dict()))
        return
    blocks = [*(table.to_text() for table in found.tables.values()), "\n".join(found.sentences)]
    echo("\n\n".join(blocks))


def _api(
    population: "Population | None", profiles: Path | None, taxonomy: str | None, noise: float | Fraction
) -> Any:
    """Return the API; as attackers know it who have no profiles, it has sets of five."""
    from quiff.cli.short_forms import closed_form_apis
    from quiff.theory.taxonomies import taxonomy_size

    if population is not None:
        return visitors_api(population, asked_of(profiles, taxonomy=taxonomy, noise=noise), taxonomy, noise)
    return closed_form_apis((), taxonomy_size("v1" if taxonomy is None else taxonomy), None, noise)[0]


def _reports(
    file: Path | None,
    population: "Population | None",
    api: Any,
    epochs: int | None,
    earlier: int | None,
    seed: int,
) -> "Reports":
    from quiff.browser.reports import Reports
    from quiff.browser.simulation import simulate

    if file is not None and file.suffix != ".parquet" and population is not None:
        # Text does not tell the taxonomy, and a topic of a profile need not be reported.
        return Reports.read(file, topics=api.fit(population).taxonomy)
    if file is not None or population is None:
        return Reports.read(file or "")
    return simulate(population, api, epochs=30 if epochs is None else epochs, seed=seed, earlier=earlier)
