"""A public data set may be named wherever a file is read; digits are as many as asked for."""

import tarfile
from pathlib import Path

import pytest
from click.testing import CliRunner

from quiff.cli import main
from quiff.logs.registry import DATASETS
from words import worded


def run(*arguments, **environment):
    return CliRunner().invoke(main, [str(each) for each in arguments], env=environment)


@pytest.fixture
def nowhere(tmp_path):
    return {"QUIFF_MIRROR": str(tmp_path / "mirror"), "QUIFF_CACHE": str(tmp_path / "cache")}


@pytest.mark.parametrize("command", ["measure", "epochs", "report --out page.html", "stats"])
def test_a_data_set_that_is_not_here_is_not_fetched(nowhere, command):
    name, *options = command.split()
    done = run(name, "pets24-users", *options, **nowhere)
    assert done.exit_code == 1
    told = "Error: the data set 'pets24-users' is not here; fetch it by quiff data get pets24-users\n"
    assert done.stderr == told


def test_a_file_of_that_name_comes_first(nowhere, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "visit-rates").write_text("user,t1\na,1\nb,2\n")
    done = run("measure", "visit-rates", **nowhere)
    worded(done.stderr)


@pytest.mark.parametrize("command", ["measure", "epochs --observations 1", "compare --api topics"])
def test_people_of_a_data_set_are_said_to_be_synthetic_where_they_are(tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    Path("users.csv").write_text("user,t1,t2\n" + "".join(f"{k},{k % 7 + 1},9\n" for k in range(40)))
    copy = DATASETS["pets24-users"].file
    with tarfile.open(copy, "w:gz") as archive:
        archive.add("users.csv")
    name, *options = command.split()
    assert run(name, copy, *options).stdout.startswith("40 people (synthetic)")
    assert "(synthetic)" not in run(name, "users.csv", *options).stdout


def test_digits_are_as_many_as_asked_for():
    assert "66.4" in run("theory").stdout
    assert "66.359" in run("theory", "--digits", 6, "--api", "topics:noise=0.05001").stdout
    assert run("theory", "--digits", 0).exit_code == 2


def test_it_is_told_what_was_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = run("epsilon", 1, "--csv", "tables", "--json")
    worded(done.stderr)
    assert done.stdout.startswith("{")
