"""The options that several commands share, and how numbers are read from the command line.

Text that is no number is wrong usage (exit status 2); a number or name out of range is a ParameterError (1).
"""

import re
from fractions import Fraction
from pathlib import Path

import click

from quiff.cli.outputs import OutputFile
from quiff.errors import ParameterError
from quiff.theory.taxonomies import TAXONOMY_SIZES, taxonomy_size

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
short_noise_option = click.option(
    "--noise",
    callback=read_number,
    metavar="R",
    help="Probability of a random topic, such as 0.05 or 1/20.  [default: 0.05]",
)
api_option = click.option(
    "--api",
    "specs",
    multiple=True,
    metavar="SPEC",
    help="An API: NAME, NAME:parameter=value,..., or FILE.py:NAME for your own (the file is run); with +"
    " between two, one observer sees both. May be repeated; see quiff apis.  [default: cookies and topics]",
)
attribute_option = click.option(
    "--attribute",
    "attributes",
    multiple=True,
    metavar="COLUMN",
    help="A column of PEOPLE to take as an attribute, such as country. May be repeated.",
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
    help="Users without a set in some epoch: an error, left out, or given random topics.",
)
epoch_option = click.option(
    "--epoch", type=int, metavar="K", help="The epoch to take, from 0, if there are several.  [default: 0]"
)
histories_option = click.option(
    "--histories",
    type=click.Path(path_type=Path),
    metavar="TABLE",
    help="The users' Experimental table (see quiff experiment): cookies are measured on it.",
)
seed_option = click.option(
    "--seed",
    type=int,
    default=0,
    show_default=True,
    metavar="K",
    help="The random seed: the same seed, the same draws.",
)
drawn_seed_option = click.option(
    "--seed",
    type=int,
    metavar="K",
    help="The random seed: the same seed, the same draws.  [default: the system's randomness]",
)
mirror_option = click.option(
    "--mirror",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Take public data from this folder only, without a network. (The folder QUIFF_MIRROR, if that is"
    " set, is looked into before cache and network.)",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON, at full precision.")
keep_formulas_option = click.option(
    "--keep-formulas",
    is_flag=True,
    help="In CSV, keep text as it is. Else an apostrophe comes before text that a spreadsheet would run,"
    " such as =1+1.",
)
figure_option = click.option(
    "--figure",
    type=OutputFile(".svg", ".png", ".html"),
    metavar="FILE",
    help="Also write a figure: .svg, .png or .html.",
)

genuine_option = click.option(
    "--genuine",
    is_flag=True,
    help="Leave out users with topics that were filled in at random.",
)
known_option = click.option(
    "--known",
    multiple=True,
    metavar="ATTRIBUTE",
    help="What the adversary already knows of the user, such as country (see --attribute). May be repeated.",
)
