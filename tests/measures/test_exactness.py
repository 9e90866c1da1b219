"""Exact iff all numbers are int or Fraction; one float makes the result float; neutral values follow."""

from fractions import Fraction

import pytest

import quiff
from quiff import Channel, Gain, Prior

AB = ["a", "b"]
half = Fraction(1, 2)
PRIORS = {
    "uniform": (Prior.uniform(AB), None),
    "counts": (Prior.from_counts({"a": 1, "b": 3}), None),
    "exact": (Prior({"a": half, "b": half}), True),
    "float": (Prior({"a": 0.5, "b": 0.5}), False),
}
CHANNELS = {
    "map": (Channel.identity(AB), None),
    "exact": (Channel([[half, half], [0, 1]], AB), True),
    "integers": (Channel([[1, 0], [0, 1]], AB), True),
    "float": (Channel([[0.5, 0.5], [0, 1]], AB), False),
    "membership": (Channel.membership({"a": {0}, "b": {1}}, [0, 1], Fraction(2, 3), Fraction(1, 3)), True),
    "float membership": (Channel.membership({"a": {0}, "b": {1}}, [0, 1], 0.75, Fraction(1, 4)), False),
}
GAINS = {
    "none": (None, None),
    "bayes": (quiff.bayes_gain(AB), None),
    "membership": (quiff.membership_gain({"a": {"t"}, "b": {"t", "u"}}, ["t", "u"]), None),
    "tries": (quiff.tries_gain(AB, 2), None),
    "exact": (Gain([[half, 1]], inputs=AB), True),
    "float": (Gain([[0.5, 1]], inputs=AB), False),
}


@pytest.mark.parametrize("gain", GAINS)
@pytest.mark.parametrize("channel", CHANNELS)
@pytest.mark.parametrize("prior", PRIORS)
def test_the_rule(prior, channel, gain):
    (pi, one), (C, two), (g, three) = PRIORS[prior], CHANNELS[channel], GAINS[gain]
    wanted = float if False in (one, two, three) else Fraction
    if gain in ("none", "bayes", "tries"):
        wanted = float if False in (one, two) else Fraction
    assert type(quiff.posterior_vulnerability(pi, C, g)) is wanted
    assert type(quiff.leakage(pi, C, g)) is wanted
    assert type(quiff.leakage(pi, C, g, additive=True)) is wanted
    assert type(quiff.max_case_vulnerability(pi, C, g)) is wanted
    assert type(quiff.vulnerability(pi, g)) is (float if False in (one, three) else Fraction)


def test_every_other_measure_that_is_no_logarithm():
    prior, C = Prior.uniform(AB), CHANNELS["exact"][0]
    exact = [
        quiff.bayes_capacity(C),
        quiff.max_case_capacity(CHANNELS["membership"][0]),
        quiff.guessing_entropy(prior),
        quiff.posterior_guessing_entropy(prior, C),
        quiff.dalenius_leakage(Prior({("z", "a"): half, ("y", "b"): half}), C),
        quiff.hyper(prior, C).outer[(0,)],
        (prior @ C)[0],
        quiff.internal_choice(C, C, half)["a", 0],
        C.row("a")[0],
    ]
    assert [type(value) for value in exact] == [Fraction] * len(exact)
    assert type(quiff.internal_choice(C, C, 0.5)["a", 0]) is float
    assert type((prior @ CHANNELS["float"][0])[0]) is float
