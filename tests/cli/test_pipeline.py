"""The pipeline from the command line: a made-up log all the way to a population; errors in one line."""

import json
import re

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from quiff.cli import main
from quiff.people.population import Population
from words import untimed, worded


def run(*arguments, status=0):
    result = CliRunner().invoke(main, [str(argument) for argument in arguments])
    assert result.exit_code == status, result.output
    return result


def as_json(*arguments):
    return json.loads(run(*arguments, "--json").stdout)


@pytest.fixture
def folder(demo):
    """The tables of all stages, to be read."""
    return demo[0]


def test_treat(folder, tmp_path):
    logs = sorted((folder / "log").glob("*.gz"))
    found = as_json("treat", *logs, "--out", tmp_path / "t", "--memory-limit", "500MB")
    assert found["rows_read"] == found["rows"] + sum(found["dropped"].values())
    assert found["rows"] == pq.read_metadata(tmp_path / "t" / "treated.parquet").num_rows
    assert found["domains"] == pq.read_metadata(tmp_path / "t" / "domains.parquet").num_rows
    assert found["users"] > 0
    assert found["seeded"] is False
    assert all(step["seconds"] >= 0 for step in found["steps"])
    text = run("treat", *logs, "--out", tmp_path / "t", "--seed", 3, "--force").stdout
    worded(untimed(text))


def test_own_columns_and_bad_lines(tmp_path):
    log = tmp_path / "log.csv"
    log.write_text("who,when,where\n1,2024-01-01 00:00:00,a.com\n2,2024-01-01 00:00:00\n")
    columns = ["--user", "who", "--time", "when", "--url", "where"]
    text = run("treat", log, "--out", tmp_path / "t", *columns, "--csv", tmp_path / "t.csv").stdout
    worded(untimed(text), 3)
    assert f"{log}" in text
    written = (tmp_path / "t.csv").read_text()
    assert re.fullmatch(r",RandID,QueryTime,Domain\n0,\d+,2024-01-01 00:00:00,a.com\n", written)
    result = run("treat", log, "--out", tmp_path / "u", *columns, "--max-bad-lines", 0, status=1)
    worded(result.stderr, 0)
    assert result.stderr.count("\n") == 1
    assert result.stdout == ""


@pytest.mark.parametrize("matching", ["correct", "as-published"])
def test_classify(folder, tmp_path, matching):
    listed = folder / "log" / "classification.csv"
    arguments = [
        "classify",
        folder / "treated",
        "--classification",
        listed,
        "--out",
        tmp_path,
        "--matching",
        matching,
    ]
    found = as_json(*arguments)
    assert found["domains"] == found["full_matches"] + found["partial_matches"] > 0
    assert found["rows"] == pq.read_metadata(tmp_path / "reduced.parquet").num_rows
    assert {"users", "topics"} <= set(found)
    worded(untimed(run(*arguments, "--force").stdout))


def test_classify_with_the_public_lists(folder, tmp_path, mirror):
    for name in ("citizenlab", "chrome-1", "chrome-5"):
        found = as_json(
            "classify",
            folder / "treated",
            "--classification",
            name,
            "--out",
            tmp_path / name,
            "--mirror",
            mirror,
        )
        assert found["rows"] + found["dropped_rows"] > 0


def test_experiment(folder, tmp_path):
    found = as_json("experiment", folder / "reduced", "--out", tmp_path, "--max-visits", 50)
    assert set(found["dropped_users"]) == {"singleton", "outlier"}
    assert found["users"] == pq.read_metadata(tmp_path / "experimental.parquet").num_rows
    assert found["rows"] <= 50 * found["users"]
    assert as_json("experiment", folder / "treated", "--out", tmp_path / "t")["domains"] > found["domains"]


def test_profile(folder, tmp_path):
    out = tmp_path / "profiles.parquet"
    found = as_json("profile", folder / "experimental", "--out", out, "--seed", 1, "--repeat", 3, "--top", 4)
    people = Population.read(out)
    assert (found["users"], found["epochs"]) == (people.users.size, 1)
    assert found["distinct_sets"] == people.distinct_sets()[0].size == found["repeats"]["distinct_sets"][0]
    assert found["occurring_topics"] == people.occurring.size
    weekly = as_json("profile", folder / "reduced", "--out", out, "--epoch-days", 7, "--force")
    assert Population.read(out).n_epochs == weekly["epochs"] > 1
    result = run(
        "profile",
        folder / "reduced",
        "--out",
        out,
        "--force",
        "--taxonomy",
        "x",
        status=1,
    )
    worded(result.stderr)


def test_stats(folder, tmp_path):
    figure = tmp_path / "sizes.svg"
    text = run("stats", folder / "reduced", "--figure", figure).stdout
    assert figure.read_text().startswith("<svg")
    for words in ("domains of 2 labels", "25%", "Most visited domains", "Users per count of records"):
        assert words in text
    found = as_json("stats", folder / "experimental")
    assert found["stage"] == "experimental"
    assert found["sizes"]["min"] >= 2
    assert sum(users for _, users in found["users_per_count"]) == found["users"]
    log = as_json("stats", *sorted((folder / "log").glob("*.gz")))
    assert log["rows"] > found["rows"]
    assert log["urls"] > 0


def test_errors_are_told_in_one_line(folder, tmp_path):
    for arguments in (
        ["treat", tmp_path / "none.txt", "--out", tmp_path],
        ["classify", tmp_path / "none", "--classification", "nonsense", "--out", tmp_path],
        ["experiment", tmp_path, "--out", tmp_path],
        ["profile", folder / "treated", "--out", tmp_path / "p.parquet"],
        ["stats", tmp_path / "none"],
        ["treat", folder / "log", "--out", tmp_path, "--master", "local[1]"],
    ):
        result = run(*arguments, status=1)
        assert result.stderr.startswith("Error: ")
        assert result.stderr.count("\n") == 1
        assert result.stdout == ""
    assert run("treat", "--out", tmp_path, status=2).stdout == ""
    assert list(tmp_path.iterdir()) == []
