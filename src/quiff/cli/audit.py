"""``quiff audit``: what leaks, from a log of what was observed."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from quiff.cli.options import (
    PATH,
    flag,
    number,
    one_of,
    option,
    read_api,
    reading_options,
    seed_option,
    several,
)
from quiff.cli.outputs import OutputFile, Writing, guarded
from quiff.cli.progress import shown_progress
from quiff.cli.shown import WORDS, shows_result

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from quiff.core.gain import Gain
    from quiff.results.result import Result

_RULES = ("frequentist", "nearest", "nearest-scaled")


@click.command("audit", cls=Writing)
@click.argument("log", type=PATH)
@several("--secret", "COLUMN", "A column of the secret. May be repeated.  [default: secret]")
@several("--observation", "COLUMN", "A column of the observation. May be repeated.  [default: observation]")
@flag("--behind", "No secret was logged: estimate how secrets are distributed behind --api.")
@several(
    "--among", "SECRET", "With --behind: what the secret can be. May be repeated.  [default: all of --api]"
)
@option("--person", "COLUMN", "Whose row it is: rows of one person are not independent.")
@option("--weights", "COLUMN", "How much a row counts, if the log is not a random sample.")
@option("--counts", "COLUMN", "How many rows a row stands for.")
@option("--api spec", "SPEC", "What is claimed: NAME, NAME:parameter=value,..., or FILE.py:NAME.")
@number("--epsilon", "E", "An epsilon that is claimed.  [default: that of --api]")
@option("--people", "FILE", "Whom --api is fitted to.  [default: the secrets of the log]", PATH)
@several("--rule rules", "RULE", f"{', '.join(_RULES)}, or a classifier of scikit-learn. May be repeated.")
@option(
    "--gain", "FILE", "What guesses are after: a CSV file, a line for each action, a column a secret.", PATH
)
@option("--with other", "FILE", "A second log to compare with.", PATH)
@option("--time", "COLUMN", "When a row was observed.")
@option("--cut", "TIME", "With --time: compare before and from then on.")
@option("--periods", "N", "With --time: compare so many periods.", int, 4)
@option("--width", "W", "How many rows an interval of this width needs.", float)
@option("--level", "L", "Confidence of the bounds.", float, 0.95)
@flag("--names", "Name secrets and outputs as they are in the log; else they are numbered.")
@one_of("--engine", "What counts the rows.", "duckdb", "spark", default="duckdb")
@option("--report page", "FILE", "Also write a page: an .html file.", OutputFile(".html", ".htm"))
@seed_option
@reading_options
@shows_result
def command(
    log: Path,
    secret: tuple[str, ...],
    observation: tuple[str, ...],
    behind: bool,
    among: tuple[str, ...],
    spec: str | None,
    epsilon: Any,
    people: Path | None,
    rules: tuple[str, ...],
    gain: Path | None,
    engine: str,
    page: Path | None,
    **options: Any,
) -> "Result":
    """Say what leaks, from a log of secrets and observations.

    LOG is a CSV or Parquet file with a row for each observation: what was secret, and what was observed. No
    model is needed: a rule that guesses the secret is fitted to one half of the rows and scored on the other.
    With --api, the log is tested against what is claimed. Nothing leaves this machine, and nobody is named
    unless --names says so.

    Example: quiff audit reports.parquet --secret user --observation topic
    """
    from quiff.cli.pipeline import connected
    from quiff.studies.audit import audit

    if behind and secret:
        raise click.UsageError("--behind is for logs without a --secret.")
    if among and not behind:
        raise click.UsageError("--among says what secrets --behind the noise can be; give that too.")
    with shown_progress() as shown, shown.steps.step("audit"), connected(engine, share=0.5) as con:
        result = audit(
            log,
            None if spec is None else read_api(spec),
            secret=None if behind else secret or ("secret",),
            observation=observation or ("observation",),
            secrets=_values(among) or None,
            epsilon=None if epsilon is None else float(epsilon),
            people=None if people is None else _people(people, spec),
            rules=rules or ("frequentist",),
            gain=None if gain is None else _gain(gain),
            con=con,
            **options,
        )
    if page is not None:
        from quiff.report.audit import audit_page
        from quiff.report.compose import Source

        typed = shlex.join(["quiff", *click.get_current_context().meta[WORDS]])
        audit_page(result, Source.file(log, [typed])).write(page, **guarded(page))
    return result


def _people(path: Path, spec: str | None) -> Any:
    from quiff.cli.people import Asked

    return Asked(path, () if spec is None else (spec,)).people()


def _gain(path: Path) -> "Gain":
    import csv
    import io

    from quiff.core.gain import Gain
    from quiff.errors import ParameterError, first_line
    from quiff.files.blocks import small_file

    try:
        text = small_file(path).decode("utf-8-sig")
        (_, *names), *rows = list(csv.reader(io.StringIO(text, newline="")))
        values = [[float(cell) for cell in row[1:]] for row in rows if row]
    except (ValueError, csv.Error) as error:
        raise ParameterError(f"cannot read the gain {str(path)!r}: {first_line(error)}") from error
    return Gain(values, [row[0] for row in rows if row], _values(names))


def _values(texts: "Sequence[str]") -> "list[Hashable]":
    """Return values as a log's column has them: numbers, if all are whole ones."""
    return [int(text) for text in texts] if all(text.isdecimal() for text in texts) else list(texts)
