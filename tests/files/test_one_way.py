"""Nothing but quiff.files gives an output its name, removes a folder, or makes temporary files."""

import ast
from pathlib import Path

import quiff

SRC = Path(quiff.__file__).parent
ONLY_THERE = {
    "rename",
    "rmtree",
    "mkdtemp",
    "mkstemp",
    "NamedTemporaryFile",
    "TemporaryDirectory",
    "tempfile",
}


def named(tree):
    """Yield what is imported or looked up by name, with its line; examples in docstrings are not code."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            yield node.attr, node.lineno
        elif isinstance(node, ast.Import | ast.ImportFrom):
            for alias in node.names:
                yield alias.name, node.lineno


def test_all_else_goes_through_it():
    found = [
        f"{path.relative_to(SRC)}:{line}: {name}"
        for path in SRC.rglob("*.py")
        if path.parent != SRC / "files"
        for name, line in named(ast.parse(path.read_text(encoding="utf-8")))
        if name in ONLY_THERE
    ]
    assert found == []
