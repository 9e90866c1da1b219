"""The explorer in a real browser: sliders, addresses, keys, colours, and nothing from elsewhere."""

import json
import statistics
from urllib.parse import parse_qs, urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from click.testing import CliRunner

from quiff.cli import main
from quiff.results.numbers import shown
from web.served import PROFILES, served

pytestmark = pytest.mark.slow

VIEWS = {
    "design": ("?view=design", "#design-figures svg >> nth=2"),
    "two designs": ("?view=design&second=1&topics2=629&top2=9", "#design-figures svg >> nth=2"),
    "population": ("?view=population&people=200&run=1", "#population[data-ended='Done.']"),
    "paper": ("?view=paper", "#items table"),
}
CARDS = ["bayes_capacity", "max_case_capacity", "epsilon", "topics_posterior", "cookies_posterior",
         "epochs_bound", "genuine_probability", "iba_lower", "iba_upper"]  # fmt: skip
WAIT = 60_000  # milliseconds; other tests may run at the same time

# Moves a slider as a hand does, and tells in how many milliseconds the numbers have followed.
MOVE = """([id, value]) => new Promise((done) => {
  const slider = document.getElementById(id), view = document.getElementById("design");
  const start = performance.now();
  new MutationObserver((_, watch) => { watch.disconnect(); done(performance.now() - start); })
    .observe(view, { attributes: true, attributeFilter: ["data-answered"] });
  slider.value = value;
  slider.dispatchEvent(new Event("input", { bubbles: true }));
})"""


@pytest.fixture(scope="module")
def link(tmp_path_factory):
    path = tmp_path_factory.mktemp("explorer") / "profiles.csv"
    path.write_text(PROFILES)
    with served(path) as explorer:
        yield explorer.link


def opened(page, address, ready):
    page.goto(address)
    page.wait_for_selector(ready, timeout=WAIT, state="attached")
    return page


def theory(*arguments):
    return json.loads(CliRunner().invoke(main, ["theory", "--json", *map(str, arguments)]).output)


def numbers(page):
    """The numbers on the cards, as they are shown."""
    return {key: page.locator(f"#card-{key}").inner_text() for key in CARDS}


def settled(page, **wanted):
    """Wait until the numbers are those of the wanted parameters."""
    page.wait_for_function(
        """(wanted) => {
          const asked = new URLSearchParams(document.getElementById("design").dataset.answered);
          return Object.entries(wanted).every(([name, value]) => asked.get(name) === String(value));
        }""",
        arg=wanted,
        timeout=WAIT,
    )


def in_address(page, **wanted):
    page.wait_for_function(
        """(wanted) => {
          const there = new URLSearchParams(location.search);
          return Object.entries(wanted).every(([name, value]) => there.get(name) === String(value));
        }""",
        arg=wanted,
        timeout=WAIT,
    )


def test_sliders_move_the_numbers_to_those_of_quiff_theory(page, link):
    opened(page, link, "#card-epsilon")
    settled(page, topics="v1", top=5)
    assert numbers(page) == {key: shown(theory()[key]) for key in CARDS}
    page.evaluate(MOVE, ["noise-slider", "0.3"])
    page.evaluate(MOVE, ["top-slider", "9"])
    page.evaluate(MOVE, ["epochs-slider", "2"])
    settled(page, noise=0.3, top=9, epochs=2)
    told = theory("--noise", 0.3, "--top", 9, "--epochs", 2)
    assert numbers(page) == {key: shown(told[key]) for key in CARDS}
    page.locator("#topics").fill("1000")
    page.locator("#users").fill("5000")
    settled(page, topics=1000, users=5000)
    told = theory("--noise", 0.3, "--top", 9, "--epochs", 2, "--topics", 1000, "--users", 5000)
    assert numbers(page) == {key: shown(told[key]) for key in CARDS}
    assert float(page.locator("#card-epsilon").get_attribute("value")) == told["epsilon"]


