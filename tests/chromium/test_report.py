"""The report in a real browser: it loads nothing, everybody can read it, and it prints on a few pages."""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe

from quiff.report.page import Block, Page, Section
from quiff.results.table import Table

_UNFOLD = "document.querySelectorAll('details').forEach(part => { part.open = true; })"


@pytest.fixture(scope="module")
def file(small_report, tmp_path_factory):
    file = tmp_path_factory.mktemp("report") / "report.html"
    file.write_text(small_report[1])
    return file


def pages(page):
    """How many A4 pages the tab prints on."""
    return len(re.findall(rb"/Type\s*/Page\b", page.pdf(format="A4", prefer_css_page_size=True)))


def test_it_loads_nothing_and_says_nothing(page, file):
    page.goto(file.as_uri())
    page.evaluate(_UNFOLD)
    assert [address for address in page.asked if not address.startswith("data:")] == [file.as_uri()]
    assert page.said == []
    assert page.locator("img").count() > 8
    assert page.locator("img").evaluate_all("pictures => pictures.every(p => p.naturalWidth > 100)")
    assert page.locator("dd").first.inner_text() == "people & <b>names</b>: 150 users"


@pytest.mark.parametrize("page", ["light", "dark"], indirect=True)
@pytest.mark.parametrize("width", [1280, 390])
def test_axe_finds_nothing(page, file, width):
    page.set_viewport_size({"width": width, "height": 800})
    page.goto(file.as_uri())
    page.evaluate(_UNFOLD)
    assert Axe().run(page).response["violations"] == []


@pytest.mark.parametrize("page", ["light", "dark"], indirect=True)
def test_verdict_main_numbers_and_first_figure_are_on_the_first_screen(page, file):
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto(file.as_uri())
    for part in (".headline", ".first table", ".first figure", "nav"):
        box = page.locator(part).first.bounding_box()
        assert box["y"] + box["height"] <= 800, part


def test_pictures_follow_the_dark_scheme(page, file, tmp_path):
    page.goto(file.as_uri())
    picture = page.locator(".first figure img")
    light = picture.screenshot(path=tmp_path / "light.png")
    page.emulate_media(color_scheme="dark")
    assert picture.screenshot(path=tmp_path / "dark.png") != light


@pytest.mark.parametrize("width", [390, 360])
def test_it_fits_a_phone_and_figures_stay_readable(page, file, width):
    page.set_viewport_size({"width": width, "height": 700})
    page.goto(file.as_uri())
    page.evaluate(_UNFOLD)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.locator("figure img").first.evaluate("picture => picture.width") >= 330


def test_it_prints_on_eight_pages_at_most_and_folded_parts_only_if_asked_for(page, file):
    page.goto(file.as_uri())
    folded = pages(page)
    assert folded <= 8
    page.evaluate(_UNFOLD)
    assert pages(page) > folded
    page.emulate_media(media="print")
    page.goto(file.as_uri())
    shown = [each for each in page.locator("summary").all() if each.is_visible()]
    assert [each.inner_text() for each in shown] == ["How to read this"]
    assert page.get_by_text("A receiver is whoever gets the observation").first.is_visible()


def test_ten_columns_fit_a_printed_page(page, tmp_path):
    row = ("bounded_noise", *(0.000279203 + k for k in range(9)))
    table = Table("Wide", ("step", *(f"number {k}" for k in range(9))), (row,))
    section = Section("one", "The first", (Block(tables=(table,)),))
    file = Page("A page", sections=(section,)).write(tmp_path / "report.html")
    page.set_viewport_size({"width": 718, "height": 1000})  # A4 between usual margins
    page.emulate_media(media="print")
    page.goto(file.as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") <= 718
