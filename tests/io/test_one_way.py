"""Nothing but quiff.io gives an output its name, removes anything, or makes temporary files."""

import ast
import re
from pathlib import Path

import pytest

import quiff

SRC = Path(quiff.__file__).parent
ONLY_THERE = {
    "rename",
    "renames",
    "rmdir",
    "rmtree",
    "unlink",
    "write_bytes",
    "write_text",
    "mkdtemp",
    "mkstemp",
    "NamedTemporaryFile",
    "TemporaryDirectory",
    "tempfile",
}
OF_OS = {"link", "open", "remove", "replace", "symlink"}
OF_SHUTIL = {"copy", "copy2", "copyfile", "copytree", "move"}
INTO_SCRATCH = {
    "logs/archives.py: open 'xb'",  # what is unpacked, into a folder of whole_folder
    "logs/download.py: open 'xb'",  # into a file of whole_file
    "logs/engine.py: write_text",  # how much Spark says, in a folder of make_temporary
    "logs/fetch.py: write_text",  # into a file of whole_file
    "logs/published.py: open 'x'",  # into a file of whole_file
    "logs/synth/log.py: open 'xb'",  # into a folder of whole_folder
    "logs/synth/names.py: open 'x'",  # into a folder of whole_folder
}
"""What writes into scratch, which quiff.io has made and names or removes."""


def ways(code):
    """Yield all ways to write that are named in code; examples in docstrings are not code."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Attribute):
            module = node.value.id if isinstance(node.value, ast.Name) else ""
            if node.attr in ONLY_THERE | {"os": OF_OS, "shutil": OF_SHUTIL}.get(module, set()):
                yield node.attr
        elif isinstance(node, ast.Import):
            yield from {alias.name for alias in node.names} & ONLY_THERE
        elif isinstance(node, ast.ImportFrom) and not (node.module or "").startswith("quiff"):
            names = {alias.name for alias in node.names}
            of_module = {"os": OF_OS, "shutil": OF_SHUTIL}.get(node.module or "", set())
            yield from sorted(names & (ONLY_THERE | of_module))
            yield from {node.module} & {"tempfile"}
        if isinstance(node, ast.Call):
            yield from calls(node)


def calls(node):
    """Yield a call that opens a file to write, or renames one by ``Path.replace``."""
    name = getattr(node.func, "attr", getattr(node.func, "id", ""))
    if name == "open":
        named = [keyword.value for keyword in node.keywords if keyword.arg == "mode"]
        for mode in [*node.args[:2], *named]:
            text = getattr(mode, "value", None)
            if isinstance(text, str) and re.fullmatch("[rwxabt+]*[wxa+][rwxabt+]*", text):
                yield f"open {text!r}"
    elif name == "replace" and len(node.args) == 1 and not node.keywords:  # that of a string has two
        yield name


def test_all_else_goes_through_it():
    found = {
        f"{path.relative_to(SRC).as_posix()}: {way}"
        for path in SRC.rglob("*.py")
        if path.parent != SRC / "io"
        for way in ways(path.read_text(encoding="utf-8"))
    }
    assert found == INTO_SCRATCH


@pytest.mark.parametrize(
    "code",
    [
        "path.write_text('x')",
        "path.write_bytes(b'x')",
        "path.unlink()",
        "path.replace(other)",
        "path.open('w')",
        "open(path, 'ab')",
        "open(path, mode='r+')",
        "gzip.open(path, 'xb')",
        "os.replace(a, b)",
        "from os import replace",
        "from shutil import move",
        "import tempfile",
        "from tempfile import mkdtemp",
    ],
)
def test_each_way_to_write_is_found(code):
    assert list(ways(code))


@pytest.mark.parametrize(
    "code",
    ["text.replace('a', 'b')", "replace(x, a=1)", "path.open('rb')", "open(path)", "open('log')"],
)
def test_what_does_not_write_is_not(code):
    assert list(ways(code)) == []