def test_a_second_design_stands_beside_with_its_differences(page, link):
    opened(page, link, "#card-epsilon")
    page.get_by_label("Compare with a second design").check()
    page.locator("#preset2").select_option(label="Google Topics API v2")
    settled(page, topics2="v2", top2=5)
    card = page.locator(".card", has=page.locator("#card-bayes_capacity"))
    assert card.locator(".second").inner_text().split("\n") == ["second: 89.16", "+22.8 (+34.4 %)"]
    page.locator("#preset").select_option(label="Paper's what-if: 629 topics, sets of 9, noise 0.05")
    settled(page, topics=629, top=9)
    assert page.locator("#card-bayes_capacity").inner_text() == "66.4444"
    row = page.locator("tr[data-key='epsilon'] td")
    assert row.nth(0).inner_text() == shown(theory("--topics", 629, "--top", 9)["epsilon"])
    assert row.nth(1).inner_text() == shown(theory("--topics", "v2")["epsilon"])


def test_figures_follow_the_sliders(page, link):
    opened(page, link, VIEWS["design"][1])
    label = page.locator("#design-figures .plot").first
    before = label.inner_html()
    page.evaluate(MOVE, ["noise-slider", "0.6"])
    settled(page, noise=0.6)
    page.wait_for_function(
        "(old) => document.querySelector('#design-figures .plot').innerHTML !== old", arg=before, timeout=WAIT
    )
    assert "noise 0.6" in label.get_attribute("aria-label")


def test_the_address_keeps_everything(page, link):
    opened(page, link, "#card-epsilon")
    page.locator("#noise").fill("0.123")
    page.get_by_label("Compare with a second design").check()
    page.locator("#top2").fill("8")
    in_address(page, noise=0.123, second=1, top2=8)
    settled(page, noise=0.123, top2=8)
    before, address = numbers(page), page.url
    page.get_by_role("link", name="Paper").click()
    page.locator("#words").fill("629")
    page.locator("#verdict").select_option("erratum")
    in_address(page, view="paper", words=629, verdict="erratum", noise=0.123)
    page.wait_for_selector("#paper[data-answered*='629']", timeout=WAIT)
    rows = page.locator("#items tbody tr").count()
    paper = page.url
    page.reload()
    page.wait_for_selector("#paper[data-answered*='629']", timeout=WAIT)
    assert page.locator("#items tbody tr").count() == rows > 0
    page.go_back()
    settled(page, noise=0.123, top2=8)
    assert numbers(page) == before
    opened(page, address, "#card-epsilon")
    settled(page, noise=0.123, top2=8)
    assert numbers(page) == before
    assert page.locator("#top2").input_value() == "8"
    assert parse_qs(urlsplit(paper).query)["noise"] == ["0.123"]


@pytest.mark.parametrize("page", ["light", "dark"], indirect=True)
@pytest.mark.parametrize("view", VIEWS)
def test_every_view_is_clean(page, link, view, tmp_path):
    errors = []
    page.on("console", lambda message: message.type == "error" and errors.append(message.text))
    page.on("pageerror", lambda error: errors.append(str(error)))
    opened(page, link + VIEWS[view][0], VIEWS[view][1])
    page.wait_for_timeout(500)  # figures are drawn after the numbers
    assert errors == []
    assert {urlsplit(asked).netloc for asked in page.asked} == {urlsplit(link).netloc}
    assert page.context.cookies() == []
    assert Axe().run(page).response["violations"] == []
    page.screenshot(path=tmp_path / "view.png", full_page=True)
    assert (tmp_path / "view.png").stat().st_size > 20_000


@pytest.mark.parametrize("view", VIEWS)
def test_it_fits_a_phone(page, link, view):
    page.set_viewport_size({"width": 360, "height": 700})
    opened(page, link + VIEWS[view][0], VIEWS[view][1])
    page.wait_for_timeout(500)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_keys_alone_are_enough(page, link):
    opened(page, link, "#card-epsilon")
    settled(page, noise=0.05)
    seen = []

    def tab_to(element):
        for _ in range(80):
            page.keyboard.press("Tab")
            seen.append(page.evaluate("document.activeElement.id || document.activeElement.textContent"))
            if seen[-1] == element:
                return
        raise AssertionError(f"{element} is not reached by Tab: {seen}")

    tab_to("noise-slider")
    page.keyboard.press("ArrowRight")
    settled(page, noise=0.06)
    assert page.locator("#card-epsilon").inner_text() == shown(theory("--noise", 0.06)["epsilon"])
    tab_to("second")
    page.keyboard.press("Space")
    settled(page, topics2="v2")
    page.locator("body").press("Home")
    page.evaluate("document.activeElement.blur()")
    tab_to("Population")
    page.keyboard.press("Enter")
    tab_to("people")
    page.keyboard.press("Control+A")
    page.keyboard.type("150")
    page.keyboard.press("Enter")
    page.wait_for_selector(VIEWS["population"][1], timeout=WAIT)
    in_address(page, view="population", people=150, run=1)


