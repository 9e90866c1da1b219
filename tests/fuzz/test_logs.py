"""Random logs against a plain reading: every row, and every count of what is dropped, on both engines."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow.parquet as pq
import pytest

from fuzzing import cases
from logs import plain_logs, reference
from quiff.errors import ParameterError
from quiff.logs.read import LogFormat
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


def check_treat(con, seed):
    """A log is treated as a plain reading treats it, or refused for what is wrong with it."""
    log = plain_logs.draw(seed)
    with TemporaryDirectory() as name:
        folder = Path(name, "user=7")
        folder.mkdir()
        files, form = write(log, folder)
        faults = plain_logs.faults_of(log)
        options = {"suffixes": SUFFIXES, "rules": log["rules"], "max_bad_lines": 10**6}
        try:
            result = treat(con, files, Path(name, "out"), form=form, **options)
        except ParameterError as error:
            refusal = str(error)
            if not any(fault in refusal for fault in faults) or list(Path(name, "out").glob("*")):
                raise
            return
        assert faults <= {"does not close"}, f"seed {seed}"
        rows = [tuple(row.values()) for row in pq.read_table(Path(name, "out/treated.parquet")).to_pylist()]
    kept, dropped = plain_logs.treated(log)
    assert reference.histories(rows) == reference.histories(kept), f"seed {seed}"
    assert result.rows_read == len(plain_logs.rows_of(log)), f"seed {seed}"
    assert result.rows_read == result.rows + sum(result.dropped.values()), f"seed {seed}"
    assert result.dropped == dropped, f"seed {seed}"


def test_treat_equals_a_plain_reading(duckdb):
    for seed in cases(100):
        check_treat(duckdb, seed)


@pytest.mark.full
def test_treat_equals_a_plain_reading_of_a_thousand_logs(duckdb):
    for seed in range(1000):
        check_treat(duckdb, seed)


@pytest.mark.full
@pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning")
def test_spark_reads_the_same_rows(spark):
    for seed in cases(20):
        check_treat(spark, seed)
