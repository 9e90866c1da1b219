"""Linear programs: proofs in fractions against pivots, and least squares against HiGHS."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import quiff
from quiff.core.linear_program import Program, _by_basis, _by_pivots, minimise
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
    rows, columns = (index.ravel() for index in np.indices((m, n)))
    cost, entries, right = (np.array(part, dtype=object) for part in (cost, entries, right))
    return Program(cost, rows, columns, entries, right)


@given(programs())
def test_a_proof_from_floats_is_the_answer_of_pivots(program):
    by_pivots, by_basis = _by_pivots(program), _by_basis(program)
    if by_pivots is None:
        assert by_basis is None
        missing = _by_basis(program.relaxed())
        assert missing is None or missing.value > 0
    elif by_basis is not None:
        A = np.zeros((len(program.right), len(program.cost)), dtype=object)
        np.add.at(A, (program.rows, program.columns), program.values)
        assert by_basis.value == by_pivots.value == (by_basis.dual * program.right).sum()
        assert (A @ by_basis.x == program.right).all()
        assert (by_basis.x >= 0).all()
        assert (by_basis.dual @ A <= program.cost).all()


def test_programs_without_a_least_value_say_so_however_large():
    one = np.ones(40, dtype=np.int64)
    unbounded = Program(-one, np.zeros(40, dtype=int), np.arange(40), np.array([1, -1] * 20), one[:1])
    with refused(ParameterError):
        minimise(unbounded)


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
        *(lambda point=point: refinement.mixture(point, held.T)[0] for point in points),
    ]
    quickly = [ask() is None for ask in asked]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(refinement, "_QUICK", 0)
        assert [ask() is None for ask in asked] == quickly
