"""What a run shows of itself while it works: on a terminal a bar, elsewhere nothing."""

import os
import pty
import re
import subprocess
import sys

import pytest
from click.testing import CliRunner

from quiff.cli import main, progress
from quiff.logs.tables import Steps
from quiff.logs.treat import treat

COMMAND = [sys.executable, "-c", "from quiff.cli import main, progress; progress._DELAY = 0; main()"]
SHOWN = """
import time
from quiff.cli import progress
progress._DELAY = 0
with progress.shown_progress() as shown:
    with shown.steps.step("known", lambda: 0.42) as step:
        while not shown._bars.live.is_started:
            time.sleep(0.01)
        shown._bars.refresh()
        step.rows = 17
    with shown.steps.step("unknown", lambda: None):
        shown._bars.refresh()
"""


def on_a_terminal(command):
    """Run a command with stderr on a terminal of its own; return what is on stdout and what was on it."""
    ours, theirs = pty.openpty()
    environment = os.environ | {"TERM": "xterm", "COLUMNS": "100", "NO_COLOR": "1"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=theirs, env=environment) as process:
        os.close(theirs)
        shown = b""
        while True:
            try:
                part = os.read(ours, 4096)
            except OSError:  # Linux tells the end like this
                break
            if not part:
                break
            shown += part
        told = process.stdout.read()
    os.close(ours)
    assert process.returncode == 0, shown.decode()
    return told.decode(), re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown.decode())


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    path = tmp_path_factory.mktemp("log") / "log.txt"
    lines = [f"{k % 99}\tq\t2006-03-01 07:17:12\t1\thttp://s{k % 999}.com" for k in range(2_000)]
    path.write_text("\n".join(["AnonID\tQuery\tQueryTime\tItemRank\tClickURL", *lines, ""]))
    return path


def test_a_bar_shows_how_far_a_step_is_where_that_is_known():
    told, shown = on_a_terminal([sys.executable, "-c", SHOWN])
    known, _, unknown = shown.partition("unknown")
    assert "42%" in known
    assert "known: 17 rows" in unknown
    assert not re.search(r"unknown[^\n]*42%", shown)
    assert re.search(r"0:00:0\d", known)
    assert told == ""


def test_a_run_on_a_terminal_shows_its_steps_and_clears_them_away(log, tmp_path):
    told, shown = on_a_terminal([*COMMAND, "treat", log, "--out", tmp_path, "--json"])
    assert "read the log" in shown
    assert told.startswith("{")
    assert "find the" not in told.partition('"steps"')[0]


def test_elsewhere_nothing_is_shown(log, tmp_path, monkeypatch):
    monkeypatch.setattr(progress, "_DELAY", 0)
    done = CliRunner().invoke(main, ["treat", str(log), "--out", str(tmp_path), "--json"])
    assert (done.exit_code, done.stderr) == (0, "")
    assert done.stdout.startswith("{")


def test_an_engine_tells_its_share_only_to_who_watches(log, tmp_path):
    from quiff.logs.engine import connect

    steps, seen = Steps(), []
    treat(connect(), [log], tmp_path / "one", steps=steps)
    treat(connect(), [log], tmp_path / "two", steps=Steps(lambda step, done: seen.append((step.share, done))))
    assert all(step.share is None for step in steps.done)
    assert all(share is not None for share, _ in seen)
    assert all(share() is None or 0 < share() <= 1 for share, _ in seen)


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(["treat", "LOG", "--out", "treated"], marks=pytest.mark.full),
        pytest.param(["synth", "--users", "9", "--out", "log"], marks=pytest.mark.full),
        ["epochs", "profiles.csv", "--observations", "2"],
    ],
    ids=lambda words: words[0],
)
def test_there_need_be_no_stderr(log, tmp_path, words):
    (tmp_path / "profiles.csv").write_text('user,topics\na,"[1, 2]"\nb,"[1, 3]"\n')
    words = [str(log) if word == "LOG" else word for word in words]
    command = ["sh", "-c", 'exec "$0" "$@" 2>&-', *COMMAND, *words]
    done = subprocess.run(command, cwd=tmp_path, stdout=subprocess.PIPE, check=False, text=True)
    assert (done.returncode, bool(done.stdout)) == (0, True)
