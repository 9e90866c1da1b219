"""Oracle: the C++ library qif agrees on every measure that both have, in floats and in its rationals.

qif goes by position, so its arrays are taken in the order of the channel's inputs.
"""

from fractions import Fraction

import numpy as np
import pytest
import qif
from hypothesis import given
from hypothesis import strategies as st

import quiff
from quiff import Prior, bayes_gain, predicate_gain
from quiff.testing.strategies import KERNELS, channels, gains_for, priors_for
from words import refused

CLOSE = {"rel": 1e-9, "abs": 1e-9}


@st.composite
def cases(draw, kernel, exact):
    C = draw(channels(kernel=kernel, exact=exact))
    return draw(priors_for(C.inputs, exact)), C, draw(gains_for(C.inputs, exact))


def arrays(prior, C, gain, number):
    """The same numbers for qif, as doubles or as its rationals."""
    dtype = float if number is float else object
    pi = np.array([number(prior[x]) for x in C.inputs], dtype=dtype)
    matrix = np.array([[number(v) for v in row] for row in C.to_numpy().tolist()], dtype=dtype)
    gain = bayes_gain(C.inputs) if gain is None else gain
    order = [gain.inputs.position(x) for x in C.inputs]
    g = np.array([[number(row[i]) for i in order] for row in gain.to_numpy().tolist()], dtype=dtype)
    return pi, matrix, g


@pytest.mark.parametrize("kernel", KERNELS)
def test_floats(kernel):
    @given(cases(kernel, exact=False))
    def check(case):
        prior, C, gain = case
        pi, matrix, g = arrays(prior, C, gain, float)
        bayes, g_vuln, shannon = qif.measure.bayes_vuln, qif.measure.g_vuln, qif.measure.shannon
        assert quiff.vulnerability(prior) == pytest.approx(bayes.prior(pi), **CLOSE)
        assert quiff.posterior_vulnerability(prior, C) == pytest.approx(bayes.posterior(pi, matrix), **CLOSE)
        assert quiff.leakage(prior, C) == pytest.approx(bayes.mult_leakage(pi, matrix), **CLOSE)
        assert quiff.bayes_capacity(C) == pytest.approx(bayes.mult_capacity(matrix), **CLOSE)
        assert quiff.min_entropy_leakage(prior, C) == pytest.approx(
            bayes.min_entropy_leakage(pi, matrix), **CLOSE
        )
        assert quiff.vulnerability(prior, gain) == pytest.approx(g_vuln.prior(g, pi), **CLOSE)
        after = g_vuln.posterior(g, pi, matrix)
        assert quiff.posterior_vulnerability(prior, C, gain) == pytest.approx(after, **CLOSE)
        assert quiff.leakage(prior, C, gain, additive=True) == pytest.approx(
            g_vuln.add_leakage(g, pi, matrix), **CLOSE
        )
        assert quiff.shannon_entropy(prior) == pytest.approx(shannon.prior(pi), **CLOSE)
        assert quiff.conditional_entropy(prior, C) == pytest.approx(shannon.posterior(pi, matrix), **CLOSE)
        assert quiff.mutual_information(prior, C) == pytest.approx(shannon.add_leakage(pi, matrix), **CLOSE)
        guessing = qif.measure.guessing
        assert quiff.guessing_entropy(prior) == pytest.approx(guessing.prior(pi), **CLOSE)
        assert quiff.posterior_guessing_entropy(prior, C) == pytest.approx(
            guessing.posterior(pi, matrix), **CLOSE
        )

    check()


@pytest.mark.parametrize("kernel", KERNELS)
def test_rationals(kernel):
    @given(cases(kernel, exact=True))
    def check(case):
        prior, C, gain = case
        pi, matrix, g = arrays(prior, C, gain, Fraction)
        found = quiff.posterior_vulnerability(prior, C, gain)
        assert isinstance(found, Fraction)
        assert found == qif.measure.g_vuln.posterior(g, pi, matrix)
        assert quiff.vulnerability(prior, gain) == qif.measure.g_vuln.prior(g, pi)
        assert quiff.posterior_vulnerability(prior, C) == qif.measure.bayes_vuln.posterior(pi, matrix)
        assert quiff.bayes_capacity(C) == qif.measure.bayes_vuln.mult_capacity(matrix)
        assert quiff.leakage(prior, C) == qif.measure.bayes_vuln.mult_leakage(pi, matrix)
        assert quiff.leakage(prior, C, gain, additive=True) == qif.measure.g_vuln.add_leakage(g, pi, matrix)
        assert quiff.guessing_entropy(prior) == qif.measure.guessing.prior(pi)
        assert quiff.posterior_guessing_entropy(prior, C) == qif.measure.guessing.posterior(pi, matrix)

    check()


