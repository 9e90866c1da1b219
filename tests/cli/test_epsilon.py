"""``quiff epsilon``: one screen, JSON, a figure, APIs beside it, and errors."""

import json
import math

import pytest
from click.testing import CliRunner

import quiff
from quiff.cli import main
from words import refused, worded


@pytest.fixture
def run():
    return lambda *arguments: CliRunner().invoke(main, ["epsilon", *map(str, arguments)])


def test_it_fits_a_screen(run):
    lines = run("7.19", "--api", "topics").output.splitlines()
    assert len(lines) <= 24
    assert max(map(len, lines)) <= 80
    worded(run("7.19").output)


@pytest.mark.parametrize("epsilon", ["0", "1", "50", "1e4", "inf", "1/3"])
def test_any_epsilon_is_explained(run, tmp_path, epsilon):
    done = run(epsilon, "--figure", tmp_path / "meaning.svg")
    assert done.exit_code == 0, done.output
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert done.stderr == f"Wrote {tmp_path / 'meaning.svg'}\n"
    assert (tmp_path / "meaning.svg").read_text().startswith("<svg")


def test_json_has_full_precision(run):
    found = json.loads(run("7.19", "--secrets", 1000, "--api", "topics", "--json").output)
    rows = {
        (row["api"], row["quantity"], row["prior"], row["goal"], row["observations"]): row
        for row in found["rows"]
    }
    e = math.exp(7.19)
    assert rows["", "largest_posterior", "1 in 1000", "", 1]["value"] == pytest.approx(e / (999 + e))
    assert rows["", "bayes_capacity", "", "1000 secrets", 1]["value"] == pytest.approx(1000 * e / (999 + e))
    assert rows["", "epsilon", "", "", 10]["value"] == pytest.approx(71.9)
    assert rows["topics", "bayes_capacity", "", "", 1]["value"] == pytest.approx(66.36)
    assert all(row["method"] == "formula" for row in found["rows"])


def test_the_epsilon_of_an_api(run):
    worded(repr(quiff.explain_epsilon(None, quiff.TopicsAPI())))
    done = run("--api", "topics:noise=0.1", "--api", "cookies")
    assert done.exit_code == 0
    worded(done.output, 6.44)


def test_the_apis_stand_in_a_table_of_their_own(run):
    worded(run("1", "--api", "topics", "--all").output)


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        ((), 2),
        (("abc",), 2),
        (("1", "--delta", "x"), 2),
        (("1", "--secrets", "1"), 2),
        (("1", "--observations", "0"), 2),
        (("1", "--delta", "2"), 2),
        (("nan",), 2),
        (("1", "--api", "nothing"), 2),
    ],
)
def test_what_cannot_be_is_refused(run, arguments, status):
    done = run(*arguments)
    assert done.exit_code == status
    worded(done.output)


def test_an_api_without_an_epsilon():
    with refused(quiff.ParameterError):
        quiff.explain_epsilon(None, quiff.FittedAPI({1: 1.0}))
