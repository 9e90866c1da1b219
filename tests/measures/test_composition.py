"""Composition by privacy-loss distributions, against a direct convolution of the losses."""

import math
import sys
from collections import defaultdict
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import quiff
from quiff import composed_delta, composed_epsilon, delta, mechanisms, parallel, repeat
from quiff.testing.strategies import channels
from words import refused

pytest.importorskip("dp_accounting", reason="the extra dp is not installed")


def convolved_delta(C, epsilon, n):
    """Convolve the losses of each pair directly: a dictionary from loss to probability."""
    rows = dict(zip(C.inputs, C.to_numpy().astype(float).tolist(), strict=True))
    worst = 0.0
    for x, z in permutations(rows, 2):
        single, infinite = defaultdict(float), 0.0
        for a, b in zip(rows[x], rows[z], strict=True):
            if a > 0 and b > 0:
                single[round(math.log(a / b), 9)] += a
            elif a > 0:
                infinite += a
        losses = {0.0: 1.0}
        for _ in range(n):
            after = defaultdict(float)
            for loss, p in losses.items():
                for more, q in single.items():
                    after[round(loss + more, 9)] += p * q
            losses = after
        finite = sum(p * max(0, 1 - math.exp(epsilon - loss)) for loss, p in losses.items())
        worst = max(worst, finite + 1 - (1 - infinite) ** n)
    return worst


@settings(max_examples=25, deadline=None)
@given(channels(kernel="dense", max_size=3), st.floats(0, 4), st.integers(1, 4))
def test_composition_is_a_convolution_rounded_up(C, epsilon, n):
    direct, found = convolved_delta(C, epsilon, n), composed_delta(C, epsilon, n)
    assert direct - 1e-9 <= found <= direct + 1e-3 * n
    assert direct == pytest.approx(float(delta(repeat(C, n), epsilon)), abs=1e-7)


@settings(max_examples=10, deadline=None)
@given(channels(kernel="sparse", max_size=3, inputs=["a", "b"]), channels(max_size=3, inputs=["a", "b"]))
def test_composition_dominates_its_parts_and_is_at_most_their_sum(C, D):
    both = parallel(C, D)
    found = composed_delta(both, 1.0)
    assert found == pytest.approx(float(delta(both, 1.0)), abs=1e-3)
    assert found >= max(float(delta(C, 1.0)), float(delta(D, 1.0))) - 1e-9
    # Basic composition: (1/2, d1) and (1/2, d2) compose to (1, d1 + d2).
    assert found <= float(delta(C, 0.5)) + float(delta(D, 0.5)) + 1e-3


def test_many_observations_of_a_response():
    C = mechanisms.randomised_response(range(6), 0.2)
    after = [composed_epsilon(C, 1e-5, n) for n in (1, 10, 100)]
    assert after[0] == pytest.approx(0.2, abs=1e-3)
    assert after[1] <= 10 * 0.2 + 1e-3
    assert after[2] < 0.6 * 100 * 0.2  # far less than basic composition
    assert composed_delta(C, after[2], 100) == pytest.approx(1e-5, rel=0.01)
    assert composed_epsilon(C, 1e-5, 10, pairs=[(0, 1)]) == pytest.approx(after[1])


def test_secrets_that_are_told_apart_for_certain():
    C = quiff.Channel.identity(["a", "b"])
    assert (composed_delta(C, 5), composed_epsilon(C, 0.1), composed_epsilon(C, 1)) == (1, math.inf, 0)
    once = quiff.Channel([[0.5, 0.5, 0], [0, 0.5, 0.5]])
    assert composed_delta(once, 9, 3) == pytest.approx(1 - 0.5**3)


def test_what_makes_no_sense_is_refused(monkeypatch):
    C = mechanisms.warner(1)
    for call in (
        lambda: composed_delta(C, 1, 0),
        lambda: composed_delta(C, 1, step=0),
        lambda: composed_epsilon(C, 2),
        lambda: composed_delta(mechanisms.randomised_response(range(5000), 1), 1),
    ):
        with refused(quiff.QuiffError):
            call()
    monkeypatch.setitem(sys.modules, "dp_accounting.pld.privacy_loss_distribution", None)
    with refused(quiff.QuiffError):
        composed_delta(C, 1)
