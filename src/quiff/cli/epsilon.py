"""``quiff epsilon``: what an epsilon means, on one screen."""

from fractions import Fraction
from typing import TYPE_CHECKING

import click

from quiff.cli.options import number, option, read_api, read_number, several
from quiff.cli.outputs import Writing
from quiff.cli.shown import shows_result

if TYPE_CHECKING:
    from quiff.results.result import Result


@click.command("epsilon", cls=Writing)
@click.argument("epsilon", callback=read_number, required=False)
@several(
    "--api specs",
    "SPEC",
    "An API to put beside it, by its parameters alone: NAME or NAME:parameter=value,... May be repeated;"
    " see quiff apis. Without EPSILON, the epsilon is that of the first.",
)
@option("--secrets", "N", "Users, or secrets.", int, 1_000_000)
@option(
    "--observations",
    "N",
    "Observations of the same secret. May be repeated.",
    int,
    (2, 10, 100),
    multiple=True,
)
@number(
    "--delta", "D", "Probability with which a smaller epsilon after several observations may fail.", "1e-6"
)
@shows_result
def command(
    epsilon: float | Fraction | None,
    specs: tuple[str, ...],
    secrets: int,
    observations: tuple[int, ...],
    delta: float | Fraction,
) -> "Result":
    """Say what an epsilon means: guesses, attacks, observations.

    EPSILON is that of local differential privacy for one observation. All numbers are the most that any
    mechanism with it allows. The figure shows the largest posterior against the prior, and epsilon against
    observations.

    Example: quiff epsilon 7.19 --api topics
    """
    from quiff.studies.epsilon import explain_epsilon

    if epsilon is None and not specs:
        raise click.UsageError("give an EPSILON, or an --api whose epsilon is meant.")
    apis = map(read_api, specs)
    return explain_epsilon(
        None if epsilon is None else float(epsilon),
        *apis,
        secrets=secrets,
        observations=observations,
        delta=float(delta),
    )
