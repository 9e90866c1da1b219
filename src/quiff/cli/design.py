"""``quiff design``: the parameters that meet a budget."""

from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

import click

from quiff.cli.options import PATH, api_option, noise_option, number, option, reading_options, topics_option
from quiff.cli.outputs import OutputFile, Writing, guarded
from quiff.cli.people import Asked
from quiff.cli.short_forms import closed_form_apis
from quiff.cli.shown import shows_result
from quiff.errors import ParameterError

if TYPE_CHECKING:
    from quiff.results.result import Result


@click.command("design", cls=Writing)
@api_option
@topics_option
@number("--capacity", "L", "Budget: a Bayes capacity of at most L.")
@number("--epsilon", "E", "Budget: an epsilon of at most E.")
@number("--max-case", "X", "Budget: a max-case capacity of at most X.")
@number("--utility", "U", "Floor: a utility of at least U, the probability that what is shown is genuine.")
@noise_option
@option(
    "--people profiles", "FILE", "Fit a mechanism of least capacity to these people; needs --utility.", PATH
)
@option(
    "--out",
    "FILE",
    "With --people: also write the mechanisms, for --api fitted:weights=FILE.",
    OutputFile(".json"),
)
@reading_options
@shows_result
def command(
    specs: tuple[str, ...],
    topics: int,
    noise: float | Fraction,
    profiles: Path | None,
    out: Path | None,
    **targets: float | Fraction | None,
) -> "Result":
    """Find the parameters that meet a budget of privacy or utility.

    Give exactly one of --capacity, --epsilon, --max-case and --utility. For each size of the sets the
    answer has the noise that does; and for the given noise, the smallest size that does and the nearest
    one. The figure shows the frontier of privacy and utility.

    The Bayes capacity is the most by which an observation multiplies the probability of re-identification, on
    average; the max-case capacity, by the worst observation; epsilon is that of differential privacy.

    With --people and --utility, the answer is not a setting of the Topics API but the mechanisms that leak
    least for these people while what the average user, or every user, shows stays as useful. They are APIs
    too: see --out.

    Example: quiff design --topics v2 --capacity 66.36
    """
    from quiff.studies.design import fit_design, meet_budget

    given = [(name, target) for name, target in targets.items() if target is not None]
    if len(given) != 1:
        raise click.UsageError(
            f"Give exactly one of --capacity, --epsilon, --max-case and --utility, not {len(given)}."
        )
    if len(specs) > 1:
        raise click.UsageError(f"This command takes one --api, not {len(specs)}.")
    ((measure, target),) = given
    if profiles is None:
        if out is not None:
            raise click.UsageError("--out goes with --people.")
        (api,) = closed_form_apis(specs, topics, None, noise)
        return meet_budget(api, measure, target)  # type: ignore[arg-type]  # the options are named as they
    if measure != "utility" or click.get_current_context().params["figure"] is not None:
        raise click.UsageError("With --people give --utility, and no --figure.")
    people = Asked(profiles).people(over_time=True)
    if people.n_epochs > 1:
        raise ParameterError(
            f"{str(profiles)!r} has {people.n_epochs} epochs; give a file with the profiles of one epoch"
        )
    (api,) = closed_form_apis(specs, topics, people.sets.shape[2], noise)
    found = fit_design(people, target, api)
    if out is not None:
        from quiff.files import write_text

        write_text(out, found.to_json() + "\n", **guarded(out))
    return found
