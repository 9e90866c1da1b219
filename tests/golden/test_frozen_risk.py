"""Every number of 0.1 on single users, outputs and topics is still there, under its new name."""

import json

import numpy as np
import pytest

from golden.frozen_commands import FOLDER, PEOPLE, WEEKS, numbers
from quiff import Cookies, Population, TopicsAPI, attribute_inference, exposure, user_risk
from quiff.measures.distribution import Distribution
from quiff.results.numbers import plain

CASES = {
    "measure": (lambda: Population.read(PEOPLE), TopicsAPI()),
    "measure-weighted": (lambda: Population.read(PEOPLE, weights="weight"), TopicsAPI(noise=0.2)),
    "measure-occurring": (lambda: Population.read(PEOPLE), TopicsAPI("occurring", noise=0.0)),
    "measure-week": (lambda: Population.read(WEEKS).epoch(2), TopicsAPI()),
}
OF_A_TOPIC = {
    "share": "value_share",
    "prior": "goal_prior",
    "posterior": "goal_posterior",
    "leakage": "leakage",
    "added": "added",
    "given_topic": "named_posterior",
    "given_other": "unnamed_posterior",
}


QUANTILES = {
    "min": 0, "lower_quartile": 0.25, "median": 0.5, "upper_quartile": 0.75,
    "p95": 0.95, "p99": 0.99, "max": 1,
}  # fmt: skip


def spread(people, values, threshold):
    """Return the numbers of users as their distribution has them."""
    one = np.ones(people.users.size, dtype=np.int64)
    mass = (one if people.weights is None else people.weights) * (
        one if people.counts is None else people.counts
    )
    found = Distribution(values, mass)
    return {
        "mean": found.mean,
        **{name: found.quantile(share) for name, share in QUANTILES.items()},
        "threshold": threshold,
        "share_above": found.share_above(threshold),
        "histogram": [dict(zip(("from", "below", "share"), bar, strict=True)) for bar in found.histogram()],
    }


def by_stage(result, people):
    """Return what is known of each stage under the name that 0.1 gave it; rows and payload say the same."""
    names, stages = {"topics": "topics_api"}, {}
    for entry in result.payload["stages"]:
        spec, stage = entry["api"], entry["stage"]
        own, worst = (
            spread(people, result.per_user.values[spec, stage, name], result.words["threshold"])
            for name in ("own_risk", "worst_posterior")
        )
        assert [tuple(bar.values()) for bar in own["histogram"]] == entry["histogram"]
        for name in ("mean", "median", "p95", "p99", "max"):
            assert result[spec, stage, f"risk_{name.removeprefix('p')}"] == own[name]
        assert result[spec, stage, "users_above"] == own["share_above"]
        assert list(entry["worst_posterior"].values()) == [
            worst[name] for name in ("mean", "median", "p95", "p99", "max", "share_above")
        ]
        stages[names.get(stage, stage)] = own | {"worst_posterior": worst}
    return stages


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
    expect_frozen(name, "risk", by_stage(user_risk(people, Cookies(), api), people))


def test_the_topics_that_expose_most_are_those_that_were_frozen():
    people, api = CASES["measure"][0](), CASES["measure"][1]
    result = exposure(people, api)
    numbers = {
        "users": result.population["users"],
        "guess": result[api.spec, "prior"],
        "vulnerability": result[api.spec, "posterior"],
    }
    topics = [{**output, "topic": int(output["output"])} for output in result.payload["outputs"]]
    expect_frozen("measure", "exposure", {**numbers, "topics": topics})


def test_what_is_said_of_one_topic_is_what_was_frozen():
    people, api = CASES["measure"][0](), CASES["measure"][1]
    result = attribute_inference(people, Cookies(), api, value=15)
    stages = {}
    for (_, stage), rows in result.rows.by("api", "stage").items():
        stages["topics_api" if stage == "topics" else stage] = {
            name: rows[quantity] for name, quantity in OF_A_TOPIC.items() if rows[quantity] is not None
        }
    share = result["cookies", "value_share"]
    expect_frozen(
        "measure", "topic 15", {"topic": int(result.words["value"]), "share": share, "stages": stages}
    )
