"""Group `measure`: from one CSV file of profiles to privacy, utility, limits and each user's own risk.

All contenders read the same file (user, t1 to t5) of a synthetic population and find the same numbers: the
probability of re-identification at each stage, and its leakage; Bayes and IBA vulnerabilities of the
channels from sets, before and after, under the population's prior and the uniform one; the limits of the
channel; the share of users with a unique set; mean and quantiles of the users' own risks and worst
posteriors. quiff is timed as the whole command, with all that it prints. Everyone measures a few users first,
so that loading is not timed.
The floor reads the file, and does nothing with it.
"""

import contextlib
import io
import json
import tempfile
from itertools import product
from pathlib import Path

import numpy as np

from benchmarks.harness import Contender, check_equal, compete, summary, write
from benchmarks.measure_peers import NAMES, QUANTILES, SET_CHANNELS, STEPS, TOP, TOPICS, measure_by_frames

SIZES = (20_000, 100_000, 200_000)
QUICK = (2_000,)
FEW = 100
PATIENCE = 180  # seconds: a peer that is expected to take longer runs once
QUIFF, FLOOR = "quiff measure", "floor: pandas reads the file"
BY_ROW, AT_ONCE = "pandas frames row by row, qif, bvmlib", "pandas frames filled at once, qif, bvmlib"
PEERS = {
    BY_ROW: "as in a notebook: frames filled by one `frame.loc` for each user and each set, qif on their "
    "values, bvmlib for what whole sets tell.",
    AT_ONCE: "the same, with frames filled by NumPy: the best without leaving dense matrices.",
    FLOOR: "reads the CSV file, and does nothing with it.",
}
TOLD = (
    "distinct sets",
    "unique users",
    "generalization: posterior",
    "topics: leakage",
    "topics, bayes, population prior: posterior",
    "topics, iba, population prior: posterior",
)


def quiff_measures(inputs, clock):
    _run_quiff(inputs / "few.csv")
    clock.start()
    told = _run_quiff(inputs / "profiles.csv")
    clock.stop()
    return _numbers(json.loads(told))


def _run_quiff(path):
    from quiff.cli import main

    with contextlib.redirect_stdout(io.StringIO()) as told:
        main.main(["measure", str(path), "--json"], standalone_mode=False)
    return told.getvalue()


def _numbers(found):
    """Return the numbers that the peers find, too, by the same names."""
    people, keys = found["population"], ("stage", "goal", "prior", "quantity", "scope")
    rows = {tuple(row[key] for key in keys): row["value"] for row in found["rows"]}
    numbers = {
        name.replace("_", " "): people[name]
        for name in ("users", "distinct_sets", "occurring_topics", "unique_users")
    }
    for stage in ("cookies", *STEPS):
        for quantity in ("posterior", "leakage"):
            value = rows[stage, "user", "population", quantity, "people"]
            numbers[f"{stage}: {quantity}"] = float(value)
    for stage, prior in product(SET_CHANNELS, ("population", "uniform")):
        for gain, goal in (("bayes", "secret"), ("iba", "topics")):
            for quantity in ("prior", "posterior"):
                value = rows[stage, goal, prior, f"goal_{quantity}", "people"]
                numbers[f"{stage}, {gain}, {prior} prior: {quantity}"] = float(value)
    names = {
        "bayes_capacity": "Bayes capacity",
        "epsilon": "epsilon",
        "max_case_capacity": "max-case capacity",
    }
    numbers |= {name: rows["topics", "", "", quantity, "people"] for quantity, name in names.items()}
    (risks,) = (stages for stages in found["risk"].values() if "topics" in stages)
    for stage in STEPS:
        for kind, values in (
            ("own risk", risks[stage]),
            ("worst posterior", risks[stage]["worst_posterior"]),
        ):
            numbers |= {f"{stage}, {kind}: {name}": values[name] for name in ("mean", *QUANTILES)}
    return numbers


def frames_measure(inputs, clock, by_row):
    measure_by_frames(inputs / "few.csv", by_row)
    clock.start()
    results, clock.laps = measure_by_frames(inputs / "profiles.csv", by_row)
    clock.stop()
    return results


def pandas_reads(inputs, clock):
    import pandas as pd

    pd.read_csv(inputs / "few.csv")
    clock.start()
    frame = pd.read_csv(inputs / "profiles.csv")
    clock.stop()
    return {"users": len(frame)}


def write_profiles(path, users):
    """Write a synthetic population, its users under numbers in no order."""
    from quiff import Population

    sets = Population.synthetic(users, seed=1, n_topics=TOPICS, top_s=TOP).sets[0] + 1
    names = np.random.default_rng(1).permutation(10 * users)[:users]
    header = ",".join(["user", *NAMES])
    np.savetxt(path, np.column_stack([names, sets]), fmt="%d", delimiter=",", header=header, comments="")


def contenders_for(users, repeats, pace):
    """The contenders; a peer runs less often, and once if at its pace, in seconds per user, it takes long."""
    here = "benchmarks.measure"
    peers = {BY_ROW: min(repeats, 2), AT_ONCE: min(repeats, 3)}
    once = {name for name in peers if pace.get(name, 0) * users > PATIENCE}
    return [
        Contender(QUIFF, f"{here}:quiff_measures"),
        *(
            Contender(name, f"{here}:frames_measure", {"by_row": name == BY_ROW}, 1 if name in once else most)
            for name, most in peers.items()
        ),
        Contender(FLOOR, f"{here}:pandas_reads"),
    ]


def compare(users, repeats, pace):
    """Let all measure one population, check that they agree, and return what they took."""
    print(f"measure, {users} users", flush=True)
    contenders = contenders_for(users, repeats, pace)
    with tempfile.TemporaryDirectory() as folder:
        inputs = Path(folder)
        write_profiles(inputs / "few.csv", FEW)
        write_profiles(inputs / "profiles.csv", users)
        facts = {"bytes of the file": (inputs / "profiles.csv").stat().st_size}
        runs = compete(contenders, inputs, repeats)
    found = check_equal(runs, list(runs))
    for peer in (BY_ROW, AT_ONCE):  # a number that only one of them tells is compared with nothing
        lonely = runs[peer][0]["results"].keys() ^ runs[QUIFF][0]["results"].keys()
        assert not lonely, f"not told by both quiff and {peer}: {sorted(lonely)}"
    facts["numbers that quiff and its peers agree on"] = len(found)
    facts |= {name: found[name] for name in TOLD}
    once = [some.name for some in contenders if some.repeats == 1 < repeats]
    if once:
        facts["run once at this size, since slow"] = "; ".join(once)
    return summary(runs, QUIFF, f"A population of {users:,} users", facts)


def main(repeats, quick, users=None):
    parts, pace = [], {}
    for size in users or (QUICK if quick else SIZES):
        parts.append(compare(size, repeats, pace))
        pace = {row["contender"]: row["wall_s"] / size for row in parts[-1]["rows"]}
    write("measure", parts, quick)
