"""What the pages beside the site link to is there: files, and headings in them."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LINK = re.compile(r"\]\(([^\s():#]*)(?:#([^\s()]+))?\)")


def anchor(heading):
    """The anchor of a heading, as the site and code hosts make it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-")


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"])
def test_links_lead_somewhere(page):
    for target, place in LINK.findall((ROOT / page).read_text()):
        path = ROOT / (target or page)
        assert path.exists(), f"{page} links to {target}"
        headings = re.findall(r"^#+ (.+)$", path.read_text(), re.MULTILINE) if place else []
        assert not place or place in map(anchor, headings), f"{page} links to {target}#{place}"
