"""``quiff synth``: what it prints, wrong usage, and the bar on a terminal."""

import gzip
import json
import os
import pty
import subprocess
import sys

import pytest
from click.testing import CliRunner

from quiff.cli import main
from words import worded


@pytest.fixture
def run():
    return lambda *arguments: CliRunner().invoke(main, ["synth", *map(str, arguments)])


def test_json(run, tmp_path):
    out = tmp_path / "log"
    result = run("--users", 50, "--out", out, "--seed", 3, "--json")
    assert result.exit_code == 0
    assert result.stderr == ""
    found = json.loads(result.stdout)
    lines = gzip.decompress((out / "log-01.txt.gz").read_bytes()).split(b"\n")[1:-1]
    assert found == {
        "users": 50,
        "rows": len(lines),
        "rows_without_url": sum(line.endswith(b"\t\t") for line in lines),
        "domains": found["domains"],
        "files": [str(out / "log-01.txt.gz")],
        "classification": str(out / "classification.csv"),
        "conversions": str(out / "conversions.parquet"),
    }
    assert 0 < found["domains"] <= found["rows"] - found["rows_without_url"]


def test_one_of_a_kind_is_told_in_the_singular(run, tmp_path):
    assert run("--rows", 1, "--out", tmp_path / "log").stdout.startswith("1 user, 1 row (")


def test_text(run, tmp_path):
    result = run("--rows", 1000, "--out", tmp_path / "log")
    assert result.exit_code == 0
    assert "1,000 rows" in result.stdout
    worded(result.stdout)
    assert f"{tmp_path / 'log'}" in result.stdout


@pytest.mark.parametrize(
    "arguments", [[], ["--users", "5", "--rows", "5"], ["--users", "many"], ["--users", "5", "--seed", "x"]]
)
def test_wrong_usage(run, tmp_path, arguments):
    assert run("--out", tmp_path / "log", *arguments).exit_code == 2
    assert list(tmp_path.iterdir()) == []


def test_a_folder_is_needed(run):
    assert run("--users", 5).exit_code == 2


@pytest.mark.parametrize("arguments", [["--users", 0], ["--rows", 0], ["--users", 1, "--seed", -1]])
def test_a_number_out_of_range_is_told_at_its_option(run, tmp_path, arguments):
    result = run("--out", tmp_path / "log", *arguments)
    assert result.exit_code == 2
    worded(result.stderr)
    assert f"{arguments[-2]}" in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_what_is_there_stays_without_force(run, tmp_path):
    out = tmp_path / "log"
    assert run("--users", 5, "--out", out).exit_code == 0
    before = (out / "log-01.txt.gz").read_bytes()
    result = run("--users", 6, "--out", out)
    assert result.exit_code == 1
    assert "--force" in result.stderr
    assert (out / "log-01.txt.gz").read_bytes() == before
    assert run("--users", 6, "--out", out, "--force").exit_code == 0
    assert (out / "log-01.txt.gz").read_bytes() != before


def on_a_terminal(out, delay):
    """Run the command with a terminal as stderr; return what it shows there, and stdout."""
    code = f"""
from quiff.cli import main, progress
progress._DELAY = {delay}
main(["synth", "--users", "900", "--out", {str(out)!r}])
"""
    ours, theirs = pty.openpty()
    with os.fdopen(ours, "rb") as terminal:
        child = subprocess.Popen(
            [sys.executable, "-c", code],
            stdout=subprocess.PIPE,
            stderr=theirs,
            env={**os.environ, "TERM": "xterm"},
        )
        os.close(theirs)
        shown = b""
        try:
            while piece := terminal.read1():
                shown += piece
        except OSError:  # the way in which Linux tells that the other side has gone
            pass
        stdout, _ = child.communicate()
    assert child.returncode == 0
    return shown.decode(), stdout.decode()


def test_progress_on_a_terminal(tmp_path):
    shown, stdout = on_a_terminal(tmp_path / "log", 0)
    assert "rows" in shown
    assert stdout.startswith("900 users, ")


def test_a_run_that_ends_before_the_delay_shows_no_bar(tmp_path):
    shown, stdout = on_a_terminal(tmp_path / "log", 600)
    assert shown == ""
    assert stdout.startswith("900 users, ")
