"""Figures with random labels: every one of them is drawn, as text and as nothing else."""

import json
import random
import re
from xml.etree import ElementTree

from fuzzing import cases
from quiff.results.figures.charts import Axis, bars, curves, marks
from quiff.results.figures.figure import Figure

SVG = "{http://www.w3.org/2000/svg}"
PIECES = [
    "</script>", "<script>", "<!--", "-->", "]]>", "&lt;", "&#0;", "&", '"', "'", "`", "\\", "\\u0000",
    "\\x00", "datum.x", "{{7*7}}", "${7}", "javascript:", "data:text/html,", "\r\n", "\t", "[", "]", ".", "$",
    "@", "News", "Éducation", "天気", "עברית", "\U0001f469\u200d\U0001f467", "e\u0301\u0301", "\u200b",
    "\ufeff", " ", "",
]  # fmt: skip
RANGES = ([(0, 0xA0)], [(0, 0x10FFFF)], [(0x2000, 0x2070), (0xD800, 0xE000), (0xFDD0, 0x10000)])
ELEMENTS = {"svg", "g", "path", "text", "rect", "line", "tspan", "defs", "clipPath"}


def draw_label(source):
    """Return a label of signs that mean something elsewhere, or of any code points."""
    if source.random() < 0.5:
        return "".join(source.choices(PIECES, k=source.randint(0, 6)))
    ranges = source.choice(RANGES)
    return "".join(chr(source.randint(*source.choice(ranges))) for _ in range(source.randint(0, 12)))


def draw_figure(source):
    names = list(dict.fromkeys(draw_label(source) for _ in range(source.randint(1, 5))))
    numbers = [(source.random(), source.random(), source.random()) for _ in names]
    kind = source.randrange(3)
    if kind == 0:
        of = ("name", "share", "posterior", "own_risk")
        outputs = [dict(zip(of, (n, *xs), strict=True)) for n, xs in zip(names, numbers, strict=True)]
        axes = [Axis(name, draw_label(source)) for name in of[1:]]
        return Figure.of(draw_label(source), bars(outputs, axes, rule=0.1))
    if kind == 1:
        kinds = (draw_label(source) + "1", draw_label(source) + "2")
        points = [
            {"name": name, "kind": kind, "value": value}
            for name, values in zip(names, numbers, strict=True)
            for kind, value in zip(kinds, values[:2], strict=True)
        ]
        axis = Axis("value", draw_label(source), "probability")
        return Figure.of(draw_label(source), marks(points, axis, kinds, joined=True))
    points = [{"series": n, "x": x, "y": 1 + 9 * y} for n, (x, y, _) in zip(names, numbers, strict=True)]
    axes = Axis("x", draw_label(source), "probability"), Axis("y", draw_label(source), "log", 1)
    return Figure.of(draw_label(source), curves(points, *axes, points=True, rule=("x", 0.5)))


def test_every_label_is_drawn_as_text():
    for seed in cases(40):
        source = random.Random(seed)
        figure = draw_figure(source)
        found = ElementTree.fromstring(figure.to_svg())  # noqa: S314 - raises unless it is well-formed XML
        assert {node.tag.removeprefix(SVG) for node in found.iter()} <= ELEMENTS, seed
        names = {name.rpartition("}")[2] for node in found.iter() for name in node.attrib}
        assert not {name for name in names if name.startswith("on") or name == "href"}, seed
        if seed % 4 == 0:
            assert figure.to_png().startswith(b"\x89PNG"), seed
        page = figure.to_html()
        page.encode()
        scripts = re.findall(r"<script[^>]*>", page)
        assert len(scripts) == page.count("</script>") == 3, seed
        data = page.split('id="specification">', 1)[1].split("</script>", 1)[0]
        assert json.loads(data) == json.loads(json.dumps(figure.spec)), seed
        assert not re.search(r"[<>&]", data), seed
