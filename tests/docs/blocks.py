"""Runs the code blocks of a page of the documentation, in their order, in one folder.

- ``pycon``: a session of Python with its output, as in a doctest; one namespace per page.
- ``console``: lines that begin with ``$`` are commands of a shell; they must succeed. The lines below one are
  what it prints, with ``...`` for anything; where there are none, nothing is compared.
- any language with ``title="name"``: a file of that name, for the commands that follow.
- ``text`` and ``bibtex``: not code.
"""

import doctest
import os
import re
import shlex
import subprocess
import sys
import sysconfig
from contextlib import chdir
from dataclasses import dataclass
from pathlib import Path

import httpx
from click.testing import CliRunner

from quiff.cli import main

PROJECT = Path(__file__).parents[2]
NO_CODE = {"text", "bibtex"}
FENCE = re.compile(
    r"^(?P<indent>\ *)(?P<fence>`{3,})(?P<language>\w*)(?P<rest>[^\n]*)\n"
    r"(?P<text>.*?)"
    r"^(?P=indent)(?P=fence)\s*$",
    re.MULTILINE | re.DOTALL,
)
TITLE = re.compile(r'title="([^"/]+)"')
SHELL = re.compile(
    r"[|<>*;&$`]"
)  # what needs a shell; else a command starts in this process, without its imports
ADDRESS = re.compile(r"http://127\.0\.0\.1:\d+/\S*")
LENIENT = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, the file that it is (or None), its text, and the line where it begins."""

    language: str
    title: str | None
    text: str
    line: int


@dataclass(frozen=True)
class Command:
    """A command of a block, and what the page says that it prints."""

    text: str
    output: str
    line: int


def pages():
    """All pages with blocks that are run: README.md, CONTRIBUTING.md and what is in docs."""
    written = sorted((PROJECT / "docs").rglob("*.md"))
    return [PROJECT / "README.md", PROJECT / "CONTRIBUTING.md", *written]


def blocks(page):
    """Return the blocks of a page, in their order."""
    text = page.read_text(encoding="utf-8")
    found = []
    for match in FENCE.finditer(text):
        title = TITLE.search(match["rest"])
        body = re.sub(f"^{match['indent']}", "", match["text"], flags=re.MULTILINE)
        line = text.count("\n", 0, match.start("text")) + 1
        found.append(Block(match["language"], title and title[1], body, line))
    return found


def commands(block):
    """Return the commands of a block ``console``; a line that ends with a backslash goes on in the next."""
    found, lines = [], block.text.splitlines()
    number = 0
    while number < len(lines):
        first = number
        assert lines[number].startswith("$ "), f"line {block.line + number}: output without a command"
        text = lines[number][2:]
        while text.endswith("\\"):
            number += 1
            text += "\n" + lines[number]
        number += 1
        output = []
        while number < len(lines) and not lines[number].startswith("$ "):
            output.append(lines[number])
            number += 1
        found.append(Command(text, "\n".join(output), block.line + first))
    return found


def run_page(page, folder, env=None):
    """Run all blocks of a page, in a folder of their own; `env` is added to the environment of commands."""
    names = {"__name__": "__main__"}
    environment = _environment() | (env or {})
    for block in blocks(page):
        if block.title:
            (folder / block.title).write_text(block.text, encoding="utf-8")
        elif block.language == "pycon":
            _run_session(page, block, names)
        elif block.language == "console":
            for command in commands(block):
                _run_command(page, command, folder, environment)
        else:
            what = f"a block of {block.language or 'no language'}"
            assert block.language in NO_CODE, f"{page.name}, line {block.line}: nothing runs {what}"


def _environment():
    """The environment of commands: this Python and its commands come first, and nothing is a terminal."""
    scripts = sysconfig.get_path("scripts")
    left_out = {"COLUMNS", "LINES", "FORCE_COLOR"}
    kept = {name: value for name, value in os.environ.items() if name not in left_out}
    return kept | {"PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}"}


def _run_session(page, block, names):
    """Run a session of Python; what it defines stays in `names`."""
    test = doctest.DocTestParser().get_doctest(block.text, names, page.name, str(page), block.line - 1)
    told = []
    runner = doctest.DocTestRunner(verbose=False)
    runner.run(test, out=told.append, clear_globs=False)
    names.update(test.globs)
    assert not runner.failures, f"{page}:\n{''.join(told)}"


def _run_command(page, command, folder, environment):
    """Run a command, or what stands in for it, and compare what it prints."""
    where = f"{page.name}, line {command.line}: $ {command.text}"
    words = shlex.split(command.text.replace("\\\n", " "), comments=True)
    if words[0].endswith("quiff") and words[1] == "explore":
        _visit(["quiff", *words[1:]], folder, environment, where)
        return
    if words[0] == "quiff" and not SHELL.search(command.text):
        with chdir(folder):
            result = CliRunner(env=environment | {"COLUMNS": "80"}).invoke(main, words[1:])
        _compare(where, command, result.exit_code, result.output)
        return
    if words[0] == "make":  # its targets set up a whole environment; here, only that they exist
        argv, folder = ["make", "--dry-run", *words[1:]], PROJECT
    else:
        argv = ["bash", "-euo", "pipefail", "-c", command.text]
    done = subprocess.run(
        argv,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    _compare(where, command, done.returncode, done.stdout)


def _compare(where, command, status, printed):
    assert status == 0, f"{where}\nends with status {status}:\n{printed}"
    if command.output.strip():
        same = doctest.OutputChecker().check_output(command.output, printed, LENIENT)
        assert same, f"{where}\nthe page says:\n{command.output}\nbut it prints:\n{printed}"


def _visit(words, folder, environment, where):
    """Start the explorer on a free port, see that its page answers, and stop it."""
    argv = [*words, "--port", "0", "--no-browser"]
    with subprocess.Popen(
        argv, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as server:
        try:
            address = next((ADDRESS.search(line) for line in server.stdout if ADDRESS.search(line)), None)
            assert address, f"{where}\nprints no address"
            answer = httpx.get(address[0])
            assert answer.status_code == 200, f"{where}\nanswers {answer.status_code}"
        finally:
            server.terminate()


if __name__ == "__main__":  # for who writes a page: python tests/docs/blocks.py PAGE FOLDER
    run_page(Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve())