def test_what_changes_is_told_politely(page, link):
    opened(page, link, "#card-epsilon")
    page.evaluate(MOVE, ["noise-slider", "0.5"])
    status = page.get_by_role("status")
    page.wait_for_function(
        "(text) => document.getElementById('status').textContent.includes(text)",
        arg=f"Epsilon: {shown(theory('--noise', 0.5)['epsilon'])}",
        timeout=WAIT,
    )
    assert "Average-case capacity: " in status.inner_text()


def test_a_wrong_address_is_told(page, link):
    opened(page, f"{link}?noise=7", "#problem:not([hidden])")
    assert (
        page.get_by_role("alert").inner_text()
        == "noise must be a number between 0 and 1 such as 0.05, not '7'"
    )
    page.locator("#noise").fill("0.2")
    settled(page, noise=0.2)
    assert page.locator("#problem").is_hidden()


def test_the_file_of_the_command_line_is_measured(page, link):
    opened(page, f"{link}?view=population&source=file&ptopics=5&run=1", VIEWS["population"][1])
    assert page.locator("#source").input_value() == "file"
    assert "profiles.csv: 3 users" in page.locator("#source").inner_text()
    assert page.get_by_text("name a user 1.95 times as often as a guess").is_visible()


def test_a_study_can_be_cancelled_and_started_again(page, link):
    opened(page, f"{link}?view=population&people=50000", "#start")
    page.locator("#start").click()
    page.wait_for_selector("#progress:visible", timeout=WAIT)
    page.get_by_role("button", name="Cancel").click()
    page.wait_for_selector("#population[data-ended='Cancelled.']", timeout=WAIT)
    page.wait_for_function("() => !location.search.includes('run=1')", timeout=WAIT)
    page.locator("#people").fill("120")
    page.locator("#start").click()
    page.wait_for_selector(VIEWS["population"][1], timeout=WAIT)
    assert page.locator("#sections h2").count() == 5


def test_tables_and_figures_are_downloaded(page, link):
    opened(page, link + VIEWS["design"][0], VIEWS["design"][1])
    for name, start in (
        ("CSV: all closed forms", b"quantity,"),
        ("SVG: Worst case", b"<svg"),
        ("PNG: Worst", b"\x89PNG"),
    ):
        with page.expect_download(timeout=WAIT) as waiting:
            page.get_by_role("link", name=f"Download {name}").first.click()
        assert waiting.value.path().read_bytes().startswith(start)
        assert waiting.value.suggested_filename.startswith("quiff-design")


def test_the_token_stays_in_every_request(page):
    with served("--host", "0.0.0.0") as explorer:  # noqa: S104 - what is tested
        port, token = explorer.link.rstrip("/").split(":")[2].split("/")
        opened(page, f"http://127.0.0.1:{port}/{token}/", VIEWS["design"][1])
        assert all(urlsplit(asked).path.startswith(f"/{token}/") for asked in page.asked)


def test_how_fast_sliders_answer(page, link):
    opened(page, link + VIEWS["two designs"][0], VIEWS["two designs"][1])
    moves = [["noise-slider", f"{i / 100:.2f}"] for i in range(6, 46)] + [
        ["top-slider", str(i)] for i in range(6, 30)
    ]
    times = sorted(page.evaluate(MOVE, move) for move in moves)
    p95 = statistics.quantiles(times, n=20)[-1]
    print(f"\nsliders: median {statistics.median(times):.0f} ms, 95th percentile {p95:.0f} ms")  # noqa: T201
    assert len(times) == 64
