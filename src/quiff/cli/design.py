"""``quiff design``: the parameters that meet a budget."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import click

from quiff.cli.options import api_option, figure_option, json_option, noise_option, read_number, topics_option
from quiff.cli.outputs import OutputFile, Writing, guarded
from quiff.cli.short_forms import closed_form_apis
from quiff.cli.terminal import echo
from quiff.errors import ParameterError
from quiff.theory.design import Measure


@click.command("design", cls=Writing)
@api_option
@topics_option
@click.option("--capacity", callback=read_number, metavar="L", help="Budget: a Bayes capacity of at most L.")
@click.option("--epsilon", callback=read_number, metavar="E", help="Budget: an epsilon of at most E.")
@click.option(
    "--max-case", callback=read_number, metavar="X", help="Budget: a max-case capacity of at most X."
)
@click.option(
    "--utility",
    callback=read_number,
    metavar="U",
    help="Floor: what is shown is genuine with probability U or more.",
)
@noise_option
@click.option(
    "--profiles",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Fit a mechanism of least capacity to these people; needs --utility.",
)
@click.option(
    "--out",
    type=OutputFile(".json"),
    metavar="FILE",
    help="With --profiles: also write the mechanisms, for --api fitted:weights=FILE.",
)
@json_option
@figure_option
def command(
    specs: tuple[str, ...],
    topics: int,
    noise: float | Fraction,
    profiles: Path | None,
    out: Path | None,
    as_json: bool,
    figure: Path | None,
    **targets: float | Fraction | None,
) -> None:
    """Find the parameters that meet a budget of privacy or utility.

    Give exactly one of --capacity, --epsilon, --max-case and --utility. For each size of the sets the
    answer has the noise that does; and for the given noise, the smallest size that does and the nearest
    one. The figure shows the frontier of privacy and utility.

    The Bayes capacity is the most by which an observation multiplies the probability of re-identification, on
    average; the max-case capacity, by the worst observation; epsilon is that of differential privacy.

    With --profiles and --utility, the answer is not a setting of the Topics API but the mechanisms that leak
    least for these people while what the average user, or every user, shows stays as useful. They are APIs
    too: see --out.

    Example: quiff design --topics v2 --capacity 66.36
    """
    from quiff.results.numbers import to_json
    from quiff.studies.design import meet_budget

    measure, target = _only(targets)
    if profiles is not None:
        if measure != "utility" or figure is not None:
            raise click.UsageError("With --profiles give --utility, and no --figure.")
        found = _fitted(profiles, target, specs, topics, noise)
        if out is not None:
            from quiff.files import write_text

            write_text(out, to_json(found.to_dict()) + "\n", **guarded(out))
    elif out is not None:
        raise click.UsageError("--out goes with --profiles.")
    else:
        (api,) = closed_form_apis(specs, topics, None, noise)[:1]
        found = meet_budget(api, measure, target)
    if figure is not None:
        found.figure().write(figure, **guarded(figure))
    if as_json:
        echo(to_json(found.to_dict()))
    else:
        echo("\n\n".join(table.to_text() for table in found.tables.values()))


def _fitted(profiles: Path, utility: float | Fraction, *short: Any) -> Any:
    """Return the mechanisms that are fitted to people."""
    from quiff.populations.population import Population
    from quiff.studies.design import fit_design

    people = Population.read(profiles)
    if people.n_epochs > 1:
        raise ParameterError(
            f"{str(profiles)!r} has {people.n_epochs} epochs; give a file with the profiles of one epoch"
        )
    specs, topics, noise = short
    (api,) = closed_form_apis(specs, topics, people.sets.shape[2], noise)[:1]
    return fit_design(people, utility, api)


def _only(targets: dict[str, float | Fraction | None]) -> tuple[Measure, float | Fraction]:
    """Return the one target that is given."""
    given = {name: target for name, target in targets.items() if target is not None}
    if len(given) != 1:
        raise click.UsageError(
            f"Give exactly one of --capacity, --epsilon, --max-case and --utility, not {len(given)}."
        )
    ((name, target),) = given.items()
    measure: Measure = name  # type: ignore[assignment]  # the options are named as the measures
    return measure, target
