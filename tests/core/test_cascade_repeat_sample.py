"""A sparse cascade, maps that are seen again, and outputs drawn: beside the dense matrix."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import quiff
from quiff import Channel, Prior
from quiff.core.kernels import DenseKernel, ProductKernel, SparseKernel
from textbook import bayes_capacity as textbook_capacity
from textbook import rows_of

USERS = 100_000
TENTHS = st.integers(0, 10)


@st.composite
def sparse_rows(draw, inputs, outputs, *, rest=0):
    """Rows of tenths: a background for everybody, and for each input some entries that fill it up to 1."""
    rows = {}
    for x in range(inputs):
        entered = draw(st.sets(st.integers(0, outputs - 1), min_size=1))
        left = 1 - rest * (outputs - len(entered))
        weights = [draw(TENTHS) for _ in entered]
        weights[0] += not sum(weights)
        rows[x] = {y: left * Fraction(w, sum(weights)) for y, w in zip(sorted(entered), weights, strict=True)}
    return rows


@st.composite
def pairs(draw, kind=Fraction):
    middle, outputs = draw(st.integers(2, 5)), draw(st.integers(2, 6))
    rest = draw(st.sampled_from([Fraction(0), Fraction(1, 10)]))
    first = draw(sparse_rows(draw(st.integers(1, 5)), middle))
    second = draw(sparse_rows(middle, outputs, rest=rest))
    return (
        Channel.sparse({x: {y: kind(p) for y, p in row.items()} for x, row in first.items()}, range(middle)),
        Channel.sparse(
            {x: {y: kind(p) for y, p in row.items()} for x, row in second.items()}, range(outputs), kind(rest)
        ),
    )


def dense(C):
    return Channel(C.to_numpy(), C.inputs, C.outputs)


@given(pairs())
def test_a_sparse_cascade_is_the_product_of_the_matrices(channels):
    C, D = channels
    cascade = C.kernel.followed_by(D.kernel)
    assert (cascade.to_dense() == C.to_numpy() @ D.to_numpy()).all()
    assert cascade.exact


@given(pairs(kind=float))
def test_a_sparse_cascade_in_floats_keeps_its_zeros(channels):
    C, D = channels
    found = C.kernel.followed_by(D.kernel).to_dense()
    exact = (C.to_numpy() > 0).astype(int) @ (D.to_numpy() > 0).astype(int)
    np.testing.assert_allclose(found, C.to_numpy() @ D.to_numpy(), atol=1e-15)
    assert ((found > 0) == (exact > 0)).all()


def test_random_sets_at_the_size_of_a_population():
    """Users to one of two sets each, sets to topics: no dense matrix of users by sets or topics by users."""
    rng = np.random.default_rng(1)
    sets = np.sort(rng.permuted(np.tile(np.arange(349), (2 * USERS, 1))[:, :40], axis=1)[:, :5], axis=1)
    secret = {x: {2 * x: Fraction(1, 4), 2 * x + 1: Fraction(3, 4)} for x in range(USERS)}
    to_sets = Channel.sparse(secret, outputs=range(2 * USERS))
    p, q = Fraction(95, 500) + Fraction(5, 34900), Fraction(5, 34900)
    report = Channel.membership_from_codes(range(2 * USERS), sets, range(349), float(p), float(q))
    C = to_sets @ report
    assert type(C.kernel) is SparseKernel
    for x in (0, 1, USERS - 1):
        for t in range(349):
            weight = (t in sets[2 * x]) / 4 + 3 * (t in sets[2 * x + 1]) / 4
            assert C[x, t] == pytest.approx(float(q + weight * (p - q)), rel=1e-12)


def test_a_cascade_that_would_fill_the_matrix_is_dense():
    C = Channel.membership({x: {x, (x + 1) % 4} for x in range(4)}, range(4), 0.5, 0)
    assert type((C @ C).kernel) is DenseKernel


@given(st.lists(st.integers(0, 3), min_size=1, max_size=6), st.integers(1, 3), st.booleans())
def test_to_see_a_map_again_adds_nothing(codes, n, with_noise):
    f = Channel.deterministic(dict(enumerate(codes)))
    g = Channel.deterministic({x: code % 2 for x, code in enumerate(codes)})
    C = quiff.parallel(quiff.repeat(f, n), g)
    if with_noise:
        noisy = Channel([[Fraction(1, 3), Fraction(2, 3)], [Fraction(1, 2)] * 2] * 3, range(6))
        C = quiff.parallel(C, Channel(noisy.to_numpy()[: len(codes)], range(len(codes))))
    plain = dense(C)
    assert quiff.bayes_capacity(C) == textbook_capacity(rows_of(plain))
    prior = Prior.from_counts({x: x + 1 for x in range(len(codes))})
    gain = quiff.predicate_gain(range(len(codes)), lambda x: x % 2 == 0) if len(codes) > 1 else None
    assert quiff.posterior_vulnerability(prior, C, gain) == quiff.posterior_vulnerability(prior, plain, gain)
    assert quiff.epsilon(C) == pytest.approx(quiff.epsilon(plain))


def test_cookies_seen_five_times_cost_what_they_cost_once():
    people = Channel.identity(range(USERS))
    again = quiff.repeat(people, 5)
    assert isinstance(again.kernel, ProductKernel)
    assert quiff.bayes_capacity(again) == USERS
    assert quiff.posterior_vulnerability(Prior.uniform(range(USERS)), again) == 1


SAMPLED = {
    "dense": Channel([[0.5, 0.5, 0], [0, 0.25, 0.75]], ["a", "b"]),
    "fractions": Channel([[Fraction(1, 3), Fraction(2, 3), 0], [0, 0, 1]], ["a", "b"]),
    "map": Channel.deterministic({"a": 2, "b": 0}, range(3)),
    "over a background": Channel.sparse({"a": {0: 0.6}, "b": {1: 0.35, 2: 0.35}}, range(5), 0.1),
    "hardly any background": Channel.sparse(
        {"a": dict.fromkeys(range(99), 0.001), "b": dict.fromkeys(range(99), 0.001)}, range(100), 0.901
    ),
    "product": quiff.parallel(
        Channel([[0.5, 0.5], [0.25, 0.75]], ["a", "b"]), Channel.deterministic({"a": 1, "b": 0})
    ),
}


@pytest.mark.parametrize("C", SAMPLED.values(), ids=SAMPLED)
def test_outputs_are_drawn_as_often_as_they_should(C):
    n, exact = 20_000, rows_of(C)
    drawn = C.sample(["a", "b"] * n, seed=7)
    for k, x in enumerate("ab"):
        counts = Counter(drawn[k::2])
        for y, probability in exact[x].items():
            if probability == 0:
                assert counts[y] == 0
            deviation = (n * float(probability) * (1 - float(probability))) ** 0.5
            assert abs(counts[y] - n * float(probability)) <= 5 * deviation


@pytest.mark.parametrize("C", SAMPLED.values(), ids=SAMPLED)
def test_likelihoods_are_the_cells_of_the_matrix(C):
    rows, columns = (grid.reshape(-1) for grid in np.indices((C.inputs.size, C.outputs.size)))
    assert (C.kernel.cells(rows, columns) == C.to_numpy()[rows, columns]).all()


def test_a_product_with_more_columns_than_a_word_can_number_is_sampled():
    C = quiff.repeat(Channel([[0.5, 0.5], [0.5, 0.5]]), 100)
    (drawn,) = C.sample([0], seed=1)
    assert len(drawn) == 100
    assert set(drawn) == {0, 1}
