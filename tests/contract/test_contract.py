"""The numbers that a redesign may not move: rows of every study, and digests of every stage on three logs.

What each number should be is the matter of other tests; these say which ones a change has moved. Every frozen
row stays, with its keys, value, low and high; new rows may stand beside it.
"""

import bisect
import csv
import json
import math
from contextlib import nullcontext

import pytest

import quiff
from contract import pipeline, studies
from contract.studies import as_number

RELATIVE = 1e-12


@pytest.fixture(scope="module")
def outcomes():
    return {name: studies.outcome(study) for name, study in studies.studies()}


def frozen():
    """Yield the keys of every frozen row, and its numbers as they were written."""
    with studies.FROZEN.open(newline="", encoding="utf-8") as file:
        _, *rows = csv.reader(file)
    study = ""
    for name, *key, value, low, high in rows:
        study = name or study  # written where it begins
        yield (study, *key), (value, low, high)


def agree(frozen, current):
    """Counts and fractions are equal, floats to twelve digits; what is no number is the same word."""
    if frozen == current:
        return True
    try:
        before, now = as_number(frozen), as_number(current)
    except ValueError:
        return False
    if before is None or now is None or not (isinstance(before, float) and isinstance(now, float)):
        return False
    return math.isclose(before, now, rel_tol=RELATIVE, abs_tol=1e-300)


def test_every_row_is_there_and_has_its_numbers(outcomes):
    rows = {}
    for name, result in outcomes.items():
        rows |= studies.frozen_rows(name, result)
    gone = [key for key, _ in frozen() if key not in rows]
    assert gone == []
    moved = {
        key: (numbers, rows[key]) for key, numbers in frozen() if not all(map(agree, numbers, rows[key]))
    }
    assert moved == {}


def test_numbers_that_stand_outside_rows_are_still_in_the_result(outcomes):
    """Of each user, of tables, of estimates: wherever they go, the study has them."""
    lost = {}
    for name, numbers in json.loads(studies.ELSEWHERE.read_text()).items():
        current = sorted(studies.numbers_of(outcomes[name]))
        lost[name] = [number for number in numbers if not occurs(number, current)]
    assert {name: numbers for name, numbers in lost.items() if numbers} == {}


def occurs(number, ordered):
    place = bisect.bisect_left(ordered, number)
    return any(
        math.isclose(number, near, rel_tol=RELATIVE) for near in ordered[max(0, place - 1) : place + 1]
    )


def test_every_api_of_the_registry_is_in_it():
    apis = {row[1].partition(":")[0] for row, _ in frozen()}
    assert set(quiff.apis()) <= apis


def test_a_moved_number_is_noticed():
    assert agree("0.1", "0.1000000000000001")
    assert not agree("0.1", "0.10000000001")
    assert not agree("1/3", "0.3333333333333333")
    assert not agree("3", "4")
    assert not agree("0.5", "")
    assert not agree("SizeError", "0.5")


@pytest.mark.parametrize("log", pipeline.TREATED)
def test_every_stage_writes_the_same_tables(backend, log, tmp_path, monkeypatch):
    monkeypatch.setenv("QUIFF_MIRROR", "")
    monkeypatch.setattr("quiff.cli.pipeline.connected", lambda *_, **__: nullcontext(backend))  # one for all
    engine = "duckdb" if backend.name == "duckdb" else "spark"
    assert pipeline.stages(log, tmp_path, engine) == json.loads(pipeline.FROZEN.read_text())[log]


@pytest.mark.usefixtures("spark")
def test_a_log_and_its_people_on_spark(tmp_path, monkeypatch):
    """A real session takes a log to people, and these to distinct sets: the tables and numbers of DuckDB."""
    monkeypatch.setenv("QUIFF_MIRROR", "")
    assert pipeline.stages("records", tmp_path, "spark") == json.loads(pipeline.FROZEN.read_text())["records"]
    command = ["measure", tmp_path / "profiles.parquet", "--epoch", 2, "--api", "topics:top_s=3"]
    rows = {engine: pipeline.run(*command, "--engine", engine)["rows"] for engine in ("duckdb", "spark")}
    assert len(rows["spark"]) > 20
    users = [row for row in pipeline.run(*command)["rows"] if row["api"] != "cookies"]  # who engines merge
    assert rows["spark"] == rows["duckdb"] == users
