"""One person alone is known before anything is observed, and that is said first."""

import pytest
from click.testing import CliRunner

import quiff
from quiff.cli import main

ALONE = "There is only one person, who is known before anything is observed"


def run(*words):
    found = CliRunner().invoke(main, [str(word) for word in words])
    assert found.exit_code == 0, found.stderr
    return " ".join(found.stdout.split())


@pytest.mark.parametrize("merged", [False, True])
def test_results_warn(merged, tmp_path):
    (tmp_path / "p.csv").write_text("user,t1,t2\nu,1,2\n")
    people = quiff.Population.read(tmp_path / "p.csv", merged=merged)
    assert people.warnings[0].startswith(ALONE)
    assert quiff.measure(people, quiff.TopicsAPI(349, 2)).warnings == people.warnings
    assert not quiff.Population.from_sets({"u": {1}, "v": {1}}).warnings


def test_every_study_and_the_report_warn(tmp_path):
    people = tmp_path / "p.csv"
    people.write_text("user,t1,t2\nu,1,2\n")
    assert ALONE in run("measure", people)
    assert ALONE in run("epochs", people, "--observations", 2)
    assert ALONE in run("compare", people)
    run("report", people, "--out", tmp_path / "r.html")
    assert ALONE in " ".join((tmp_path / "r.html").read_text().split())
