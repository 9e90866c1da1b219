"""Fractions over very many outputs: those in which all rows are alike are added up once, and equally."""

import itertools
import tracemalloc
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import quiff
from quiff.core.kernels import DenseKernel, SparseKernel
from quiff.core.kernels.one_hot import OneHotKernel
from quiff.core.numbers import as_numbers, filled
from quiff.core.sparse import SparseRows

FRACTIONS = st.fractions(0, 1, max_denominator=9)


@st.composite
def sparse_kernels(draw):
    """Return a kernel of fractions with few entries, its background constant or not, and it written out."""
    rows, columns = draw(st.integers(1, 4)), draw(st.integers(2, 7))
    if draw(st.booleans()):
        background = filled(draw(FRACTIONS), columns)
    else:
        background = as_numbers(draw(st.lists(FRACTIONS, min_size=columns, max_size=columns)))
    size = draw(st.integers(1, columns - 1))
    places = [draw(st.permutations(range(columns)))[:size] for _ in range(rows)]
    values = [draw(st.lists(FRACTIONS, min_size=size, max_size=size)) for _ in range(rows)]
    entries = SparseRows.rectangular(
        np.sort(places), as_numbers([one for row in values for one in row]), columns
    )
    kernel = SparseKernel(background, entries)
    return kernel, DenseKernel(kernel.columns(0, columns))


@given(sparse_kernels(), st.data())
def test_the_sums_are_those_of_all_columns(kernels, data):
    sparse, dense = kernels
    n = sparse.n_rows
    weights = as_numbers(data.draw(st.lists(FRACTIONS, min_size=n, max_size=n)))
    assert sparse.column_max_sum(weights) == dense.column_max(weights).sum()
    gains = as_numbers(data.draw(st.lists(FRACTIONS, min_size=2 * n, max_size=2 * n)))
    left = SparseRows.rectangular(np.tile([0, 1], (n, 1)), gains, 2)
    expected = sum(
        max(sum(gains[2 * x + w] * row[y] for x, row in enumerate(dense.matrix)) for w in (0, 1))
        for y in range(sparse.n_columns)
    )
    assert sparse.best_actions_sum(left) == expected


@pytest.mark.parametrize("spec", ["win_signals:truth=0", "select_url:bits=18"])
def test_hardly_any_fraction_is_computed(spec, monkeypatch):
    """One for each output would take minutes: they are millions."""
    made = []
    for name in ("__mul__", "__rmul__", "__add__", "__radd__"):
        own = getattr(Fraction, name)
        monkeypatch.setattr(Fraction, name, lambda *pair, own=own: made.append(1) or own(*pair))
    people = quiff.Population.synthetic(50, seed=1, attributes=("history", "conversions"))
    quiff.measure(people, quiff.api_from(spec))
    assert len(made) < 50_000


@pytest.mark.parametrize("n_cells", [1, 2, 3])
def test_noisy_cells_have_the_best_actions_of_their_columns(n_cells):
    rng = np.random.default_rng(n_cells)
    base, marked = rng.dirichlet(np.ones(5), size=2)
    kernel = OneHotKernel(base, marked, np.arange(-1, n_cells), n_cells)
    gains = rng.random((n_cells + 1, 3))
    left = SparseRows.rectangular(np.tile(np.arange(3), (n_cells + 1, 1)), gains.reshape(-1), 3)
    expected = 0.0
    for outputs in itertools.product(range(5), repeat=n_cells):
        shown = [
            np.prod([(marked if cell == place else base)[y] for cell, y in enumerate(outputs)])
            for place in range(-1, n_cells)
        ]
        expected += max(sum(gains[x, w] * p for x, p in enumerate(shown)) for w in range(3))
    assert kernel.best_actions_sum(left) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("name", ["ipa", "w3c_attribution"])
def test_two_noisy_keys_are_never_written_out(name):
    """Their 16 million outputs, for two guesses, took 250 MB and many seconds."""
    people = quiff.Population.synthetic(60, seed=1, attributes=("conversions",))
    api = quiff.api_from(f"{name}:keys=2")
    gain, secret = api.goals([None, 0, 1])["contributed"], quiff.Prior.uniform([None, 0, 1])
    tracemalloc.start()
    found = quiff.posterior_vulnerability(secret, api.observe([None, 0, 1]), gain)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100 * 2**20
    assert 2 / 3 <= found < 1
    assert quiff.measure(people, api)[api.spec, "bayes_capacity"] > 1
