"""Le Cam's deficiency: worked values, its dual, and what it must be by theorems."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

import quiff
from quiff import Channel, deficiency, mechanisms
from quiff.testing.strategies import channels

HALF = Fraction(1, 2)
GEOMETRIC = mechanisms.truncated_geometric(range(3), ratio=2)
RESPONSE = mechanisms.randomised_response(range(3), ratio=2)


def flip(error):
    """A binary symmetric channel."""
    return Channel([[1 - error, error], [error, 1 - error]])


def erasing(q):
    return Channel([[1, 0 * q], [q, 1 - q]])


@pytest.mark.parametrize(
    ("C", "D", "value"),
    [
        (flip(Fraction(1, 5)), flip(Fraction(1, 10)), Fraction(1, 10)),
        (GEOMETRIC, RESPONSE, Fraction(1, 18)),
        (RESPONSE, GEOMETRIC, Fraction(1, 8)),
        (erasing(Fraction(1, 3)), Channel.identity(range(2)), Fraction(1, 4)),
        (mechanisms.randomised_response(range(3), epsilon=1.0), Channel.identity(range(3)), 0.4238831152),
    ],
)  # fmt: skip
def test_worked_values(C, D, value):
    worst = deficiency(C, D)
    assert worst.value == (value if C.exact else pytest.approx(value, abs=5e-11))
    # what is left in the worst row after that processing, and what the adversary gains
    assert farthest_row(C @ worst.processing, D) == pytest.approx(float(value), abs=1e-9)
    assert advantage(worst, C, D) == pytest.approx(float(value), abs=1e-9)


@pytest.mark.parametrize("d", [0.5, 1.0, 2.0])
def test_a_bit_behind_laplace_noise(d):
    """Cut at d/2 the noise loses nothing that randomised response needs: e^(-d/2)/2 - 1/(1 + e^d)."""
    edges = np.concatenate([[-np.inf], np.linspace(-3, 3 + d, 41), [d / 2], [np.inf]])
    edges.sort()
    cdf = [laplace(edges - x * d) for x in (0, 1)]
    cut = Channel([np.diff(row) / np.diff(row).sum() for row in cdf])
    response = mechanisms.randomised_response(range(2), epsilon=d)
    assert deficiency(cut, response).value == pytest.approx(
        math.exp(-d / 2) / 2 - 1 / (1 + math.exp(d)), abs=1e-9
    )
    assert deficiency(response, cut).value == 0  # every private bit is made from randomised response
    if d == 0.5:
        assert deficiency(cut, response).value == pytest.approx(0.0118597227, abs=5e-11)


def laplace(x):
    return np.where(x < 0, np.exp(np.minimum(x, 0)) / 2, 1 - np.exp(-np.maximum(x, 0)) / 2)


@given(channels(max_size=3), st.data())
def test_it_agrees_with_a_plain_linear_program(C, data):
    D = data.draw(channels(inputs=list(C.inputs), max_size=3))
    worst = deficiency(C, D)
    assert float(worst.value) == pytest.approx(plain(C, D), abs=1e-7)
    assert farthest_row(C @ worst.processing, D) == pytest.approx(float(worst.value), abs=1e-6)
    assert (worst.value == 0) == quiff.refines(D, C)
    if worst.gain is not None:
        assert worst.gain.to_numpy().min() >= 0
        assert worst.gain.to_numpy().max() <= 1 + 1e-9
        assert advantage(worst, C, D) == pytest.approx(float(worst.value), abs=1e-6)


def rows(C, inputs):
    matrix = C.to_numpy().astype(float)
    return np.array([matrix[C.inputs.position(x, "input")] for x in inputs])


def farthest_row(one, other):
    return abs(rows(one, other.inputs) - rows(other, other.inputs)).sum(axis=1).max() / 2


def advantage(worst, C, D):
    after = [float(quiff.posterior_vulnerability(worst.prior, K, worst.gain)) for K in (C, D)]
    return after[1] - after[0]


def plain(C, D):
    """The least t with sum_z |sum_y C[x,y] R[y,z] - D[x,z]| / 2 <= t, by inequalities."""
    c, d = rows(C, D.inputs), rows(D, D.inputs)
    (n, p), q = c.shape, d.shape[1]
    size = p * q + n * q + 1
    lines, right = [], []
    for x in range(n):
        for z in range(q):
            for sign in (1, -1):
                row = np.zeros(size)
                row[z : p * q : q] = sign * c[x]
                row[p * q + x * q + z] = -1
                lines.append(row)
                right.append(sign * d[x, z])
        row = np.zeros(size)
        row[p * q + x * q : p * q + (x + 1) * q] = HALF
        row[-1] = -1
        lines.append(row)
        right.append(0)
    sums = np.zeros((p, size))
    for y in range(p):
        sums[y, y * q : (y + 1) * q] = 1
    cost = np.zeros(size)
    cost[-1] = 1
    return linprog(cost, lines, right, sums, np.ones(p), bounds=(0, None)).fun
