"""Runs that are killed at random moments: outputs are whole or absent, and the next run removes the rest.

Each case kills one command, by SIGKILL, SIGTERM or SIGINT, at a random moment of its run, with and without
outputs of an earlier run.
"""

import os
import random
import shutil
import signal
import subprocess
import sys
from time import monotonic

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from fuzzing import cases
from quiff.cli import main
from quiff.io import MARKER, scratch

QUIFF = [sys.executable, "-c", "from quiff.cli import main; main()"]
USERS = 300
LISTED = ["--classification", "in/log/classification.csv"]
# The words of each command, and its outputs in the folder out.
COMMANDS = {
    "synth": (["synth", "--users", "1000", "--out", "out/log"], ["log"]),
    "treat": (["treat", "in/log/log-01.txt.gz", "--out", "out"], ["treated.parquet", "domains.parquet"]),
    "classify": (
        ["classify", "in/treated.parquet", "--classification", "in/log/classification.csv", "--out", "out"],
        ["reduced.parquet", "matches.parquet"],
    ),
    "experiment": (["experiment", "in/reduced.parquet", "--out", "out"], ["experimental.parquet"]),
    "profile": (["profile", "in/experimental.parquet", "--out", "out/p.parquet"], ["p.parquet"]),
    "people": (["people", "in/log/log-01.txt.gz", *LISTED, "--out", "out/p.parquet"], ["p.parquet"]),
    "report": (["report", "in/profiles.parquet", "--observations", "1", "--out", "out/r.html"], ["r.html"]),
}


def environment(folder):
    """Return where commands run, with a folder of their own for temporary files."""
    (folder / "temporary").mkdir(exist_ok=True)
    return {"cwd": folder, "env": {**os.environ, "TMPDIR": str(folder / "temporary")}}


def run(folder, *words):
    done = subprocess.run(
        [*QUIFF, *words], capture_output=True, text=True, check=False, **environment(folder)
    )
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Inputs for every command, and how long each takes."""
    folder = tmp_path_factory.mktemp("made")
    given = folder / "in"
    for words in (
        ["synth", "--users", USERS, "--out", given / "log", "--seed", 1],
        ["treat", given / "log/log-01.txt.gz", "--out", given],
        [
            "classify",
            given / "treated.parquet",
            "--classification",
            given / "log/classification.csv",
            "--out",
            given,
        ],
        ["experiment", given / "reduced.parquet", "--out", given],
        ["profile", given / "experimental.parquet", "--out", given / "profiles.parquet"],
    ):
        done = CliRunner().invoke(main, list(map(str, words)))
        assert done.exit_code == 0, done.output
    seconds = {}
    for name, (words, _) in COMMANDS.items():
        (folder / "out").mkdir()
        start = monotonic()
        run(folder, *words)
        seconds[name] = monotonic() - start
        (folder / "out").rename(folder / name)
    (folder / "out").mkdir()
    for name in COMMANDS:
        (folder / name).rename(folder / "out" / name)
    return folder, seconds


def digests(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def check_whole(path):
    """Read all of an output."""
    if path.suffix == ".parquet":
        pq.read_table(path)
    elif path.suffix == ".html":
        assert path.read_text().rstrip().endswith("</html>")
    else:
        named = {MARKER, "log-01.txt.gz", "classification.csv", "conversions.parquet"}
        assert {file.name for file in path.iterdir()} == named
        pq.read_table(path / "conversions.parquet")
        subprocess.run(["gzip", "--test", path / "log-01.txt.gz"], check=True)


def killed(folder, words, number, moment):
    """Run a command that gets a signal after some seconds; return its status and what it said."""
    process = subprocess.Popen(
        [*QUIFF, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        **environment(folder),
    )
    try:
        _, told = process.communicate(timeout=moment)
    except subprocess.TimeoutExpired:
        process.send_signal(number)
        _, told = process.communicate(timeout=300)
    return process.returncode, told


@pytest.mark.full
def test_what_is_killed_is_whole_or_absent(made, tmp_path):
    source, seconds = made
    inputs, hits = digests(source / "in"), 0
    for seed in cases(20):
        draw = random.Random(seed)
        name = draw.choice(sorted(COMMANDS))
        number = draw.choice([signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
        again = draw.random() < 0.5
        moment = draw.uniform(0.02, 1.1 * seconds[name])
        words, outputs = COMMANDS[name]
        folder = tmp_path / str(seed)
        folder.mkdir()
        (folder / "in").symlink_to(source / "in")
        if again:  # outputs of an earlier run are there, and to be replaced
            shutil.copytree(source / "out" / name, folder / "out")
        else:
            (folder / "out").mkdir()
        before = set(digests(folder / "out"))
        status, told = killed(folder, [*words, "--force"], number, moment)
        case = f"seed {seed}: {name}, {number.name} after {moment:.3f} s, {again=}, status {status}: {told}"
        hits += status != 0
        check_end(folder, number, status, told, outputs, case)
        next_run(folder, words)
        left = {path.name for path in (folder / "out").iterdir()}
        assert left <= set(outputs), case
        assert before <= set(digests(folder / "out")), case
        for output in left:
            check_whole(folder / "out" / output)
        assert list((folder / "temporary").iterdir()) == [], case
        assert digests(source / "in") == inputs, case
        shutil.rmtree(folder)
    assert hits, "no run was ended by its signal"


def next_run(folder, words):
    """Run the command once more when time does not matter; else only what it begins with."""
    if os.environ.get("QUIFF_FUZZ"):
        run(folder, *words, "--force")
    scratch.sweep(folder / "out")
    scratch.sweep(folder / "temporary")


def check_end(folder, number, status, told, outputs, case):
    """See that a run has ended as its signal says, and that its outputs are whole or absent."""
    shown = {path.name for path in (folder / "out").iterdir()}
    for output in shown & set(outputs):
        check_whole(folder / "out" / output)
    rest = shown - set(outputs)
    if status == 0:
        assert shown == set(outputs), case
    elif told.startswith("Fatal Python error: init"):  # Python itself had not begun
        assert not rest, case
    elif status == -number:  # at once, or before the command had begun
        assert number == signal.SIGKILL or not rest, case
        assert all(name.startswith(".quiff-") and name.endswith(".tmp") for name in rest), case
    else:
        assert status == 128 + number, case
        assert told == f"Ended by {number.name}; what was not finished is removed.\n", case
        assert not rest, case
        assert list((folder / "temporary").iterdir()) == [], case
