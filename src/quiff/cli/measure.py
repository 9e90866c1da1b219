"""``quiff measure``: what cookies and the Topics API give away about a population."""

from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

import click

from quiff.cli.compare import ComparedSetting, compare_option, compared
from quiff.cli.options import (
    epoch_option,
    figure_option,
    genuine_option,
    histories_option,
    json_option,
    keep_formulas_option,
    missing_option,
    noise_option,
    population_topics_option,
    read_number,
    stored_top_option,
    weights_option,
)
from quiff.cli.outputs import OutputFolder, Writing, guarded
from quiff.cli.pipeline import recorded
from quiff.cli.profiles import api_for, one_epoch, without_filled
from quiff.cli.terminal import echo

if TYPE_CHECKING:
    from quiff.apis.topics import TopicsAPI
    from quiff.populations.population import Population
    from quiff.results.measurement.measurement import Measurement
    from quiff.studies.old_measure.seen import Seen

_FORMATS = ("text", "markdown", "latex", "csv")


@click.command("measure", cls=Writing)
@click.argument("profiles", type=click.Path(path_type=Path), metavar="PROFILES")
@population_topics_option
@missing_option
@stored_top_option
@noise_option
@weights_option
@epoch_option
@genuine_option
@histories_option
@click.option(
    "--prior",
    type=click.Choice(["correct", "as-published"]),
    default="correct",
    show_default=True,
    help="The prior on sets; as-published repeats the misaligned one of the published notebooks.",
)
@click.option(
    "--threshold",
    callback=read_number,
    default="1/2",
    show_default=True,
    metavar="P",
    help="Say how many users are re-identified with a probability above P.",
)
@click.option(
    "--topic", "topic", multiple=True, metavar="T", help="Also say how much a report says about having T."
)
@click.option("--exposure", is_flag=True, help="Also list the topics that expose most.")
@compare_option
@click.option("--explain", is_flag=True, help="For each number: meaning, formula, source, assumptions.")
@json_option
@click.option(
    "--format",
    "form",
    type=click.Choice(_FORMATS),
    default="text",
    show_default=True,
    help="How tables are printed.",
)
@click.option(
    "--csv",
    "folder",
    type=OutputFolder(),
    metavar="DIR",
    help="Also write each table as a CSV file, into a new folder.",
)
@keep_formulas_option
@figure_option
def command(
    profiles: Path,
    taxonomy: str | None,
    missing: str,
    top: int | None,
    noise: float | Fraction,
    weights: str | None,
    epoch: int | None,
    genuine: bool,
    histories: Path | None,
    prior: str,
    threshold: float | Fraction,
    topic: tuple[str, ...],
    exposure: bool,
    compare: tuple[ComparedSetting, ...],
    explain: bool,
    as_json: bool,
    form: str,
    folder: Path | None,
    keep_formulas: bool,
    figure: Path | None,
) -> None:
    """Measure the privacy and utility of one report.

    PROFILES is a file with the set of topics of each user, a population, on which third-party cookies and
    the Topics API are measured. If it says which topics were visited, as those of quiff profile do, figures
    are given with the topics that were filled in at random and without them. Without --histories, cookies
    are taken to tell all users apart. The figure shows what each step leaks; with --compare, privacy against
    utility.

    Example: quiff measure profiles.parquet --noise 1/20
    """
    from quiff.populations.population import Population
    from quiff.results.numbers import to_json
    from quiff.studies.old_measure.seen import seen_histories
    from quiff.studies.old_measure.study import measure

    def read(size: int | None) -> Population:
        people = Population.read(profiles, top=size, weights=weights, missing=missing)
        chosen = one_epoch(people, epoch, profiles)
        return without_filled(chosen, profiles) if genuine else chosen

    with recorded() as steps:
        with steps.step("read profiles"):
            population = read(top)
            api = api_for(population, taxonomy, noise, profiles, top)
        with steps.step("measure"):
            seen = None if histories is None else seen_histories(population, histories)
            found = measure(population, api, histories=seen, prior=prior)  # type: ignore[arg-type]  # a choice
        with steps.step("each user's risk"):
            found = _with_people(found, population, api, seen, threshold, topic, exposure)
        if compare:
            with steps.step("compare"):
                beside = compared(compare, population, api, read, taxonomy, profiles)
                found = found.with_part("comparison", beside)
    if figure is not None:
        (beside if compare else found).figure().write(figure, **guarded(figure))
    if folder is not None:
        _write_tables(found, folder, keep_formulas)
    if as_json:
        echo(to_json(found.to_dict()))
    elif explain:
        echo(found.explained())
    else:
        echo(_told(found, form, keep_formulas))


def _with_people(
    found: "Measurement",
    population: "Population",
    api: "TopicsAPI",
    seen: "Seen | None",
    threshold: float | Fraction,
    topics: tuple[str, ...],
    exposure: bool,
) -> "Measurement":
    """Add what the average hides: each user's risk, and what was asked for about topics."""
    from quiff.studies.attributes import attribute_inference
    from quiff.studies.exposure import topic_exposure
    from quiff.studies.risk import user_risk

    found = found.with_part("risk", user_risk(population, api, threshold=threshold, histories=seen))
    if exposure:
        found = found.with_part("exposure", topic_exposure(population, api))
    numbers = isinstance(population.topics[0], int)
    for name in topics:
        topic = int(name) if numbers and name.isdecimal() else name
        inferred = attribute_inference(population, api, topic, histories=seen)
        found = found.with_part(f"topic {name}", inferred)
    return found


def _write_tables(found: "Measurement", folder: Path, keep_formulas: bool) -> None:
    """Write each table to a file of its name, signs that file names cannot have as in web addresses."""
    from urllib.parse import quote

    from quiff.files import whole_folder

    with whole_folder(folder, **guarded(folder)) as new:
        for name, table in found.named_tables().items():
            table.write(new / f"{quote(name, safe=' ')}.csv", keep_formulas=keep_formulas)


def _told(found: "Measurement", form: str, keep_formulas: bool) -> str:
    """Return the tables and, where text can stand beside them, what they say."""
    from quiff.results.markup import markdown_text

    options = {"keep_formulas": keep_formulas} if form == "csv" else {}
    blocks = [getattr(table, f"to_{form}")(**options).rstrip("\n") for table in found.tables()]
    if form in ("text", "markdown"):
        hint = ["--genuine leaves users with filled topics out."] if found.genuine is not None else []
        sentences = [*found.sentences(), *hint]
        blocks.append("\n".join(map(markdown_text, sentences) if form == "markdown" else sentences))
    return "\n\n".join(blocks)
