"""The explorer in a real browser: sliders, addresses, keys, colours, and nothing from elsewhere."""

import json
import statistics
from urllib.parse import parse_qs, urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from click.testing import CliRunner

from quiff.cli import main
from quiff.results.numbers import probability, said
from web.served import PROFILES, served

pytestmark = pytest.mark.slow

VIEWS = {
    "design": ("?view=design", "#design-figures svg >> nth=1"),
    "two designs": ("?view=design&second=1&api2=topics:n_topics=629,top_s=9", "#design-figures svg >> nth=1"),
    "people": ("?view=people&n=200&run=1", "#people[data-ended='Done.']"),
    "paper": ("?view=paper", "#items table"),
}
CARDS = {"bayes_capacity": said, "max_case_capacity": said, "epsilon": said}
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


def expected(*arguments):
    """The same numbers as the command line has them."""
    told = theory(*arguments)
    return {key: form(told[key]) for key, form in CARDS.items()}


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
    opened(page, f"{link}?api=topics:top_s=5", "#card-epsilon")
    settled(page, api="topics:top_s=5")
    assert numbers(page) == expected()
    page.evaluate(MOVE, ["noise-slider", "0.3"])
    page.evaluate(MOVE, ["observations-slider", "2"])
    page.locator("#top_s").fill("9")
    settled(page, api="topics:top_s=9,noise=0.3", observations=2)
    assert numbers(page) == expected("--noise", 0.3, "--top", 9)
    page.locator("#n_topics").fill("1000")
    page.locator("#users").fill("5000")
    settled(page, api="topics:n_topics=1000,top_s=9,noise=0.3", users=5000)
    told = theory("--noise", 0.3, "--top", 9, "--topics", 1000)
    assert numbers(page) == expected("--noise", 0.3, "--top", 9, "--topics", 1000)
    assert float(page.locator("#card-epsilon").get_attribute("value")) == told["epsilon"]
    assert page.locator("#card-posterior").inner_text() == probability(told["bayes_capacity"] / 5000)
    sentence = page.locator("#design-sentences").inner_text()
    assert (
        f"multiplies the probability of re-identification by at most {said(told['bayes_capacity'])}"
        in sentence
    )
    page.locator("#n_topics-name").select_option("v2")
    settled(page, api="topics:n_topics=v2,top_s=9,noise=0.3")
    assert numbers(page) == expected("--noise", 0.3, "--top", 9, "--topics", "v2")


def test_a_second_api_stands_beside_with_its_differences(page, link):
    opened(page, link, "#card-epsilon")
    page.get_by_label("Compare with a second API").check()
    page.locator("#api2").select_option("topics")
    page.locator("#preset2").select_option(label="Google Topics API v2")
    settled(page, api2="topics:n_topics=469,top_s=5,noise=0.05")
    card = page.locator(".card", has=page.locator("#card-bayes_capacity"))
    assert card.locator(".second").inner_text() == "second: 89.2"
    page.locator("#preset").select_option(label="Paper's what-if: 629 topics, sets of 9, noise 0.05")
    settled(page, api="topics:n_topics=629,top_s=9,noise=0.05")
    assert page.locator("#card-bayes_capacity").inner_text() == "66.4"
    page.get_by_text("All closed forms").click()
    row = page.locator("#closed-forms tr", has=page.get_by_role("rowheader", name="epsilon", exact=True))
    assert row.locator("td").nth(0).inner_text() == said(theory("--topics", 629, "--top", 9)["epsilon"])
    assert row.locator("td").nth(1).inner_text() == said(theory("--topics", "v2")["epsilon"])


def test_figures_follow_the_sliders(page, link):
    opened(page, f"{link}?api=topics:top_s=5", VIEWS["design"][1])
    label = page.locator("#design-figures .plot").last
    before = label.inner_html()
    page.evaluate(MOVE, ["noise-slider", "0.6"])
    settled(page, api="topics:top_s=5,noise=0.6")
    page.wait_for_function(
        "(old) => [...document.querySelectorAll('#design-figures .plot')].at(-1).innerHTML !== old",
        arg=before,
        timeout=WAIT,
    )
    assert "at 0.6" in label.get_attribute("aria-label")


def test_the_studies_of_closed_forms_open_below_and_follow_the_sliders(page, link):
    opened(page, f"{link}?api=topics:top_s=5", "#card-genuine_probability")
    page.get_by_text("Closed forms one by one").click()
    page.wait_for_selector("#studies section:nth-of-type(2) svg", timeout=WAIT)
    assert "Settings of equal capacity: topics" in page.locator("#studies h2").last.inner_text()
    page.evaluate(MOVE, ["noise-slider", "0.6"])
    page.wait_for_selector("#studies h2:has-text('noise=0.6')", timeout=WAIT)
    page.locator("#studies summary").first.click()
    page.get_by_role("region", name="Counting the users").wait_for(timeout=WAIT)  # made when it is opened
    assert page.said == []


