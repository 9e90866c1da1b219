"""Nothing counts places as errors or claims to have checked every figure, wherever the paper is spoken of."""

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from quiff.cli import main

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    path
    for path in (*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("src/quiff/web/static/*"))
    if path.suffix in (".md", ".html", ".js")
)
UNFAIR = [
    r"every printed (figure|number)",
    r"every (figure|number)s? (of|in) (the|that) paper",
    r"\b\d+ (of (the )?\d+ )?(errata|errors|mistakes)\b",
    r"\berrat(a|um)\b.{0,40}\b\d+ (items|places|figures)",
    r"\b\d+ (are|do) not\b.{0,40}\bdata\b",
    r"\b(items|places|figures|cells) (are|is) wrong\b",
]


def unfair(text):
    return [
        found[0]
        for pattern in UNFAIR
        for found in re.finditer(pattern, " ".join(text.split()), re.IGNORECASE)
    ]


def test_pages():
    texts = {str(page.relative_to(ROOT)): page.read_text(encoding="utf-8") for page in PAGES}
    assert {page: words for page, text in texts.items() if (words := unfair(text))} == {}


def test_the_notebook():
    cells = json.loads((ROOT / "docs" / "notebooks" / "paper.ipynb").read_text(encoding="utf-8"))["cells"]
    said = ["".join(cell["source"]) for cell in cells]
    said += ["".join(output.get("text", [])) for cell in cells for output in cell.get("outputs", [])]
    assert [found for text in said for found in unfair(text)] == []


@pytest.mark.parametrize("options", [["--help"], [], ["--all"]])
def test_the_command(options):
    assert unfair(CliRunner().invoke(main, ["paper", *options]).output) == []
    assert unfair(CliRunner().invoke(main, ["--help"]).output) == []


def test_what_the_words_are_looked_for():
    assert unfair("Of 309 printed items 122 are as computed, 81 are not, and 106 need data.")
    assert unfair("Check every printed number of the paper.")
    assert unfair("81 of 309 errata")
    assert unfair("recomputes every figure of that paper that can be recomputed")
