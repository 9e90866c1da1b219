"""What an epsilon promises: no channel exceeds the bounds, and randomised response attains them."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import quiff
from quiff import mechanisms, theory
from quiff.testing.strategies import channels, priors_for
from words import refused


@settings(max_examples=60, deadline=None)
@given(channels().flatmap(lambda C: st.tuples(st.just(C), priors_for(C.inputs))))
def test_no_channel_exceeds_the_bounds(pair):
    C, prior = pair
    e, k = quiff.epsilon(C), C.inputs.size
    for x in C.inputs:
        for y in C.outputs:
            evidence = sum(prior[z] * C[z, y] for z in C.inputs)
            if evidence > 0:
                assert float(prior[x] * C[x, y] / evidence) <= theory.posterior_bound(prior[x], e) + 1e-9
    assert quiff.bayes_capacity(C) <= theory.capacity_bound(e, k) + 1e-9
    assert theory.capacity_bound(e, k) <= theory.capacity_bound(e) * (1 + 1e-9)
    uniform = quiff.Prior.uniform(C.inputs)
    assert float(quiff.posterior_vulnerability(uniform, C)) <= theory.guess_bound(k, e) + 1e-9
    assert quiff.mutual_information(prior, C) <= theory.shannon_bound(e) + 1e-9
    curve = quiff.trade_off(C)
    for alarms in (0.0, 0.01, 0.2, 0.5):
        assert 1 - curve(alarms) <= theory.detection_bound(alarms, e) + 1e-9


@given(st.floats(0, 20), st.integers(2, 6), st.floats(0, 1))
def test_randomised_response_attains_them(e, k, alarms):
    C = mechanisms.randomised_response(range(k), e)
    assert quiff.bayes_capacity(C) == pytest.approx(theory.capacity_bound(e, k))
    assert C[0, 0] == pytest.approx(theory.guess_bound(k, e))
    two = mechanisms.warner(e)
    assert 1 - quiff.trade_off(two)(alarms) == pytest.approx(theory.detection_bound(alarms, e), abs=1e-9)
    posterior = 0.1 * two["yes", "yes"] / (0.1 * two["yes", "yes"] + 0.9 * two["no", "yes"])
    assert posterior == pytest.approx(theory.posterior_bound(0.1, e))
    p = two["yes", "yes"]
    divergence = p * math.log2(p / (1 - p)) + (1 - p) * math.log2((1 - p) / p) if p < 1 else math.inf
    assert divergence == pytest.approx(theory.shannon_bound(e), abs=1e-6)


@settings(max_examples=30, deadline=None)
@given(st.floats(0.05, 2), st.integers(1, 6), st.floats(0, 6))
def test_composition_is_that_of_randomised_responses(e, n, at):
    repeated = quiff.repeat(mechanisms.warner(e), n)
    assert theory.composed_delta_bound(e, n, at) == pytest.approx(float(quiff.delta(repeated, at)), abs=1e-12)


@settings(max_examples=25, deadline=None)
@given(channels(max_size=3).filter(lambda C: 0.01 < quiff.epsilon(C) < 5), st.floats(0, 5))
def test_no_two_observations_do_worse(C, at):
    bound = theory.composed_delta_bound(quiff.epsilon(C), 2, at)
    assert float(quiff.delta(quiff.repeat(C, 2), at)) <= bound + 1e-9


@given(st.floats(0.05, 3), st.integers(1, 60), st.floats(1e-9, 0.5))
def test_epsilon_but_for_delta(e, n, delta):
    found = theory.composed_epsilon_bound(e, n, delta)
    assert 0 <= found <= n * e * (1 + 1e-12)
    assert theory.composed_delta_bound(e, n, found) <= delta * (1 + 1e-9)
    if found > 0:
        assert theory.composed_delta_bound(e, n, found * 0.999) > delta * (1 - 1e-6)


def test_the_ends():
    assert theory.posterior_bound(0.001, math.inf) == 1
    assert theory.posterior_bound(0, 5) == 0
    assert theory.capacity_bound(math.inf) == theory.capacity_bound(1000) == math.inf
    assert theory.capacity_bound(1000, 7) == 7
    assert theory.composed_delta_bound(math.inf, 3, 1) == 1
    assert theory.composed_epsilon_bound(math.inf, 3, 0.1) == math.inf
    assert theory.composed_epsilon_bound(1, 3, 1) == 0
    with refused(quiff.ParameterError, 0):
        theory.guess_bound(2, -1)
