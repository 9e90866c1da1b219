"""Every type of Arrow as a column of people, logs, pairs and reports is read, or refused in one line."""

import random
from datetime import date, datetime, time
from decimal import Decimal

import pyarrow as pa
import pyarrow.parquet as pq
from click.testing import CliRunner

from fuzzing import cases
from quiff.cli import main

WHEN = datetime(2006, 3, 1, 7, 17)
VALUES = {
    "bool": [True, False],
    "int8": pa.array([1, 2], pa.int8()),
    "uint64": pa.array([1, 2**63 + 5], pa.uint64()),
    "float": [1.5, 2.5],
    "decimal": [Decimal("1.5"), Decimal("2.5")],
    "binary": [b"a", b"\xff"],
    "large binary": pa.array([b"a", b"b"], pa.large_binary()),
    "fixed": pa.array([b"aa", b"bb"], pa.binary(2)),
    "text": ["a", "b"],
    "large text": pa.array(["a", "b"], pa.large_string()),
    "date": [WHEN.date(), date(2021, 1, 1)],
    "timestamp": [WHEN, datetime(2021, 1, 1)],
    "zoned": pa.array([WHEN, WHEN], pa.timestamp("us", "UTC")),
    "time": [time(1), time(2)],
    "duration": pa.array([1, 2], pa.duration("s")),
    "null": pa.nulls(2),
    "dictionary": pa.array(["a", "b"]).dictionary_encode(),
    "list": [["a"], ["b"]],
    "list of numbers": [[1], [2]],
    "list of bytes": [[b"a"], [b"b"]],
    "list of records": [[{"x": 1}], [{"x": 2}]],
    "lists": [[["a"]], [["b"]]],
    "list of nothing": pa.array([[None], [None]], pa.list_(pa.null())),
    "list of decimals": [[1.5], [2.5]],
    "list of dates": [[WHEN.date()], [WHEN.date()]],
    "pairs": pa.array([[1, 2], [3, 4]], pa.list_(pa.int64(), 2)),
    "large list": pa.array([["a"], ["b"]], pa.large_list(pa.string())),
    "record": [{"x": 1}, {"x": 2}],
    "map": pa.array([[("a", 1)], [("b", 2)]], pa.map_(pa.string(), pa.int64())),
}
PEOPLE = {"user": ["u", "v"], "topics": [["a"], ["b"]]}
PAIRS = {"secret": ["a", "b"], "observation": ["x", "y"]}
LOG = {"AnonID": ["1", "2"], "QueryTime": ["2006-03-01 00:00:00"] * 2, "ClickURL": ["http://a.com"] * 2}
REPORTS = {"user": ["1", "2"], "site": ["a", "a"], "epoch": [0, 0], "topic": [1, 2]}
PLACES = [
    *((PEOPLE, name, ["measure", "FILE"]) for name in ("user", "topics", "epoch", "genuine")),
    *((PEOPLE, name, ["measure", "FILE", "--engine", "duckdb"]) for name in ("user", "topics", "genuine")),
    (PEOPLE, "w", ["measure", "FILE", "--weights", "w"]),
    (PEOPLE, "country", ["measure", "FILE", "--attribute", "country", "--api", "cookies"]),
    *((PAIRS, name, ["audit", "FILE"]) for name in PAIRS),
    *(
        (PAIRS, name, ["audit", "FILE", f"--{name}", name])
        for name in ("person", "counts", "weights", "time")
    ),
    *((LOG, name, ["stats", "FILE"]) for name in LOG),
    *((LOG, name, ["treat", "FILE", "--out", "OUT", "--force"]) for name in LOG),
    *((REPORTS, name, ["attack", "run", "carey", "--reports", "FILE"]) for name in REPORTS),
]


def test_every_type_as_every_column(tmp_path):
    for seed in cases(60):
        rng = random.Random(seed)
        kind = rng.choice(list(VALUES))
        columns, name, words = rng.choice(PLACES)
        file = tmp_path / "table.parquet"
        pq.write_table(pa.table({**columns, name: VALUES[kind]}), file)
        names = {"FILE": str(file), "OUT": str(tmp_path / "out")}
        done = CliRunner().invoke(main, [names.get(word, word) for word in words])
        told = f"seed {seed}: {kind} as {name}, {words}: {done.exception!r}"
        assert done.exception is None or isinstance(done.exception, SystemExit), told
        assert "Traceback" not in done.stderr, told
