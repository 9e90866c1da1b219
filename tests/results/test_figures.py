"""Figures are valid files that need no network, and show what the formulas say."""

import json
import re
import struct
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from fractions import Fraction
from html.parser import HTMLParser
from math import comb, log

import pytest

import quiff
from quiff import Population, TopicsAPI
from quiff.errors import ParameterError
from quiff.results.figures.figure import figure_format
from quiff.results.figures.style import DASHES, PALETTE, SHAPES, log_axis
from quiff.theory.curves import sizes_to_show

NOISE, CAPACITY, EPSILON = (
    "noise r (probability of a random topic)",
    "Bayes capacity (factor, log scale)",
    "epsilon (nats)",
)
USERS, UTILITY = "users who are observed (N)", "utility u (probability that an observed topic is genuine)"


def forms_figure(name, n_topics=349, top_s=5, noise=0.05, share=0.5):
    """Return a figure of the closed forms."""
    return quiff.closed_forms(TopicsAPI(n_topics, top_s, noise), share=share).figure(name)


def limits_figure(*setting):
    return forms_figure("limits", *setting)


def counting_figure(*setting):
    return forms_figure("counting", *setting)


def overview_figure(*setting):
    return forms_figure("overview", *setting)


def frontier_figure(m, measure, target):
    return quiff.meet_budget(TopicsAPI(m, 1), measure, target).figure()


def frontier():
    return frontier_figure(469, "capacity", 66.36)


FIGURES = {
    "limits": (limits_figure, [NOISE, CAPACITY, EPSILON]),
    "counting": (counting_figure, [USERS, "probability", "probability (log scale)"]),
    "overview": (overview_figure, [NOISE, CAPACITY, EPSILON, USERS]),
    "frontier": (frontier, [UTILITY, CAPACITY, EPSILON]),
}


def texts(svg):
    """Return all text of an SVG picture."""
    root = ElementTree.fromstring(svg)  # noqa: S314 - our own picture
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    return {"".join(node.itertext()) for node in root.iter("{http://www.w3.org/2000/svg}text")}


def loaded(page):
    """Return the addresses that a browser would load to show a page."""
    found = []

    class Parser(HTMLParser):
        def handle_starttag(self, tag, attributes):
            found.extend(value for name, value in attributes if name in ("src", "href", "srcset", "data"))

    Parser().feed(page)
    return found


def rows(figure):
    """Return all data of a figure."""
    return [row for rows in figure.spec["datasets"].values() for row in rows]


@pytest.mark.parametrize("name", FIGURES)
def test_svg_is_xml_with_the_titles_of_the_axes(name, tmp_path):
    make, titles = FIGURES[name]
    figure = make()
    figure.write(tmp_path / "figure.svg")
    found = texts((tmp_path / "figure.svg").read_text())
    assert {figure.title, *titles} <= found


