"""From a log to people in one command: what the four stages give, and where every row and user went."""

import json
from itertools import groupby

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from quiff.cli import main
from quiff.errors import ParameterError, QuiffError
from quiff.logs.classifications import read_classification
from quiff.logs.classify import classify
from quiff.logs.experiment import experiment
from quiff.logs.gather import people
from quiff.logs.profile import profile
from quiff.logs.synth import SyntheticLog, write_log
from quiff.logs.tables import table_digest
from quiff.logs.treat import treat


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    return write_log(SyntheticLog(users=120, seed=3), tmp_path_factory.mktemp("log") / "log")


def gather(con, log, out, **options):
    return people(con, log.files, read_classification(log.classification), out, seed=1, **options)


def test_it_is_the_four_stages(backend, log, tmp_path):
    options = {"epoch_days": 7, "top": 3}
    result = gather(backend, log, tmp_path / "p.parquet", conversions=log.conversions, **options)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["p.parquet"]
    treat(backend, log.files, tmp_path / "t", conversions=log.conversions, seed=1)
    classify(backend, tmp_path / "t", read_classification(log.classification), tmp_path / "r")
    experiment(backend, tmp_path / "r", tmp_path / "e")
    events = tmp_path / "t" / "conversions.parquet"
    stages = profile(backend, tmp_path / "e", tmp_path / "q.parquet", conversions=events, seed=1, **options)
    assert result.profiled == stages
    assert table_digest(tmp_path / "p.parquet") == table_digest(tmp_path / "q.parquet")


def test_every_row_and_user_is_counted(duckdb, log, tmp_path):
    result = gather(duckdb, log, tmp_path / "p.parquet")
    before_rows, before_users = result.counts[0].rows, None
    assert before_rows == log.rows
    for stage, counts in groupby(result.counts[1:-1], lambda count: count.stage):
        *lost, kept = counts
        assert kept.what == "kept"
        assert kept.rows + sum(count.rows for count in lost) == before_rows, stage
        if before_users is not None:
            assert kept.users + sum(count.users for count in lost) == before_users, stage
        before_rows, before_users = kept.rows, kept.users
    assert result.counts[-1].users == before_users == pq.read_table(tmp_path / "p.parquet").num_rows


def test_weeks_that_are_covered_in_part_are_told(duckdb, log, tmp_path):
    told = gather(duckdb, log, tmp_path / "weeks.parquet", epoch_days=7).notes
    assert any("cover 1 of the 7 days of the last of 14 epochs" in note for note in told)
    for days in (1, 23, 46, 92):
        notes = gather(duckdb, log, tmp_path / f"{days}.parquet", epoch_days=days).notes
        assert not any("cover" in note for note in notes)


def test_what_leaves_nobody_is_told(duckdb, log, tmp_path):
    listed = tmp_path / "other.csv"
    listed.write_text("domain,topics\nnobody-visits.example,'A'\n")
    with pytest.raises(QuiffError, match=r"none of the [0-9,]+ domains of the log is in .*other.csv"):
        people(duckdb, log.files, read_classification(listed), tmp_path / "p.parquet")
    few = tmp_path / "few.txt"
    few.write_text("AnonID\tQueryTime\tClickURL\n" + "1\t2006-03-01 07:17:12\thttp://a.com\n" * 3)
    listed.write_text("domain,topics\na.com,'A'\n")
    with pytest.raises(QuiffError, match="none of 1 users visited two domains with topics, 2 times at most"):
        people(duckdb, [few], read_classification(listed), tmp_path / "p.parquet", max_visits=2)
    with pytest.raises(ParameterError):
        people(duckdb, log.files, read_classification(listed), tmp_path / "p.csv")
    (tmp_path / "there.parquet").write_text("")
    with pytest.raises(ParameterError, match="there already"):
        people(duckdb, log.files, read_classification(listed), tmp_path / "there.parquet")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["few.txt", "other.csv", "there.parquet"]


def test_the_command_prints_one_table_and_seconds_only_if_asked(log, tmp_path):
    words = ["people", *map(str, log.files), "--classification", str(log.classification), "--seed", "1"]
    out = ["--out", str(tmp_path / "p.parquet"), "--force"]
    plain, verbose = (CliRunner().invoke(main, [*words, *out, *more]) for more in ([], ["--verbose"]))
    assert plain.exit_code == verbose.exit_code == 0, plain.output
    lines = plain.stdout.splitlines()
    assert lines[0] == "From the log to people"
    assert lines[1].split() == ["stage", "what", "rows", "users"]
    assert "seconds" not in plain.stdout
    assert "seconds" in verbose.stdout
    facts = json.loads(CliRunner().invoke(main, [*words, *out, "--json"]).stdout)
    assert facts["counts"][0] == {"stage": "log", "what": "read", "rows": log.rows, "users": None}
    assert facts["users"] == facts["counts"][-1]["users"]
