"""Delta, the trade-off of errors and Bayes security, by their definitions and by what is known of them."""

import math
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import quiff
from quiff import Channel, Prior, bayes_security, delta, mechanisms, trade_off
from quiff.testing.strategies import channels, priors_for
from words import refused


def plain_delta(C, epsilon, pairs=None):
    """The definition, entry by entry."""
    rows = dict(zip(C.inputs, C.to_numpy().tolist(), strict=True))
    pairs = permutations(rows, 2) if pairs is None else [pair for p in pairs for pair in (p, p[::-1])]
    excesses = (
        sum(max(0, float(a) - math.exp(epsilon) * float(b)) for a, b in zip(rows[x], rows[z], strict=True))
        for x, z in pairs
    )
    return max(excesses, default=0)


epsilons = st.floats(0, 4)


@given(channels(), epsilons)
def test_delta_is_its_definition_for_every_kernel(C, epsilon):
    assert float(delta(C, epsilon)) == pytest.approx(plain_delta(C, epsilon), abs=1e-12)


@given(channels(max_size=4), epsilons, st.data())
def test_delta_of_given_pairs(C, epsilon, data):
    labels = st.sampled_from(list(C.inputs))
    pairs = data.draw(st.lists(st.tuples(labels, labels), min_size=1, max_size=3))
    assert float(delta(C, epsilon, pairs)) == pytest.approx(plain_delta(C, epsilon, pairs), abs=1e-12)
    assert float(delta(C, epsilon, pairs)) <= float(delta(C, epsilon)) + 1e-12


@given(channels(), st.tuples(epsilons, epsilons), st.floats(0, 1))
def test_delta_decreases_and_is_convex_in_e_to_the_epsilon(C, ends, share):
    low, high = sorted(map(math.exp, ends))
    middle = share * low + (1 - share) * high
    at = {value: float(delta(C, math.log(value))) for value in (low, middle, high)}
    assert at[high] <= at[low] + 1e-12
    assert at[middle] <= share * at[low] + (1 - share) * at[high] + 1e-9


@given(channels())
def test_epsilon_is_where_delta_is_nothing(C):
    least = quiff.epsilon(C)
    if least < math.inf:
        assert float(delta(C, least)) == pytest.approx(0, abs=1e-12)
        if least > 0.01:
            assert float(delta(C, least * 0.9)) > 0
    else:
        assert float(delta(C, math.inf)) > 0


@given(channels(exact=True).flatmap(lambda C: st.tuples(st.just(C), priors_for(C.inputs, exact=True))))
def test_bayes_security_is_the_least_ratio_of_errors(pair):
    """For any prior the error of the best guess keeps at least a share beta; two secrets attain it."""
    C, prior = pair
    beta = bayes_security(C)
    assert isinstance(beta, Fraction)
    before, after = 1 - quiff.vulnerability(prior), 1 - quiff.posterior_vulnerability(prior, C)
    assert after >= beta * before
    twos = [Prior({z: Fraction(z in two, 2) for z in C.inputs}) for two in permutations(C.inputs, 2)]
    if twos:
        ratios = [
            (1 - quiff.posterior_vulnerability(two, C)) / (1 - quiff.vulnerability(two)) for two in twos
        ]
        assert beta == min(ratios)


@settings(max_examples=40, deadline=None)
@given(channels(max_size=3), st.floats(0, 1))
def test_the_trade_off_is_the_dual_of_delta(C, alarm):
    """f(a) = sup over epsilon of 1 - delta - e^epsilon a and e^-epsilon (1 - delta - a), or 0."""
    curve = trade_off(C)
    for epsilon in np.linspace(0, 6, 9):
        missing = 1 - float(delta(C, epsilon))
        line = max(missing - math.exp(epsilon) * alarm, math.exp(-epsilon) * (missing - alarm))
        assert curve(alarm) >= line - 1e-9
    assert (np.diff(curve.false_alarms) > 0).all()
    assert (np.diff(curve.misses) <= 1e-12).all()
    slopes = np.diff(curve.misses) / np.diff(curve.false_alarms)
    assert (np.diff(slopes) >= -1e-6).all()
    # Each corner is a test of some pair: between the lines and the corners nothing is left.
    for place in curve.false_alarms:
        sup = max(
            max(
                0,
                1 - float(delta(C, e)) - math.exp(e) * place,
                math.exp(-e) * (1 - float(delta(C, e)) - place),
            )
            for e in [0, *(abs(math.log(-s)) for s in slopes if s < -1e-9)]
        )
        assert curve(place) <= sup + 1e-9


def test_randomised_response_among_100_000_labels():
    k, e = 100_000, 3.0
    C = mechanisms.randomised_response(range(k), e)
    q = 1 / (k - 1 + math.exp(e))
    assert delta(C, 1.0) == pytest.approx((math.exp(e) - math.exp(1)) * q, rel=1e-9)
    assert bayes_security(C) == pytest.approx(1 - (math.exp(e) - 1) * q, rel=1e-12)
    assert trade_off(C, pairs=[(0, 99_999)])(0.5) == pytest.approx(0.5, abs=1e-3)


def test_a_channel_of_many_rows_that_all_differ_is_looked_at_in_part():
    rng = np.random.default_rng(0)
    rows = rng.dirichlet(np.ones(30), size=400)
    C = Channel(rows)
    for epsilon in (0.0, 1.5):
        excess = np.maximum(rows[:, None] - math.exp(epsilon) * rows[None], 0).sum(axis=2)
        assert delta(C, epsilon) == pytest.approx(excess.max(), rel=1e-12)


@pytest.mark.parametrize(
    ("call", "numbers"),
    [
        (lambda C: delta(C, -1), (0, -1)),
        (lambda C: delta(C, "a"), ()),
        (lambda C: delta(C, 1, []), ()),
        (lambda C: delta(C, 1, [("yes", "no", "no")]), ()),
        (lambda C: delta(C, 1, [("yes", "maybe")]), ()),
        (lambda C: trade_off(C)(2), ()),
    ],
)
def test_what_makes_no_sense_is_refused(call, numbers):
    with refused(quiff.QuiffError, *numbers):
        call(mechanisms.warner(1))


@pytest.mark.parametrize("epsilon", [0.0, 0.3, 0.9, 1.5])
def test_delta_of_cells_brackets_that_of_the_noise(epsilon):
    true = max(0.0, 1 - math.exp((epsilon - 1) / 2))  # of Laplace noise of scale 1 on two numbers 1 apart
    widths = []
    for cells in (3, 30, 300):
        C = quiff.mechanisms.laplace([0, 1], scale=1, cells=cells)
        low, high = quiff.delta(C, epsilon), quiff.delta(C, epsilon, at_most=True)
        assert low <= true + 1e-12
        assert true <= high + 1e-12
        widths.append(high - low)
    assert widths[2] <= widths[1] <= widths[0]
    assert widths[2] < 0.01
    assert quiff.delta(C, epsilon, [(0, 1)], at_most=True) == pytest.approx(high)


def test_delta_of_all_outputs_is_its_own_bound():
    C = quiff.mechanisms.warner(ratio=3)
    assert quiff.delta(C, 0, at_most=True) == quiff.delta(C, 0)
