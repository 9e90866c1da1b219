"""What is said about versions of Python agrees, and is true of the one that runs this."""

import re
import sys
import tomllib
from pathlib import Path

PROJECT = Path(__file__).parents[2]
SETTINGS = tomllib.loads((PROJECT / "pyproject.toml").read_text())
OLDEST = (3, 11)


def named():
    """The versions that the classifiers name."""
    found = re.findall(
        r"Python :: (\d+)\.(\d+)$", "\n".join(SETTINGS["project"]["classifiers"]), re.MULTILINE
    )
    return sorted((int(major), int(minor)) for major, minor in found)


def test_the_oldest_version_is_the_same_everywhere():
    oldest = ".".join(map(str, OLDEST))
    assert SETTINGS["project"]["requires-python"] == f">={oldest}"
    assert named()[0] == OLDEST
    assert SETTINGS["tool"]["mypy"]["python_version"] == oldest
    # ruff takes its target from requires-python; one of its own could only differ
    assert "target-version" not in SETTINGS["tool"]["ruff"]
    assert f"sys.version_info < {OLDEST}" in (PROJECT / "Makefile").read_text()
    assert f"Python {oldest} or newer" in (PROJECT / "README.md").read_text()


def test_the_versions_have_no_gaps_and_this_one_is_among_them():
    versions = named()
    assert versions == [(3, minor) for minor in range(OLDEST[1], versions[-1][1] + 1)]
    assert sys.version_info[:2] in versions
