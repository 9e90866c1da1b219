"""The theorems of the paper and of the theory it rests on, for random channels of every kernel."""

from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import quiff
import textbook
from quiff import Prior, posterior_vulnerability
from quiff.testing.strategies import channels, gains_for, priors_for

TINY = 1e-9
shares = st.integers(0, 8).map(lambda k: Fraction(k, 8))


@st.composite
def cases(draw, n_channels=1):
    """A prior, channels with the same inputs, and a gain."""
    first = draw(channels())
    rest = [draw(channels(inputs=list(first.inputs))) for _ in range(n_channels - 1)]
    return draw(priors_for(first.inputs)), [first, *rest], draw(gains_for(first.inputs))


@given(cases(), st.data())
def test_data_processing_never_adds_leakage(case, data):
    prior, [C], gain = case
    D = data.draw(channels(inputs=list(C.outputs)))
    before, after = (posterior_vulnerability(prior, X, gain) for X in (C, C @ D))
    assert after <= before + TINY
    assert quiff.bayes_capacity(C @ D) <= quiff.bayes_capacity(C) + TINY


@given(cases())
def test_an_observation_never_hurts(case):
    prior, [C], gain = case
    assert posterior_vulnerability(prior, C, gain) >= quiff.vulnerability(prior, gain) - TINY


@given(cases())
def test_capacity_is_the_leakage_at_the_uniform_prior_and_bounds_all_others(case):
    prior, [C], gain = case
    capacity = quiff.bayes_capacity(C)
    assert capacity == pytest.approx(quiff.leakage(Prior.uniform(C.inputs), C))
    assume(quiff.vulnerability(prior, gain) > 0)
    assert quiff.leakage(prior, C, gain) <= capacity + TINY


@given(cases())
def test_max_case_capacity_bounds_the_max_case_leakage(case):
    prior, [C], gain = case
    before = quiff.vulnerability(prior, gain)
    assume(before > 0)
    ratio = quiff.max_case_vulnerability(prior, C, gain) / before
    assert ratio <= quiff.max_case_capacity(C) * (1 + TINY)


@given(channels(max_size=3), channels(max_size=3))
def test_capacity_of_a_kronecker_product_is_the_product(C, D):
    """Theorem kronecker-capacity and its corollary on vulnerabilities."""
    both = quiff.kronecker(C, D)
    assert quiff.bayes_capacity(both) == pytest.approx(quiff.bayes_capacity(C) * quiff.bayes_capacity(D))
    one, other = (posterior_vulnerability(Prior.uniform(X.inputs), X) for X in (C, D))
    assert posterior_vulnerability(Prior.uniform(both.inputs), both) == pytest.approx(one * other)


@given(cases(2), shares)
def test_internal_choice_is_at_least_the_better_part_alone(case, r):
    """Lemma internal-choice-lower-bound."""
    prior, [C, D], gain = case
    mixed = posterior_vulnerability(prior, quiff.internal_choice(C, D, r), gain)
    parts = [posterior_vulnerability(prior, X, gain) for X in (C, D)]
    assert mixed >= max((1 - r) * parts[0], r * parts[1]) - TINY


@given(cases(2), shares)
def test_external_choice_leaks_the_average_and_no_less_than_internal_choice(case, r):
    prior, [C, D], gain = case
    openly = posterior_vulnerability(prior, quiff.external_choice(C, D, r), gain)
    secretly = posterior_vulnerability(prior, quiff.internal_choice(C, D, r), gain)
    parts = [posterior_vulnerability(prior, X, gain) for X in (C, D)]
    assert openly == pytest.approx(float((1 - r) * parts[0] + r * parts[1]), abs=TINY)
    assert secretly <= openly + TINY


@given(channels(), st.data())
def test_dalenius_leakage_is_at_most_the_capacity(C, data):
    pairs = [(z, x) for z in ("old", "young", "none") for x in C.inputs]
    joint = data.draw(priors_for(pairs))
    possible = ["old", "young", "none"]
    gain = data.draw(gains_for(possible))
    rho = Prior({z: sum(p for (z2, _), p in joint.items() if z2 == z) for z in possible})
    assume(quiff.vulnerability(rho, gain) > 0)
    found = quiff.dalenius_leakage(joint, C, gain)
    assert found <= quiff.bayes_capacity(C) + TINY
    # The definition, by hand: gain about z from the joint distribution of z and the output.
    pi, rows = textbook.prior_of(joint), textbook.rows_of(C)
    about = {z: {y: sum(pi[z, x] * rows[x][y] for x in rows) for y in C.outputs} for z in possible}
    g = textbook.gain_of(gain, possible)
    after = sum(max(sum(row[z] * about[z][y] for z in possible) for row in g.values()) for y in C.outputs)
    assert found == pytest.approx(float(after / textbook.vulnerability(dict(rho.items()), g)))


@given(cases(2))
def test_parallel_composition_is_symmetric_and_leaks_at_most_the_product(case):
    prior, [C, D], gain = case
    both, swapped = quiff.parallel(C, D), quiff.parallel(D, C)
    found = posterior_vulnerability(prior, both, gain)
    assert found == pytest.approx(float(posterior_vulnerability(prior, swapped, gain)), abs=TINY)
    assert found >= posterior_vulnerability(prior, C, gain) - TINY
    product = quiff.bayes_capacity(C) * quiff.bayes_capacity(D)
    assert quiff.bayes_capacity(both) <= product + TINY


@given(channels(max_size=3), st.data())
def test_post_processing_refines_and_so_leaks_no_more(D, data):
    R = data.draw(channels(inputs=list(D.outputs), max_size=3))
    C = D @ R
    witness = quiff.refinement_witness(C, D)
    assert witness is not None
    assert (D @ witness).to_numpy().astype(float) == pytest.approx(C.to_numpy().astype(float), abs=1e-7)
    prior, gain = data.draw(priors_for(D.inputs)), data.draw(gains_for(D.inputs))
    assert posterior_vulnerability(prior, C, gain) <= posterior_vulnerability(prior, D, gain) + TINY


@given(cases(2))
def test_what_leaks_more_is_no_refinement(case):
    prior, [C, D], gain = case
    if posterior_vulnerability(prior, C, gain) > posterior_vulnerability(prior, D, gain) + 1e-6:
        assert not quiff.refines(C, D)


@given(cases())
def test_the_hyper_averages_to_the_prior_and_gives_the_posterior_vulnerability(case):
    prior, [C], gain = case
    hyper = quiff.hyper(prior, C)
    parts = list(hyper.items())
    found = sum(probability * quiff.vulnerability(inner, gain) for probability, inner in parts)
    assert found == pytest.approx(float(posterior_vulnerability(prior, C, gain)), abs=TINY)
    for x in C.inputs:
        mean = sum(probability * inner[x] for probability, inner in parts)
        assert mean == pytest.approx(float(prior[x]), abs=TINY)
    posteriors = [tuple(round(float(inner[x]), 9) for x in C.inputs) for _, inner in parts]
    assert len(set(posteriors)) == len(posteriors)
