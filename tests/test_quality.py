"""Lint, format and types of the whole tree."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TOOLS = {
    "lint": ["ruff", "check", "."],
    "format": ["ruff", "format", "--check", "."],
    "types": ["mypy"],
}


@pytest.mark.parametrize("name", TOOLS)
def test_a_tool_finds_nothing(name):
    pytest.importorskip(TOOLS[name][0])
    done = subprocess.run(
        [sys.executable, "-m", *TOOLS[name]], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