@given(channels(exact=False), st.data())
def test_differential_privacy(C, data):
    matrix = C.to_numpy().astype(float)
    found = quiff.epsilon(C)
    expected = qif.measure.d_privacy.smallest_epsilon(matrix, qif.metric.discrete(qif.uint))
    assert found == expected or found == pytest.approx(expected, **CLOSE)
    place = {x: i for i, x in enumerate(C.inputs)}
    found = quiff.metric_epsilon(C, lambda x, y: abs(place[x] - place[y]))
    expected = qif.measure.d_privacy.smallest_epsilon(matrix, qif.metric.euclidean(qif.uint))
    assert found == expected or found == pytest.approx(expected, **CLOSE)


@given(channels(exact=False), st.data())
def test_predicates(C, data):
    truth = data.draw(st.lists(st.booleans(), min_size=C.inputs.size, max_size=C.inputs.size))
    value = dict(zip(C.inputs, truth, strict=True))
    prior = data.draw(priors_for(C.inputs, exact=False))
    pi, matrix, _ = arrays(prior, C, None, float)
    gain = predicate_gain(list(C.inputs), lambda x: value[x])
    P = np.array(truth, dtype=np.uint64)
    assert quiff.vulnerability(prior, gain) == pytest.approx(qif.measure.pred_vuln.prior(P, pi), **CLOSE)
    expected = qif.measure.pred_vuln.posterior(P, pi, matrix)
    assert quiff.posterior_vulnerability(prior, C, gain) == pytest.approx(expected, **CLOSE)


@given(channels(exact=False, max_size=3), st.data())
def test_composition(C, data):
    D = data.draw(channels(inputs=list(C.inputs), exact=False, max_size=3))
    rows = [D.inputs.position(x) for x in C.inputs]
    first, second = C.to_numpy().astype(float), D.to_numpy().astype(float)[rows]
    expected = qif.channel.compose.parallel(first, second)
    assert quiff.parallel(C, D).to_numpy() == pytest.approx(expected, **CLOSE)
    three = qif.channel.compose.repeated_independent(first, 3)
    assert quiff.repeat(C, 3).to_numpy() == pytest.approx(three, **CLOSE)


@given(channels(exact=False, max_size=3), st.data())
def test_refinement(D, data):
    near = data.draw(st.booleans())
    if near:  # a true refinement; a random pair is almost never one
        C = D @ data.draw(channels(inputs=list(D.outputs), exact=False, max_size=3))
    else:
        C = data.draw(channels(inputs=list(D.inputs), exact=False, max_size=3))
    rows = [C.inputs.position(x) for x in D.inputs]
    better, worse = D.to_numpy().astype(float), C.to_numpy().astype(float)[rows]
    assert quiff.refines(C, D) == qif.refinement.refined_by(better, worse)


@given(channels(exact=False), st.data())
def test_hyper(C, data):
    prior = data.draw(priors_for(C.inputs, exact=False))
    pi, matrix, _ = arrays(prior, C, None, float)
    outer, inners = qif.channel.hyper(matrix, pi)
    expected = sorted(
        (round(float(o), 9), [round(float(v), 9) for v in inners[:, i]]) for i, o in enumerate(outer)
    )
    mine = quiff.hyper(prior, C)
    found = sorted(
        (round(float(o), 9), [round(float(inner[x]), 9) for x in C.inputs]) for o, inner in mine.items()
    )
    assert len(found) == len(expected)
    for (o, inner), (o2, inner2) in zip(found, expected, strict=True):
        assert o == pytest.approx(o2, abs=1e-8)
        assert inner == pytest.approx(inner2, abs=1e-8)


def test_where_qif_gives_a_number_quiff_gives_an_error_or_aligns():
    """The three traps that motivated labels and validation."""
    too_much = np.array([[3.0, 0.5], [0.5, 3.5]])
    assert qif.measure.bayes_vuln.mult_capacity(too_much) == 6.5
    with refused(quiff.ProbabilityError, 0, 3.5, 1):
        quiff.Channel(too_much)

    with_nan = np.array([[np.nan, 1.0], [0.5, 0.5]])
    assert qif.measure.bayes_vuln.posterior(np.array([0.5, 0.5]), with_nan) == 0.75
    with refused(quiff.ProbabilityError, 0):
        quiff.Channel(with_nan)

    C = quiff.Channel([[1.0, 0.0], [0.5, 0.5]], inputs=["Alice", "Bob"])
    permuted = Prior({"Bob": 0.9, "Alice": 0.1})
    by_position = qif.measure.bayes_vuln.posterior(permuted.to_numpy(), C.to_numpy())
    by_name = qif.measure.bayes_vuln.posterior(np.array([0.1, 0.9]), C.to_numpy())
    assert by_position != pytest.approx(by_name)
    assert quiff.posterior_vulnerability(permuted, C) == pytest.approx(by_name)
