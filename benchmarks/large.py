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
    found = _command(clock, ["epochs", str(inputs / f"release-{users}"), "--epochs", str(WEEKS)])
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
    from quiff.populations.record_loops import checksum_table

    people = drift(Population.synthetic(users, seed=1), WEEKS, RATE, seed=1)
    names = np.stack([np.frombuffer(f"epoch_{week}_topics".encode(), np.uint8) for week in range(WEEKS)])
    folder.mkdir()
    loop = _compiled_writer()
    for shard in range(-(-users // A_SHARD)):
        sets = people.sets[:, shard * A_SHARD : (shard + 1) * A_SHARD].astype(np.int64) + 1
        room = np.zeros(300 * sets.shape[1], dtype=np.uint8)
        end = loop(sets, names, checksum_table(), room)
        room[:end].tofile(folder / f"users-{shard:05d}.tfrecord")


def _compiled_writer():
    """Return the compiled loop that writes records: plain Python would take a quarter of an hour."""
    import numba

    from quiff.populations.record_loops import checksum

    @numba.njit
    def put(room, at, some):
        for byte in some:
            room[at] = byte
            at += 1
        return at

    @numba.njit
    def number(room, at, value):  # seven bits a byte, the lowest first
        while value > 127:
            room[at] = value & 127 | 128
            value >>= 7
            at += 1
        room[at] = value
        return at + 1

    @numba.njit
    def field(room, at, which, some):  # of a length that is said
        return put(room, number(room, number(room, at, which << 3 | 2), some.shape[0]), some)

    @numba.njit
    def fixed(room, at, value, size):  # the lowest byte first
        for place in range(size):
            room[at + place] = value >> (8 * place) & 255
        return at + size

    @numba.njit
    def write_shard(sets, names, table, room):
        rooms = np.zeros((6, 1000), dtype=np.uint8)
        packed, numbers, feature, entry, features, example = rooms
        at = 0
        for user in range(sets.shape[1]):
            end = 0
            for week in range(sets.shape[0]):
                size = 0
                for topic in sets[week, user]:
                    size = number(packed, size, topic)
                size = field(numbers, 0, 1, packed[:size])  # Int64List.value
                size = field(feature, 0, 3, numbers[:size])  # Feature.int64_list
                size = field(entry, field(entry, 0, 1, names[week]), 2, feature[:size])
                end = field(features, end, 1, entry[:size])  # Features.feature, an entry of a map
            size = field(example, 0, 1, features[:end])  # Example.features
            start = at
            at = fixed(room, at, size, 8)
            at = fixed(room, at, checksum(room, start, at, table), 4)
            start = at
            at = put(room, at, example[:size])
            at = fixed(room, at, checksum(room, start, at, table), 4)
        return at

    return write_shard


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
