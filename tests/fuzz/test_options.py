"""Wild values of options end in an answer, an error of one line or wrong usage, never in a traceback."""

import random
from pathlib import Path

import pytest
from click.testing import CliRunner

from fuzzing import cases
from quiff.cli import main

WILD = [
    "",
    " ",
    "nope",
    "-1",
    "0",
    "1e400",
    "nan",
    "inf",
    "-inf",
    "1/0",
    "0.5",
    "\0",
    "x" * 300,
    "a/" * 2100,
    "=1+1",
    "'",
    '"',
    "/dev/zero",
    "/dev/null",
    ".",
    "..",
    "٣",
    "\ud800",
    "1_0",
    "0x10",
    "--",
    "v9",
    "t1",
]
COMMANDS = {
    "measure p.csv": [
        "--weights",
        "--attribute",
        "--histories",
        "--epoch",
        "--missing",
        "--known",
        "--memory-limit",
        "--digits",
        "--api",
        "--figure",
        "--csv",
        "--format",
    ],
    "audit pairs.csv": [
        "--secret",
        "--observation",
        "--person",
        "--weights",
        "--counts",
        "--api",
        "--epsilon",
        "--people",
        "--rules",
        "--gain",
        "--other",
        "--time",
        "--cut",
        "--periods",
        "--width",
        "--level",
    ],
    "stats log.csv": [
        "--user",
        "--time",
        "--url",
        "--columns",
        "--delimiter",
        "--time-format",
        "--memory-limit",
    ],
    "domain a.com": ["--suffixes", "--rules", "--memory-limit"],
    "attribution run": ["events.json"],
}


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("p.csv").write_text("user,t1,t2\nu,1,2\nv,2,3\nw,1,3\n")
    Path("pairs.csv").write_text("secret,observation,n\n" + "a,x,1\nb,y,2\n" * 10)
    Path("log.csv").write_text("AnonID,QueryTime,ClickURL\n1,2006-03-01 00:00:00,http://a.com\n")


@pytest.mark.usefixtures("here")
def test_wild_options():
    for seed in cases(40):
        rng = random.Random(seed)
        command = rng.choice(list(COMMANDS))
        words = [*command.split()]
        for _ in range(rng.choice([1, 1, 2])):
            option = rng.choice(COMMANDS[command])
            words += [option, rng.choice(WILD)] if option.startswith("--") else [rng.choice(WILD)]
        done = CliRunner().invoke(main, words)
        told = f"seed {seed}: {words}: {done.exception!r}"
        assert done.exception is None or isinstance(done.exception, SystemExit), told
        assert done.exit_code in (0, 1, 2), told
        assert "Traceback" not in done.stderr, told
