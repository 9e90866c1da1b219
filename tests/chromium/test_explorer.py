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

DRAWN = "#picture .line"
VIEWS = {
    "design": ("?view=design", DRAWN),
    "two designs": ("?view=design&second=1&api2=topics:n_topics=629,top_s=9", "#picture .line.second"),
    "crowd": ("?view=design&picture=crowd&observations=2&second=1", "#crowd .person"),
    "any guess": ("?view=design&picture=guess&api=event_level", DRAWN),
    "parameter": ("?view=design&picture=parameter&api2=topics:noise=0.2&second=1", DRAWN),
    "no closed form": ("?view=design&api=floc", "#nothing:not([hidden])"),
    "people": ("?view=people&n=200&run=1", "#people[data-ended='Done.']"),
    "compare": ("?view=compare", "#compared table"),
    "paper": ("?view=paper", "#items table"),
}
SIZES = {"a screen": (1280, 800), "a phone": (390, 844)}
NUMBERS = {"bayes_capacity": said, "epsilon": said}
WAIT = 300_000  # milliseconds; other tests may run at the same time

# Moves a slider as a hand does, and tells in how many milliseconds numbers and picture have followed.
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


@pytest.fixture(scope="module")
def bare():
    """The explorer without a file: every API has its own defaults."""
    with served() as explorer:
        yield explorer.link


def opened(page, address, ready):
    page.goto(address)
    page.wait_for_selector(ready, timeout=WAIT, state="attached")
    return page


def theory(*arguments):
    found = json.loads(CliRunner().invoke(main, ["theory", "--json", *map(str, arguments)]).output)
    return {row["quantity"]: row["value"] for row in found["rows"] if not row["stage"]}


def numbers(page):
    """The large numbers, as they are shown, and one of the table."""
    row = page.locator("#quiet tr", has=page.get_by_role("rowheader", name="max-case capacity", exact=True))
    large = {key: page.locator(f"#number-{key}").inner_text() for key in NUMBERS}
    return {**large, "max_case_capacity": row.locator("td").first.inner_text()}


def expected(*arguments):
    """The same numbers as the command line has them."""
    told = theory(*arguments)
    return {key: said(told[key]) for key in (*NUMBERS, "max_case_capacity")}


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


# How many places of lines lie on the values beside the points.
CROSSED = """() => [...document.querySelectorAll("#picture .name")].map((text) => {
  const box = text.getBBox();
  return [...document.querySelectorAll("#picture .line")].flatMap((line) =>
    Array.from({ length: 400 }, (_, k) => line.getPointAtLength((line.getTotalLength() * k) / 399)))
    .filter(({ x, y }) => x > box.x && x < box.x + box.width && y > box.y && y < box.y + box.height).length;
})"""


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(
    "query",
    [
        "observations=2&api2=topics:n_topics=v2,noise=0.2",
        "picture=parameter&api2=topics:n_topics=v2,noise=0.2",
        "api2=noisy_ranking",
        "picture=guess&api=event_level&api2=w3c_attribution",
    ],
)
def test_no_line_runs_through_the_values_beside_the_points(page, link, size, query):
    page.set_viewport_size(dict(zip(("width", "height"), SIZES[size], strict=True)))
    opened(page, f"{link}?view=design&second=1&{query}", "#picture .line.second")
    assert page.evaluate(CROSSED) == [0, 0]


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
    opened(page, f"{link}?api=topics:top_s=5", "#number-epsilon")
    settled(page, api="topics:top_s=5")
    assert numbers(page) == expected()
    page.evaluate(MOVE, ["noise-slider", "0.3"])
    page.evaluate(MOVE, ["observations-slider", "2"])
    page.locator("#top_s").fill("9")
    settled(page, api="topics:top_s=9,noise=0.3", observations=2)
    assert numbers(page) == expected("--api", "topics:noise=0.3,top_s=9")
    page.locator("#n_topics").fill("1000")
    page.locator("#users").fill("5000")
    settled(page, api="topics:n_topics=1000,top_s=9,noise=0.3", users=5000)
    told = theory("--api", "topics:noise=0.3,top_s=9,n_topics=1000")
    assert numbers(page) == expected("--api", "topics:noise=0.3,top_s=9,n_topics=1000")
    assert float(page.locator("#number-epsilon").get_attribute("value")) == told["epsilon"]
    row = page.locator("#quiet tr", has_text="re-identified after 1 observation")
    shown = row.locator("td").first.inner_text().replace("\N{NO-BREAK SPACE}", " ")
    assert shown == probability(told["bayes_capacity"] / 5000)
    sentence = page.locator("#sentences").inner_text().replace("\N{NO-BREAK SPACE}", " ")
    assert f"among 5,000 people, from 1 in 5,000 to {probability(told['bayes_capacity'] / 5000)}" in sentence
    assert (
        f"multiplies the probability of re-identification by at most {said(told['bayes_capacity'])}"
        in sentence
    )
    page.locator("#n_topics").fill("v2")
    settled(page, api="topics:n_topics=v2,top_s=9,noise=0.3")
    assert numbers(page) == expected("--api", "topics:noise=0.3,top_s=9,n_topics=v2")


