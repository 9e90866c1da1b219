"""The report in a real browser: it loads nothing, and everybody can read it."""

import pytest
from axe_playwright_python.sync_playwright import Axe

from quiff.report.page import Page, Section
from quiff.results.table import Table
from quiff.results.views.attacks import groups_figure

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    table = Table("Numbers & <b>names</b>", ("name", "value"), (("a", 0.5), ("b", 3)), ("A note.",))
    section = Section(
        "one", "The first", ("A sentence.",), (groups_figure([1, 1, 0, 3], "carey", 100, 5),), (table, table)
    )
    page = Page(
        "A page",
        ("About it.",),
        "The answer.",
        table,
        (section,),
        (("users", "3"),),
        ("quiff",),
        ("All is known.",),
    )
    return page.write(tmp_path_factory.mktemp("report") / "report.html")


def test_it_loads_nothing_and_says_nothing(page, file):
    page.goto(file.as_uri())
    assert [address for address in page.asked if not address.startswith("data:")] == [file.as_uri()]
    assert page.said == []
    assert page.locator("img").evaluate_all("pictures => pictures.every(p => p.naturalWidth > 100)")
    assert page.locator("caption").first.inner_text() == "Numbers & <b>names</b>"


@pytest.mark.parametrize("page", ["light", "dark"], indirect=True)
@pytest.mark.parametrize("width", [1000, 360])
def test_axe_finds_nothing(page, file, width):
    page.set_viewport_size({"width": width, "height": 700})
    page.goto(file.as_uri())
    assert Axe().run(page).response["violations"] == []


def test_it_fits_a_phone(page, file):
    page.set_viewport_size({"width": 360, "height": 700})
    page.goto(file.as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_a_figure_stays_readable_on_a_phone(page, file):
    page.set_viewport_size({"width": 360, "height": 700})
    page.goto(file.as_uri())
    assert page.locator("figure img").first.evaluate("picture => picture.width") > 500


def test_ten_columns_fit_a_printed_page(page, tmp_path):
    row = ("bounded_noise", *(0.000279203 + k for k in range(9)))
    table = Table("Wide", ("step", *(f"number {k}" for k in range(9))), (row,))
    section = Section("one", "The first", tables=(table,))
    file = Page("A page", sections=(section,)).write(tmp_path / "report.html")
    page.set_viewport_size({"width": 718, "height": 1000})  # A4 between usual margins
    page.emulate_media(media="print")
    page.goto(file.as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") <= 718
