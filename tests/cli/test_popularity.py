"""``quiff popularity``: tables, JSON, figure, and errors."""

import json

import pytest
from click.testing import CliRunner

from quiff.cli import main
from words import worded


@pytest.fixture
def profiles(tmp_path):
    file = tmp_path / "profiles.csv"
    rows = [f"{user},{1 + user % 3},{4 + user % 5}" for user in range(60)]
    file.write_text("\n".join(["user,t1,t2", *rows]))
    return file


@pytest.fixture
def run():
    return lambda *arguments: CliRunner().invoke(main, ["popularity", *map(str, arguments)])


def test_it_prints_three_tables_and_what_they_say(run, profiles):
    result = run(profiles, "--api", "topics:n_topics=20", "--simulations", 20, "--all")
    assert result.exit_code == 0, result.output
    worded(result.output, 60, 8)
    assert result.stderr == ""


def test_json_has_everything(run, profiles):
    found = json.loads(
        run(profiles, "--api", "topics:n_topics=v1", "--simulations", 20, "--first", 2, "--json").output
    )
    assert found["population"]["users"] == 60
    ((_, parameters),) = found["provenance"]["parameters"].items()
    assert parameters["top_s"] == 2
    payload = found["payload"]
    assert [chance["top"] for chance in payload["finding"]] == [1, 2]
    assert payload["values"][0]["users"] == 20
    assert len(payload["values"][0]["estimate"]) == 3
    assert [point["n_users"] for point in payload["growth"]] == [10, 20, 50, 60]


def test_the_same_seed_prints_the_same(run, profiles):
    one, again, other = (run(profiles, "--simulations", 20, "--seed", seed).output for seed in (1, 1, 2))
    assert one == again
    assert one != other


def test_the_figure_is_written(run, profiles, tmp_path):
    assert run(profiles, "--simulations", 5, "--figure", tmp_path / "figure.svg").exit_code == 0
    assert "users who are seen (N)" in (tmp_path / "figure.svg").read_text()


def test_help_has_an_example(run):
    worded(run("--help").output)


@pytest.mark.parametrize(
    "arguments",
    [
        ("--api", "topics:noise=1"),
        ("--api", "topics:n_topics=4"),
        ("--api", "topics:top_s=3"),
        ("--epoch", "1"),
        ("--api", "topics:n_topics=v2"),
    ],
)
def test_errors_are_told_in_one_line(run, profiles, arguments):
    result = run(profiles, *arguments)
    assert result.exit_code == 1
    (line,) = result.stderr.splitlines()
    worded(line)


def test_a_wrong_value_is_told_at_its_option(run, profiles):
    result = run(profiles, "--simulations", "0")
    assert result.exit_code == 2
    worded(result.stderr)


def test_another_api_and_attribute(run, tmp_path):
    people, own = tmp_path / "people.csv", tmp_path / "own.py"
    people.write_text("user,t1,age\n" + "".join(f"{k},{k % 5},{k % 3}\n" for k in range(30)))
    own.write_text(
        "from quiff import Api, Channel\n"
        "from dataclasses import dataclass\n"
        "@dataclass(frozen=True)\n"
        "class Answer(Api):\n"
        "    needs = ('age',)\n"
        "    def observe(self, secrets):\n"
        "        rows = [[0.5 if x == y else 0.25 for y in secrets] for x in secrets]\n"
        "        return Channel(rows, inputs=secrets, outputs=list(secrets))\n"
        "    def outputs_naming(self, attribute, value, stage):\n"
        "        return (value,) if attribute == 'age' else ()\n"
    )
    result = run(people, "--attribute", "age", "--api", f"{own}:Answer", "--simulations", 20, "--json")
    assert result.exit_code == 0, result.output
    found = json.loads(result.output)
    assert [(row["value"], row["users"]) for row in found["payload"]["values"]] == [(0, 10), (1, 10), (2, 10)]
    refused = run(people, "--api", "cookies")
    assert refused.exit_code == 1
    worded(refused.stderr)
