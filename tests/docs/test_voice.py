"""Texts for people keep to the words of the field: pages, docstrings, messages, figures and the page."""

import ast
import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# What is not written, and what is written in its place.
BANNED = {
    r"nam(e|es|ed|ing) the user": "re-identify the user",
    r"chances? (to|of|that)|(the|a|by|small|good) chance": "probability; random",
    r"made[- ]up": "synthetic; generated",
    r"sets? of (their|its) own topics|(has|have) a set of (their|its) own": "a unique topic set",
    r"times as often as a (blind )?guess": "multiplies the probability of re-identification by",
    r"what is told|is told to a site": "what is observed",
    r"one report (leaks|reveals|gives)|reports of an API": "observation",
    r"step of (an|the) API|(generalization|bounded noise|noise) step": "stage",
    r"of several any": "ties are broken at random",
    r"drawn by chance": "random seed",
    r"borne with": "maximum tolerated",
    r"system foresees": "platform cache directory",
    r"(measure|study) speaks of|no browser is known that": "does not support; use",
    r"the way that scales": "vectorised; for large inputs",
    r"every printed figure": "what the paper prints",
}


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
