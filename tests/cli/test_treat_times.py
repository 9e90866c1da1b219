"""``quiff treat`` on times of all kinds: told in the output, refused with what to do."""

import json

import pytest
from click.testing import CliRunner

from quiff.cli import main
from words import worded

HEADER = "AnonID\tQuery\tQueryTime\tItemRank\tClickURL"


def run(*arguments):
    return CliRunner().invoke(main, [*map(str, arguments)])


def write_log(path, times):
    lines = [f"secret-{k}\tq\t{time}\t1\thttp://s{k}.com" for k, time in enumerate(times)]
    path.write_text("\n".join([HEADER, *lines, ""]))
    return path


@pytest.mark.parametrize(
    ("time", "unit"),
    [
        ("2006-03-01T07:17:12Z", None),
        ("2006-03-01 09:17:12+02:00", None),
        ("1141197432", "seconds"),
        ("1141197432000", "milliseconds"),
    ],
)
def test_times_are_kept_and_their_unit_is_told(tmp_path, time, unit):
    log = write_log(tmp_path / "log.txt", [time] * 3)
    result = run("treat", log, "--out", tmp_path / "out", "--json")
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    assert (told["rows"], told["dropped"]) == (3, {})
    assert told["unix_times"] == ({str(log): unit} if unit else {})
    again = run("stats", tmp_path / "out", "--json")
    assert json.loads(again.stdout)["first"].startswith("2006-03-01 07:17:12")
    text = run("treat", log, "--out", tmp_path / "text").stdout
    assert ("unix times: " in text) == (unit is not None)


def test_nothing_kept_is_status_1_and_the_next_commands_have_nothing(tmp_path):
    log = write_log(tmp_path / "log.txt", ["March 1st"] * 20)
    result = run("treat", log, "--out", tmp_path / "out")
    assert result.exit_code == 1
    worded(result.stderr, 0, 20)
    assert result.stderr.count("5 fields, time looks like 'aaaaa 9aa' (bad-time)") == 3
    assert "line 2:" in result.stderr
    assert "March" not in result.stderr
    assert "secret" not in result.stderr
    assert (
        run("classify", tmp_path / "out", "--classification", log, "--out", tmp_path / "reduced").exit_code
        == 1
    )
    shown = run("treat", log, "--out", tmp_path / "out", "--show-rows")
    worded(shown.stderr, 0)


def test_a_format_of_ones_own_and_a_wrong_one(tmp_path):
    log = write_log(tmp_path / "log.txt", ["1.3.2006 7:17"])
    kept = run("treat", log, "--out", tmp_path / "out", "--time-format", "%d.%m.%Y %H:%M", "--json")
    assert json.loads(kept.stdout)["rows"] == 1
    wrong = run("treat", log, "--out", tmp_path / "other", "--time-format", "%d.%m.%Q")
    assert wrong.exit_code == 1
    worded(wrong.stderr)


def test_help_says_what_is_accepted():
    text = " ".join(run("treat", "--help").stdout.split())
    for word in ("Unix seconds or milliseconds", "+02:00", "--time-format", "UTC", "Parquet", "strptime"):
        assert word in text


def test_coarse_times_and_rules_of_the_paper(tmp_path):
    log = tmp_path / "log.txt"
    log.write_text(f"{HEADER}\n1\tq\t2006-03-01 07:17:12\t1\thttp://A.Example.COM/x\n")
    arguments = ("--coarse-times", "hour", "--rules", "as-published", "--csv", tmp_path / "treated.csv")
    assert run("treat", log, "--out", tmp_path / "out", *arguments).exit_code == 0
    assert (tmp_path / "treated.csv").read_text().splitlines()[1].endswith(",2006-03-01 07:00:00,Example.COM")
