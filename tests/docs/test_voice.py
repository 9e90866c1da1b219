"""Texts for people keep to the words of the field: pages, docstrings, messages, figures and the page."""

import ast
import json
import re
from pathlib import Path

import pytest

from voice import BANNED

ROOT = Path(__file__).parents[2]


def strings(path):
    """All text in a file of Python but its comments, pieces of formatted strings among it."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]


def texts():
    """All texts for people, by their file."""
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    shipped = [path for path in (ROOT / "src").rglob("*") if path.suffix in {".csv", ".toml", ".js", ".html"}]
    for path in [*pages, *shipped]:
        yield path, path.read_text(encoding="utf-8")
    for path in [*(ROOT / "src").rglob("*.py"), *(ROOT / "tools" / "docs").glob("*.py")]:
        yield path, "\n".join(strings(path))
    for path in (ROOT / "docs").rglob("*.ipynb"):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        yield path, "\n".join("".join(cell["source"]) for cell in cells)


TEXTS = [(path.relative_to(ROOT), re.sub(r"\s+", " ", text)) for path, text in texts()]


@pytest.mark.parametrize("phrase", BANNED)
def test_a_phrase_is_nowhere(phrase):
    word = re.compile(rf"\b(?:{phrase})\b", re.IGNORECASE)
    found = [
        f"{path}: {text[max(0, m.start() - 40) : m.end() + 20]}"
        for path, text in TEXTS
        for m in word.finditer(text)
    ]
    assert found == [], f"write: {BANNED[phrase]}"
