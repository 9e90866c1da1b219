"""How commands show the result of a study: in words and tables, as JSON, as files."""

import shlex
from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any

import click

from quiff.cli.options import (
    figure_option,
    flag,
    json_option,
    keep_formulas_option,
    one_of,
    option,
    with_options,
)
from quiff.cli.outputs import OutputFolder, guarded
from quiff.cli.terminal import echo

if TYPE_CHECKING:
    from quiff.results.result import Result

WORDS = "quiff.cli.words"  # what was typed, in the context's meta
_OPTIONS = (
    flag("--explain", "For each quantity: meaning, formula, source."),
    json_option,
    one_of(
        "--format form",
        "How tables are printed; but for text, all of them.",
        "text", "markdown", "latex", "csv",
        default="text",
    ),
    option("--csv folder", "DIR", "Also write each table as a CSV file, into a new folder.", OutputFolder()),
    keep_formulas_option,
    figure_option,
)  # fmt: skip


def shows_result(
    *, everything: bool = False
) -> Callable[[Callable[..., "Result | None"]], Callable[..., None]]:
    """Give a command that returns a result the options by which it is shown, and show it.

    Parameters
    ----------
    everything
        Whether all tables are printed, and not only the main one unless --all says so.
    """
    choice = () if everything else (flag("--all everything", "Print all tables, not only the main one."),)

    def decorate(function: Callable[..., "Result | None"]) -> Callable[..., None]:
        @wraps(function)
        def run(
            *, explain: bool, as_json: bool, form: str, folder: Path | None, keep_formulas: bool,
            figure: Path | None, everything: bool = everything, **given: Any,
        ) -> None:  # fmt: skip
            result = function(**given)
            if result is None:
                return
            result = noted(result)
            if figure is not None:
                result.figure().write(figure, **guarded(figure))
            if folder is not None:
                _write_tables(result, folder, keep_formulas)
            if as_json:
                echo(result.to_json())
            elif explain:
                echo(result.explained())
            else:
                echo(_text(result, form, everything, keep_formulas))

        return with_options(*choice, *_OPTIONS)(run)

    return decorate


def noted(result: "Result") -> "Result":
    """Return the result with the command that repeats it."""
    if result.provenance is None:
        return result
    typed = shlex.join(["quiff", *map(str, click.get_current_context().meta[WORDS])])
    return replace(result, provenance=replace(result.provenance, command=typed))


def _write_tables(result: "Result", folder: Path, keep_formulas: bool) -> None:
    """Write each table to a file of its name, signs that file names cannot have as in web addresses."""
    from urllib.parse import quote

    from quiff.files import whole_folder

    with whole_folder(folder, **guarded(folder)) as new:
        for name, table in result.tables.items():
            table.write(new / f"{quote(name, safe=' ')}.csv", keep_formulas=keep_formulas)


def _text(result: "Result", form: str, everything: bool, keep_formulas: bool) -> str:
    """Return what the numbers say and the main table, or all tables; where only tables fit, these."""
    from quiff.results.markup import markdown_text

    sentences = [*result.warnings, *result.sentences]
    if form == "text":
        more = [name for name in list(result.tables)[1:] if not everything]
        hint = fill(f"More: --all ({', '.join(more)}), --explain, --json", 80) if more else ""
        if "filling" in result.tables and "genuine" in click.get_current_context().params:
            hint = f"{hint}\n--genuine leaves out users with filled topics.".removeprefix("\n")
        return "\n\n".join(filter(None, (result.to_text(everything=everything), hint)))
    options = {"keep_formulas": keep_formulas} if form == "csv" else {}
    blocks = [getattr(table, f"to_{form}")(**options).rstrip("\n") for table in result.tables.values()]
    if form == "markdown" and sentences:
        blocks.insert(0, "\n".join(map(markdown_text, sentences)))
    return "\n\n".join(blocks)
