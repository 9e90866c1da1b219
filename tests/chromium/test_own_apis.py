"""APIs that quiff does not know, in a real browser: in the report, and on the page."""

import re

import pytest

from generality.own_apis import FILE, LEAKAGES, OPTIONS, write_people
from quiff.cli import main
from web.served import served

WAIT = 300_000  # milliseconds; other tests may run at the same time
CLASSES = {
    "hash_cohort": "HashCohort",
    "random_country": "RandomCountry",
    "numbered_buckets": "NumberedBuckets",
}
TITLES = {
    "hash_cohort": "hash cohort",
    "random_country": "randomised country",
    "numbered_buckets": "numbered buckets",
}


@pytest.fixture(scope="module")
def people(tmp_path_factory):
    return write_people(tmp_path_factory.mktemp("own") / "people.csv")


def options():
    return [text for name in CLASSES.values() for text in ("--api", f"{FILE}:{name}")]


def test_the_report(page, people, tmp_path):
    out = tmp_path / "report.html"
    main(
        ["report", str(people), *OPTIONS, "--api", "cookies", *options(), "--out", str(out)],
        standalone_mode=False,
    )
    page.goto(out.as_uri())
    assert page.said == []
    for name, leakage in LEAKAGES.items():
        sentence = f"multiplies the probability of re-identification by {leakage:g}, from 12.5 %"
        told = page.locator("#reveals p").filter(has_text=re.compile(TITLES[name], re.IGNORECASE))
        assert told.filter(has_text=sentence).count() == 1
    lines = page.locator("main table").first.locator("tbody tr").all_inner_texts()
    shown = [f"{100 * leakage / 8:.3g}\N{NO-BREAK SPACE}%" for leakage in LEAKAGES.values()]
    assert [line.split("\t")[1].split(" (")[0] for line in lines] == [*shown, "100\N{NO-BREAK SPACE}%"]
    assert page.locator("img").evaluate_all("pictures => pictures.every(p => p.naturalWidth > 100)")


@pytest.fixture(scope="module")
def explorer(people):
    with served(people, *OPTIONS, *options()) as running:
        yield running


@pytest.mark.parametrize("name", CLASSES)
def test_the_page(page, explorer, name):
    page.goto(f"{explorer.link}?view=people&source=file")
    page.locator("#api").select_option(label=TITLES[name])
    page.locator("#start").click()
    page.wait_for_selector("#people[data-ended='Done.']", timeout=WAIT, state="attached")
    first = page.locator("#sections section").first
    sentence = f"multiplies the probability of re-identification by {LEAKAGES[name]:g}, from 12.5 %"
    assert first.get_by_text(sentence).is_visible()
    assert page.locator("#sections h2").count() >= 3
    assert page.locator("#problem").is_hidden()
    assert page.said == []


def test_a_parameter_of_ones_own_is_a_control_with_its_range(page, explorer):
    page.goto(f"{explorer.link}?view=people&source=file&api=random_country")
    field, slider = page.locator("#truth"), page.locator("#truth-slider")
    ends = slider.get_attribute("min"), slider.get_attribute("max")
    assert (*ends, field.input_value()) == ("0", "1", "0.75")
    field.fill("1")
    page.locator("#start").click()
    page.wait_for_selector("#people[data-ended='Done.']", timeout=WAIT, state="attached")
    # three countries, told truly
    assert page.get_by_text("multiplies the probability of re-identification by 3, from 12.5 %").is_visible()
    assert "api=random_country%3Atruth%3D1" in page.url


def test_a_file_cannot_be_named_in_the_address(page, explorer):
    page.goto(f"{explorer.link}?view=design&api={FILE}:HashCohort")
    page.wait_for_selector("#api[aria-invalid=true]", timeout=WAIT)
    assert page.locator("#api-reason").inner_text().startswith("there is no API ")
