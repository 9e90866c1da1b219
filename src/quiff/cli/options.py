"""The options that several commands share, and how numbers are read from the command line.

A value that no data can make right is wrong usage, told at its option (exit status 2); what does not fit the
data is a ParameterError (1).
"""

import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import click

from quiff.cli.outputs import OutputFile
from quiff.errors import ParameterError, QuiffError, full_sentence
from quiff.files import check_name
from quiff.theory.parameters import check_probability, check_whole
from quiff.theory.taxonomies import TAXONOMY_SIZES, taxonomy_size

if TYPE_CHECKING:
    from quiff.apis.base import Api

Command = TypeVar("Command", bound=Callable[..., Any])
Check: TypeAlias = Callable[[str, Any], Any]


class Input(click.Path):
    """A file or folder to read, or the name of a public data set of which there is a copy."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path; that of a data set's copy, if there is no such file."""
        name = str(value)
        with at_option(ctx, param or "FILE"):
            check_name(name)
        if not os.path.lexists(name) and not Path(name).suffix:
            from quiff.history.fetch import local_copy
            from quiff.history.registry import DATASETS

            if name in DATASETS:
                found = local_copy(name)
                if found is None:
                    raise ParameterError(
                        f"the data set {name!r} is not here; fetch it by quiff data get {name}"
                    )
                return found
        return super().convert(value, param, ctx)


PATH = Input(path_type=Path)
_FRACTION = re.compile(r"[+-]?\d{1,15}/\d{1,15}", re.ASCII)


def option(
    names: str, metavar: str, about: str, kind: Any = str, default: Any = None, **more: Any
) -> Callable[[Command], Command]:
    """Return an option: its names, what stands for its value, help, type, and a default, which is shown."""
    if default is not None:
        more |= {"default": default, "show_default": True}
    return click.option(*names.split(), metavar=metavar or None, help=about, type=kind, **more)


def number(
    names: str, metavar: str, about: str, default: str | None = None, check: Check | None = None
) -> Callable[[Command], Command]:
    """Return an option that takes a decimal or a fraction, which may be checked."""

    def read(ctx: click.Context, param: click.Parameter, text: str | None) -> float | Fraction | None:
        value = read_number(ctx, param, text)
        with at_option(ctx, param):
            return value if check is None or value is None else check(str(param.name), value)

    return option(names, metavar, about, default=default, callback=read)


@contextmanager
def at_option(ctx: click.Context | None, param: click.Parameter | str) -> Iterator[None]:
    """Tell a wrong value at the option that has it, as wrong usage."""
    try:
        yield
    except QuiffError as error:
        hint = f"'{param}'" if isinstance(param, str) else None
        named = None if isinstance(param, str) else param
        raise click.BadParameter(full_sentence(error), ctx, named, hint) from error


def several(names: str, metavar: str, about: str, kind: Any = str) -> Callable[[Command], Command]:
    """Return an option that may be repeated."""
    return option(names, metavar, about, kind, multiple=True)


def one_of(names: str, about: str, *choices: str, default: str | None = None) -> Callable[[Command], Command]:
    """Return an option with a choice of words."""
    return option(names, "", about, click.Choice(choices), default)


def flag(names: str, about: str) -> Callable[[Command], Command]:
    """Return an option without a value."""
    return click.option(*names.split(), is_flag=True, help=about)


def least(smallest: int) -> click.IntRange:
    """Return the type of whole numbers from some number on."""
    return click.IntRange(min=smallest)


def with_options(*options: Callable[[Any], Any]) -> Callable[[Command], Command]:
    """Return a decorator that adds options in their order."""

    def add(command: Command) -> Command:
        for each in reversed(options):
            command = each(command)
        return command

    return add


def read_number(ctx: click.Context, param: click.Parameter, text: str | None) -> float | Fraction | None:
    """Read a decimal such as 0.05 as a float, and a fraction such as 1/20 exactly."""
    if text is None:
        return None
    try:
        return Fraction(text) if _FRACTION.fullmatch(text) else float(text)
    except (ValueError, ZeroDivisionError):
        message = f"{text!r} is neither a decimal such as 0.05 nor a fraction such as 1/20."
        raise click.BadParameter(message, ctx, param) from None


def read_topics(ctx: click.Context, param: click.Parameter, text: str) -> int:
    """Read the number of topics of a taxonomy, or the name of a published one."""
    with at_option(ctx, param):
        if text == "occurring":
            raise ParameterError(
                "topics 'occurring' needs a population, and this command has none;"
                f" give a whole number or one of {', '.join(TAXONOMY_SIZES)}"
            )
        return taxonomy_size(text)


def read_taxonomy(ctx: click.Context, param: click.Parameter, text: str | None) -> str | None:
    """Read the taxonomy for a population: a number, a name or ``occurring``; a wrong one is told at once."""
    with at_option(ctx, param):
        if text is not None and text != "occurring":
            check_whole("topics", taxonomy_size(text), 1)
        return text


