"""Group `large`: users who outgrow memory, reduced on disk; not part of the run of all groups.

Files of 1, 10 and 100 million synthetic users go through `quiff measure --engine duckdb` with a memory limit:
distinct topic sets while these fit, else pairs of topics. Leakages are checked against the closed form
r + m'(1 - r)/s of the topics that occur. Inputs take a gigabyte of disk and some minutes to write.
"""

import contextlib
import io
import json
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.harness import series, with_commas, write

HERE = "benchmarks.large"
USERS = (1_000_000, 10_000_000, 100_000_000)
AT_A_TIME = 10_000_000
LIMIT = "6GB"
NOISE = 0.05
PEERS = {}


def measure_file(inputs, clock, users):
    """Measure a file of users by the command line, in this process."""
    from quiff import theory
    from quiff.cli.measure import command

    words = [str(inputs / f"{users}.parquet"), "--api", "topics", "--engine", "duckdb", "--json"]
    clock.start()
    with contextlib.redirect_stdout(io.StringIO()) as told:
        command.main([*words, "--memory-limit", LIMIT], standalone_mode=False)
    clock.stop()
    found = json.loads(told.getvalue())
    people = found["population"]
    (leakage,) = (
        row["value"]
        for row in found["rows"]
        if (row["stage"], row["quantity"], row["scope"]) == ("topics", "leakage", "people")
    )
    expected = float(theory.topics_leakage(349, 5, NOISE, people["occurring_topics"]))
    np.testing.assert_allclose(leakage, expected, rtol=1e-9)
    return {f"distinct sets of {users} users": people["distinct_sets"]}


def write_users(path, users):
    """Write users as Parquet: a part drawn, and the next ones by rolling two of its columns of topics."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    from quiff import Population

    base = Population.synthetic(min(users, AT_A_TIME), seed=1).sets[0].astype(np.int16) + 1
    file = None
    for part in range(-(-users // AT_A_TIME)):
        sets, rng = base.copy(), np.random.default_rng(part)
        for column in (3, 4) if part else ():
            other = np.roll(base[:, column], int(rng.integers(1, len(base))))
            free = (sets != other[:, np.newaxis]).all(axis=1)
            sets[free, column] = other[free]
        numbers = np.arange(part * AT_A_TIME, part * AT_A_TIME + len(base))
        table = pa.table({"user": numbers} | {f"t{k + 1}": sets[:, k] for k in range(5)})
        file = file or pq.ParquetWriter(path, table.schema)
        file.write_table(table, row_group_size=500_000)
    file.close()


def main(repeats, quick):  # noqa: ARG001 - once is enough
    sizes = USERS[:1] if quick else USERS
    with tempfile.TemporaryDirectory() as folder:
        inputs = Path(folder)
        for users in sizes:
            write_users(inputs / f"{users}.parquet", users)
        options = {f"{with_commas(n)} users": {"users": n} for n in sizes}
        title = f"Users in a file, reduced on disk, with a memory limit of {LIMIT}"
        parts = [series(title, f"{HERE}:measure_file", options, inputs, 1)]
    write("large", parts, quick)
