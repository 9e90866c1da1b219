"""One of a kind is told in the singular, in tables and sentences alike."""

import re

import pytest

import quiff
from quiff import Cookies, Population, TopicsAPI

ALONE, API = Population.from_sets({"Alice": {"Art"}}), TopicsAPI(1, 1, 0.5)
RESULTS = {
    "measure": lambda: quiff.measure(ALONE, API),
    "epochs": lambda: quiff.over_time(ALONE, API, 1, utility=True),
    "risk": lambda: quiff.user_risk(ALONE, API),
    "exposure": lambda: quiff.exposure(ALONE, API),
    "attributes": lambda: quiff.attribute_inference(ALONE, API, value="Art"),
    "popularity": lambda: quiff.popularity(ALONE, API, simulations=1),
    "rules": lambda: quiff.browser_rules(ALONE, API, samples=2),
    "apis": lambda: quiff.measure(ALONE, Cookies(), API),
    "attacks": lambda: quiff.attack(ALONE, API, observations=[1], seeds=1, earlier=0),
}
THINGS = "user|topic|epoch|set|profile|report|target|simulation|setting"
WRONG = re.compile(rf"(?<![\d.])1 (different |distinct )?({THINGS})s\b")


@pytest.mark.parametrize("name", RESULTS)
def test_one_of_a_kind_is_told_in_the_singular(name):
    found = RESULTS[name]()
    text = "\n".join([str(found), found.figure().title])
    assert WRONG.search(text) is None, WRONG.search(text)
    assert "1 user" in text or name == "attacks"
