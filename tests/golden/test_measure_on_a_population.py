"""The whole of `measure` on 249 997 published made-up users (PETS '24): figures of a separate prototype."""

import json

import pytest
from click.testing import CliRunner

from quiff.cli import main


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
    assert (found["users"], found["distinct_sets"], found["occurring_topics"]) == (249_997, 209_745, 349)
    assert f"{found['unique_users']:.4f}" == "0.7646"
    assert found["anonymity"] == 1


def test_privacy(found):
    assert found["privacy"]["cookies"] == 249_997
    assert found["privacy"]["generalization"] == 209_745
    assert found["privacy"]["bounded_noise"] == pytest.approx(69.8)
    assert f"{found['privacy']['topics_api']:.2f}" == "66.36"
    posteriors = {row["step"]: row["posterior"] for row in found["privacy_table"]}
    assert f"{posteriors['generalization']:.4f}" == "0.8390"
    assert [row["reached"] for row in found["privacy_table"]] == [True, False, True, True]


def test_utility(found):
    utility = found["utility"]
    assert f"{utility['iba_prior']:.4f}" == "0.2713"
    assert f"{utility['topics_api_iba']:.5f}" == "0.95406"
    assert utility["bounded_noise_iba"] == pytest.approx(1)
    assert f"{utility['bounded_noise_bayes']:.5f}" == "0.00213"


def test_limits(found):
    limits = found["limits"]
    assert limits["n_topics"] == 349
    assert (f"{limits['bayes_capacity']:.2f}", f"{limits['epsilon']:.3f}") == ("66.36", "7.191")
    assert f"{limits['max_case_capacity']:.1f}" == "1327.2"
    assert found["limits_table"][-1]["epsilon"] == pytest.approx(limits["epsilon"])


def test_the_published_misalignment_more_than_doubles_the_posterior(mirror, found):
    published = measured(mirror, "--prior", "as-published")
    assert f"{published['utility']['bounded_noise_bayes']:.5f}" == "0.00517"
    assert f"{published['aligned_utility']['bounded_noise_bayes']:.5f}" == "0.00213"
    assert published["utility"]["bayes_prior"] == found["utility"]["bayes_prior"]
    assert published["privacy"] == found["privacy"]
