"""The shape of the code: rooms import only rooms that stand before them; public names are in order."""

import ast
import importlib
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import quiff

sys.path.insert(0, str(Path(__file__).parents[1] / "tools"))
from rooms import ROOMS, imports, room_of, room_of_file

SRC = Path(quiff.__file__).parent
FILES = sorted(SRC.rglob("*.py"))
MODULES = sorted(m.name for m in pkgutil.walk_packages(quiff.__path__, "quiff."))


def in_order(names):
    """Sort as ruff does: constants, then classes, then functions."""
    return sorted(set(names), key=lambda name: (not name.isupper(), not name[0].isupper(), name))


def test_every_room_is_in_the_list():
    rooms = {
        path.stem if path.is_file() else path.name for path in SRC.iterdir() if path.suffix in ("", ".py")
    }
    assert rooms - {"__init__", "__pycache__"} <= set(ROOMS)


def allowed(here, there):
    """Whether a file of one room may import something of another."""
    if here == "__init__" or there == here:
        return True
    if there == "__version__":
        return here in ("cli", "report", "web", "results")
    if here == "theory":
        return there == "errors"
    return there in ROOMS and ROOMS.index(there) < ROOMS.index(here)


def test_imports_go_one_way():
    against = [
        f"{path.relative_to(SRC)} imports {name}"
        for path in FILES
        for name in imports(path)
        if name.startswith("quiff") and not allowed(room_of_file(path), room_of(name))
    ]
    assert against == [], "a room imports only rooms that stand before it"


def stub():
    return ast.parse((SRC / "__init__.pyi").read_text())


def test_public_names_are_sorted_and_complete():
    tree = stub()
    imported = sorted(
        alias.asname or alias.name
        for node in tree.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    )
    (listed,) = (
        [element.value for element in node.value.elts]
        for node in tree.body
        if isinstance(node, ast.Assign) and node.targets[0].id == "__all__"
    )
    assert listed == sorted(set(listed))
    assert listed == imported == sorted(quiff.__all__)
    for name in listed:
        assert getattr(quiff, name) is not None
    shared = set(listed) & set(ROOMS)
    assert shared <= {"apis"}, "a function has the name of a room only where the room can be called"
    assert all(callable(importlib.import_module(f"quiff.{name}")) for name in shared)


def test_only_the_fronts_of_packages_list_their_names():
    for path in FILES:
        listed = re.search(r"^__all__\b", path.read_text(encoding="utf-8"), re.MULTILINE)
        assert not listed or path.name == "__init__.py", f"{path.relative_to(SRC)} has an __all__"


def test_the_fronts_list_what_is_there_in_order():
    fronts = [module for module in map(importlib.import_module, MODULES) if hasattr(module, "__all__")]
    assert len(fronts) > 5
    for front in fronts:
        assert front.__all__ == in_order(front.__all__), f"{front.__name__}.__all__ is not sorted"
        assert all(hasattr(front, name) for name in front.__all__), front.__name__


# Rooms that are about topics, and the files of public names, of people that a command asks for, and of what
# one page view of the Topics API shows.
ABOUT_TOPICS = ("apis", "theory", "browser", "attacks", "logs", "papers", "people")
SHORT_FORMS = ("__init__.py", "cli/people.py", "weeks/calls.py")


def test_no_other_room_mentions_the_topics_api():
    mentions = {}
    for path in FILES:
        inside = path.relative_to(SRC)
        if inside.parts[0] not in ABOUT_TOPICS and str(inside) not in SHORT_FORMS:
            code = re.sub(r'""".*?"""', "", path.read_text("utf-8"), flags=re.DOTALL)  # examples may
            mentions[str(inside)] = re.findall(r"\b(?:TopicsAPI|top_s|n_topics)\b", code)
    assert {file: words for file, words in mentions.items() if words} == {}


def test_the_command_starts_without_loading_numpy():
    code = """
import sys
from quiff.cli import main
for name in main.list_commands(None):
    main.get_command(None, name)
print("numpy" in sys.modules)
"""
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "False"


def test_the_versions_agree():
    pyproject = (SRC.parents[1] / "pyproject.toml").read_text()
    assert re.search(r'^version = "(.*)"$', pyproject, re.MULTILINE)[1] == quiff.__version__
