"""The options that several commands share, and how numbers are read from the command line.

Text that is no number is wrong usage (exit status 2); a number or name out of range is a ParameterError (1).
"""

import re
from collections.abc import Hashable
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

import click

from quiff.errors import ParameterError
from quiff.theory.taxonomies import TAXONOMY_SIZES, taxonomy_size

if TYPE_CHECKING:
    from quiff.populations.population import Population

__all__ = [
    "figure_option",
    "json_option",
    "missing_option",
    "noise_option",
    "population_topics_option",
    "read_figure_file",
    "read_number",
    "read_population",
    "read_taxonomy",
    "read_topics",
    "stored_top_option",
    "topics_option",
    "weights_option",
]

_FRACTION = re.compile(r"[+-]?\d{1,15}/\d{1,15}", re.ASCII)


def read_number(ctx: click.Context, param: click.Parameter, text: str | None) -> float | Fraction | None:
    """Read a decimal such as 0.05 as a float, and a fraction such as 1/20 exactly."""
    if text is None:
        return None
    try:
        return Fraction(text) if _FRACTION.fullmatch(text) else float(text)
    except (ValueError, ZeroDivisionError):
        message = f"{text!r} is neither a decimal such as 0.05 nor a fraction such as 1/20."
        raise click.BadParameter(message, ctx, param) from None


def read_topics(ctx: click.Context, param: click.Parameter, text: str) -> int:  # noqa: ARG001 - click's signature
    """Read the number of topics of a taxonomy, or the name of a published one."""
    if text == "occurring":
        raise ParameterError(
            "topics 'occurring' needs a population, and this command has none;"
            f" give a whole number or one of {', '.join(TAXONOMY_SIZES)}"
        )
    return taxonomy_size(text)


def read_taxonomy(ctx: click.Context, param: click.Parameter, text: str | None) -> str | None:  # noqa: ARG001
    """Read the taxonomy for a population: a number, a name or ``occurring``; a wrong one is told at once."""
    if text is not None and text != "occurring":
        taxonomy_size(text)
    return text


def read_figure_file(ctx: click.Context, param: click.Parameter, text: str | None) -> Path | None:  # noqa: ARG001
    """Read the name of a figure's file; a suffix that names no format is told before any work."""
    from quiff.results.figures.figure import figure_format

    if text is None:
        return None
    figure_format(text)
    return Path(text)


def read_population(
    path: Path,
    taxonomy: str | None,
    *,
    top: int | None = None,
    weights: str | None = None,
    epoch: int | None = None,
    missing: str = "error",
) -> tuple["Population", int]:
    """Return the profiles of one epoch in a file, and the size of the taxonomy; an error names the file.

    Of several epochs the first is taken unless one is named, and a note of the population says so.
    """
    from dataclasses import replace

    from quiff.apis.taxonomy import topics_for
    from quiff.populations.population import Population
    from quiff.populations.readers import place_of_topic

    def set_with(topic: Hashable) -> str:
        return f"{place_of_topic(path, topic, top=top)} the set"

    population = Population.read(path, top=top, weights=weights, missing=missing)
    try:
        n_epochs, chosen = population.n_epochs, epoch or 0
        population = population.epoch(chosen)
        if n_epochs > 1:
            note = f"The file has {n_epochs} epochs; this is epoch {chosen}, counted from 0."
            population = replace(population, notes=(*population.notes, note))
        return population, topics_for(population, taxonomy, at=set_with)
    except ParameterError as error:
        raise ParameterError(f"{str(path)!r}: {error}") from error


topics_option = click.option(
    "--topics",
    callback=read_topics,
    default="v1",
    show_default=True,
    metavar="M",
    help="Topics of the taxonomy: a number, or "
    + ", ".join(f"{name} ({size})" for name, size in TAXONOMY_SIZES.items())
    + ".",
)
population_topics_option = click.option(
    "--topics",
    "taxonomy",
    callback=read_taxonomy,
    metavar="M",
    help="Topics of the taxonomy: a number, "
    + ", ".join(f"{name} ({size})" for name, size in TAXONOMY_SIZES.items())
    + ", or occurring. A name refuses topics that it does not have."
    "  [default: v1, or its size if topics are words]",
)
noise_option = click.option(
    "--noise",
    callback=read_number,
    default="0.05",
    show_default=True,
    metavar="R",
    help="Probability of a random topic, such as 0.05 or 1/20.",
)
stored_top_option = click.option(
    "--top", type=int, metavar="S", help="Topics in a user's set, from ranked counts.  [default: as stored]"
)
weights_option = click.option(
    "--weights", metavar="COLUMN", help="The column that says how probable a user is."
)
missing_option = click.option(
    "--missing",
    type=click.Choice(["error", "drop", "fill"]),
    default="error",
    show_default=True,
    help="Users without a set in some epoch: an error, left out, or given topics by chance.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON, at full precision.")
figure_option = click.option(
    "--figure", callback=read_figure_file, metavar="FILE", help="Also write a figure: .svg, .png or .html."
)
