"""How commands show results of studies, in words and tables, as JSON, as files; and counts of a run."""

import shlex
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import click

from quiff.cli.outputs import guarded
from quiff.commands import NewFile, NewFolder

if TYPE_CHECKING:
    from quiff.cli.progress import Shown
    from quiff.logs.gather import Gathered
    from quiff.results.result import Result

_FURTHER = {"measure": ", quiff epochs, quiff report", "epochs": ", quiff report"}
_LISTED = 6  # names of tables in a hint
_PASTED = 20_000  # signs of data in an issue
WORDS = "quiff.cli.words"  # what was typed, in the context's meta


def show_result(
    result: "Result",
    shown: "Shown",
    *,
    all_: bool = False,
    explain: bool = False,
    digits: int = 3,
    json_: bool = False,
    format_: Literal["text", "markdown", "latex", "csv", "issue"] = "text",
    csv: Annotated[Path | None, NewFolder()] = None,
    keep_formulas: bool = False,
    figure: Annotated[Path | None, NewFile(".svg", ".png", ".html")] = None,
) -> str:
    """Return what a command prints of a result, and write its files.

    Parameters
    ----------
    all_
        Print all sentences and tables, not only the answer.
    explain
        For each quantity: meaning, formula, source.
    digits
        Significant digits of computed numbers.
    json_
        Print JSON, at full precision.
    format_
        How tables are printed; but for text, all of them. issue: Markdown to paste into an issue tracker.
    csv
        Also write each table as a CSV file, into a new folder.
    keep_formulas
        In CSV, keep text as it is. Else an apostrophe comes before text that a spreadsheet would run, such as
        =1+1.
    figure
        Also write a figure: .svg, .png or .html.
    """
    result = noted(result)
    if figure is not None:
        result.figure().write(figure, **guarded(figure))
    if csv is not None:
        _write_tables(result, csv, keep_formulas)
    if json_:
        return result.to_json()
    return result.explained() if explain else _text(result, format_, all_, keep_formulas)


@dataclass(frozen=True)
class Listed:
    """What a command prints as it is: the same as data and as text."""

    data: Any
    text: str


def show_listed(listed: Listed, progress: "Shown", *, json_: bool = False) -> str:
    """Return what is listed as JSON or as text.

    Parameters
    ----------
    json_
        Print JSON, at full precision.
    """
    from quiff.results.numbers import to_json

    return to_json(listed.data) if json_ else listed.text


def show_counts(result: Any, progress: "Shown", *, json_: bool = False) -> str:
    """Return the counts of a run as JSON, or as text with its steps.

    Parameters
    ----------
    json_
        Print JSON, at full precision.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> from quiff.cli.progress import Shown
    >>> @dataclass
    ... class Reduced:
    ...     rows: int
    ...     dropped: dict[str, int]
    >>> print(show_counts(Reduced(3, {"no-url": 1}), Shown()).split("Steps")[0].rstrip())
    Reduced
    rows             3
    dropped: no-url  1
    """
    from quiff.results.numbers import said, shown, to_json

    if json_:
        done = [
            {"name": step.name, "rows": step.rows, "seconds": step.seconds} for step in progress.steps.done
        ]
        return to_json(
            {**(result.to_dict() if hasattr(result, "to_dict") else asdict(result)), "steps": done}
        )
    lines: list[tuple[str, str]] = []

    def read(value: Any) -> str:
        is_count = isinstance(value, int | float) and not isinstance(value, bool)
        return said(value) if is_count else shown(value)

    for name, value in (result.brief() if hasattr(result, "brief") else asdict(result)).items():
        label = name.replace("_", " ")
        if isinstance(value, dict):
            lines += [
                (f"{label}: {key}", read(count))
                for key, count in value.items()
                if not isinstance(count, tuple)
            ]
        elif not isinstance(value, list | tuple):
            lines.append((label, read(value)))
    width = max(len(label) for label, _ in lines)
    counted = [type(result).__name__, *(f"{label:<{width}}  {text}" for label, text in lines), ""]
    counted.append(_steps(progress))
    return "\n".join([*counted, *getattr(result, "notes", ())])


