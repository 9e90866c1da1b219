"""``quiff theory``: every closed form at given parameters."""

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import click

from quiff.cli.options import api_option, noise_option, number, option, topics_option
from quiff.cli.outputs import Writing
from quiff.cli.short_forms import closed_form_apis
from quiff.cli.shown import shows_result

if TYPE_CHECKING:
    from quiff.results.result import Result

_RENAMED = {"sets": "distinct_sets", "users": "n_users"}


@click.command("theory", cls=Writing)
@api_option
@topics_option
@option("--top", "S", "Topics in a user's set.", int, 5)
@noise_option
@option("--occurring", "M1", "Topics in the union of all sets.  [default: all]", int)
@option("--sets", "D", "Different sets among the users.  [default: all that can be]", int)
@option("--users", "N", "Users.  [default: 1000000]", int)
@option("--epochs", "E", "Epochs observed.  [default: 3]", int)
@option("--contexts", "C", "Sites with third-party cookies.  [default: 100]", int)
@number("--prior-success", "P", "Probability that an adversary succeeds before an observation.", "0.01")
@number(
    "--prior-gain",
    "V",
    "Probability that an advertiser names a topic of the set beforehand.  [default: S/M1, the least]",
)
@number("--share", "A", "Probability that a user has the topic to be counted.  [default: 1/2]")
@shows_result
def command(
    specs: tuple[str, ...],
    topics: int,
    top: int,
    noise: float | Fraction,
    prior_success: float | Fraction,
    **scenario: Any,
) -> "Result":
    """Print what an API reveals, from its parameters alone.

    The numbers are closed forms; no people are needed. Without --api they are those of third-party cookies
    and the Topics API, on privacy and utility: then the figure shows capacity and epsilon against the noise,
    and the probability that users are counted right. --explain says what each number means.

    Example: quiff theory --topics v2 --top 7 --noise 1/20
    """
    from quiff.studies.theory import closed_forms

    given = {_RENAMED.get(name, name): value for name, value in scenario.items() if value is not None}
    return closed_forms(*closed_form_apis(specs, topics, top, noise), prior_success=prior_success, **given)
