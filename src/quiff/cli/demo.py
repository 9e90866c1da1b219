"""``quiff demo``: the main job from a synthetic log to a report."""

import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from typing import Any

import click

from quiff.cli.options import seed_option
from quiff.cli.outputs import OutputFolder, Writing, forced
from quiff.cli.pipeline import connected
from quiff.cli.terminal import echo

_OUTPUTS = {
    "log": True,
    "treated/treated.parquet": False,
    "treated/domains.parquet": False,
    "reduced/reduced.parquet": False,
    "reduced/matches.parquet": False,
    "experimental/experimental.parquet": False,
    "profiles.parquet": False,
    "report.html": False,
}


@click.command("demo", cls=Writing)
@click.option(
    "--out",
    type=OutputFolder(_OUTPUTS),
    default=Path("demo"),
    show_default=True,
    metavar="DIR",
    help="Where all files go.",
)
@click.option(
    "--users", type=click.IntRange(min=100), default=20_000, show_default=True, metavar="N", help="Users."
)
@seed_option
def command(out: Path, users: int, seed: int) -> None:
    """Go all the way from a synthetic log to a report.

    The log is treated, its domains are classified, histories become profiles, and the people are measured.
    Everything is synthetic and repeatable: the same seed gives the same numbers.

    Example: quiff demo --out demo
    """
    with connected("duckdb", None, None) as con:
        force = forced()
        _log(out, users, seed, force)
        _tables(con, out, seed, force)
    page = _report(out, users, seed)
    with _step("Write the report"):
        page.write(out / "report.html", force=force)
    echo("\nThe three numbers that matter:")
    for headline in page.headlines:
        echo(f" {headline.meaning}", bold=f"  {headline.value}")
    echo(f"\nThe report is {out / 'report.html'}; open it in any browser.")


def _log(out: Path, users: int, seed: int, force: bool) -> None:
    from quiff.history.synth import SyntheticLog, write_log

    with _step(f"Make up a search log of {users} users") as told:
        written = write_log(SyntheticLog(users=users, seed=seed), out / "log", force=force)
        told.append(f"{written.rows} rows, {written.rows_without_url} of them without a click")


def _tables(con: Any, out: Path, seed: int, force: bool) -> None:
    """Run the pipeline from the log to the profiles."""
    from quiff.history.classifications import read_classification
    from quiff.history.classify import classify
    from quiff.history.experiment import experiment
    from quiff.history.profile import profile
    from quiff.history.treat import treat

    with _step("Treat it: URLs become domains, users become numbers") as told:
        logs = sorted((out / "log").glob("log-*.txt.gz"))
        treated = treat(con, logs, out / "treated", seed=seed, force=force)
        told.append(f"{treated.rows} visits of {treated.users} users to {treated.domains} domains")
    with _step("Classify the domains: visits get topics") as told:
        classification = read_classification(str(out / "log" / "classification.csv"))
        reduced = classify(con, out / "treated", classification, out / "reduced", force=force)
        told.append(f"{reduced.rows} visits with {reduced.topics} topics")
    with _step("Leave out singletons and outliers") as told:
        kept = experiment(con, out / "reduced", out / "experimental", force=force)
        told.append(f"{kept.users} users stay")
    with _step("Find each user's top five topics") as told:
        found = profile(con, out / "experimental", out / "profiles.parquet", seed=seed, force=force)
        filled = f"{found.filled_users:.1%} of users have topics filled in at random"
        told.append(f"{found.distinct_sets} different sets; {filled}")


def _report(out: Path, users: int, seed: int) -> Any:
    from quiff.cli.profiles import api_for
    from quiff.populations.population import Population
    from quiff.report.compose import Source, compose_report

    with _step("Measure: cookies, the Topics API, each user's risk"):
        profiles = out / "profiles.parquet"
        population = Population.read(profiles)
        return compose_report(
            population,
            api_for(population, None, 0.05, profiles),
            Source.file(profiles, _commands(out, users, seed)),
            histories=out / "experimental",
            attacks=True,
            seed=seed,
        )


def _commands(out: Path, users: int, seed: int) -> list[str]:
    """Return the demo itself, and its last step as a command of its own."""
    report = ["quiff", "report", out / "profiles.parquet", "--histories", out / "experimental", "--attacks"]
    return [
        shlex.join(map(str, command))
        for command in (
            ["quiff", "demo", "--out", out, "--users", users, "--seed", seed],
            [*report, "--seed", seed, "--out", out / "report.html"],
        )
    ]


@contextmanager
def _step(title: str) -> Iterator[list[str]]:
    """Tell what is being done and, when it is, what came out and in what time."""
    echo(f"{title} ...", nl=False)
    told: list[str] = []
    start = perf_counter()
    yield told
    came = f" {told[0]}" if told else ""
    echo(f"{came} ({perf_counter() - start:.1f} s)")
