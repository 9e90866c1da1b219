"""Linear programs: proofs in fractions against all corners, and least squares against HiGHS."""

from fractions import Fraction
from itertools import chain, combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import quiff
from quiff.core.linear_program import Basis, Program
from quiff.errors import ParameterError
from quiff.measures import refinement
from words import refused

FRACTIONS = st.fractions(-3, 3, max_denominator=6)


@st.composite
def programs(draw):
    m, n = draw(st.integers(1, 4)), draw(st.integers(1, 6))
    entries = draw(st.lists(FRACTIONS, min_size=m * n, max_size=m * n))
    cost = draw(st.lists(st.fractions(0, 3, max_denominator=6), min_size=n, max_size=n))
    right = draw(st.lists(FRACTIONS, min_size=m, max_size=m))
    program = Program()
    x = program.variables(n, np.array(cost, dtype=object))
    A = np.array(entries, dtype=object).reshape(m, n)
    at_most = draw(st.booleans())
    program.add((np.tile(x, (m, 1)), A), right=np.array(right, dtype=object), at_most=at_most)
    return program, A, np.array(cost, dtype=object), np.array(right, dtype=object), at_most


def corners(A, cost, right):
    """The costs of all x >= 0 with A x = right that use independent columns: one of these is the least."""
    m, n = A.shape
    for used in chain.from_iterable(combinations(range(n), k) for k in range(min(m, n) + 1)):
        basis, chosen = Basis(), list(used)
        columns = [{row: v for row, v in enumerate(A[:, place]) if v} for place in chosen]
        if all(basis.add(column, [0] * m) for column in columns):
            x = basis.solve({row: v for row, v in enumerate(right) if v})
            if x is not None and min(x, default=0) >= 0:
                yield sum((cost[place] * v for place, v in zip(chosen, x, strict=True)), Fraction(0))


@given(programs())
def test_a_proof_from_floats_is_the_least_of_all_corners(drawn):
    program, A, cost, right, at_most = drawn
    m, n = A.shape
    found = program.solve()
    with_slack = np.concatenate([A, np.eye(m, dtype=int) * Fraction(1)], axis=1) if at_most else A
    costs = np.concatenate([cost, [Fraction(0)] * (with_slack.shape[1] - n)])
    least = min(corners(with_slack, costs, right), default=None)
    assert (None if found is None else found.value) == least
    if found is not None:
        assert isinstance(found.value, Fraction)
        assert found.value == (found.dual * right).sum() == (found.x * cost).sum()
        assert (A @ found.x <= right).all() if at_most else (A @ found.x == right).all()
        assert (found.x >= 0).all()
        assert (found.dual @ A <= cost).all()


def test_programs_without_a_least_value_say_so_however_large():
    unbounded = Program()
    x = unbounded.variables(40, cost=-1)
    unbounded.add((x[np.newaxis], np.array([[1, -1] * 20])), right=1)
    with refused(ParameterError):
        unbounded.solve()


def _channel(rng, n, m):
    rows = [[Fraction(int(v)) for v in row] for row in rng.integers(0, 10, (n, m))]
    return np.array([[v / sum(row) for v in row] for row in rows], dtype=object)


@pytest.mark.parametrize("shape", [(10, 10, 10), (5, 30, 5), (30, 8, 4)])
def test_refinement_in_fractions_of_more_than_a_few_outputs(shape):
    n, p, q = shape
    rng = np.random.default_rng(0)
    D, R, other = _channel(rng, n, p), _channel(rng, p, q), _channel(rng, n, q)
    found = quiff.refinement_witness(quiff.Channel(D @ R), quiff.Channel(D))
    assert found.exact
    assert (D @ found.to_numpy() == D @ R).all()
    apart = quiff.counterexample(quiff.Channel(other), quiff.Channel(D))
    assert (apart is None) == quiff.refines(quiff.Channel(other), quiff.Channel(D))
    if apart is not None:
        assert isinstance(apart.first, Fraction)
        assert apart.first > apart.second


@given(st.integers(0, 2**32), st.integers(1, 5), st.integers(1, 5), st.integers(1, 5))
def test_least_squares_decide_as_the_linear_program_does(seed, n, p, q):
    rng = np.random.default_rng(seed)

    def rows(height, width):
        whole = rng.integers(0, 3, (height, width)) + 0.0
        whole[~whole.any(axis=1), 0] = 1
        return whole / whole.sum(axis=1, keepdims=True)

    held, goal = rows(n, p), rows(n, q)
    if seed % 2:
        goal = held @ rows(p, q)
    points = rows(3, n) if seed % 2 else rows(2, p) @ held.T
    asked = [
        lambda: refinement.processing(goal, held)[0],
        *(
            lambda point=point: refinement.processing(point[:, np.newaxis], held, axis=0)[0]
            for point in points
        ),
    ]
    quickly = [ask() is None for ask in asked]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(refinement, "_QUICK", 0)
        assert [ask() is None for ask in asked] == quickly
