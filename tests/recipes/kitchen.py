"""A copy of the code, and a recipe of CONTRIBUTING.md put in place there, block by block."""

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from blocks import PROJECT, blocks

PAGE = PROJECT / "CONTRIBUTING.md"


@dataclass(frozen=True)
class Kitchen:
    """Where a recipe was followed: the copy of the project, and the files that are new there."""

    folder: Path
    written: tuple[Path, ...]

    def python(self, *arguments, check=True, **more):
        """Run Python on the copy, which hides the code that is installed."""
        env = os.environ | {"PYTHONPATH": str(self.folder / "src")} | more
        done = subprocess.run(
            [sys.executable, *arguments],
            cwd=self.folder,
            env=env,
            capture_output=True,
            text=True,
            check=False,
        )
        assert not check or done.returncode == 0, done.stdout + done.stderr
        return done

    def pytest(self, *arguments, **more):
        return self.python("-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments, **more)

    def passes_the_gates(self):
        """The new files are in the house's style, their examples and tests run, names are in order."""
        files = [str(path) for path in self.written]
        self.python("-m", "ruff", "check", "--no-cache", *files)
        self.python("-m", "ruff", "format", "--check", "--no-cache", *files)
        self.pytest("--doctest-modules", *files, "tests/test_architecture.py")


def follow(title, folder):
    """Copy the code to a folder, and do there what the recipe under a heading says."""
    for name in ("src", "tests", "tools"):
        shutil.copytree(PROJECT / name, folder / name)
    shutil.copy(PROJECT / "pyproject.toml", folder)
    section, found = recipe(title)
    written = []
    for block in found:
        if block.language == "python":
            place = folder / place_of(block.title, section)
            place.parent.mkdir(parents=True, exist_ok=True)
            assert not place.exists(), f"the recipe would overwrite {place}"
            place.write_text(block.text, encoding="utf-8")
            written.append(place)
        elif block.language == "diff":
            apply(block.text, folder)
        elif block.title:
            (folder / block.title).write_text(block.text, encoding="utf-8")
    return Kitchen(folder, tuple(written))


def recipe(title):
    """Return the text under a heading, and its blocks."""
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    start = lines.index(f"### {title}") + 1
    stop = next(i for i in range(start, len(lines)) if re.match(r"##+ ", lines[i]))
    return "\n".join(lines[start:stop]), [block for block in blocks(PAGE) if start < block.line <= stop]


def place_of(name, section):
    """Return where a file goes: the one path in the recipe's words that ends in its name."""
    (path,) = set(re.findall(rf"`([\w/]+/{re.escape(name)})`", section))
    return path


def apply(diff, folder):
    """Change files as a diff says; its lines are found by what they are, not by their numbers."""
    for part in re.split(r"^--- a/.*\n", diff, flags=re.MULTILINE)[1:]:
        head, *hunks = re.split(r"^@@.*\n", part, flags=re.MULTILINE)
        path = folder / head.strip().removeprefix("+++ b/")
        text = path.read_text(encoding="utf-8")
        for hunk in hunks:
            lines = hunk.splitlines(keepends=True)
            old, new = ("".join(line[1:] for line in lines if line[0] in signs) for signs in (" -", " +"))
            assert text.count(old) == 1, f"{path.name} has {text.count(old)} times, not once:\n{old}"
            text = text.replace(old, new)
        path.write_text(text, encoding="utf-8")