def test_a_second_api_stands_beside_with_its_differences(page, bare):
    opened(page, f"{bare}?view=design", "#number-epsilon")
    page.get_by_role("button", name="+ design B").click()
    page.locator("#api2").select_option("topics")
    page.locator("#n_topics2").fill("469")
    settled(page, api2="topics:n_topics=469")
    assert page.locator("#number-bayes_capacity-second").inner_text() == "89.2"
    page.get_by_role("button", name="A: Topics API").click()
    assert page.locator("#n_topics2").is_hidden()
    page.locator("#n_topics").fill("629")
    page.locator("#top_s").fill("9")
    settled(page, api="topics:n_topics=629,top_s=9")
    assert page.locator("#number-bayes_capacity").inner_text() == "66.4"
    cells = page.locator("#number-epsilon, #number-epsilon-second").all_inner_texts()
    specs = (("--api", "topics:n_topics=629,top_s=9"), ("--api", "topics:n_topics=v2"))
    assert cells == [said(theory(*each)["epsilon"]) for each in specs]
    page.get_by_role("button", name="Remove the second design").click()
    page.wait_for_selector("#picture .line.second", state="detached", timeout=WAIT)


def test_the_picture_follows_the_sliders(page, bare):
    opened(page, f"{bare}?view=design&picture=parameter&along=noise", DRAWN)
    page.evaluate(MOVE, ["noise-slider", "0.6"])
    settled(page, api="topics:noise=0.6")
    assert "at 0.6" in page.locator("#picture").get_attribute("aria-label")
    most = theory("--api", "topics:noise=0.6")["bayes_capacity"]
    assert page.locator("#picture .name").text_content() == f"× {said(most)}"


def dragged(page, kind, right):
    """Take the point of a design and move it to the right, as a hand does."""
    box = page.locator(f"#picture .handle.{kind}").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + right / 2, y, steps=3)
    page.mouse.move(x + right, y, steps=3)
    page.mouse.up()


def test_points_can_be_dragged_and_moved_by_keys(page, bare):
    two = "second=1&api2=topics:noise=0.5"
    opened(page, f"{bare}?view=design&observations=2&{two}", DRAWN)
    dragged(page, "first", 240)
    page.wait_for_function("() => document.getElementById('observations').value > 2", timeout=WAIT)
    weeks = int(page.locator("#observations").input_value())
    settled(page, observations=weeks)
    assert f"at {weeks}" in page.locator("#picture").get_attribute("aria-label")
    page.locator("#picture .handle.first").focus()
    page.keyboard.press("ArrowLeft")
    settled(page, observations=weeks - 1)
    assert page.evaluate("document.activeElement.classList.contains('handle')")
    page.get_by_role("button", name="Parameter").click()
    page.wait_for_function("() => !document.getElementById('along').hidden", timeout=WAIT)
    dragged(page, "second", -150)
    page.wait_for_function("() => document.getElementById('noise2').value < 0.5", timeout=WAIT)
    noise = page.locator("#noise2").input_value()
    settled(page, api2=f"topics:noise={noise}")
    assert page.locator("#noise").input_value() == "0.05", "the other design stays"
    second = page.locator("#number-bayes_capacity-second").inner_text()
    assert second == said(theory("--api", f"topics:noise={noise}")["bayes_capacity"])


