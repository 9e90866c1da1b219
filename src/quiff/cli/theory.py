"""``quiff theory``: every closed form at given parameters."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import click

from quiff.cli.options import api_option, figure_option, json_option, noise_option, read_number, topics_option
from quiff.cli.outputs import Writing, guarded
from quiff.cli.short_forms import closed_form_apis
from quiff.cli.terminal import echo


@click.command("theory", cls=Writing)
@api_option
@topics_option
@click.option("--top", type=int, default=5, show_default=True, metavar="S", help="Topics in a user's set.")
@noise_option
@click.option("--occurring", type=int, metavar="M1", help="Topics in the union of all sets.  [default: all]")
@click.option(
    "--sets", type=int, metavar="D", help="Different sets among the users.  [default: all that can be]"
)
@click.option("--users", type=int, metavar="N", help="Users.  [default: 1000000]")
@click.option("--epochs", type=int, metavar="E", help="Epochs observed.  [default: 3]")
@click.option("--contexts", type=int, metavar="C", help="Sites with third-party cookies.  [default: 100]")
@click.option(
    "--prior-success",
    callback=read_number,
    default="0.01",
    show_default=True,
    metavar="P",
    help="Probability that an adversary succeeds before an observation.",
)
@click.option(
    "--prior-gain",
    callback=read_number,
    metavar="V",
    help="Probability that an advertiser names a topic of the set beforehand.  [default: S/M1, the least]",
)
@click.option(
    "--share",
    callback=read_number,
    metavar="A",
    help="Probability that a user has the topic to be counted.  [default: 1/2]",
)
@click.option("--explain", is_flag=True, help="For each number: meaning, formula, source, assumptions.")
@json_option
@figure_option
def command(
    specs: tuple[str, ...],
    topics: int,
    top: int,
    noise: float | Fraction,
    prior_success: float | Fraction,
    explain: bool,
    as_json: bool,
    figure: Path | None,
    **scenario: Any,
) -> None:
    """Print what an API gives away, from its parameters alone.

    The numbers are closed forms; no people are needed. Without --api they are those of third-party cookies
    and the Topics API, on privacy and on use: then the figure shows capacity and epsilon against the noise,
    and how probably users are counted right. --explain says what each number means.

    Example: quiff theory --topics v2 --top 7 --noise 1/20
    """
    from quiff.results.numbers import to_json
    from quiff.studies.closed_forms import closed_forms

    given = {name: value for name, value in scenario.items() if value is not None}
    renamed = {"sets": "distinct_sets", "users": "n_users"}
    forms = closed_forms(
        *closed_form_apis(specs, topics, top, noise),
        prior_success=prior_success,
        **{renamed.get(name, name): value for name, value in given.items()},
    )
    if figure is not None:
        forms.figure().write(figure, **guarded(figure))
    if as_json:
        echo(to_json(forms.facts))
    elif explain:
        echo(forms.explained())
    else:
        echo("\n\n".join(table.to_text() for table in forms.tables.values()))
