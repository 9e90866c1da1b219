"""``quiff measure``: what cookies and the Topics API give away about a population."""

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

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
    from quiff.results.result import Result
    from quiff.results.table import Table
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
    from quiff.apis.cookies import Cookies
    from quiff.studies.attributes import attribute_inference
    from quiff.studies.exposure import exposure as exposing
    from quiff.studies.risk import user_risk

    people = population if seen is None else population.with_attribute("history", seen.cookies())
    cookies = () if people.merged else (Cookies("user" if seen is None else "history"),)
    risk = user_risk(people, *cookies, api, threshold=threshold)
    found = found.with_part("risk", _Part(risk, _by_stage(risk.facts["risk"])))
    if exposure:
        exposed = exposing(people, api, attribute="topics")
        found = found.with_part("exposure", _Part(exposed, _exposure(exposed.facts["exposure"])))
    numbers = isinstance(people.topics[0], int)
    for name in topics:
        topic = int(name) if numbers and name.isdecimal() else name
        inferred = attribute_inference(people, *cookies, api, value=topic)
        facts = inferred.facts["inference"]
        stages = {
            stage: {key.replace("named", "topic"): n for key, n in row.items() if key != "value"}
            for stage, row in _by_stage(facts["stages"]).items()
        }
        found = found.with_part(
            f"topic {name}",
            _Part(inferred, {"topic": facts["value"], "share": facts["share"], "stages": stages}),
        )
    return found


@dataclass(frozen=True)
class _Part:
    """A result as a part of the measurement, under the names that its JSON has there."""

    result: "Result"
    facts: dict[str, Any]

    def named_tables(self) -> "dict[str, Table]":
        first, *others = self.result.tables.items()
        return {"": first[1], **dict(others)}

    def to_dict(self) -> dict[str, Any]:
        return self.facts

    def sentences(self) -> tuple[str, ...]:
        return self.result.sentences


def _by_stage(facts: dict[str, dict[str, Any]]) -> dict[str, Any]:
    return {
        {"topics": "topics_api"}.get(stage, stage): numbers
        for stages in facts.values()
        for stage, numbers in stages.items()
    }


def _exposure(facts: dict[str, Any]) -> dict[str, Any]:
    from quiff.results.numbers import plain

    rows = [{"topic": row.pop("output"), **row} for row in plain(facts["outputs"])]
    return {key: facts[key] for key in ("users", "guess", "vulnerability")} | {"topics": rows}


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
