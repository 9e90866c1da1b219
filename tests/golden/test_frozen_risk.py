"""Every number of 0.1 on single users, outputs and topics is still there, under its new name."""

import json

import pytest

from golden.frozen_commands import FOLDER, PEOPLE, WEEKS, numbers
from quiff import Cookies, Population, TopicsAPI, attribute_inference, exposure, user_risk
from quiff.results.numbers import plain

CASES = {
    "measure": (lambda: Population.read(PEOPLE), TopicsAPI()),
    "measure-weighted": (lambda: Population.read(PEOPLE, weights="weight"), TopicsAPI(noise=0.2)),
    "measure-occurring": (lambda: Population.read(PEOPLE), TopicsAPI("occurring", noise=0.0)),
    "measure-week": (lambda: Population.read(WEEKS).epoch(2), TopicsAPI()),
}


def by_stage(facts):
    """Return what is known of each stage under the name that 0.1 gave it."""
    names = {"topics": "topics_api"}
    return {names.get(stage, stage): row for stages in facts.values() for stage, row in stages.items()}


def expect_frozen(name, start, found):
    frozen = json.loads((FOLDER / f"{name}.json").read_text())
    frozen = {place: value for place, value in frozen.items() if place.startswith(f"/{start}/")}
    found = dict(numbers(plain({start: found})))
    assert frozen
    assert set(frozen) <= set(found)
    for place, value in frozen.items():
        assert found[place] == pytest.approx(value, rel=1e-9, abs=1e-12), place


@pytest.mark.parametrize("name", CASES)
def test_the_risks_are_those_that_were_frozen(name):
    people, api = CASES[name][0](), CASES[name][1]
    expect_frozen(name, "risk", by_stage(user_risk(people, Cookies(), api).facts["risk"]))


def test_the_topics_that_expose_most_are_those_that_were_frozen():
    people, api = CASES["measure"][0](), CASES["measure"][1]
    facts = plain(exposure(people, api).facts["exposure"])
    rows = [{**row, "topic": row["output"]} for row in facts["outputs"]]
    expect_frozen("measure", "exposure", {**facts, "topics": rows})


def test_what_is_said_of_one_topic_is_what_was_frozen():
    people, api = CASES["measure"][0](), CASES["measure"][1]
    facts = attribute_inference(people, Cookies(), api, value=15).facts["inference"]
    stages = {
        stage: {name.replace("named", "topic"): number for name, number in row.items()}
        for stage, row in by_stage(facts["stages"]).items()
    }
    expect_frozen("measure", "topic 15", {"topic": facts["value"], "share": facts["share"], "stages": stages})
