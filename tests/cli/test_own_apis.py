"""Clumsy uses of ``--api``, ``--attribute`` and ``--known``: each works, or one line says what is wrong."""

import json
import shlex

import pytest
from click.testing import CliRunner

from quiff.cli import main
from words import worded

OWN = """
from dataclasses import dataclass
import quiff

@quiff.program
def randomised(user, draw, noise=0.1):
    return draw.uniform(["BR", "UY", "US"]) if draw.flip(noise) else user.country

other = randomised(noise=0.3)

@dataclass(frozen=True)
class Unfinished(quiff.Api):
    needs = ("country",)

@dataclass(frozen=True)
class Broken(quiff.Api):
    needs = ("country",)
    def observe(self, secrets):
        return {}["nothing"]

@dataclass(frozen=True)
class Sized(quiff.Api):
    size: int
"""
FILES = {
    "own.py": OWN,
    "a+b:c.py": OWN,
    "syntax.py": "def f(:\n",
    "raises.py": "raise RuntimeError('first line\\nsecond line')\n",
    "exits.py": "import sys\nsys.exit(3)\n",
    "people.csv": "user,t1,t2,country\na,1,2,BR\nb,2,3,BR\nc,1,2,UY\nd,3,4,US\n",
}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)


def run(*words, status=0):
    result = CliRunner().invoke(main, list(map(str, words)))
    assert result.exit_code == status, result.output
    return result


@pytest.mark.parametrize(
    "spec",
    [
        "none.py:x",
        "own.py",
        "own.py:",
        "own.py:nobody",
        "own.py:quiff",
        "syntax.py:x",
        "raises.py:x",
        "exits.py:x",
        "own.py:Unfinished",
        "own.py:Broken",
        "own.py:Sized",
        "own.py:randomised:nose=1",
        "own.py:randomised:noise=2",
        "own.py:randomised:noise",
        "topics+topics",
        "+",
        "",
    ],
)
@pytest.mark.parametrize("command", ["measure", "epochs"])
def test_what_is_wrong_with_an_api_is_told_at_the_option(command, spec):
    running = spec in ("own.py:Broken", "own.py:randomised:noise=2")  # it is found when people are measured
    result = run(command, "people.csv", "--api", spec, status=1 if running else 2)
    worded(result.stderr)
    assert result.stderr.count("\n") == 1 or "Invalid value for '--api'" in result.stderr
    assert not result.stdout


# Equally probable users and k-ary randomised response: noise/3 of each country, the truth with the rest.
@pytest.mark.parametrize(
    ("spec", "leakage"),
    [
        ("own.py:randomised", 3 * (0.9 + 0.1 / 3)),
        ("own.py:other", 3 * (0.7 + 0.3 / 3)),
        ("own.py:randomised:noise=1/2", 3 * (0.5 + 0.5 / 3)),
        ("a+b:c.py:randomised", 3 * (0.9 + 0.1 / 3)),
        ("own.py:randomised+cookies", 4),
        ("cookies+own.py:randomised", 4),
        ("a+b:c.py:randomised+cookies", 4),
        ("topics+cookies", 4),  # sets of two, as they are stored
    ],
)
def test_an_api_of_a_file_is_measured_alone_and_beside_others(spec, leakage):
    (found,) = (
        row["value"]
        for row in json.loads(run("measure", "people.csv", "--api", spec, "--no-yardstick", "--json").stdout)[
            "rows"
        ]
        if (row["quantity"], row["goal"], row["prior"]) == ("leakage", "user", "population")
    )
    assert found == pytest.approx(leakage)


def test_what_is_known_and_asked_for_is_read_without_another_option():
    known = json.loads(run("measure", "people.csv", "--known", "country", "--json").stdout)
    before = [row["value"] for row in known["rows"] if row["quantity"] == "prior"]
    assert set(before) == {3 / 4}  # two of four are alone in their country, two share one
    values = {(row["api"], row["stage"], row["quantity"]): row["value"] for row in known["rows"]}
    means = {key: value for key, value in values.items() if key[2] == "risk_mean"}
    assert means
    for (api, stage, _), mean in means.items():
        assert mean == pytest.approx(values[api, stage, "posterior"])
    for options in (["--goals", "country"], ["--about", "country=BR"], ["--attribute", "topics"]):
        run("measure", "people.csv", *options)
    run("epochs", "people.csv", "--known", "country", "--observations", 2)
    wrong = run("measure", "people.csv", "--known", "contry", status=1).stderr
    worded(wrong)
    assert "'user', 't1', 't2', 'country'" in wrong
    worded(run("measure", "people.csv", "--known", "country", "--exposure", status=2).stderr)


@pytest.mark.parametrize(
    "words",
    [
        "measure people.csv --api a+b:c.py:randomised --attribute country",
        "epochs people.csv --observations 2 --known country",
        "popularity people.csv --simulations 9 --first 2 --api topics:n_topics=5",
        "attack compare people.csv --observations 2 --seeds 1 --targets all --api own.py:randomised",
        "attack run carey people.csv --epochs 2 --seed 1 --api topics:n_topics=5",
        "rules people.csv --api topics:n_topics=5 --seed 1",
        "theory --api cookies --api topics:noise=1/10",
        "design --capacity 50",
        "epsilon 2 --api topics",
    ],
    ids=lambda words: words.split(" --")[0],
)
def test_the_command_in_a_result_repeats_it(words):
    first = run(*shlex.split(words), "--json").stdout
    again = shlex.split(json.loads(first)["provenance"]["command"])
    assert again[0] == "quiff"
    assert run(*again[1:]).stdout == first
    assert "Traceback" not in run(*shlex.split(words)).stdout
