"""Texts for people keep to the words of the field: pages, docstrings, messages, figures and the page."""

import ast
import json
import re
from pathlib import Path

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


def test_texts_keep_to_the_voice():
    against = [
        f"{path}: {text[max(0, match.start() - 40) : match.end() + 20]} (write: {instead})"
        for phrase, instead in BANNED.items()
        for path, text in TEXTS
        for match in re.finditer(rf"\b(?:{phrase})\b", text, re.IGNORECASE)
    ]
    assert against == []