def test_png_has_its_signature_and_twice_the_pixels_of_the_screen(tmp_path):
    limits_figure().write(tmp_path / "figure.PNG")
    content = (tmp_path / "figure.PNG").read_bytes()
    assert content[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", content[16:24])
    assert width > 2 * 660
    assert height > 2 * 280


def test_html_holds_all_that_it_needs(tmp_path):
    figure = limits_figure()
    figure.write(tmp_path / "figure.html")
    page = (tmp_path / "figure.html").read_text()
    assert f"<title>{figure.title}</title>" in page
    assert '<html lang="en">' in page
    assert loaded(page) == []
    assert NOISE in page


@pytest.mark.parametrize("name", ["figure.pdf", "figure", "svg", ".svg", "figure.svg.gz"])
def test_an_unknown_suffix_is_an_error_and_writes_nothing(name, tmp_path):
    with pytest.raises(ParameterError, match=re.escape("must end in .svg, .png, .html")):
        limits_figure().write(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_the_suffix_may_be_in_capitals():
    assert figure_format("a/b.c/FIGURE.HTML") == "html"


def figures_of_people():
    """Return all figures of each kind of result on a few synthetic users."""
    people, api = Population.synthetic(60, seed=1, n_topics=30), TopicsAPI(40)
    found = quiff.measure(people, quiff.Cookies(), api, TopicsAPI(40, noise=0.5))
    attacks = quiff.attack(people, api, observations=[1, 2], seeds=1)
    one = quiff.reidentify(quiff.simulate(people, api, epochs=2, seed=1), quiff.Carey())
    return [
        result.figure(name)
        for result in (
            found, attacks, one, quiff.user_risk(people, api), quiff.exposure(people, api),
            quiff.attribute_inference(people, api, value=people.topics[0]),
            quiff.popularity(people, api, simulations=5), quiff.over_time(people, api, 2),
            quiff.browser_rules(people, api, samples=20),
        )
        for name in result.figures
    ]  # fmt: skip


# V8 has threads of its own, and a fault in one of them ends the process: not that of the tests.
COMPILE = """
import json, sys, vl_convert
for title, spec in json.load(sys.stdin):
    print(title, file=sys.stderr, flush=True)
    vl_convert.vegalite_to_vega(spec, show_warnings=True)
"""


def test_the_compiler_warns_of_no_figure():
    figures = [*(make() for make, _ in FIGURES.values()), *figures_of_people()]
    specs = json.dumps([(figure.title, figure.spec) for figure in figures])
    compiled = subprocess.run(
        [sys.executable, "-c", COMPILE], input=specs, capture_output=True, text=True, check=True
    )
    assert compiled.stderr.splitlines() == [figure.title for figure in figures]


def test_the_curves_of_the_limits():
    at = {(row["series"], row["x"]): row for row in rows(limits_figure(469, 7, 0.05))}
    assert at["5", 0.05]["capacity"] == pytest.approx(89.16)
    assert at["5", 0.05]["epsilon"] == pytest.approx(log(1783.2))
    assert at["7", 0.05]["capacity"] == pytest.approx(63.70)
    assert (at["1", 0.0]["capacity"], at["1", 0.0]["epsilon"]) == (469, None)
    assert {row["capacity"] for key, row in at.items() if key[1] == 1} == {1}


def test_the_points_of_the_counting_figure():
    at = {(row["series"], row["users"]): row["probability"] for row in rows(counting_figure())}
    paper, best, prior = (
        "guess right who of the N has it (the paper's figure)",
        "guess right how many have it",
        "the same without any observation",
    )
    for N, value in ((2, 0.354025), (10, 0.0055612), (30, 1.71992e-7)):
        assert at[paper, N] == pytest.approx(value, rel=5e-6)
    assert at[best, 10] == pytest.approx(0.25492, abs=5e-6)
    assert at[prior, 10] == pytest.approx(comb(10, 5) / 2**10)


def test_the_frontier_is_straight_from_one_on():
    lines = [row for row in rows(frontier()) if row.get("series") == "7" and row["x"] > 7 / 469]
    assert len(lines) > 100
    for row in lines:
        assert row["capacity"] == pytest.approx(469 * row["x"] / 7)


def test_only_finite_numbers_are_drawn():
    figures = [
        overview_figure(1, 1, 0, 0),
        overview_figure(3, 3, Fraction(1, 3), 1),
        overview_figure(2, 1, 5e-324),
        frontier_figure(2, "epsilon", float("inf")),
        frontier_figure(349, "max_case", 1),
        frontier_figure(349, "epsilon", 1e6),
    ]
    for figure in figures:
        svg = figure.to_svg()
        assert "NaN" not in svg
        assert "Infinity" not in svg


def test_the_chosen_sizes_are_always_drawn_and_never_more_than_there_are_colours():
    assert sizes_to_show(629, 9, 10) == [1, 2, 5, 9, 10, 20]
    assert sizes_to_show(3, 3) == [1, 2, 3]
    assert len(sizes_to_show(1000, 3, 4, 6, 7)) <= len(PALETTE) == len(DASHES) == len(SHAPES)


def test_the_ticks_of_a_logarithmic_axis():
    assert log_axis(1, 1)["scale"].domain == [1, 2]
    assert log_axis(1, 349)["scale"].domain == [1, 500]
    assert log_axis(1.7e-7, 1)["axis"].values == pytest.approx([10.0**k for k in range(-7, 1)])


def test_a_notebook_shows_the_picture():
    bundle = limits_figure()._repr_mimebundle_()
    assert NOISE in texts(bundle["image/svg+xml"])
