"""The rooms of the code in their order, and the imports between them.

tests/test_architecture.py holds the code to this order; tools/rooms_picture.py draws it.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

__all__ = ["ROOMS", "ROOT", "SRC", "imported_rooms", "imports", "purpose", "room_of", "room_of_file"]

ROOT = Path(__file__).parents[1]
SRC = ROOT / "src" / "quiff"

# In order: a room imports only rooms that stand before it.
ROOMS = [
    "errors", "progress", "safe_text", "commands", "io", "theory", "core", "measures", "mechanisms",
    "programs",
    "people", "logs", "apis", "testing", "attribution", "weeks", "browser", "attacks", "auditing",
    "results", "studies", "papers", "report", "web", "cli",
]  # fmt: skip


def imports(path: Path) -> Iterator[str]:
    """Yield the dotted names that a file imports, anywhere in it."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            if node.level:
                raise ValueError(f"{path}: imports are absolute")
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def room_of(module: str) -> str | None:
    """Return the room of a dotted name such as quiff.core.prior, None for quiff itself."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else None


def room_of_file(path: Path) -> str:
    """Return the room that a file of the package is in."""
    return path.relative_to(SRC).parts[0].removesuffix(".py")


def imported_rooms() -> dict[str, set[str]]:
    """Return for each room the other rooms that its files import."""
    found: dict[str, set[str]] = {room: set() for room in ROOMS}
    for path in sorted(SRC.rglob("*.py")):
        here = room_of_file(path)
        if here in found:
            there = {room_of(name) for name in imports(path) if name.startswith("quiff.")}
            found[here] |= {room for room in ROOMS if room in there and room != here}
    return found


def purpose(room: str) -> str:
    """Return the first words of the room's docstring, up to a comma, colon or full stop."""
    folder = SRC / room / "__init__.py"
    path = folder if folder.exists() else SRC / f"{room}.py"
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return re.split(r"[:,.]", text.replace("`", ""))[0]
