"""The options that several commands share, and how numbers are read from the command line.

Text that is no number is wrong usage (exit status 2); a number or name out of range is a ParameterError (1).
"""

import re
from fractions import Fraction
from pathlib import Path

import click

from quiff.errors import ParameterError
from quiff.theory.taxonomies import TAXONOMY_SIZES, taxonomy_size

__all__ = [
    "figure_option",
    "json_option",
    "noise_option",
    "read_figure_file",
    "read_number",
    "read_topics",
    "topics_option",
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


def read_figure_file(ctx: click.Context, param: click.Parameter, text: str | None) -> Path | None:  # noqa: ARG001
    """Read the name of a figure's file; a suffix that names no format is told before any work."""
    from quiff.results.figures.figure import figure_format

    if text is None:
        return None
    figure_format(text)
    return Path(text)


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
noise_option = click.option(
    "--noise",
    callback=read_number,
    default="0.05",
    show_default=True,
    metavar="R",
    help="Probability of a random topic, such as 0.05 or 1/20.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON, at full precision.")
figure_option = click.option(
    "--figure", callback=read_figure_file, metavar="FILE", help="Also write a figure: .svg, .png or .html."
)
