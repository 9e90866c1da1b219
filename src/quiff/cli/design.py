"""``quiff design``: the parameters that meet a budget."""

from pathlib import Path
from typing import Annotated

import click

from quiff.apis.registry import DEFAULT
from quiff.cli.outputs import guarded
from quiff.cli.people import Asked, Spec, read_api, with_set_size
from quiff.commands import NewFile, command
from quiff.errors import ParameterError
from quiff.io import write_text
from quiff.results.result import Result
from quiff.studies.design import fit_design, meet_budget
from quiff.theory.parameters import Real


@command("design", group="parameters")
def design(
    api: Spec = (),
    *,
    capacity: Real | None = None,
    epsilon: Real | None = None,
    max_case: Real | None = None,
    utility: Real | None = None,
    people: Path | None = None,
    out: Annotated[Path | None, NewFile(".json")] = None,
    memory_limit: str | None = None,
    show_rows: bool = False,
) -> Result:
    """Find the parameters that meet a budget of privacy or utility.

    Give exactly one of --capacity, --epsilon, --max-case and --utility. For each size of the sets the
    answer has the noise that does; and for the given noise, the smallest size that does and the nearest
    one. The figure shows the frontier of privacy and utility.

    The Bayes capacity is the most by which an observation multiplies the probability of re-identification, on
    average; the max-case capacity, by the worst observation; epsilon is that of differential privacy.

    With --people and --utility, the answer is not a setting of the Topics API but the mechanisms that leak
    least for these people while what the average user, or every user, shows stays as useful. They are APIs
    too: see --out.

    Parameters
    ----------
    api
        The Topics API, whose taxonomy and noise count.  [default: topics]
    capacity
        Budget: a Bayes capacity of at most X.
    epsilon
        Budget: an epsilon of at most X.
    max_case
        Budget: a max-case capacity of at most X.
    utility
        Floor: a utility of at least X, the probability that what is shown is genuine.
    people
        Fit a mechanism of least capacity to these people; needs --utility.
    out
        With --people: also write the mechanisms, for --api fitted:weights=FILE.
    memory_limit
        Take no more memory than this, such as 2GB.
    show_rows
        In errors, show cells and rows in full; else what they say of people is left out.

    Examples
    --------
    $ quiff design --api topics:n_topics=v2 --capacity 66.36
    """
    targets = {"capacity": capacity, "epsilon": epsilon, "max_case": max_case, "utility": utility}
    named = [(name, target) for name, target in targets.items() if target is not None]
    if len(named) != 1:
        raise click.UsageError(
            f"Give exactly one of --capacity, --epsilon, --max-case and --utility, not {len(named)}."
        )
    ((measure, target),) = named
    if people is None:
        if out is not None:
            raise click.UsageError("--out goes with --people.")
        return meet_budget(read_api(api[0], 1) if api else DEFAULT, measure, target)  # type: ignore[arg-type]
    if measure != "utility" or click.get_current_context().params["figure"] is not None:
        raise click.UsageError("With --people give --utility, and no --figure.")
    population = Asked(people).population(over_time=True)
    if population.n_epochs > 1:
        raise ParameterError(
            f"{str(people)!r} has {population.n_epochs} epochs; give a file with the profiles of one epoch",
            what="people",
            value=str(people),
            allowed="profiles of one epoch",
        )
    spec = api[0] if api else "topics"
    result = fit_design(population, target, with_set_size(read_api(spec, 1), spec, population.sets.shape[2]))
    if out is not None:
        write_text(out, result.to_json() + "\n", **guarded(out))
    return result
