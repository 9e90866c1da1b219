"""Group `growth`: how what quiff needs grows with users, topics, set size and rows of a log.

No peer runs here; ratios are to the smallest size. A study of a population is `quiff.measure` and
`quiff.user_risk` on synthetic people in memory. A merged population is one of distinct sets with counts: read
by DuckDB from a file of users, or with counts drawn up to a billion. Leakages are checked against the closed
form r + m'(1 - r)/s of the topics that occur. The way of a log goes from gzip files to profiles, by all four
steps. How the cost of counting grows with epochs is in the group `epochs`.
"""

import contextlib
import io
import json
import shutil
import tempfile
import time
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.harness import series, with_commas, write

HERE = "benchmarks.growth"
USERS = (10_000, 100_000, 1_000_000, 10_000_000)
MERGED_SETS = 1_000_000
MERGED_USERS = (1_000_000, 10_000_000, 100_000_000, 1_000_000_000)
FILES = (100_000, 1_000_000, 10_000_000)
TOPICS = (349, 1_000, 3_000, 10_000)
TOPS = (5, 10, 20, 40)
SOME = 100_000  # users, where topics or set size grow
ROWS = (250_000, 1_000_000, 4_000_000)
NOISE = 0.05
PEERS = {}


def study(inputs, clock, users, topics=349, top=5):  # noqa: ARG001 - the harness gives it
    """Measure a synthetic population in memory, and the risk of each of its users."""
    quiff = _quiff()
    people = quiff.Population.synthetic(users, seed=1, n_topics=topics, top_s=top)
    api = quiff.TopicsAPI(topics, top, NOISE)
    clock.start()
    found = _lap(clock, "privacy, utility and limits", lambda: quiff.measure(people, api))
    risk = _lap(clock, "each user's risk", lambda: quiff.user_risk(people, api))
    clock.stop()
    _check(found, people)
    leakage = found[api.spec, "leakage"]
    mean = float(risk[api.spec, "risk_mean"])
    np.testing.assert_allclose(mean * users, leakage, rtol=1e-9)  # who is re-identified is the sum over users
    return {f"leakage, {users} users, {topics} topics, sets of {top}": leakage}


def study_merged(inputs, clock, users):
    """Measure so many users who share a million distinct sets, from the sets and their counts."""
    quiff = _quiff()
    from quiff.core.labels import SetLabels, as_labels

    topics = as_labels(range(1, 350))
    sets, _ = SetLabels.distinct(np.load(inputs / "sets.npy"), topics)
    others = np.random.default_rng(1).multinomial(users - sets.size, np.full(sets.size, 1 / sets.size))
    people = quiff.Population(sets, topics, sets.codes, counts=1 + others)
    clock.start()
    found = quiff.measure(people, quiff.TopicsAPI(349, 5, NOISE))
    clock.stop()
    assert found.population["users"] == users
    _check(found, people)
    return {f"leakage, {users} users merged": found["topics", "leakage"]}


def read_merged(inputs, clock, users):
    """Let DuckDB reduce a file of users to distinct sets with counts, and measure them."""
    quiff = _quiff()
    clock.start()
    file = inputs / f"{users}.parquet"
    people = _lap(clock, "read and merge", lambda: quiff.Population.read(file, merged=True))
    found = _lap(clock, "measure", lambda: quiff.measure(people, quiff.TopicsAPI(349, 5, NOISE)))
    clock.stop()
    return {f"distinct sets of {users} users": found.population["distinct_sets"]}


def log_to_profiles(inputs, clock, rows):
    """Go the whole way of a log: treat, classify, experiment and profile."""
    log, out = inputs / f"log-{rows}", Path(tempfile.mkdtemp(dir=inputs))
    treated, reduced, experimental = out / "treated", out / "reduced", out / "experimental"
    steps = {
        "treat": [*sorted(log.glob("log-*.gz")), "--out", treated],
        "classify": [treated, "--classification", log / "classification.csv", "--out", reduced],
        "experiment": [reduced, "--out", experimental],
        "profile": [experimental, "--out", out / "profiles.parquet"],
    }
    clock.start()
    for step, arguments in steps.items():
        told = _lap(clock, step, partial(_command, step, arguments))
    clock.stop()
    shutil.rmtree(out)
    return {f"users profiled from {rows} rows": told["users"]}


