"""The same channel in fractions and in floats, composed alike: equal numbers, and zeros where zeros are.

A zero that becomes 1e-16 turns an infinite epsilon into a finite one, so it matters exactly.
"""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import quiff
from quiff import Channel
from quiff.core.kernels import DenseKernel, MapKernel, ProductKernel, SparseKernel
from quiff.core.numbers import to_float
from quiff.testing.strategies import channels, gains_for, priors_for


def in_floats(kernel):
    if isinstance(kernel, MapKernel):
        return kernel
    if isinstance(kernel, SparseKernel):
        return SparseKernel(
            to_float(kernel.background), kernel.entries.with_values(to_float(kernel.entries.values))
        )
    if isinstance(kernel, ProductKernel):
        return ProductKernel([in_floats(factor) for factor in kernel.factors])
    return DenseKernel(to_float(kernel.matrix))


def twin(C):
    return Channel.from_kernel(C.inputs, C.outputs, in_floats(C.kernel))


@st.composite
def compositions(draw):
    """A channel composed in fractions, and the same composition of the same parts in floats."""
    C = draw(channels(exact=True))
    how = draw(st.sampled_from(["as is", "cascade", "merge", "internal", "external", "parallel"]))
    if how == "as is":
        return C, twin(C)
    if how == "cascade":
        D = draw(channels(inputs=list(C.outputs), exact=True))
        return C @ D, twin(C) @ twin(D)
    if how == "merge":
        D = draw(channels(inputs=list(C.outputs), kernel="map"))
        return C @ D, twin(C) @ D
    D = draw(channels(inputs=list(C.inputs), exact=True))
    if how == "parallel":
        return quiff.parallel(C, D), quiff.parallel(twin(C), twin(D))
    choose = quiff.internal_choice if how == "internal" else quiff.external_choice
    tenths = draw(st.integers(0, 10))
    return choose(C, D, quiff_fraction(tenths)), choose(twin(C), twin(D), tenths / 10)


def quiff_fraction(tenths):
    from fractions import Fraction

    return Fraction(tenths, 10)


@given(compositions(), st.data())
def test_floats_agree_with_fractions(pair, data):
    exact, floats = pair
    a, b = exact.to_numpy(), floats.to_numpy()
    assert ((a == 0) == (b == 0)).all()
    assert b.astype(float) == pytest.approx(a.astype(float), abs=1e-12)
    for measure in (quiff.bayes_capacity, quiff.max_case_capacity, quiff.epsilon):
        one, other = float(measure(exact)), float(measure(floats))
        assert other == one if math.isinf(one) else other == pytest.approx(one, rel=1e-9, abs=1e-9)
    prior, gain = data.draw(priors_for(exact.inputs, exact=True)), data.draw(gains_for(exact.inputs))
    for measure in (quiff.posterior_vulnerability, quiff.max_case_vulnerability):
        assert float(measure(prior, floats, gain)) == pytest.approx(
            float(measure(prior, exact, gain)), abs=1e-9
        )
    pushed = prior @ floats  # never a negative probability
    assert [float(pushed[y]) for y in exact.outputs] == pytest.approx(
        [float((prior @ exact)[y]) for y in exact.outputs], abs=1e-12
    )
    assert len(quiff.hyper(prior, floats)) == len(quiff.hyper(prior, exact))


@given(channels(kernel="sparse", exact=True))
def test_exact_numbers_are_fractions_all_through(C):
    kernel = C.kernel
    assume(kernel.background.dtype == object or kernel.entries.values.dtype == object)
    for array in (kernel.background, kernel.entries.values, C.to_numpy()):
        assert not any(isinstance(value, float) for value in np.asarray(array).flat)
