"""quiff starts as in a bare container: no cache, no home or package that can be written, no network."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import quiff

# Whoever asks for a name or an address on the network is refused.
CODE = """
import json, socket, sys

def refused(*_):
    raise AssertionError("the network is asked for")

socket.getaddrinfo = socket.socket.connect = refused
import quiff
assert quiff.__file__.startswith(sys.argv[1]), quiff.__file__
from quiff.cli import main
for words in json.loads(sys.argv[2]):
    main(words, standalone_mode=False)
"""
CACHES = ("XDG_", "QUIFF_", "PYTHON", "SPARK_", "MPL")


@pytest.fixture
def package(tmp_path):
    """A copy of the package in which no folder can be made, whoever runs the tests."""
    copy = tmp_path / "site" / "quiff"
    shutil.copytree(Path(quiff.__file__).parent, copy, ignore=shutil.ignore_patterns("__pycache__"))
    for folder in [copy, *filter(Path.is_dir, copy.rglob("*"))]:
        (folder / "__pycache__").write_text("")
    return copy.parent


def test_a_log_is_treated_and_people_are_measured(package, tmp_path):
    people = tmp_path / "people.csv"
    people.write_text("user,t1,t2\nAlice,Music,News\nBob,Sports,Travel\nCarol,News,Music\n")
    commands = [
        ["synth", "--users", "30", "--seed", "1", "--out", "log"],
        ["treat", "log/log-01.txt.gz", "--out", "treated", "--seed", "1", "--json"],
        ["measure", str(people), "--api", "topics:n_topics=5,noise=1/20", "--figure", "stages.svg", "--json"],
    ]
    (tmp_path / "tmp").mkdir()
    kept = {name: value for name, value in os.environ.items() if not name.startswith(CACHES)}
    env = kept | {"HOME": "/dev/null/home", "TMPDIR": str(tmp_path / "tmp"), "PYTHONPATH": str(package)}
    words = [sys.executable, "-W", "error", "-c", CODE, str(package), json.dumps(commands)]
    done = subprocess.run(words, capture_output=True, text=True, env=env, cwd=tmp_path, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout[done.stdout.index('{\n  "population"') :])
    (leakage,) = (
        row["value"] for row in found["rows"]
        if (row["stage"], row["quantity"], row["scope"]) == ("topics", "leakage", "people")
    )  # fmt: skip
    assert leakage == 1.95  # the worked example of the paper
    assert "</svg>" in (tmp_path / "stages.svg").read_text()
    assert list((tmp_path / "treated").glob("*.parquet"))