def _command(step, arguments):
    """Run a command of quiff in this process, and return what it tells as JSON."""
    from quiff.cli import main

    with contextlib.redirect_stdout(io.StringIO()) as told:
        main([step, *map(str, arguments), "--json"], standalone_mode=False)
    return json.loads(told.getvalue())


def _quiff():
    """Load all that a study needs, on a few users: that is not timed."""
    import quiff

    few = quiff.Population.synthetic(100, seed=1)
    quiff.measure(few)
    quiff.user_risk(few, quiff.TopicsAPI())
    return quiff


def _lap(clock, name, act):
    begun = time.perf_counter()
    found = act()
    clock.laps[name] = time.perf_counter() - begun
    return found


def _check(found, people):
    """Check a leakage against the closed form of the topics that occur."""
    from quiff import theory

    n_topics, top = len(people.topics), people.top_s
    occurring = len(np.unique(people.sets))
    expected = theory.topics_leakage(n_topics, top, NOISE, occurring)
    (api, *_) = (row.api for row in found.rows if row.stage == "topics")
    np.testing.assert_allclose(found[api, "leakage"], float(expected), rtol=1e-9)


def write_inputs(inputs, files, rows):
    """Write a million distinct sets, files of users, and logs."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    from quiff import Population
    from quiff.logs.synth import SyntheticLog, write_log

    several = Population.synthetic(int(1.5 * MERGED_SETS), seed=1).sets[0]
    np.save(inputs / "sets.npy", np.unique(np.sort(several, axis=1), axis=0)[:MERGED_SETS])
    for users in files:
        sets = Population.synthetic(users, seed=1).sets[0] + 1
        columns = {"user": np.arange(users)} | {f"t{i}": sets[:, i - 1] for i in range(1, 6)}
        pq.write_table(pa.table(columns), inputs / f"{users}.parquet")
    for size in rows:
        write_log(SyntheticLog(rows=size, seed=1), inputs / f"log-{size}")


def main(repeats, quick):
    most = 1 if quick else None  # how many sizes of each series
    repeats = 1 if quick else min(repeats, 3)
    by_users = {f"{with_commas(n)} users": {"users": n} for n in USERS[:most]}
    by_count = {f"{with_commas(n)} users": {"users": n} for n in MERGED_USERS[:most]}
    by_file = {f"{with_commas(n)} users": {"users": n} for n in FILES[:most]}
    by_topics = {f"{with_commas(m)} topics": {"users": SOME, "topics": m} for m in TOPICS[:most]}
    by_top = {f"sets of {s}": {"users": SOME, "top": s} for s in TOPS[:most]}
    by_rows = {f"{with_commas(n)} rows": {"rows": n} for n in ROWS[:most]}
    some = with_commas(SOME)
    with tempfile.TemporaryDirectory() as folder:
        inputs = Path(folder)
        write_inputs(inputs, FILES[:most], ROWS[:most])
        parts = [
            series("Users in memory", f"{HERE}:study", by_users, inputs, repeats),
            series(
                "Users in a file, merged while it is read", f"{HERE}:read_merged", by_file, inputs, repeats
            ),
            series(
                "Users who share a million distinct sets", f"{HERE}:study_merged", by_count, inputs, repeats
            ),
            series(f"Topics, with {some} users", f"{HERE}:study", by_topics, inputs, repeats),
            series(f"The size of sets, with {some} users", f"{HERE}:study", by_top, inputs, repeats),
            series(
                "Rows of a log, all the way to profiles", f"{HERE}:log_to_profiles", by_rows, inputs, repeats
            ),
        ]
    write("growth", parts, quick)
