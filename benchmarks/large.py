"""Group `large`: users who outgrow memory, reduced on disk; not part of the run of all groups.

Files of 1, 10 and 100 million synthetic users go through `quiff measure --engine duckdb` with a memory limit:
distinct topic sets while these fit, else pairs of topics. Then 10 million users over four weeks, in the shape
and format of Google's release of synthetic Topics data, go through `quiff measure` and `quiff epochs`, with
each user's risk. Leakages of one observation are checked against the closed form r + m'(1 - r)/s of the
topics that occur. Inputs take four gigabytes of disk and some minutes to write.
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
RELEASED, WEEKS, RATE = 10_000_000, 4, 0.3
A_SHARD = 1_000_000
NOISE = 0.05
PEERS = {}


def measure_file(inputs, clock, users):
    """Measure a file of users by the command line, in this process."""
    words = ["measure", str(inputs / f"{users}.parquet"), "--api", "topics", "--engine", "duckdb"]
    found = _command(clock, [*words, "--memory-limit", LIMIT])
    _check(found, found["population"]["occurring_topics"])
    return {f"distinct sets of {users} users": found["population"]["distinct_sets"]}


def measure_release(inputs, clock, users):
    """Measure the first week of a release: privacy, utility, each user's risk."""
    found = _command(clock, ["measure", str(inputs / f"release-{users}"), "--api", "topics"])
    _check(found, found["population"]["occurring_topics"])
    return {f"distinct sets of the first week, {users} users": found["population"]["distinct_sets"]}


def epochs_release(inputs, clock, users):
    """Measure what one to four weeks of a release reveal, and each user's risk after up to three."""
    found = _command(clock, ["epochs", str(inputs / f"release-{users}"), "--observations", str(WEEKS)])
    _check(found, 349)
    weeks = [row for row in found["rows"] if row["quantity"] == "posterior"]
    return {
        f"re-identified after {row['observations']} weeks, {users} users, {row['method']}": row["value"]
        for row in weeks
    }


def _command(clock, words):
    """Run a command of quiff in this process, and return what it tells as JSON."""
    from quiff.cli import main

    clock.start()
    with contextlib.redirect_stdout(io.StringIO()) as told:
        main.main([*words, "--json"], standalone_mode=False)
    clock.stop()
    return json.loads(told.getvalue())


def _check(found, occurring):
    """Check the leakage of one observation against the closed form."""
    from quiff import theory

    leakages = [
        row["value"]
        for row in found["rows"]
        if (row["stage"], row["quantity"], row["observations"]) == ("topics", "leakage", 1)
    ]
    np.testing.assert_allclose(leakages[0], float(theory.topics_leakage(349, 5, NOISE, occurring)), rtol=1e-9)


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


def write_release(folder, users):
    """Write users over four weeks as shards of TFRecords, a message tf.train.Example each."""
    from quiff import Population, drift

    people = drift(Population.synthetic(users, seed=1), WEEKS, RATE, seed=1)
    folder.mkdir()
    for shard in range(-(-users // A_SHARD)):
        sets = people.sets[:, shard * A_SHARD : (shard + 1) * A_SHARD].astype(np.int64) + 1
        _records(sets).tofile(folder / f"users-{shard:05d}.tfrecord")


def _records(sets):
    """Return one record a user as bytes, all of one length: every topic takes two bytes."""
    from quiff.people.tf_examples import Spans, checksums

    users, size = sets.shape[1], sets.shape[2]

    def field(which, parts):  # of a length that is said, below 2^14
        length = sum(part.shape[1] for part in parts)
        head = [which << 3 | 2, length] if length < 128 else [which << 3 | 2, length & 127 | 128, length >> 7]
        return [np.tile(np.array(head, dtype=np.uint8), (users, 1)), *parts]

    entries = []
    for week, topics in enumerate(sets):
        packed = np.stack([topics & 127 | 128, topics >> 7], axis=2).reshape(users, 2 * size)
        name = np.tile(np.frombuffer(f"epoch_{week}_topics".encode(), np.uint8), (users, 1))
        value = field(3, field(1, [packed.astype(np.uint8)]))  # Feature.int64_list, Int64List.value
        entries += field(1, [*field(1, [name]), *field(2, value)])  # Features.feature, an entry of a map
    content = np.concatenate(field(1, entries), axis=1)  # Example.features
    length = np.tile(np.frombuffer(np.int64(content.shape[1]).tobytes(), np.uint8), (users, 1))
    columns = []
    for part in (length, content):
        ends = np.arange(1, users + 1) * part.shape[1]
        sums = checksums(part.reshape(-1), Spans(ends, ends - part.shape[1], ends))
        columns += [part, sums.astype("<u4").view(np.uint8).reshape(users, 4)]
    return np.concatenate(columns, axis=1)


def main(repeats, quick):  # noqa: ARG001 - once is enough
    sizes, released = (USERS[:1], RELEASED // 10) if quick else (USERS, RELEASED)
    with tempfile.TemporaryDirectory() as folder:
        inputs = Path(folder)
        write_release(inputs / f"release-{released}", released)
        title = f"In the shape of Google's release: {with_commas(released)} users, {WEEKS} weeks"
        options = {"users": released}
        parts = [
            series(f"{title}, {name}", f"{HERE}:{function}", {f"quiff {name}": options}, inputs, 1)
            for name, function in {"measure": "measure_release", "epochs": "epochs_release"}.items()
        ]
        for users in sizes:
            write_users(inputs / f"{users}.parquet", users)
        options = {f"{with_commas(n)} users": {"users": n} for n in sizes}
        title = f"Users in a file, reduced on disk, with a memory limit of {LIMIT}"
        parts.append(series(title, f"{HERE}:measure_file", options, inputs, 1))
    write("large", parts, quick)
