"""Oracle: each function of the installed qif has a counterpart here that agrees on random input."""

import math
from fractions import Fraction

import numpy as np
import pytest

import qif_map
from fuzzing import cases


def test_every_function_of_qif_is_mapped():
    assert set(qif_map.functions()) - set(qif_map.ROWS) - qif_map.EXCEPTED == set()


def test_nothing_else_is_mapped():
    assert set(qif_map.ROWS) <= set(qif_map.functions())


def test_the_page_shows_the_map():
    assert qif_map.PAGE.read_text().endswith(qif_map.table()), "run python tests/qif_map.py"


def agree(ours, theirs, exact):
    ours, theirs = (np.asarray(a.tolist() if isinstance(a, np.ndarray) else a) for a in (ours, theirs))
    assert ours.shape == theirs.shape
    for mine, other in zip(ours.ravel().tolist(), theirs.ravel().tolist(), strict=True):
        if exact and not isinstance(other, float):
            assert mine == Fraction(other)
        else:
            assert math.isclose(mine, other, rel_tol=1e-9, abs_tol=1e-9)


@pytest.mark.parametrize("name", sorted(qif_map.ROWS))
def test_agrees(name):
    row = qif_map.ROWS[name]
    for exact, times in qif_map.times(name).items():
        compared, seeds = 0, cases(times)
        for seed in seeds:
            case = qif_map.case(seed, exact)
            case.random.seed(seed)  # the same numbers, whatever was drawn before
            pairs = list(row.check(case))
            for ours, theirs in pairs:
                agree(ours, theirs, exact)
            compared += bool(pairs)
        assert 2 * compared >= len(seeds)  # some have no answer, such as a risk of 0 that leaks