def test_the_address_keeps_everything(page, link):
    opened(page, f"{link}?api=topics:top_s=5", "#card-epsilon")
    page.locator("#noise").fill("0.123")
    page.get_by_label("Compare with a second API").check()
    page.locator("#api2").select_option("topics")
    page.locator("#top_s2").fill("8")
    wanted = {"api": "topics:top_s=5,noise=0.123", "api2": "topics:top_s=8"}
    in_address(page, second=1, **wanted)
    settled(page, **wanted)
    before, address = numbers(page), page.url
    page.get_by_role("link", name="Paper").click()
    page.locator("#words").fill("629")
    page.locator("#verdict").select_option("wrong")
    in_address(page, view="paper", words=629, verdict="wrong", api=wanted["api"])
    page.wait_for_selector("#paper[data-answered*='629']", timeout=WAIT)
    rows = page.locator("#items tbody tr").count()
    paper = page.url
    page.reload()
    page.wait_for_selector("#paper[data-answered*='629']", timeout=WAIT)
    assert page.locator("#items tbody tr").count() == rows > 0
    page.go_back()
    settled(page, **wanted)
    assert numbers(page) == before
    opened(page, address, "#card-epsilon")
    settled(page, **wanted)
    assert numbers(page) == before
    assert page.locator("#top_s2").input_value() == "8"
    assert parse_qs(urlsplit(paper).query)["api"] == [wanted["api"]]


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
    opened(page, f"{link}?api=topics:top_s=5", "#card-epsilon")
    settled(page, api="topics:top_s=5")
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
    settled(page, api="topics:top_s=5,noise=0.06")
    assert page.locator("#card-epsilon").inner_text() == said(theory("--noise", 0.06)["epsilon"])
    tab_to("second")
    page.keyboard.press("Space")
    settled(page, api2="cookies")
    page.locator("body").press("Home")
    page.evaluate("document.activeElement.blur()")
    tab_to("People")
    page.keyboard.press("Enter")
    tab_to("n")
    page.keyboard.press("Control+A")
    page.keyboard.type("150")
    page.keyboard.press("Enter")
    page.wait_for_selector(VIEWS["people"][1], timeout=WAIT)
    in_address(page, view="people", n=150, run=1)


def test_what_changes_is_told_politely(page, link):
    opened(page, f"{link}?api=topics:top_s=5", "#card-epsilon")
    page.evaluate(MOVE, ["noise-slider", "0.5"])
    status = page.get_by_role("status")
    page.wait_for_function(
        "(text) => document.getElementById('status').textContent.includes(text)",
        arg=f"epsilon: {said(theory('--noise', 0.5)['epsilon'])}",
        timeout=WAIT,
    )
    assert "multiplies the probability of re-identification by at most" in status.inner_text()


def test_a_wrong_address_is_told(page, link):
    opened(page, f"{link}?api=topics:noise=7", "#problem:not([hidden])")
    assert page.get_by_role("alert").inner_text() == "noise must be a number between 0 and 1, not '7'"
    page.locator("#noise").fill("0.2")
    settled(page, api="topics:noise=0.2")
    assert page.locator("#problem").is_hidden()


def test_the_file_of_the_command_line_is_measured(page, link):
    opened(page, f"{link}?view=people&source=file&api=topics:n_topics=5&run=1", VIEWS["people"][1])
    assert page.locator("#source").input_value() == "file"
    assert "profiles.csv: 3 users with topics" in page.locator("#source").inner_text()
    assert page.locator("#top_s-people").input_value() == "2", (
        "the size of the sets of the file is the default"
    )
    assert page.get_by_text("multiplies the probability of re-identification by 1.95 (").is_visible()


def test_a_study_can_be_cancelled_and_started_again(page, link):
    opened(page, f"{link}?view=people&n=50000", "#start")
    page.locator("#start").click()
    page.wait_for_selector("#progress:visible", timeout=WAIT)
    page.get_by_role("button", name="Cancel").click()
    page.wait_for_selector("#people[data-ended='Cancelled.']", timeout=WAIT)
    page.wait_for_function("() => !location.search.includes('run=1')", timeout=WAIT)
    page.locator("#n").fill("120")
    page.locator("#start").click()
    page.wait_for_selector(VIEWS["people"][1], timeout=WAIT)
    assert page.locator("#sections h2").count() == 4


def test_tables_and_figures_are_downloaded(page, link):
    opened(page, link + VIEWS["design"][0], VIEWS["design"][1])
    page.get_by_text("All closed forms").click()
    for name, start in (
        ("CSV: all closed forms", b"quantity,"),
        ("SVG: Capacity", b"<svg"),
        ("PNG: Capacity", b"\x89PNG"),
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
        ["observations-slider", str(i)] for i in range(6, 30)
    ]
    times = sorted(page.evaluate(MOVE, move) for move in moves)
    p95 = statistics.quantiles(times, n=20)[-1]
    print(f"\nsliders: median {statistics.median(times):.0f} ms, 95th percentile {p95:.0f} ms")  # noqa: T201
    assert len(times) == 64