def read_api(spec: str) -> "Api":
    """Read an API of ``--api``."""
    from quiff.apis.registry import api_from

    with at_option(click.get_current_context(silent=True), "--api"):
        return api_from(spec)


_NAMED = ", ".join(f"{name} ({size})" for name, size in TAXONOMY_SIZES.items())
_RANDOM = "Probability of a random topic, such as 0.05 or 1/20."
topics_option = option(
    "--topics", "M", f"Topics of the taxonomy: a number, or {_NAMED}.", default="v1", callback=read_topics
)
population_topics_option = option(
    "--topics taxonomy",
    "M",
    f"Topics of the taxonomy: a number, {_NAMED}, or occurring. A name refuses topics that it does not have."
    "  [default: v1, or its size if topics are words]",
    callback=read_taxonomy,
)
noise_option = number("--noise", "R", _RANDOM, "0.05", check_probability)
short_noise_option = number("--noise", "R", f"{_RANDOM}  [default: 0.05]", check=check_probability)
_API = (
    "An API: NAME, NAME:parameter=value,..., or FILE.py:NAME for your own (the file is run); with +"
    " between two, one observer sees both. May be repeated; see quiff apis.  [default: "
)
api_option = several("--api specs", "SPEC", f"{_API}cookies and topics]")
every_api_option = several("--api specs", "SPEC", f"{_API}all]")
attribute_option = several(
    "--attribute attributes",
    "COLUMN",
    "A column of PEOPLE to take as an attribute, such as country. May be repeated.",
)
stored_top_option = option(
    "--top", "S", "Topics in a user's set, from ranked counts.  [default: as stored]", int
)
weights_option = option("--weights", "COLUMN", "The column that says how probable a user is.")
missing_option = one_of(
    "--missing",
    "Users without a set in some epoch: an error, left out, or given random topics.",
    "error", "drop", "fill",
    default="error",
)  # fmt: skip
epoch_option = option(
    "--epoch", "K", "The epoch to take, from 0, if there are several.  [default: 0]", least(0)
)
genuine_option = flag("--genuine", "Leave out users with topics that were filled in at random.")
histories_option = option(
    "--histories",
    "TABLE",
    "The users' Experimental table (see quiff experiment): cookies are measured on it.",
    PATH,
)
master_option = option("--master", "URL", "The master of Spark.  [default: this machine]")


def _set_memory(ctx: click.Context, param: click.Parameter, size: str | None) -> None:
    """Limit the memory of the run until the command ends; what cannot even start is refused."""
    if size is None:
        return
    from quiff.core.limits import PROCESS, bytes_of, check_need, memory_limit

    with at_option(ctx, param):
        limit = bytes_of(size)
    with memory_limit(limit / 2**30):
        check_need("quiff itself takes about", PROCESS)
    ctx.with_resource(memory_limit(limit / 2**30))


memory_option = option(
    "--memory-limit",
    "SIZE",
    "Take no more memory than this, such as 2GB: an engine uses the disk beyond, and what cannot is not"
    " begun.",
    expose_value=False,
    callback=_set_memory,
)


def _show_rows(ctx: click.Context, param: click.Parameter, wanted: bool) -> None:  # noqa: ARG001
    if wanted:
        from quiff.safe_text import rows_shown

        ctx.with_resource(rows_shown())


rows_option = click.option(
    "--show-rows",
    is_flag=True,
    expose_value=False,
    callback=_show_rows,
    help="In errors, show cells and rows in full; else what they say of people is left out.",
)
reading_options = with_options(memory_option, rows_option)
known_option = several(
    "--known", "ATTRIBUTE", "What the adversary already knows of the user, such as country. May be repeated."
)
seed_option = option("--seed", "K", "The random seed: the same seed, the same draws.", least(0), 0)
drawn_seed_option = option(
    "--seed",
    "K",
    "The random seed: the same seed, the same draws.  [default: the system's randomness]",
    least(0),
)
mirror_option = option(
    "--mirror",
    "DIR",
    "Take public data from this folder only, without a network. (The folder QUIFF_MIRROR, if that is"
    " set, is looked into before cache and network.)",
    PATH,
)


def _set_digits(ctx: click.Context, param: click.Parameter, digits: int) -> None:  # noqa: ARG001
    from quiff.results.numbers import significant

    ctx.with_resource(significant(digits))


digits_option = option(
    "--digits", "N", "Significant digits of computed numbers.", click.IntRange(1, 15), 3,
    expose_value=False, callback=_set_digits,
)  # fmt: skip
json_option = flag("--json as_json", "Print JSON, at full precision.")
keep_formulas_option = flag(
    "--keep-formulas",
    "In CSV, keep text as it is. Else an apostrophe comes before text that a spreadsheet would run,"
    " such as =1+1.",
)
figure_option = option(
    "--figure", "FILE", "Also write a figure: .svg, .png or .html.", OutputFile(".svg", ".png", ".html")
)
