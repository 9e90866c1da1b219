"""Every number that version 0.1 measured on two small populations is still there, under its new name."""

import json
import re

import pytest
from click.testing import CliRunner

from golden.frozen_commands import FOLDER, PEOPLE, WEEKS
from quiff.cli import main

COMMANDS = {
    "measure": ("topics", [PEOPLE]),
    "measure-weighted": ("topics:noise=0.2", [PEOPLE, "--weights", "weight", "--api", "topics:noise=0.2"]),
    "measure-occurring": (
        "topics:n_topics=occurring,noise=0.0", [PEOPLE, "--api", "topics:n_topics=occurring,noise=0.0"],
    ),
    "measure-week": ("topics", [WEEKS, "--epoch", "2"]),
}  # fmt: skip
STAGES = ("cookies", "generalization", "bounded_noise", "topics")
GOALS = {"bayes": "secret", "iba": "topics"}
SCOPES = {"0": "all", "2": "people"}
# What is gone: the same numbers under a second name; numbers of the parameters, which stand in provenance;
# formulas with m' topics, which are those of n_topics=occurring; histories taken to be everybody's own, which
# are users; and lengths of lists. Risk, exposure and single topics have tests of their own.
GONE = (
    r"/setting/", r"/counts_table/", r"/length$", r"/limits/n_topics", r"/limits_table/./topics",
    r"/privacy_table/./capacity \(m'=", r"/utility_bayes_table/[01]/", r"/risk/", r"/exposure/",
    r"/topic 15/",
    r"/comparison/settings/./(n_topics|top_s|noise|genuine_probability)", r"/comparison/users",
)  # fmt: skip


def answered(arguments):
    done = CliRunner().invoke(main, ["measure", *map(str, arguments), "--json"])
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def number(found, api, quantity, stage, **others):
    api = "cookies" if stage == "cookies" else api
    wanted = {"api": api, "stage": stage, "quantity": quantity, **others}
    (row,) = (row for row in found["rows"] if all(row[key] == is_ for key, is_ in wanted.items()))
    return row["value"]


def expected(found, api, place):
    """Return the number that stands for a place in 0.1's JSON; None if it is gone."""
    if any(re.search(gone, place) for gone in GONE):
        return None
    people = found["population"]
    if (name := place.rpartition("/")[2]) in people and place.count("/") <= 2:
        return people[name]
    if match := re.fullmatch(r"/privacy/(\w+)", place):
        return number(found, api, "leakage", match[1].replace("topics_api", "topics"))
    if match := re.fullmatch(r"/privacy_table/(.)/(prior|posterior|leakage)", place):
        return number(found, api, match[2], STAGES[int(match[1])], goal="user")
    if match := re.fullmatch(r"/privacy_table/(.)/capacity \(m=.*\)", place):
        most = number(found, api, "bayes_capacity", STAGES[int(match[1])], scope="all")
        return people["users"] if most == "inf" else min(most, people["users"]) if match[1] == "1" else most
    if match := re.fullmatch(r"/utility/(bounded_noise|topics_api)_(bayes|iba)", place):
        stage = match[1].replace("topics_api", "topics")
        return number(found, api, "goal_posterior", stage, goal=GOALS[match[2]], prior="population")
    if match := re.fullmatch(r"/utility/(bayes|iba)_prior", place):
        return number(found, api, "goal_prior", "topics", goal=GOALS[match[1]], prior="population")
    if match := re.fullmatch(r"/utility_(bayes|iba)_table/(.)/(uniform )?(prior|posterior|leakage)", place):
        stage = STAGES[int(match[2]) + (2 if match[1] == "iba" else 0)]
        of = {"goal": GOALS[match[1]], "prior": "uniform" if match[3] else "population"}
        before, after = (number(found, api, f"goal_{q}", stage, **of) for q in ("prior", "posterior"))
        return {"prior": before, "posterior": after, "leakage": after / before}[match[4]]
    if match := re.fullmatch(r"/limits/(\w+)", place):
        return number(found, api, match[1], "topics", scope="all")
    if match := re.fullmatch(r"/limits_table/(.)/(.+)", place):
        names = {"Bayes capacity": "bayes_capacity", "max-case capacity": "max_case_capacity"}
        last = SCOPES.get(match[1])
        if last is None:  # by formula with m' topics, or the channel's own where m' = m
            return None
        return number(found, api, names.get(match[2], match[2]), "topics", scope=last)
    raise AssertionError(f"what has become of {place}?")


@pytest.mark.parametrize("name", COMMANDS)
def test_the_numbers_are_those_that_were_frozen(name):
    api, arguments = COMMANDS[name]
    found, frozen = answered(arguments), json.loads((FOLDER / f"{name}.json").read_text())
    compared = {place: expected(found, api, place) for place in frozen}
    assert sum(value is not None for value in compared.values()) > 45
    for place, value in compared.items():
        if value is not None:
            assert value == pytest.approx(frozen[place], rel=1e-9), place


SETTINGS = ("topics", "topics:noise=0.2", "topics:n_topics=600")
FIGURES = {
    "posterior": ("posterior", {"goal": "user"}),
    "leakage": ("leakage", {"goal": "user"}),
    "bayes_capacity": ("bayes_capacity", {"scope": "all"}),
    "epsilon": ("epsilon", {"scope": "people"}),
    "max_case_capacity": ("max_case_capacity", {"scope": "people"}),
    "prior_utility": ("goal_prior", {"goal": "topics", "prior": "population"}),
    "utility": ("goal_posterior", {"goal": "topics", "prior": "population"}),
    "prior_reconstruction": ("goal_prior", {"goal": "secret", "prior": "population"}),
    "reconstruction": ("goal_posterior", {"goal": "secret", "prior": "population"}),
}


@pytest.mark.parametrize("place", range(3))
def test_the_numbers_of_settings_beside_each_other(place):
    found = answered([PEOPLE, *(f"--api={spec}" for spec in SETTINGS)])
    frozen = json.loads((FOLDER / "measure-settings.json").read_text())
    for name, (quantity, of) in FIGURES.items():
        value = number(found, SETTINGS[place], quantity, "topics", **of)
        assert value == pytest.approx(frozen[f"/comparison/settings/{place}/{name}"], rel=1e-9)
    assert found["population"]["distinct_sets"] == frozen[f"/comparison/settings/{place}/distinct_sets"]
