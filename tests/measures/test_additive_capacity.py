"""Additive capacities over gains in [0, 1]: the linear program written out, and gains that reach it."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from scipy.optimize import linprog

import quiff
from quiff import Channel, Prior, additive_capacity
from quiff.testing.strategies import channels, priors_for
from words import refused


def by_linear_program(pi, C):
    """Maximise sum_xy pi_x C[x,y] g(y,x) - t over gains of one action an output, sum_x pi_x g(y,x) <= t."""
    n, m = C.shape
    objective = -np.append((pi[:, None] * C).T.reshape(-1), -1.0)
    limits = np.hstack([np.kron(np.eye(m), pi), -np.ones((m, 1))])
    bounds = [(0, 1)] * (n * m) + [(0, None)]
    found = linprog(objective, A_ub=limits, b_ub=np.zeros(m), bounds=bounds)
    return -found.fun, found.x[:-1].reshape(m, n)


@settings(max_examples=60, deadline=None)
@given(channels(max_size=4).flatmap(lambda C: priors_for(C.inputs).map(lambda prior: (prior, C))))
def test_it_is_the_value_of_the_linear_program(case):
    prior, C = case
    matrix, pi = C.to_numpy().astype(float), np.array([float(prior[x]) for x in C.inputs])
    value, gains = by_linear_program(pi, matrix)
    assert float(additive_capacity(C, prior, of="gains")) == pytest.approx(value, abs=1e-8)
    gain = quiff.Gain(np.clip(gains, 0, 1), [f"after {y}" for y in range(len(gains))], C.inputs)
    assert float(quiff.leakage(prior, C, gain, additive=True)) == pytest.approx(value, abs=1e-7)


def test_the_three_capacities_of_the_example():
    C = Channel([[Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 4), Fraction(3, 4)]])
    prior = Prior({0: Fraction(3, 4), 1: Fraction(1, 4)})
    found = [additive_capacity(C, prior, of=of) for of in ("gains", "one-spanning", "vulnerabilities")]
    assert found == [Fraction(1, 8), Fraction(3, 16), Fraction(1, 2)]
    with refused(quiff.ParameterError):
        additive_capacity(C, of="one-spanning")
    with refused(quiff.ParameterError):
        additive_capacity(C, prior, of="losses")
