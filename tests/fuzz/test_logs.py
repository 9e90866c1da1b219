"""Random logs against a plain reading: every row, and every count of what is dropped, on both engines."""

import random
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow.parquet as pq
import pytest

from fuzzing import cases
from logs import plain_logs, reference
from quiff.logs.line_count import LineCount
from quiff.logs.queries import fetch_rows
from quiff.logs.read import LogFormat, read_log
from quiff.logs.suffixes import Suffixes
from quiff.logs.treat import treat

SUFFIXES = Suffixes.parse("\n".join(reference.SUFFIXES), extra=())


def write(log, folder):
    """Write the files of a log; return them and the form that says how it is written."""
    files = []
    for number, (data, is_packed) in enumerate(log["files"]):
        file = folder / f"log[{number}]*.txt{'.gz' if is_packed else ''}"
        file.write_bytes(data)
        files.append(file)
    if log["json"]:
        return files, LogFormat()
    names = None if log["headed"] else tuple(log["names"])
    return files, LogFormat(delimiter=log["delimiter"], quoted=log["quoted"], names=names)


def test_treat_equals_a_plain_reading(duckdb):
    for seed in cases(100):
        log = plain_logs.draw(seed)
        with TemporaryDirectory() as name:
            files, form = write(log, Path(name))
            options = {"suffixes": SUFFIXES, "rules": log["rules"], "max_bad_lines": 10**6}
            result = treat(duckdb, files, Path(name, "out"), form=form, **options)
            rows = [
                tuple(row.values()) for row in pq.read_table(Path(name, "out/treated.parquet")).to_pylist()
            ]
        kept, dropped = plain_logs.treated(log)
        assert reference.histories(rows) == reference.histories(kept), f"seed {seed}"
        assert result.rows_read == len(plain_logs.rows_of(log)), f"seed {seed}"
        assert result.rows_read == result.rows + sum(result.dropped.values()), f"seed {seed}"
        assert result.dropped == dropped, f"seed {seed}"


@pytest.mark.full
@pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning")
def test_spark_reads_the_same_rows(spark):
    for seed in cases(20):
        log = plain_logs.draw(seed)
        with TemporaryDirectory() as name:
            folder = Path(name, "user=7")
            folder.mkdir()
            files, form = write(log, folder)
            table = read_log(spark, files, form, Path(name))
            rows = fetch_rows(spark, table.table)
            table.check(spark, len(rows) - table.headers)
        found = Counter(
            "malformed" if row["malformed"] else tuple(row[c] or "" for c in ("user", "time", "url"))
            for row in rows
        )
        expected = Counter(row if row == "malformed" else tuple(row) for row in plain_logs.rows_of(log))
        expected[plain_logs.NAMES] += table.headers
        assert found == +expected, f"seed {seed}"


def test_records_are_counted_alike_however_the_bytes_come():
    for seed in cases(400):
        dice = random.Random(seed)
        delimiter, quoted, fields = dice.choice([b",", b"\t"]), dice.random() < 0.8, dice.randrange(1, 4)
        pieces = [delimiter, b'"', b'"', b"\n", b"\r\n", b"\r", b"a", b"a", b"\xc3\xa9", b'""', b"\n\n"]
        content = b"".join(dice.choices(pieces, k=dice.choice([5, 20, 100, 1500])))
        count, place = LineCount(delimiter, quoted, fields), 0
        while place < len(content):
            step = dice.randrange(1, 9) if dice.random() < 0.5 else dice.randrange(1, 2000)
            count.add(content[place : place + step])
            place += step
        expected = plain_logs.records_of(content, delimiter, quoted, fields)
        assert count.end().records == len(expected), f"seed {seed}: {content!r}"
