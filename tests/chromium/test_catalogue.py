"""The APIs of the catalogue on the page: every parameter has a control, and moves the numbers."""

import json

import pytest
from click.testing import CliRunner

from quiff.apis.base import parameters_of
from quiff.apis.registry import apis
from quiff.cli import main
from quiff.results.numbers import said
from web.served import served

WAIT = 300_000  # milliseconds; other tests may run at the same time
# What is done on the page, by the kind of control, and the API that this spells.
MOVES = {
    "event_level": (
        [("select", "source_type", "view"), ("fill", "windows", "2 7"), ("fill", "trigger_data", "4"),
         ("fill", "reports", "2"), ("fill", "epsilon", "3.5")],
        "event_level:source_type=view,trigger_data=4,windows=2 7,reports=2,epsilon=3.5",
    ),
    "aggregatable": (
        [("fill", "epsilon", "0.25"), ("fill", "keys", "7")], "aggregatable:epsilon=0.25,keys=7",
    ),
    "partitioned_cookies": ([("uncheck", "across", "")], "partitioned_cookies:across=False"),
    "select_url": (
        [("fill", "urls", "5"), ("select", "budget", "page"), ("fill", "bits", "9")],
        "select_url:urls=5,budget=page,bits=9",
    ),
    "parakeet": (
        [("fill", "centroids", "20"), ("slide", "truth", "0.5"), ("select", "attribute", "history")],
        "parakeet:centroids=20,truth=0.5,attribute=history",
    ),
    "w3c_attribution": ([("slide", "epsilon", "500")], None),
}  # fmt: skip


@pytest.fixture(scope="module")
def link():
    with served() as explorer:
        yield explorer.link


def opened(page, link, name):
    page.goto(f"{link}?view=design&api={name}")
    page.wait_for_function("(name) => document.getElementById('api')?.value === name", arg=name, timeout=WAIT)


def answered(page, spec):
    page.wait_for_function(
        """(spec) => {
          const asked = new URLSearchParams(document.getElementById("design").dataset.answered);
          return asked.get("api") === spec;
        }""",
        arg=spec,
        timeout=WAIT,
    )


@pytest.mark.parametrize("name", MOVES)
def test_controls_move_the_numbers_to_those_of_quiff_theory(page, link, name):
    opened(page, link, name)
    moves, spec = MOVES[name]
    for kind, parameter, value in moves:
        place = page.locator(f"#{parameter}")
        if kind == "fill":
            place.fill(value)
        elif kind == "select":
            place.select_option(value)
        elif kind == "uncheck":
            place.uncheck()
        else:
            page.locator(f"#{parameter}-slider").fill(value)
    if spec is None:  # a slider in powers of ten
        spec = f"{name}:epsilon={page.locator('#epsilon').input_value()}"
        assert 0.01 < float(page.locator("#epsilon").input_value()) < 4294
    answered(page, spec)
    found = json.loads(CliRunner().invoke(main, ["theory", "--json", "--api", spec]).output)
    told = {row["quantity"]: row["value"] for row in found["rows"] if not row["stage"]}
    shown = page.locator("#number-bayes_capacity").inner_text()
    capacity = told["bayes_capacity"]
    assert shown == ("no limit" if capacity == "inf" else said(capacity))
    assert not [text for text in page.said if "Error" in text]


def test_every_parameter_of_every_api_has_a_control(page, link):
    for name, api in apis().items():
        if name == "fitted":  # which has no default
            continue
        opened(page, link, name)
        for each in parameters_of(api):
            if not str(each.metadata["range"]).startswith("a file"):
                assert page.locator(f"#{each.name}").count() == 1, (name, each.name)
    assert page.said == []


def test_arrow_keys_move_by_one_step_so_that_every_value_can_be_reached(page, link):
    opened(page, link, "topics")
    for slider, key, times, value in (("top_s", "ArrowRight", 2, "7"), ("top_s", "ArrowLeft", 3, "4"),
                                      ("n_topics", "ArrowUp", 1, "350"), ("n_topics", "ArrowDown", 2, "348"),
                                      ("noise", "ArrowRight", 1, "0.06")):  # fmt: skip
        for _ in range(times):
            page.locator(f"#{slider}-slider").press(key)
        assert page.locator(f"#{slider}").input_value() == value, (slider, key)
    answered(page, "topics:n_topics=348,top_s=4,noise=0.06")


def test_an_empty_field_is_what_the_specification_says(page, link):
    opened(page, link, "event_level")
    page.locator("#reports").fill("2")
    answered(page, "event_level:reports=2")
    page.locator("#reports").fill("")
    answered(page, "event_level")
    page.locator("#windows").fill("9 1")
    page.wait_for_selector("#windows[aria-invalid=true]", timeout=WAIT)
    assert "increasing ends between 1 hour and 30 days" in page.locator("#windows-reason").inner_text()


def test_people_with_conversions_are_measured(page, link):
    page.goto(f"{link}?view=people&n=200&api=private_click_measurement&run=1")
    page.wait_for_selector("#people[data-ended='Done.']", timeout=WAIT)
    assert page.get_by_text(
        "a receiver guesses whether the user converted correctly with probability 100 %"
    ).first.is_visible()
