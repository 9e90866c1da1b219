"""Group `history`: from a raw search log to the Treated table (user, time, registrable domain) in Parquet.

All contenders read the same synthetic log, packed by gzip, and write the same rows, with random numbers of
the operating system for the names of users. The digest says that the rows are the same but for these numbers.
Each starts its engine within the time, since who treats a log has to start it, too; imports are done before.
quiff runs as its command does: it counts what it drops, and DuckDB is held to the command's own limit. All
follow the paper's rules for domains.
The floor reads the log and parses the three columns, and does nothing with them.
"""

import shutil
import tempfile
import time
from pathlib import Path

from benchmarks.harness import Contender, check_equal, compete, summary, write
from benchmarks.history_peers import (
    logs_of,
    parse_only,
    treat_with_pandas,
    treat_with_polars,
    treat_with_sql,
)

SIZES = (1_000_000, 4_000_000, 12_000_000)
QUICK = 100_000
LARGEST_BY_ROW, LARGEST_ON_SPARK = 12_000_000, 4_000_000
LARGEST_REPEATED_IF_SLOW, LARGEST_REPEATED = 1_000_000, 4_000_000  # above, they run once
SMALLEST_UNLIMITED = 12_000_000  # below, the limit makes no difference
QUIFF = "quiff on DuckDB"
BY_ROW, BY_URL = "pandas + tldextract, row by row", "pandas + tldextract, distinct URLs"
UNLIMITED, SPARK = "quiff on DuckDB, no limit of memory", "quiff on Spark, local"
POLARS = "polars + tldextract, distinct URLs"
SQL, FLOOR = "DuckDB SQL by hand", "floor: DuckDB parses three columns"
PEERS = {
    BY_ROW: "one call of tldextract for each row, offline, with the same suffix list.",
    BY_URL: "the same over distinct URLs only, joined back to the rows.",
    POLARS: "the same with polars; what is not in Python is what a plug-in for the domains would leave.",
    SQL: "one script for DuckDB, the suffix list as a table, as somebody would write it who knows both well.",
    FLOOR: "only reads the three columns; nobody who uses DuckDB can be faster.",
    SPARK: "the same quiff, on Spark in one process of this machine, its start within the time.",
}


def quiff_treats(inputs, clock, engine="duckdb", limited=True):
    import duckdb  # noqa: F401
    import ibis
    import pandas as pd  # noqa: F401 - Ibis asks for it
    import pyarrow.dataset  # noqa: F401

    from quiff.logs.engine import connect
    from quiff.logs.tables import Steps
    from quiff.logs.treat import treat

    getattr(ibis, {"duckdb": "duckdb", "spark": "pyspark"}[engine])  # Ibis loads an engine's part when asked
    out, steps = _new_folder(inputs), Steps()
    clock.start()
    con = connect(engine, memory_limit="1200MB" if limited else None)
    clock.laps["start the engine"] = clock.wall + time.perf_counter()
    result = treat(con, logs_of(inputs), out, rules="as-published", steps=steps)
    clock.stop()
    clock.laps |= {step.name: step.seconds for step in steps.done}
    clock.laps["all else"] = clock.wall - sum(clock.laps.values())
    con.disconnect()
    return {"rows read": result.rows_read, **_digest(out)}


def pandas_treats(inputs, clock, distinct):
    import pandas as pd  # noqa: F401
    import pyarrow.parquet  # noqa: F401
    import tldextract  # noqa: F401

    out = _new_folder(inputs)
    clock.start()
    n_read = treat_with_pandas(logs_of(inputs), out, distinct=distinct)
    clock.stop()
    return {"rows read": n_read, **_digest(out)}


def polars_treats(inputs, clock):
    import polars  # noqa: F401
    import tldextract  # noqa: F401

    out = _new_folder(inputs)
    clock.start()

    def lap(name):
        clock.laps[name] = clock.wall + time.perf_counter() - sum(clock.laps.values())

    n_read = treat_with_polars(logs_of(inputs), out, lap)
    clock.stop()
    return {"rows read": n_read, **_digest(out)}


def sql_treats(inputs, clock):
    import duckdb  # noqa: F401
    import pandas as pd  # noqa: F401 - DuckDB asks for it
    import pyarrow.dataset  # noqa: F401

    out = _new_folder(inputs)
    clock.start()
    treat_with_sql(logs_of(inputs), out)
    clock.stop()
    return _digest(out)


