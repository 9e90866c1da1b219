"""``quiff theory``: every closed form at given parameters."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import click

from quiff.cli.options import figure_option, json_option, noise_option, read_number, topics_option
from quiff.cli.outputs import Writing, guarded
from quiff.cli.terminal import echo


@click.command("theory", cls=Writing)
@topics_option
@click.option("--top", type=int, default=5, show_default=True, metavar="S", help="Topics in a user's set.")
@noise_option
@click.option("--occurring", type=int, metavar="M1", help="Topics in the union of all sets.  [default: all]")
@click.option(
    "--sets", type=int, metavar="D", help="Different sets among the users.  [default: all that can be]"
)
@click.option("--users", type=int, default=1_000_000, show_default=True, metavar="N", help="Users.")
@click.option("--epochs", type=int, default=3, show_default=True, metavar="E", help="Epochs observed.")
@click.option(
    "--contexts",
    type=int,
    default=100,
    show_default=True,
    metavar="C",
    help="Sites with third-party cookies.",
)
@click.option(
    "--prior-success",
    callback=read_number,
    default="0.01",
    show_default=True,
    metavar="P",
    help="Probability that an adversary succeeds before a report.",
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
    default="1/2",
    show_default=True,
    metavar="A",
    help="Probability that a user has the topic to be counted.",
)
@click.option("--explain", is_flag=True, help="For each number: meaning, formula, source, assumptions.")
@json_option
@figure_option
def command(
    topics: int,
    top: int,
    noise: float | Fraction,
    explain: bool,
    as_json: bool,
    figure: Path | None,
    **rest: Any,
) -> None:
    """Print what an API gives away, from its parameters alone.

    The numbers are closed forms for third-party cookies and the Topics API, on privacy and on use; no
    population is needed. The figure shows capacity and epsilon against the noise, and how
    probably users are counted right. --explain says what each number means.

    Example: quiff theory --topics v2 --top 7 --noise 1/20
    """
    from quiff.results.numbers import to_json
    from quiff.studies.closed_forms import closed_forms

    forms = closed_forms(
        topics, top, noise, distinct_sets=rest.pop("sets"), n_users=rest.pop("users"), **rest
    )
    if figure is not None:
        forms.figure().write(figure, **guarded(figure))
    if as_json:
        echo(to_json(forms.to_dict()))
    elif explain:
        echo("\n\n".join(quantity.explained() for quantity in forms.quantities))
    else:
        echo("\n\n".join(table.to_text() for table in forms.tables()))
