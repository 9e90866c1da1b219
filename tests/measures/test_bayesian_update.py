"""The iterative Bayesian update: the most likely distribution, its intervals, and what cannot be."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import quiff
from quiff import Channel, Prior, iterative_bayesian_update, mechanisms, repeat
from quiff.testing.strategies import channels
from words import refused


def log_likelihood(pi, rows, counts):
    expected = pi @ rows
    seen = counts > 0
    return counts[seen] @ np.log(expected[seen]) if (expected[seen] > 0).all() else -np.inf


@settings(max_examples=40, deadline=None)
@given(channels(max_size=4), st.data())
def test_it_is_at_least_as_likely_as_any_other(C, data):
    rows = C.to_numpy().astype(float)
    possible = np.flatnonzero(rows.any(axis=0))
    counts = np.zeros(rows.shape[1])
    counts[possible] = [data.draw(st.integers(0, 20)) for _ in possible]
    counts[possible[0]] += 1
    outputs = {C.outputs[int(y)]: counts[y] for y in possible}
    found = iterative_bayesian_update(C, outputs, tolerance=1e-12)
    best = log_likelihood(found.prior.to_numpy().astype(float), rows, counts)
    rng = np.random.default_rng(0)
    for other in [*np.eye(len(rows)), *rng.dirichlet(np.ones(len(rows)), size=20)]:
        assert best >= log_likelihood(other, rows, counts) - 1e-4


@settings(max_examples=30, deadline=None)
@given(channels(), st.integers(0, 99))
def test_every_kernel_gives_the_same(C, seed):
    outputs = C.sample([C.inputs[i % C.inputs.size] for i in range(30)], seed)
    dense = Channel(C.to_numpy(), C.inputs, C.outputs)
    ours, plain = (iterative_bayesian_update(X, outputs, max_rounds=50) for X in (C, dense))
    assert np.allclose(ours.prior.to_numpy().astype(float), plain.prior.to_numpy().astype(float), atol=1e-9)


def test_a_structured_channel_of_many_labels():
    """Beyond a block the kernel itself multiplies: 20 000 labels, each of them observed."""
    k = 20_000
    C = mechanisms.randomised_response(range(k), truth=0.5)
    true = np.r_[np.full(10, 0.05), np.full(k - 10, 0.5 / (k - 10))]
    expected = true * (0.5 - 0.5 / (k - 1)) + 0.5 / (k - 1)
    found = iterative_bayesian_update(C, dict(enumerate(expected * 1e6)), tolerance=1e-7)
    assert found.converged
    assert np.allclose(found.prior.to_numpy()[:10], 0.05, atol=1e-3)


def test_it_inverts_a_channel_and_its_intervals_hold():
    C = mechanisms.randomised_response(list("abc"), truth=0.6)
    true, rng, held = Prior({"a": 0.6, "b": 0.3, "c": 0.1}), np.random.default_rng(1), 0
    secrets = np.array(list("abc"))
    for run in range(30):
        drawn = C.sample(secrets[rng.choice(3, size=2000, p=[0.6, 0.3, 0.1])].tolist(), run)
        found = iterative_bayesian_update(C, drawn, bootstrap=100, seed=run)
        assert abs(found.prior["a"] - true["a"]) < 0.1
        low, high = found.interval("a")
        held += low <= true["a"] <= high
    assert held >= 24  # of 30 intervals of 95 %


def test_many_observations_of_one_person_are_outputs_too():
    C = repeat(mechanisms.randomised_response(range(50), truth=0.7), 12)  # 50^12 outputs
    found = iterative_bayesian_update(C, C.sample([3] * 40 + [9] * 10, 0))
    assert found.prior[3] == pytest.approx(0.8, abs=1e-3)


def test_a_start_with_zeros_keeps_them():
    C = mechanisms.warner(truth=0.75)
    found = iterative_bayesian_update(C, ["yes", "yes", "no"], start=Prior({"no": 1, "yes": 0}))
    assert found.prior["yes"] == 0
    assert found.rounds == 1


@pytest.mark.parametrize(
    ("outputs", "options", "numbers"),
    [
        ({}, {}, (0,)),
        ({"yes": -1}, {}, (0,)),
        (["maybe"], {}, ()),
        (["yes"], {"level": 1}, ()),
        (["yes"], {"bootstrap": -1}, ()),
        (["yes"], {"max_rounds": 0}, ()),
        (["yes"], {"tolerance": 0}, ()),
    ],
)
def test_what_makes_no_sense_is_refused(outputs, options, numbers):
    with refused(quiff.QuiffError, *numbers):
        iterative_bayesian_update(mechanisms.warner(1), outputs, **options)


def test_an_output_that_no_secret_has_is_refused():
    C = Channel.sparse({"a": {1: 1}}, outputs=[1, 2])
    with refused(quiff.LabelError):
        iterative_bayesian_update(C, [2])
    with refused(quiff.ParameterError, 200):
        iterative_bayesian_update(C, [1]).interval("a")


def test_a_prior_on_outputs_says_their_shares():
    # pi 3/4 + (1 - pi) 1/4 = 7/12 for pi = 2/3.
    C = Channel([[0.75, 0.25], [0.25, 0.75]], inputs=["x", "y"], outputs=["yes", "no"])
    shares = {"yes": 7 / 12, "no": 5 / 12}
    for outputs in (Prior(shares), shares, pd.Series(shares), pd.Series({"no": 5, "yes": 7})):
        found = iterative_bayesian_update(C, outputs, tolerance=1e-12)
        assert found.prior["x"] == pytest.approx(2 / 3, abs=1e-6)
    one_by_one = pd.Series(["yes"] * 7 + ["no"] * 5)
    assert iterative_bayesian_update(C, one_by_one).prior["x"] == pytest.approx(2 / 3, abs=1e-6)
    with refused(quiff.ParameterError):
        iterative_bayesian_update(C, Prior(shares), bootstrap=10)
    with pytest.raises(quiff.LabelError):
        iterative_bayesian_update(C, Prior({"maybe": 1}))
