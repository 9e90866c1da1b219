"""Wrong numbers are errors, told once, in the constructor, with the label and what is wrong."""

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import quiff
from quiff import (
    Channel,
    Gain,
    GainError,
    LabelError,
    ParameterError,
    Prior,
    ProbabilityError,
    ShapeError,
    SizeError,
)
from words import refused

AB = ["a", "b"]
SETS = {"Alice": {"a"}, "Bob": {"b"}}

BAD = {
    "prior sum": (lambda: Prior({"a": 0.5, "b": 0.4}), ProbabilityError),
    "prior exact sum": (lambda: Prior({"a": Fraction(1, 2), "b": Fraction(1, 3)}), ProbabilityError),
    "prior negative": (lambda: Prior({"a": 1.5, "b": -0.5}), ProbabilityError),
    "prior nan": (lambda: Prior({"a": math.nan, "b": 1.0}), ProbabilityError),
    "prior inf": (lambda: Prior({"a": math.inf}), ProbabilityError),
    "prior empty": (lambda: Prior({}), LabelError),
    "prior of words": (lambda: Prior({"a": "half"}), ProbabilityError),
    "prior of None": (lambda: Prior({"a": None}), ProbabilityError),
    "uniform on nothing": (lambda: Prior.uniform([]), LabelError),
    "counts negative": (lambda: Prior.from_counts({"a": 2, "b": -1}), ProbabilityError),
    "counts zero": (lambda: Prior.from_counts({"a": 0}), ProbabilityError),
    "counts negative twice": (lambda: Prior.from_count_array(AB, np.array([-1, -5])), ProbabilityError),
    "counts float": (lambda: Prior.from_counts({"a": 1, "b": 0.5}), ProbabilityError),
    "prior array shape": (lambda: Prior.from_array(AB, [1.0]), ShapeError),
    "channel sum": (lambda: Channel([[0.5, 0.4]], ["Alice"]), ProbabilityError),
    "channel exact sum": (lambda: Channel([[Fraction(1, 2), Fraction(1, 3)]]), ProbabilityError),
    "channel negative": (lambda: Channel([[1.5, -0.5]]), ProbabilityError),
    "channel nan": (lambda: Channel([[math.nan, 1]]), ProbabilityError),
    "channel ragged": (lambda: Channel([[1], [0.5, 0.5]]), ShapeError),
    "channel flat": (lambda: Channel([1, 0]), ShapeError),
    "channel empty": (lambda: Channel(np.zeros((0, 2))), LabelError),
    "channel without outputs": (lambda: Channel([[]]), ProbabilityError),
    "channel labels": (lambda: Channel([[1, 0]], AB), ShapeError),
    "channel same input": (lambda: Channel([[1], [1]], ["a", "a"]), LabelError),
    "channel same output": (lambda: Channel([[1, 0]], outputs=["a", "a"]), LabelError),
    "channel of words": (lambda: Channel([["x", "y"]]), ProbabilityError),
    "constant sum": (lambda: Channel.constant([0.5, 0.1], AB), ProbabilityError),
    "constant matrix": (lambda: Channel.constant([[1]], AB), ShapeError),
    "constant labels": (lambda: Channel.constant([1], AB, AB), ShapeError),
    "membership sum": (lambda: Channel.membership(SETS, AB, inside=0.5, outside=0.4), ProbabilityError),
    "membership negative": (lambda: Channel.membership(SETS, AB, inside=1.5, outside=-0.5), ProbabilityError),
    "membership nan": (lambda: Channel.membership(SETS, AB, inside=math.nan, outside=0), ProbabilityError),
    "membership stranger": (lambda: Channel.membership({"Alice": {"z"}}, AB, 1, 0), LabelError),
    "membership twice": (lambda: Channel.membership({"Alice": ["a", "a"]}, AB, 1, 0), LabelError),
    "membership string": (lambda: Channel.membership({"Alice": "ab"}, AB, 0.5, 0), LabelError),
    "membership sizes": (
        lambda: Channel.membership({"Alice": {"a"}, "Bob": {"a", "b"}}, AB, 1, 0),
        ProbabilityError,
    ),
    "codes twice": (
        lambda: Channel.membership_from_codes(AB, [[0, 1], [1, 1]], range(3), 0.5, 0),
        LabelError,
    ),
    "codes too high": (lambda: Channel.membership_from_codes(AB, [[0], [3]], range(3), 1, 0), LabelError),
    "codes negative": (lambda: Channel.membership_from_codes(AB, [[0], [-1]], range(3), 1, 0), LabelError),
    "codes float": (lambda: Channel.membership_from_codes(AB, [[0.0], [1.0]], range(3), 1, 0), ShapeError),
    "codes rows": (lambda: Channel.membership_from_codes(AB, [[0]], range(3), 1, 0), ShapeError),
    "codes flat": (lambda: Channel.membership_from_codes(AB, [0, 1], range(3), 1, 0), ShapeError),
    "sparse sum": (lambda: Channel.sparse({"Alice": {"a": 0.25}}, AB), ProbabilityError),
    "sparse negative": (lambda: Channel.sparse({"Alice": {"a": -1, "b": 2}}, AB), ProbabilityError),
    "map stranger": (lambda: Channel.deterministic({"Alice": "z"}, outputs=AB), LabelError),
    "gain negative": (lambda: Gain([[1, -1]]), GainError),
    "gain inf": (lambda: Gain([[math.inf]]), GainError),
    "gain nan": (lambda: Gain([[math.nan]]), GainError),
    "gain of words": (lambda: Gain([["x"]]), GainError),
    "gain flat": (lambda: Gain([1, 2]), ShapeError),
    "gain labels": (lambda: Gain([[1, 2]], actions=AB), ShapeError),
    "tries": (lambda: quiff.tries_gain(AB, 3), ParameterError),
    "repeat": (lambda: quiff.repeat(Channel.identity(AB), 0), ParameterError),
    "choice": (
        lambda: quiff.internal_choice(Channel.identity(AB), Channel.identity(AB), 1.5),
        ProbabilityError,
    ),
    "choice inputs": (
        lambda: quiff.internal_choice(Channel.identity(AB), Channel.identity(["a", "c"]), 0.5),
        LabelError,
    ),
    "cascade": (lambda: Channel.identity(AB) @ Channel.identity(["a"]), LabelError),
    "prior and channel": (
        lambda: quiff.leakage(Prior.uniform(["a", "b", "z"]), Channel.identity(AB)),
        LabelError,
    ),
    "gain and prior": (
        lambda: quiff.vulnerability(Prior.uniform(AB), quiff.bayes_gain(["a"])),
        LabelError,
    ),
    "no gain at all": (
        lambda: quiff.leakage(Prior.uniform(AB), Channel.identity(AB), Gain([[0, 0]], inputs=AB)),
        GainError,
    ),
    "joint": (lambda: quiff.dalenius_leakage(Prior.uniform(AB), Channel.identity(AB)), LabelError),
    "distance": (lambda: quiff.metric_epsilon(Channel.identity(AB), lambda x, y: -1), ParameterError),
    "distance nan": (
        lambda: quiff.metric_epsilon(Channel.identity(AB), lambda x, y: math.nan),
        ParameterError,
    ),
    "stranger": (lambda: Channel.identity(AB)["z", "a"], LabelError),
    "dense limit": (lambda: quiff.dense_limit(0).__enter__(), ParameterError),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_told(name):
    make, error = BAD[name]
    with refused(error) as told:
        make()
    assert isinstance(told.value, quiff.QuiffError)
    assert isinstance(told.value, ValueError)


def test_a_row_may_be_off_by_rounding_but_not_more():
    assert Channel([[0.1] * 10])
    with pytest.raises(ProbabilityError):
        Channel([[0.5, 0.5 + 2e-9]])


def test_decimals_count_as_floats():
    assert not Prior({"a": Decimal("0.5"), "b": Fraction(1, 2)}).exact


def test_the_limit_for_dense_matrices(monkeypatch):
    C = Channel.identity(range(1000))
    with quiff.dense_limit(0.001), refused(SizeError, 1000, 0.00745):
        C.to_numpy()
    assert C.to_numpy().shape == (1000, 1000)
    monkeypatch.setenv("QUIFF_DENSE_LIMIT", "0.001")
    with refused(SizeError, 1):
        C.to_numpy()
    for wrong in ("much", "-1"):
        monkeypatch.setenv("QUIFF_DENSE_LIMIT", wrong)
        with refused(ParameterError):
            C.to_numpy()


def test_what_does_not_fit_names_the_limit_to_raise():
    C = Channel([[0.5, 0.5]] * 2000, range(2000))
    many = quiff.repeat(C, 40)
    for measure in (lambda: many.to_numpy(), lambda: many @ Channel.identity(many.outputs)):
        with refused(SizeError):
            measure()


def test_nothing_can_be_changed_from_outside():
    rows = np.array([[0.5, 0.5]])
    C = Channel(rows)
    rows[0, 0] = 7
    C.to_numpy()[0, 0] = 7
    assert C[0, 0] == 0.5
    counts = np.array([1, 2])
    prior = Prior.from_count_array(AB, counts)
    counts[0] = 100
    assert prior["a"] == Fraction(1, 3)