def show_people(result: "Gathered", progress: "Shown", *, json_: bool = False, verbose: bool = False) -> str:
    """Return what each stage kept and left out as one table, or as JSON.

    Parameters
    ----------
    json_
        Print JSON, at full precision.
    verbose
        Also print the steps with their rows and seconds.
    """
    from quiff.results.numbers import many
    from quiff.results.table import Table

    if json_:
        return show_counts(result, progress, json_=True)
    rows = tuple((count.stage, count.what, count.rows, count.users) for count in result.counts)
    blocks = [Table("From the log to people", ("stage", "what", "rows", "users"), rows).to_text()]
    if verbose:
        blocks.append(_steps(progress))
    profiled = result.profiled
    sets, topics = many(profiled.distinct_sets, "distinct set"), many(profiled.occurring_topics, "topic")
    blocks.append(f"{many(profiled.users, 'user')}, {many(profiled.epochs, 'epoch')}: {sets} of {topics}.")
    return "\n\n".join([*blocks, "\n".join(result.notes)]).rstrip("\n")


def _steps(progress: "Shown") -> str:
    from quiff.results.table import Table

    rows = tuple((step.name, step.rows, round(step.seconds, 2)) for step in progress.steps.done)
    return Table("Steps", ("step", "rows", "seconds"), rows).to_text()


def noted(result: "Result") -> "Result":
    """Return the result with the command that repeats it."""
    if result.provenance is None:
        return result
    typed = shlex.join(["quiff", *map(str, click.get_current_context().meta[WORDS])])
    return replace(result, provenance=replace(result.provenance, command=typed))


def _write_tables(result: "Result", folder: Path, keep_formulas: bool) -> None:
    """Write each table to a file of its name, signs that file names cannot have as in web addresses."""
    from urllib.parse import quote

    from quiff.io import whole_folder

    with whole_folder(folder, **guarded(folder)) as new:
        for name, table in result.tables.items():
            table.write(new / f"{quote(name, safe=' ')}.csv", keep_formulas=keep_formulas)


def _text(result: "Result", form: str, everything: bool, keep_formulas: bool) -> str:
    """Return what the numbers say and the main table, or all tables; where only tables fit, these."""
    from quiff.results.markup import markdown_text

    if form == "text":
        return f"{result.to_text(everything=everything)}\n\n{_hint(result, everything)}".rstrip("\n")
    if form == "issue":
        return _issue(result)
    sentences = [*result.warnings, *result.sentences, *result.further]
    options = {"keep_formulas": keep_formulas} if form == "csv" else {}
    blocks = [getattr(table, f"to_{form}")(**options).rstrip("\n") for table in result.tables.values()]
    if form == "markdown" and sentences:
        blocks.insert(0, "\n".join(map(markdown_text, sentences)))
    return "\n\n".join(blocks)


def _issue(result: "Result") -> str:
    """Return the answer for an issue tracker: sentences, main table, how it was computed, and its data."""
    from quiff import __version__
    from quiff.results.markup import markdown_text
    from quiff.results.numbers import to_json

    about = result.provenance
    first, *others = (markdown_text(text) for text in (*result.warnings, *result.sentences))
    tables = [table.to_markdown().rstrip("\n") for table in list(result.tables.values())[:1]]
    made = f"Computed by quiff {__version__}" + (f": `{about.command}`" if about else "")
    sources = [f"Source: {source}" for source in (about.sources if about else ())]
    blocks = [f"**{first}**", " ".join(others), *tables, "\n".join([made, *sources])]
    payload = to_json(result.payload) if result.payload else ""
    if 0 < len(payload) <= _PASTED:
        blocks.append(f"<details><summary>Data</summary>\n\n```json\n{payload}\n```\n\n</details>")
    return "\n\n".join(filter(None, blocks))


def _hint(result: "Result", everything: bool) -> str:
    """Say what more there is."""
    from quiff.results.columns import filled

    asked = click.get_current_context().params
    genuine = "genuine" in result.parts and not asked.get("genuine", True)
    lines = ["--genuine leaves out people with filled-in topics."] if genuine else []
    left = list(result.tables)[1:] + (["sentences"] if result.further else [])
    if left and not everything:
        listed = ", ".join(left[:_LISTED]) + (", ..." if len(left) > _LISTED else "")
        further = _FURTHER.get(click.get_current_context().command.name or "", "")
        lines.append(f"More: --all ({listed}), --explain, --json{further}")
    return "\n".join(map(filled, lines))
