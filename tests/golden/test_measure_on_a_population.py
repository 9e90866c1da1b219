"""The whole of `measure` on 249 997 published made-up users (PETS '24): figures of a separate prototype."""

import json

import pytest
from click.testing import CliRunner

from quiff.cli import main


def value(found, api, quantity, **others):
    """The one number of some rows of JSON."""
    wanted = {"api": api, "quantity": quantity, "scope": "people", **others}
    (row,) = (row for row in found["rows"] if all(row[key] == is_ for key, is_ in wanted.items()))
    return row["value"]


def measured(mirror, *options):
    arguments = ["measure", str(mirror / "topics-users-250000.csv.tar.gz"), *options, "--json"]
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 0, result.output
    assert result.stderr == ""
    return json.loads(result.stdout)


@pytest.fixture(scope="module")
def found(mirror):
    return measured(mirror)


def test_the_population(found):
    people = found["population"]
    assert (people["users"], people["distinct_sets"], people["occurring_topics"]) == (249_997, 209_745, 349)
    assert f"{people['unique_users']:.4f}" == "0.7646"
    assert people["anonymity"] == 1


def test_privacy(found):
    assert value(found, "cookies", "leakage") == 249_997
    assert value(found, "topics", "leakage", stage="generalization") == 209_745
    assert value(found, "topics", "leakage", stage="bounded_noise") == pytest.approx(69.8)
    assert f"{value(found, 'topics', 'leakage', stage='topics'):.2f}" == "66.36"
    assert f"{value(found, 'topics', 'posterior', stage='generalization'):.4f}" == "0.8390"


def test_utility(found):
    def reached(stage, goal, quantity="goal_posterior"):
        return value(found, "topics", quantity, stage=stage, goal=goal, prior="population")

    assert f"{reached('topics', 'topics', 'goal_prior'):.4f}" == "0.2713"
    assert f"{reached('topics', 'topics'):.5f}" == "0.95406"
    assert reached("bounded_noise", "topics") == pytest.approx(1)
    assert f"{reached('bounded_noise', 'secret'):.5f}" == "0.00213"
    before, after = (value(found, "cookies", f"goal_{q}", goal="topics") for q in ("prior", "posterior"))
    assert f"{before:.4f}" == "0.2713"
    assert after == pytest.approx(1)


def test_limits(found):
    for scope in ("people", "all"):
        of = {"stage": "topics", "scope": scope}
        assert f"{value(found, 'topics', 'bayes_capacity', **of):.2f}" == "66.36"
        assert f"{value(found, 'topics', 'epsilon', **of):.3f}" == "7.191"
        assert f"{value(found, 'topics', 'max_case_capacity', **of):.1f}" == "1327.2"


def test_the_published_misalignment_more_than_doubles_the_posterior(mirror, found):
    published = measured(mirror, "--prior", "as-published")
    of = {"stage": "bounded_noise", "goal": "secret"}
    as_published, right = (
        value(published, "topics", "goal_posterior", prior=prior, **of)
        for prior in ("as-published", "population")
    )
    assert (f"{as_published:.5f}", f"{right:.5f}") == ("0.00517", "0.00213")
    assert [row for row in published["rows"] if row["prior"] != "as-published"] == found["rows"]
