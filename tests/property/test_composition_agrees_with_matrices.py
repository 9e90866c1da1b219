"""Every composition equals its definition entry by entry, whatever kernels meet, in fractions."""

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import quiff
import textbook
from quiff.testing.strategies import channels

shares = st.integers(0, 8).map(lambda k: Fraction(k, 8))


def entries(C):
    return {(x, y): C[x, y] for x in C.inputs for y in C.outputs}


@st.composite
def pairs(draw):
    C = draw(channels(exact=True))
    return C, draw(channels(inputs=list(C.inputs), exact=True))


@given(channels(exact=True), st.data())
def test_cascade(C, data):
    more = data.draw(st.sampled_from([[], ["unused"]]))  # C's outputs are among D's inputs
    D = data.draw(channels(inputs=[*C.outputs, *more], exact=True))
    expected = textbook.cascade(textbook.rows_of(C), textbook.rows_of(D))
    assert textbook.rows_of(C @ D) == expected
    assert (C @ D).exact


@given(pairs(), shares)
def test_internal_choice(pair, r):
    C, D = pair
    mixed = quiff.internal_choice(C, D, r)
    one, other = entries(C), entries(D)
    assert set(mixed.outputs) == set(C.outputs) | set(D.outputs)
    for place, value in entries(mixed).items():
        assert value == (1 - r) * one.get(place, 0) + r * other.get(place, 0)


@given(pairs(), shares)
def test_external_choice(pair, r):
    C, D = pair
    mixed = entries(quiff.external_choice(C, D, r))
    expected = {(x, (0, y)): (1 - r) * value for (x, y), value in entries(C).items()}
    expected |= {(x, (1, y)): r * value for (x, y), value in entries(D).items()}
    assert mixed == expected


@given(pairs())
def test_parallel(pair):
    C, D = pair
    both = entries(quiff.parallel(C, D))
    one, other = entries(C), entries(D)
    assert both == {
        (x, (y, z)): one[x, y] * other[x, z] for x in C.inputs for y in C.outputs for z in D.outputs
    }


@given(channels(exact=True, max_size=3), channels(exact=True, max_size=3))
def test_kronecker(C, D):
    both = entries(quiff.kronecker(C, D))
    expected = {
        ((x, x2), (y, y2)): value * value2
        for (x, y), value in entries(C).items()
        for (x2, y2), value2 in entries(D).items()
    }
    assert both == expected


@given(channels(exact=True, max_size=3), st.integers(1, 3))
def test_repeat(C, n):
    assert C.inputs.size
    many = quiff.repeat(C, n)
    rows = textbook.rows_of(C)
    for (x, ys), value in entries(many).items():
        assert value == np.prod([rows[x][y] for y in ys])


@given(channels())
def test_distinct_rows_factor_the_channel(C):
    M, D = C.distinct_rows()
    again = M @ D
    assert entries(again) == entries(C)
    rows = [tuple(row) for row in D.to_numpy().tolist()]
    assert len(set(rows)) == len(rows)


@given(channels(exact=True), st.data())
def test_pushing_a_prior_through(C, data):
    from quiff.testing.strategies import priors_for

    prior = data.draw(priors_for(C.inputs, exact=True))
    pushed = prior @ C
    pi, rows = textbook.prior_of(prior), textbook.rows_of(C)
    assert dict(pushed.items()) == {y: sum(pi[x] * rows[x][y] for x in pi) for y in C.outputs}
