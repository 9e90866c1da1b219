"""How commands show the result of a study: in words and tables, as JSON, as files."""

import shlex
from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from quiff.cli.options import (
    digits_option,
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

_FURTHER = {"measure": ", quiff epochs, quiff report", "epochs": ", quiff report"}
_LISTED = 6  # names of tables in a hint
WORDS = "quiff.cli.words"  # what was typed, in the context's meta
_OPTIONS = (
    flag("--all everything", "Print all sentences and tables, not only the answer."),
    flag("--explain", "For each quantity: meaning, formula, source."),
    digits_option,
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


def shows_result(function: Callable[..., "Result"]) -> Callable[..., None]:
    """Give a command that returns a result the options by which it is shown, and show it."""

    @wraps(function)
    def run(
        *, explain: bool, as_json: bool, form: str, folder: Path | None, keep_formulas: bool,
        figure: Path | None, everything: bool, **given: Any,
    ) -> None:  # fmt: skip
        from quiff.files import together

        with together():
            result = noted(function(**given))
            if figure is not None:
                result.figure().write(figure, **guarded(figure))
            if folder is not None:
                _write_tables(result, folder, keep_formulas)
        for path in filter(None, (figure, folder)):
            wrote(path)
        if as_json:
            echo(result.to_json())
        elif explain:
            echo(result.explained())
        else:
            echo(_text(result, form, everything, keep_formulas))

    return with_options(*_OPTIONS)(run)


def write_figure(result: Any, file: Path) -> None:
    """Write the main figure of a result, and say so."""
    result.figure().write(file, **guarded(file))
    wrote(file)


def wrote(path: Path) -> None:
    """Say what was written, beside the result."""
    echo(f"Wrote {path}", err=True)


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

    if form == "text":
        return f"{result.to_text(everything=everything)}\n\n{_hint(result, everything)}".rstrip("\n")
    sentences = [*result.warnings, *result.sentences, *result.further]
    options = {"keep_formulas": keep_formulas} if form == "csv" else {}
    blocks = [getattr(table, f"to_{form}")(**options).rstrip("\n") for table in result.tables.values()]
    if form == "markdown" and sentences:
        blocks.insert(0, "\n".join(map(markdown_text, sentences)))
    return "\n\n".join(blocks)


def _hint(result: "Result", everything: bool) -> str:
    """Say what more there is."""
    from quiff.results.columns import filled

    asked = click.get_current_context().params
    genuine = "filling" in result.tables and asked.get("genuine") is False
    lines = ["--genuine leaves out people with filled-in topics."] if genuine else []
    left = list(result.tables)[1:] + (["sentences"] if result.further else [])
    if left and not everything:
        listed = ", ".join(left[:_LISTED]) + (", ..." if len(left) > _LISTED else "")
        further = _FURTHER.get(click.get_current_context().command.name or "", "")
        lines.append(f"More: --all ({listed}), --explain, --json{further}")
    return "\n".join(map(filled, lines))
