"""Structured = dense = exact: every measure on every kernel equals its definition, exactly in fractions."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import quiff
import textbook
from quiff.testing.strategies import KERNELS, channels, gains_for, priors_for


@st.composite
def cases(draw, kernel, exact):
    C = draw(channels(kernel=kernel, exact=exact))
    return draw(priors_for(C.inputs, exact)), C, draw(gains_for(C.inputs, exact))


def agree(found, expected, exact):
    if math.isinf(expected):
        assert found == expected
    elif exact:
        assert isinstance(found, Fraction)
        assert found == expected
    else:
        assert found == pytest.approx(float(expected), rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize("kernel", KERNELS)
def test_vulnerabilities(kernel, exact):
    @given(cases(kernel, exact))
    def check(case):
        prior, C, gain = case
        pi, rows, g = textbook.prior_of(prior), textbook.rows_of(C), textbook.gain_of(gain, C.inputs)
        before = textbook.vulnerability(pi, g)
        after = textbook.posterior_vulnerability(pi, rows, g)
        agree(quiff.vulnerability(prior, gain), before, exact)
        agree(quiff.posterior_vulnerability(prior, C, gain), after, exact)
        agree(
            quiff.max_case_vulnerability(prior, C, gain), textbook.max_case_vulnerability(pi, rows, g), exact
        )
        agree(quiff.leakage(prior, C, gain, additive=True), after - before, exact)
        if before > 0:
            agree(quiff.leakage(prior, C, gain), after / before, exact)

    check()


@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize("kernel", KERNELS)
def test_capacities_and_epsilon(kernel, exact):
    @given(channels(kernel=kernel, exact=exact))
    def check(C):
        rows = textbook.rows_of(C)
        ratio = textbook.max_case_capacity(rows)
        agree(quiff.bayes_capacity(C), textbook.bayes_capacity(rows), exact)
        agree(quiff.max_case_capacity(C), ratio, exact)
        assert quiff.epsilon(C) == pytest.approx(math.log(ratio))

    check()


@pytest.mark.parametrize("kernel", KERNELS)
def test_entropies(kernel):
    @given(cases(kernel, exact=True))
    def check(case):
        prior, C, _ = case
        pi, rows = textbook.prior_of(prior), textbook.rows_of(C)
        information = textbook.mutual_information(pi, rows)
        entropy = textbook.shannon_entropy(pi.values())
        assert quiff.shannon_entropy(prior) == pytest.approx(entropy, abs=1e-12)
        assert quiff.mutual_information(prior, C) == pytest.approx(information, abs=1e-9)
        assert quiff.conditional_entropy(prior, C) == pytest.approx(entropy - information, abs=1e-9)
        assert quiff.min_entropy(prior) == pytest.approx(-math.log2(max(pi.values())))
        assert quiff.guessing_entropy(prior) == textbook.guessing_entropy(pi.values())
        assert quiff.posterior_guessing_entropy(prior, C) == textbook.posterior_guessing_entropy(pi, rows)
        assert quiff.min_entropy_leakage(prior, C) == pytest.approx(
            math.log2(quiff.leakage(prior, C)), abs=1e-9
        )

    check()


@given(channels(max_size=4), st.lists(st.sampled_from([0, 1, 2, math.inf]), min_size=26, max_size=26))
def test_metric_epsilon(C, places):
    place = dict(zip(C.inputs, places, strict=False))

    def distance(x, y):
        return math.inf if math.inf in (place[x], place[y]) else abs(place[x] - place[y])

    expected = textbook.metric_epsilon(textbook.rows_of(C), distance)
    found = quiff.metric_epsilon(C, distance)
    assert found == expected or found == pytest.approx(expected, abs=1e-9)
