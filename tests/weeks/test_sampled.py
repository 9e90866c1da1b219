"""Vulnerabilities from drawn outputs: near the exact ones, whatever kernel holds the channel."""

import numpy as np
import pytest

from quiff import (
    AggregatableReports,
    Channel,
    Population,
    Prior,
    RealTimeMonitoring,
    TopicsAPI,
    WinSignals,
    measure,
    parallel,
    posterior_vulnerability,
)
from quiff.core.gain import Gain, bayes_gain, membership_gain, tries_gain
from quiff.core.kernels.one_hot import OneHotKernel
from quiff.core.labels import as_labels
from quiff.mechanisms import randomised_response
from quiff.weeks.sampled import sampled_vulnerability

BASE, MARKED = np.array([0.5, 0.3, 0.2, 0.0]), np.array([0.1, 0.2, 0.6, 0.1])
LABELS = as_labels(range(6))
CELLS = OneHotKernel(BASE, MARKED, np.array([-1, 0, 1, 1, 3, 2]), 4)
NOISY = Channel.from_kernel(LABELS, as_labels(range(CELLS.n_columns)), CELLS)
CHANNELS = {
    "noisy cells": NOISY,
    "product": parallel(NOISY, randomised_response(LABELS, epsilon=1.0)),
    "dense": Channel(np.eye(6) * 0.4 + 0.1),
    "map": Channel.deterministic({x: x % 2 for x in LABELS}),
}
GAINS = {
    "guess": None,
    "two tries": tries_gain(LABELS, 2),
    "member": membership_gain({x: [x % 3, (x + 1) % 3] for x in LABELS}, range(3)),
    "matrix": Gain(np.arange(12.0).reshape(2, 6), inputs=LABELS),
    "bayes": bayes_gain(LABELS),
}


@pytest.mark.parametrize("channel", CHANNELS)
@pytest.mark.parametrize("gain", GAINS)
def test_the_interval_holds_the_exact_value(channel, gain):
    prior = Prior.from_counts(dict(zip(LABELS, (3, 1, 4, 1, 5, 9), strict=True)))
    exact = float(posterior_vulnerability(prior, CHANNELS[channel], GAINS[gain]))
    found = [sampled_vulnerability(prior, CHANNELS[channel], GAINS[gain], seed=seed) for seed in range(5)]
    assert sum(each.low - 1e-9 <= exact <= each.high + 1e-9 for each in found) >= 4
    assert all(each.high - each.low < 0.1 * max(exact, 1) for each in found)


def test_goals_on_outputs_without_end_have_an_interval():
    people = Population.synthetic(300, seed=1, n_topics=20, top_s=2, attributes=["conversions"])
    for api in (AggregatableReports(keys=4), RealTimeMonitoring()):
        result = measure(people, api)
        row = result.row(api.spec, "goal_posterior", "topics")
        assert row.method == "monte-carlo"
        assert result[api.spec, "goal_prior", "topics"] <= row.low <= row.value <= row.high
        assert (
            f"{api.title}: what is learnt of 'topics' is sampled, with an interval of 95 %." in result.notes
        )


def test_noisy_keys_that_tell_everything_tell_what_the_conversions_tell():
    """At epsilon 64 the key is known but for e^-32: the goal on topics is that of the key itself."""
    people = Population.synthetic(300, seed=1, n_topics=20, top_s=2, attributes=["conversions"])
    api = AggregatableReports(64, 8)
    row = measure(people, api).row(api.spec, "goal_posterior", "topics")
    key = api.secret(people)
    from quiff.people.members import attribute_gain

    exact = float(posterior_vulnerability(people.user_prior(), key, attribute_gain(people, "topics")))
    assert row.low <= exact <= row.high


def test_what_can_be_looked_at_is_exact():
    people = Population.synthetic(300, seed=1, n_topics=20, top_s=2)
    for api in (TopicsAPI(20, 2), WinSignals()):
        assert measure(people, api).row(api.spec, "goal_posterior", "topics").method == "exact"
