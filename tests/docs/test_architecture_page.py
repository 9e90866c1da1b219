"""The page of the architecture is true: its picture is that of the code, the files it names are there."""

import ast
import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tools"))
from rooms import ROOMS, SRC, imported_rooms  # noqa: E402
from rooms_picture import PICTURE, drawn, nearest  # noqa: E402

TEXTS = [ROOT / "docs" / "architecture.md", *sorted((ROOT / "docs" / "decisions").glob("*.md"))]
FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
NAMED = re.compile(r"`([\w/]+/[\w.]*)(?::\s+(\w+))?`")  # a file, or a file and what it defines
FILES = sorted(
    {(page.name, *found) for page in TEXTS for found in NAMED.findall(FENCE.sub("", page.read_text()))}
)


def test_the_picture_is_that_of_the_code():
    assert PICTURE.read_text() == drawn(imported_rooms()), "run: make pictures"


def test_contributors_are_told_of_all_rooms_in_their_order():
    text = (ROOT / "CONTRIBUTING.md").read_text()
    assert re.findall(r"^\| `(\w+)(?:/|\.py)` \| .+ \|$", text, re.MULTILINE) == ROOMS


def test_the_arrows_that_are_left_out_follow_from_the_others():
    graph = imported_rooms()
    arrows = nearest(graph)
    reached = {}
    for room in ROOMS:
        reached[room] = arrows[room].union(*(reached[other] for other in arrows[room]))
        assert graph[room] <= reached[room]


def is_there(file, name):
    """Whether there is such a file and, where a name is given, it defines that name."""
    path = next((folder / file for folder in (SRC, ROOT) if (folder / file).exists()), None)
    if path is None or not name:
        return path is not None
    return name in {node.name for node in ast.parse(path.read_text()).body if hasattr(node, "name")}


def test_what_the_pages_name_is_there():
    assert len(FILES) > 50
    assert [named for named in FILES if not is_there(*named[1:])] == []
