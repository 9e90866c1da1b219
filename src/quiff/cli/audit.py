"""``quiff audit``: what leaks, from a log of what was observed."""

import csv
import io
import shlex
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import click

from quiff.cli.outputs import guarded
from quiff.cli.people import Asked, Spec, read_api
from quiff.cli.pipeline import connected
from quiff.cli.shown import WORDS
from quiff.commands import NewFile, command
from quiff.core.gain import Gain
from quiff.errors import ParameterError, first_line
from quiff.io.blocks import small_file
from quiff.report.compose import Source
from quiff.report.single import single_page
from quiff.results.result import Result
from quiff.studies.audit import audit


@command("audit", group="people")
def audit_log(
    log: Path,
    api: Spec = (),
    *,
    secret: Iterable[str] = (),
    observation: Iterable[str] = (),
    behind: bool = False,
    secrets: Iterable[str] = (),
    person: str | None = None,
    weights: str | None = None,
    counts: str | None = None,
    epsilon: float | None = None,
    people: Path | None = None,
    rules: Iterable[str] = (),
    gain: Path | None = None,
    other: Path | None = None,
    time: str | None = None,
    cut: str | None = None,
    periods: int = 4,
    width: float | None = None,
    level: float = 0.95,
    names: bool = False,
    engine: Literal["duckdb", "spark"] = "duckdb",
    report: Annotated[Path | None, NewFile(".html", ".htm")] = None,
    seed: int = 0,
    memory_limit: str | None = None,
    show_rows: bool = False,
) -> Result:
    """Say what leaks, from a log of secrets and observations.

    LOG is a CSV or Parquet file with a row for each observation: what was secret, and what was observed. No
    model is needed: a rule that guesses the secret is fitted to one half of the rows and scored on the other.
    With --api, the log is tested against what is claimed. Nothing leaves this machine, and nobody is named
    unless --names says so.

    Parameters
    ----------
    api
        What is claimed.  [default: nothing]
    secret
        A column of the secret.  [default: secret]
    observation
        A column of the observation.  [default: observation]
    behind
        No secret was logged: estimate how secrets are distributed behind --api.
    secrets
        With --behind: what the secret can be.  [default: all of --api]
    person
        The column that says whose row it is: rows of one person are not independent.
    weights
        The column that says how much a row counts, if the log is not a random sample.
    counts
        The column that says how many rows a row stands for.
    epsilon
        An epsilon that is claimed.  [default: that of --api]
    people
        Whom --api is fitted to.  [default: the secrets of the log]
    rules
        frequentist, nearest, nearest-scaled, or a classifier of scikit-learn.  [default: frequentist]
    gain
        What guesses are after: a CSV file, a line for each action, a column a secret.
    other
        A second log to compare with.
    time
        The column that says when a row was observed.
    cut
        With --time: compare before and from then on.
    periods
        With --time: compare so many periods.
    width
        How many rows an interval of this width needs.
    level
        Confidence of the bounds.
    names
        Name secrets and outputs as they are in the log; else they are numbered.
    engine
        What counts the rows.
    report
        Also write a page: an .html file.
    seed
        The random seed: the same seed, the same draws.
    memory_limit
        Take no more memory than this, such as 2GB.
    show_rows
        In errors, show cells and rows in full; else what they say of people is left out.

    Examples
    --------
    $ quiff audit reports.parquet --secret user --observation topic
    """
    if behind and secret:
        raise click.UsageError("--behind is for logs without a --secret.")
    if secrets and not behind:
        raise click.UsageError("--secrets says what secrets --behind the noise can be; give that too.")
    with connected(engine, share=0.5) as con:
        result = audit(
            log,
            read_api(api[0]) if api else None,
            secret=None if behind else tuple(secret) or ("secret",),
            observation=tuple(observation) or ("observation",),
            secrets=_values(tuple(secrets)) or None,
            epsilon=epsilon,
            people=None if people is None else Asked(people, typed={"api": api}).population(),
            rules=tuple(rules) or ("frequentist",),
            gain=None if gain is None else _gain(gain),
            con=con,
            person=person,
            weights=weights,
            counts=counts,
            other=other,
            time=time,
            cut=cut,
            periods=periods,
            width=width,
            level=level,
            names=names,
            seed=seed,
        )
    if report is not None:
        typed = shlex.join(["quiff", *click.get_current_context().meta[WORDS]])
        page = single_page(result, Source.file(log, [typed]), "bounds", "claim", "secrets")
        page.write(report, **guarded(report))
    return result


def _gain(path: Path) -> Gain:
    try:
        text = small_file(path).decode("utf-8-sig")
        (_, *names), *rows = list(csv.reader(io.StringIO(text, newline="")))
        values = [[float(cell) for cell in row[1:]] for row in rows if row]
    except (ValueError, csv.Error) as error:
        raise ParameterError(
            f"cannot read the gain {str(path)!r}: {first_line(error)}", what="gain", value=str(path)
        ) from error
    return Gain(values, [row[0] for row in rows if row], _values(names))


def _values(texts: Sequence[str]) -> list[Any]:
    """Return values as a log's column has them: numbers, if all are whole ones."""
    return [int(text) for text in texts] if all(text.isdecimal() for text in texts) else list(texts)
