"""`quiff look` says what a table holds, and shows the values of cells only if asked to."""

import json

from click.testing import CliRunner

from quiff.cli import main
from words import worded


def look(*arguments):
    result = CliRunner().invoke(main, ["look", *map(str, arguments)])
    assert result.exit_code == 0, result.output
    return result.stdout


def test_people_are_described_without_their_values(tmp_path):
    file = tmp_path / "people.csv"
    file.write_text("User ID,Topic,country\nZaphod,3,AT\nZaphod,8,AT\nFord,8,\nFord,9,\n")
    worded(look(file))
    assert "Zaphod" not in look(file)
    assert "Zaphod" in look(file, "--show-rows")
    looked = json.loads(look(file, "--json"))
    assert (looked["rows"], looked["understood"]) == (
        4,
        "2 users, 2 topics each of 3, one topic a row; user from 'User ID'; topics from 'Topic'",
    )
    assert looked["columns"][2]["missing"] == 2


def test_other_tables_say_which_commands_can_use_them(tmp_path):
    file = tmp_path / "pairs.jsonl"
    file.write_text('{"secret": "a", "observation": 1}\n{"secret": "b", "observation": 2}\n')
    worded(look(file))


def test_columns_are_named_as_for_other_commands(tmp_path):
    file = tmp_path / "people.csv"
    file.write_text("who;likes\nAnn;8,3\nBob;9,1\n")
    assert "Understood as 2 users, 2 topics each of 4" in look(file, "--columns", "user=who,topics=likes")
    measured = CliRunner().invoke(
        main, ["measure", str(file), "--columns", "user=who,topics=likes", "--json"], catch_exceptions=False
    )
    assert json.loads(measured.stdout)["provenance"]["understood"].startswith("2 users, 2 topics each of 4")