def test_hovering_tells_the_values(page, bare):
    opened(page, f"{bare}?view=design&second=1&api2=topics:noise=0.5", DRAWN)
    box = page.locator("#picture").bounding_box()
    page.mouse.move(box["x"] + box["width"] / 3, box["y"] + box["height"] / 2)
    page.wait_for_selector("#tip:not([hidden])", timeout=WAIT)
    told = page.locator("#tip").inner_text().splitlines()
    weeks = int(told[0].split()[1])
    names = {0.05: "A, Topics API", 0.5: "B, Topics API, noise 50 %"}
    for line, (noise, name) in zip(told[1:], names.items(), strict=True):
        most = theory("--api", f"topics:noise={noise}")["bayes_capacity"] ** weeks / 1e6
        assert line == f"{name}: {probability(min(1, most))}"


def test_the_crowd_has_as_many_people_as_the_probability_says(page, bare):
    opened(page, f"{bare}?view=design&picture=crowd&observations=2", "#crowd .person")
    left = round(1e6 / theory()["bayes_capacity"] ** 2)
    drawn = page.locator("#crowd .dots.first .left").get_attribute("d").count("M")
    assert drawn == left == 227
    assert f"hidden as among {left} people (1 in {left}), or more" in page.locator("#crowd").inner_text()


def test_a_story_sets_two_designs_and_says_what_to_look_for(page, link):
    opened(page, f"{link}?view=design", DRAWN)
    page.locator("#stories").select_option(label="The event-level gate")
    settled(page, api="event_level", api2="event_level:trigger_data=32")
    assert "refuses a click" in page.locator("#story").inner_text()
    assert " is refused: " in page.locator("#remarks").inner_text()
    in_address(page, story="The event-level gate")
    page.locator("#trigger_data").fill("4")
    settled(page, api="event_level:trigger_data=4")
    assert page.locator("#story").is_hidden(), "it is no longer that story"


def test_every_api_can_be_looked_at_from_the_comparison(page, link):
    opened(page, f"{link}?view=compare", "#compared table")
    names = page.locator("#compared table").first.locator(".link")
    assert names.count() == page.locator("#api option").count()
    page.get_by_role("button", name="PARAKEET").click()
    settled(page, api="parakeet")
    in_address(page, view="design", api="parakeet")


def in_sight(page, *selectors):
    """Tell which of the elements are wholly in the viewport."""
    return page.evaluate(
        """(selectors) => selectors.filter((each) => {
          const box = document.querySelector(each)?.getBoundingClientRect();
          const inside = box && box.top >= 0 && box.left >= 0;
          return inside && box.width && box.bottom <= innerHeight && box.right <= innerWidth;
        })""",
        list(selectors),
    )


@pytest.mark.parametrize("page", ["light", "dark"], indirect=True)
@pytest.mark.parametrize("size", SIZES)
def test_controls_and_picture_are_in_sight_together_for_every_api(page, bare, size):
    page.set_viewport_size(dict(zip(("width", "height"), SIZES[size], strict=True)))
    opened(page, f"{bare}?view=design", DRAWN)
    for name in page.locator("#api option").evaluate_all("all => all.map((each) => each.value)"):
        page.locator("#api").select_option(name)
        settled(page, api=name)
        page.evaluate("scrollTo(0, 0)")
        wanted = ["#sentences", "#api", "#figure" if page.locator("#figure").is_visible() else "#nothing"]
        controls = page.locator(".chooser.first .control").count()
        more = [".chooser.first .control:nth-of-type(1)"] if controls > 1 else []
        assert in_sight(page, *wanted, *more) == [*wanted, *more], name
        if size == "a screen":  # the whole column and the three numbers, too
            all_of_it = ["#controls", *["#numbers"] * (page.locator("#numbers article").count() > 0)]
            assert in_sight(page, *all_of_it) == all_of_it, name
    assert page.said == []


