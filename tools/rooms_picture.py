"""The picture of the rooms: `python tools/rooms_picture.py` draws docs/images/rooms.svg anew.

Every arrow is an import in the code; tests/docs/test_architecture_page.py holds the picture to it.
"""

import textwrap
from html import escape
from itertools import pairwise

from rooms import ROOMS, ROOT, imported_rooms, purpose

__all__ = ["PICTURE", "drawn"]

PICTURE = ROOT / "docs" / "images" / "rooms.svg"
_BOX, _GAP, _STEP, _NARROW, _EDGE = (184, 50), 20, 84, 36, 14  # pixels


def nearest(graph: dict[str, set[str]]) -> dict[str, set[str]]:
    """Return the imports that do not follow from others (the transitive reduction)."""
    reached: dict[str, set[str]] = {}
    for room in ROOMS:
        reached[room] = graph[room].union(*(reached[other] for other in graph[room]))
    return {room: graph[room].difference(*(reached[other] for other in graph[room])) for room in ROOMS}


class _Layout:
    """Rooms in layers, each below all that it imports; a long arrow has waypoints in those it crosses."""

    def __init__(self, graph: dict[str, set[str]]) -> None:
        depth: dict[str, int] = {}
        for room in ROOMS:
            depth[room] = 1 + max((depth[other] for other in graph[room]), default=-1)
        self.layers: list[list[str]] = [[] for _ in range(max(depth.values()) + 1)]
        for room in ROOMS:
            self.layers[depth[room]].append(room)
        self.paths = []
        for room in ROOMS:
            for other in sorted(nearest(graph)[room], key=ROOMS.index):
                between = [f"{other}>{room}@{k}" for k in range(depth[other] + 1, depth[room])]
                for k, waypoint in enumerate(between, depth[other] + 1):
                    self.layers[k].append(waypoint)
                self.paths.append([other, *between, room])
        self._place()

    def _place(self) -> None:
        """Order each layer by where its neighbours are, back and forth until arrows cross little."""
        self.x: dict[str, float] = {}
        self._spread()
        for _ in range(8):
            for layer in (*self.layers, *reversed(self.layers)):
                layer.sort(key=self._pull)
                self._spread()

    def _pull(self, node: str) -> float:
        near = [
            self.x[b if a == node else a] for path in self.paths for a, b in pairwise(path) if node in (a, b)
        ]
        return sum(near) / len(near)

    def _spread(self) -> None:
        for layer in self.layers:
            widths = [_NARROW if "@" in node else _BOX[0] for node in layer]
            left = -(sum(widths) + _GAP * (len(layer) - 1)) / 2
            for node, width in zip(layer, widths, strict=True):
                self.x[node] = left + width / 2
                left += width + _GAP

    @property
    def width(self) -> float:
        """How wide the widest layer is."""
        return max(
            sum(_NARROW if "@" in n else _BOX[0] for n in row) + _GAP * (len(row) - 1) for row in self.layers
        )


def drawn(graph: dict[str, set[str]]) -> str:
    """Return the picture of the rooms, as SVG."""
    layout = _Layout(graph)
    width, height = layout.width + 2 * _EDGE, len(layout.layers) * _STEP - (_STEP - _BOX[1]) + 2 * _EDGE
    row = {node: k for k, layer in enumerate(layout.layers) for node in layer}
    at = {node: (layout.x[node] + width / 2, _EDGE + row[node] * _STEP) for node in row}
    arrows = "\n".join(_arrow([at[node] for node in path]) for path in layout.paths)
    boxes = "\n".join(_box(room, *at[room]) for room in ROOMS)
    return f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" \
height="{height:g}" role="img" font-family="sans-serif" text-anchor="middle">
<title>The rooms of quiff: an arrow leads from a room to one that imports it</title>
<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">\
<path d="M0 0 8 4 0 8z" fill="#5c6bc0"/></marker></defs>
<rect width="{width:g}" height="{height:g}" rx="8" fill="#fff"/>
<g fill="none" stroke="#5c6bc0" stroke-width="1.5">
{arrows}
</g>
{boxes}
</svg>
"""


def _arrow(points: list[tuple[float, float]]) -> str:
    """Draw an arrow from the foot of one box, past the waypoints, to the head of another."""
    (x, y), *rest = points
    y += _BOX[1]
    d = f"M{x:g} {y:g}"
    for k, (to_x, to_y) in enumerate(rest):
        middle = (y + to_y) / 2
        d += f"C{x:g} {middle:g} {to_x:g} {middle:g} {to_x:g} {to_y:g}"
        x, y = to_x, to_y
        if k < len(rest) - 1:
            y += _BOX[1]
            d += f"V{y:g}"
    return f'<path d="{d}" marker-end="url(#tip)"/>'


def _box(room: str, x: float, y: float) -> str:
    lines = textwrap.wrap(purpose(room), 34)
    told = "".join(
        f'<tspan x="{x:g}" y="{y + 31 + 11.5 * k - 3 * (len(lines) > 1):g}">{escape(line)}</tspan>'
        for k, line in enumerate(lines)
    )
    width, height = _BOX
    return f"""<g><rect x="{x - width / 2:g}" y="{y:g}" width="{width}" height="{height}" rx="6" \
fill="#e8eaf6" stroke="#5c6bc0"/>
<text x="{x:g}" y="{y + 15:g}" font-size="13" font-weight="bold" fill="#1a237e">{room}</text>
<text font-size="10" fill="#333">{told}</text></g>"""


def main() -> None:
    """Draw the picture."""
    PICTURE.parent.mkdir(parents=True, exist_ok=True)
    PICTURE.write_text(drawn(imported_rooms()), encoding="utf-8")


if __name__ == "__main__":
    main()
