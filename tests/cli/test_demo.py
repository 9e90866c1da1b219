"""The demo goes from a made-up log to a report, and gives the same numbers again."""

import re

import pytest
from click.testing import CliRunner

from quiff import Population
from quiff.cli import main


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    def run(name):
        out = tmp_path_factory.mktemp("demo") / name
        result = CliRunner().invoke(main, ["demo", "--users", "800", "--out", str(out)])
        assert result.exit_code == 0, result.output
        return out, result.stdout

    return run


def test_it_ends_with_the_report_and_three_numbers_and_repeats_them(demo):
    out, said = demo("first")
    assert said.rstrip().endswith(f"The report is {out / 'report.html'}; open it in any browser.")
    numbers = said[said.index("The three numbers") :].splitlines()[1:4]
    assert re.match(r"  \d+(\.\d+)? times is how much more often", numbers[0])
    assert "%" in numbers[1]
    assert "%" in numbers[2]
    page = (out / "report.html").read_text()
    for number in numbers:
        assert number.split()[0] in page
    other, again = demo("second")
    assert again[again.index("The three numbers") :].splitlines()[1:4] == numbers
    assert Population.read(out / "profiles.parquet") == Population.read(other / "profiles.parquet")


def test_it_runs_again_in_the_same_folder(demo, tmp_path):
    for _ in range(2):
        result = CliRunner().invoke(main, ["demo", "--users", "200", "--out", str(tmp_path / "demo")])
        assert result.exit_code == 0, result.output


def test_a_folder_that_cannot_be_is_told_in_one_line(tmp_path):
    (tmp_path / "file").write_text("")
    result = CliRunner().invoke(main, ["demo", "--out", str(tmp_path / "file" / "demo")])
    assert result.exit_code == 1
    assert result.stderr.count("\n") == 1