def test_the_picture_stays_while_controls_scroll_on_a_phone(page, link):
    page.set_viewport_size({"width": 390, "height": 844})
    opened(page, f"{link}?view=design", DRAWN)
    page.locator("#users").scroll_into_view_if_needed()
    page.evaluate("scrollBy(0, 120)")
    assert in_sight(page, "#sentences", "#figure", "#users") == ["#sentences", "#figure", "#users"]


def test_the_column_stays_while_the_answer_scrolls(page, link):
    page.set_viewport_size({"width": 1280, "height": 800})
    opened(page, f"{link}?view=design", DRAWN)
    page.evaluate("scrollTo(0, 400)")
    assert in_sight(page, "#api", "#observations") == ["#api", "#observations"]


def test_the_studies_of_closed_forms_open_below_and_follow_the_sliders(page, link):
    opened(page, f"{link}?api=topics:top_s=5", "#number-genuine_probability")
    page.get_by_text("Closed forms one by one").click()
    page.wait_for_selector("#studies section:nth-of-type(2) svg", timeout=WAIT)
    assert "Settings of equal capacity: Topics API" in page.locator("#studies h2").last.inner_text()
    page.evaluate(MOVE, ["noise-slider", "0.6"])
    page.wait_for_selector("#studies h2:has-text('noise 60 %')", timeout=WAIT)
    page.locator("#studies summary").first.click()
    page.get_by_role("region", name="Counting the users").wait_for(timeout=WAIT)  # made when it is opened
    assert page.said == []


def test_the_address_keeps_everything(page, link):
    opened(page, f"{link}?api=topics:top_s=5", "#number-epsilon")
    page.locator("#noise").fill("0.123")
    page.get_by_role("button", name="+ design B").click()
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
    opened(page, address, "#number-epsilon")
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
    opened(page, f"{link}?api=topics:top_s=5", "#number-epsilon")
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
    assert page.locator("#number-epsilon").inner_text() == said(
        theory("--api", "topics:noise=0.06")["epsilon"]
    )
    page.evaluate("document.activeElement.blur()")
    tab_to("design-B")
    page.keyboard.press("Space")
    settled(page, api2="cookies")
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
    opened(page, f"{link}?api=topics:top_s=5", "#number-epsilon")
    page.evaluate(MOVE, ["noise-slider", "0.5"])
    status = page.get_by_role("status")
    page.wait_for_function(
        "(text) => document.getElementById('status').textContent.includes(text)",
        arg=f"epsilon: {said(theory('--api', 'topics:noise=0.5')['epsilon'])}",
        timeout=WAIT,
    )
    assert "multiplies the probability of re-identification by at most" in status.inner_text()


def test_a_wrong_value_is_marked_at_its_field_and_no_number_stays(page, link):
    opened(page, f"{link}?view=design&second=1&api2=topics", DRAWN)
    page.locator("#design-B").click()
    page.locator("#noise2").fill("7")
    page.wait_for_selector("#noise2[aria-invalid=true]", timeout=WAIT)
    reason = page.locator("#noise2-reason")
    assert reason.inner_text() == (
        "Probability of a random topic must be a number between 0 and 1, not 7; did you mean 0.07?"
    )
    assert page.locator("#noise2").get_attribute("aria-describedby") == "noise2-reason"
    assert page.locator("#noise[aria-invalid]").count() == 0, "the first design is right"
    shown = page.locator("#sentences, #numbers, #quiet, #remarks, #closed-forms").all_inner_texts()
    assert "".join(shown) == ""
    assert page.locator("#figure").is_hidden()
    page.locator("#noise2").fill("0.2")
    settled(page, api2="topics:noise=0.2")
    assert page.locator("[aria-invalid]").count() == 0
    assert page.locator("#figure").is_visible()
    page.locator("#users").fill("0")
    page.wait_for_selector("#users[aria-invalid=true]", timeout=WAIT)
    assert "between 1 and 10000000000, not '0'" in page.locator("#users-reason").inner_text()


