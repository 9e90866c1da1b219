"""Group `before`: what quiff takes now, beside an earlier version of it.

Both versions run their own benchmarks of the same names on the same inputs, in fresh processes, in turns; so
results of the same name are checked to be equal. The earlier version is a checkout of it, with its own
environment in `.venv` if it has one, else with this one's packages: `make bench GROUP=before BEFORE=FOLDER`.
A ratio is now / before: above 1 it has become slower, or larger. Times in the table are CPU seconds.
"""

import re
import sys
import tempfile
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks import attacks, engine, epochs, measure
from benchmarks.harness import Contender, check_equal, compete, summary, with_commas, write

NOW, BEFORE = "now", "before"
PEERS = {}
RENAMED = {"topics_api": "topics"}  # in the names of results
SIZES, QUICK = (250_000,), (5_000,)
LINKED = 10_000  # users whose reports of two sites are matched


def jobs(users):
    """Yield a title, what writes the inputs, the function to run and its options."""
    many, few = f"{with_commas(users)} users", min(users, LINKED)
    array = partial(_array, users=users)
    yield f"engine: array to six figures, {many}", array, "engine:quiff_end_to_end", {}
    yield f"engine: channels ready, {many}", array, "engine:quiff_measures", {}
    yield (
        f"measure: file to all figures, {many}",
        partial(_profiles, users=users),
        "measure:quiff_measures",
        {},
    )
    yield f"measure and user_risk, {many}", _nothing, "growth:study", {"users": users}
    for kind in (epochs.STABLE, epochs.CHANGING):
        for many_epochs in (2, 3, 4):
            title = f"epochs: {many_epochs}, {kind} sets, {many}"
            options = {"kind": kind, "epochs": many_epochs}
            yield title, partial(epochs.write_sets, users=users), "epochs:quiff_leakage", options
    reports, linked = partial(attacks.write_reports, users=few), with_commas(few)
    yield f"attacks: noise removal, matching, {linked} users", reports, "attacks:quiff_on_reports", {}
    yield f"attacks: each once, {linked} users", _nothing, "attacks:quiff_attacks", {"users": few}
    yield f"attacks: 30 epochs, {linked} users", _nothing, "attacks:quiff_whole_run", {"users": few}


def _nothing(inputs):
    """The benchmark makes its own inputs."""


def _array(inputs, users):
    np.save(inputs / "sets.npy", engine.made_up_sets(users))


def _profiles(inputs, users):
    measure.write_profiles(inputs / "few.csv", measure.FEW)
    measure.write_profiles(inputs / "profiles.csv", users)


def earlier(folder):
    """Return the interpreter and the folder in which a checkout of another version runs."""
    folder = Path(folder).resolve()
    if not (folder / "src" / "quiff").is_dir() or not (folder / "benchmarks").is_dir():
        raise SystemExit(f"{folder} is no checkout of quiff: it has no src/quiff, or no benchmarks")
    own = folder / ".venv" / "bin" / "python"
    python = str(own) if own.exists() else sys.executable
    return {"python": python, "folder": str(folder)}


def compare(title, prepare, function, options, place, version, repeats):
    """Let both versions do one job, check that they agree, and return what they took."""
    print(title, flush=True)
    here = Contender(NOW, f"benchmarks.{function}", options)
    there = Contender(BEFORE, f"benchmarks.{function}", options, **place)
    with tempfile.TemporaryDirectory() as folder:
        prepare(Path(folder))
        runs = compete([there, here], Path(folder), repeats)
    for run in runs[BEFORE]:
        run["results"] = {_renamed(name): value for name, value in run["results"].items()}
    shared = runs[NOW][0]["results"].keys() & runs[BEFORE][0]["results"].keys()
    assert shared, f"{title}: the two versions tell no number of the same name"
    check_equal(runs, [BEFORE, NOW])
    facts = {"version before": version, "numbers that both versions agree on": len(shared)}
    return summary(runs, BEFORE, title, facts)


def _renamed(name):
    for old, new in RENAMED.items():
        name = name.replace(old, new)
    return name


def ratios(parts):
    """One table for all jobs: what each takes now, and how that is to before."""
    version = parts[0]["facts"]["version before"]
    lines = [f"| job | quiff {version} | now | wall | CPU | memory |", "|---|---:|---:|---:|---:|---:|"]
    for part in parts:
        rows = {row["contender"]: row for row in part["rows"]}
        before, now = rows[BEFORE], rows[NOW]
        lines.append(
            f"| {part['title']} | {before['cpu_s']:.3g} s, {before['peak_mib']:.0f} MiB "
            f"| {now['cpu_s']:.3g} s, {now['peak_mib']:.0f} MiB "
            f"| {now['times_slower']:.2f} | {now['times_cpu']:.2f} | {now['times_memory']:.2f} |"
        )
    return "\n".join(lines) + "\n"


def main(repeats, quick, before, users=None):
    if before is None:
        raise SystemExit("the group before needs a checkout of an earlier version: --before FOLDER")
    place = earlier(before)
    sizes = users or (QUICK if quick else SIZES)
    version = re.search(r'__version__ = "(.*)"', (Path(before) / "src/quiff/__init__.py").read_text())[1]
    parts = [compare(*job, place, version, repeats) for size in sizes for job in jobs(size)]
    write("before", parts, quick, opening=ratios(parts))