def duckdb_parses(inputs, clock):
    import duckdb  # noqa: F401

    clock.start()
    n_read = parse_only(logs_of(inputs))
    clock.stop()
    return {"rows read": n_read}


def _new_folder(inputs):
    return Path(tempfile.mkdtemp(prefix="out-", dir=inputs))


def _digest(out):
    """Return counts of the written table, and the sum of its users' hashes, whatever their names; remove it.

    The hash of a user is that of the sum of the hashes of the user's visits.
    """
    import duckdb

    table = out / "treated.parquet"
    parts = table / "*.parquet" if table.is_dir() else table
    with duckdb.connect() as con:
        con.execute(f"CREATE VIEW treated AS SELECT t.user, time, domain FROM '{parts}' AS t")  # noqa: S608
        rows, users, total = con.execute(
            "SELECT sum(visits), count(*), sum(hash(visits, hashes)) FROM (SELECT count(*) AS visits,"
            " sum(hash(time::TIMESTAMP, domain)) AS hashes FROM treated GROUP BY treated.user)"
        ).fetchone()
        (domains,) = con.execute("SELECT count(DISTINCT domain) FROM treated").fetchone()
    shutil.rmtree(out)
    return {"rows": int(rows), "users": users, "domains": domains, "digest": f"{int(total) % 2**64:016x}"}


def contenders_for(rows, repeats):
    """The contenders for a log of so many rows; those that would take too long are left out."""
    here = "benchmarks.history"
    slow = min(repeats, 3) if rows <= LARGEST_REPEATED_IF_SLOW else 1
    some = [
        Contender(QUIFF, f"{here}:quiff_treats"),
        Contender(BY_URL, f"{here}:pandas_treats", {"distinct": True}),
        Contender(POLARS, f"{here}:polars_treats"),
        Contender(SQL, f"{here}:sql_treats"),
        Contender(FLOOR, f"{here}:duckdb_parses"),
    ]
    if rows >= SMALLEST_UNLIMITED:
        some.insert(1, Contender(UNLIMITED, f"{here}:quiff_treats", {"limited": False}))
    if rows <= LARGEST_BY_ROW:
        some.append(Contender(BY_ROW, f"{here}:pandas_treats", {"distinct": False}, slow))
    if rows <= LARGEST_ON_SPARK:
        some.append(Contender(SPARK, f"{here}:quiff_treats", {"engine": "spark", "limited": False}, slow))
    return some


def ratios(part):
    """What the group aims at, and what was measured."""
    slower = {row["contender"]: row["times_slower"] for row in part["rows"]}
    (peak,) = (row["peak_mib"] for row in part["rows"] if row["contender"] == QUIFF)
    found = {}
    if BY_ROW in slower:
        found["row by row / quiff (aim: 10 or more)"] = slower[BY_ROW]
    found["distinct URLs / quiff (aim: 5 or more)"] = slower[BY_URL]
    found["quiff / floor (aim: 4 or less)"] = 1 / slower[FLOOR]
    found["quiff's memory in GB (aim: below 2 for 36 million rows)"] = peak * 2**20 / 1e9
    return {name: round(value, 2) for name, value in found.items()}


def compare(rows, repeats):
    """Let all treat one log of so many rows, check that they agree, and return what they took."""
    from quiff.logs.synth import SyntheticLog, write_log

    print(f"history, {rows} rows", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        inputs = Path(folder)
        log = write_log(SyntheticLog(rows=rows, seed=1), inputs / "log")
        size = sum(file.stat().st_size for file in log.files)
        turns = repeats if rows <= LARGEST_REPEATED else 1
        runs = compete(contenders_for(rows, turns), inputs, turns)
    facts = {"rows without URL": log.rows_without_url, "gzip files": len(log.files), "their bytes": size}
    facts |= check_equal(runs, list(runs))
    left_out = [name for name, most in ((BY_ROW, LARGEST_BY_ROW), (SPARK, LARGEST_ON_SPARK)) if rows > most]
    if left_out:
        facts["left out at this size, since slow"] = "; ".join(left_out)
    part = summary(runs, QUIFF, f"A log of {rows:,} rows", facts)
    part["facts"] |= ratios(part)
    return part


def main(repeats, quick, rows=None):
    sizes = rows or ((QUICK,) if quick else SIZES)
    write("history", [compare(size, repeats) for size in sizes], quick)