def test_a_wrong_address_is_told(page, link):
    opened(page, f"{link}?api=topics:noise=7", "#noise[aria-invalid=true]")
    page.locator("#noise").fill("0.2")
    settled(page, api="topics:noise=0.2")
    opened(page, f"{link}?view=design&api=nothing", "#api[aria-invalid=true]")
    assert page.locator("#api-reason").inner_text().startswith("there is no API 'nothing' on this page")


def test_the_page_opens_on_the_file_of_the_command_line(page, link):
    opened(page, link, VIEWS["people"][1])
    assert page.locator("#source").input_value() == "file"
    assert "profiles.csv: 3 users with topics" in page.locator("#source").inner_text()
    assert page.locator("#top_s").input_value() == "2", "the size of the sets of the file is the default"
    assert page.locator("#guide").is_hidden()
    in_address(page, view="people", source="file", run=1)
    page.locator("#n_topics").fill("5")
    page.locator("#start").click()
    page.get_by_text("multiplies the probability of re-identification by 1.95, from").wait_for(timeout=WAIT)


def test_changed_settings_mark_the_results_as_out_of_date(page, link):
    opened(page, f"{link}?view=people&n=150&run=1", VIEWS["people"][1])
    assert page.locator("#stale").is_hidden()
    assert page.locator("#synthetic").inner_text().startswith("These 150 people are synthetic")
    page.locator("#noise").fill("0.5")
    page.wait_for_selector("#stale:not([hidden])", timeout=WAIT)
    assert page.locator("#stale").inner_text().startswith("Out of date")
    page.wait_for_function("() => !location.search.includes('run=1')", timeout=WAIT)
    page.locator("#noise").fill("0.05")
    page.wait_for_selector("#stale", state="hidden", timeout=WAIT)
    page.locator("#noise").fill("0.5")
    page.locator("#start").click()
    page.wait_for_selector("#people:not(.old)[data-ended='Done.']", timeout=WAIT, state="attached")
    page.locator("#n").fill("9")
    page.locator("#start").click()
    page.wait_for_selector("#n[aria-invalid=true]", timeout=WAIT)
    assert page.locator("#sections").inner_text() == ""


def test_a_first_visit_is_guided_and_can_be_skipped(page, bare):
    opened(page, bare, "#guide:not([hidden])")
    assert page.locator("#guide-title").inner_text() == "First minute, 1 of 6"
    for _ in range(3):
        page.locator("#guide-next").click()
    page.wait_for_selector("#crowd figure", timeout=WAIT)
    page.locator("#guide-skip").click()
    assert page.locator("#guide").is_hidden()
    in_address(page, view="design", picture="crowd")
    page.reload()
    page.wait_for_selector("#crowd figure", timeout=WAIT)
    assert page.locator("#guide").is_hidden(), "not twice"
    page.get_by_role("button", name="Guide").click()
    page.keyboard.press("Escape")
    assert page.locator("#guide").is_hidden()
    assert page.said == []


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
    page.get_by_text("Formulas, sources and assumptions").click()
    for name, start in (
        ("CSV: all closed forms", b"API,number,"),
        ("SVG: Over time", b"<svg"),
        ("PNG: Over time", b"\x89PNG"),
    ):
        with page.expect_download(timeout=WAIT) as waiting:
            page.get_by_role("link", name=f"Download {name}").first.click()
        assert waiting.value.path().read_bytes().startswith(start)
        assert waiting.value.suggested_filename.startswith("quiff-design")


def test_the_token_stays_in_every_request(page):
    with served("--host", "0.0.0.0") as explorer:  # noqa: S104 - what is tested
        port, token = explorer.link.rstrip("/").split(":")[2].split("/")
        opened(page, f"http://127.0.0.1:{port}/{token}/", DRAWN)
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
