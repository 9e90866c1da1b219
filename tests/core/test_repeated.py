"""A channel that is run many times on one input: to count outputs in any order is as good as every order."""

from fractions import Fraction
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import quiff
from quiff import Channel, Prior, mechanisms, parallel, repeat
from quiff.testing.strategies import channels, gains_for, priors_for


def written_out(C):
    return Channel(C.to_numpy(), inputs=C.inputs)


@settings(max_examples=40)
@given(st.data(), channels(max_size=3), st.integers(2, 4))
def test_measures_are_those_of_all_orders(data, C, n):
    lazy = repeat(C, n)
    if C.outputs.size < 4:
        lazy = parallel(lazy, C) if data.draw(st.booleans()) else parallel(C, lazy)
    dense, prior = written_out(lazy), data.draw(priors_for(C.inputs, exact=C.exact))
    gain = data.draw(gains_for(C.inputs, exact=C.exact))
    for measure in (
        lambda K: quiff.posterior_vulnerability(prior, K),
        lambda K: quiff.posterior_vulnerability(prior, K, gain),
        lambda K: quiff.max_case_vulnerability(prior, K),
        quiff.bayes_capacity,
        quiff.max_case_capacity,
        quiff.epsilon,
        lambda K: quiff.mutual_information(prior, K),
    ):
        assert float(measure(lazy)) == pytest.approx(float(measure(dense)), rel=1e-9, abs=1e-12)
    if C.exact and prior.exact:
        assert quiff.posterior_vulnerability(prior, lazy) == quiff.posterior_vulnerability(prior, dense)


@pytest.mark.parametrize("p", [0.7, Fraction(7, 10)])
@pytest.mark.parametrize("n", [20, 500])
def test_a_bit_that_is_seen_often(p, n):
    """sum_k binom(n, k) max(p^k (1-p)^(n-k), p^(n-k) (1-p)^k)."""
    p, q = Fraction(p), 1 - Fraction(p)
    expected = sum(comb(n, k) * max(p**k * q ** (n - k), p ** (n - k) * q**k) for k in range(n + 1))
    kind = float if n % 7 else Fraction
    found = quiff.bayes_capacity(repeat(Channel([[kind(p), kind(q)], [kind(q), kind(p)]]), n))
    assert float(found) == pytest.approx(float(expected), rel=1e-12)


# Posterior vulnerability of a uniform secret after T answers of k-ary randomised response with epsilon 1.
WEEKS = {2: {4: 0.8219163, 13: 0.9642382, 26: 0.9933525}, 5: {4: 0.5212489, 13: 0.7570236, 26: 0.9030471}}


@pytest.mark.parametrize("k", WEEKS)
def test_reference_values_of_half_a_year(k):
    C, prior = mechanisms.randomised_response(range(k), epsilon=1.0), Prior.uniform(range(k))
    found = {weeks: quiff.posterior_vulnerability(prior, repeat(C, weeks)) for weeks in WEEKS[k]}
    assert found == pytest.approx(WEEKS[k], abs=5e-8)


def test_what_does_not_fit_floats_is_refused_and_not_wrong():
    with pytest.raises(quiff.SizeError):
        quiff.bayes_capacity(repeat(Channel([[0.7, 0.3], [0.3, 0.7]]), 2000))
    wide = Channel(np.full((2, 100), 0.01))
    assert quiff.bayes_capacity(repeat(wide, 2)) == pytest.approx(1)
