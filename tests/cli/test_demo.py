"""The demo goes from a made-up log to a report, and gives the same numbers again."""

import re

import pytest
from click.testing import CliRunner

from quiff import Population
from quiff.cli import main


def run(out, *options):
    result = CliRunner().invoke(main, ["demo", "--users", "400", "--out", str(out), *options])
    assert result.exit_code == 0, result.output
    return result.stdout


def numbers_in(said):
    return said[said.index("The three numbers") :].splitlines()[1:4]


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    out = tmp_path_factory.mktemp("demo") / "demo"
    return out, run(out)


def test_it_ends_with_the_report_and_three_numbers(demo):
    out, said = demo
    assert said.rstrip().endswith(f"The report is {out / 'report.html'}; open it in any browser.")
    numbers = numbers_in(said)
    assert re.match(r"  \d+(\.\d+)? times as often as a guess", numbers[0])
    assert "%" in numbers[1]
    assert "%" in numbers[2]
    page = (out / "report.html").read_text()
    for number in numbers:
        assert number.split()[0] in page
    assert "Their browsing histories" in page
    assert f"quiff demo --out {out} --users 400 --seed 0" in page


def test_it_runs_again_in_the_same_folder_and_gives_the_same_people_and_numbers(demo):
    out, said = demo
    people = Population.read(out / "profiles.parquet")
    refused = CliRunner().invoke(main, ["demo", "--out", str(out), "--users", "200"])
    assert refused.exit_code == 1
    assert "already; use force=True (--force) to replace it" in refused.stderr
    assert numbers_in(run(out, "--force")) == numbers_in(said)
    assert Population.read(out / "profiles.parquet") == people


def test_a_folder_that_cannot_be_is_told_in_one_line(tmp_path):
    (tmp_path / "file").write_text("")
    result = CliRunner().invoke(main, ["demo", "--out", str(tmp_path / "file" / "demo")])
    assert result.exit_code == 1
    assert result.stderr.count("\n") == 1
