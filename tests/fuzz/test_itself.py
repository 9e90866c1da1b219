"""The random tests are the same on every run, and what was found is tried again."""

import json
import os
import subprocess
import sys
from pathlib import Path

import fuzzing

FAILING = """
import pytest
from fuzzing import cases

@pytest.mark.parametrize("seed", cases(12))
def test_of_parameters(seed):
    assert seed < 2 or seed == 77

def test_of_a_loop():
    for seed in cases(12):
        assert seed != 77
"""


def test_an_ordinary_run_takes_the_same_seeds(monkeypatch):
    monkeypatch.delenv("QUIFF_FUZZ", raising=False)
    monkeypatch.setattr(fuzzing, "FOUND", Path("there is none"))
    parts = []
    for part in ("first", "rest", "all"):
        monkeypatch.setattr(fuzzing.Cases, "part", part)
        parts.append(fuzzing.cases(6))
    assert parts == [[0, 1], [2, 3, 4, 5], [0, 1, 2, 3, 4, 5]]


def test_a_fuzzing_run_takes_others_that_its_seed_repeats(monkeypatch):
    monkeypatch.setenv("QUIFF_FUZZ", "5")
    monkeypatch.setattr(fuzzing, "_BASE", 1)
    first, again = fuzzing.cases(4), fuzzing.cases(4)
    monkeypatch.setattr(fuzzing, "_BASE", 2)
    assert first == again
    assert len(first) == 5
    assert set(first).isdisjoint(fuzzing.cases(4))


def test_what_fails_is_kept_and_tried_again(tmp_path):
    tests = Path(fuzzing.__file__).parent
    (tmp_path / "fuzz").mkdir()
    for name in ("fuzzing.py", "fuzz/conftest.py"):
        (tmp_path / name).write_text((tests / name).read_text())
    (tmp_path / "fuzz" / "test_some.py").write_text(FAILING)
    (tmp_path / "fuzz" / "found.json").write_text('{"test_some": [77]}')
    environment = {name: value for name, value in os.environ.items() if not name.startswith("QUIFF_FUZZ")}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-o", "addopts=", "fuzz"],
        cwd=tmp_path, env=environment | {"PYTHONPATH": str(tmp_path)}, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert "2 failed, 3 passed" in done.stdout, done.stdout
    assert json.loads((tmp_path / "fuzz" / "found.json").read_text()) == {"test_some": [2, 77]}


def test_the_seed_of_hypothesis_is_fixed(request):
    assert "--hypothesis-seed=0" in request.config.getini("addopts")
